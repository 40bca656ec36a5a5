/* The first byte chooses the decoder, the rest is the message. What decodes must encode, and then decode to
 * the same bytes; what does not must say why. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codec/codec.h"
#include "codec/largest.h"
#include "codec/reports.h"
#include "codec/stored.h"
#include "codec/variants.h"

enum choice {
  COMPUTE,
  STREAM,
  GET,
  VERIFY,
  COMPUTE_ANSWER,
  STREAM_ANSWER,
  GET_ANSWER,
  VERIFY_ANSWER,
  EXPLAIN,
  DIFF,
  LIST,
  BATCH,
  DELETE,
  MEASURE,
  LIST_ANSWER,
  MEASURE_ANSWER,
  MEASURED_ANSWER,
  LARGEST,
  LARGEST_ANSWER,
  VARIANTS,
  VARIANTS_ANSWER,
  N_CHOICES
};

struct kept {
  uint8_t *bytes;
  size_t n;
};

static uint8_t *reserve(void *ctx, size_t n_bytes) {
  struct kept *kept = ctx;
  kept->bytes = malloc(n_bytes > 0 ? n_bytes : 1);
  kept->n = n_bytes;
  return kept->bytes;
}

static void require(bool ok) {
  if (!ok) {
    abort();
  }
}

static struct berth_codec small_codec(void) {
  struct berth_codec codec = {.limits = berth_codec_limits_default()};
  codec.limits.decode_bytes = 1 << 22;
  codec.limits.buffers = 5000;
  codec.limits.edges = 5000;
  return codec;
}

static struct kept encode(const struct berth_codec_compute *request) {
  struct kept kept = {NULL, 0};
  const struct berth_codec_sink sink = {&kept, reserve};
  require(
      berth_codec_encode_compute(
          request->problem, &request->options, request->validate_only, NULL, &sink, NULL) == BERTH_OK);
  return kept;
}

/* Once encoded, a problem stays as it is. */
static void check_compute(const struct berth_codec *codec, struct berth_codec_compute *request) {
  struct kept once = encode(request);
  struct berth_codec_compute again;
  struct berth_error err;
  require(berth_codec_decode_compute(codec, once.bytes, once.n, &again, &err) == BERTH_OK);
  struct kept twice = encode(&again);
  require(once.n == twice.n && memcmp(once.bytes, twice.bytes, once.n) == 0);
  berth_codec_compute_finish(&again);
  free(once.bytes);
  free(twice.bytes);
}

static enum berth_code requests(
    const struct berth_codec *codec, enum choice choice, const uint8_t *bytes, size_t n,
    struct berth_error *err) {
  struct berth_codec_compute compute;
  struct berth_codec_verify verify;
  char plan_id[BERTH_PLANID_HEX_SIZE];
  enum berth_code code;
  switch (choice) {
  case COMPUTE:
  case STREAM:
    code = (choice == COMPUTE ? berth_codec_decode_compute : berth_codec_decode_stream)(
        codec, bytes, n, &compute, err);
    if (code == BERTH_OK) {
      check_compute(codec, &compute);
    }
    berth_codec_compute_finish(&compute);
    return code;
  case GET:
    return berth_codec_decode_get(codec, bytes, n, plan_id, err);
  default:
    code = berth_codec_decode_verify(codec, bytes, n, &verify, err);
    berth_codec_verify_finish(&verify);
    return code;
  }
}

static enum berth_code later_requests(
    const struct berth_codec *codec, enum choice choice, const uint8_t *bytes, size_t n,
    struct berth_error *err) {
  struct berth_codec_explain explain;
  struct berth_codec_diff diff;
  struct berth_codec_list list;
  struct berth_codec_batch batch;
  struct berth_measurement measurement;
  char plan_id[BERTH_PLANID_HEX_SIZE];
  enum berth_code code;
  switch (choice) {
  case EXPLAIN:
    code = berth_codec_decode_explain(codec, bytes, n, &explain, err);
    require((code == BERTH_OK) == (explain.subject.problem != NULL));
    berth_codec_placed_finish(&explain.subject);
    return code;
  case DIFF:
    code = berth_codec_decode_diff(codec, bytes, n, &diff, err);
    require(code == BERTH_OK || (diff.sides[0].problem == NULL && diff.sides[1].problem == NULL));
    berth_codec_placed_finish(&diff.sides[0]);
    berth_codec_placed_finish(&diff.sides[1]);
    return code;
  case LIST:
    code = berth_codec_decode_list(codec, bytes, n, &list, err);
    require(code != BERTH_OK || (list.page_size > 0 && list.page_size <= BERTH_PAGE_SIZE_MOST));
    return code;
  case BATCH:
    code = berth_codec_decode_batch(codec, bytes, n, &batch, err);
    require((code == BERTH_OK) == (batch.n > 0));
    berth_codec_batch_finish(&batch);
    return code;
  case DELETE:
    return berth_codec_decode_delete(codec, bytes, n, plan_id, err);
  default:
    return berth_codec_decode_measurement_report(codec, bytes, n, plan_id, &measurement, err);
  }
}

