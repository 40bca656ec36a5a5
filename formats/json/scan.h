/* JSON text (RFC 8259), read where it lies: checked whole once, then walked by position. Nothing is built, so
 * that a document costs no memory and a value's place in the text is known to the end. */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/status.h"

/* Arrays and objects inside each other. */
enum { BERTH_JSON_MAX_NESTING = 32 };

struct berth_json_place {
  uint32_t line;   /* from 1 */
  uint32_t column; /* in bytes, from 1 */
};

struct berth_json_place berth_json_place_of(const char *text, const char *at);

/* Checks that the text is one JSON value in UTF-8 (a byte order mark before it is skipped), and returns its
 * first byte in `out_value`. What this accepted is what the functions below take. An error is MALFORMED, or
 * LIMIT_EXCEEDED for nesting, with line and column. */
enum berth_code berth_json_scan_check(
    const char *text, size_t n_bytes, const char **out_value, struct berth_error *err) BERTH_MUST_USE;

/* "an object", "an array", "a string", "a number", "true", "false" or "null". */
const char *berth_json_scan_kind(const char *value);

/* The first byte behind the value. */
const char *berth_json_scan_after(const char *value);

/* The members of an object, or the elements of an array, in order. */
struct berth_json_iterator {
  const char *at;
};
struct berth_json_iterator berth_json_scan_enter(const char *container);
/* False at the end. `out_key` is the key's opening quote; NULL for arrays. */
bool berth_json_scan_next(struct berth_json_iterator *iterator, const char **out_key, const char **out_value);

/* The text of a string, decoded; `out` has room for as many bytes as the string takes in the document. */
size_t berth_json_scan_string(const char *string, char *out);

/* Whether the string's text, decoded, is this word. */
bool berth_json_scan_is(const char *string, const char *word);

enum berth_json_number {
  BERTH_JSON_NUMBER_OK = 0,
  BERTH_JSON_NUMBER_FRACTION, /* or an exponent */
  BERTH_JSON_NUMBER_NEGATIVE, /* and must not be */
  BERTH_JSON_NUMBER_LARGE,    /* beyond 64 bits */
  BERTH_JSON_NUMBER_NONE,     /* no number, nor a string of one */
};

/* A whole number, or a string that holds one and nothing else. Exact. */
enum berth_json_number berth_json_scan_u64(const char *value, uint64_t *out);
enum berth_json_number berth_json_scan_i64(const char *value, int64_t *out);

#endif
