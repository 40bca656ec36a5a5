#include "berth/solve.h"

#include <string.h>

#include "base/rng.h"
#include "judged.h"
#include "oracle.h"
#include "suite.h"

static struct sample sample;
static struct judged judged;

static struct berth_plan *
solve(const struct berth_solve_options *options, const struct berth_solve_hooks *hooks) {
  struct berth_problem *problem = sample_build(&sample, NULL);
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  ck_assert_msg(berth_solve(problem, options, hooks, NULL, &plan, &err) == BERTH_OK, "%s", err.message);
  judged = judge_plan(&sample, plan);
  judged_expect_good(&judged);
  berth_problem_unref(problem);
  return plan;
}

static void begin_example(void) {
  sample_init(&sample);
  sample_add(&sample, 1024, 0, 3);
  sample_add(&sample, 2048, 1, 4);
  sample_add(&sample, 512, 4, 6);
  sample_add(&sample, 1536, 4, 7);
}

START_TEST(the_example_is_optimal) {
  begin_example();
  struct berth_plan *plan = solve(NULL, NULL);
  ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL);
  ck_assert_uint_eq(plan->naive_bytes, 5120);
  ck_assert_uint_eq(plan->peak_bytes, 3072);
  ck_assert_uint_eq(plan->reuse_bytes, 3072);
  ck_assert_uint_eq(plan->arena_bytes, 3072);
  ck_assert_double_eq(berth_plan_rho(plan), 0.4);
  const uint32_t slots[] = {0, 1, 0, 1};
  ck_assert_mem_eq(plan->slot, slots, sizeof slots);
  ck_assert_int_eq(plan->pools[0].peak_step, 1);
  berth_plan_unref(plan);
  sample_finish(&sample);
}
END_TEST

START_TEST(nothing_to_place_is_optimal) {
  sample_init(&sample);
  struct berth_plan *plan = solve(NULL, NULL);
  ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL);
  ck_assert_uint_eq(plan->arena_bytes, 0);
  berth_plan_unref(plan);
  sample_add(&sample, 0, 5, 6);
  plan = solve(NULL, NULL);
  ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL);
  ck_assert_uint_eq(plan->offset[0], 0);
  berth_plan_unref(plan);
  sample_finish(&sample);
}
END_TEST

START_TEST(capacity_is_answered) {
  begin_example();
  struct berth_solve_options options = berth_solve_options_default();
  options.capacity_bytes = 3072;
  struct berth_plan *plan = solve(&options, NULL);
  ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL);
  berth_plan_unref(plan);
  options.capacity_bytes = 4000; /* any plan in it will do */
  plan = solve(&options, NULL);
  ck_assert_uint_le(plan->arena_bytes, 4000);
  berth_plan_unref(plan);
  options.capacity_bytes = 3000;
  plan = solve(&options, NULL);
  ck_assert_int_eq(plan->status, BERTH_PLAN_INFEASIBLE);
  ck_assert_uint_eq(plan->short_by_bytes, 72);
  ck_assert_uint_eq(plan->n_culprits, 2);
  ck_assert_int_eq(plan->culprits_proof, BERTH_CULPRITS_SMALLEST);
  ck_assert_uint_eq(plan->culprits[0], 1);
  ck_assert_uint_eq(plan->culprits[1], 0);
  ck_assert_ptr_null(plan->offset);
  berth_plan_unref(plan);
  options.capacity_bytes = 2000;
  plan = solve(&options, NULL); /* one buffer alone is too large, and all need 3072 */
  ck_assert_int_eq(plan->status, BERTH_PLAN_INFEASIBLE);
  ck_assert_uint_eq(plan->short_by_bytes, 1072);
  ck_assert_uint_eq(plan->n_culprits, 1);
  ck_assert_uint_eq(plan->culprits[0], 1);
  ck_assert_int_eq(plan->culprits_proof, BERTH_CULPRITS_SMALLEST);
  berth_plan_unref(plan);
  sample_finish(&sample);
}
END_TEST

START_TEST(without_reuse_nobody_shares) {
  begin_example();
  struct berth_solve_options options = berth_solve_options_default();
  options.reuse = BERTH_REUSE_NONE;
  struct berth_plan *plan = solve(&options, NULL);
  ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL);
  ck_assert_uint_eq(plan->arena_bytes, 5120);
  berth_plan_unref(plan);
  sample_finish(&sample);
}
END_TEST

