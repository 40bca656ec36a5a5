/* From groups to distances. Groups with a member in common are one: a forest of members (Galler and Fischer
 * 1964), each with its distance from its parent, finds them and where they contradict each other. Then each
 * has one list of pools, one alignment of its base, and one pin. */
#include <string.h>

#include "base/checked.h"
#include "base/order.h"
#include "base/sort.h"
#include "problem/builder.h"

#define MAX_BYTES ((uint64_t)INT64_MAX)

struct settle {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  struct berth_rows *rows;
  struct berth_group_columns *groups;
  struct berth_arena arena;
  uint32_t n;         /* buffers */
  uint32_t *parent;   /* of each buffer in its tree */
  int64_t *shift;     /* of each buffer from its parent */
  uint32_t *n_below;  /* of each root: members of its tree */
  bool *in_a_row;     /* of each root: it has a contiguous group */
  uint32_t *storage;  /* of each buffer: another of the same storage with a lesser index, or itself */
  uint64_t *key;      /* scratch */
  uint64_t sum_bytes; /* of all groups as stated: what distances stay below */
};

static struct berth_item group_item(size_t group) {
  return (struct berth_item){.kind = "group", .index = (uint32_t)group};
}

struct label {
  char text[BERTH_LABEL_SIZE];
};

static struct label label_of(const struct settle *settle, uint32_t buffer) {
  struct label label;
  berth_builder_label(berth_builder_item(settle->builder, buffer), label.text, sizeof label.text);
  return label;
}

/* BERTH_NO_INDEX: it takes no part. */
static uint32_t buffer_of(const struct settle *settle, uint32_t item) {
  uint32_t buffer =
      settle->builder->form == BERTH_FORM_GRAPH ? settle->problem->columns.value_buffer.items[item] : item;
  return settle->rows->size.items[buffer] != 0 ? buffer : BERTH_NO_INDEX;
}

/* ---- Trees ---- */

/* The root of the buffer's tree, and the buffer's distance from it. */
static uint32_t find(struct settle *settle, uint32_t buffer, int64_t *out_distance) {
  int64_t distance = 0;
  uint32_t root = buffer;
  while (settle->parent[root] != root) {
    distance += settle->shift[root];
    root = settle->parent[root];
  }
  *out_distance = distance;
  while (settle->parent[buffer] != root) { /* ends at the root's child, or at once at the root */
    uint32_t next = settle->parent[buffer];
    int64_t step = settle->shift[buffer];
    settle->parent[buffer] = root;
    settle->shift[buffer] = distance;
    distance -= step;
    buffer = next;
  }
  return root;
}

/* `b` lies at `distance` from `a`; false if another distance is known, which is then *out_known. */
static bool join(struct settle *settle, uint32_t a, uint32_t b, int64_t distance, int64_t *out_known) {
  int64_t from_a;
  int64_t from_b;
  uint32_t root_a = find(settle, a, &from_a);
  uint32_t root_b = find(settle, b, &from_b);
  *out_known = from_b - from_a;
  if (root_a == root_b) {
    return *out_known == distance;
  }
  int64_t apart = from_a + distance - from_b; /* of root b from root a */
  if (settle->n_below[root_a] < settle->n_below[root_b]) {
    uint32_t other = root_a;
    root_a = root_b;
    root_b = other;
    apart = -apart;
  }
  settle->parent[root_b] = root_a;
  settle->shift[root_b] = apart;
  settle->n_below[root_a] += settle->n_below[root_b];
  settle->in_a_row[root_a] |= settle->in_a_row[root_b];
  return true;
}

static void plant(struct settle *settle) {
  for (uint32_t i = 0; i < settle->n; i++) {
    settle->parent[i] = i;
    settle->shift[i] = 0;
    settle->n_below[i] = 1;
    settle->in_a_row[i] = false;
  }
}

static uint32_t storage_of(struct settle *settle, uint32_t buffer) {
  while (settle->storage[buffer] != buffer) {
    settle->storage[buffer] = settle->storage[settle->storage[buffer]];
    buffer = settle->storage[buffer];
  }
  return buffer;
}

static void share(struct settle *settle, uint32_t a, uint32_t b) {
  a = storage_of(settle, a);
  b = storage_of(settle, b);
  settle->storage[a < b ? b : a] = a < b ? a : b;
}

/* ---- Who takes part ---- */

