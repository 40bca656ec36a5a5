#include "json/plan.h"

#include <jansson.h>
#include <math.h>

#include "support.h"
#include "json/emit.h"

static json_t *write_plan(const struct berth_json_plan *what) {
  struct kept kept;
  struct berth_sink sink = keep_sink(&kept);
  ck_assert_int_eq(berth_json_write_plan(what, sink, NULL), BERTH_OK);
  json_error_t error;
  json_t *root = json_loads(kept.bytes, JSON_REJECT_DUPLICATES, &error);
  ck_assert_msg(root != NULL, "%d: %s in %s", error.line, error.text, kept.bytes);
  free(kept.bytes);
  return root;
}

static json_int_t number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  ck_assert_msg(json_is_integer(value), "%s is no whole number", key);
  return json_integer_value(value);
}

static const char *text(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  ck_assert_msg(json_is_string(value), "%s is no text", key);
  return json_string_value(value);
}

/* 4 EiB and 2 GiB side by side: nothing is rounded to 53 or cut to 32 bits. */
START_TEST(every_field_is_there_and_exact) {
  const uint64_t Q_BYTES = UINT64_C(4611686018427387903);
  const uint64_t SUM = Q_BYTES + UINT64_C(2147483648);
  struct berth_problem *problem = read_text("id,start,end,size,alignment\n"
                                            "p,1,2,2147483648,64\n\"q\"\"\n\",1,2,4611686018427387903,1\n");
  struct berth_plan *plan = plan_with(problem, (const uint64_t[]){Q_BYTES + 1, 0});
  plan->status = BERTH_PLAN_FEASIBLE;
  plan->lower_bound_bytes = plan->peak_bytes = plan->reuse_bytes = SUM;
  plan->ticks = UINT64_C(9007199254740993); /* no double has this value */
  plan->class_bytes[BERTH_CLASS_TEMPORARY] = SUM;
  struct berth_pool_result *pool = berth_plan_pools_mut(plan);
  pool->peak_step = -1;
  pool->base_alignment = 64;
  json_t *root = write_plan(&(struct berth_json_plan){
      .problem = problem, .plan = plan, .name = "n", .plan_id = "ab", .cached = true, .solve_seconds = 0.1});
  ck_assert_str_eq(text(root, "status"), "feasible");
  ck_assert_str_eq(text(root, "name"), "n");
  ck_assert_str_eq(text(root, "plan_id"), "ab");
  ck_assert(json_is_true(json_object_get(root, "cached")));
  ck_assert_uint_eq((uint64_t)number(root, "arena_bytes"), SUM + 1);
  ck_assert_uint_eq((uint64_t)number(root, "lower_bound_bytes"), SUM);
  ck_assert_uint_eq((uint64_t)number(root, "naive_bytes"), SUM);
  ck_assert_uint_eq((uint64_t)number(root, "peak_bytes"), SUM);
  ck_assert_uint_eq((uint64_t)number(root, "reuse_bytes"), SUM);
  ck_assert_int_eq(number(root, "effort"), INT64_C(9007199254740993));
  ck_assert_double_eq(json_number_value(json_object_get(root, "solve_seconds")), 0.1);
  ck_assert_double_eq(json_number_value(json_object_get(root, "rho")), 0);
  ck_assert_uint_eq((uint64_t)number(json_object_get(root, "class_bytes"), "temporary"), SUM);
  const json_t *pools = json_object_get(root, "pools");
  ck_assert_uint_eq(json_array_size(pools), 1);
  const json_t *first = json_array_get(pools, 0);
  ck_assert_str_eq(text(first, "name"), "arena");
  ck_assert_uint_eq((uint64_t)number(first, "arena_bytes"), SUM + 1);
  ck_assert_int_eq(number(first, "alignment"), 1);
  ck_assert_int_eq(number(first, "base_alignment"), 64);
  ck_assert_int_eq(number(first, "peak_step"), -1);
  ck_assert(json_is_null(json_object_get(first, "capacity_bytes")));
  const json_t *buffers = json_object_get(root, "buffers");
  ck_assert_uint_eq(json_array_size(buffers), 2);
  const json_t *p = json_array_get(buffers, 0);
  ck_assert_str_eq(text(p, "id"), "p");
  ck_assert_str_eq(text(p, "pool"), "arena");
  ck_assert_str_eq(text(p, "class"), "temporary");
  ck_assert_uint_eq((uint64_t)number(p, "offset"), Q_BYTES + 1);
  ck_assert_int_eq(number(p, "size"), INT64_C(2147483648));
  ck_assert_int_eq(number(p, "lower"), 1);
  ck_assert_int_eq(number(p, "upper"), 3); /* half-open */
  ck_assert_int_eq(number(p, "alignment"), 64);
  ck_assert_str_eq(text(json_array_get(buffers, 1), "id"), "q\"\n");
  ck_assert_ptr_null(json_object_get(root, "culprits"));
  json_decref(root);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(what_there_is_not_is_null) {
  struct berth_problem *problem = read_text("id,lower,upper,size\n,0,2,10\nb,1,2,10\n");
  struct berth_plan *plan = berth_plan_create(NULL, 2, 1);
  plan->status = BERTH_PLAN_INFEASIBLE;
  plan->lower_bound_bytes = 20;
  plan->short_by_bytes = 5;
  plan->n_culprits = 2;
  plan->culprits_proof = BERTH_CULPRITS_MINIMAL;
  plan->culprits[0] = 1;
  plan->culprits[1] = 0;
  plan->offset = NULL;
  plan->pool = NULL;
  json_t *root = write_plan(&(struct berth_json_plan){.problem = problem, .plan = plan});
  ck_assert_str_eq(text(root, "status"), "infeasible");
  ck_assert_int_eq(number(root, "short_by_bytes"), 5);
  static const char *const NULLS[] = {"name", "arena_bytes", "gap", "plan_id"};
  for (size_t i = 0; i < sizeof NULLS / sizeof NULLS[0]; i++) {
    ck_assert_msg(json_is_null(json_object_get(root, NULLS[i])), "%s", NULLS[i]);
  }
  ck_assert_str_eq(text(root, "culprits_proof"), "minimal");
  const json_t *culprits = json_object_get(root, "culprits");
  ck_assert_uint_eq(json_array_size(culprits), 2);
  ck_assert_str_eq(text(json_array_get(culprits, 0), "id"), "b");
  ck_assert_int_eq(number(json_array_get(culprits, 1), "index"), 0);
  ck_assert(json_is_null(json_object_get(json_array_get(culprits, 1), "id")));
  const json_t *buffer = json_array_get(json_object_get(root, "buffers"), 1);
  ck_assert(json_is_null(json_object_get(buffer, "offset")));
  ck_assert(json_is_null(json_object_get(buffer, "pool")));
  json_decref(root);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(without_the_problem) {
  struct berth_plan *plan = berth_plan_create(NULL, 1, 1);
  berth_plan_offset_mut(plan)[0] = 7;
  berth_plan_pool_mut(plan)[0] = 0;
  json_t *root = write_plan(&(struct berth_json_plan){.plan = plan});
  const json_t *buffer = json_array_get(json_object_get(root, "buffers"), 0);
  ck_assert_int_eq(number(buffer, "offset"), 7);
  ck_assert_str_eq(text(buffer, "pool"), "0");
  ck_assert_ptr_null(json_object_get(buffer, "size"));
  json_decref(root);
  berth_plan_unref(plan);
}
END_TEST

/* Doubles read back as themselves, in as few digits as that takes. */
START_TEST(doubles) {
  const struct {
    double n;
    const char *text;
  } CASES[] = {{0.1, "0.1"},   {1.0 / 3, "0.3333333333333333"}, {0, "0"}, {1e300, "1e+300"},
               {-2.5, "-2.5"}, {(double)INFINITY, "null"}};
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct kept kept;
    struct berth_writer writer;
    struct berth_json json;
    berth_writer_init(&writer, keep_sink(&kept));
    berth_json_init(&json, &writer);
    berth_json_double(&json, NULL, CASES[i].n);
    ck_assert_int_eq(berth_writer_finish(&writer, NULL), BERTH_OK);
    ck_assert_str_eq(kept.bytes, CASES[i].text);
    free(kept.bytes);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "json/plan",
      (const TTest *const[]){
          every_field_is_there_and_exact, what_there_is_not_is_null, without_the_problem, doubles, NULL});
}