START_TEST(a_full_pool_spills_into_the_next) {
  begin_example();
  sample.n_pools = 2;
  sample.pools[0] = sample.pools[1] = berth_pool_spec_default();
  sample.pools[0].capacity_bytes = 2048;
  struct berth_plan *plan = solve(NULL, NULL);
  ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL); /* nobody cheaper can move */
  ck_assert_uint_eq(plan->spill_cost, 1024);
  ck_assert_uint_eq(plan->spill_cost_bound, 1024);
  ck_assert_uint_eq(plan->pools[0].arena_bytes, 2048);
  ck_assert_uint_eq(plan->pools[1].arena_bytes, 1024);
  berth_plan_unref(plan);
  sample.pools[1].max_block_bytes = 500; /* nobody can move on: too small */
  plan = solve(NULL, NULL);
  ck_assert_int_eq(plan->status, BERTH_PLAN_INFEASIBLE);
  ck_assert_uint_eq(plan->short_by_bytes, 1024);
  berth_plan_unref(plan);
  sample_finish(&sample);
}
END_TEST

START_TEST(slots_are_shared_whole) {
  begin_example();
  sample.n_pools = 1;
  sample.pools[0] = berth_pool_spec_default();
  sample.pools[0].kind = BERTH_POOL_SLOTS;
  struct berth_plan *plan = solve(NULL, NULL);
  ck_assert_uint_eq(plan->arena_bytes, 3072);
  ck_assert_uint_eq(plan->offset[0], plan->offset[2]);
  ck_assert_uint_eq(plan->offset[1], plan->offset[3]);
  berth_plan_unref(plan);
  sample_finish(&sample);
}
END_TEST

static bool stop_at_once(void *ctx) {
  (void)ctx;
  return true;
}

static void make_many(uint32_t n) {
  struct berth_rng rng = {.state = 5};
  sample_init(&sample);
  sample_generate(&sample, &rng, SAMPLE_FORWARD_BACKWARD, n, 0);
}

START_TEST(stopped_without_a_plan_is_cancelled) {
  make_many(20000);
  struct berth_problem *problem = sample_build(&sample, NULL);
  struct berth_solve_hooks hooks = {.should_stop = stop_at_once};
  struct berth_plan *plan = NULL;
  struct berth_error err;
  ck_assert_int_eq(berth_solve(problem, NULL, &hooks, NULL, &plan, &err), BERTH_CANCELLED);
  ck_assert_ptr_null(plan);
  berth_problem_unref(problem);
  sample_finish(&sample);
}
END_TEST

struct listener {
  struct berth_progress last;
  uint32_t n_heard;
  uint32_t stop_after; /* this many */
};

static void on_progress(void *ctx, const struct berth_progress *progress) {
  struct listener *listener = ctx;
  ck_assert(
      listener->n_heard == 0 || progress->arena_bytes < listener->last.arena_bytes ||
      progress->lower_bound_bytes > listener->last.lower_bound_bytes);
  ck_assert_uint_ge(progress->lower_bound_bytes, listener->last.lower_bound_bytes);
  ck_assert_uint_ge(progress->ticks, listener->last.ticks);
  listener->last = *progress;
  listener->n_heard++;
}

static bool stop_after(void *ctx) {
  const struct listener *listener = ctx;
  return listener->n_heard >= listener->stop_after;
}

START_TEST(stopped_later_it_says_so) {
  struct berth_rng rng = {.state = 5};
  sample_init(&sample);
  sample_generate(&sample, &rng, SAMPLE_UNIFORM, 3000, 0);
  struct listener listener = {.last = {.arena_bytes = BERTH_UNLIMITED}, .stop_after = 1};
  struct berth_solve_hooks hooks = {.ctx = &listener, .should_stop = stop_after, .on_progress = on_progress};
  struct berth_plan *plan = solve(NULL, &hooks);
  ck_assert_int_eq(plan->status, BERTH_PLAN_CUT_SHORT);
  ck_assert_uint_eq(plan->arena_bytes, listener.last.arena_bytes);
  berth_plan_unref(plan);
  sample_finish(&sample);
}
END_TEST

START_TEST(any_budget_gives_a_plan) {
  struct berth_rng rng = {.state = 5};
  sample_init(&sample);
  sample_generate(&sample, &rng, SAMPLE_UNIFORM, 300, SAMPLE_ALIGNED | SAMPLE_GAPS);
  struct berth_solve_options options = berth_solve_options_default();
  uint64_t last = UINT64_MAX;
  for (uint64_t budget = 1; budget < 2000000; budget *= 4) {
    options.budget_ticks = budget;
    struct berth_plan *plan = solve(&options, NULL);
    ck_assert_uint_le(plan->arena_bytes, last); /* more effort is never worse */
    last = plan->arena_bytes;
    berth_plan_unref(plan);
  }
  sample_finish(&sample);
}
END_TEST

