/* The whole way of a plan: encoded, sent, planned, answered, decoded, and the second time from the caches. */
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "codec/codec.h"
#include "server.h"
#include "suite.h"

#define COMPUTE "/berth.v1.PlanService/ComputePlan"
#define STREAM "/berth.v1.PlanService/StreamPlan"
#define GET "/berth.v1.PlanService/GetPlan"
#define VERIFY "/berth.v1.PlanService/VerifyPlan"

static void decode(const struct raw_answer *answer, struct berth_codec_plan *out) {
  const struct berth_codec codec = {.limits = berth_codec_limits_default()};
  struct berth_error err;
  ck_assert_msg(answer->code == BERTH_OK, "%d %s", answer->code, answer->text);
  ck_assert_int_eq(
      berth_codec_decode_compute_response(&codec, answer->last, answer->n_last, BERTH_NO_INDEX, out, &err),
      BERTH_OK);
  ck_assert_ptr_nonnull(out->plan);
}

START_TEST(test_compute_and_caches) {
  struct test_server server;
  struct raw_answer answer;
  struct berth_codec_plan plans[3];
  test_server_start(&server, NULL);
  struct bytes request = make_request(500, 7, 50000000);
  const struct raw_call call = {.method = COMPUTE, .bytes = request.data, .n_bytes = request.n};
  for (int i = 0; i < 3; i++) {
    raw_call(server.address, &call, &answer);
    decode(&answer, &plans[i]);
    raw_answer_finish(&answer);
    ck_assert_int_eq(plans[i].cached, i > 0);
    ck_assert_str_eq(plans[i].plan_id, plans[0].plan_id);
    ck_assert_uint_eq(plans[i].plan->n_buffers, 500);
    ck_assert_mem_eq(plans[i].plan->offset, plans[0].plan->offset, 500 * sizeof(uint64_t));
  }
  ck_assert(
      berthd_metrics_get(
          server.metrics, BERTHD_METRIC_CACHE_REQUESTS, BERTHD_TIER_REPLY, BERTHD_CACHE_RESULT_HIT) == 1);
  for (int i = 0; i < 3; i++) {
    berth_plan_unref(plans[i].plan);
  }
  bytes_finish(&request);
  test_server_stop(&server);
}
END_TEST

static uint8_t *reserve(void *ctx, size_t n_bytes) {
  struct bytes *bytes = ctx;
  bytes->data = malloc(n_bytes);
  bytes->n = n_bytes;
  return bytes->data;
}

/* The text blames no pool that has room. */
START_TEST(test_what_does_not_fit_in_a_pool_of_many) {
  struct test_server server;
  struct raw_answer answer;
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  struct bytes request;
  const uint32_t small = 1;
  struct berth_pool_spec pools[2] = {berth_pool_spec_default(), berth_pool_spec_default()};
  pools[0].name = (struct berth_text){"main", 4};
  pools[1].name = (struct berth_text){"small", 5};
  pools[1].capacity_bytes = 10;
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.size_bytes = 24;
  spec.upper = 1;
  spec.n_pools = 1;
  spec.pools = &small;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pools[i], NULL, NULL), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, NULL, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  const struct berth_solve_options options = berth_solve_options_default();
  const struct berth_codec_sink sink = {.ctx = &request, .reserve = reserve};
  ck_assert_int_eq(berth_codec_encode_compute(problem, &options, false, NULL, &sink, NULL), BERTH_OK);
  berth_problem_unref(problem);
  test_server_start(&server, NULL);
  const struct raw_call call = {.method = COMPUTE, .bytes = request.data, .n_bytes = request.n};
  raw_call(server.address, &call, &answer);
  ck_assert_int_eq(answer.code, BERTH_FAILED_PRECONDITION);
  ck_assert_str_eq(answer.reason, "DOES_NOT_FIT");
  ck_assert_str_eq(answer.text, "the problem does not fit: at least 14 bytes are lacking");
  raw_answer_finish(&answer);
  bytes_finish(&request);
  test_server_stop(&server);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "daemon/rpc/plan",
      (const TTest *const[]){test_compute_and_caches, test_what_does_not_fit_in_a_pool_of_many, NULL});
}
