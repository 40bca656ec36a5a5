/* Hits for the same problem with other names and another order of rows: every offset must be right for the
 * caller's own rows. */
#include "suite.h"
#include "world.h"

START_TEST(hits_for_shuffled_and_renamed_rows_are_right) {
  struct world world;
  world_init(&world, NULL);
  for (uint64_t seed = 1; seed <= 30; seed++) {
    uint32_t n = 1 + (uint32_t)(seed * 7 % 90);
    struct client first;
    struct berth_problem *problem = world_problem(n, seed, 0, false);
    client_submit(&first, &world, problem, BERTHD_NO_DEADLINE);
    world_work(&world, ENDS_WELL);
    client_check_plan(&first);
    for (uint64_t order = 1; order <= 5; order++) {
      struct client other;
      struct berth_problem *shuffled = world_problem(n, seed, order, order % 2 == 1);
      client_submit(&other, &world, shuffled, BERTHD_NO_DEADLINE);
      ck_assert_msg(other.cached, "seed %u order %u", (unsigned)seed, (unsigned)order);
      ck_assert_uint_eq(other.arena_bytes, first.arena_bytes);
      client_check_plan(&other);
      client_finish(&other);
      berth_problem_unref(shuffled);
    }
    client_finish(&first);
    berth_problem_unref(problem);
  }
  ck_assert(
      berthd_metrics_get(world.metrics, BERTHD_METRIC_CACHE_VERIFY_FAILURES, BERTHD_TIER_MEMORY, 0) == 0);
  world_finish(&world);
}
END_TEST

START_TEST(waiters_with_other_orders_of_rows_share_a_flight) {
  struct world world;
  world_init(&world, NULL);
  enum { N_CLIENTS = 8 };
  struct client clients[N_CLIENTS];
  for (uint64_t i = 0; i < N_CLIENTS; i++) {
    struct berth_problem *problem = world_problem(60, 5, i, i % 2 == 1);
    client_submit(&clients[i], &world, problem, BERTHD_NO_DEADLINE);
    berth_problem_unref(problem);
  }
  world_work(&world, ENDS_WELL);
  for (uint64_t i = 0; i < N_CLIENTS; i++) {
    ck_assert_int_eq(clients[i].joined, i > 0);
    client_check_plan(&clients[i]);
    client_finish(&clients[i]);
  }
  world_finish(&world);
}
END_TEST

START_TEST(culprits_and_the_missing_offsets_of_what_does_not_fit_are_mapped) {
  struct world world;
  world_init(&world, NULL);
  struct berth_solve_options options = world_options();
  options.capacity_bytes = 1;
  struct client clients[2];
  for (uint64_t i = 0; i < 2; i++) {
    struct berth_problem *problem = world_problem(30, 9, i * 77, true);
    client_submit_with(&clients[i], &world, problem, &options, BERTHD_NO_DEADLINE);
    if (i == 0) {
      world_work(&world, ENDS_WELL);
    }
    ck_assert_int_eq(clients[i].code, BERTH_OK);
    ck_assert_int_eq(clients[i].status, BERTH_PLAN_INFEASIBLE);
    ck_assert_ptr_null(clients[i].plan->offset);
    berth_problem_unref(problem);
  }
  ck_assert(clients[1].cached);
  const struct berth_plan *a = clients[0].plan;
  const struct berth_plan *b = clients[1].plan;
  ck_assert_uint_gt(a->n_culprits, 0);
  ck_assert_uint_eq(a->n_culprits, b->n_culprits);
  for (uint32_t i = 0; i < a->n_culprits; i++) {
    const struct berth_buffers *of_a = berth_problem_buffers(clients[0].problem);
    const struct berth_buffers *of_b = berth_problem_buffers(clients[1].problem);
    ck_assert_uint_eq(of_a->size_bytes[a->culprits[i]], of_b->size_bytes[b->culprits[i]]);
    ck_assert_int_eq(of_a->lower[a->culprits[i]], of_b->lower[b->culprits[i]]);
  }
  client_finish(&clients[0]);
  client_finish(&clients[1]);
  world_finish(&world);
}
END_TEST

/* A chain of operators whose results may lie in the place of their operands; `reversed` states its values the
 * other way round. */
static struct berth_problem *make_graph(bool reversed) {
  enum { N = 12 };
  struct berth_problem_builder *builder;
  uint32_t value[N];
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (uint32_t k = 0; k < N; k++) {
    uint32_t i = reversed ? N - 1 - k : k;
    struct berth_value_spec spec = berth_value_spec_default();
    spec.size_bytes = 100 + 10 * (i / 2);
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, &value[i], NULL), BERTH_OK);
  }
  for (uint32_t i = 0; i < N; i++) {
    const struct berth_inplace inplace = {0};
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = i > 0 ? &value[i - 1] : NULL;
    spec.n_inputs = i > 0;
    spec.outputs = &value[i];
    spec.n_outputs = 1;
    spec.inplace = i % 2 == 1 ? &inplace : NULL;
    spec.n_inplace = i % 2;
    spec.workspace_bytes = 8 * i;
    uint32_t op;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, &op, NULL), BERTH_OK);
  }
  struct berth_problem *problem;
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

START_TEST(a_graph_is_answered_from_the_plan_of_the_same_graph_stated_otherwise) {
  struct world world;
  world_init(&world, NULL);
  struct client clients[2];
  for (int i = 0; i < 2; i++) {
    struct berth_problem *problem = make_graph(i == 1);
    client_submit(&clients[i], &world, problem, BERTHD_NO_DEADLINE);
    if (i == 0) {
      world_work(&world, ENDS_WELL);
    }
    client_check_plan(&clients[i]);
    berth_problem_unref(problem);
  }
  ck_assert(clients[1].cached);
  ck_assert_uint_eq(clients[0].arena_bytes, clients[1].arena_bytes);
  ck_assert(
      berthd_metrics_get(world.metrics, BERTHD_METRIC_CACHE_VERIFY_FAILURES, BERTHD_TIER_MEMORY, 0) == 0);
  client_finish(&clients[0]);
  client_finish(&clients[1]);
  world_finish(&world);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "core/mapping",
      (const TTest *const[]){
          hits_for_shuffled_and_renamed_rows_are_right, waiters_with_other_orders_of_rows_share_a_flight,
          culprits_and_the_missing_offsets_of_what_does_not_fit_are_mapped,
          a_graph_is_answered_from_the_plan_of_the_same_graph_stated_otherwise, NULL});
}
