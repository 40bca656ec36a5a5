/* PlanVariants there and back. */
#include "codec/variants.h"

#include <string.h>

#include "berth/restate.h"
#include "berth/v1/plan_service.pb-c.h"
#include "message.h"
#include "suite.h"
#include "symbolic.h"

static enum berth_code there(
    const struct berth_codec *with, const struct berth_problem *problem,
    const struct berth_bindings *variants, uint32_t n, struct berth_codec_variants *out,
    struct berth_error *err) {
  struct message message = {0};
  const struct berth_codec_sink sink = sink_of(&message);
  struct berth_solve_options options = berth_solve_options_default();
  options.capacity_bytes = 1000;
  ck_assert_int_eq(berth_codec_encode_variants(problem, &options, variants, n, NULL, &sink, err), BERTH_OK);
  enum berth_code code = berth_codec_decode_variants(with, message.bytes, message.n, out, err);
  message_finish(&message);
  return code;
}

START_TEST(test_request) {
  struct berth_problem *problem = symbolic_some();
  const struct berth_symbol *symbol = &berth_problem_symbols(problem)->symbols[0];
  const struct berth_binding items[] = {
      {symbol->name, symbol->lower, symbol->lower}, {symbol->name, symbol->lower, symbol->upper}};
  const struct berth_bindings variants[] = {
      {.n = 1, .items = &items[0]}, {.n = 0}, {.n = 1, .items = &items[1]}};
  struct berth_codec_variants request;
  ck_assert_int_eq(there(plain_codec(), problem, variants, 3, &request, NULL), BERTH_OK);
  ck_assert_uint_eq(request.n, 3);
  ck_assert_uint_eq(request.items[1].n, 0);
  ck_assert_uint_eq(request.items[0].items[0].upper, symbol->lower);
  ck_assert_uint_eq(request.items[2].items[0].upper, symbol->upper);
  ck_assert_mem_eq(request.items[2].items[0].symbol.data, symbol->name.data, symbol->name.size);
  ck_assert_uint_eq(request.options.capacity_bytes, 1000);
  berth_codec_variants_finish(&request);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(test_refusals) {
  struct berth_problem *problem = symbolic_some();
  const struct berth_symbol *symbol = &berth_problem_symbols(problem)->symbols[0];
  const struct berth_binding items[] = {
      {symbol->name, symbol->lower, symbol->lower},
      {{"nobody", 6}, 1, 1},
      {symbol->name, symbol->upper + 1, symbol->upper + 1},
      {symbol->name, symbol->lower, symbol->upper + 1}};
  const struct berth_binding twice[] = {items[0], items[0]};
  const struct {
    struct berth_bindings second;
    const char *field;
  } wrong[] = {
      {{.n = 1, .items = &items[1]}, "variants[1].bindings[0].symbol"},
      {{.n = 1, .items = &items[2]}, "variants[1].bindings[0].lower"},
      {{.n = 1, .items = &items[3]}, "variants[1].bindings[0].upper"},
      {{.n = 2, .items = twice}, "variants[1].bindings[1].symbol"}};
  struct berth_codec_variants request;
  struct berth_error err;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    const struct berth_bindings variants[] = {{.n = 1, .items = items}, wrong[i].second};
    ck_assert_int_eq(there(plain_codec(), problem, variants, 2, &request, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_str_eq(err.field, wrong[i].field);
    ck_assert_int_eq(err.reason, BERTH_REASON_BAD_SYMBOL);
    ck_assert_ptr_null(request.problem);
  }
  ck_assert_int_eq(there(plain_codec(), problem, NULL, 0, &request, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(err.field, "variants");
  static struct berth_bindings many[BERTH_MAX_VARIANTS + 1];
  ck_assert_int_eq(
      there(plain_codec(), problem, many, BERTH_MAX_VARIANTS + 1, &request, &err), BERTH_RESOURCE_EXHAUSTED);
  struct berth_codec small = *plain_codec();
  small.limits.buffers = 3 * (uint64_t)berth_problem_buffers(problem)->n + 40;
  ck_assert_int_eq(there(&small, problem, many, 40, &request, &err), BERTH_RESOURCE_EXHAUSTED);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(test_answer) {
  struct berth_problem *problem = symbolic_some();
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_plan *plan = NULL;
  struct berth_problem *of = NULL;
  struct message message = {0};
  const struct berth_codec_sink sink = sink_of(&message);
  struct berth_codec_variant_result results[3] = {{.from_bounds = true, .problem = NULL}};
  struct berth_codec_variant_result bounds;
  options.budget_ticks = 100000;
  ck_assert_int_eq(berth_solve_levels(problem, &options, NULL, NULL, &of, &plan, NULL), BERTH_OK);
  results[0].plan.plan = plan;
  results[0].problem = of;
  memset(results[0].plan.plan_id, 'a', BERTH_PLANID_HEX_SIZE - 1);
  (void)!berth_fail(
      &results[1].error, BERTH_DEADLINE_EXCEEDED, BERTH_REASON_DEADLINE, BERTH_NO_INDEX, NULL, "too late");
  results[2] = results[0];
  results[2].from_bounds = false;
  bounds = results[1];
  ck_assert_int_eq(
      berth_codec_encode_variants_response(
          results, 3, &bounds, berth_problem_pools(problem), NULL, &sink, NULL),
      BERTH_OK);
  Berth__V1__PlanVariantsResponse *raw =
      berth__v1__plan_variants_response__unpack(NULL, message.n, message.bytes);
  ck_assert_ptr_nonnull(raw); /* what was put together by hand is a message */
  ck_assert_uint_eq(raw->n_variants, 3);
  ck_assert_uint_eq(raw->n_pools, berth_problem_pools(problem)->n);
  ck_assert_uint_eq(raw->one_at_a_time_bytes, plan->arena_bytes);
  ck_assert_uint_ge(raw->all_at_once_bytes, 2 * plan->arena_bytes);
  berth__v1__plan_variants_response__free_unpacked(raw, NULL);
  struct berth_codec_variant_result back[3];
  struct berth_codec_variant_result bounds_back;
  struct berth_error err;
  ck_assert_int_eq(
      berth_codec_decode_variants_response(
          plain_codec(), message.bytes, message.n, back, 2, &bounds_back, &err),
      BERTH_INTERNAL); /* not as many as were asked for */
  ck_assert_int_eq(
      berth_codec_decode_variants_response(
          plain_codec(), message.bytes, message.n, back, 3, &bounds_back, &err),
      BERTH_OK);
  ck_assert(back[0].from_bounds && !back[2].from_bounds);
  ck_assert_uint_eq(back[0].plan.plan->arena_bytes, plan->arena_bytes);
  ck_assert_mem_eq(back[2].plan.plan->offset, plan->offset, plan->n_buffers * sizeof *plan->offset);
  ck_assert_ptr_null(back[1].plan.plan);
  ck_assert_int_eq(back[1].error.code, BERTH_DEADLINE_EXCEEDED);
  ck_assert_int_eq(back[1].error.reason, BERTH_REASON_DEADLINE);
  ck_assert_str_eq(back[1].error.message, "too late");
  ck_assert_int_eq(bounds_back.error.code, BERTH_DEADLINE_EXCEEDED);
  for (int i = 0; i < 3; i++) {
    berth_plan_unref(back[i].plan.plan);
  }
  message_finish(&message);
  berth_plan_unref(plan);
  berth_problem_unref(of);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "proto/codec/variants", (const TTest *const[]){test_request, test_refusals, test_answer, NULL});
}
