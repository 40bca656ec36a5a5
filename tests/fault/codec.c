/* berth.v1's encoders and decoders with each request for memory refused. */
#include <stdlib.h>
#include <string.h>

#include "berth/v1/plan_service.pb-c.h"
#include "berth/v1/report.pb-c.h"
#include "codec/codec.h"
#include "codec/largest.h"
#include "codec/reports.h"
#include "codec/stored.h"
#include "codec/variants.h"
#include "graph.h"
#include "nth.h"
#include "sample.h"
#include "suite.h"
#include "symbolic.h"

struct message {
  uint8_t *bytes;
  size_t n;
};

static uint8_t *reserve(void *ctx, size_t n_bytes) {
  struct message *message = ctx;
  free(message->bytes);
  message->bytes = malloc(n_bytes + 1);
  message->n = n_bytes;
  return message->bytes;
}

struct exchange {
  struct berth_problem *problem;
  struct berth_plan *plan;
  struct message request;
  struct message response;
  struct message question; /* to verify */
  struct message explain;
  struct message spare;
};

static struct berth_codec codec_of(const struct berth_allocator *allocator) {
  return (struct berth_codec){.limits = berth_codec_limits_default(), .allocator = allocator};
}

static struct berth_codec_plan answer_of(const struct exchange *exchange) {
  struct berth_codec_plan answer = {.plan = exchange->plan, .solve_seconds = 0.5};
  memset(answer.plan_id, 'a', sizeof answer.plan_id - 1);
  return answer;
}

static enum berth_code
encode_request(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  struct exchange *exchange = ctx;
  const struct berth_codec_sink sink = {.ctx = &exchange->spare, .reserve = reserve};
  struct berth_solve_options options = berth_solve_options_default();
  return berth_codec_encode_compute(exchange->problem, &options, false, allocator, &sink, err);
}

static enum berth_code
decode_request(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct exchange *exchange = ctx;
  struct berth_codec codec = codec_of(allocator);
  struct berth_codec_compute request = {0};
  enum berth_code code =
      berth_codec_decode_compute(&codec, exchange->request.bytes, exchange->request.n, &request, err);
  if (code == BERTH_OK) {
    berth_codec_compute_finish(&request);
  }
  return code;
}

static enum berth_code
encode_response(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  struct exchange *exchange = ctx;
  const struct berth_codec_sink sink = {.ctx = &exchange->spare, .reserve = reserve};
  struct berth_codec_plan answer = answer_of(exchange);
  return berth_codec_encode_compute_response(&answer, exchange->problem, allocator, &sink, err);
}

static enum berth_code
decode_response(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct exchange *exchange = ctx;
  struct berth_codec codec = codec_of(allocator);
  struct berth_codec_plan answer = {0};
  enum berth_code code = berth_codec_decode_compute_response(
      &codec, exchange->response.bytes, exchange->response.n, BERTH_NO_INDEX, &answer, err);
  berth_plan_unref(answer.plan);
  return code;
}

static enum berth_code
encode_question(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  struct exchange *exchange = ctx;
  const struct berth_codec_sink sink = {.ctx = &exchange->spare, .reserve = reserve};
  return berth_codec_encode_verify(
      exchange->problem, exchange->plan->pool, exchange->plan->offset, 10, allocator, &sink, err);
}

static enum berth_code
decode_question(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct exchange *exchange = ctx;
  struct berth_codec codec = codec_of(allocator);
  struct berth_codec_verify question = {0};
  enum berth_code code =
      berth_codec_decode_verify(&codec, exchange->question.bytes, exchange->question.n, &question, err);
  if (code == BERTH_OK) {
    berth_codec_verify_finish(&question);
  }
  return code;
}

static enum berth_code
encode_largest(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  struct exchange *exchange = ctx;
  const struct berth_codec_sink sink = {.ctx = &exchange->spare, .reserve = reserve};
  const struct berth_solve_options options = berth_solve_options_default();
  const struct berth_largest_question question = {
      .symbol = berth_problem_symbols(exchange->problem)->symbols[0].name};
  return berth_codec_encode_largest(exchange->problem, &options, &question, allocator, &sink, err);
}

static enum berth_code
decode_largest(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct exchange *exchange = ctx;
  struct berth_codec codec = codec_of(allocator);
  struct berth_codec_largest question;
  enum berth_code code =
      berth_codec_decode_largest(&codec, exchange->question.bytes, exchange->question.n, &question, err);
  berth_codec_largest_finish(&question);
  return code;
}

