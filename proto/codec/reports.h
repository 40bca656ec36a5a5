/* ExplainPlan and DiffPlans: requests in, reports out. */
#ifndef CODEC_REPORTS_H
#define CODEC_REPORTS_H

#include "berth/report.h"
#include "codec/codec.h"

/* A problem, and where a plan puts its buffers. */
struct berth_codec_placed {
  struct berth_problem *problem;       /* one reference */
  uint64_t *offset;                    /* one a buffer, or NULL; freed by finish */
  uint32_t *pool;                      /* one a buffer, or NULL: all in the first; freed by finish */
  char plan_id[BERTH_PLANID_HEX_SIZE]; /* "" for none; never together with offsets */
  const struct berth_allocator *allocator;
};
void berth_codec_placed_finish(struct berth_codec_placed *placed);

/* ---- Explain ---- */

struct berth_codec_explain {
  struct berth_codec_placed subject;
  uint32_t max_peaks;
  uint32_t max_contributions;
  uint32_t max_timeline_points; /* 0: none */
  bool operators;
};

enum berth_code berth_codec_decode_explain(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_explain *out,
    struct berth_error *err) BERTH_MUST_USE;

struct berth_codec_peak {
  struct berth_span span;
  const struct berth_contribution *items; /* all of them */
  uint32_t n_items;
  struct berth_breakdown breakdown;
};

struct berth_codec_pool_use {
  struct berth_text name;
  uint64_t arena_bytes;
  uint64_t peak_bytes;
  int64_t peak_step;
};

struct berth_codec_explained {
  uint64_t peak_bytes;
  const struct berth_codec_peak *peaks; /* to be listed */
  uint32_t n_peaks;
  uint32_t n_all_peaks;
  uint32_t max_contributions;
  const struct berth_codec_pool_use *pools;
  uint32_t n_pools;
  const struct berth_timeline_point *points;
  uint32_t n_points;
  uint32_t n_all_points;
  const struct berth_operator_row *operators;
  uint32_t n_operators;
};

enum berth_code berth_codec_encode_explained(
    const struct berth_codec_explained *explained, const struct berth_allocator *allocator,
    const struct berth_codec_sink *sink, struct berth_error *err) BERTH_MUST_USE;

/* ---- Diff ---- */

struct berth_codec_diff {
  struct berth_codec_placed sides[2]; /* before, after */
  uint32_t max_differences;
};

enum berth_code berth_codec_decode_diff(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_diff *out,
    struct berth_error *err) BERTH_MUST_USE;

enum berth_code berth_codec_encode_comparison(
    const struct berth_comparison *comparison, const uint64_t arena_bytes[2], uint32_t max_differences,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;

#endif
