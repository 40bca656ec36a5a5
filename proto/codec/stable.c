/* An earlier plan to keep, both ways. What is wrong is blamed on "earlier" or "options.keep". */
#include <stdio.h>
#include <string.h>

#include "codec/internal.h"
#include "codec/reports.h"
#include "codec/scratch.h"

struct decoder {
  const struct berth_codec *codec;
  const struct berth_problem *problem;
  const Berth__V1__EarlierPlan *earlier;
  struct berth_codec_scratch scratch;
  struct berth_codec_placed placed;
  const struct berth_plan *plan; /* found by its id */
  struct berth_stable_row *rows; /* of the placed problem: a report's */
  struct berth_stable_spec spec;
  struct berth_error *err;
};

static enum berth_code
refuse_length(struct decoder *decoder, const char *field, size_t n, const char *what, uint32_t right) {
  return berth_fail(
      decoder->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_COLUMN_LENGTH, BERTH_NO_INDEX, field,
      "%s has %zu entries, but the problem has %u %s", field, n, right, what);
}

/* ---- Where buffers were ---- */

static enum berth_code check_columns(struct decoder *decoder) {
  const Berth__V1__EarlierPlan *m = decoder->earlier;
  uint32_t n = berth_problem_buffers(decoder->problem)->n;
  uint32_t n_pools = berth_problem_pools(decoder->problem)->n;
  if (m->n_buffer_offset != n) {
    return refuse_length(decoder, "earlier.buffer_offset", m->n_buffer_offset, "buffers", n);
  }
  if (m->n_buffer_pool != 0 && m->n_buffer_pool != n) {
    return refuse_length(decoder, "earlier.buffer_pool", m->n_buffer_pool, "buffers", n);
  }
  for (size_t i = 0; i < m->n_buffer_pool; i++) {
    if (m->buffer_pool[i] >= n_pools && m->buffer_pool[i] != BERTH_NO_INDEX) {
      return berth_fail(
          decoder->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_POOL, (uint32_t)i, "earlier.buffer_pool",
          "earlier.buffer_pool[%zu]: there is no pool %u", i, m->buffer_pool[i]);
    }
  }
  return BERTH_OK;
}

static enum berth_code take_columns(struct decoder *decoder) {
  const Berth__V1__EarlierPlan *m = decoder->earlier;
  const struct berth_buffers *buffers = berth_problem_buffers(decoder->problem);
  enum berth_code code = check_columns(decoder);
  struct berth_stable_row *rows =
      code == BERTH_OK ? berth_codec_scratch_take(&decoder->scratch, buffers->n, sizeof *rows) : NULL;
  if (rows == NULL) {
    return code != BERTH_OK ? code : berth_fail_memory(decoder->err);
  }
  for (uint32_t i = 0; i < buffers->n; i++) {
    rows[i] = (struct berth_stable_row){
        .pool = m->n_buffer_pool > 0 ? m->buffer_pool[i] : 0,
        .offset = m->buffer_offset[i],
        .size_bytes = buffers->size_bytes[i]};
  }
  decoder->spec.rows = rows;
  decoder->spec.n_rows = buffers->n;
  decoder->spec.is_in_order = true;
  return BERTH_OK;
}

static enum berth_code find_plan(struct decoder *decoder) {
  const struct berth_codec *codec = decoder->codec;
  const char *id = decoder->placed.plan_id;
  if (codec->find_plan == NULL) {
    return berth_fail(
        decoder->err, BERTH_NOT_FOUND, BERTH_REASON_PLAN_NOT_FOUND, BERTH_NO_INDEX, "plan_id",
        "no plan has the id %s", id);
  }
  return codec->find_plan(
      codec->ctx, id, &decoder->placed.problem, decoder->placed.allocator, &decoder->plan, decoder->err);
}

