/* Lines, fields and numbers of a CSV text, and where they are. Nothing is copied. */
#ifndef MINIMALLOC_ROWS_H
#define MINIMALLOC_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/allocator.h"
#include "berth/status.h"

#define BERTH_MINIMALLOC_MAX_FIELDS 8 /* one a role: more would be double */

struct berth_minimalloc_field {
  const char *begin;
  const char *end;
  bool quoted; /* begin and end lie inside the quotes; quotes inside are still doubled */
};

struct berth_minimalloc_row {
  const char *begin;
  uint32_t line; /* of `begin` */
  uint32_t n_fields;
  struct berth_minimalloc_field fields[BERTH_MINIMALLOC_MAX_FIELDS];
};

struct berth_minimalloc_text {
  const char *begin;
  const char *end;
  const char *at;
  uint32_t line; /* of `at` */
};

/* Skips a UTF-8 byte order mark. */
void berth_minimalloc_text_init(struct berth_minimalloc_text *text, const char *bytes, size_t n_bytes);

/* The next line that is not blank, split at commas. *out_end: there is none. Fails on more than max_fields
 * fields, on a quote that is never closed and on text behind a closing quote. */
enum berth_code berth_minimalloc_next_row(
    struct berth_minimalloc_text *text, uint32_t max_fields, struct berth_minimalloc_row *row, bool *out_end,
    struct berth_error *err) BERTH_MUST_USE;

/* Sets line and column of `err` to those of `at`, a place in the row. Returns err's code. */
enum berth_code berth_minimalloc_place(
    struct berth_error *err, const struct berth_minimalloc_text *text, const struct berth_minimalloc_row *row,
    const char *at);

/* Without spaces and tabs at the ends. */
struct berth_minimalloc_field berth_minimalloc_trim(struct berth_minimalloc_field field);

/* The field for a message: quoted, cut to fit, and without anything that would upset a terminal. */
struct berth_minimalloc_excerpt {
  char text[48];
};
struct berth_minimalloc_excerpt berth_minimalloc_excerpt(struct berth_minimalloc_field field);

enum berth_minimalloc_number {
  BERTH_MINIMALLOC_NUMBER_OK = 0,
  BERTH_MINIMALLOC_NUMBER_MALFORMED,
  BERTH_MINIMALLOC_NUMBER_RANGE,
};

/* Reads digits with an optional sign from *at on, and leaves *at behind them. */
enum berth_minimalloc_number berth_minimalloc_i64(const char **at, const char *end, int64_t *out);
enum berth_minimalloc_number berth_minimalloc_u64(const char **at, const char *end, uint64_t *out);

/* Bytes that grow: the text of quoted ids. */
struct berth_minimalloc_scratch {
  const struct berth_allocator *allocator;
  char *bytes;
  size_t capacity;
};
void berth_minimalloc_scratch_finish(struct berth_minimalloc_scratch *scratch);

/* The field's text; undoubles quotes in `scratch` where there are any. */
enum berth_code berth_minimalloc_unquote(
    struct berth_minimalloc_scratch *scratch, struct berth_minimalloc_field field, const char **out_begin,
    size_t *out_size, struct berth_error *err) BERTH_MUST_USE;

#endif