/* What is left to the dynamic arena lies nowhere. */
static enum berth_code check_places(struct settle *settle) {
  const struct berth_group_columns *groups = settle->groups;
  const struct berth_graph_columns *columns = &settle->problem->columns;
  const uint32_t *item = groups->items.items;
  for (size_t g = 0; settle->builder->form == BERTH_FORM_GRAPH && g < groups->specs.n; g++) {
    for (uint32_t k = 0; k < groups->specs.items[g].n_members; k++, item++) {
      if (columns->value_buffer.items[*item] != BERTH_NO_INDEX) {
        continue;
      }
      struct label label;
      struct berth_item value = {
          .kind = "value", .index = *item, .id = berth_names_get(&settle->problem->names, *item)};
      berth_builder_label(value, label.text, sizeof label.text);
      return berth_builder_blame(
          settle->builder, group_item(g), BERTH_REASON_BAD_GROUP, "members",
          "it names %s, which has no largest size and is left to the dynamic arena", label.text);
    }
  }
  return BERTH_OK;
}

/* ---- Which groups are one ---- */

static enum berth_code unite(struct settle *settle) {
  const uint32_t *item = settle->groups->items.items;
  for (size_t g = 0; g < settle->groups->specs.n; g++) {
    const struct berth_group_spec *spec = &settle->groups->specs.items[g];
    uint32_t first = BERTH_NO_INDEX;
    for (uint32_t k = 0; k < spec->n_members; k++) {
      uint32_t buffer = buffer_of(settle, *item++);
      int64_t known;
      if (first == BERTH_NO_INDEX || buffer == BERTH_NO_INDEX) {
        first = first == BERTH_NO_INDEX ? buffer : first;
        continue;
      }
      if (join(settle, first, buffer, 0, &known) && spec->kind == BERTH_GROUP_SHARED) {
        share(settle, first, buffer);
      }
      int64_t unused;
      settle->in_a_row[find(settle, first, &unused)] |= spec->kind == BERTH_GROUP_CONTIGUOUS;
    }
  }
  return BERTH_OK;
}

/* ---- Pools ---- */

struct pool_lists {
  BERTH_VEC(uint32_t) items;
  uint32_t *begin; /* of each root */
  uint32_t *n;     /* 0: every pool */
};

/* Scratch of one intersection. */
struct tally {
  uint32_t *n_lists;             /* of each pool: members that list it */
  uint64_t *places;              /* of each pool: the sum of its places in their lists */
  struct berth_sort_item *items; /* twice the number of pools */
};

struct pool_list {
  const uint32_t *items;
  uint32_t n;
};

static struct pool_list named_by(const struct settle *settle, uint32_t row) {
  const struct berth_rows *rows = settle->rows;
  if (rows->pool_begin.n == 0) {
    return (struct pool_list){.n = 0};
  }
  const uint32_t *begin = rows->pool_begin.items + row;
  return (struct pool_list){.items = rows->pools.items + begin[0], .n = begin[1] - begin[0]};
}

static bool persists(const struct settle *settle, uint32_t row) {
  return berth_class_persists(settle->rows->class_.items[row]);
}

/* Whether both may live in the same pools, in the same order. */
static bool live_alike(const struct settle *settle, uint32_t a, uint32_t b) {
  struct pool_list of_a = named_by(settle, a);
  struct pool_list of_b = named_by(settle, b);
  return persists(settle, a) == persists(settle, b) && of_a.n == of_b.n &&
         (of_a.n == 0 || memcmp(of_a.items, of_b.items, of_a.n * sizeof *of_a.items) == 0);
}

/* Enters where `count` members may live, of which `row` is one; false if that is everywhere, in order. Who
 * names no pool has no wish, unless `any_wish`. */
static bool
enter_list(struct settle *settle, uint32_t row, uint32_t count, bool any_wish, const struct tally *tally) {
  struct pool_list list = named_by(settle, row);
  bool wishes = any_wish || list.n != 0;
  if (settle->builder->has_choices) {
    berth_builder_list_choices(settle->builder, list.items, list.n, settle->rows->class_.items[row]);
    list.items = settle->builder->choice_list.items;
    list.n = (uint32_t)settle->builder->choice_list.n;
  }
  for (uint32_t i = 0; i < list.n; i++) {
    tally->n_lists[list.items[i]] += count;
    tally->places[list.items[i]] += wishes ? (uint64_t)i * count : 0;
  }
  return list.n != 0;
}

