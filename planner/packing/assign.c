#include "packing/assign.h"

#include "base/checked.h"
#include "base/effort.h"
#include "base/order.h"
#include "packing/board.h"
#include "packing/placement.h"

/* The buffer's own list; NULL if that is every pool, in order. */
static const uint32_t *
choices_of(const struct berth_assignment *assignment, uint32_t buffer, uint32_t *out_n) {
  const struct berth_buffers *buffers = assignment->buffers;
  const uint32_t *begin = buffers->choice_begin != NULL ? buffers->choice_begin : buffers->pool_begin;
  const uint32_t *pools = buffers->choice_begin != NULL ? buffers->choices : buffers->pools;
  uint32_t n = begin != NULL ? begin[buffer + 1] - begin[buffer] : 0;
  *out_n = n > 0 ? n : assignment->n_pools;
  return n > 0 ? pools + begin[buffer] : NULL;
}

static uint32_t n_choices(const struct berth_assignment *assignment, uint32_t buffer) {
  uint32_t n;
  choices_of(assignment, buffer, &n);
  return n;
}

static uint32_t pool_at(const struct berth_assignment *assignment, uint32_t buffer, uint32_t choice) {
  uint32_t n;
  const uint32_t *choices = choices_of(assignment, buffer, &n);
  return choices != NULL ? choices[choice] : choice;
}

uint64_t berth_assign_cost(const struct berth_assignment *assignment, uint32_t buffer, uint32_t choice) {
  uint64_t step = choice;
  if (assignment->has_costs) {
    uint64_t first = assignment->pools[pool_at(assignment, buffer, 0)].cost_per_byte;
    uint64_t most = first;
    for (uint32_t k = 1; k <= choice; k++) {
      uint64_t cost = assignment->pools[pool_at(assignment, buffer, k)].cost_per_byte;
      most = cost > most ? cost : most;
    }
    step = most - first;
  }
  const uint32_t *accesses = assignment->buffers->accesses;
  return berth_mul_sat_u64(
      assignment->buffers->size_bytes[buffer], step * (accesses != NULL ? accesses[buffer] : 1));
}

uint32_t berth_assign_leader(const struct berth_assignment *assignment, uint32_t buffer) {
  const struct berth_rigid *rigid = &assignment->buffers->rigid;
  uint32_t group = rigid->n != 0 ? rigid->group[buffer] : BERTH_NO_INDEX;
  return group != BERTH_NO_INDEX ? rigid->members[rigid->begin[group]] : buffer;
}

uint64_t berth_assign_total_cost(const struct berth_assignment *assignment) {
  uint64_t sum = 0;
  if (assignment->n_pools == 1) { /* nobody spills */
    return 0;
  }
  for (uint32_t i = 0; i < assignment->buffers->n; i++) {
    sum = berth_add_sat_u64(
        sum, berth_assign_cost(assignment, i, assignment->choice[berth_assign_leader(assignment, i)]));
  }
  return sum;
}

static bool can_hold_group(const struct berth_assignment *assignment, uint32_t group, uint32_t pool) {
  const struct berth_packing_pool *it = &assignment->pools[pool];
  const struct berth_buffers *buffers = assignment->buffers;
  const struct berth_rigid *rigid = &buffers->rigid;
  uint32_t first = rigid->members[rigid->begin[group]];
  uint64_t base = 0;
  bool pinned = buffers->pinned_offset != NULL && buffers->pinned_offset[first] != BERTH_UNPINNED;
  if (pinned) {
    base = buffers->pinned_offset[first] - rigid->distance[first];
  }
  bool fits = base + rigid->span_bytes[group] <= it->capacity;
  fits = fits && !(pinned && it->persistence == BERTH_PERSISTENCE_FRONT);
  for (uint32_t m = rigid->begin[group]; fits && m < rigid->begin[group + 1]; m++) {
    uint32_t member = rigid->members[m];
    fits = buffers->size_bytes[member] <= it->max_block &&
           (it->base_alignment == 0 || it->base_alignment >= buffers->alignment[member]);
  }
  return fits;
}

