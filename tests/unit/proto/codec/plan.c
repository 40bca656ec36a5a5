/* Plans and progress there and back, and answers that contradict themselves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "berth/v1/plan_service.pb-c.h"
#include "codec/stored.h"
#include "message.h"
#include "suite.h"

static const char ID[BERTH_PLANID_HEX_SIZE] =
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static struct berth_plan *make_plan(uint32_t n_buffers, uint32_t n_pools, bool placed) {
  struct berth_plan *plan = berth_plan_create_synced(NULL, n_buffers, n_pools, placed ? 2 : 0);
  ck_assert_ptr_nonnull(plan);
  for (uint32_t i = 0; i < plan->n_syncs; i++) {
    berth_plan_syncs_mut(plan)[i] = (struct berth_sync){.waiter = 9 + i, .signaller = 4 * i};
  }
  plan->sync = (struct berth_sync_result){
      .is_asked = placed,
      .cost_bytes = 3 * placed,
      .without_bytes = placed ? UINT64_MAX : 0,
      .bound_bytes = placed};
  plan->status = placed ? BERTH_PLAN_FEASIBLE : BERTH_PLAN_INFEASIBLE;
  plan->arena_bytes = 1000;
  plan->lower_bound_bytes = 900;
  plan->naive_bytes = 5000;
  plan->peak_bytes = 850;
  plan->reuse_bytes = 2000;
  plan->ticks = 77;
  plan->class_bytes[BERTH_CLASS_WORKSPACE] = 12;
  for (uint32_t i = 0; i < n_pools; i++) {
    berth_plan_pools_mut(plan)[i] = (struct berth_pool_result){
        .arena_bytes = 10 + i,
        .lower_bound_bytes = 9,
        .peak_bytes = 8,
        .base_alignment = 64,
        .peak_step = -3};
  }
  for (uint32_t i = 0; i < n_buffers; i++) {
    berth_plan_offset_mut(plan)[i] = UINT64_C(1) << (i % 63);
    berth_plan_pool_mut(plan)[i] = n_pools > 1 ? i % n_pools : 0;
    berth_plan_slot_mut(plan)[i] = i / 2;
  }
  if (!placed) {
    plan->offset = NULL;
    plan->pool = NULL;
    plan->short_by_bytes = 50;
    plan->n_culprits = 2;
    plan->culprits_proof = BERTH_CULPRITS_MINIMAL;
    plan->culprits[1] = 1;
  }
  return plan;
}

static void same_plan(const struct berth_plan *a, const struct berth_plan *b) {
  ck_assert_int_eq(a->status, b->status);
  ck_assert_uint_eq(a->n_buffers, b->n_buffers);
  ck_assert_uint_eq(a->n_pools, b->n_pools);
  ck_assert_uint_eq(a->arena_bytes, b->arena_bytes);
  ck_assert_uint_eq(a->lower_bound_bytes, b->lower_bound_bytes);
  ck_assert_uint_eq(a->naive_bytes, b->naive_bytes);
  ck_assert_uint_eq(a->peak_bytes, b->peak_bytes);
  ck_assert_uint_eq(a->reuse_bytes, b->reuse_bytes);
  ck_assert_uint_eq(a->ticks, b->ticks);
  ck_assert_uint_eq(a->short_by_bytes, b->short_by_bytes);
  ck_assert_mem_eq(a->class_bytes, b->class_bytes, sizeof a->class_bytes);
  ck_assert_uint_eq(a->sync.is_asked, b->sync.is_asked);
  ck_assert_uint_eq(a->sync.cost_bytes, b->sync.cost_bytes);
  ck_assert_uint_eq(a->sync.without_bytes, b->sync.without_bytes);
  ck_assert_uint_eq(a->sync.bound_bytes, b->sync.bound_bytes);
  ck_assert_uint_eq(a->n_syncs, b->n_syncs);
  if (a->n_syncs != 0) {
    ck_assert_mem_eq(a->syncs, b->syncs, a->n_syncs * sizeof *a->syncs);
  }
  ck_assert_uint_eq(a->n_culprits, b->n_culprits);
  ck_assert_int_eq(a->culprits_proof, b->culprits_proof);
  ck_assert_mem_eq(a->culprits, b->culprits, a->n_culprits * sizeof a->culprits[0]);
  ck_assert_int_eq(a->offset == NULL, b->offset == NULL);
  if (a->offset != NULL && a->n_buffers > 0) {
    ck_assert_mem_eq(a->offset, b->offset, a->n_buffers * sizeof *a->offset);
    ck_assert_mem_eq(a->pool, b->pool, a->n_buffers * sizeof *a->pool);
    ck_assert_mem_eq(a->slot, b->slot, a->n_buffers * sizeof *a->slot);
  }
  for (uint32_t i = 0; i < a->n_pools; i++) {
    ck_assert_uint_eq(a->pools[i].arena_bytes, b->pools[i].arena_bytes);
    ck_assert_uint_eq(a->pools[i].lower_bound_bytes, b->pools[i].lower_bound_bytes);
    ck_assert_uint_eq(a->pools[i].peak_bytes, b->pools[i].peak_bytes);
    ck_assert_uint_eq(a->pools[i].base_alignment, b->pools[i].base_alignment);
    ck_assert_int_eq(a->pools[i].peak_step, b->pools[i].peak_step);
  }
}

static struct berth_codec_plan response_of(const struct berth_plan *plan) {
  struct berth_codec_plan response = {.plan = plan, .solve_seconds = 1.5, .cached = true};
  memcpy(response.plan_id, ID, sizeof ID);
  return response;
}

START_TEST(test_there_and_back) {
  static const uint32_t SIZES[] = {0, 1, 7, 62185};
  for (size_t s = 0; s < sizeof SIZES / sizeof SIZES[0]; s++) {
    for (uint32_t n_pools = 1; n_pools <= 20; n_pools += 19) {
      struct berth_plan *plan = make_plan(SIZES[s], n_pools, true);
      struct berth_codec_plan response = response_of(plan);
      struct berth_codec_plan got;
      struct berth_codec_event event;
      struct berth_error err;
      struct message message = {0};
      struct berth_codec_sink sink = sink_of(&message);
      ck_assert_int_eq(berth_codec_encode_compute_response(&response, NULL, NULL, &sink, &err), BERTH_OK);
      ck_assert_int_eq(
          berth_codec_decode_compute_response(plain_codec(), message.bytes, message.n, SIZES[s], &got, &err),
          BERTH_OK);
      same_plan(plan, got.plan);
      ck_assert_str_eq(got.plan_id, ID);
      ck_assert(got.cached);
      ck_assert_double_eq(got.solve_seconds, 1.5);
      berth_plan_unref(got.plan);
      ck_assert_int_eq(
          berth_codec_decode_compute_response(
              plain_codec(), message.bytes, message.n, SIZES[s] + 1, &got, &err),
          BERTH_INTERNAL); /* a plan of another problem */
      message_finish(&message);

      sink = sink_of(&message);
      ck_assert_int_eq(berth_codec_encode_stream_result(&response, NULL, NULL, &sink, &err), BERTH_OK);
      ck_assert_int_eq(
          berth_codec_decode_stream_response(plain_codec(), message.bytes, message.n, SIZES[s], &event, &err),
          BERTH_OK);
      ck_assert(event.is_result);
      same_plan(plan, event.result.plan);
      berth_plan_unref(event.result.plan);
      message_finish(&message);

      sink = sink_of(&message);
      ck_assert_int_eq(berth_codec_encode_got(&response, NULL, NULL, &sink, &err), BERTH_OK);
      ck_assert_int_eq(
          berth_codec_decode_get_response(plain_codec(), message.bytes, message.n, &got, &err), BERTH_OK);
      same_plan(plan, got.plan);
      berth_plan_unref(got.plan);
      message_finish(&message);
      berth_plan_unref(plan);
    }
  }
}
END_TEST