/* Members that list pools at all. */
static uint32_t
count_lists(struct settle *settle, const uint32_t *members, uint32_t n, const struct tally *tally) {
  size_t n_pools = settle->problem->pools.n;
  uint32_t n_listing = 0;
  bool any_named = false;
  for (uint32_t k = 0; k < n; k++) {
    any_named |= named_by(settle, members[k]).n != 0;
  }
  memset(tally->n_lists, 0, n_pools * sizeof *tally->n_lists);
  memset(tally->places, 0, n_pools * sizeof *tally->places);
  for (uint32_t k = 0, end; k < n; k = end) {
    end = k + 1;
    while (end < n && live_alike(settle, members[k], members[end])) {
      end++;
    }
    n_listing += enter_list(settle, members[k], end - k, !any_named, tally) ? end - k : 0;
  }
  return n_listing;
}

/* What a group asks of every pool that it may lie in. */
struct traits {
  bool in_a_row;
  bool is_mixed;      /* some persist, and some do not: no pool can keep them apart */
  uint64_t alignment; /* that a base address must promise */
};

static struct traits traits_of(struct settle *settle, uint32_t root, const uint32_t *members, uint32_t n) {
  struct traits traits = {.in_a_row = settle->in_a_row[root], .alignment = 1};
  for (uint32_t k = 0; k < n; k++) {
    uint64_t alignment = settle->rows->alignment.items[members[k]];
    traits.alignment = alignment > traits.alignment ? alignment : traits.alignment;
    traits.is_mixed |= persists(settle, members[k]) != persists(settle, members[0]);
  }
  return traits;
}

static bool suits(const struct berth_pool_spec *pool, const struct traits *traits) {
  return (pool->kind == BERTH_POOL_BYTES || !traits->in_a_row) &&
         (pool->base_alignment == 0 || pool->base_alignment >= traits->alignment) &&
         (pool->persistence == BERTH_PERSISTENCE_MIXED || !traits->is_mixed);
}

/* The pools that all members list and that suit the group; first those that stand first in most lists, by the
 * sum of their places. */
static enum berth_code intersect(
    struct settle *settle, const uint32_t *members, uint32_t n, const struct tally *tally,
    struct pool_lists *out) {
  const struct berth_problem *problem = settle->problem;
  uint32_t n_pools = (uint32_t)problem->pools.n;
  int64_t unused;
  uint32_t root = find(settle, members[0], &unused);
  struct traits traits = traits_of(settle, root, members, n);
  uint32_t n_listing = count_lists(settle, members, n, tally);
  if (!berth_vec_reserve(&settle->builder->allocator, &out->items, out->items.n + n_pools)) {
    return berth_fail_memory(&settle->builder->error);
  }
  uint32_t n_kept = 0;
  for (uint32_t pool = 0; pool < n_pools; pool++) {
    if (suits(&problem->pools.items[pool], &traits) && tally->n_lists[pool] == n_listing) {
      tally->items[n_kept++] = (struct berth_sort_item){.key = tally->places[pool], .index = pool};
    }
  }
  if (n_kept == 0) {
    return berth_builder_blame(
        settle->builder, berth_builder_item(settle->builder, members[n - 1]), BERTH_REASON_BAD_POOL, "pools",
        "no pool is left in which it may lie together with %s, which its group wants",
        label_of(settle, members[0]).text);
  }
  berth_sort_items(tally->items, tally->items + n_kept, n_kept);
  out->begin[root] = (uint32_t)out->items.n;
  bool every = n_kept == n_pools && !settle->builder->has_choices;
  for (uint32_t k = 0; k < n_kept; k++) {
    every &= tally->items[k].index == k;
    out->items.items[out->items.n++] = tally->items[k].index;
  }
  out->items.n -= every ? n_kept : 0;
  out->n[root] = every ? 0 : n_kept;
  return BERTH_OK;
}

/* What rows name themselves stays known. */
static void keep_stated(struct settle *settle) {
  struct berth_group_columns *groups = settle->groups;
  struct berth_rows *rows = settle->rows;
  groups->has_stated_pools = true;
  memcpy(&groups->stated_pool_begin, &rows->pool_begin, sizeof rows->pool_begin);
  memcpy(&groups->stated_pools, &rows->pools, sizeof rows->pools);
  memset(&rows->pool_begin, 0, sizeof rows->pool_begin);
  memset(&rows->pools, 0, sizeof rows->pools);
}