static bool can_hold(const struct berth_assignment *assignment, uint32_t buffer, uint32_t pool) {
  const struct berth_packing_pool *it = &assignment->pools[pool];
  const struct berth_rigid *rigid = &assignment->buffers->rigid;
  if (rigid->n != 0 && rigid->group[buffer] != BERTH_NO_INDEX) {
    return can_hold_group(assignment, rigid->group[buffer], pool);
  }
  uint64_t size = assignment->buffers->size_bytes[buffer];
  uint64_t pin = assignment->buffers->pinned_offset != NULL ? assignment->buffers->pinned_offset[buffer]
                                                            : BERTH_UNPINNED;
  uint64_t capacity = size == 0 && it->stated_capacity != 0 ? it->stated_capacity : it->capacity;
  if (size > it->max_block || size > capacity ||
      (it->base_alignment != 0 && it->base_alignment < assignment->buffers->alignment[buffer])) {
    return false;
  }
  if (pin != BERTH_UNPINNED && it->persistence == BERTH_PERSISTENCE_FRONT) {
    return false;
  }
  return pin == BERTH_UNPINNED || (pin <= capacity - size && (pin & (it->alignment - 1)) == 0);
}

/* The first choice from `from` on that can hold the buffer, or the number of choices. */
static uint32_t find_choice(const struct berth_assignment *assignment, uint32_t buffer, uint32_t from) {
  uint32_t n = n_choices(assignment, buffer);
  while (from < n && !can_hold(assignment, buffer, pool_at(assignment, buffer, from))) {
    from++;
  }
  return from;
}

bool berth_assign_first(
    struct berth_assignment *assignment, const uint32_t *order, struct berth_effort *effort,
    uint32_t *out_homeless) {
  *out_homeless = BERTH_NO_INDEX;
  for (uint32_t k = 0; k < assignment->buffers->n; k++) {
    uint32_t buffer = order[k];
    if (!berth_effort_poll_at(effort, k)) {
      return false;
    }
    if (berth_assign_leader(assignment, buffer) != buffer) {
      continue;
    }
    uint32_t choice = find_choice(assignment, buffer, 0);
    if (choice == n_choices(assignment, buffer)) {
      choice = 0;
      if (*out_homeless == BERTH_NO_INDEX) {
        *out_homeless = buffer;
      }
    }
    assignment->choice[buffer] = choice;
  }
  assignment->cost_bound = berth_assign_total_cost(assignment);
  return true;
}

uint32_t berth_assigned_pool(const struct berth_assignment *assignment, uint32_t buffer) {
  return pool_at(assignment, buffer, assignment->choice[berth_assign_leader(assignment, buffer)]);
}

bool berth_assign_is_bound(const struct berth_assignment *assignment, uint32_t buffer) {
  uint32_t n = n_choices(assignment, buffer);
  uint32_t first = find_choice(assignment, buffer, 0);
  return first == n || find_choice(assignment, buffer, first + 1) == n;
}

bool berth_may_be_in(const struct berth_assignment *assignment, uint32_t buffer, uint32_t pool) {
  for (uint32_t choice = 0; choice < n_choices(assignment, buffer); choice++) {
    if (pool_at(assignment, buffer, choice) == pool) {
      return true;
    }
  }
  return false;
}

bool berth_assign_to(struct berth_assignment *assignment, uint32_t buffer, uint32_t pool) {
  for (uint32_t choice = 0; choice < n_choices(assignment, buffer); choice++) {
    if (pool_at(assignment, buffer, choice) == pool) {
      assignment->choice[buffer] = choice;
      return true;
    }
  }
  return false;
}

bool berth_assign_suits(const struct berth_assignment *assignment, uint32_t buffer) {
  return can_hold(assignment, buffer, berth_assigned_pool(assignment, buffer));
}

void berth_assign_to_first(struct berth_assignment *assignment, uint32_t buffer) {
  assignment->choice[buffer] = find_choice(assignment, buffer, 0);
}

bool berth_assign_next(struct berth_assignment *assignment, uint32_t buffer, bool move) {
  buffer = berth_assign_leader(assignment, buffer);
  uint32_t choice = find_choice(assignment, buffer, assignment->choice[buffer] + 1);
  bool is_fixed = assignment->fixed != NULL && assignment->fixed[buffer];
  if (is_fixed || choice == n_choices(assignment, buffer)) {
    return false;
  }
  if (move) {
    assignment->choice[buffer] = choice;
    assignment->spilled = true;
  }
  return true;
}

