/* A streaming JSON writer: nothing is held, so that a plan of 10^6 buffers costs no memory. The caller opens
 * and closes in pairs. Whole numbers are written exactly, to 64 bits; readers that keep numbers as doubles
 * lose what is beyond 2^53. */
#ifndef JSON_EMIT_H
#define JSON_EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/problem.h"
#include "text/writer.h"

enum { BERTH_JSON_MAX_DEPTH = 16 };

struct berth_json {
  struct berth_writer *writer;
  unsigned depth;
  unsigned inline_depth; /* values deeper than this share a line */
  bool has_items[BERTH_JSON_MAX_DEPTH];
};

void berth_json_init(struct berth_json *json, struct berth_writer *writer);

/* `key` is NULL in arrays and at the top. */
void berth_json_open(struct berth_json *json, const char *key, char bracket);
void berth_json_close(struct berth_json *json, char bracket);

void berth_json_u64(struct berth_json *json, const char *key, uint64_t n);
void berth_json_i64(struct berth_json *json, const char *key, int64_t n);
/* The shortest form that reads back as the same double; null if it is not finite. */
void berth_json_double(struct berth_json *json, const char *key, double n);
void berth_json_bool(struct berth_json *json, const char *key, bool b);
void berth_json_null(struct berth_json *json, const char *key);
void berth_json_text(struct berth_json *json, const char *key, struct berth_text text);
/* A string that the caller writes between the two, of characters that need no escapes. */
void berth_json_raw_open(struct berth_json *json, const char *key);
void berth_json_raw_close(struct berth_json *json);
void berth_json_string(struct berth_json *json, const char *key, const char *text);

#endif