/* New lists for all rows. */
static enum berth_code write_pools(struct settle *settle, const struct pool_lists *lists) {
  const struct berth_allocator *allocator = &settle->builder->allocator;
  struct berth_rows *rows = settle->rows;
  const uint32_t *before = rows->pool_begin.n != 0 ? rows->pool_begin.items : NULL;
  uint64_t n_entries = 0;
  for (int pass = 0; pass < 2; pass++) {
    BERTH_VEC(uint32_t) begin = {0};
    BERTH_VEC(uint32_t) pools = {0};
    if (pass == 1 && (!berth_vec_reserve(allocator, &begin, (size_t)settle->n + 1) ||
                      !berth_vec_reserve(allocator, &pools, n_entries))) {
      berth_vec_finish(allocator, &begin);
      return berth_fail_memory(&settle->builder->error);
    }
    for (uint32_t i = 0; i < settle->n; i++) {
      int64_t unused;
      uint32_t root = find(settle, i, &unused);
      bool grouped = settle->n_below[root] > 1;
      const uint32_t *from = grouped          ? lists->items.items + lists->begin[root]
                             : before != NULL ? rows->pools.items + before[i]
                                              : NULL;
      uint32_t n = grouped ? lists->n[root] : before != NULL ? before[i + 1] - before[i] : 0;
      if (pass == 0) {
        n_entries += n;
        continue;
      }
      begin.items[i] = (uint32_t)pools.n;
      if (n != 0) {
        memcpy(pools.items + pools.n, from, n * sizeof *from);
      }
      pools.n += n;
    }
    if (n_entries == 0 && before == NULL) {
      return BERTH_OK;
    }
    if (n_entries > UINT32_MAX) {
      return berth_builder_limit(
          settle->builder, group_item(0), "members", "all lists of pools together pass 2^32 - 1 entries");
    }
    if (pass == 1) {
      begin.items[settle->n] = (uint32_t)pools.n;
      keep_stated(settle);
      if (pools.n == 0) {
        berth_vec_finish(allocator, &begin);
        berth_vec_finish(allocator, &pools);
        return BERTH_OK;
      }
      rows->pool_begin.items = begin.items;
      rows->pool_begin.n = (size_t)settle->n + 1;
      rows->pool_begin.capacity = begin.capacity;
      rows->pools.items = pools.items;
      rows->pools.n = pools.n;
      rows->pools.capacity = pools.capacity;
    }
  }
  return BERTH_OK;
}

/* Members of trees of more than one, tree by tree, in the order of the first of each; within one by `key`,
 * then by storage, then by index. The group of each is `groups->group`. */
static enum berth_code list_members(struct settle *settle) {
  struct berth_group_columns *groups = settle->groups;
  const struct berth_allocator *allocator = &settle->builder->allocator;
  struct berth_arena_mark mark = berth_arena_mark(&settle->arena);
  uint32_t *order = berth_arena_new(&settle->arena, uint32_t, settle->n);
  uint32_t *group_at = berth_arena_new(&settle->arena, uint32_t, settle->n); /* of each root */
  uint64_t *group_key = berth_arena_new(&settle->arena, uint64_t, settle->n);
  uint64_t *storage = berth_arena_new(&settle->arena, uint64_t, settle->n);
  if (order == NULL || group_at == NULL || group_key == NULL || storage == NULL ||
      !berth_vec_reserve(allocator, &groups->group, settle->n)) {
    return berth_fail_memory(&settle->builder->error);
  }
  uint32_t n_groups = 0;
  uint32_t n_members = 0;
  memset(group_at, 0xff, settle->n * sizeof *group_at);
  for (uint32_t i = 0; i < settle->n; i++) {
    int64_t unused;
    uint32_t root = find(settle, i, &unused);
    bool grouped = settle->n_below[root] > 1;
    if (grouped && group_at[root] == BERTH_NO_INDEX) {
      group_at[root] = n_groups++;
    }
    groups->group.items[i] = grouped ? group_at[root] : BERTH_NO_INDEX;
    group_key[i] = groups->group.items[i];
    storage[i] = storage_of(settle, i);
    if (grouped) {
      order[n_members++] = i;
    }
  }
  groups->group.n = settle->n;
  if (!berth_vec_reserve(allocator, &groups->begin, (size_t)n_groups + 1) ||
      !berth_vec_reserve(allocator, &groups->members, n_members) ||
      !berth_order_by_key(&settle->arena, n_members, storage, order) ||
      !berth_order_by_key(&settle->arena, n_members, settle->key, order) ||
      !berth_order_by_key(&settle->arena, n_members, group_key, order)) {
    return berth_fail_memory(&settle->builder->error);
  }
  groups->begin.n = 0;
  for (uint32_t k = 0; k < n_members; k++) {
    if (group_key[order[k]] == groups->begin.n) {
      groups->begin.items[groups->begin.n++] = k;
    }
    groups->members.items[k] = order[k];
  }
  groups->begin.items[groups->begin.n++] = n_members;
  groups->members.n = n_members;
  berth_arena_rewind(&settle->arena, mark);
  return BERTH_OK;
}

