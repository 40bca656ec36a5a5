/* Deadlines: each request has its own, and gets the best plan there is a little before it. */
#include "suite.h"
#include "world.h"

#define AT(world, ms) ((world).now_ns + (ms)*MS)

START_TEST(a_deadline_in_the_past_is_refused) {
  struct world world;
  world_init(&world, NULL);
  struct client client;
  client_submit(&client, &world, NULL, world.now_ns);
  ck_assert_int_eq(client.code, BERTH_DEADLINE_EXCEEDED);
  ck_assert_int_eq(client.reason, BERTH_REASON_DEADLINE);
  client_finish(&client);
  world_finish(&world);
}
END_TEST

START_TEST(a_queued_request_waits_until_its_deadline_and_not_longer) {
  struct world world;
  world_init(&world, NULL);
  struct client client;
  int64_t deadline = AT(world, 500);
  client_submit(&client, &world, NULL, deadline);
  world_advance(&world, deadline - 1);
  ck_assert_int_eq(client.n_done, 0);
  world_advance(&world, deadline);
  ck_assert_int_eq(client.code, BERTH_DEADLINE_EXCEEDED);
  ck_assert_ptr_null(berthd_core_take(world.core)); /* nobody waits for it any more */
  client_finish(&client);
  world_finish(&world);
}
END_TEST

START_TEST(a_running_search_is_stopped_before_the_deadline_and_its_plan_is_the_answer) {
  struct world world;
  world_init(&world, NULL);
  struct client client, again;
  int64_t deadline = AT(world, 500);
  client_submit(&client, &world, NULL, deadline);
  struct berthd_job *job = berthd_core_take(world.core);
  world_advance(&world, deadline - 100 * MS);
  ck_assert(!atomic_load(&job->stop));
  world_advance(&world, deadline - 5 * MS);
  ck_assert(atomic_load(&job->stop));
  ck_assert_int_eq(client.n_done, 0);
  world_finish_job(&world, job, ENDS_CUT_SHORT);
  ck_assert_int_eq(client.code, BERTH_OK);
  ck_assert_int_eq(client.status, BERTH_PLAN_CUT_SHORT);
  ck_assert(!client.is_final && !client.cached);
  client_check_plan(&client);
  /* What was cut short does not answer the next request. */
  client_submit(&again, &world, NULL, BERTHD_NO_DEADLINE);
  ck_assert_int_eq(again.n_done, 0);
  world_work(&world, ENDS_WELL);
  ck_assert(again.is_final);
  client_finish(&client);
  client_finish(&again);
  world_finish(&world);
}
END_TEST

START_TEST(a_search_without_a_plan_is_given_most_of_what_is_left) {
  struct world world;
  world_init(&world, NULL);
  struct client client;
  int64_t deadline = AT(world, 500);
  client_submit(&client, &world, NULL, deadline);
  struct berthd_job *job = berthd_core_take(world.core);
  int64_t told = 0;
  int64_t urged = 0;
  for (int64_t now = AT(world, 1); now < deadline && urged == 0; now += MS) {
    world_advance(&world, now);
    told = told == 0 && atomic_load(&job->stop) ? now : told;
    urged = atomic_load(&job->is_urgent) ? now : 0;
  }
  ck_assert_int_lt(told, urged);
  ck_assert_int_lt(urged, deadline);
  ck_assert_int_gt(urged - told, (deadline - told) / 2);
  world_finish_job(&world, job, ENDS_WITHOUT_PLAN);
  ck_assert_int_eq(client.code, BERTH_DEADLINE_EXCEEDED);
  client_finish(&client);
  world_finish(&world);
}
END_TEST

START_TEST(without_any_plan_it_is_deadline_exceeded) {
  struct world world;
  world_init(&world, NULL);
  struct client client;
  int64_t deadline = AT(world, 500);
  client_submit(&client, &world, NULL, deadline);
  struct berthd_job *job = berthd_core_take(world.core);
  world_advance(&world, deadline - 1);
  world_finish_job(&world, job, ENDS_WITHOUT_PLAN);
  ck_assert_int_eq(client.code, BERTH_DEADLINE_EXCEEDED);
  client_finish(&client);
  world_finish(&world);
}
END_TEST

