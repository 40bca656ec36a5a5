/* Single flight: equal requests are one computation, and each is answered for itself. */
#include <stdlib.h>

#include "suite.h"
#include "world.h"

#define N_EQUAL 1000

START_TEST(a_thousand_equal_requests_are_one_computation) {
  struct world world;
  world_init(&world, NULL);
  struct client *clients = calloc(N_EQUAL, sizeof *clients);
  struct berth_problem *problem = world_problem(40, 1, 0, false);
  for (int i = 0; i < N_EQUAL; i++) {
    client_submit(&clients[i], &world, problem, BERTHD_NO_DEADLINE);
    ck_assert_int_eq(clients[i].n_done, 0);
  }
  ck_assert_uint_eq(berthd_core_n_open(world.core), N_EQUAL);
  struct berthd_job *job = berthd_core_take(world.core);
  ck_assert_ptr_null(berthd_core_take(world.core));
  world_finish_job(&world, job, ENDS_WELL);
  for (int i = 0; i < N_EQUAL; i++) {
    ck_assert_int_eq(clients[i].code, BERTH_OK);
    ck_assert_int_eq(clients[i].joined, i > 0);
    ck_assert_int_eq(clients[i].n_progress, 1);
    ck_assert(clients[i].is_final && !clients[i].cached);
    ck_assert_ptr_eq(clients[i].plan->offset, clients[0].plan->offset); /* shared, not copied */
    client_finish(&clients[i]);
  }
  ck_assert(
      berthd_metrics_get(
          world.metrics, BERTHD_METRIC_CACHE_REQUESTS, BERTHD_TIER_MEMORY, BERTHD_CACHE_RESULT_JOINED) ==
      N_EQUAL - 1);
  free(clients);
  berth_problem_unref(problem);
  world_finish(&world);
}
END_TEST

START_TEST(afterwards_the_cache_answers_on_the_callers_thread) {
  struct world world;
  world_init(&world, NULL);
  struct client first, second;
  client_submit(&first, &world, NULL, BERTHD_NO_DEADLINE);
  world_work(&world, ENDS_WELL);
  client_submit(&second, &world, NULL, BERTHD_NO_DEADLINE);
  ck_assert_int_eq(second.n_done, 1);
  ck_assert_ptr_null(second.request);
  ck_assert(second.cached && second.is_final && !second.joined);
  ck_assert_uint_eq(second.arena_bytes, first.arena_bytes);
  ck_assert_str_eq(second.id.hex, first.id.hex);
  client_check_plan(&second);
  const struct berth_plan *by_id;
  double seconds;
  ck_assert_int_eq(berthd_core_get(world.core, &first.id, &by_id, &seconds, NULL), BERTH_OK);
  ck_assert_uint_eq(by_id->arena_bytes, first.arena_bytes);
  ck_assert(seconds == 0.25);
  berth_plan_unref(by_id);
  struct berth_planid other = first.id;
  other.bytes[31] ^= 1;
  struct berth_error err;
  ck_assert_int_eq(berthd_core_get(world.core, &other, &by_id, &seconds, &err), BERTH_NOT_FOUND);
  ck_assert_int_eq(err.reason, BERTH_REASON_PLAN_NOT_FOUND);
  client_finish(&first);
  client_finish(&second);
  world_finish(&world);
}
END_TEST

START_TEST(other_options_are_another_computation) {
  struct world world;
  world_init(&world, NULL);
  struct client first, second;
  client_submit(&first, &world, NULL, BERTHD_NO_DEADLINE);
  struct berth_solve_options options = world_options();
  options.budget_ticks++;
  client_submit_with(&second, &world, NULL, &options, BERTHD_NO_DEADLINE);
  ck_assert(!second.joined);
  world_work(&world, ENDS_WELL);
  world_work(&world, ENDS_WELL);
  ck_assert_str_ne(first.id.hex, second.id.hex);
  client_finish(&first);
  client_finish(&second);
  world_finish(&world);
}
END_TEST

START_TEST(work_is_stopped_when_the_last_waiter_leaves) {
  struct world world;
  world_init(&world, NULL);
  struct client first, second, third;
  client_submit(&first, &world, NULL, BERTHD_NO_DEADLINE);
  client_submit(&second, &world, NULL, BERTHD_NO_DEADLINE);
  struct berthd_job *job = berthd_core_take(world.core);
  berthd_request_cancel(first.request);
  ck_assert_int_eq(first.code, BERTH_CANCELLED);
  ck_assert(!atomic_load(&job->stop) && !atomic_load(&job->is_abandoned));
  berthd_request_cancel(second.request);
  berthd_request_cancel(second.request); /* nothing more happens */
  ck_assert(atomic_load(&job->stop) && atomic_load(&job->is_abandoned));
  /* A new one does not join what is being stopped. */
  client_submit(&third, &world, NULL, BERTHD_NO_DEADLINE);
  ck_assert(!third.joined);
  world_finish_job(&world, job, ENDS_WITHOUT_PLAN);
  ck_assert_int_eq(third.n_done, 0);
  world_work(&world, ENDS_WELL);
  ck_assert_int_eq(third.code, BERTH_OK);
  client_finish(&first);
  client_finish(&second);
  client_finish(&third);
  world_finish(&world);
}
END_TEST

START_TEST(a_queued_computation_is_dropped_when_the_last_waiter_leaves) {
  struct world world;
  world_init(&world, NULL);
  struct client client;
  client_submit(&client, &world, NULL, BERTHD_NO_DEADLINE);
  berthd_request_cancel(client.request);
  ck_assert_ptr_null(berthd_core_take(world.core));
  ck_assert(berthd_metrics_get(world.metrics, BERTHD_METRIC_QUEUE_DEPTH, 0, 0) == 0);
  client_finish(&client);
  world_finish(&world);
}
END_TEST

START_TEST(a_refused_plan_is_internal_and_is_remembered_only_briefly) {
  struct world world;
  world_init(&world, NULL);
  struct client first, second, third;
  client_submit(&first, &world, NULL, BERTHD_NO_DEADLINE);
  world_work(&world, ENDS_BAD);
  ck_assert_int_eq(first.code, BERTH_INTERNAL);
  ck_assert_ptr_null(first.plan);
  ck_assert(berthd_metrics_get(world.metrics, BERTHD_METRIC_VERIFY_FAILURES, 0, 0) == 1);
  client_submit(&second, &world, NULL, BERTHD_NO_DEADLINE);
  ck_assert_int_eq(second.n_done, 1);
  ck_assert_int_eq(second.code, BERTH_INTERNAL);
  world_advance(&world, world.now_ns + 11000 * MS);
  client_submit(&third, &world, NULL, BERTHD_NO_DEADLINE);
  world_work(&world, ENDS_WELL);
  ck_assert_int_eq(third.code, BERTH_OK);
  client_finish(&first);
  client_finish(&second);
  client_finish(&third);
  world_finish(&world);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "core/flight",
      (const TTest *const[]){
          a_thousand_equal_requests_are_one_computation, afterwards_the_cache_answers_on_the_callers_thread,
          other_options_are_another_computation, work_is_stopped_when_the_last_waiter_leaves,
          a_queued_computation_is_dropped_when_the_last_waiter_leaves,
          a_refused_plan_is_internal_and_is_remembered_only_briefly, NULL});
}
