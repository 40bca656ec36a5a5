/* berth.v1 messages: bytes <-> problems, options, plans and verdicts.
 *
 * Decoders trust nothing. The bytes are scanned (wire.h), decoded by protobuf-c under a cap on memory, and
 * checked column by column; the problem builder checks the rest. An error names the field by its path on the
 * wire, such as "problem.buffer_lower[17]", and the index in `err->index` where there is one.
 *
 * Encoders ask their sink once for memory and fill it. */
#ifndef CODEC_CODEC_H
#define CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/plan.h"
#include "berth/problem.h"
#include "berth/solve.h"
#include "berth/verify.h"
#include "codec/limits.h"
#include "planid/planid.h"

/* What a decoder works with. `allocator` NULL means libc's. */
struct berth_codec {
  struct berth_codec_limits limits;
  const struct berth_allocator *allocator;
  /* The plan with this id in the order of the problem's buffers; *problem is replaced where it is one without
   * results in place. NULL: no plan is known by an id. */
  void *ctx;
  enum berth_code (*find_plan)(
      void *ctx, const char *plan_id, struct berth_problem **problem, const struct berth_allocator *allocator,
      const struct berth_plan **out_plan, struct berth_error *err);
};

/* Asked once, for exactly `n_bytes`; NULL refuses. */
struct berth_codec_sink {
  void *ctx;
  uint8_t *(*reserve)(void *ctx, size_t n_bytes);
};

/* ---- Requests ---- */

/* Of ComputePlan and StreamPlan, which share their fields. `options.budget_ticks` 0 means that none was asked
 * for; of `options.stable` there is one reference. */
struct berth_codec_compute {
  struct berth_problem *problem; /* one reference */
  struct berth_solve_options options;
  bool validate_only;
  bool explain_miss;
};

enum berth_code berth_codec_decode_compute(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_compute *out,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_codec_decode_stream(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_compute *out,
    struct berth_error *err) BERTH_MUST_USE;
void berth_codec_compute_finish(struct berth_codec_compute *request);

/* The same bytes serve as a ComputePlanRequest and, with validate_only false, as a StreamPlanRequest. */
enum berth_code berth_codec_encode_compute(
    const struct berth_problem *problem, const struct berth_solve_options *options, bool validate_only,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;

/* The same, asking why the cache has no plan: a ComputePlanRequest only. */
enum berth_code berth_codec_encode_compute_explained(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;

/* Writes the 64 lowercase digits and NUL. */
enum berth_code berth_codec_decode_get(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes,
    char out_plan_id[BERTH_PLANID_HEX_SIZE], struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_codec_encode_get(
    const char *plan_id, const struct berth_codec_sink *sink, struct berth_error *err) BERTH_MUST_USE;

struct berth_codec_verify {
  struct berth_problem *problem; /* one reference */
  uint64_t *offset;              /* one a buffer; freed by finish */
  uint32_t *pool;                /* one a buffer, or NULL: all in the first; freed by finish */
  uint32_t max_violations;       /* 1 to 10000 */
  const struct berth_allocator *allocator;
};

enum berth_code berth_codec_decode_verify(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_verify *out,
    struct berth_error *err) BERTH_MUST_USE;
void berth_codec_verify_finish(struct berth_codec_verify *request);
/* `pool` may be NULL. */
enum berth_code berth_codec_encode_verify(
    const struct berth_problem *problem, const uint32_t *pool, const uint64_t *offset,
    uint32_t max_violations, const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;

/* ---- Responses ---- */

/* Why the cache had no plan. */
enum { BERTH_CODEC_MOST_DIFFERENCES = 32, BERTH_CODEC_WORD_SIZE = 64 };
struct berth_codec_difference {
  char section[BERTH_CODEC_WORD_SIZE];
  uint64_t n_entries; /* 0: not known */
};
struct berth_codec_miss {
  char reason[BERTH_CODEC_WORD_SIZE];
  char nearest[BERTH_PLANID_HEX_SIZE]; /* "" for none */
  bool nearest_is_kept;
  uint32_t n;
  struct berth_codec_difference items[BERTH_CODEC_MOST_DIFFERENCES];
};

/* A plan with what is known about it beside the plan itself. */
struct berth_codec_plan {
  const struct berth_plan *plan; /* a decoder's result is one reference; NULL after validate_only */
  char plan_id[BERTH_PLANID_HEX_SIZE];
  double solve_seconds;
  bool cached;
  const struct berth_stable *stable;   /* what it was asked to keep, for answers; NULL: the figures alone */
  const struct berth_codec_miss *miss; /* for answers; NULL: nothing is said of it */
};

/* `problem` gives the names of pools, and of a graph where its values are; it may be NULL. `response->plan`
 * NULL gives a response without a plan. */
enum berth_code berth_codec_encode_compute_response(
    const struct berth_codec_plan *response, const struct berth_problem *problem,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;
/* The same as the last message of a stream. */
enum berth_code berth_codec_encode_stream_result(
    const struct berth_codec_plan *response, const struct berth_problem *problem,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_codec_encode_stream_progress(
    const struct berth_progress *progress, double elapsed_seconds, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_codec_encode_verify_response(
    const struct berth_verdict *verdict, const struct berth_violation *violations,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;

/* The bare Plan, as it goes with the error of what does not fit. */
enum berth_code berth_codec_encode_plan(
    const struct berth_codec_plan *plan, const struct berth_allocator *allocator,
    const struct berth_codec_sink *sink, struct berth_error *err) BERTH_MUST_USE;

/* For the client. `n_buffers` is the number of the problem's buffers, or BERTH_NO_INDEX to take what comes.
 */
enum berth_code berth_codec_decode_compute_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, uint32_t n_buffers,
    struct berth_codec_plan *out, struct berth_error *err) BERTH_MUST_USE;
/* What the same response says of the cache; false if it says nothing. */
bool berth_codec_decode_miss(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_miss *out);
enum berth_code berth_codec_decode_plan(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, uint32_t n_buffers,
    struct berth_codec_plan *out, struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_codec_decode_get_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_plan *out,
    struct berth_error *err) BERTH_MUST_USE;

struct berth_codec_event {
  bool is_result;
  struct berth_codec_plan result;
  struct berth_progress progress;
  double elapsed_seconds;
};

enum berth_code berth_codec_decode_stream_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, uint32_t n_buffers,
    struct berth_codec_event *out, struct berth_error *err) BERTH_MUST_USE;

/* Writes up to n_capacity violations and their number to out_verdict->n_listed. */
enum berth_code berth_codec_decode_verify_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes,
    struct berth_violation *out_violations, uint32_t n_capacity, struct berth_verdict *out_verdict,
    struct berth_error *err) BERTH_MUST_USE;

#endif
