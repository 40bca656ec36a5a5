/* ListPlans, BatchGetPlans, DeletePlan and ReportMeasurement, both ways. */
#ifndef CODEC_STORED_H
#define CODEC_STORED_H

#include "codec/codec.h"
#include "planid/stored.h"

/* ---- Measured peaks ---- */

enum berth_code berth_codec_decode_measurement_report(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes,
    char out_plan_id[BERTH_PLANID_HEX_SIZE], struct berth_measurement *out,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_codec_encode_measurement_report(
    const char *plan_id, const struct berth_measurement *measurement, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_codec_encode_measurement_response(
    const struct berth_measurement *measurement, uint64_t n_measurements, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_codec_decode_measurement_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_measurement *out,
    uint64_t *out_n_measurements, struct berth_error *err) BERTH_MUST_USE;

/* `measured` may be NULL. */
enum berth_code berth_codec_encode_got(
    const struct berth_codec_plan *response, const struct berth_measured *measured,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;
/* Of the same bytes as berth_codec_decode_get_response. */
enum berth_code berth_codec_decode_measured(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_measured *out,
    struct berth_error *err) BERTH_MUST_USE;

/* ---- Lists ---- */

/* A token says where the page before has ended: the first eight bytes of its last id, as a number. */
struct berth_codec_list {
  uint32_t page_size; /* 1 to BERTH_PAGE_SIZE_MOST */
  bool has_after;
  uint64_t after; /* ids that begin with more than this */
};

enum berth_code berth_codec_decode_list(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_list *out,
    struct berth_error *err) BERTH_MUST_USE;
/* `page_token` is what the server gave. */
enum berth_code berth_codec_encode_list(
    uint32_t page_size, const char *page_token, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;
/* `next` (NULL: this is the last page) is the first eight bytes of the last id. */
enum berth_code berth_codec_encode_list_response(
    const struct berth_stored_plan *summaries, uint32_t n_summaries, const uint64_t *next,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;
/* Up to BERTH_PAGE_SIZE_MOST summaries. */
enum berth_code berth_codec_decode_list_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes,
    struct berth_stored_plan *out_summaries, uint32_t *out_n_summaries,
    char out_next_page_token[BERTH_PAGE_TOKEN_SIZE], struct berth_error *err) BERTH_MUST_USE;

/* ---- Several, and none ---- */

/* Ids one after the other; freed by finish. */
struct berth_codec_batch {
  uint32_t n;
  char (*plan_ids)[BERTH_PLANID_HEX_SIZE];
  const struct berth_allocator *allocator;
};

enum berth_code berth_codec_decode_batch(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_batch *out,
    struct berth_error *err) BERTH_MUST_USE;
void berth_codec_batch_finish(struct berth_codec_batch *batch);
enum berth_code berth_codec_encode_batch_response(
    const struct berth_codec_plan *plans, uint32_t n_plans, const struct berth_allocator *allocator,
    const struct berth_codec_sink *sink, struct berth_error *err) BERTH_MUST_USE;

enum berth_code berth_codec_decode_delete(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes,
    char out_plan_id[BERTH_PLANID_HEX_SIZE], struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_codec_encode_delete(
    const char *plan_id, const struct berth_codec_sink *sink, struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_codec_encode_delete_response(
    const struct berth_codec_sink *sink, struct berth_error *err) BERTH_MUST_USE;

#endif