START_TEST(test_infeasible) {
  struct berth_plan *plan = make_plan(5, 1, false);
  struct berth_codec_plan response = response_of(plan);
  struct berth_codec_plan got;
  struct berth_error err;
  struct message message = {0};
  const struct berth_codec_sink sink = sink_of(&message);
  ck_assert_int_eq(berth_codec_encode_plan(&response, NULL, &sink, &err), BERTH_OK);
  ck_assert_int_eq(berth_codec_decode_plan(plain_codec(), message.bytes, message.n, 5, &got, &err), BERTH_OK);
  same_plan(plan, got.plan);
  berth_plan_unref(got.plan);
  berth_plan_unref(plan);
  message_finish(&message);
}
END_TEST

START_TEST(test_validate_only_has_no_plan) {
  const struct berth_codec_plan response = {.plan = NULL};
  struct berth_codec_plan got;
  struct berth_error err;
  struct message message = {0};
  const struct berth_codec_sink sink = sink_of(&message);
  ck_assert_int_eq(berth_codec_encode_compute_response(&response, NULL, NULL, &sink, &err), BERTH_OK);
  ck_assert_int_eq(
      berth_codec_decode_compute_response(plain_codec(), message.bytes, message.n, 3, &got, &err), BERTH_OK);
  ck_assert_ptr_null(got.plan);
  message_finish(&message);
}
END_TEST

