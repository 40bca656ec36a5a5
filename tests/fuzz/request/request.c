/* The first byte chooses the decoder, the rest is the message. What decodes must encode, and then decode to
 * the same bytes; what does not must say why. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codec/codec.h"

enum choice {
  COMPUTE,
  STREAM,
  GET,
  VERIFY,
  COMPUTE_ANSWER,
  STREAM_ANSWER,
  GET_ANSWER,
  VERIFY_ANSWER,
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
  char plan_id[BERTH_PLAN_ID_SIZE];
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
  enum berth_code code = choice <= VERIFY ? requests(&codec, choice, data + 1, size - 1, &err)
                                          : answers(&codec, choice, data + 1, size - 1, &err);
  require(code == BERTH_OK || (err.code == code && err.message[0] != '\0'));
  return 0;
}
