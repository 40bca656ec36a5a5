/* Pools of groups: those that every member may live in and that suit all of it. */
#include <string.h>

#include "base/sort.h"
#include "problem/groups_settle.h"

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

static struct pool_list named_by(const struct berth_settle *settle, uint32_t row) {
  const struct berth_rows *rows = settle->rows;
  if (rows->pool_begin.n == 0) {
    return (struct pool_list){.n = 0};
  }
  const uint32_t *begin = rows->pool_begin.items + row;
  return (struct pool_list){.items = rows->pools.items + begin[0], .n = begin[1] - begin[0]};
}

static bool persists(const struct berth_settle *settle, uint32_t row) {
  return berth_class_persists(settle->rows->class_.items[row]);
}

/* Whether both may live in the same pools, in the same order. */
static bool live_alike(const struct berth_settle *settle, uint32_t a, uint32_t b) {
  struct pool_list of_a = named_by(settle, a);
  struct pool_list of_b = named_by(settle, b);
  return persists(settle, a) == persists(settle, b) && of_a.n == of_b.n &&
         (of_a.n == 0 || memcmp(of_a.items, of_b.items, of_a.n * sizeof *of_a.items) == 0);
}

/* Enters where `count` members may live, of which `row` is one; false if that is everywhere, in order. Who
 * names no pool has no wish, unless `any_wish`. */
static bool enter_list(
    struct berth_settle *settle, uint32_t row, uint32_t count, bool any_wish, const struct tally *tally) {
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
count_lists(struct berth_settle *settle, const uint32_t *members, uint32_t n, const struct tally *tally) {
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

static struct traits
traits_of(struct berth_settle *settle, uint32_t root, const uint32_t *members, uint32_t n) {
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
    struct berth_settle *settle, const uint32_t *members, uint32_t n, const struct tally *tally,
    struct pool_lists *out) {
  const struct berth_problem *problem = settle->problem;
  uint32_t n_pools = (uint32_t)problem->pools.n;
  int64_t unused;
  uint32_t root = berth_settle_find(settle, members[0], &unused);
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
        berth_settle_label_of(settle, members[0]).text);
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
static void keep_stated(struct berth_settle *settle) {
  struct berth_group_columns *groups = settle->groups;
  struct berth_rows *rows = settle->rows;
  groups->has_stated_pools = true;
  memcpy(&groups->stated_pool_begin, &rows->pool_begin, sizeof rows->pool_begin);
  memcpy(&groups->stated_pools, &rows->pools, sizeof rows->pools);
  memset(&rows->pool_begin, 0, sizeof rows->pool_begin);
  memset(&rows->pools, 0, sizeof rows->pools);
}

/* New lists for all rows. */
static enum berth_code write_pools(struct berth_settle *settle, const struct pool_lists *lists) {
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
      uint32_t root = berth_settle_find(settle, i, &unused);
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
          settle->builder, berth_settle_item(0), "members",
          "all lists of pools together pass 2^32 - 1 entries");
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

enum berth_code berth_settle_pools(struct berth_settle *settle) {
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
  enum berth_code code = berth_settle_list_members(settle);
  const struct berth_group_columns *groups = settle->groups;
  for (uint32_t g = 0; code == BERTH_OK && g < berth_settle_n_groups(settle); g++) {
    uint32_t begin = groups->begin.items[g];
    code =
        intersect(settle, groups->members.items + begin, groups->begin.items[g + 1] - begin, &tally, &lists);
  }
  code = code != BERTH_OK ? code : write_pools(settle, &lists);
  berth_vec_finish(&settle->builder->allocator, &lists.items);
  return code;
}
