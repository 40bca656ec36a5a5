/* The canonical form: the same problem in other words has the same encoding, another problem never has. */
#include "berth/canonical.h"
#include "problems.h"

#include <stdio.h>

#include "base/rng.h"
#include "berth/sections.h"

enum { MAX_BUFFERS = 40, MAX_GAPS = 3, MAX_POOLS = 3, MAX_CONFLICTS = 8 };

/* A problem as a value, to be permuted and changed. */
struct statement {
  uint32_t n_pools;
  struct berth_pool_spec pools[MAX_POOLS];
  uint32_t n;
  struct berth_buffer_spec buffers[MAX_BUFFERS];
  struct berth_gap gaps[MAX_BUFFERS][MAX_GAPS];
  uint32_t lists[MAX_BUFFERS][MAX_POOLS];
  char ids[MAX_BUFFERS][16];
  uint32_t n_conflicts;
  uint32_t conflicts[MAX_CONFLICTS][2];
};

struct encoding {
  unsigned char bytes[1 << 16];
  size_t n;
};

static void collect(void *ctx, const void *bytes, size_t n_bytes) {
  struct encoding *encoding = ctx;
  ck_assert_uint_le(encoding->n + n_bytes, sizeof encoding->bytes);
  memcpy(encoding->bytes + encoding->n, bytes, n_bytes);
  encoding->n += n_bytes;
}

static struct berth_problem *build(const struct statement *statement) {
  struct berth_problem_builder *builder = start();
  for (uint32_t i = 0; i < statement->n_pools; i++) {
    ck_assert_int_eq(berth_problem_builder_add_pool(builder, &statement->pools[i], NULL, NULL), BERTH_OK);
  }
  for (uint32_t i = 0; i < statement->n; i++) {
    struct berth_buffer_spec spec = statement->buffers[i];
    spec.id = text(statement->ids[i]);
    spec.gaps = statement->gaps[i];
    spec.pools = statement->lists[i];
    add(builder, &spec);
  }
  for (uint32_t i = 0; i < statement->n_conflicts; i++) {
    const uint32_t *pair = statement->conflicts[i];
    ck_assert_int_eq(berth_problem_builder_add_conflict(builder, pair[0], pair[1], NULL), BERTH_OK);
  }
  return finish(builder);
}