static enum berth_code
encode_variants(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  struct exchange *exchange = ctx;
  const struct berth_codec_sink sink = {.ctx = &exchange->spare, .reserve = reserve};
  const struct berth_solve_options options = berth_solve_options_default();
  const struct berth_symbol *symbol = &berth_problem_symbols(exchange->problem)->symbols[0];
  const struct berth_binding item = {symbol->name, symbol->lower, symbol->lower};
  const struct berth_bindings variants[] = {{.n = 1, .items = &item}, {.n = 0}};
  return berth_codec_encode_variants(exchange->problem, &options, variants, 2, allocator, &sink, err);
}

static enum berth_code
decode_variants(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct exchange *exchange = ctx;
  struct berth_codec codec = codec_of(allocator);
  struct berth_codec_variants request;
  enum berth_code code =
      berth_codec_decode_variants(&codec, exchange->question.bytes, exchange->question.n, &request, err);
  berth_codec_variants_finish(&request);
  return code;
}

static enum berth_code
encode_variants_answer(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  struct exchange *exchange = ctx;
  const struct berth_codec_sink sink = {.ctx = &exchange->spare, .reserve = reserve};
  struct berth_codec_variant_result results[] = {
      {.plan.plan = exchange->plan}, {.error.code = BERTH_INTERNAL}};
  memset(results[0].plan.plan_id, 'a', BERTH_PLANID_HEX_SIZE - 1);
  return berth_codec_encode_variants_response(
      results, 2, &results[0], berth_problem_pools(exchange->problem), allocator, &sink, err);
}

static enum berth_code
decode_variants_answer(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct exchange *exchange = ctx;
  struct berth_codec codec = codec_of(allocator);
  struct berth_codec_variant_result results[2];
  struct berth_codec_variant_result bounds;
  enum berth_code code = berth_codec_decode_variants_response(
      &codec, exchange->question.bytes, exchange->question.n, results, 2, &bounds, err);
  berth_plan_unref(results[0].plan.plan);
  berth_plan_unref(results[1].plan.plan);
  berth_plan_unref(bounds.plan.plan);
  return code;
}

static enum berth_code
decode_explain(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct exchange *exchange = ctx;
  struct berth_codec codec = codec_of(allocator);
  struct berth_codec_explain explain;
  enum berth_code code =
      berth_codec_decode_explain(&codec, exchange->explain.bytes, exchange->explain.n, &explain, err);
  berth_codec_placed_finish(&explain.subject);
  return code;
}

static enum berth_code
encode_reports(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  struct exchange *exchange = ctx;
  const struct berth_codec_sink sink = {.ctx = &exchange->spare, .reserve = reserve};
  const struct berth_contribution item = {.buffer = 0, .live_bytes = 5};
  const struct berth_codec_peak peak = {.items = &item, .n_items = 1};
  const struct berth_codec_explained explained = {.peaks = &peak, .n_peaks = 1, .max_contributions = 1};
  const struct berth_comparison comparison = {.n_rows = 0};
  const struct berth_stored_plan summary = {.n_buffers = 1};
  const struct berth_codec_plan plans[2] = {answer_of(exchange), answer_of(exchange)};
  const uint64_t arenas[2] = {0, 0};
  enum berth_code code = berth_codec_encode_explained(&explained, allocator, &sink, err);
  if (code == BERTH_OK) {
    code = berth_codec_encode_comparison(&comparison, arenas, 1, allocator, &sink, err);
  }
  if (code == BERTH_OK) {
    code = berth_codec_encode_list_response(&summary, 1, NULL, allocator, &sink, err);
  }
  return code == BERTH_OK ? berth_codec_encode_batch_response(plans, 2, allocator, &sink, err) : code;
}

/* There is no encoder of it: the client does not ask. */
static struct message explain_of(const struct exchange *exchange) {
  Berth__V1__ExplainPlanRequest request = BERTH__V1__EXPLAIN_PLAN_REQUEST__INIT;
  Berth__V1__PlacedProblem placed = BERTH__V1__PLACED_PROBLEM__INIT;
  Berth__V1__ComputePlanRequest *compute =
      berth__v1__compute_plan_request__unpack(NULL, exchange->request.n, exchange->request.bytes);
  request.subject = &placed;
  placed.problem = compute->problem;
  placed.n_buffer_offset = exchange->plan->n_buffers;
  placed.buffer_offset = (uint64_t *)(uintptr_t)exchange->plan->offset;
  placed.n_buffer_pool = exchange->plan->n_buffers;
  placed.buffer_pool = (uint32_t *)(uintptr_t)exchange->plan->pool;
  struct message message = {.n = berth__v1__explain_plan_request__get_packed_size(&request)};
  message.bytes = malloc(message.n + 1);
  berth__v1__explain_plan_request__pack(&request, message.bytes);
  berth__v1__compute_plan_request__free_unpacked(compute, NULL);
  return message;
}

