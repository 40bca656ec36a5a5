/* Memory: the cap of the decoder, and every allocation failing in turn. */
#include "codec/memory.h"

#include <string.h>

#include "failing.h"
#include "message.h"
#include "sample.h"
#include "suite.h"

START_TEST(test_cap) {
  struct berth_codec_memory memory;
  struct failing failing;
  failing_init(&failing, 0, false);
  berth_codec_memory_init(&memory, &failing.allocator, 1000);
  ProtobufCAllocator *allocator = &memory.base;
  void *a = allocator->alloc(allocator->allocator_data, 600);
  ck_assert_ptr_nonnull(a);
  memset(a, 1, 600);
  ck_assert_ptr_null(allocator->alloc(allocator->allocator_data, 600));
  ck_assert(memory.refused);
  ck_assert_ptr_null(allocator->alloc(allocator->allocator_data, SIZE_MAX));
  allocator->free(allocator->allocator_data, a);
  ck_assert_uint_eq(memory.used_bytes, 0);
  void *b = allocator->alloc(allocator->allocator_data, 900);
  ck_assert_ptr_nonnull(b);
  allocator->free(allocator->allocator_data, b);
  allocator->free(allocator->allocator_data, NULL);
  ck_assert_uint_eq(failing.n_blocks, 0);
}
END_TEST

/* Small messages that unpack into much: thousands of empty pools. */
START_TEST(test_amplification_is_capped) {
  struct berth_codec codec = {.limits = berth_codec_limits_default()};
  struct berth_codec_compute request;
  struct berth_error err;
  struct failing failing;
  struct message problem = {0};
  struct message whole = {0};
  failing_init(&failing, 0, false);
  codec.allocator = &failing.allocator;
  codec.limits.pools = 16000;
  codec.limits.decode_bytes = 100000;
  for (int i = 0; i < 16000; i++) {
    put_field(&problem, PROBLEM_POOLS, "", 0);
  }
  put_message(&whole, REQUEST_PROBLEM, &problem);
  ck_assert_int_eq(
      berth_codec_decode_compute(&codec, whole.bytes, whole.n, &request, &err), BERTH_RESOURCE_EXHAUSTED);
  ck_assert_int_eq(err.reason, BERTH_REASON_LIMIT_EXCEEDED);
  ck_assert_uint_le(failing.most_bytes, 100000);
  ck_assert_uint_eq(failing.n_blocks, 0);
  message_finish(&whole);
}
END_TEST

static struct message good_request(void) {
  struct berth_rng rng = {3};
  struct sample sample;
  struct message message = {0};
  struct berth_error err;
  const struct berth_solve_options options = berth_solve_options_default();
  sample_init(&sample);
  sample_generate_any(&sample, &rng, 20, 30, SAMPLE_PINNED | SAMPLE_GAPS | SAMPLE_CONFLICTS | SAMPLE_POOLS);
  struct berth_problem *problem = sample_build(&sample, NULL);
  const struct berth_codec_sink sink = sink_of(&message);
  ck_assert_int_eq(berth_codec_encode_compute(problem, &options, false, NULL, &sink, &err), BERTH_OK);
  berth_problem_unref(problem);
  sample_finish(&sample);
  return message;
}

START_TEST(test_decode_with_each_allocation_failing) {
  struct message message = good_request();
  uint64_t n_requests = 1;
  uint64_t n_failed = 0;
  for (uint64_t n = 1; n <= n_requests + 1; n++) {
    struct failing failing;
    struct berth_codec_compute request;
    struct berth_error err;
    failing_init(&failing, n, n % 2 == 0);
    const struct berth_codec codec = {
        .limits = berth_codec_limits_default(), .allocator = &failing.allocator};
    enum berth_code code = berth_codec_decode_compute(&codec, message.bytes, message.n, &request, &err);
    if (failing.n_refused == 0) {
      ck_assert_int_eq(code, BERTH_OK);
      n_requests = 0; /* all were tried */
    } else {
      if (code != BERTH_OK) { /* it may do without some: a shrink that was refused */
        ck_assert_int_eq(code, BERTH_RESOURCE_EXHAUSTED);
        ck_assert_int_eq(err.reason, BERTH_REASON_OUT_OF_MEMORY);
        n_failed++;
      }
      n_requests = n + 1;
    }
    berth_codec_compute_finish(&request);
    ck_assert_uint_eq(failing.n_blocks, 0);
    ck_assert(!failing.wrong_size);
  }
  ck_assert_uint_gt(n_failed, 20);
  message_finish(&message);
}
END_TEST

START_TEST(test_encode_with_each_allocation_failing) {
  struct message message = good_request();
  const struct berth_codec codec = {.limits = berth_codec_limits_default()};
  const struct berth_solve_options options = berth_solve_options_default();
  struct berth_codec_compute request;
  struct berth_error err;
  ck_assert_int_eq(berth_codec_decode_compute(&codec, message.bytes, message.n, &request, &err), BERTH_OK);
  bool all = false;
  for (uint64_t n = 1; !all; n++) {
    struct failing failing;
    struct message out = {0};
    failing_init(&failing, n, true);
    const struct berth_codec_sink sink = sink_of(&out);
    enum berth_code code =
        berth_codec_encode_compute(request.problem, &options, false, &failing.allocator, &sink, &err);
    all = failing.n_refused == 0;
    ck_assert_int_eq(code, all ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED);
    ck_assert_uint_eq(failing.n_blocks, 0);
    if (all) {
      ck_assert_uint_eq(out.n, message.n);
      ck_assert_mem_eq(out.bytes, message.bytes, out.n); /* the same problem, the same bytes */
    }
    message_finish(&out);
  }
  berth_codec_compute_finish(&request);
  message_finish(&message);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "codec/memory", (const TTest *const[]){
                          test_cap, test_amplification_is_capped, test_decode_with_each_allocation_failing,
                          test_encode_with_each_allocation_failing, NULL});
}