START_TEST(a_worker_that_does_not_stop_does_not_hold_up_the_answer) {
  struct world world;
  world_init(&world, NULL);
  struct client client;
  int64_t deadline = AT(world, 500);
  client_submit(&client, &world, NULL, deadline);
  struct berthd_job *job = berthd_core_take(world.core);
  world_advance(&world, deadline);
  ck_assert_int_eq(client.code, BERTH_DEADLINE_EXCEEDED);
  world_finish_job(&world, job, ENDS_CUT_SHORT);
  client_finish(&client);
  world_finish(&world);
}
END_TEST

START_TEST(others_go_on_when_one_is_out_of_time) {
  struct world world;
  world_init(&world, NULL);
  struct client hasty, middling, patient;
  int64_t begin = world.now_ns;
  client_submit(&hasty, &world, NULL, begin + 300 * MS);
  client_submit(&middling, &world, NULL, begin + 1000 * MS);
  client_submit(&patient, &world, NULL, begin + 9000 * MS);
  struct berthd_job *job = berthd_core_take(world.core);
  world_advance(&world, begin + 299 * MS);
  ck_assert(atomic_load(&job->stop));
  world_finish_job(&world, job, ENDS_CUT_SHORT);
  ck_assert_int_eq(hasty.status, BERTH_PLAN_CUT_SHORT);
  ck_assert_int_eq(middling.n_done + patient.n_done, 0);
  /* The search starts again for the others, and is not stopped a second time: there is an incumbent. */
  job = berthd_core_take(world.core);
  ck_assert_ptr_nonnull(job);
  ck_assert(!atomic_load(&job->stop));
  world_advance(&world, begin + 1000 * MS);
  ck_assert_int_eq(middling.status, BERTH_PLAN_CUT_SHORT);
  ck_assert_int_lt(middling.done_ns, begin + 1000 * MS);
  ck_assert(!atomic_load(&job->stop));
  world_finish_job(&world, job, ENDS_WELL);
  ck_assert(patient.is_final);
  client_check_plan(&hasty);
  client_check_plan(&middling);
  client_finish(&hasty);
  client_finish(&middling);
  client_finish(&patient);
  world_finish(&world);
}
END_TEST

START_TEST(a_search_that_starts_again_tells_nothing_worse_than_before) {
  struct world world;
  world_init(&world, NULL);
  struct client hasty, patient;
  int64_t begin = world.now_ns;
  client_submit(&hasty, &world, NULL, begin + 300 * MS);
  client_submit(&patient, &world, NULL, begin + 9000 * MS);
  struct berthd_job *job = berthd_core_take(world.core);
  const struct berth_progress good = {.arena_bytes = 80, .lower_bound_bytes = 60, .ticks = 1000};
  const struct berth_progress early = {.arena_bytes = 300, .lower_bound_bytes = 10, .ticks = 5};
  berthd_core_progress(world.core, job, &good);
  world_advance(&world, begin + 299 * MS);
  world_finish_job(&world, job, ENDS_CUT_SHORT);
  job = berthd_core_take(world.core);
  ck_assert_ptr_nonnull(job);
  berthd_core_progress(world.core, job, &early);
  ck_assert_int_eq(patient.n_progress, 3);
  ck_assert_uint_eq(patient.progress.arena_bytes, 80);
  ck_assert_uint_eq(patient.progress.lower_bound_bytes, 60);
  ck_assert_uint_eq(patient.progress.ticks, 1000);
  world_finish_job(&world, job, ENDS_WELL);
  client_finish(&hasty);
  client_finish(&patient);
  world_finish(&world);
}
END_TEST

