/* The plans of several variants, both ways. A plan borrows its columns while it is packed, so each is packed
 * by itself, and the answer is put together from what they have become: a field of a message is its tag, its
 * length and its bytes. */
#include <string.h>

#include "codec/internal.h"
#include "codec/scratch.h"
#include "codec/variants.h"

enum { FIELD_VARIANT = 1, FIELD_BOUNDS = 2, FIELD_RESULT = 1, LENGTH_DELIMITED = 2, MOST_VARINT = 10 };

/* ---- Out ---- */

struct part {
  uint8_t *result; /* a packed ComputePlanResponse, or NULL */
  size_t n_result;
  uint8_t *rest; /* the other fields of the VariantResult */
  size_t n_rest;
};

struct part_sink {
  struct berth_codec_sink base;
  struct berth_codec_scratch *scratch;
  uint8_t *bytes;
  size_t n_bytes;
};

static uint8_t *reserve(void *ctx, size_t n_bytes) {
  struct part_sink *sink = ctx;
  sink->bytes = berth_codec_scratch_take(sink->scratch, n_bytes, 1);
  sink->n_bytes = n_bytes;
  return sink->bytes;
}

static size_t put_varint(uint8_t *to, uint64_t number) {
  size_t n = 0;
  for (; number >= 0x80; number >>= 7) {
    to[n++] = (uint8_t)(number | 0x80);
  }
  to[n++] = (uint8_t)number;
  return n;
}

static size_t put_head(uint8_t *to, unsigned field, size_t n_bytes) {
  to[0] = (uint8_t)(field << 3 | LENGTH_DELIMITED);
  return 1 + put_varint(to + 1, n_bytes);
}

static size_t with_head(size_t n_bytes) {
  uint8_t head[1 + MOST_VARINT];
  return put_head(head, 1, n_bytes) + n_bytes;
}

static uint8_t *put_bytes(uint8_t *to, const uint8_t *bytes, size_t n_bytes) {
  if (n_bytes > 0) {
    memcpy(to, bytes, n_bytes);
  }
  return to + n_bytes;
}

static enum berth_code
pack_rest(const struct berth_codec_variant_result *result, struct part_sink *sink, struct berth_error *err) {
  Berth__V1__VariantResult message = BERTH__V1__VARIANT_RESULT__INIT;
  Berth__V1__VariantFailure failure = BERTH__V1__VARIANT_FAILURE__INIT;
  message.from_bounds = result->from_bounds;
  if (result->plan.plan == NULL) {
    failure.code = (int32_t)result->error.code;
    failure.reason = UNCONST(char, berth_reason_name(result->error.reason));
    failure.message = UNCONST(char, result->error.message);
    message.failure = &failure;
  }
  return berth_codec_pack(&message.base, &sink->base, err);
}

static enum berth_code make_part(
    const struct berth_codec_variant_result *result, struct berth_codec_scratch *scratch, struct part *out,
    struct berth_error *err) {
  struct part_sink sink = {.scratch = scratch};
  sink.base = (struct berth_codec_sink){.ctx = &sink, .reserve = reserve};
  enum berth_code code = pack_rest(result, &sink, err);
  *out = (struct part){.rest = sink.bytes, .n_rest = sink.n_bytes};
  if (code == BERTH_OK && result->plan.plan != NULL) {
    code = berth_codec_encode_compute_response(
        &result->plan, result->problem, scratch->allocator, &sink.base, err);
    out->result = sink.bytes;
    out->n_result = sink.n_bytes;
  }
  return code;
}

static size_t part_size(const struct part *part) {
  return (part->result != NULL ? with_head(part->n_result) : 0) + part->n_rest;
}

static uint8_t *put_part(uint8_t *to, unsigned field, const struct part *part) {
  to += put_head(to, field, part_size(part));
  if (part->result != NULL) {
    to += put_head(to, FIELD_RESULT, part->n_result);
    to = put_bytes(to, part->result, part->n_result);
  }
  return put_bytes(to, part->rest, part->n_rest);
}

static uint64_t add(uint64_t a, uint64_t b) {
  return b <= UINT64_MAX - a ? a + b : UINT64_MAX;
}

static char *put_pool_name(struct berth_codec_scratch *scratch, struct berth_text name) {
  char *text = berth_codec_scratch_take(scratch, (size_t)name.size + 1, 1);
  if (text != NULL) {
    (void)put_bytes((uint8_t *)text, (const uint8_t *)name.data, name.size);
    text[name.size] = '\0';
  }
  return text;
}

/* What they need together, and all that is not of one variant. */
static enum berth_code pack_needs(
    const struct berth_codec_variant_result *results, uint32_t n_results, const struct berth_pools *pools,
    struct part_sink *sink, struct berth_error *err) {
  Berth__V1__PlanVariantsResponse message = BERTH__V1__PLAN_VARIANTS_RESPONSE__INIT;
  struct berth_codec_scratch *scratch = sink->scratch;
  const struct berth_plan **plans = berth_codec_scratch_take(scratch, n_results, sizeof *plans);
  Berth__V1__VariantsNeed *needs = berth_codec_scratch_take(scratch, pools->n, sizeof *needs);
  message.pools = berth_codec_scratch_take(scratch, pools->n, sizeof *message.pools);
  if (plans == NULL || needs == NULL || message.pools == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < n_results; i++) {
    plans[i] = results[i].plan.plan;
  }
  for (uint32_t p = 0; p < pools->n; p++) {
    struct berth_variants_need need = berth_variants_need(plans, n_results, p);
    berth__v1__variants_need__init(&needs[p]);
    needs[p].name = put_pool_name(scratch, pools->items[p].name);
    needs[p].one_at_a_time_bytes = need.largest_bytes;
    needs[p].all_at_once_bytes = need.sum_bytes;
    needs[p].rewritten = need.is_rewritten;
    message.one_at_a_time_bytes = add(message.one_at_a_time_bytes, need.largest_bytes);
    message.all_at_once_bytes = add(message.all_at_once_bytes, need.sum_bytes);
    message.pools[p] = &needs[p];
    if (needs[p].name == NULL) {
      return berth_fail_memory(err);
    }
  }
  message.n_pools = pools->n;
  return berth_codec_pack(&message.base, &sink->base, err);
}