static enum berth_code take_placed(struct decoder *decoder) {
  struct berth_codec_placed *placed = &decoder->placed;
  enum berth_code code =
      berth_codec_placed_from_message(decoder->codec, decoder->earlier->placed, placed, decoder->err);
  if (code == BERTH_OK && placed->plan_id[0] != '\0') {
    code = find_plan(decoder);
  } else if (code == BERTH_OK && placed->offset == NULL) {
    code = berth_fail(
        decoder->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, BERTH_NO_INDEX, "buffer_offset",
        "the earlier problem has neither a plan's id nor offsets");
  }
  const struct berth_report_side side = {
      .problem = placed->problem,
      .offset = decoder->plan != NULL ? decoder->plan->offset : placed->offset,
      .pool = decoder->plan != NULL ? decoder->plan->pool : placed->pool};
  if (code == BERTH_OK) {
    code = berth_stable_rows(&side, decoder->problem, placed->allocator, &decoder->rows, decoder->err);
  }
  if (code == BERTH_OK) {
    decoder->spec.rows = decoder->rows;
    decoder->spec.n_rows = berth_problem_buffers(placed->problem)->n;
  }
  return berth_codec_blame_in("earlier.placed", code, decoder->err);
}

static enum berth_code take_arenas(struct decoder *decoder) {
  const Berth__V1__EarlierPlan *m = decoder->earlier;
  uint32_t n_pools = berth_problem_pools(decoder->problem)->n;
  if (m->n_arena_bytes != 0 && m->n_arena_bytes != n_pools) {
    return refuse_length(decoder, "earlier.arena_bytes", m->n_arena_bytes, "pools", n_pools);
  }
  decoder->spec.arena_bytes = m->n_arena_bytes != 0 ? m->arena_bytes : NULL;
  return BERTH_OK;
}

static enum berth_code take_earlier(struct decoder *decoder) {
  const Berth__V1__EarlierPlan *m = decoder->earlier;
  if (m->placed != NULL && m->n_buffer_offset != 0) {
    return berth_fail(
        decoder->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "earlier.placed",
        "there are both an earlier problem and offsets of this one; one of them says where the buffers were");
  }
  enum berth_code code = m->placed != NULL ? take_placed(decoder) : take_columns(decoder);
  return code == BERTH_OK ? take_arenas(decoder) : code;
}

/* ---- What is asked ---- */

static enum berth_code take_keep(struct decoder *decoder, const Berth__V1__Keep *m) {
  uint32_t n_pools = berth_problem_pools(decoder->problem)->n;
  struct berth_stable_spec *spec = &decoder->spec;
  if (m == NULL) {
    return BERTH_OK;
  }
  if (m->n_limit_bytes != 0 && m->n_limit_bytes != n_pools) {
    return refuse_length(decoder, "options.keep.limit_bytes", m->n_limit_bytes, "pools", n_pools);
  }
  spec->keep_by = m->keep_by > 0 ? (enum berth_keep_by)(m->keep_by - 1) : BERTH_KEEP_BUFFERS;
  spec->growth = m->growth > 0 ? (enum berth_growth)(m->growth - 1) : BERTH_GROWTH_ANY;
  spec->growth_amount = m->growth_amount;
  spec->must_all = m->must_all;
  for (size_t k = 0; k < m->n_must_class; k++) {
    spec->must_classes |= m->must_class[k] > 0 ? UINT32_C(1) << (m->must_class[k] - 1) : 1;
  }
  spec->must_pools = m->must_pool;
  spec->n_must_pools = (uint32_t)m->n_must_pool;
  spec->must_buffers = m->must_buffer;
  spec->n_must_buffers = (uint32_t)m->n_must_buffer;
  spec->limit_bytes = m->n_limit_bytes != 0 ? m->limit_bytes : NULL;
  return BERTH_OK;
}

/* From the words of the library to the fields. */
static enum berth_code name_field(enum berth_code code, struct berth_error *err) {
  static const char *const WORDS[][2] = {
      {"must_pools", "options.keep.must_pool"},
      {"must_buffers", "options.keep.must_buffer"},
      {"keep", "options.keep"},
      {"offset", "earlier.buffer_offset"}};
  for (size_t k = 0; code != BERTH_OK && err != NULL && k < sizeof WORDS / sizeof WORDS[0]; k++) {
    if (strcmp(err->field, WORDS[k][0]) == 0) {
      snprintf(err->field, sizeof err->field, "%s", WORDS[k][1]);
    }
  }
  return code;
}