static uint32_t n_groups_of(const struct settle *settle) {
  return (uint32_t)settle->groups->begin.n - 1;
}

static enum berth_code settle_pools(struct settle *settle) {
  struct pool_lists lists = {
      .begin = berth_arena_new(&settle->arena, uint32_t, settle->n),
      .n = berth_arena_new(&settle->arena, uint32_t, settle->n)};
  size_t n_pools = settle->problem->pools.n;
  struct tally tally = {
      .n_lists = berth_arena_new(&settle->arena, uint32_t, n_pools),
      .places = berth_arena_new(&settle->arena, uint64_t, n_pools),
      .items = berth_arena_new(&settle->arena, struct berth_sort_item, 2 * n_pools)};
  if (lists.begin == NULL || lists.n == NULL || tally.n_lists == NULL || tally.places == NULL ||
      tally.items == NULL) {
    return berth_fail_memory(&settle->builder->error);
  }
  memset(settle->key, 0, settle->n * sizeof *settle->key);
  enum berth_code code = list_members(settle);
  const struct berth_group_columns *groups = settle->groups;
  for (uint32_t g = 0; code == BERTH_OK && g < n_groups_of(settle); g++) {
    uint32_t begin = groups->begin.items[g];
    code =
        intersect(settle, groups->members.items + begin, groups->begin.items[g + 1] - begin, &tally, &lists);
  }
  code = code != BERTH_OK ? code : write_pools(settle, &lists);
  berth_vec_finish(&settle->builder->allocator, &lists.items);
  return code;
}

/* ---- Distances ---- */

static uint64_t alignment_of(const struct settle *settle, uint32_t buffer) {
  const struct berth_rows *rows = settle->rows;
  const struct berth_pool_spec *pools = settle->problem->pools.items;
  uint32_t begin = rows->pool_begin.n != 0 ? rows->pool_begin.items[buffer] : 0;
  uint32_t n = rows->pool_begin.n != 0 ? rows->pool_begin.items[buffer + 1] - begin : 0;
  uint64_t alignment = rows->alignment.items[buffer];
  if (n == 0) {
    uint64_t of_pools = settle->builder->pool_alignment;
    return alignment > of_pools ? alignment : of_pools;
  }
  for (uint32_t i = 0; i < n; i++) {
    uint64_t of_pool = pools[rows->pools.items[begin + i]].alignment;
    alignment = alignment > of_pool ? alignment : of_pool;
  }
  return alignment;
}

/* The least and the most that the member's size can be within the ranges of symbols. */
static void
find_sizes(const struct settle *settle, uint32_t buffer, uint64_t *out_least, uint64_t *out_most) {
  const struct berth_symbol_columns *columns = &settle->problem->symbols;
  bool graph = settle->builder->form == BERTH_FORM_GRAPH;
  uint32_t item = graph ? settle->problem->columns.buffer_item.items[buffer] : buffer;
  const struct berth_sized *sized =
      columns->expressions.n != 0 ? berth_problem_sized(settle->problem, BERTH_SIZED_SIZE, item) : NULL;
  *out_least = *out_most = settle->rows->size.items[buffer];
  if (sized != NULL) {
    struct berth_shape shape = {
        .dimensions = sized->n != 0 ? columns->dimensions.items + sized->begin : NULL,
        .n_dimensions = sized->n,
        .element_bits = sized->element_bits};
    uint32_t unused;
    struct berth_extent bytes = berth_extent_of_shape(&shape, settle->builder->symbols.bound.items, &unused);
    *out_least = bytes.lower;
    *out_most = bytes.upper;
  }
}