START_TEST(every_switch_leaves_a_plan) {
  begin_example();
  struct berth_solve_options options = berth_solve_options_default();
  for (uint32_t mask = 0; mask <= BERTH_ALL_STRATEGIES; mask++) {
    options.strategies = mask;
    struct berth_plan *plan = solve(&options, NULL);
    ck_assert_ptr_nonnull(plan->offset);
    ck_assert_uint_eq(plan->reuse_bytes, (mask >> BERTH_STRATEGY_COLOURING & 1) != 0 ? 3072 : 5120);
    berth_plan_unref(plan);
  }
  sample_finish(&sample);
}
END_TEST

/* Everything at once, judged; the order of the rows does not matter to the figures; twice is the same. */
START_TEST(random_problems_are_planned) {
  struct berth_rng rng = {.state = 17};
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = 2000000;
  uint32_t n_placed = 0;
  for (uint32_t round = 0; round < 600; round++) {
    sample_init(&sample);
    uint32_t features = round % 3 == 0 ? 0 : berth_rng_below(&rng, 1 << 7);
    uint32_t n = 1 + berth_rng_below(&rng, round % 10 == 0 ? 300 : 25);
    sample_generate(&sample, &rng, (enum sample_family)(round % SAMPLE_N_FAMILIES), n, features);
    struct berth_plan *plan = solve(&options, NULL);
    struct berth_plan *again = solve(&options, NULL);
    n_placed += plan->offset != NULL;
    ck_assert_uint_eq(berth_plan_n_bytes(plan), berth_plan_n_bytes(again));
    ck_assert_uint_eq(plan->arena_bytes, again->arena_bytes);
    ck_assert_uint_eq(plan->ticks, again->ticks);
    if (plan->offset != NULL) {
      ck_assert_mem_eq(plan->offset, again->offset, plan->n_buffers * sizeof *plan->offset);
    }
    berth_plan_unref(plan);
    berth_plan_unref(again);
    sample_finish(&sample);
  }
  ck_assert_uint_ge(n_placed, 400);
}
END_TEST

/* Buffer 0 never holds its first four bytes, and must not share them with 1: that depends on how the
 * constants are stacked, and 63 bytes are enough. */
START_TEST(a_front_that_may_be_stacked_wrong_proves_nothing) {
  static const uint64_t SIZES[] = {28, 31, 1, 4, 3};
  sample_init(&sample);
  sample.n_pools = 1;
  sample.pools[0] = berth_pool_spec_default();
  sample.pools[0].persistence = BERTH_PERSISTENCE_FRONT;
  for (uint32_t i = 0; i < 5; i++) {
    struct sample_buffer *buffer = sample_add(&sample, SIZES[i], i == 1 ? 2 : 0, i == 1 ? 3 : 2);
    buffer->spec.class_ = i == 0 ? BERTH_CLASS_INPUT : BERTH_CLASS_CONSTANT;
  }
  sample_add_gap(&sample.buffers[0], 0, 2, 4, 27);
  sample_add_conflict(&sample, 0, 1);
  struct berth_plan *plan = solve(NULL, NULL);
  uint32_t members[] = {0, 1, 2, 3, 4};
  ck_assert_uint_eq(oracle_optimum(&sample, 0, members, 5), 63);
  ck_assert_uint_le(plan->lower_bound_bytes, 63);
  berth_plan_unref(plan);
  sample_finish(&sample);
}
END_TEST

/* Absent all the time, a group holds nothing that could be in the way. */
START_TEST(a_group_that_holds_nothing) {
  sample_init(&sample);
  sample_add(&sample, 8, 0, 3);
  sample_add(&sample, 8, 1, 3);
  sample_add(&sample, 16, 0, 2);
  sample_add_gap(&sample.buffers[1], 1, 3, 0, 0);
  sample_add_gap(&sample.buffers[2], 0, 2, 0, 0);
  sample.groups[sample.n_groups++] = (struct sample_group){BERTH_GROUP_CONTIGUOUS, 2, {2, 1}};
  struct berth_plan *plan = solve(NULL, NULL);
  ck_assert_uint_eq(plan->arena_bytes, 24);
  ck_assert_int_eq(plan->status, BERTH_PLAN_OPTIMAL);
  berth_plan_unref(plan);
  sample_finish(&sample);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "solve", (const TTest *const[]){
                   the_example_is_optimal, nothing_to_place_is_optimal, capacity_is_answered,
                   without_reuse_nobody_shares, a_full_pool_spills_into_the_next, slots_are_shared_whole,
                   stopped_without_a_plan_is_cancelled, stopped_later_it_says_so, any_budget_gives_a_plan,
                   every_switch_leaves_a_plan, random_problems_are_planned,
                   a_front_that_may_be_stacked_wrong_proves_nothing, a_group_that_holds_nothing, NULL});
}
