/* FindLargestBinding: the question, and what was found. */
#ifndef CODEC_LARGEST_H
#define CODEC_LARGEST_H

#include "berth/largest.h"
#include "codec/codec.h"

struct berth_codec_largest {
  struct berth_problem *problem;          /* one reference */
  struct berth_solve_options options;     /* budget_ticks 0 means that none was asked for */
  struct berth_largest_question question; /* its symbol is the problem's own text */
};

/* The symbol is one of the problem's, and the range within its bounds. */
enum berth_code berth_codec_decode_largest(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_largest *out,
    struct berth_error *err) BERTH_MUST_USE;
void berth_codec_largest_finish(struct berth_codec_largest *request);
enum berth_code berth_codec_encode_largest(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_largest_question *question, const struct berth_allocator *allocator,
    const struct berth_codec_sink *sink, struct berth_error *err) BERTH_MUST_USE;

enum berth_code berth_codec_encode_largest_response(
    const struct berth_largest *largest, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;
/* For the client. Of the search only what was found is there. */
enum berth_code berth_codec_decode_largest_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_largest *out,
    struct berth_error *err) BERTH_MUST_USE;

#endif