bool berth_assign_members(
    struct berth_assignment *assignment, const uint32_t *order, struct berth_arena *arena) {
  const struct berth_buffers *buffers = assignment->buffers;
  for (uint32_t p = 0; p < assignment->n_pools; p++) {
    assignment->pools[p].n_members = 0;
  }
  for (uint32_t i = 0; i < buffers->n; i++) {
    if (!berth_effort_poll_at(arena->effort, i)) {
      return false;
    }
    assignment->pools[berth_assigned_pool(assignment, i)].n_members += buffers->size_bytes[i] > 0;
  }
  for (uint32_t p = 0; p < assignment->n_pools; p++) {
    struct berth_packing_pool *pool = &assignment->pools[p];
    pool->members = berth_arena_new(arena, uint32_t, pool->n_members);
    pool->offset = berth_arena_new(arena, uint64_t, pool->n_members);
    if (pool->members == NULL || pool->offset == NULL) {
      return false;
    }
    pool->n_members = 0;
  }
  for (uint32_t k = 0; k < buffers->n; k++) {
    if (!berth_effort_poll_at(arena->effort, k)) {
      return false;
    }
    struct berth_packing_pool *pool = &assignment->pools[berth_assigned_pool(assignment, order[k])];
    if (buffers->size_bytes[order[k]] > 0) {
      pool->members[pool->n_members++] = order[k];
    }
  }
  return true;
}

void berth_assign_recall(struct berth_assignment *assignment, uint32_t pool_index) {
  struct berth_packing_pool *pool = &assignment->pools[pool_index];
  const struct berth_rigid *rigid = &assignment->buffers->rigid;
  uint64_t end = 0;
  for (uint32_t k = 0; k < pool->n_members; k++) {
    uint32_t buffer = pool->members[k];
    uint64_t offset = assignment->known_offset != NULL ? assignment->known_offset[buffer] : BERTH_NO_PLACE;
    if (offset == BERTH_NO_PLACE) {
      return;
    }
    uint64_t own_end = offset + assignment->buffers->size_bytes[buffer];
    uint32_t item = pool->item_of != NULL ? pool->item_of[k] : k;
    pool->offset[item] = pool->item_of != NULL ? offset - rigid->distance[buffer] : offset;
    end = own_end > end ? own_end : end;
  }
  pool->arena_bytes = end;
}

/* Places in the order given what fits, and moves on what does not and can. */
static bool place_or_move(
    struct berth_assignment *assignment, const struct berth_packing_pool *pool, const uint32_t *order,
    struct berth_board *board, struct berth_effort *effort, uint32_t *out_moved) {
  const struct berth_packing_instance *instance = board->instance;
  for (uint32_t k = 0; k < instance->n_buffers; k++) {
    uint32_t i = order[k];
    uint64_t before = board->n_visited;
    bool pinned = berth_packing_is_pinned(instance, i);
    uint64_t limit = pool->capacity - instance->size[i];
    uint64_t offset = BERTH_NO_PLACE;
    if (!pinned) {
      offset = berth_board_find(board, i, BERTH_BOARD_LOWEST, limit);
    } else if (instance->pins_may_meet || berth_board_is_free(board, i, instance->pin[i])) {
      offset = instance->pin[i];
    }
    if (offset == BERTH_NO_PLACE) {
      *out_moved += berth_assign_next(assignment, pool->lead[i], true);
    } else if (!berth_board_place(board, i, offset)) {
      return false;
    }
    if (!berth_effort_spend(effort, board->n_visited - before)) {
      return true;
    }
  }
  return true;
}

enum berth_code berth_assign_spill(
    struct berth_assignment *assignment, uint32_t pool_index, struct berth_arena *arena,
    struct berth_effort *effort, uint32_t *out_moved) {
  static const enum berth_placement_key BY_LOAD[] = {
      BERTH_PLACEMENT_LOAD, BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_END};
  const struct berth_packing_pool *pool = &assignment->pools[pool_index];
  const struct berth_packing_instance *instance = &pool->instance;
  uint32_t n = instance->n_buffers;
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct berth_pairs pairs;
  struct berth_board board;
  uint32_t *order = berth_arena_new(arena, uint32_t, n);
  uint64_t *rank = berth_arena_new(arena, uint64_t, n);
  bool ok = order != NULL && rank != NULL &&
            berth_pairs_init(&pairs, arena, n, instance->n_conflicts, instance->conflicts) &&
            berth_board_init(&board, instance, &pairs, arena) &&
            berth_placement_order(instance, BY_LOAD, arena, order);
  for (uint32_t i = 0; ok && i < n; i++) { /* pinned, then bound to this pool, then free to move */
    bool pinned = berth_packing_is_pinned(instance, i);
    rank[i] = pinned ? 0 : 1 + berth_assign_next(assignment, pool->lead[i], false);
  }
  *out_moved = 0;
  ok = ok && berth_order_by_key(arena, n, rank, order) &&
       place_or_move(assignment, pool, order, &board, effort, out_moved);
  berth_arena_rewind(arena, mark);
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}
