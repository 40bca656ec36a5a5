/* berth.v1's encoders and decoders with each request for memory refused. */
#include <stdlib.h>
#include <string.h>

#include "codec/codec.h"
#include "graph.h"
#include "nth.h"
#include "sample.h"
#include "suite.h"

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

/* The encoders' own output is what the decoders are given. */
static struct message made(struct exchange *exchange, nth_operation encode) {
  struct berth_error err = {0};
  ck_assert_msg(encode(exchange, NULL, &err) == BERTH_OK, "%s", err.message);
  struct message message = exchange->spare;
  exchange->spare = (struct message){0};
  return message;
}

static void run(struct berth_problem *problem) {
  struct exchange exchange = {.problem = problem};
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = 100000;
  ck_assert_int_eq(berth_solve(problem, &options, NULL, NULL, &exchange.plan, NULL), BERTH_OK);
  exchange.request = made(&exchange, encode_request);
  exchange.response = made(&exchange, encode_response);
  exchange.question = made(&exchange, encode_question);
  nth_refused("encode a request", encode_request, &exchange);
  nth_refused("encode a response", encode_response, &exchange);
  nth_refused("encode a question", encode_question, &exchange);
  ck_assert_uint_gt(nth_refused("decode a request", decode_request, &exchange), 0);
  ck_assert_uint_gt(nth_refused("decode a response", decode_response, &exchange), 0);
  ck_assert_uint_gt(nth_refused("decode a question", decode_question, &exchange), 0);
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
                                     SAMPLE_POOLS | SAMPLE_ZEROS;
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

int main(void) {
  return berth_suite_run(
      "fault/codec", (const TTest *const[]){messages_about_buffers, messages_about_graphs, NULL});
}
