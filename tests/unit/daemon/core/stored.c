/* The plans that are kept, by their ids. */
#include <string.h>

#include "berth/verify.h"
#include "suite.h"
#include "world.h"

static struct berth_planid make(struct world *world, struct berth_problem *problem) {
  struct client client;
  client_submit(&client, world, problem, BERTHD_NO_DEADLINE);
  world_work(world, ENDS_WELL);
  struct berth_planid id = client.id;
  client_finish(&client);
  return id;
}

START_TEST(a_plan_is_placed_on_every_order_of_its_problem_and_on_no_other) {
  struct world world;
  world_init(&world, NULL);
  struct berth_problem *problem = world_problem(40, 1, 0, false);
  struct berth_planid id = make(&world, problem);
  for (uint64_t order = 0; order < 4; order++) {
    struct berth_problem *other = world_problem(40, 1, order, true);
    const struct berth_plan *plan = NULL;
    struct berth_verdict verdict;
    ck_assert_int_eq(berthd_core_place(world.core, &id, &other, NULL, &plan, NULL), BERTH_OK);
    ck_assert_int_eq(berth_verify(other, plan, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
    ck_assert_uint_eq(verdict.n_violations, 0);
    berth_plan_unref(plan);
    berth_problem_unref(other);
  }
  for (uint32_t n = 39; n <= 40; n++) { /* another number of buffers, and the same */
    struct berth_problem *foreign = world_problem(n, 2, 0, false);
    const struct berth_plan *plan = NULL;
    struct berth_error err;
    ck_assert_int_eq(berthd_core_place(world.core, &id, &foreign, NULL, &plan, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_str_eq(err.field, "plan_id");
    ck_assert_ptr_null(plan);
    berth_problem_unref(foreign);
  }
  berth_problem_unref(problem);
  world_finish(&world);
}
END_TEST

START_TEST(a_plan_that_is_forgotten_is_not_found) {
  struct world world;
  world_init(&world, NULL);
  struct berth_problem *problem = world_problem(20, 3, 0, false);
  struct berth_planid id = make(&world, problem);
  uint64_t serial = berthd_core_serial(world.core, &id);
  ck_assert_uint_ne(serial, 0);
  ck_assert_int_eq(berthd_core_delete(world.core, &id, NULL), BERTH_OK);
  struct berth_error err;
  ck_assert_int_eq(berthd_core_delete(world.core, &id, &err), BERTH_NOT_FOUND);
  ck_assert_int_eq(err.reason, BERTH_REASON_PLAN_NOT_FOUND);
  ck_assert_uint_eq(berthd_core_serial(world.core, &id), 0);
  const struct berth_plan *plan;
  ck_assert_int_eq(berthd_core_place(world.core, &id, &problem, NULL, &plan, &err), BERTH_NOT_FOUND);
  make(&world, problem);
  ck_assert_uint_ne(berthd_core_serial(world.core, &id), serial); /* the same plan, made anew */
  berth_problem_unref(problem);
  world_finish(&world);
}
END_TEST

START_TEST(drift_is_counted) {
  struct world world;
  world_init(&world, NULL);
  struct berth_problem *problem = world_problem(20, 4, 0, false);
  struct berth_planid id = make(&world, problem);
  const struct berth_plan *plan;
  double seconds;
  ck_assert_int_eq(berthd_core_get(world.core, &id, &plan, &seconds, NULL), BERTH_OK);
  struct berth_measured measured;
  for (uint64_t i = 0; i < 3; i++) {
    struct berth_measurement measurement = {.measured_bytes = plan->arena_bytes + i};
    ck_assert_int_eq(berthd_core_measure(world.core, &id, &measurement, &measured, NULL), BERTH_OK);
    ck_assert_uint_eq(measurement.planned_bytes, plan->arena_bytes);
  }
  struct berth_measurement elsewhere = {.pool = 1, .measured_bytes = 1};
  ck_assert_int_eq(berthd_core_measure(world.core, &id, &elsewhere, &measured, NULL), BERTH_INVALID_ARGUMENT);
  ck_assert(berthd_metrics_get(world.metrics, BERTHD_METRIC_MEASURED_PEAK, 0, 0) == 3);
  ck_assert(berthd_metrics_get(world.metrics, BERTHD_METRIC_MEASURED_OVER, 0, 0) == 2);
  berthd_core_measured(world.core, &id, &measured);
  ck_assert_uint_eq(measured.n_all, 3);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
  world_finish(&world);
}
END_TEST

START_TEST(pages_hold_every_plan_once) {
  enum { N = 23 };
  struct world world;
  world_init(&world, NULL);
  for (uint32_t i = 0; i < N; i++) {
    struct berth_problem *problem = world_problem(5 + i, i + 1, 0, false);
    make(&world, problem);
    berth_problem_unref(problem);
  }
  for (uint32_t size = 1; size <= N + 1; size++) {
    struct berth_stored_plan stored[N + 1];
    uint64_t next = 0;
    bool has_next = true;
    uint32_t n_all = 0;
    while (has_next) {
      uint32_t n;
      ck_assert_int_eq(
          berthd_core_list(world.core, n_all > 0 ? &next : NULL, size, stored, &n, &next, &has_next, NULL),
          BERTH_OK);
      ck_assert(n > 0 && n <= size);
      for (uint32_t i = 0; i < n; i++) {
        ck_assert_uint_eq(stored[i].n_measurements, 0);
        ck_assert_uint_ge(stored[i].n_buffers, 5);
        ck_assert_uint_gt(stored[i].arena_bytes, 0);
        ck_assert_uint_ge(stored[i].naive_bytes, stored[i].peak_bytes);
        ck_assert_uint_gt(stored[i].stored_bytes, sizeof(struct berth_plan));
        ck_assert_uint_eq(strlen(stored[i].plan_id), BERTH_PLANID_HEX_SIZE - 1);
      }
      n_all += n;
    }
    ck_assert_uint_eq(n_all, N);
  }
  world_finish(&world);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "core/stored",
      (const TTest *const[]){
          a_plan_is_placed_on_every_order_of_its_problem_and_on_no_other,
          a_plan_that_is_forgotten_is_not_found, drift_is_counted, pages_hold_every_plan_once, NULL});
}
