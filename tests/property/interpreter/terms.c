/* Pools, groups and symbols of a toy: made at random, told to the builder, and asked of places. */
#include <string.h>

#include "suite.h"
#include "toy.h"

static const char *const POOL_NAMES[TOY_MAX_POOLS] = {"a", "b"};
static const uint32_t POOLS[TOY_MAX_POOLS] = {0, 1};
enum { OF_SYMBOL, FIRST_OF_VALUES }; /* expressions: the symbol, then two a value */

static bool one_in(struct berth_rng *rng, uint32_t n) {
  return berth_rng_below(rng, n) == 0;
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* ---- Making ---- */

static struct berth_pool_spec make_pool(uint32_t p, struct berth_rng *rng) {
  struct berth_pool_spec pool = berth_pool_spec_default();
  pool.name = (struct berth_text){POOL_NAMES[p], 1};
  pool.alignment = UINT64_C(1) << berth_rng_below(rng, 3);
  pool.base_alignment = one_in(rng, 3) ? UINT64_C(1) << (1 + berth_rng_below(rng, 3)) : 0;
  pool.capacity_bytes = one_in(rng, 3) ? 16 + berth_rng_below(rng, 24) : BERTH_UNLIMITED;
  pool.max_block_bytes = one_in(rng, 6) ? 4 + berth_rng_below(rng, 5) : BERTH_UNLIMITED;
  pool.kind = one_in(rng, 4) ? BERTH_POOL_SLOTS : BERTH_POOL_BYTES;
  pool.cost_per_byte = berth_rng_below(rng, 3);
  if (one_in(rng, 5)) {
    bool front = pool.kind == BERTH_POOL_BYTES && one_in(rng, 2);
    pool.persistence = front ? BERTH_PERSISTENCE_FRONT : BERTH_PERSISTENCE_ONLY;
  }
  return pool;
}

void toy_make_pools(struct toy *toy, struct berth_rng *rng) {
  toy->n_pools =
      (toy->terms & TOY_POOLS) != 0 && one_in(rng, 2) ? 1 + berth_rng_below(rng, TOY_MAX_POOLS) : 0;
  for (uint32_t p = 0; p < toy->n_pools; p++) {
    toy->pools[p] = make_pool(p, rng);
    if (toy->n_pools > 1 && one_in(rng, 3)) { /* one way, or both */
      toy->pools[p].spill_to = &POOLS[1 - p];
      toy->pools[p].n_spill_to = 1;
    }
  }
  for (uint32_t v = 0; v < toy->n_values; v++) {
    struct toy_value *value = &toy->values[v];
    bool named = toy->n_pools > 1 && value->spec.view_of == BERTH_NO_INDEX && one_in(rng, 2);
    value->pool = named ? berth_rng_below(rng, toy->n_pools) : BERTH_NO_INDEX;
    value->spec.alignment = toy->n_pools > 0 && one_in(rng, 3) ? UINT64_C(1) << berth_rng_below(rng, 3) : 1;
  }
}

/* Roots of one class; those without a place in the others' lists are not looked for: the builder refuses. */
void toy_make_groups(struct toy *toy, struct berth_rng *rng) {
  toy->n_groups = 0;
  uint32_t n =
      (toy->terms & TOY_GROUPS) != 0 && one_in(rng, 2) ? 1 + berth_rng_below(rng, TOY_MAX_GROUPS) : 0;
  for (uint32_t g = 0; g < n; g++) {
    struct toy_group *group = &toy->groups[toy->n_groups];
    uint32_t first = berth_rng_below(rng, toy->n_values);
    *group = (struct toy_group){.kind = one_in(rng, 2) ? BERTH_GROUP_SHARED : BERTH_GROUP_CONTIGUOUS};
    for (uint32_t k = 0; k < toy->n_values && group->n_members < TOY_MAX_MEMBERS; k++) {
      const struct toy_value *value = &toy->values[(first + k) % toy->n_values];
      bool fits = value->root == (first + k) % toy->n_values &&
                  value->spec.class_ == toy->values[toy->values[first].root].spec.class_;
      if (fits && !one_in(rng, 3)) {
        group->members[group->n_members++] = value->root;
      }
    }
    toy->n_groups += group->n_members >= 2;
  }
}

/* Of roots that nobody has a view of, and nobody has a group with: theirs would have to follow. */
void toy_make_sizes(struct toy *toy, struct berth_rng *rng) {
  bool plain[TOY_MAX_VALUES] = {false};
  toy->has_symbol = false;
  toy->most_n = TOY_MAX_N;
  for (uint32_t v = 0; v < toy->n_values; v++) {
    if (toy->values[v].spec.view_of != BERTH_NO_INDEX) {
      plain[v] = plain[toy->values[v].spec.view_of] = true;
    }
  }
  bool any = (toy->terms & TOY_SYMBOLS) != 0 && one_in(rng, 2);
  for (uint32_t v = toy->has_state; v < toy->n_values; v++) {
    struct toy_value *value = &toy->values[v];
    value->sizing = any && !plain[v] ? (enum toy_sizing)berth_rng_below(rng, 3) : TOY_PLAIN;
    value->base =
        value->sizing == TOY_FALLING ? TOY_MAX_N + 1 + berth_rng_below(rng, 4) : berth_rng_below(rng, 5);
    toy->has_symbol = toy->has_symbol || value->sizing != TOY_PLAIN;
  }
  for (uint32_t v = 0; v < toy->n_values; v++) {
    struct toy_value *value = &toy->values[v];
    uint64_t most = value->sizing == TOY_RISING ? value->base + toy->most_n : value->base - 1;
    value->spec.size_bytes = value->sizing != TOY_PLAIN ? most : value->spec.size_bytes;
  }
}

void toy_bind(const struct toy *toy, uint64_t n, struct toy *out) {
  *out = *toy;
  for (uint32_t v = 0; v < toy->n_values; v++) {
    struct toy_value *value = &out->values[v];
    if (value->sizing != TOY_PLAIN) {
      value->spec.size_bytes = value->sizing == TOY_RISING ? value->base + n : value->base - n;
    }
  }
}

/* Roots that are one storage by a chain of groups. */
void toy_find_storages(struct toy *toy) {
  for (uint32_t v = 0; v < toy->n_values; v++) {
    toy->values[v].storage = v;
  }
  for (uint32_t pass = 0; pass < TOY_MAX_GROUPS; pass++) {
    for (uint32_t g = 0; g < toy->n_groups; g++) {
      const struct toy_group *group = &toy->groups[g];
      uint32_t least = UINT32_MAX;
      for (uint32_t k = 0; k < group->n_members; k++) {
        uint32_t storage = toy->values[group->members[k]].storage;
        least = storage < least ? storage : least;
      }
      for (uint32_t k = 0; k < group->n_members && group->kind == BERTH_GROUP_SHARED; k++) {
        toy->values[group->members[k]].storage = least;
      }
    }
  }
}

/* ---- Telling ---- */

enum berth_code
toy_state_pools(const struct toy *toy, struct berth_problem_builder *builder, struct berth_error *err) {
  enum berth_code code = BERTH_OK;
  for (uint32_t p = 0; p < toy->n_pools && code == BERTH_OK; p++) {
    code = berth_problem_builder_add_pool(builder, &toy->pools[p], NULL, err);
  }
  return code;
}

static enum berth_code
add(struct berth_problem_builder *builder, enum berth_operation operation, uint32_t left, uint32_t right,
    uint64_t value, struct berth_error *err) {
  const struct berth_expression expression = {
      .operation = operation, .left = left, .right = right, .value = value};
  return berth_problem_builder_add_expression(builder, &expression, NULL, err);
}

enum berth_code
toy_state_symbols(const struct toy *toy, struct berth_problem_builder *builder, struct berth_error *err) {
  if (!toy->has_symbol) {
    return BERTH_OK;
  }
  const struct berth_symbol n = {.name = {"n", 1}, .lower = 1, .upper = toy->most_n};
  enum berth_code code = berth_problem_builder_add_symbol(builder, &n, NULL, err);
  code = code != BERTH_OK ? code : add(builder, BERTH_OPERATION_SYMBOL, 0, 0, 0, err);
  for (uint32_t v = 0; v < toy->n_values && code == BERTH_OK; v++) {
    bool falls = toy->values[v].sizing == TOY_FALLING;
    uint32_t base = FIRST_OF_VALUES + 2 * v;
    code =
        add(builder, BERTH_OPERATION_CONSTANT, 0, 0, larger(toy->values[v].base, falls ? TOY_MAX_N : 0), err);
    enum berth_operation operation = falls ? BERTH_OPERATION_SUBTRACT : BERTH_OPERATION_ADD;
    code = code != BERTH_OK ? code : add(builder, operation, base, OF_SYMBOL, 0, err);
  }
  return code;
}

enum berth_code
toy_state_groups(const struct toy *toy, struct berth_problem_builder *builder, struct berth_error *err) {
  enum berth_code code = BERTH_OK;
  for (uint32_t g = 0; g < toy->n_groups && code == BERTH_OK; g++) {
    const struct berth_group_spec group = {
        .kind = toy->groups[g].kind,
        .members = toy->groups[g].members,
        .n_members = toy->groups[g].n_members};
    code = berth_problem_builder_add_group(builder, &group, err);
  }
  return code;
}

/* ---- Asking ---- */

static uint32_t pool_of(struct toy_places places, uint32_t buffer) {
  return places.pool != NULL ? places.pool[buffer] : 0;
}

/* A pool that it names, or that this spills to; none that is for others alone. */
static bool
may_live_in(const struct toy *toy, uint32_t named, enum berth_buffer_class class_, uint32_t pool) {
  bool persists = class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE;
  bool reached = named == BERTH_NO_INDEX || named == pool ||
                 (toy->pools[named].n_spill_to != 0 &&
                  (toy->pools[named].persistence != BERTH_PERSISTENCE_ONLY || persists));
  return toy->n_pools == 0 || (pool < toy->n_pools && reached &&
                               (toy->pools[pool].persistence != BERTH_PERSISTENCE_ONLY || persists));
}

/* `size` bytes at `offset` of the pool. The base is somewhere that is aligned to what is promised and no
 * more. */
static bool suits(
    const struct toy *toy, uint32_t pool, uint64_t offset, uint64_t size, uint64_t alignment, bool is_root) {
  const struct berth_pool_spec none = berth_pool_spec_default();
  const struct berth_pool_spec *it = toy->n_pools != 0 ? &toy->pools[pool] : &none;
  uint64_t base = it->base_alignment != 0 ? 3 * it->base_alignment : 0;
  return size == 0 || ((base + offset) % alignment == 0 && (!is_root || offset % it->alignment == 0) &&
                       offset + size <= it->capacity_bytes && size <= it->max_block_bytes);
}

struct range {
  uint32_t pool;
  uint64_t begin;
  uint64_t end;
  bool is_partial; /* a buffer of which not all is live all the time */
};

static struct range
range_of(const struct toy *toy, const struct berth_problem *problem, struct toy_places places, uint32_t v) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  uint32_t root = toy->values[v].root;
  uint32_t buffer = graph->value_buffer[root];
  uint64_t in_buffer = graph->value_offset != NULL ? graph->value_offset[root] : 0;
  struct range range = {
      pool_of(places, buffer), places.offset[buffer] + in_buffer + toy->values[v].offset, 0, false};
  range.end = range.begin + toy->values[v].spec.size_bytes;
  return range;
}