static enum berth_code variants(
    const struct berth_codec *codec, enum choice choice, const uint8_t *bytes, size_t n,
    struct berth_error *err) {
  struct berth_codec_variants request;
  struct berth_codec_variant_result results[2];
  struct berth_codec_variant_result bounds;
  enum berth_code code;
  if (choice == VARIANTS) {
    code = berth_codec_decode_variants(codec, bytes, n, &request, err);
    require((code == BERTH_OK) == (request.problem != NULL));
    for (uint32_t i = 0; code == BERTH_OK && i < request.n && i < 3;
         i++) { /* what was let in can be stated */
      struct berth_problem *stated;
      struct berth_error unstated = {.code = BERTH_OK};
      bool is_stated =
          berth_variant_state(request.problem, &request.items[i], NULL, &stated, &unstated) == BERTH_OK;
      require(is_stated == (stated != NULL) && (is_stated || unstated.message[0] != '\0'));
      berth_problem_unref(stated);
    }
    berth_codec_variants_finish(&request);
    return code;
  }
  code = berth_codec_decode_variants_response(codec, bytes, n, results, 2, &bounds, err);
  require(code == BERTH_OK || (results[0].plan.plan == NULL && bounds.plan.plan == NULL));
  berth_plan_unref(results[0].plan.plan);
  berth_plan_unref(results[1].plan.plan);
  berth_plan_unref(bounds.plan.plan);
  return code;
}

static enum berth_code later_answers(
    const struct berth_codec *codec, enum choice choice, const uint8_t *bytes, size_t n,
    struct berth_error *err) {
  static struct berth_stored_plan summaries[BERTH_PAGE_SIZE_MOST];
  struct berth_measurement measurement;
  struct berth_measured measured;
  char token[BERTH_PAGE_TOKEN_SIZE];
  uint32_t n_summaries;
  uint64_t n_measurements;
  struct berth_codec_largest largest;
  struct berth_largest found;
  enum berth_code code;
  switch (choice) {
  case LARGEST:
    code = berth_codec_decode_largest(codec, bytes, n, &largest, err);
    require((code == BERTH_OK) == (largest.problem != NULL));
    berth_codec_largest_finish(&largest);
    return code;
  case LARGEST_ANSWER:
    return berth_codec_decode_largest_response(codec, bytes, n, &found, err);
  case LIST_ANSWER:
    return berth_codec_decode_list_response(codec, bytes, n, summaries, &n_summaries, token, err);
  case MEASURE_ANSWER:
    return berth_codec_decode_measurement_response(codec, bytes, n, &measurement, &n_measurements, err);
  default:
    return berth_codec_decode_measured(codec, bytes, n, &measured, err);
  }
}

static enum berth_code answers(
    const struct berth_codec *codec, enum choice choice, const uint8_t *bytes, size_t n,
    struct berth_error *err) {
  struct berth_codec_plan plan = {.plan = NULL};
  struct berth_codec_event event = {.is_result = false};
  struct berth_violation violations[4];
  struct berth_verdict verdict;
  enum berth_code code;
  switch (choice) {
  case COMPUTE_ANSWER:
    code = berth_codec_decode_compute_response(codec, bytes, n, BERTH_NO_INDEX, &plan, err);
    break;
  case STREAM_ANSWER:
    code = berth_codec_decode_stream_response(codec, bytes, n, BERTH_NO_INDEX, &event, err);
    break;
  case GET_ANSWER:
    code = berth_codec_decode_get_response(codec, bytes, n, &plan, err);
    break;
  default:
    code = berth_codec_decode_verify_response(codec, bytes, n, violations, 4, &verdict, err);
    break;
  }
  require(code == BERTH_OK || (plan.plan == NULL && event.result.plan == NULL));
  berth_plan_unref(plan.plan);
  berth_plan_unref(event.result.plan);
  return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const struct berth_codec codec = small_codec();
  struct berth_error err = {.code = BERTH_OK};
  if (size == 0) {
    return 0;
  }
  enum choice choice = (enum choice)(data[0] % N_CHOICES);
  enum berth_code code =
      (choice <= VERIFY          ? requests
       : choice <= VERIFY_ANSWER ? answers
       : choice <= MEASURE       ? later_requests
       : choice >= VARIANTS      ? variants
                                 : later_answers)(&codec, choice, data + 1, size - 1, &err);
  require(code == BERTH_OK || (err.code == code && err.message[0] != '\0'));
  return 0;
}
