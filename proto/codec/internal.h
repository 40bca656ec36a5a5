/* Shared by the files of this room only. */
#ifndef CODEC_INTERNAL_H
#define CODEC_INTERNAL_H

#include "berth/v1/plan_service.pb-c.h"
#include "codec/codec.h"
#include "codec/memory.h"
#include "codec/wire.h"

/* protobuf-c's structs hold pointers to data that it only reads when it packs. */
#define UNCONST(type, pointer) ((type *)(uintptr_t)(pointer))

/* Scans and unpacks; the message is freed with protobuf_c_message_free_unpacked(message, &memory->base). */
enum berth_code berth_codec_unpack(
    const struct berth_codec *codec, const ProtobufCMessageDescriptor *descriptor, bool allow_unknown,
    const uint8_t *bytes, size_t n_bytes, struct berth_codec_memory *memory, ProtobufCMessage **out_message,
    struct berth_error *err) BERTH_MUST_USE;

/* The scan's rules under these limits; returns how many. */
enum { BERTH_CODEC_MOST_RULES = 160 };
size_t berth_codec_rules(
    const struct berth_codec_limits *limits, struct berth_wire_rule out[BERTH_CODEC_MOST_RULES]);

enum berth_code berth_codec_pack(
    const ProtobufCMessage *message, const struct berth_codec_sink *sink,
    struct berth_error *err) BERTH_MUST_USE;

/* `message` may be NULL (the field was not sent). Without full reuse no permission to write in place is used.
 */
enum berth_code berth_codec_problem_from_message(
    const struct berth_codec *codec, const Berth__V1__Problem *message, enum berth_reuse reuse,
    struct berth_problem **out_problem, struct berth_error *err) BERTH_MUST_USE;
enum berth_reuse berth_codec_reuse_from_message(Berth__V1__Reuse reuse);

/* Fills `out` with pointers into the problem and into columns taken from `allocator`. */
struct berth_codec_columns;
enum berth_code berth_codec_message_from_problem(
    const struct berth_problem *problem, const struct berth_allocator *allocator, Berth__V1__Problem *out,
    struct berth_codec_columns **out_columns, struct berth_error *err) BERTH_MUST_USE;
/* Uninitialised, freed with the columns; NULL if memory ran out. */
void *berth_codec_column(struct berth_codec_columns *columns, size_t n, size_t size);
/* Symbols, expressions, shapes and bindings; shapes take the place of numbers, which become 0. */
bool berth_codec_put_symbols(
    struct berth_codec_columns *columns, const struct berth_problem *problem, Berth__V1__Problem *out);
void berth_codec_columns_destroy(struct berth_codec_columns *columns);

enum berth_code berth_codec_options_from_message(
    const Berth__V1__PlanOptions *message, struct berth_solve_options *out,
    struct berth_error *err) BERTH_MUST_USE;

/* What is to be kept of `earlier`; NULL where both messages are. One reference. */
enum berth_code berth_codec_stable_from_message(
    const struct berth_codec *codec, const struct berth_problem *problem,
    const Berth__V1__EarlierPlan *earlier, const Berth__V1__Keep *keep, const struct berth_stable **out,
    struct berth_error *err) BERTH_MUST_USE;
/* Lends the columns of `stable`; who must keep its place is listed among `columns`. False if memory ran out.
 */
bool berth_codec_put_stable(
    struct berth_codec_columns *columns, const struct berth_stable *stable, Berth__V1__EarlierPlan *earlier,
    Berth__V1__Keep *keep);

void berth_codec_put_stability(
    const struct berth_plan *plan, const struct berth_stable *stable, Berth__V1__Stability *out);

struct berth_codec_placed;
/* `m` may be NULL; finish `out` whatever the outcome. */
enum berth_code berth_codec_placed_from_message(
    const struct berth_codec *codec, const Berth__V1__PlacedProblem *m, struct berth_codec_placed *out,
    struct berth_error *err) BERTH_MUST_USE;
/* What is wrong inside `field` is blamed from the root of the request; returns `code`. */
enum berth_code
berth_codec_blame_in(const char *field, enum berth_code code, struct berth_error *err) BERTH_MUST_USE;

/* INVALID_ARGUMENT with field "plan_id" for what is no id. */
enum berth_code berth_codec_copy_plan_id(
    const char *id, char out[BERTH_PLANID_HEX_SIZE], struct berth_error *err) BERTH_MUST_USE;
/* Lends the texts; `out` must live as long as the message that it goes into. */
struct berth_codec_miss_message {
  Berth__V1__CacheMiss message;
  Berth__V1__KeyDifference items[BERTH_CODEC_MOST_DIFFERENCES];
  Berth__V1__KeyDifference *list[BERTH_CODEC_MOST_DIFFERENCES];
};
void berth_codec_put_miss(const struct berth_codec_miss *miss, struct berth_codec_miss_message *out);

/* What a ComputePlanResponse says, wherever it stands. */
enum berth_code berth_codec_plan_from_response(
    const struct berth_codec *codec, const Berth__V1__ComputePlanResponse *m, uint32_t n_buffers,
    struct berth_codec_plan *out, struct berth_error *err) BERTH_MUST_USE;
/* What the server sent and cannot be read is the server's fault: INTERNAL, not INVALID_ARGUMENT. */
enum berth_code berth_codec_unpack_answer(
    const struct berth_codec *codec, const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
    size_t n_bytes, struct berth_codec_memory *memory, ProtobufCMessage **out_message,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code
berth_codec_refuse_answer(struct berth_error *err, const char *field, const char *what) BERTH_MUST_USE;
struct berth_measurement;
/* Lends the texts. */
void berth_codec_put_measurement(const struct berth_measurement *from, Berth__V1__Measurement *to);

/* `names` is room for the strategies that are switched off, and must live as long as the message. */
void berth_codec_options_to_message(
    const struct berth_solve_options *options, Berth__V1__PlanOptions *out, const char *names[32]);

#endif