/* The strictest that may count: of a pool, or of a member. */
static uint64_t strictest(const struct toy *toy) {
  uint64_t most = 1;
  for (uint32_t p = 0; p < toy->n_pools; p++) {
    most = larger(most, toy->pools[p].alignment);
  }
  for (uint32_t v = 0; v < toy->n_values; v++) {
    most = larger(most, toy->values[v].spec.alignment);
  }
  return most;
}

static bool
keeps_groups(const struct toy *toy, const struct berth_problem *problem, struct toy_places places) {
  for (uint32_t g = 0; g < toy->n_groups; g++) {
    const struct toy_group *group = &toy->groups[g];
    struct range last = {.pool = BERTH_NO_INDEX};
    for (uint32_t k = 0; k < group->n_members; k++) {
      struct range range = range_of(toy, problem, places, group->members[k]);
      if (range.begin == range.end) {
        continue;
      }
      bool is_first = last.pool == BERTH_NO_INDEX;
      bool follows = group->kind == BERTH_GROUP_SHARED
                         ? range.begin == last.begin
                         : range.begin >= last.end && range.begin - last.end < strictest(toy);
      if (!is_first && (range.pool != last.pool || !follows)) {
        return false;
      }
      last = range;
    }
  }
  return true;
}

/* In a pool of slots two share all, or nothing: the same first byte. Constants and state that are kept apart
 * share with nobody, and lie below all others at a front. */
