/* Members of one group that are not one storage and meet: at one step, or though they must never share. */
#include "problem/builder.h"

enum {
  MAX_LOOKS = 1 << 22,   /* at pairs of members that lie over each other */
  MAX_SHARED_GAPS = 1024 /* of all buffers of one storage */
};

struct stretch {
  int64_t lower;
  int64_t upper;
  uint64_t first;
  uint64_t end;
};

/* Stretch k of a row with g gaps is one of 2 g + 1: between gaps, then in a gap. */
static struct stretch stretch_of(const struct berth_rows *rows, uint32_t row, uint32_t k) {
  uint32_t begin = rows->gap_begin.n != 0 ? rows->gap_begin.items[row] : 0;
  uint32_t end = rows->gap_begin.n != 0 ? rows->gap_begin.items[row + 1] : 0;
  const struct berth_gap *before = k / 2 > 0 ? &rows->gaps.items[begin + k / 2 - 1] : NULL;
  const struct berth_gap *gap = begin + k / 2 < end ? &rows->gaps.items[begin + k / 2] : NULL;
  if (k % 2 != 0) {
    return (struct stretch){gap->lower, gap->upper, gap->window_lower, gap->window_upper};
  }
  return (struct stretch){
      before != NULL ? before->upper : rows->lower.items[row],
      gap != NULL ? gap->lower : rows->upper.items[row], 0, rows->size.items[row]};
}

static uint32_t n_stretches(const struct berth_rows *rows, uint32_t row) {
  return rows->gap_begin.n != 0 ? 2 * (rows->gap_begin.items[row + 1] - rows->gap_begin.items[row]) + 1 : 1;
}

static bool comes_before(const struct berth_problem *problem, uint32_t a, uint32_t b) {
  const uint32_t *upper = problem->clock_upper.items + (size_t)a * problem->n_clocks;
  const uint32_t *lower = problem->clock_lower.items + (size_t)b * problem->n_clocks;
  for (uint32_t c = 0; c < problem->n_clocks; c++) {
    if (upper[c] > lower[c]) {
      return false;
    }
  }
  return true;
}

/* Whether neither comes before the other in a partial order: what members never hold does not help there. */
static bool are_unordered(const struct berth_problem *problem, uint32_t a, uint32_t b) {
  return problem->n_clocks != 0 && !comes_before(problem, a, b) && !comes_before(problem, b, a);
}

/* Whether both hold a byte at one step, their distances being what they are. */
static bool meet(const struct berth_problem *problem, uint32_t a, uint32_t b, uint64_t *n_looks) {
  const struct berth_rows *rows = &problem->rows;
  uint64_t at_a = problem->groups.distance.items[a];
  uint64_t at_b = problem->groups.distance.items[b];
  uint32_t n_a = n_stretches(rows, a);
  uint32_t n_b = n_stretches(rows, b);
  *n_looks += problem->n_clocks;
  if (are_unordered(problem, a, b)) {
    return true;
  }
  for (uint32_t k = 0, l = 0; k < n_a && l < n_b; ++*n_looks) {
    struct stretch of_a = stretch_of(rows, a, k);
    struct stretch of_b = stretch_of(rows, b, l);
    uint64_t first = at_a + of_a.first > at_b + of_b.first ? at_a + of_a.first : at_b + of_b.first;
    uint64_t end = at_a + of_a.end < at_b + of_b.end ? at_a + of_a.end : at_b + of_b.end;
    int64_t lower = of_a.lower > of_b.lower ? of_a.lower : of_b.lower;
    int64_t upper = of_a.upper < of_b.upper ? of_a.upper : of_b.upper;
    bool both_hold = of_a.first < of_a.end && of_b.first < of_b.end;
    if (both_hold && first < end && lower < upper) {
      return true;
    }
    if (of_a.upper <= of_b.upper) {
      k++;
    } else {
      l++;
    }
  }
  return false;
}

static enum berth_code blame(struct berth_problem_builder *builder, uint32_t a, uint32_t b, const char *why) {
  uint32_t later = a > b ? a : b;
  char label[BERTH_LABEL_SIZE];
  berth_builder_label(berth_builder_item(builder, a > b ? b : a), label, sizeof label);
  return berth_builder_blame(
      builder, berth_builder_item(builder, later), BERTH_REASON_BAD_GROUP, "size",
      "its groups put it over %s, %s", label, why);
}

