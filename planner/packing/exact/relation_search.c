#include "packing/exact/relation.h"

enum { FIRST_NODES = 1 << 8 };

struct node {
  uint32_t range;
  bool is_above; /* the side of the last try */
  uint8_t n_tried;
  uint32_t n_arcs;
  size_t n_trail;
};

struct stack {
  struct node *nodes;
  uint32_t n;
};

/* The violated range of the largest buffers; NONE if the least offsets are a packing. */
static uint32_t most_violated(const struct berth_relation *relation) {
  uint32_t worst = UINT32_MAX;
  uint64_t most = 0;
  for (uint32_t k = 0; k < relation->n_forbidden; k++) {
    const struct berth_forbidden *range = &relation->forbidden[k];
    int64_t difference = relation->low[range->b] - relation->low[range->a];
    if (difference > range->below && difference < range->above) {
      uint64_t a = relation->instance->size[range->a], b = relation->instance->size[range->b];
      uint64_t lesser = a < b ? a : b;
      if (worst == UINT32_MAX || lesser > most) {
        worst = k;
        most = lesser;
      }
    }
  }
  return worst;
}

/* The side that leaves the moved buffer lower. */
static bool prefers_above(const struct berth_relation *relation, uint32_t k) {
  const struct berth_forbidden *range = &relation->forbidden[k];
  const uint64_t *size = relation->instance->size;
  int64_t end_of_b = relation->low[range->a] + range->above + (int64_t)size[range->b];
  int64_t end_of_a = relation->low[range->b] - range->below + (int64_t)size[range->a];
  return end_of_b <= end_of_a;
}

/* Tries sides until one stands; false when the first node has none left, or effort or memory end (in
 * *result). */
static bool
advance(struct berth_relation *relation, struct stack *stack, enum berth_relation_result *result) {
  while (stack->n > 0) {
    struct node *node = &stack->nodes[stack->n - 1];
    berth_relation_undo(relation, node->n_trail, node->n_arcs);
    if (node->n_tried == 2) {
      stack->n--;
      continue;
    }
    node->is_above = node->n_tried++ == 0 ? prefers_above(relation, node->range) : !node->is_above;
    *result = berth_relation_decide(relation, node->range, node->is_above);
    *result = *result == BERTH_RELATION_FINE ? berth_relation_close(relation) : *result;
    if (*result == BERTH_RELATION_FINE) {
      return true;
    }
    if (*result != BERTH_RELATION_REFUTED) {
      return false;
    }
  }
  *result = BERTH_RELATION_REFUTED;
  return false;
}

/* FINE: the least offsets are a packing. */
static enum berth_relation_result
search(struct berth_relation *relation, struct stack *stack, uint64_t capacity) {
  stack->n = 0;
  enum berth_relation_result result = berth_relation_reset(relation, capacity);
  result = result == BERTH_RELATION_FINE ? berth_relation_close(relation) : result;
  while (result == BERTH_RELATION_FINE) {
    if (!berth_effort_spend(relation->effort, relation->n_forbidden + 1)) {
      return BERTH_RELATION_STOPPED;
    }
    uint32_t range = most_violated(relation);
    if (range == UINT32_MAX) {
      return BERTH_RELATION_FINE;
    }
    stack->nodes[stack->n++] =
        (struct node){.range = range, .n_arcs = relation->n_arcs, .n_trail = relation->n_trail};
    if (!advance(relation, stack, &result)) {
      return result;
    }
  }
  return result;
}

static void
offer(const struct berth_relation *relation, struct berth_packing_search *packing, uint64_t *offset) {
  const struct berth_packing_instance *in = relation->instance;
  uint64_t arena_bytes = 0;
  for (uint32_t b = 0; b < in->n_buffers; b++) {
    offset[b] = (uint64_t)relation->low[b];
    arena_bytes = offset[b] + in->size[b] > arena_bytes ? offset[b] + in->size[b] : arena_bytes;
  }
  berth_packing_offer(packing, offset, arena_bytes);
}

enum berth_code berth_relation_run(struct berth_relation *relation, struct berth_packing_search *packing) {
  const struct berth_packing_instance *in = relation->instance;
  uint64_t *offset = berth_arena_new(relation->arena, uint64_t, in->n_buffers);
  struct stack stack = {
      .nodes = berth_arena_new(relation->arena, struct node, (size_t)relation->n_forbidden + 1)};
  if (offset == NULL || stack.nodes == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  enum berth_relation_result result = BERTH_RELATION_FINE;
  while (!berth_packing_done(packing) && result == BERTH_RELATION_FINE) {
    bool has_plan = packing->best_arena != BERTH_UNLIMITED;
    uint64_t capacity = has_plan ? packing->best_arena - 1 : in->capacity;
    result = search(relation, &stack, capacity);
    if (result == BERTH_RELATION_FINE) {
      offer(relation, packing, offset);
    } else if (result == BERTH_RELATION_REFUTED && has_plan) {
      berth_packing_raise_bound(packing, packing->best_arena);
    } else if (result == BERTH_RELATION_REFUTED) {
      packing->infeasible = true;
    }
  }
  return result == BERTH_RELATION_NO_MEMORY ? BERTH_RESOURCE_EXHAUSTED : BERTH_OK;
}
