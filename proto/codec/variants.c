/* The request for several variants, both ways. */
#include "codec/variants.h"

#include <stdio.h>
#include <string.h>

#include "berth/largest.h"
#include "codec/internal.h"
#include "codec/scratch.h"

/* ---- In ---- */

static enum berth_code
refuse_binding(size_t variant, size_t binding, const char *field, const char *what, struct berth_error *err) {
  char path[BERTH_FIELD_SIZE + 32]; /* there is an end to variants and bindings, but no tool sees it */
  snprintf(path, sizeof path, "variants[%zu].bindings[%zu].%s", variant, binding, field);
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_SYMBOL, (uint32_t)variant, path, "%s %s", path, what);
}

static bool is_named_before(const Berth__V1__Variant *m, size_t binding) {
  for (size_t i = 0; i < binding; i++) {
    if (strcmp(m->bindings[i]->symbol, m->bindings[binding]->symbol) == 0) {
      return true;
    }
  }
  return false;
}

static enum berth_code take_binding(
    const struct berth_codec_variants *out, const Berth__V1__Variant *m, size_t variant, size_t binding,
    struct berth_binding *to, struct berth_error *err) {
  const Berth__V1__SymbolBinding *from = m->bindings[binding];
  struct berth_text name = {.data = from->symbol, .size = (uint32_t)strlen(from->symbol)};
  struct berth_symbol bounds;
  struct berth_binding range;
  if (!berth_problem_symbol_range(out->problem, name, &bounds, &range)) {
    return refuse_binding(variant, binding, "symbol", "is the name of none of the problem's symbols", err);
  }
  if (is_named_before(m, binding)) {
    return refuse_binding(variant, binding, "symbol", "is bound already in this variant", err);
  }
  *to = (struct berth_binding){
      .symbol = range.symbol, .lower = from->lower, .upper = from->upper != 0 ? from->upper : from->lower};
  if (to->lower < bounds.lower) {
    return refuse_binding(variant, binding, "lower", "is below the symbol's bounds", err);
  }
  if (to->upper > bounds.upper || to->upper == BERTH_UNBOUNDED || to->upper < to->lower) {
    return refuse_binding(
        variant, binding, from->upper != 0 ? "upper" : "lower", "ends no range within the symbol's bounds",
        err);
  }
  return BERTH_OK;
}

static enum berth_code take_variants(
    const Berth__V1__PlanVariantsRequest *m, struct berth_codec_variants *out, struct berth_error *err) {
  size_t n_taken = 0;
  if (m->n_variants == 0) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, BERTH_NO_INDEX, "variants",
        "variants is empty; at least one must be asked for");
  }
  for (size_t v = 0; v < m->n_variants; v++) {
    out->n_bindings += m->variants[v]->n_bindings;
  }
  const struct berth_allocator *from = out->allocator;
  out->n = (uint32_t)m->n_variants;
  out->items = from->resize(from->ctx, NULL, 0, out->n * sizeof *out->items);
  out->bindings = from->resize(from->ctx, NULL, 0, (out->n_bindings + 1) * sizeof *out->bindings);
  if (out->items == NULL || out->bindings == NULL) {
    return berth_fail_memory(err);
  }
  enum berth_code code = BERTH_OK;
  for (size_t v = 0; code == BERTH_OK && v < m->n_variants; v++) {
    const Berth__V1__Variant *variant = m->variants[v];
    out->items[v] =
        (struct berth_bindings){.n = (uint32_t)variant->n_bindings, .items = out->bindings + n_taken};
    for (size_t i = 0; code == BERTH_OK && i < variant->n_bindings; i++) {
      code = take_binding(out, variant, v, i, &out->bindings[n_taken++], err);
    }
  }
  return code;
}

/* Each variant is a problem of its own. */
static enum berth_code
check_size(const struct berth_codec *codec, const struct berth_codec_variants *out, struct berth_error *err) {
  uint64_t n_buffers = (uint64_t)berth_problem_buffers(out->problem)->n * (out->n + UINT64_C(1));
  return n_buffers <= codec->limits.buffers
             ? BERTH_OK
             : berth_fail(
                   err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, "variants",
                   "the variants and their bounds have %llu buffers together; the limit is %llu",
                   (unsigned long long)n_buffers, (unsigned long long)codec->limits.buffers);
}

/* Places that one binding keeps are in the way of another. */
static enum berth_code
take_options(const Berth__V1__PlanOptions *m, struct berth_codec_variants *out, struct berth_error *err) {
  if (m != NULL && m->keep != NULL) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_KEEP, BERTH_NO_INDEX, "options.keep",
        "options.keep is given, and no plan is kept while symbols vary");
  }
  if (m != NULL && m->add_syncs) { /* places that need waits are no places for another binding */
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "options.add_syncs",
        "options.add_syncs is given, and no waits are added while symbols vary");
  }
  return berth_codec_options_from_message(m, &out->options, err);
}