/* Of what persists, and lies in a pool that keeps it apart, nobody else ever holds a byte. */
static bool are_kept_apart(const struct berth_problem *problem, uint32_t a) {
  const struct berth_rows *rows = &problem->rows;
  uint32_t begin = rows->pool_begin.n != 0 ? rows->pool_begin.items[a] : 0;
  uint32_t n = rows->pool_begin.n != 0 ? rows->pool_begin.items[a + 1] - begin : 0;
  bool every = n == 0;
  n = every ? (uint32_t)problem->pools.n : n;
  bool any = false;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t pool = every ? i : rows->pools.items[begin + i];
    any |= problem->pools.items[pool].persistence != BERTH_PERSISTENCE_MIXED;
  }
  return any && berth_class_persists(rows->class_.items[a]);
}

/* The members [begin, end) are in the order of their distances, and those of one storage side by side. */
static enum berth_code
check_group(struct berth_problem_builder *builder, uint32_t begin, uint32_t end, uint64_t *n_looks) {
  const struct berth_problem *problem = builder->problem;
  const struct berth_group_columns *groups = &problem->groups;
  const uint32_t *members = groups->members.items;
  uint32_t run_end = begin; /* of those of the storage of member k */
  for (uint32_t k = begin; k < end; k++) {
    uint32_t a = members[k];
    uint64_t reach = groups->distance.items[a] + problem->rows.size.items[a];
    while (run_end <= k ||
           (run_end < end && groups->storage.items[members[run_end]] == groups->storage.items[a])) {
      run_end++;
    }
    for (uint32_t l = run_end; l < end && groups->distance.items[members[l]] < reach; l++) {
      if (meet(problem, a, members[l], n_looks)) {
        return blame(builder, a, members[l], "and their lifetimes meet too");
      }
      if (are_kept_apart(problem, a)) {
        return blame(builder, a, members[l], "and a pool that they may lie in keeps what persists apart");
      }
      if (*n_looks > MAX_LOOKS) {
        return berth_builder_limit(
            builder, berth_builder_item(builder, a), "size",
            "its groups put too many members over each other");
      }
    }
  }
  return BERTH_OK;
}

/* The judge looks at every window of a storage for every buffer in it. */
static enum berth_code check_gaps(struct berth_problem_builder *builder) {
  const struct berth_rows *rows = &builder->problem->rows;
  const struct berth_group_columns *groups = &builder->problem->groups;
  uint32_t n_gaps = 0;
  uint32_t storage = BERTH_NO_INDEX;
  for (uint32_t k = 0; rows->gap_begin.n != 0 && k < groups->members.n; k++) {
    uint32_t member = groups->members.items[k];
    n_gaps = groups->storage.items[member] == storage ? n_gaps : 0;
    storage = groups->storage.items[member];
    bool alone = storage == member && (k + 1 == groups->members.n ||
                                       groups->storage.items[groups->members.items[k + 1]] != storage);
    n_gaps += alone ? 0 : rows->gap_begin.items[member + 1] - rows->gap_begin.items[member];
    if (n_gaps > MAX_SHARED_GAPS) {
      return berth_builder_limit(
          builder, berth_builder_item(builder, member), "gaps",
          "those that are one storage with it have more than %d gaps", MAX_SHARED_GAPS);
    }
  }
  return BERTH_OK;
}

static enum berth_code check_conflicts(struct berth_problem_builder *builder) {
  const struct berth_problem *problem = builder->problem;
  const struct berth_group_columns *groups = &problem->groups;
  for (size_t i = 0; i < problem->conflicts.n; i++) {
    uint32_t a = problem->conflicts.items[i][0];
    uint32_t b = problem->conflicts.items[i][1];
    uint32_t group = groups->group.items[a];
    if (group == BERTH_NO_INDEX || group != groups->group.items[b]) {
      continue;
    }
    uint64_t at_a = groups->distance.items[a];
    uint64_t at_b = groups->distance.items[b];
    if (at_a < at_b + problem->rows.size.items[b] && at_b < at_a + problem->rows.size.items[a]) {
      return blame(builder, a, b, "and they must not share bytes");
    }
  }
  return BERTH_OK;
}

enum berth_code berth_builder_check_groups(struct berth_problem_builder *builder) {
  const struct berth_group_columns *groups = &builder->problem->groups;
  uint64_t n_looks = 0;
  enum berth_code code = BERTH_OK;
  for (size_t g = 0; code == BERTH_OK && g < groups->alignment.n; g++) {
    code = check_group(builder, groups->begin.items[g], groups->begin.items[g + 1], &n_looks);
  }
  code = code != BERTH_OK ? code : check_gaps(builder);
  return code != BERTH_OK ? code : check_conflicts(builder);
}
