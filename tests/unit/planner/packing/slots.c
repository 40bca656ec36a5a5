/* Whole slots: the bound, and the search against every way to share. */
#include "packing/slots.h"

#include "berth/solve.h"
#include "failing.h"
#include "judged.h"
#include "small.h"
#include "suite.h"

struct partition {
  const struct small *small;
  uint32_t slot[MOST_BUFFERS + 1];
  uint32_t n_slots;
  uint64_t best;
};

static bool may_join(const struct partition *partition, uint32_t b, uint32_t slot) {
  for (uint32_t a = 0; a < b; a++) {
    if (partition->slot[a] == slot && small_clash(partition->small, a, 0, b, 0)) {
      return false;
    }
  }
  return true;
}

/* Every way to share slots. */
static void try_all(struct partition *partition, uint32_t b) {
  const struct small *small = partition->small;
  if (b >= small->instance.n_buffers || b >= MOST_BUFFERS) {
    uint64_t total = 0;
    for (uint32_t s = 0; s < partition->n_slots; s++) {
      uint64_t most = 0;
      for (uint32_t a = 0; a < b; a++) {
        most = partition->slot[a] == s && small->size[a] > most ? small->size[a] : most;
      }
      total += most;
    }
    partition->best = total < partition->best ? total : partition->best;
    return;
  }
  uint32_t n_slots = partition->n_slots;
  for (uint32_t s = 0; s <= n_slots; s++) {
    if (may_join(partition, b, s)) {
      partition->slot[b] = s;
      partition->n_slots = s == n_slots ? n_slots + 1 : n_slots;
      try_all(partition, b + 1);
    }
  }
  partition->n_slots = n_slots;
}

static uint64_t total_of(const struct small *small, const struct berth_slots_found *found) {
  uint64_t size[MOST_BUFFERS] = {0}, total = 0;
  for (uint32_t b = 0; b < small->instance.n_buffers; b++) {
    ck_assert_uint_lt(found->slot[b], found->n_slots);
    for (uint32_t a = 0; a < b; a++) {
      ck_assert(found->slot[a] != found->slot[b] || !small_clash(small, a, 0, b, 0));
    }
    size[found->slot[b]] = small->size[b] > size[found->slot[b]] ? small->size[b] : size[found->slot[b]];
  }
  for (uint32_t s = 0; s < found->n_slots; s++) {
    total += size[s];
  }
  return total;
}

START_TEST(search_agrees_with_every_way_to_share) {
  struct berth_rng rng = {.state = 5};
  uint32_t n_beyond_load = 0, n_beyond_bound = 0;
  for (int k = 0; k < 2000; k++) {
    struct small small;
    small_draw(&small, &rng, k % 2 == 0 ? 0 : CONFLICTS);
    struct partition partition = {.small = &small, .best = UINT64_MAX};
    try_all(&partition, 0);
    struct berth_arena arena;
    struct berth_effort effort;
    berth_arena_init(&arena, NULL);
    berth_effort_init(&effort, UINT64_MAX, NULL, NULL);
    uint64_t bound;
    struct berth_slots_found found;
    ck_assert(berth_slots_bound(&small.instance, &arena, &bound));
    ck_assert_uint_le(small_load(&small), bound);
    ck_assert_uint_le(bound, partition.best);
    ck_assert_int_eq(berth_slots_search(&small.instance, &arena, &effort, &found), BERTH_OK);
    ck_assert_uint_eq(found.bound, partition.best);
    ck_assert_uint_eq(total_of(&small, &found), partition.best);
    n_beyond_load += bound > small_load(&small);
    n_beyond_bound += partition.best > bound;
    berth_arena_finish(&arena);
  }
  ck_assert_uint_gt(n_beyond_load, 200);
  ck_assert_uint_gt(n_beyond_bound, 20);
}
END_TEST

/* Sizes that no alignment divides: every block but the last is followed by padding. */
START_TEST(alignment_is_sound) {
  struct berth_rng rng = {.state = 6};
  for (int k = 0; k < 500; k++) {
    struct small small;
    small_draw(&small, &rng, 0);
    uint32_t n = small.instance.n_buffers;
    struct partition partition = {.small = &small, .best = UINT64_MAX};
    for (uint32_t b = 0; b < n; b++) {
      small.alignment[b] = 4;
      small.size[b] = 1 + berth_rng_below(&rng, 12);
    }
    struct berth_arena arena;
    struct berth_effort effort;
    berth_arena_init(&arena, NULL);
    berth_effort_init(&effort, UINT64_MAX, NULL, NULL);
    struct berth_slots_found found;
    ck_assert_int_eq(berth_slots_search(&small.instance, &arena, &effort, &found), BERTH_OK);
    uint64_t padding = 0;
    for (uint32_t b = 0; b < n; b++) { /* from here on as blocks are: in whole units */
      uint64_t rounded = (small.size[b] + 3) / 4 * 4;
      padding = rounded - small.size[b] > padding ? rounded - small.size[b] : padding;
      small.size[b] = rounded;
    }
    try_all(&partition, 0);
    ck_assert_uint_eq(found.bound, partition.best - padding);
    berth_arena_finish(&arena);
  }
}
END_TEST