START_TEST(a_line_of_hasty_requests_does_not_keep_a_search_from_its_first_plan) {
  struct world world;
  world_init(&world, NULL);
  struct client first, second, patient;
  int64_t begin = world.now_ns;
  client_submit(&patient, &world, NULL, begin + 9000 * MS);
  client_submit(&first, &world, NULL, begin + 300 * MS);
  struct berthd_job *job = berthd_core_take(world.core);
  world_advance(&world, begin + 299 * MS);
  ck_assert(atomic_load(&job->stop));
  world_finish_job(&world, job, ENDS_WITHOUT_PLAN);
  ck_assert_int_eq(first.code, BERTH_DEADLINE_EXCEEDED);
  job = berthd_core_take(world.core);
  client_submit(&second, &world, NULL, begin + 700 * MS);
  ck_assert(second.n_done == 0 && patient.n_done == 0);
  world_advance(&world, begin + 700 * MS);
  ck_assert(!atomic_load(&job->stop));
  ck_assert_int_eq(second.code, BERTH_DEADLINE_EXCEEDED);
  ck_assert_int_eq(second.done_ns, begin + 700 * MS);
  /* Nobody outlasts this one: what there is by then is its answer. */
  world_advance(&world, begin + 8999 * MS);
  ck_assert(atomic_load(&job->stop));
  world_finish_job(&world, job, ENDS_CUT_SHORT);
  ck_assert_int_eq(patient.status, BERTH_PLAN_CUT_SHORT);
  client_finish(&first);
  client_finish(&second);
  client_finish(&patient);
  world_finish(&world);
}
END_TEST

START_TEST(a_margin_that_came_in_the_queue_counts_anew) {
  struct world world;
  world_init(&world, NULL);
  struct client client;
  int64_t deadline = AT(world, 500);
  client_submit(&client, &world, NULL, deadline);
  world_advance(&world, deadline - 10 * MS);
  struct berthd_job *job = berthd_core_take(world.core);
  ck_assert(!atomic_load(&job->stop));
  world_advance(&world, deadline - 4 * MS);
  ck_assert(atomic_load(&job->stop));
  world_finish_job(&world, job, ENDS_CUT_SHORT);
  ck_assert_int_eq(client.status, BERTH_PLAN_CUT_SHORT);
  client_finish(&client);
  world_finish(&world);
}
END_TEST

START_TEST(long_deadlines_are_cut_and_missing_ones_are_given) {
  struct world world;
  struct berthd_core_config config = berthd_core_config_default();
  config.default_deadline_ns = 1000 * MS;
  config.max_deadline_ns = 2000 * MS;
  world_init(&world, &config);
  struct client none, endless;
  struct berth_solve_options options = world_options();
  int64_t begin = world.now_ns;
  client_submit(&none, &world, NULL, BERTHD_NO_DEADLINE);
  options.budget_ticks++;
  client_submit_with(&endless, &world, NULL, &options, begin + 3600000 * MS);
  world_advance(&world, begin + 5000 * MS);
  ck_assert_int_eq(none.done_ns, begin + 1000 * MS);
  ck_assert_int_eq(endless.done_ns, begin + 2000 * MS);
  client_finish(&none);
  client_finish(&endless);
  world_finish(&world);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "core/deadline",
      (const TTest *const[]){
          a_deadline_in_the_past_is_refused, a_queued_request_waits_until_its_deadline_and_not_longer,
          a_running_search_is_stopped_before_the_deadline_and_its_plan_is_the_answer,
          a_search_without_a_plan_is_given_most_of_what_is_left, without_any_plan_it_is_deadline_exceeded,
          a_worker_that_does_not_stop_does_not_hold_up_the_answer, others_go_on_when_one_is_out_of_time,
          a_search_that_starts_again_tells_nothing_worse_than_before,
          a_line_of_hasty_requests_does_not_keep_a_search_from_its_first_plan,
          a_margin_that_came_in_the_queue_counts_anew, long_deadlines_are_cut_and_missing_ones_are_given,
          NULL});
}
