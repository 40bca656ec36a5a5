/* The plans that a server has: listed, forgotten, measured; and the largest binding of a problem. */
#include "rpc/internal.h"

struct answer {
  struct berthctl_rpc *rpc;
  bool came;
  struct berth_stored_plan *summaries;
  uint32_t *n_summaries;
  char *token;
  struct berth_measurement *measurement;
  uint64_t *n_measurements;
  struct berth_largest *largest;
};

static enum berth_code
run(struct answer *answer, const char *path, grpc_slice request, const struct berthctl_rpc_call *call,
    enum berth_code (*on_message)(void *ctx, const uint8_t *bytes, size_t n_bytes, struct berth_error *err),
    struct berth_error *err) {
  struct exchange exchange = {
      .path = path, .request = request, .call = call, .ctx = answer, .on_message = on_message};
  enum berth_code code = exchange_run(answer->rpc, &exchange, err);
  exchange_finish(&exchange);
  return code == BERTH_OK ? need_message(answer->came, err) : code;
}

static enum berth_code on_list(void *ctx, const uint8_t *bytes, size_t n_bytes, struct berth_error *err) {
  struct answer *answer = ctx;
  answer->came = true;
  return berth_codec_decode_list_response(
      &answer->rpc->codec, bytes, n_bytes, answer->summaries, answer->n_summaries, answer->token, err);
}

enum berth_code berthctl_rpc_list(
    struct berthctl_rpc *rpc, uint32_t page_size, const struct berthctl_rpc_call *call,
    struct berth_stored_plan *out_summaries, uint32_t *out_n_summaries, char token[BERTH_PAGE_TOKEN_SIZE],
    struct berth_error *err) {
  struct request_sink sink;
  struct answer answer = {
      .rpc = rpc, .summaries = out_summaries, .n_summaries = out_n_summaries, .token = token};
  request_sink_init(&sink);
  *out_n_summaries = 0;
  enum berth_code code = berth_codec_encode_list(page_size, token, &sink.base, err);
  return code == BERTH_OK ? run(&answer, "/berth.v1.PlanService/ListPlans", sink.slice, call, on_list, err)
                          : code;
}

static enum berth_code on_deleted(void *ctx, const uint8_t *bytes, size_t n_bytes, struct berth_error *err) {
  (void)bytes;
  (void)n_bytes;
  (void)err;
  ((struct answer *)ctx)->came = true; /* it says nothing */
  return BERTH_OK;
}

enum berth_code berthctl_rpc_delete(
    struct berthctl_rpc *rpc, const char *plan_id, const struct berthctl_rpc_call *call,
    struct berth_error *err) {
  struct request_sink sink;
  struct answer answer = {.rpc = rpc};
  request_sink_init(&sink);
  enum berth_code code = berth_codec_encode_delete(plan_id, &sink.base, err);
  return code == BERTH_OK
             ? run(&answer, "/berth.v1.PlanService/DeletePlan", sink.slice, call, on_deleted, err)
             : code;
}

static enum berth_code on_measured(void *ctx, const uint8_t *bytes, size_t n_bytes, struct berth_error *err) {
  struct answer *answer = ctx;
  answer->came = true;
  return berth_codec_decode_measurement_response(
      &answer->rpc->codec, bytes, n_bytes, answer->measurement, answer->n_measurements, err);
}

enum berth_code berthctl_rpc_measure(
    struct berthctl_rpc *rpc, const char *plan_id, const struct berthctl_rpc_call *call,
    struct berth_measurement *measurement, uint64_t *out_n_measurements, struct berth_error *err) {
  struct request_sink sink;
  struct answer answer = {.rpc = rpc, .measurement = measurement, .n_measurements = out_n_measurements};
  request_sink_init(&sink);
  enum berth_code code = berth_codec_encode_measurement_report(plan_id, measurement, &sink.base, err);
  return code == BERTH_OK
             ? run(&answer, "/berth.v1.PlanService/ReportMeasurement", sink.slice, call, on_measured, err)
             : code;
}

static enum berth_code on_largest(void *ctx, const uint8_t *bytes, size_t n_bytes, struct berth_error *err) {
  struct answer *answer = ctx;
  answer->came = true;
  return berth_codec_decode_largest_response(&answer->rpc->codec, bytes, n_bytes, answer->largest, err);
}

enum berth_code berthctl_rpc_largest(
    struct berthctl_rpc *rpc, const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_largest_question *question, const struct berthctl_rpc_call *call,
    struct berth_largest *out, struct berth_error *err) {
  struct request_sink sink;
  struct answer answer = {.rpc = rpc, .largest = out};
  request_sink_init(&sink);
  enum berth_code code = berth_codec_encode_largest(problem, options, question, NULL, &sink.base, err);
  return code == BERTH_OK
             ? run(&answer, "/berth.v1.PlanService/FindLargestBinding", sink.slice, call, on_largest, err)
             : code;
}

struct variants_answer {
  struct answer answer;
  uint32_t n;
  struct berth_codec_variant_result *results;
  struct berth_codec_variant_result *bounds;
};

static enum berth_code on_variants(void *ctx, const uint8_t *bytes, size_t n_bytes, struct berth_error *err) {
  struct variants_answer *answer = ctx;
  answer->answer.came = true;
  return berth_codec_decode_variants_response(
      &answer->answer.rpc->codec, bytes, n_bytes, answer->results, answer->n, answer->bounds, err);
}

enum berth_code berthctl_rpc_variants(
    struct berthctl_rpc *rpc, const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_bindings *variants, uint32_t n_variants, const struct berthctl_rpc_call *call,
    struct berth_codec_variant_result *out_results, struct berth_codec_variant_result *out_bounds,
    struct berth_error *err) {
  struct request_sink sink;
  struct variants_answer answer = {
      .answer.rpc = rpc, .n = n_variants, .results = out_results, .bounds = out_bounds};
  request_sink_init(&sink);
  enum berth_code code =
      berth_codec_encode_variants(problem, options, variants, n_variants, NULL, &sink.base, err);
  return code == BERTH_OK
             ? run(&answer.answer, "/berth.v1.PlanService/PlanVariants", sink.slice, call, on_variants, err)
             : code;
}
