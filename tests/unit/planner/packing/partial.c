#include "partial.h"

#include "packing/precedence_bound.h"
#include "random_order.h"
#include "suite.h"

enum { N_OF_STREAMS = 400, N_STREAMS = 6, MOST_LISTED = N_OF_STREAMS * N_OF_STREAMS / 2 };

static struct random_order streams;
static uint64_t size[N_OF_STREAMS];

static void expect_apart(const uint64_t *offset) {
  for (uint32_t a = 0; a < N_OF_STREAMS; a++) {
    for (uint32_t b = 0; b < a; b++) {
      bool ordered = berth_precedes(&streams.order, a, b) || berth_precedes(&streams.order, b, a);
      bool overlap = offset[a] < offset[b] + size[b] && offset[b] < offset[a] + size[a];
      if (!ordered && overlap) { /* an assertion that holds costs more than the rest */
        ck_abort_msg("buffers %u and %u share bytes", a, b);
      }
    }
  }
}

void partial_init(struct berth_rng *rng) {
  random_order_of_streams(&streams, rng, N_OF_STREAMS, N_STREAMS);
  for (uint32_t i = 0; i < N_OF_STREAMS; i++) {
    size[i] = 1 + berth_rng_below(rng, 1u << berth_rng_below(rng, 16));
  }
}

uint64_t partial_arena(
    const struct berth_packing_strategy *strategy, const struct berth_packing_strategy *then, bool by_chains,
    uint64_t ticks, uint64_t *out_bound) {
  static uint64_t offset[N_OF_STREAMS];
  static uint64_t alignment[N_OF_STREAMS];
  struct berth_arena arena;
  struct berth_effort effort;
  struct berth_chains chains;
  bool is_usable;
  uint32_t n_pairs = 0;
  berth_arena_init(&arena, NULL);
  berth_effort_init(&effort, ticks, NULL, NULL);
  uint32_t(*pairs)[2] = berth_arena_take(&arena, MOST_LISTED, sizeof *pairs);
  for (uint32_t a = 0; a < N_OF_STREAMS; a++) {
    alignment[a] = 1;
    for (uint32_t b = a + 1; !by_chains && b < N_OF_STREAMS; b++) {
      if (!berth_precedes(&streams.order, a, b) && !berth_precedes(&streams.order, b, a)) {
        ck_assert_uint_lt(n_pairs, MOST_LISTED);
        pairs[n_pairs][0] = a;
        pairs[n_pairs++][1] = b;
      }
    }
  }
  struct berth_packing_instance instance = {
      .n_buffers = N_OF_STREAMS,
      .n_steps = 20 * N_OF_STREAMS,
      .lower = streams.life_lower,
      .upper = streams.life_upper,
      .size = size,
      .alignment = alignment,
      .n_conflicts = n_pairs,
      .conflicts = (const uint32_t(*)[2])pairs,
      .order = streams.order,
      .capacity = BERTH_UNLIMITED};
  ck_assert(berth_chains_make(&chains, &streams.order, &arena, &is_usable) && is_usable);
  instance.chains = by_chains ? &chains : NULL;
  struct berth_packing_search search = {
      .instance = &instance,
      .arena = &arena,
      .effort = &effort,
      .switches = UINT32_MAX,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = offset};
  ck_assert_int_eq(berth_packing_antichain.run(&search), BERTH_OK);
  *out_bound = search.lower_bound;
  ck_assert_int_eq(strategy->run(&search), BERTH_OK);
  ck_assert(then == NULL || then->run(&search) == BERTH_OK);
  expect_apart(offset);
  berth_arena_finish(&arena);
  return search.best_arena;
}