/* Where the member after `last` at `at` begins in a contiguous group: the same for all bindings. */
static enum berth_code
step(struct settle *settle, size_t group, uint64_t at, uint32_t last, uint32_t buffer, uint64_t *out_at) {
  uint64_t alignment = alignment_of(settle, buffer);
  uint64_t least;
  uint64_t most;
  uint64_t end;
  uint64_t before = at;
  find_sizes(settle, last, &least, &most);
  if (!berth_add_u64(at, most, &end) || !berth_round_up_u64(end, alignment, out_at) ||
      !berth_add_u64(settle->sum_bytes, *out_at - at, &settle->sum_bytes) ||
      settle->sum_bytes > MAX_BYTES / 2) {
    return berth_builder_blame(
        settle->builder, group_item(group), BERTH_REASON_SIZE_OVERFLOW, "members",
        "with it all groups together are longer than 2^62 bytes");
  }
  if (!berth_round_up_u64(at + least, alignment, &before) || before != *out_at) {
    return berth_builder_blame(
        settle->builder, group_item(group), BERTH_REASON_BAD_GROUP, "members",
        "where %s begins depends on symbols: %llu to %llu bytes after the first; give the symbols of %s "
        "numbers",
        label_of(settle, buffer).text, (unsigned long long)before, (unsigned long long)*out_at,
        label_of(settle, last).text);
  }
  return BERTH_OK;
}

static enum berth_code
blame_distance(struct settle *settle, size_t group, uint32_t a, uint32_t b, int64_t wanted, int64_t known) {
  return berth_builder_blame(
      settle->builder, group_item(group), BERTH_REASON_BAD_GROUP, "members",
      "it wants %s %lld bytes after %s, and earlier groups want %lld", label_of(settle, b).text,
      (long long)wanted, label_of(settle, a).text, (long long)known);
}

static enum berth_code measure(struct settle *settle) {
  const uint32_t *item = settle->groups->items.items;
  for (size_t g = 0; g < settle->groups->specs.n; g++) {
    const struct berth_group_spec *spec = &settle->groups->specs.items[g];
    uint32_t first = BERTH_NO_INDEX;
    uint32_t last = BERTH_NO_INDEX;
    uint64_t at = 0;
    for (uint32_t k = 0; k < spec->n_members; k++) {
      uint32_t buffer = buffer_of(settle, *item++);
      if (buffer == BERTH_NO_INDEX) {
        continue;
      }
      enum berth_code code = BERTH_OK;
      if (first == BERTH_NO_INDEX) {
        first = buffer;
      } else if (spec->kind == BERTH_GROUP_CONTIGUOUS) {
        code = step(settle, g, at, last, buffer, &at);
      }
      int64_t known = 0;
      if (code == BERTH_OK && buffer != first && !join(settle, first, buffer, (int64_t)at, &known)) {
        code = blame_distance(settle, g, first, buffer, (int64_t)at, known);
      }
      if (code != BERTH_OK) {
        return code;
      }
      last = buffer;
    }
  }
  return BERTH_OK;
}

/* ---- The base ---- */

/* The strictest member says where the base lies; all others must agree. Distances from the lowest member
 * become distances from the base. */