START_TEST(test_progress) {
  static const uint64_t ARENAS[] = {4096, BERTH_UNLIMITED};
  for (size_t i = 0; i < 2; i++) {
    const struct berth_progress progress = {.arena_bytes = ARENAS[i], .lower_bound_bytes = 2048, .ticks = 9};
    struct berth_codec_event event;
    struct berth_error err;
    struct message message = {0};
    const struct berth_codec_sink sink = sink_of(&message);
    ck_assert_int_eq(berth_codec_encode_stream_progress(&progress, 0.25, &sink, &err), BERTH_OK);
    ck_assert_int_eq(
        berth_codec_decode_stream_response(plain_codec(), message.bytes, message.n, 3, &event, &err),
        BERTH_OK);
    ck_assert(!event.is_result);
    ck_assert_uint_eq(event.progress.arena_bytes, ARENAS[i]);
    ck_assert_uint_eq(event.progress.lower_bound_bytes, 2048);
    ck_assert_uint_eq(event.progress.ticks, 9);
    ck_assert_double_eq(event.elapsed_seconds, 0.25);
    message_finish(&message);
  }
}
END_TEST

/* A response with one thing wrong. */
static void expect_bad_answer(const Berth__V1__Plan *plan) {
  Berth__V1__ComputePlanResponse response = BERTH__V1__COMPUTE_PLAN_RESPONSE__INIT;
  struct berth_codec_plan got;
  struct berth_error err;
  response.plan = (Berth__V1__Plan *)(uintptr_t)plan;
  size_t n = berth__v1__compute_plan_response__get_packed_size(&response);
  uint8_t *bytes = malloc(n);
  berth__v1__compute_plan_response__pack(&response, bytes);
  ck_assert_int_eq(
      berth_codec_decode_compute_response(plain_codec(), bytes, n, 2, &got, &err), BERTH_INTERNAL);
  ck_assert_ptr_null(got.plan);
  free(bytes);
}

START_TEST(test_bad_answers) {
  uint64_t offsets[2] = {0, 64};
  uint32_t pools[2] = {0, 1};
  char id[BERTH_PLANID_HEX_SIZE];
  char empty[] = "";
  Berth__V1__PoolResult pool = BERTH__V1__POOL_RESULT__INIT;
  Berth__V1__PoolResult *list = &pool;
  memcpy(id, ID, sizeof ID);
  Berth__V1__Plan good = BERTH__V1__PLAN__INIT;
  good.plan_id = id;
  good.status = BERTH__V1__PLAN_STATUS__PLAN_STATUS_OPTIMAL;
  good.n_pools = 1;
  good.pools = &list;
  good.n_buffer_offset = 2;
  good.buffer_offset = offsets;
  Berth__V1__Plan bad = good;
  bad.n_sync_waiter = 2; /* and nobody that they wait for */
  bad.sync_waiter = pools;
  expect_bad_answer(&bad);
  bad.n_sync_signaller = 2; /* and nothing said of them */
  bad.sync_signaller = pools;
  expect_bad_answer(&bad);
  bad = good;
  bad.n_buffer_offset = 1;
  expect_bad_answer(&bad);
  bad = good;
  bad.n_buffer_offset = 0;
  expect_bad_answer(&bad);
  bad = good;
  bad.status = BERTH__V1__PLAN_STATUS__PLAN_STATUS_UNSPECIFIED;
  expect_bad_answer(&bad);
  bad = good;
  bad.rho = NAN;
  expect_bad_answer(&bad);
  bad = good;
  bad.solve_seconds = INFINITY;
  expect_bad_answer(&bad);
  bad = good;
  bad.plan_id = empty;
  expect_bad_answer(&bad);
  bad = good;
  bad.n_pools = 0;
  expect_bad_answer(&bad);
  bad = good;
  bad.n_buffer_pool = 2; /* names pool 1, and there is one */
  bad.buffer_pool = pools;
  expect_bad_answer(&bad);
}
END_TEST

START_TEST(test_get_request) {
  static const char *const BAD[] = {
      "", "abc", "0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef"};
  char id[BERTH_PLANID_HEX_SIZE];
  struct berth_error err;
  struct message message = {0};
  struct berth_codec_sink sink = sink_of(&message);
  ck_assert_int_eq(berth_codec_encode_get(ID, &sink, &err), BERTH_OK);
  ck_assert_int_eq(berth_codec_decode_get(plain_codec(), message.bytes, message.n, id, &err), BERTH_OK);
  ck_assert_str_eq(id, ID);
  message_finish(&message);
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    sink = sink_of(&message);
    ck_assert_int_eq(berth_codec_encode_get(BAD[i], &sink, &err), BERTH_OK);
    ck_assert_int_eq(
        berth_codec_decode_get(plain_codec(), message.bytes, message.n, id, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_str_eq(err.field, "plan_id");
    message_finish(&message);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "codec/plan", (const TTest *const[]){
                        test_there_and_back, test_infeasible, test_validate_only_has_no_plan, test_progress,
                        test_bad_answers, test_get_request, NULL});
}
