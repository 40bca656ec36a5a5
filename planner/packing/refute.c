#include "packing/refute.h"

#include "packing/bound.h"
#include "packing/exact/exact.h"
#include "packing/reduce.h"

enum { SHARES = 32, TICKS_A_BUFFER = 16 };

bool berth_refuter_init(
    struct berth_refuter *refuter, const struct berth_packing_instance *instance, struct berth_arena *arena,
    struct berth_effort *effort) {
  uint64_t left = effort->limit > effort->ticks ? effort->limit - effort->ticks : 0;
  *refuter = (struct berth_refuter){
      .instance = instance,
      .arena = arena,
      .effort = effort,
      .most_ticks = left / SHARES,
      .members = berth_arena_new(arena, uint32_t, instance->n_buffers),
      .offset = berth_arena_new(arena, uint64_t, instance->n_buffers)};
  return refuter->members != NULL && refuter->offset != NULL;
}

static enum berth_code
search_within(struct berth_packing_search *search, uint64_t most_ticks, enum berth_refutation *out) {
  struct berth_effort *effort = search->effort;
  uint64_t limit = effort->limit;
  bool is_less = limit > effort->ticks && most_ticks < limit - effort->ticks;
  berth_effort_set_limit(effort, is_less ? effort->ticks + most_ticks : limit);
  enum berth_code code = berth_packing_exact.run(search);
  berth_effort_set_limit(effort, limit);
  if (code == BERTH_RESOURCE_EXHAUSTED && effort->state == BERTH_EFFORT_STOPPED) {
    code = BERTH_OK;
  }
  if (search->infeasible) {
    *out = BERTH_REFUTED;
  } else if (search->best_arena != BERTH_UNLIMITED) {
    *out = BERTH_REFUTE_FITS;
  }
  return code;
}

static enum berth_code ask(struct berth_refuter *refuter, uint32_t n_members, enum berth_refutation *out) {
  struct berth_reduction reduction;
  struct berth_packing_search search = {
      .instance = &reduction.instance,
      .arena = refuter->arena,
      .effort = refuter->effort,
      .switches = UINT32_MAX,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = refuter->offset,
      .any_fit = refuter->instance->capacity != BERTH_UNLIMITED};
  if (!berth_packing_reduce(
          refuter->instance, refuter->members, n_members, false, refuter->arena, &reduction)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  enum berth_code code = berth_packing_bound(&reduction.instance, refuter->arena, &search.lower_bound);
  if (code != BERTH_OK) {
    return code;
  }
  if (search.lower_bound > refuter->instance->capacity) {
    *out = BERTH_REFUTED;
    return BERTH_OK;
  }
  return search_within(&search, refuter->most_ticks, out);
}

enum berth_code
berth_refute(struct berth_refuter *refuter, const uint8_t *is_in, enum berth_refutation *out) {
  uint32_t n = 0;
  for (uint32_t b = 0; b < refuter->instance->n_buffers; b++) {
    if (is_in[b]) {
      refuter->members[n++] = b;
    }
  }
  *out = n == 0 ? BERTH_REFUTE_FITS : BERTH_REFUTE_UNKNOWN;
  uint64_t work = refuter->instance->n_buffers + refuter->instance->n_steps + TICKS_A_BUFFER * (uint64_t)n;
  if (n == 0 || !berth_effort_spend(refuter->effort, work)) {
    return BERTH_OK;
  }
  struct berth_arena_mark mark = berth_arena_mark(refuter->arena);
  enum berth_code code = ask(refuter, n, out);
  berth_arena_rewind(refuter->arena, mark);
  return code;
}