static enum berth_code align(struct settle *settle, uint32_t group) {
  struct berth_group_columns *groups = settle->groups;
  const uint32_t *members = groups->members.items + groups->begin.items[group];
  uint32_t n = groups->begin.items[group + 1] - groups->begin.items[group];
  uint64_t *distance = groups->distance.items;
  uint32_t strictest = members[0];
  uint64_t alignment = 1;
  for (uint32_t k = 0; k < n; k++) {
    uint64_t of_member = alignment_of(settle, members[k]);
    strictest = of_member > alignment ? members[k] : strictest;
    alignment = of_member > alignment ? of_member : alignment;
  }
  uint64_t phase = (alignment - (distance[strictest] & (alignment - 1))) & (alignment - 1);
  uint64_t span = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t member = members[k];
    distance[member] += phase;
    uint64_t of_member = alignment_of(settle, member);
    if ((distance[member] & (of_member - 1)) != 0) {
      return berth_builder_blame(
          settle->builder, berth_builder_item(settle->builder, member), BERTH_REASON_BAD_GROUP, "alignment",
          "its groups put it %lld bytes from %s, where one of the alignments %llu and %llu is broken",
          (long long)(distance[member] - distance[strictest]), label_of(settle, strictest).text,
          (unsigned long long)of_member, (unsigned long long)alignment);
    }
    uint64_t end = distance[member] + settle->rows->size.items[member];
    span = end > span ? end : span;
  }
  uint64_t sum;
  uint64_t padded;
  if (!berth_round_up_u64(span, alignment, &padded) ||
      !berth_add_u64(settle->builder->padded_bytes, padded, &sum) || sum > MAX_BYTES ||
      sum + settle->builder->pin_end > MAX_BYTES) {
    return berth_builder_blame(
        settle->builder, berth_builder_item(settle->builder, members[0]), BERTH_REASON_SIZE_OVERFLOW, "size",
        "with the %llu bytes of its group the sum of sizes (above the highest pin) passes 2^63",
        (unsigned long long)span);
  }
  settle->builder->padded_bytes = sum;
  groups->alignment.items[groups->alignment.n++] = alignment;
  groups->span.items[groups->span.n++] = span;
  return BERTH_OK;
}

/* ---- Pins ---- */

/* Some pool must take the whole group there. */
static bool pin_suits(const struct settle *settle, uint32_t group, uint64_t base) {
  const struct berth_group_columns *groups = settle->groups;
  const struct berth_rows *rows = settle->rows;
  uint32_t first = groups->members.items[groups->begin.items[group]];
  uint32_t begin = rows->pool_begin.n != 0 ? rows->pool_begin.items[first] : 0;
  uint32_t n = rows->pool_begin.n != 0 ? rows->pool_begin.items[first + 1] - begin : 0;
  bool every = n == 0;
  n = every ? (uint32_t)settle->problem->pools.n : n;
  for (uint32_t i = 0; i < n; i++) {
    const struct berth_pool_spec *pool =
        &settle->problem->pools.items[every ? i : rows->pools.items[begin + i]];
    if (base + groups->span.items[group] <= pool->capacity_bytes &&
        pool->persistence != BERTH_PERSISTENCE_FRONT) {
      return true;
    }
  }
  return false;
}

static enum berth_code blame_pin(struct settle *settle, uint32_t member, const char *why, uint32_t other) {
  uint64_t pin = settle->rows->pin.items[member];
  uint64_t here = settle->groups->distance.items[member];
  uint64_t there = settle->groups->distance.items[other];
  return berth_builder_blame(
      settle->builder, berth_builder_item(settle->builder, member), BERTH_REASON_BAD_PIN, "offset",
      "pinned at %llu, it %s %s, %llu bytes from it", (unsigned long long)pin, why,
      label_of(settle, other).text, (unsigned long long)(there > here ? there - here : here - there));
}

static enum berth_code pin(struct settle *settle, uint32_t group) {
  struct berth_group_columns *groups = settle->groups;
  struct berth_rows *rows = settle->rows;
  const uint32_t *members = groups->members.items + groups->begin.items[group];
  uint32_t n = groups->begin.items[group + 1] - groups->begin.items[group];
  uint32_t pinned = BERTH_NO_INDEX;
  uint64_t base = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t member = members[k];
    uint64_t offset = rows->pin.items[member];
    uint64_t distance = groups->distance.items[member];
    if (offset == BERTH_UNPINNED) {
      continue;
    }
    if (offset < distance || ((offset - distance) & (groups->alignment.items[group] - 1)) != 0) {
      return blame_pin(
          settle, member, offset < distance ? "leaves no room for" : "breaks the alignment of",
          members[k > 0 ? 0 : n - 1]);
    }
    if (pinned != BERTH_NO_INDEX && offset - distance != base) {
      return blame_pin(settle, member, "contradicts the pin of", pinned);
    }
    pinned = member;
    base = offset - distance;
  }
  if (pinned == BERTH_NO_INDEX) {
    return BERTH_OK;
  }
  uint64_t end = base + groups->span.items[group];
  if (end + settle->builder->padded_bytes > MAX_BYTES || !pin_suits(settle, group, base)) {
    return blame_pin(settle, pinned, "takes every pool's capacity from", members[n - 1]);
  }
  settle->builder->pin_end = end > settle->builder->pin_end ? end : settle->builder->pin_end;
  for (uint32_t k = 0; k < n; k++) {
    rows->pin.items[members[k]] = base + groups->distance.items[members[k]];
  }
  return BERTH_OK;
}