static bool
pair_is_right(const struct toy *toy, struct range a, struct range b, bool persists_a, bool persists_b) {
  bool is_partial = a.is_partial || b.is_partial; /* what is never held may lie anywhere */
  bool meet = a.pool == b.pool && a.begin < b.end && b.begin < a.end;
  const struct berth_pool_spec *pool = &toy->pools[a.pool];
  bool apart = pool->persistence != BERTH_PERSISTENCE_MIXED && (persists_a || persists_b) && !is_partial;
  bool in_front = is_partial || a.pool != b.pool || pool->persistence != BERTH_PERSISTENCE_FRONT ||
                  persists_a == persists_b || (persists_a ? a.end <= b.begin : b.end <= a.begin);
  return (!meet || (!apart && (pool->kind != BERTH_POOL_SLOTS || a.begin == b.begin))) &&
         (in_front || a.begin == a.end || b.begin == b.end);
}

static bool is_partial(const struct berth_buffers *buffers, uint32_t b) {
  return (buffers->gap_begin != NULL && buffers->gap_begin[b] < buffers->gap_begin[b + 1]) ||
         (buffers->slice_begin != NULL && buffers->slice_begin[b] < buffers->slice_begin[b + 1]);
}

/* Whole buffers, from what they hold, by who made them: the values of each and the workspaces. */
static bool
keeps_to_pools(const struct toy *toy, const struct berth_problem *problem, struct toy_places places) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  struct range ranges[TOY_MAX_BUFFERS];
  bool persists[TOY_MAX_BUFFERS];
  bool has_group[TOY_MAX_BUFFERS] = {false};
  for (uint32_t b = 0; b < buffers->n; b++) {
    uint8_t class_ = buffers->class_[b];
    uint64_t begin = places.offset[b];
    ranges[b] =
        (struct range){pool_of(places, b), begin, begin + buffers->size_bytes[b], is_partial(buffers, b)};
    persists[b] = class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE;
  }
  for (uint32_t v = 0; v < toy->n_values; v++) {
    for (uint32_t other = 0; other < v; other++) {
      uint32_t a = graph->value_buffer[v];
      uint32_t b = graph->value_buffer[other];
      bool one = toy->values[toy->values[v].root].storage == toy->values[toy->values[other].root].storage;
      has_group[a] = has_group[a] || (one && a != b);
      has_group[b] = has_group[b] || (one && a != b);
    }
  }
  for (uint32_t a = 0; a < buffers->n; a++) {
    for (uint32_t b = a + 1; b < buffers->n; b++) {
      bool maybe_one = has_group[a] && has_group[b]; /* then the judge alone says */
      if (!maybe_one && !pair_is_right(toy, ranges[a], ranges[b], persists[a], persists[b])) {
        return false;
      }
    }
  }
  return true;
}

