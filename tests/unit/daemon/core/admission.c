/* Who is let in: the bounded queue, deadlines that cannot be met, draining, the end. */
#include "suite.h"
#include "world.h"

static void submit_nth(struct client *client, struct world *world, uint64_t n, int64_t deadline_ns) {
  struct berth_problem *problem = world_problem(20, 100 + n, 0, false);
  client_submit(client, world, problem, deadline_ns);
  berth_problem_unref(problem);
}

START_TEST(a_full_queue_refuses_with_a_time_to_come_back) {
  struct world world;
  struct berthd_core_config config = berthd_core_config_default();
  config.max_queue = 3;
  world_init(&world, &config);
  struct client clients[5], same;
  for (uint64_t i = 0; i < 5; i++) {
    submit_nth(&clients[i], &world, i, BERTHD_NO_DEADLINE);
  }
  ck_assert_int_eq(clients[2].n_done, 0);
  for (int i = 3; i < 5; i++) {
    ck_assert_int_eq(clients[i].code, BERTH_UNAVAILABLE);
    ck_assert_int_eq(clients[i].reason, BERTH_REASON_QUEUE_FULL);
    ck_assert_uint_gt(clients[i].retry_after_ms, 0);
  }
  submit_nth(&same, &world, 1, BERTHD_NO_DEADLINE); /* joining takes no room */
  ck_assert(same.n_done == 0);
  for (int i = 0; i < 3; i++) {
    world_work(&world, ENDS_WELL);
  }
  ck_assert(same.joined && same.code == BERTH_OK);
  ck_assert(berthd_metrics_get(world.metrics, BERTHD_METRIC_REJECTED, BERTHD_REJECTION_QUEUE_FULL, 0) == 2);
  for (int i = 0; i < 5; i++) {
    client_finish(&clients[i]);
  }
  client_finish(&same);
  world_finish(&world);
}
END_TEST

START_TEST(the_queue_is_bounded_in_buffers_and_requests_are_bounded_too) {
  struct world world;
  struct berthd_core_config config = berthd_core_config_default();
  config.max_queued_buffers = 50; /* of 20 each */
  config.max_open = 4;
  world_init(&world, &config);
  struct client clients[3], joined[3];
  for (uint64_t i = 0; i < 3; i++) {
    submit_nth(&clients[i], &world, i, BERTHD_NO_DEADLINE);
    ck_assert_int_eq(clients[i].n_done, i == 2);
  }
  ck_assert_int_eq(clients[2].reason, BERTH_REASON_QUEUE_FULL);
  for (int i = 0; i < 3; i++) { /* those of a flight take no room in the queue, but each is open */
    submit_nth(&joined[i], &world, 0, BERTHD_NO_DEADLINE);
    ck_assert_int_eq(joined[i].n_done, i == 2);
  }
  ck_assert_int_eq(joined[2].code, BERTH_UNAVAILABLE);
  ck_assert_uint_gt(joined[2].retry_after_ms, 0);
  world_work(&world, ENDS_WELL);
  world_work(&world, ENDS_WELL);
  struct client large; /* one alone may always wait */
  struct berth_problem *problem = world_problem(80, 1, 0, false);
  client_submit(&large, &world, problem, BERTHD_NO_DEADLINE);
  ck_assert_int_eq(large.n_done, 0);
  world_work(&world, ENDS_WELL);
  for (int i = 0; i < 3; i++) {
    client_finish(&clients[i]);
    client_finish(&joined[i]);
  }
  client_finish(&large);
  berth_problem_unref(problem);
  world_finish(&world);
}
END_TEST

START_TEST(a_deadline_that_would_pass_in_the_queue_is_refused_at_once) {
  struct world world;
  world_init(&world, NULL);
  struct client first, running, queued, hasty;
  submit_nth(&first, &world, 0, BERTHD_NO_DEADLINE);
  world_work(&world, ENDS_WELL); /* it took 0.25 s */
  submit_nth(&running, &world, 1, BERTHD_NO_DEADLINE);
  struct berthd_job *job = berthd_core_take(world.core);
  submit_nth(&queued, &world, 2, BERTHD_NO_DEADLINE);
  submit_nth(&hasty, &world, 3, world.now_ns + 400 * MS);
  ck_assert_int_eq(hasty.code, BERTH_UNAVAILABLE);
  ck_assert_int_eq(hasty.reason, BERTH_REASON_QUEUE_FULL);
  ck_assert(berthd_metrics_get(world.metrics, BERTHD_METRIC_REJECTED, BERTHD_REJECTION_DEADLINE, 0) == 1);
  world_finish_job(&world, job, ENDS_WELL);
  world_work(&world, ENDS_WELL);
  client_finish(&first);
  client_finish(&running);
  client_finish(&queued);
  client_finish(&hasty);
  world_finish(&world);
}
END_TEST