static void encode(const struct statement *statement, struct encoding *out, uint32_t *out_order) {
  struct berth_problem *problem = build(statement);
  uint32_t order[MAX_BUFFERS];
  out->n = 0;
  ck_assert_int_eq(berth_problem_canonical_order(problem, NULL, order, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_canonical_encode(problem, order, NULL, out, collect, NULL), BERTH_OK);
  if (out_order != NULL) {
    memcpy(out_order, order, statement->n * sizeof *order);
  }
  berth_problem_unref(problem);
}

static bool same(const struct encoding *a, const struct encoding *b) {
  return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

/* Few values for each attribute, so that ties are common. */
static void make(struct statement *statement, struct berth_rng *rng, bool conflicts) {
  memset(statement, 0, sizeof *statement);
  statement->n_pools = 1 + berth_rng_below(rng, MAX_POOLS);
  for (uint32_t i = 0; i < statement->n_pools; i++) {
    statement->pools[i] = berth_pool_spec_default();
  }
  statement->n = 1 + berth_rng_below(rng, MAX_BUFFERS);
  for (uint32_t i = 0; i < statement->n; i++) {
    struct berth_buffer_spec *spec = &statement->buffers[i];
    *spec = berth_buffer_spec_default();
    spec->size_bytes = 100 + berth_rng_below(rng, 3);
    spec->alignment = UINT64_C(1) << berth_rng_below(rng, 3);
    spec->lower = (int64_t)berth_rng_below(rng, 3) - 1;
    spec->upper = 10 + berth_rng_below(rng, 2);
    spec->class_ = berth_rng_below(rng, 2);
    if (berth_rng_below(rng, 6) == 0) { /* out of each other's way, and some alike */
      spec->pinned_offset = 1000 * (uint64_t)i;
    }
    spec->n_gaps = berth_rng_below(rng, 4) == 0 ? 1 + berth_rng_below(rng, MAX_GAPS) : 0;
    for (uint32_t k = 0; k < spec->n_gaps; k++) {
      statement->gaps[i][k] =
          (struct berth_gap){.lower = 2 + 3 * k, .upper = 4 + 3 * k, .window_upper = berth_rng_below(rng, 2)};
    }
    spec->n_pools = berth_rng_below(rng, 2) * (1 + berth_rng_below(rng, statement->n_pools));
    uint32_t first = berth_rng_below(rng, statement->n_pools);
    for (uint32_t k = 0; k < spec->n_pools; k++) {
      statement->lists[i][k] = (first + k) % statement->n_pools;
    }
    snprintf(statement->ids[i], sizeof statement->ids[i], "b%u", i % 100000);
  }
  statement->n_conflicts = conflicts && statement->n > 1 ? 1 + berth_rng_below(rng, MAX_CONFLICTS) : 0;
  for (uint32_t i = 0; i < statement->n_conflicts; i++) {
    uint32_t a = berth_rng_below(rng, statement->n);
    uint32_t b = berth_rng_below(rng, statement->n - 1);
    statement->conflicts[i][0] = a;
    statement->conflicts[i][1] = b + (b >= a);
  }
  for (uint32_t i = 0; i < statement->n_conflicts; i++) { /* no pin against a conflict */
    statement->buffers[statement->conflicts[i][0]].pinned_offset = BERTH_UNPINNED;
  }
}

/* The same problem with its rows in another order; out_from[i] is the old row of row i. */
static void
permute(const struct statement *from, struct statement *to, struct berth_rng *rng, uint32_t *out_from) {
  uint32_t place[MAX_BUFFERS];
  *to = *from;
  for (uint32_t i = 0; i < from->n; i++) {
    uint32_t k = berth_rng_below(rng, i + 1);
    out_from[i] = out_from[k];
    out_from[k] = i;
  }
  for (uint32_t i = 0; i < from->n; i++) {
    uint32_t k = out_from[i];
    place[k] = i;
    to->buffers[i] = from->buffers[k];
    memcpy(to->gaps[i], from->gaps[k], sizeof to->gaps[i]);
    memcpy(to->lists[i], from->lists[k], sizeof to->lists[i]);
    memcpy(to->ids[i], from->ids[k], sizeof to->ids[i]);
  }
  for (uint32_t i = 0; i < from->n_conflicts; i++) {
    to->conflicts[i][0] = place[from->conflicts[i][1]];
    to->conflicts[i][1] = place[from->conflicts[i][0]];
  }
}

START_TEST(order_of_rows_does_not_show) {
  static struct statement statement, other;
  static struct encoding a, b;
  struct berth_rng rng = {.state = 1};
  for (int round = 0; round < 2000; round++) {
    uint32_t from[MAX_BUFFERS];
    uint32_t order[MAX_BUFFERS];
    uint32_t other_order[MAX_BUFFERS];
    make(&statement, &rng, round % 2 != 0); /* with ids, conflicts do not hurt */
    permute(&statement, &other, &rng, from);
    encode(&statement, &a, order);
    encode(&other, &b, other_order);
    ck_assert(same(&a, &b));
    for (uint32_t k = 0; k < statement.n; k++) {
      ck_assert_uint_eq(from[other_order[k]], order[k]); /* each place is the same buffer */
    }
  }
}
END_TEST

START_TEST(names_do_not_show) {
  static struct statement statement, other;
  static struct encoding a, b;
  struct berth_rng rng = {.state = 2};
  for (int round = 0; round < 2000; round++) {
    uint32_t from[MAX_BUFFERS];
    make(&statement, &rng, false);
    permute(&statement, &other, &rng, from);
    for (uint32_t i = 0; i < other.n; i++) {
      snprintf(other.ids[i], sizeof other.ids[i], "%c", round % 3 == 0 ? 0 : 'A' + (int)i);
    }
    other.pools[0].name = text("renamed");
    encode(&statement, &a, NULL);
    encode(&other, &b, NULL);
    ck_assert(same(&a, &b));
  }
}
END_TEST

/* Equal encodings mean that the places are equal in everything, conflicts too. */
static void check_isomorphic(
    const struct statement *a, const uint32_t *order_a, const struct statement *b, const uint32_t *order_b) {
  uint32_t place_a[MAX_BUFFERS];
  uint32_t place_b[MAX_BUFFERS];
  bool meets_a[MAX_BUFFERS][MAX_BUFFERS] = {0};
  bool meets_b[MAX_BUFFERS][MAX_BUFFERS] = {0};
  for (uint32_t k = 0; k < a->n; k++) {
    ck_assert_uint_eq(a->buffers[order_a[k]].size_bytes, b->buffers[order_b[k]].size_bytes);
    place_a[order_a[k]] = k;
    place_b[order_b[k]] = k;
  }
  for (uint32_t i = 0; i < a->n_conflicts; i++) {
    uint32_t x = place_a[a->conflicts[i][0]], y = place_a[a->conflicts[i][1]];
    meets_a[x][y] = meets_a[y][x] = true;
  }
  for (uint32_t i = 0; i < b->n_conflicts; i++) {
    uint32_t x = place_b[b->conflicts[i][0]], y = place_b[b->conflicts[i][1]];
    meets_b[x][y] = meets_b[y][x] = true;
  }
  ck_assert_mem_eq(meets_a, meets_b, sizeof meets_a);
}

/* Nameless twins with conflicts: the encoding may differ from order to order, but never lies. */
START_TEST(equal_encodings_are_equal_problems_with_conflicts) {
  static struct statement statement, other;
  static struct encoding a, b;
  struct berth_rng rng = {.state = 3};
  int n_same = 0;
  for (int round = 0; round < 5000; round++) {
    uint32_t from[MAX_BUFFERS];
    uint32_t order_a[MAX_BUFFERS];
    uint32_t order_b[MAX_BUFFERS];
    make(&statement, &rng, true);
    statement.n = statement.n > 6 ? 6 : statement.n;
    for (uint32_t i = 0; i < MAX_BUFFERS; i++) {
      statement.buffers[i] = berth_buffer_spec_default();
      statement.buffers[i].size_bytes = 1 + i % 2;
      statement.ids[i][0] = 0;
    }
    for (uint32_t i = 0; i < statement.n_conflicts; i++) {
      statement.conflicts[i][0] %= statement.n;
      statement.conflicts[i][1] = statement.n < 2 ? 0 : statement.conflicts[i][1] % statement.n;
      if (statement.conflicts[i][0] == statement.conflicts[i][1]) {
        statement.conflicts[i][1] = (statement.conflicts[i][0] + 1) % statement.n;
      }
    }
    statement.n_conflicts = statement.n < 2 ? 0 : statement.n_conflicts;
    permute(&statement, &other, &rng, from);
    if (round % 2 == 0 && other.n_conflicts > 1) {
      other.n_conflicts--;
    }
    encode(&statement, &a, order_a);
    encode(&other, &b, order_b);
    if (same(&a, &b)) {
      n_same++;
      check_isomorphic(&statement, order_a, &other, order_b);
    }
  }
  ck_assert_int_gt(n_same, 500);
}
END_TEST

/* One attribute of one buffer, pool or pair is changed. Each returns false where it cannot be. */
typedef bool (*change)(struct statement *statement, uint32_t i);

static bool change_size(struct statement *s, uint32_t i) {
  s->buffers[i].size_bytes++;
  return true;
}
static bool change_alignment(struct statement *s, uint32_t i) {
  s->buffers[i].alignment = s->buffers[i].alignment == 4 ? 8 : 4;
  return s->buffers[i].pinned_offset == BERTH_UNPINNED;
}
static bool change_lower(struct statement *s, uint32_t i) {
  s->buffers[i].lower--;
  return true;
}
static bool change_upper(struct statement *s, uint32_t i) {
  s->buffers[i].upper += 100;
  return true;
}
static bool change_class(struct statement *s, uint32_t i) {
  s->buffers[i].class_ = BERTH_CLASS_WORKSPACE;
  return true;
}
static bool change_pin(struct statement *s, uint32_t i) {
  s->buffers[i].pinned_offset = s->buffers[i].pinned_offset == BERTH_UNPINNED ? 1 << 20 : BERTH_UNPINNED;
  return s->n_conflicts == 0;
}
static bool change_pools(struct statement *s, uint32_t i) {
  bool every = s->buffers[i].n_pools == s->n_pools && s->lists[i][0] == 0; /* is the same as none */
  s->buffers[i].n_pools = s->buffers[i].n_pools == 0 ? 1 : 0;
  return s->n_pools > 1 && !every;
}
static bool change_gap_steps(struct statement *s, uint32_t i) {
  s->gaps[i][0].lower--;
  return s->buffers[i].n_gaps != 0;
}
static bool change_gap_window(struct statement *s, uint32_t i) {
  s->gaps[i][0].window_upper += 5;
  return s->buffers[i].n_gaps != 0;
}
static bool change_gap_window_lower(struct statement *s, uint32_t i) {
  s->gaps[i][0].window_upper += 5;
  s->gaps[i][0].window_lower += 2;
  return s->buffers[i].n_gaps != 0;
}
static bool change_drop_gap(struct statement *s, uint32_t i) {
  return s->buffers[i].n_gaps != 0 && s->buffers[i].n_gaps-- != 0;
}
static bool change_add_buffer(struct statement *s, uint32_t i) {
  (void)i;
  if (s->n == MAX_BUFFERS) {
    return false;
  }
  s->buffers[s->n++] = berth_buffer_spec_default();
  return true;
}
static bool change_drop_conflict(struct statement *s, uint32_t i) {
  (void)i;
  return s->n_conflicts == 1 && s->n_conflicts-- != 0;
}
static bool change_capacity(struct statement *s, uint32_t i) {
  s->pools[i % s->n_pools].capacity_bytes = 1 << 30;
  return true;
}
static bool change_pool_alignment(struct statement *s, uint32_t i) {
  s->pools[i % s->n_pools].alignment = 2;
  return true;
}
static bool change_largest_block(struct statement *s, uint32_t i) {
  s->pools[i % s->n_pools].max_block_bytes = 1 << 30;
  return true;
}
static bool change_pool_kind(struct statement *s, uint32_t i) {
  s->pools[i % s->n_pools].kind = BERTH_POOL_SLOTS;
  return true;
}

static bool change_base_alignment(struct statement *s, uint32_t i) {
  s->pools[i % s->n_pools].base_alignment = 1 << 20;
  return true;
}
static bool change_cost(struct statement *s, uint32_t i) {
  s->pools[i % s->n_pools].cost_per_byte = 7;
  return true;
}
static bool change_spill(struct statement *s, uint32_t i) {
  static const uint32_t OTHER[] = {1, 0};
  s->pools[i % 2].spill_to = &OTHER[i % 2];
  s->pools[i % 2].n_spill_to = 1;
  return s->n_pools == 2;
}
static bool change_persistence(struct statement *s, uint32_t i) {
  (void)i;
  s->pools[0].persistence = BERTH_PERSISTENCE_FRONT;
  for (uint32_t k = 0; k < s->n; k++) {
    if (s->buffers[k].pinned_offset != BERTH_UNPINNED) {
      return false;
    }
  }
  return s->pools[0].kind == BERTH_POOL_BYTES;
}
static bool change_accesses(struct statement *s, uint32_t i) {
  s->buffers[i].accesses = 9;
  return true;
}

START_TEST(every_attribute_shows) {
  static const change CHANGES[] = {change_size,           change_alignment,
                                   change_lower,          change_upper,
                                   change_class,          change_pin,
                                   change_pools,          change_gap_steps,
                                   change_gap_window,     change_gap_window_lower,
                                   change_drop_gap,       change_add_buffer,
                                   change_drop_conflict,  change_capacity,
                                   change_pool_alignment, change_largest_block,
                                   change_pool_kind,      change_base_alignment,
                                   change_cost,           change_spill,
                                   change_persistence,    change_accesses};
  enum { N_CHANGES = sizeof CHANGES / sizeof CHANGES[0] };
  static struct statement statement, other;
  static struct encoding a, b;
  int n_done[N_CHANGES] = {0};
  struct berth_rng rng = {.state = 4};
  for (int round = 0; round < 400; round++) {
    make(&statement, &rng, round % 2 != 0);
    encode(&statement, &a, NULL);
    for (size_t k = 0; k < N_CHANGES; k++) {
      uint32_t from[MAX_BUFFERS];
      permute(&statement, &other, &rng, from);
      if (!CHANGES[k](&other, berth_rng_below(&rng, other.n))) {
        continue;
      }
      encode(&other, &b, NULL);
      ck_assert_msg(!same(&a, &b), "change %zu does not show", k);
      n_done[k]++;
    }
  }
  for (size_t k = 0; k < N_CHANGES; k++) {
    ck_assert_msg(n_done[k] > 10, "change %zu was hardly tried", k);
  }
}
END_TEST

START_TEST(nothing_has_a_form_too) {
  static struct statement statement;
  static struct encoding a;
  encode(&statement, &a, NULL);
  ck_assert_uint_gt(a.n, 8);
}
END_TEST

START_TEST(the_order_is_by_time_then_size_then_the_rest_then_id) {
  static struct statement statement;
  static struct encoding a;
  struct berth_rng rng = {.state = 5};
  for (int round = 0; round < 500; round++) {
    uint32_t order[MAX_BUFFERS];
    make(&statement, &rng, false);
    encode(&statement, &a, order);
    for (uint32_t k = 1; k < statement.n; k++) {
      const struct berth_buffer_spec *x = &statement.buffers[order[k - 1]];
      const struct berth_buffer_spec *y = &statement.buffers[order[k]];
      ck_assert_int_le(x->lower, y->lower);
      if (x->lower == y->lower) {
        ck_assert_int_le(x->upper, y->upper);
        ck_assert(x->upper < y->upper || x->size_bytes <= y->size_bytes);
      }
    }
  }
}
END_TEST

struct sections {
  struct encoding whole;
  uint32_t n;
  size_t begin[BERTH_N_SECTIONS];
};

static void gather(void *ctx, const void *bytes, size_t n_bytes) {
  collect(&((struct sections *)ctx)->whole, bytes, n_bytes);
}

static void begin(void *ctx, enum berth_section section) {
  struct sections *sections = ctx;
  ck_assert_uint_eq(section, sections->n); /* each once, in order */
  sections->begin[sections->n++] = sections->whole.n;
}

START_TEST(sections_are_the_same_bytes_cut) {
  static struct sections sections;
  static struct encoding plain;
  for (uint32_t k = 0; k < 50; k++) {
    struct statement statement;
    struct berth_rng rng = {k};
    uint32_t order[MAX_BUFFERS];
    make(&statement, &rng, true);
    encode(&statement, &plain, order);
    struct berth_problem *problem = build(&statement);
    sections.n = 0;
    sections.whole.n = 0;
    ck_assert_int_eq(
        berth_problem_canonical_sections(problem, order, NULL, &sections, gather, begin, NULL), BERTH_OK);
    ck_assert(same(&plain, &sections.whole));
    ck_assert_uint_eq(sections.n, BERTH_N_SECTIONS);
    ck_assert_uint_eq(
        sections.begin[BERTH_SECTION_ALIGNMENTS] - sections.begin[BERTH_SECTION_SIZES], 8 * statement.n);
    ck_assert_uint_eq(
        sections.begin[BERTH_SECTION_TERMS] - sections.begin[BERTH_SECTION_CONFLICTS],
        8 * berth_problem_buffers(problem)->n_conflicts);
    berth_problem_unref(problem);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/canonical",
      (const TTest *const[]){
          order_of_rows_does_not_show, names_do_not_show, equal_encodings_are_equal_problems_with_conflicts,
          every_attribute_shows, sections_are_the_same_bytes_cut, nothing_has_a_form_too,
          the_order_is_by_time_then_size_then_the_rest_then_id, NULL});
}