bool toy_lies_right(const struct toy *toy, const struct berth_problem *problem, struct toy_places places) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  uint32_t n_pools = toy->n_pools != 0 ? toy->n_pools : 1;
  bool right = true;
  for (uint32_t b = 0; b < berth_problem_buffers(problem)->n; b++) {
    right = right && pool_of(places, b) < n_pools;
  }
  for (uint32_t v = 0; v < toy->n_values && right; v++) {
    const struct toy_value *value = &toy->values[v];
    const struct toy_value *root = &toy->values[value->root];
    struct range range = range_of(toy, problem, places, v);
    right = may_live_in(toy, root->pool, root->spec.class_, range.pool) &&
            suits(toy, range.pool, range.begin, range.end - range.begin, value->spec.alignment, false);
  }
  for (uint32_t b = 0; b < berth_problem_buffers(problem)->n && right; b++) {
    right = suits(
        toy, pool_of(places, b), places.offset[b], berth_problem_buffers(problem)->size_bytes[b], 1, true);
  }
  for (uint32_t o = 0; o < toy->n_ops && right; o++) {
    uint32_t workspace = graph->operator_workspace[o];
    right = workspace == BERTH_NO_INDEX ||
            may_live_in(toy, BERTH_NO_INDEX, BERTH_CLASS_WORKSPACE, pool_of(places, workspace));
  }
  return right && (toy->n_pools == 0 || keeps_to_pools(toy, problem, places)) &&
         keeps_groups(toy, problem, places);
}