START_TEST(draining_refuses_new_work_but_not_hits_nor_what_is_open) {
  struct world world;
  world_init(&world, NULL);
  struct client known, open, fresh, hit;
  submit_nth(&known, &world, 0, BERTHD_NO_DEADLINE);
  world_work(&world, ENDS_WELL);
  submit_nth(&open, &world, 1, BERTHD_NO_DEADLINE);
  berthd_core_drain(world.core);
  ck_assert(berthd_core_is_draining(world.core));
  submit_nth(&fresh, &world, 2, BERTHD_NO_DEADLINE);
  ck_assert_int_eq(fresh.code, BERTH_UNAVAILABLE);
  ck_assert_int_eq(fresh.reason, BERTH_REASON_DRAINING);
  submit_nth(&hit, &world, 0, BERTHD_NO_DEADLINE);
  ck_assert(hit.cached);
  world_work(&world, ENDS_WELL);
  ck_assert_int_eq(open.code, BERTH_OK);
  client_finish(&known);
  client_finish(&open);
  client_finish(&fresh);
  client_finish(&hit);
  world_finish(&world);
}
END_TEST

START_TEST(the_end_answers_everybody_with_what_there_is) {
  struct world world;
  world_init(&world, NULL);
  struct client running, queued;
  submit_nth(&running, &world, 0, BERTHD_NO_DEADLINE);
  struct berthd_job *job = berthd_core_take(world.core);
  submit_nth(&queued, &world, 1, BERTHD_NO_DEADLINE);
  berthd_core_abort(world.core);
  ck_assert_int_eq(queued.code, BERTH_UNAVAILABLE);
  ck_assert(atomic_load(&job->stop));
  world_finish_job(&world, job, ENDS_CUT_SHORT);
  ck_assert_int_eq(running.status, BERTH_PLAN_CUT_SHORT);
  ck_assert_ptr_null(berthd_core_take(world.core));
  client_finish(&running);
  client_finish(&queued);
  world_finish(&world);
}
END_TEST

struct errand {
  int n_runs;
  int n_releases;
  int n_done;
  enum berth_code code;
};

static enum berth_code run_errand(
    void *ctx, const struct berthd_task_stop *stop, const struct berth_allocator *allocator,
    struct berth_error *err) {
  (void)stop;
  (void)allocator;
  (void)err;
  ((struct errand *)ctx)->n_runs++;
  return BERTH_OK;
}

static void release_errand(void *ctx) {
  ((struct errand *)ctx)->n_releases++;
}

static void on_errand_done(void *ctx, const struct berthd_task_answer *answer) {
  struct errand *errand = ctx;
  errand->n_done++;
  errand->code = answer->code;
}

static void submit_errand(
    struct world *world, struct errand *errand, uint32_t n_buffers, int64_t deadline_ns,
    struct berthd_request **out_request) {
  const struct berthd_task task = {
      .ctx = errand, .n_buffers = n_buffers, .run = run_errand, .release = release_errand};
  *errand = (struct errand){0};
  berthd_core_submit_task(world->core, &task, deadline_ns, errand, on_errand_done, out_request);
  ck_assert_int_eq(*out_request == NULL, errand->n_done == 1);
}

START_TEST(tasks_wait_in_the_same_queue) {
  struct world world;
  world_init(&world, NULL);
  struct errand errand;
  struct berthd_request *request;
  submit_errand(&world, &errand, 20, BERTHD_NO_DEADLINE, &request);
  ck_assert_ptr_nonnull(request);
  struct berthd_job *job = berthd_core_take(world.core);
  ck_assert_int_eq(job->kind, BERTHD_JOB_TASK);
  ck_assert_ptr_eq(job->task.ctx, &errand);
  struct berthd_result result = {.code = job->task.run(job->task.ctx, NULL, NULL, NULL)};
  berthd_core_finish(world.core, job, &result);
  ck_assert(errand.n_runs == 1 && errand.n_done == 1 && errand.n_releases == 1);
  ck_assert_int_eq(errand.code, BERTH_OK);
  berthd_request_unref(request);
  world_finish(&world);
}
END_TEST

/* Refused, late, or left: released all the same, and not run. */
START_TEST(tasks_are_released_whatever_happens) {
  struct berthd_core_config config = berthd_core_config_default();
  config.max_queue = 1;
  struct world world;
  world_init(&world, &config);
  struct errand errands[3];
  struct berthd_request *requests[3];
  submit_errand(&world, &errands[0], 20, world.now_ns + 100 * MS, &requests[0]);
  submit_errand(&world, &errands[1], 20, BERTHD_NO_DEADLINE, &requests[1]);
  ck_assert_int_eq(errands[1].code, BERTH_UNAVAILABLE);
  submit_errand(&world, &errands[2], 20, world.now_ns, &requests[2]);
  ck_assert_int_eq(errands[2].code, BERTH_DEADLINE_EXCEEDED);
  world_advance(&world, world.now_ns + 200 * MS);
  ck_assert_int_eq(errands[0].code, BERTH_DEADLINE_EXCEEDED);
  ck_assert_ptr_null(berthd_core_take(world.core));
  for (int i = 0; i < 3; i++) {
    ck_assert(errands[i].n_done == 1 && errands[i].n_releases == 1 && errands[i].n_runs == 0);
    berthd_request_unref(requests[i]);
  }
  world_finish(&world);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "core/admission", (const TTest *const[]){
                            a_full_queue_refuses_with_a_time_to_come_back,
                            the_queue_is_bounded_in_buffers_and_requests_are_bounded_too,
                            a_deadline_that_would_pass_in_the_queue_is_refused_at_once,
                            draining_refuses_new_work_but_not_hits_nor_what_is_open,
                            the_end_answers_everybody_with_what_there_is, tasks_wait_in_the_same_queue,
                            tasks_are_released_whatever_happens, NULL});
}
