/* From groups to distances. Groups with a member in common are one: a forest of members (Galler and Fischer
 * 1964), each with its distance from its parent, finds them and where they contradict each other. Then each
 * has one list of pools, one alignment of its base, and one pin. */
#include <string.h>

#include "base/order.h"
#include "problem/groups_settle.h"

uint32_t berth_settle_buffer(const struct berth_settle *settle, uint32_t item) {
  uint32_t buffer =
      settle->builder->form == BERTH_FORM_GRAPH ? settle->problem->columns.value_buffer.items[item] : item;
  return settle->rows->size.items[buffer] != 0 ? buffer : BERTH_NO_INDEX;
}

/* ---- Trees ---- */

uint32_t berth_settle_find(struct berth_settle *settle, uint32_t buffer, int64_t *out_distance) {
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

bool berth_settle_join(
    struct berth_settle *settle, uint32_t a, uint32_t b, int64_t distance, int64_t *out_known) {
  int64_t from_a;
  int64_t from_b;
  uint32_t root_a = berth_settle_find(settle, a, &from_a);
  uint32_t root_b = berth_settle_find(settle, b, &from_b);
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

static void plant(struct berth_settle *settle) {
  for (uint32_t i = 0; i < settle->n; i++) {
    settle->parent[i] = i;
    settle->shift[i] = 0;
    settle->n_below[i] = 1;
    settle->in_a_row[i] = false;
  }
}

uint32_t berth_settle_storage(struct berth_settle *settle, uint32_t buffer) {
  while (settle->storage[buffer] != buffer) {
    settle->storage[buffer] = settle->storage[settle->storage[buffer]];
    buffer = settle->storage[buffer];
  }
  return buffer;
}

static void share(struct berth_settle *settle, uint32_t a, uint32_t b) {
  a = berth_settle_storage(settle, a);
  b = berth_settle_storage(settle, b);
  settle->storage[a < b ? b : a] = a < b ? a : b;
}

/* ---- Who takes part ---- */

/* What is left to the dynamic arena lies nowhere. */
static enum berth_code check_places(struct berth_settle *settle) {
  const struct berth_group_columns *groups = settle->groups;
  const struct berth_graph_columns *columns = &settle->problem->columns;
  const uint32_t *item = groups->items.items;
  for (size_t g = 0; settle->builder->form == BERTH_FORM_GRAPH && g < groups->specs.n; g++) {
    for (uint32_t k = 0; k < groups->specs.items[g].n_members; k++, item++) {
      if (columns->value_buffer.items[*item] != BERTH_NO_INDEX) {
        continue;
      }
      struct berth_settle_label label;
      struct berth_item value = {
          .kind = "value", .index = *item, .id = berth_names_get(&settle->problem->names, *item)};
      berth_builder_label(value, label.text, sizeof label.text);
      return berth_builder_blame(
          settle->builder, berth_settle_item(g), BERTH_REASON_BAD_GROUP, "members",
          "it names %s, which has no largest size and is left to the dynamic arena", label.text);
    }
  }
  return BERTH_OK;
}

/* ---- Which groups are one ---- */

static enum berth_code unite(struct berth_settle *settle) {
  const uint32_t *item = settle->groups->items.items;
  for (size_t g = 0; g < settle->groups->specs.n; g++) {
    const struct berth_group_spec *spec = &settle->groups->specs.items[g];
    uint32_t first = BERTH_NO_INDEX;
    for (uint32_t k = 0; k < spec->n_members; k++) {
      uint32_t buffer = berth_settle_buffer(settle, *item++);
      int64_t known;
      if (first == BERTH_NO_INDEX || buffer == BERTH_NO_INDEX) {
        first = first == BERTH_NO_INDEX ? buffer : first;
        continue;
      }
      if (berth_settle_join(settle, first, buffer, 0, &known) && spec->kind == BERTH_GROUP_SHARED) {
        share(settle, first, buffer);
      }
      int64_t unused;
      settle->in_a_row[berth_settle_find(settle, first, &unused)] |= spec->kind == BERTH_GROUP_CONTIGUOUS;
    }
  }
  return BERTH_OK;
}

/* ---- Members ---- */

enum berth_code berth_settle_list_members(struct berth_settle *settle) {
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
    uint32_t root = berth_settle_find(settle, i, &unused);
    bool grouped = settle->n_below[root] > 1;
    if (grouped && group_at[root] == BERTH_NO_INDEX) {
      group_at[root] = n_groups++;
    }
    groups->group.items[i] = grouped ? group_at[root] : BERTH_NO_INDEX;
    group_key[i] = groups->group.items[i];
    storage[i] = berth_settle_storage(settle, i);
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

/* ---- All of it ---- */

static enum berth_code run(struct berth_settle *settle) {
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
  code = code != BERTH_OK ? code : berth_settle_pools(settle);
  if (code == BERTH_OK) {
    plant(settle);
    code = berth_settle_distances(settle);
  }
  code = code != BERTH_OK ? code : berth_settle_places(settle);
  return code != BERTH_OK ? code : berth_builder_check_groups(settle->builder);
}

enum berth_code berth_builder_settle_groups(struct berth_problem_builder *builder) {
  struct berth_problem *problem = builder->problem;
  if (problem->groups.specs.n == 0) {
    return BERTH_OK;
  }
  struct berth_settle settle = {
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
