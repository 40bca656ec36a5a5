/* PlanVariants: a problem with several bindings of its symbols, and their plans. */
#ifndef CODEC_VARIANTS_H
#define CODEC_VARIANTS_H

#include "berth/variants.h"
#include "codec/codec.h"

/* ---- The request ---- */

struct berth_codec_variants {
  struct berth_problem *problem;      /* one reference */
  struct berth_solve_options options; /* budget_ticks 0 means that none was asked for */
  uint32_t n;
  struct berth_bindings *items; /* names are the problem's own texts */
  struct berth_binding *bindings;
  const struct berth_allocator *allocator;
  size_t n_bindings;
};

/* Every symbol is one of the problem's, and every number within its bounds. */
enum berth_code berth_codec_decode_variants(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_variants *out,
    struct berth_error *err) BERTH_MUST_USE;
void berth_codec_variants_finish(struct berth_codec_variants *request);
enum berth_code berth_codec_encode_variants(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_bindings *variants, uint32_t n_variants, const struct berth_allocator *allocator,
    const struct berth_codec_sink *sink, struct berth_error *err) BERTH_MUST_USE;

/* ---- The answer ---- */

/* `plan.plan` NULL: there is none, and `error` says why. */
struct berth_codec_variant_result {
  struct berth_codec_plan plan;
  const struct berth_problem *problem; /* that it is of; for encoders, NULL where it is not known */
  bool from_bounds;
  struct berth_error error;
};

/* The plans' own bytes come first, so that nothing but them is held in memory twice. */
enum berth_code berth_codec_encode_variants_response(
    const struct berth_codec_variant_result *results, uint32_t n_results,
    const struct berth_codec_variant_result *bounds, const struct berth_pools *pools,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;
/* For the client: exactly `n_results`, each of which has a plan to unref, or an error. The sums are those of
 * berth_variants_need, and not taken over. */
enum berth_code berth_codec_decode_variants_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes,
    struct berth_codec_variant_result *out_results, uint32_t n_results,
    struct berth_codec_variant_result *out_bounds, struct berth_error *err) BERTH_MUST_USE;

#endif