enum berth_code berth_codec_decode_variants(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_variants *out,
    struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_codec_variants){
      .allocator = codec->allocator != NULL ? codec->allocator : berth_allocator_libc()};
  enum berth_code code = berth_codec_unpack(
      codec, &berth__v1__plan_variants_request__descriptor, false, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  const Berth__V1__PlanVariantsRequest *request = (const Berth__V1__PlanVariantsRequest *)message;
  code = take_options(request->options, out, err);
  if (code == BERTH_OK) {
    code = berth_codec_problem_from_message(codec, request->problem, out->options.reuse, &out->problem, err);
  }
  code = code != BERTH_OK ? code : take_variants(request, out, err);
  code = code != BERTH_OK ? code : check_size(codec, out, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  if (code != BERTH_OK) {
    berth_codec_variants_finish(out);
  }
  return code;
}

void berth_codec_variants_finish(struct berth_codec_variants *request) {
  const struct berth_allocator *from = request->allocator;
  if (request->items != NULL) {
    from->resize(from->ctx, request->items, request->n * sizeof *request->items, 0);
  }
  if (request->bindings != NULL) {
    from->resize(from->ctx, request->bindings, (request->n_bindings + 1) * sizeof *request->bindings, 0);
  }
  berth_problem_unref(request->problem);
  *request = (struct berth_codec_variants){.allocator = from};
}

/* ---- Out ---- */

static char *put_name(struct berth_codec_scratch *scratch, struct berth_text name) {
  char *text = berth_codec_scratch_take(scratch, (size_t)name.size + 1, 1);
  if (text != NULL) {
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
  }
  return text;
}

static bool
put_bindings(struct berth_codec_scratch *scratch, const struct berth_bindings *from, Berth__V1__Variant *to) {
  Berth__V1__SymbolBinding *items = berth_codec_scratch_take(scratch, from->n, sizeof *items);
  to->bindings = berth_codec_scratch_take(scratch, from->n, sizeof *to->bindings);
  if (items == NULL || to->bindings == NULL) {
    return false;
  }
  to->n_bindings = from->n;
  for (uint32_t i = 0; i < from->n; i++) {
    berth__v1__symbol_binding__init(&items[i]);
    items[i].lower = from->items[i].lower;
    items[i].upper = from->items[i].upper != from->items[i].lower ? from->items[i].upper : 0;
    items[i].symbol = put_name(scratch, from->items[i].symbol);
    to->bindings[i] = &items[i];
    if (items[i].symbol == NULL) {
      return false;
    }
  }
  return true;
}

static bool put_variants(
    struct berth_codec_scratch *scratch, const struct berth_bindings *variants, uint32_t n_variants,
    Berth__V1__PlanVariantsRequest *to) {
  Berth__V1__Variant *items = berth_codec_scratch_take(scratch, n_variants, sizeof *items);
  to->variants = berth_codec_scratch_take(scratch, n_variants, sizeof *to->variants);
  bool ok = items != NULL && to->variants != NULL;
  to->n_variants = n_variants;
  for (uint32_t v = 0; ok && v < n_variants; v++) {
    berth__v1__variant__init(&items[v]);
    to->variants[v] = &items[v];
    ok = put_bindings(scratch, &variants[v], &items[v]);
  }
  return ok;
}

enum berth_code berth_codec_encode_variants(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_bindings *variants, uint32_t n_variants, const struct berth_allocator *allocator,
    const struct berth_codec_sink *sink, struct berth_error *err) {
  Berth__V1__Problem problem_message = BERTH__V1__PROBLEM__INIT;
  Berth__V1__PlanOptions options_message = BERTH__V1__PLAN_OPTIONS__INIT;
  Berth__V1__PlanVariantsRequest request = BERTH__V1__PLAN_VARIANTS_REQUEST__INIT;
  struct berth_codec_columns *columns = NULL;
  struct berth_codec_scratch scratch;
  const char *off[32];
  enum berth_code code =
      berth_codec_message_from_problem(problem, allocator, &problem_message, &columns, err);
  if (code != BERTH_OK) {
    return code;
  }
  berth_codec_scratch_init(&scratch, allocator);
  berth_codec_options_to_message(options, &options_message, off);
  request.problem = &problem_message;
  request.options = &options_message;
  code = put_variants(&scratch, variants, n_variants, &request) ? berth_codec_pack(&request.base, sink, err)
                                                                : berth_fail_memory(err);
  berth_codec_scratch_finish(&scratch);
  berth_codec_columns_destroy(columns);
  return code;
}