enum berth_code berth_codec_stable_from_message(
    const struct berth_codec *codec, const struct berth_problem *problem,
    const Berth__V1__EarlierPlan *earlier, const Berth__V1__Keep *keep, const struct berth_stable **out,
    struct berth_error *err) {
  *out = NULL;
  if (earlier == NULL) {
    return keep == NULL ? BERTH_OK
                        : berth_fail(
                              err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, BERTH_NO_INDEX,
                              "earlier", "options.keep says what to keep, and there is no earlier plan");
  }
  struct decoder decoder = {.codec = codec, .problem = problem, .earlier = earlier, .err = err};
  berth_codec_scratch_init(&decoder.scratch, codec->allocator);
  enum berth_code code = take_earlier(&decoder);
  code = code == BERTH_OK ? take_keep(&decoder, keep) : code;
  if (code == BERTH_OK) {
    code = name_field(berth_stable_create(problem, &decoder.spec, codec->allocator, out, err), err);
  }
  berth_report_free(decoder.placed.allocator, decoder.rows);
  berth_plan_unref(decoder.plan);
  berth_codec_placed_finish(&decoder.placed);
  berth_codec_scratch_finish(&decoder.scratch);
  return code;
}

/* ---- Encoding ---- */

bool berth_codec_put_stable(
    struct berth_codec_columns *columns, const struct berth_stable *stable, Berth__V1__EarlierPlan *earlier,
    Berth__V1__Keep *keep) {
  uint32_t *musts = berth_codec_column(columns, stable->n_buffers, sizeof *musts);
  if (musts == NULL) {
    return false;
  }
  bool is_limited = false;
  for (uint32_t i = 0; i < stable->n_buffers; i++) {
    musts[keep->n_must_buffer] = i;
    keep->n_must_buffer += stable->must[i] != 0;
  }
  for (uint32_t p = 0; p < stable->n_pools; p++) {
    is_limited = is_limited || stable->limit_bytes[p] != BERTH_UNLIMITED;
  }
  keep->must_buffer = musts;
  keep->keep_by = (Berth__V1__KeepBy)(stable->keep_by + 1);
  keep->growth = stable->is_least ? BERTH__V1__GROWTH__GROWTH_LEAST : BERTH__V1__GROWTH__GROWTH_ANY;
  keep->n_limit_bytes = is_limited ? stable->n_pools : 0;
  keep->limit_bytes = UNCONST(uint64_t, stable->limit_bytes);
  earlier->n_buffer_offset = stable->n_buffers;
  earlier->buffer_offset = UNCONST(uint64_t, stable->offset);
  earlier->n_buffer_pool = stable->n_buffers;
  earlier->buffer_pool = UNCONST(uint32_t, stable->pool);
  earlier->n_arena_bytes = stable->n_pools;
  earlier->arena_bytes = UNCONST(uint64_t, stable->arena_bytes);
  return true;
}

void berth_codec_put_stability(
    const struct berth_plan *plan, const struct berth_stable *stable, Berth__V1__Stability *out) {
  const struct berth_stability *from = &plan->stability;
  berth__v1__stability__init(out);
  out->before_count = from->n_before;
  out->kept_count = from->n_kept;
  out->must_count = from->n_must;
  out->before_bytes = from->before_bytes;
  out->kept_bytes = from->kept_bytes;
  out->kept_bound = from->kept_bound;
  if (stable != NULL) {
    out->n_earlier_arena_bytes = stable->n_pools;
    out->earlier_arena_bytes = UNCONST(uint64_t, stable->arena_bytes);
    out->n_earlier_offset = stable->n_buffers;
    out->earlier_offset = UNCONST(uint64_t, stable->offset);
    out->n_earlier_pool = stable->n_buffers;
    out->earlier_pool = UNCONST(uint32_t, stable->pool);
    out->n_gone = stable->n_gone;
    out->gone = UNCONST(uint32_t, stable->gone);
  }
}