static enum berth_code put_all(
    const struct part *parts, uint32_t n_results, const struct part *needs,
    const struct berth_codec_sink *sink, struct berth_error *err) {
  size_t n_bytes = needs->n_rest + with_head(part_size(&parts[n_results]));
  for (uint32_t i = 0; i < n_results; i++) {
    n_bytes += with_head(part_size(&parts[i]));
  }
  uint8_t *to = sink->reserve(sink->ctx, n_bytes);
  if (to == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < n_results; i++) {
    to = put_part(to, FIELD_VARIANT, &parts[i]);
  }
  to = put_part(to, FIELD_BOUNDS, &parts[n_results]);
  (void)put_bytes(to, needs->rest, needs->n_rest);
  return BERTH_OK;
}

enum berth_code berth_codec_encode_variants_response(
    const struct berth_codec_variant_result *results, uint32_t n_results,
    const struct berth_codec_variant_result *bounds, const struct berth_pools *pools,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink, struct berth_error *err) {
  struct berth_codec_scratch scratch;
  berth_codec_scratch_init(&scratch, allocator);
  struct part *parts = berth_codec_scratch_take(&scratch, (size_t)n_results + 1, sizeof *parts);
  enum berth_code code = parts != NULL ? BERTH_OK : berth_fail_memory(err);
  for (uint32_t i = 0; code == BERTH_OK && i <= n_results; i++) {
    code = make_part(i < n_results ? &results[i] : bounds, &scratch, &parts[i], err);
  }
  struct part_sink needs = {.scratch = &scratch};
  needs.base = (struct berth_codec_sink){.ctx = &needs, .reserve = reserve};
  code = code != BERTH_OK ? code : pack_needs(results, n_results, pools, &needs, err);
  if (code == BERTH_OK) {
    const struct part rest = {.rest = needs.bytes, .n_rest = needs.n_bytes};
    code = put_all(parts, n_results, &rest, sink, err);
  }
  berth_codec_scratch_finish(&scratch);
  return code;
}

/* ---- In ---- */

static void take_failure(const Berth__V1__VariantFailure *m, struct berth_error *out) {
  enum berth_reason reason = berth_reason_parse(m->reason);
  bool is_code = m->code > BERTH_OK && m->code <= BERTH_UNAUTHENTICATED;
  (void)!berth_fail(
      out, is_code ? (enum berth_code)m->code : BERTH_INTERNAL, reason, BERTH_NO_INDEX, NULL, "%s",
      m->message);
}

static enum berth_code take_result(
    const struct berth_codec *codec, const Berth__V1__VariantResult *m,
    struct berth_codec_variant_result *out, struct berth_error *err) {
  if (m == NULL || (m->result == NULL) == (m->failure == NULL)) {
    return berth_codec_refuse_answer(err, "variants", "one has neither a plan nor a failure, or both");
  }
  if (m->failure != NULL) {
    take_failure(m->failure, &out->error);
    return BERTH_OK;
  }
  out->from_bounds = m->from_bounds;
  enum berth_code code = berth_codec_plan_from_response(codec, m->result, BERTH_NO_INDEX, &out->plan, err);
  return code == BERTH_OK && out->plan.plan == NULL
             ? berth_codec_refuse_answer(err, "variants", "one has no plan")
             : code;
}

static enum berth_code take_results(
    const struct berth_codec *codec, const Berth__V1__PlanVariantsResponse *m,
    struct berth_codec_variant_result *out_results, uint32_t n_results,
    struct berth_codec_variant_result *out_bounds, struct berth_error *err) {
  if (m->n_variants != n_results) {
    return berth_codec_refuse_answer(err, "variants", "are not as many as were asked for");
  }
  enum berth_code code = take_result(codec, m->bounds, out_bounds, err);
  for (uint32_t i = 0; code == BERTH_OK && i < n_results; i++) {
    code = take_result(codec, m->variants[i], &out_results[i], err);
  }
  return code;
}

enum berth_code berth_codec_decode_variants_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes,
    struct berth_codec_variant_result *out_results, uint32_t n_results,
    struct berth_codec_variant_result *out_bounds, struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out_bounds = (struct berth_codec_variant_result){0};
  for (uint32_t i = 0; i < n_results; i++) {
    out_results[i] = (struct berth_codec_variant_result){0};
  }
  enum berth_code code = berth_codec_unpack_answer(
      codec, &berth__v1__plan_variants_response__descriptor, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = take_results(
      codec, (const Berth__V1__PlanVariantsResponse *)message, out_results, n_results, out_bounds, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  if (code != BERTH_OK) {
    berth_plan_unref(out_bounds->plan.plan);
    for (uint32_t i = 0; i < n_results; i++) {
      berth_plan_unref(out_results[i].plan.plan);
      out_results[i].plan.plan = NULL;
    }
    out_bounds->plan.plan = NULL;
  }
  return code;
}