/* The encoders' own output is what the decoders are given. */
static struct message made(struct exchange *exchange, nth_operation encode) {
  struct berth_error err = {0};
  ck_assert_msg(encode(exchange, NULL, &err) == BERTH_OK, "%s", err.message);
  struct message message = exchange->spare;
  exchange->spare = (struct message){0};
  return message;
}

static void run_variants(struct exchange *exchange) {
  free(exchange->question.bytes);
  exchange->question = made(exchange, encode_variants);
  nth_refused("encode variants", encode_variants, exchange);
  ck_assert_uint_gt(nth_refused("decode variants", decode_variants, exchange), 0);
  free(exchange->question.bytes);
  exchange->question = made(exchange, encode_variants_answer);
  ck_assert_uint_gt(nth_refused("encode the variants' plans", encode_variants_answer, exchange), 0);
  ck_assert_uint_gt(nth_refused("decode the variants' plans", decode_variants_answer, exchange), 0);
}

static void run(struct berth_problem *problem) {
  struct exchange exchange = {.problem = problem};
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = 100000;
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &exchange.plan, NULL), BERTH_OK);
  exchange.request = made(&exchange, encode_request);
  exchange.response = made(&exchange, encode_response);
  exchange.question = made(&exchange, encode_question);
  exchange.explain = explain_of(&exchange);
  nth_refused("encode a request", encode_request, &exchange);
  nth_refused("encode a response", encode_response, &exchange);
  nth_refused("encode a question", encode_question, &exchange);
  ck_assert_uint_gt(nth_refused("decode a request", decode_request, &exchange), 0);
  ck_assert_uint_gt(nth_refused("decode a response", decode_response, &exchange), 0);
  ck_assert_uint_gt(nth_refused("decode a question", decode_question, &exchange), 0);
  ck_assert_uint_gt(nth_refused("decode explain", decode_explain, &exchange), 0);
  ck_assert_uint_gt(nth_refused("encode reports", encode_reports, &exchange), 0);
  if (berth_problem_symbols(problem) != NULL) {
    free(exchange.question.bytes);
    exchange.question = made(&exchange, encode_largest);
    nth_refused("encode the largest", encode_largest, &exchange);
    ck_assert_uint_gt(nth_refused("decode the largest", decode_largest, &exchange), 0);
    run_variants(&exchange);
  }
  free(exchange.explain.bytes);
  free(exchange.request.bytes);
  free(exchange.response.bytes);
  free(exchange.question.bytes);
  free(exchange.spare.bytes);
  berth_plan_unref(exchange.plan);
  berth_problem_unref(problem);
}

START_TEST(messages_about_buffers) {
  for (uint32_t k = 0; k < 4; k++) {
    struct sample sample;
    sample_init(&sample);
    struct berth_rng rng = {k};
    uint32_t features = k == 0 ? 0
                               : SAMPLE_ALIGNED | SAMPLE_PINNED | SAMPLE_GAPS | SAMPLE_CONFLICTS |
                                     SAMPLE_POOLS | SAMPLE_ZEROS | SAMPLE_TERMS;
    sample_generate(&sample, &rng, SAMPLE_UNIFORM, k == 3 ? 500 : 20, features);
    run(sample_build(&sample, NULL));
    sample_finish(&sample);
  }
}
END_TEST

START_TEST(messages_about_graphs) {
  for (uint32_t k = 0; k < 4; k++) {
    struct graph graph;
    struct berth_rng rng = {k};
    graph_generate(&graph, &rng, 5 * k, GRAPH_VIEWS | GRAPH_IN_PLACE);
    run(graph_build(&graph));
  }
}
END_TEST

START_TEST(messages_about_symbols) {
  for (uint32_t k = 0; k < 4; k++) {
    static struct symbolic symbolic;
    struct berth_rng rng = {k};
    symbolic_generate(&symbolic, &rng, 3 + 3 * k);
    symbolic.symbols[0].upper = k == 3 ? BERTH_UNBOUNDED : symbolic.symbols[0].upper; /* a dynamic arena */
    run(symbolic_build(&symbolic, NULL));
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "fault/codec",
      (const TTest *const[]){messages_about_buffers, messages_about_graphs, messages_about_symbols, NULL});
}