static struct sample sample;

START_TEST(a_pool_of_slots_is_proven) {
  struct berth_rng rng = {.state = 7};
  uint32_t n_optimal = 0;
  for (int round = 0; round < 60; round++) {
    sample_finish(&sample);
    sample.n_pools = 1;
    sample.pools[0] = berth_pool_spec_default();
    sample.pools[0].kind = BERTH_POOL_SLOTS;
    for (int i = 0; i < 24; i++) {
      int64_t lower = berth_rng_below(&rng, 20);
      sample_add(&sample, 1 + berth_rng_below(&rng, 100), lower, lower + 1 + berth_rng_below(&rng, 6));
    }
    struct berth_problem *problem = sample_build(&sample, NULL);
    struct berth_plan *plan = NULL;
    ck_assert_int_eq(berth_solve(problem, NULL, NULL, NULL, &plan, NULL), BERTH_OK);
    struct judged judged = judge_plan(&sample, plan);
    judged_expect_good(&judged);
    ck_assert_uint_le(plan->lower_bound_bytes, plan->arena_bytes);
    n_optimal += plan->status == BERTH_PLAN_OPTIMAL;
    berth_plan_unref(plan);
    berth_problem_unref(problem);
  }
  ck_assert_uint_eq(n_optimal, 60);
  sample_finish(&sample);
}
END_TEST

/* Two of 60 and 40 bytes that meet, then one of 100: the load is 100, and 130 bytes are too few. */
START_TEST(too_few_bytes_for_slots_is_a_proof) {
  sample_finish(&sample);
  sample.n_pools = 1;
  sample.pools[0] = berth_pool_spec_default();
  sample.pools[0].kind = BERTH_POOL_SLOTS;
  sample.pools[0].capacity_bytes = 130;
  sample_add(&sample, 60, 1, 3);
  sample_add(&sample, 40, 1, 3);
  sample_add(&sample, 100, 3, 5);
  struct berth_problem *problem = sample_build(&sample, NULL);
  struct berth_plan *plan = NULL;
  ck_assert_int_eq(berth_solve(problem, NULL, NULL, NULL, &plan, NULL), BERTH_OK);
  ck_assert_int_eq(plan->status, BERTH_PLAN_INFEASIBLE);
  ck_assert_uint_eq(plan->short_by_bytes, 10);
  ck_assert_uint_eq(plan->n_culprits, 3);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
  sample_finish(&sample);
}
END_TEST

START_TEST(effort_and_memory_end) {
  enum { N = 300 };
  static uint32_t lower[N], upper[N];
  static uint64_t size[N], alignment[N];
  struct berth_rng rng = {.state = 8};
  for (uint32_t b = 0; b < N; b++) {
    lower[b] = berth_rng_below(&rng, 200);
    upper[b] = lower[b] + 1 + berth_rng_below(&rng, 20);
    size[b] = 1 + berth_rng_below(&rng, 1000);
    alignment[b] = 1;
  }
  const struct berth_packing_instance instance = {
      .n_buffers = N,
      .n_steps = 220,
      .lower = lower,
      .upper = upper,
      .size = size,
      .alignment = alignment,
      .capacity = BERTH_UNLIMITED};
  uint64_t last = UINT64_MAX;
  for (uint64_t limit = 100; limit <= 100000000; limit *= 100) {
    struct berth_arena arena;
    struct berth_effort effort;
    struct berth_slots_found found;
    berth_arena_init(&arena, NULL);
    berth_effort_init(&effort, limit, NULL, NULL);
    ck_assert_int_eq(berth_slots_search(&instance, &arena, &effort, &found), BERTH_OK);
    ck_assert_uint_le(effort.ticks, limit + 10000);
    uint64_t total[N] = {0}, sum = 0;
    for (uint32_t b = 0; found.slot != NULL && b < N; b++) {
      sum += size[b] > total[found.slot[b]] ? size[b] - total[found.slot[b]] : 0;
      total[found.slot[b]] = size[b] > total[found.slot[b]] ? size[b] : total[found.slot[b]];
    }
    ck_assert(found.slot == NULL || (sum <= last && sum >= found.bound));
    last = found.slot != NULL ? sum : last;
    berth_arena_finish(&arena);
  }
  ck_assert_uint_lt(last, UINT64_MAX);
  for (uint64_t fail_at = 1; fail_at < 6; fail_at++) {
    struct failing failing;
    struct berth_arena arena;
    struct berth_effort effort;
    struct berth_slots_found found;
    failing_init(&failing, fail_at, true);
    berth_arena_init(&arena, &failing.allocator);
    berth_effort_init(&effort, 1000000, NULL, NULL);
    enum berth_code code = berth_slots_search(&instance, &arena, &effort, &found);
    ck_assert(code == BERTH_OK || (code == BERTH_RESOURCE_EXHAUSTED && failing.n_refused > 0));
    berth_arena_finish(&arena);
    ck_assert_uint_eq(failing.n_blocks, 0);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/slots",
      (const TTest *const[]){
          search_agrees_with_every_way_to_share, alignment_is_sound, a_pool_of_slots_is_proven,
          too_few_bytes_for_slots_is_a_proof, effort_and_memory_end, NULL});
}