/* ---- All of it ---- */

/* Distances from the lowest member of each group; the members in their order. */
static enum berth_code spread(struct settle *settle) {
  struct berth_group_columns *groups = settle->groups;
  const struct berth_allocator *allocator = &settle->builder->allocator;
  int64_t *least = berth_arena_new_zeroed(&settle->arena, int64_t, settle->n); /* of each root */
  if (least == NULL || !berth_vec_reserve(allocator, &groups->distance, settle->n) ||
      !berth_vec_reserve(allocator, &groups->storage, settle->n) ||
      !berth_vec_reserve(allocator, &groups->alignment, n_groups_of(settle)) ||
      !berth_vec_reserve(allocator, &groups->span, n_groups_of(settle))) {
    return berth_fail_memory(&settle->builder->error);
  }
  for (uint32_t i = 0; i < settle->n; i++) {
    int64_t distance;
    uint32_t root = find(settle, i, &distance);
    least[root] = distance < least[root] ? distance : least[root];
  }
  for (uint32_t i = 0; i < settle->n; i++) {
    int64_t distance;
    uint32_t root = find(settle, i, &distance);
    settle->key[i] = groups->distance.items[i] = (uint64_t)(distance - least[root]);
    groups->storage.items[i] = storage_of(settle, i);
  }
  groups->distance.n = groups->storage.n = settle->n;
  return list_members(settle);
}

static enum berth_code settle_places(struct settle *settle) {
  enum berth_code code = spread(settle);
  for (uint32_t g = 0; code == BERTH_OK && g < n_groups_of(settle); g++) {
    code = align(settle, g);
  }
  struct berth_rows *rows = settle->rows;
  bool pinned = rows->pin.n != 0;
  if (code == BERTH_OK && pinned && !berth_vec_reserve(&settle->builder->allocator, &rows->pin, settle->n)) {
    return berth_fail_memory(&settle->builder->error);
  }
  while (pinned && rows->pin.n < settle->n) {
    rows->pin.items[rows->pin.n++] = BERTH_UNPINNED;
  }
  for (uint32_t g = 0; code == BERTH_OK && pinned && g < n_groups_of(settle); g++) {
    code = pin(settle, g);
  }
  return code;
}

static enum berth_code run(struct settle *settle) {
  struct berth_arena *arena = &settle->arena;
  settle->parent = berth_arena_new(arena, uint32_t, settle->n);
  settle->shift = berth_arena_new(arena, int64_t, settle->n);
  settle->n_below = berth_arena_new(arena, uint32_t, settle->n);
  settle->in_a_row = berth_arena_new(arena, bool, settle->n);
  settle->storage = berth_arena_new(arena, uint32_t, settle->n);
  settle->key = berth_arena_new(arena, uint64_t, settle->n);
  if (settle->parent == NULL || settle->shift == NULL || settle->n_below == NULL ||
      settle->in_a_row == NULL || settle->storage == NULL || settle->key == NULL) {
    return berth_fail_memory(&settle->builder->error);
  }
  berth_order_identity(settle->n, settle->storage);
  enum berth_code code = check_places(settle);
  plant(settle);
  code = code != BERTH_OK ? code : unite(settle);
  code = code != BERTH_OK ? code : settle_pools(settle);
  if (code == BERTH_OK) {
    plant(settle);
    code = measure(settle);
  }
  code = code != BERTH_OK ? code : settle_places(settle);
  return code != BERTH_OK ? code : berth_builder_check_groups(settle->builder);
}

enum berth_code berth_builder_settle_groups(struct berth_problem_builder *builder) {
  struct berth_problem *problem = builder->problem;
  if (problem->groups.specs.n == 0) {
    return BERTH_OK;
  }
  struct settle settle = {
      .builder = builder,
      .problem = problem,
      .rows = &problem->rows,
      .groups = &problem->groups,
      .n = (uint32_t)problem->rows.size.n};
  berth_arena_init(&settle.arena, &builder->allocator);
  enum berth_code code = run(&settle);
  berth_arena_finish(&settle.arena);
  return code;
}
