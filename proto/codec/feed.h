/* Feeding the builder from a Problem message: what the files for pools, buffers and graphs share. */
#ifndef CODEC_FEED_H
#define CODEC_FEED_H

#include "codec/internal.h"

struct feed {
  const struct berth_codec *codec;
  const struct berth_allocator *allocator;
  const Berth__V1__Problem *message;
  struct berth_problem_builder *builder;
  struct berth_error *err;
};

/* ---- Blame (blame.c) ---- */

enum berth_code feed_refuse(
    const struct feed *feed, enum berth_reason reason, const char *column, size_t index,
    const char *what) BERTH_MUST_USE;
/* Rewrites err->field, which the builder has set ("upper" of buffer 17), to the path on the wire
 * ("problem.buffer_upper[17]"); returns `code`. */
enum berth_code feed_blame(const struct feed *feed, enum berth_code code) BERTH_MUST_USE;

/* ---- Columns against each other, so that loops may index freely (columns.c) ---- */

enum need { EXACTLY, EMPTY_OR, EMPTY };

struct column {
  const char *name;
  size_t n;
  enum need need;
};

enum berth_code feed_check_lengths(
    const struct feed *feed, const char *of, size_t n_rows, const struct column *columns,
    size_t n_columns) BERTH_MUST_USE;
/* A column of ends: never falling, and the last one is the number of what they cut up. */
enum berth_code feed_check_ends(
    const struct feed *feed, const char *name, size_t n_ends, const uint32_t *ends, const char *of,
    size_t n_items) BERTH_MUST_USE;
/* Ids: text cut by ends, each within the limit. Whether it is UTF-8 is the builder's to say. */
enum berth_code feed_check_ids(
    const struct feed *feed, const char *end_name, size_t n_ends, const uint32_t *ends, const char *text_name,
    size_t n_bytes) BERTH_MUST_USE;

/* The sparse pair of pin columns made dense, one entry a row; *out_pinned is NULL where nothing is pinned,
 * else given back with feed_give_back. */
enum berth_code
feed_spread_pins(const struct feed *feed, size_t n_rows, uint64_t **out_pinned) BERTH_MUST_USE;
void *feed_take(const struct feed *feed, size_t n, size_t size);
void feed_give_back(const struct feed *feed, void *memory, size_t n, size_t size);

/* Row i of text cut by ends; nothing where there are no ends. */
struct berth_text feed_text(ProtobufCBinaryData text, size_t n_ends, const uint32_t *ends, size_t i);
enum berth_buffer_class feed_class(size_t n, const Berth__V1__BufferClass *column, size_t i);

/* ---- Symbols (symbols_decode.c): binds, and adds symbols and expressions; shapes are held against the items
 * that have them, so that each is found as items are added in their order ---- */

struct feed_shapes {
  size_t at[BERTH_N_SIZED_FIELDS]; /* the next shape of each field */
};
enum berth_code feed_symbols(const struct feed *feed, struct feed_shapes *out_shapes) BERTH_MUST_USE;
/* The shape of the item, kept in `shape`, or NULL; items of one field come in rising order. */
const struct berth_shape *feed_shape(
    const struct feed *feed, struct feed_shapes *shapes, enum berth_sized_field field, size_t item,
    struct berth_shape *shape);

/* ---- The two forms (buffers_decode.c, graph_decode.c) ---- */

enum berth_code feed_buffers(const struct feed *feed, struct feed_shapes *shapes) BERTH_MUST_USE;
enum berth_code feed_graph(const struct feed *feed, struct feed_shapes *shapes) BERTH_MUST_USE;

/* Groups of either's rows, of which there are `n_rows` (groups_decode.c). */
enum berth_code feed_groups(const struct feed *feed, size_t n_rows) BERTH_MUST_USE;

/* Problem by problem, then what they are to each other (parts_decode.c). */
enum berth_code feed_parts(
    const struct berth_codec *codec, const Berth__V1__Problem *message, enum berth_reuse reuse,
    struct berth_problem **out_problem, struct berth_error *err) BERTH_MUST_USE;

#endif
