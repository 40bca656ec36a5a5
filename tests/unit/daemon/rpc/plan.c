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

int main(void) {
  return berth_suite_run("daemon/rpc/plan", (const TTest *const[]){test_compute_and_caches, NULL});
}
