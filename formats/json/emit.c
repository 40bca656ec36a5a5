#include "json/emit.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/utf8.h"

void berth_json_init(struct berth_json *json, struct berth_writer *writer) {
  *json = (struct berth_json){.writer = writer, .inline_depth = 2};
}

static void indent(struct berth_json *json) {
  berth_writer_char(json->writer, '\n');
  for (unsigned i = 0; i < json->depth; i++) {
    berth_writer_text(json->writer, "  ");
  }
}

static void start(struct berth_json *json, const char *key) {
  if (json->depth != 0) {
    bool *has_items = &json->has_items[json->depth - 1];
    bool is_inline = json->depth > json->inline_depth;
    berth_writer_text(json->writer, !*has_items ? "" : is_inline ? ", " : ",");
    *has_items = true;
    if (!is_inline) {
      indent(json);
    }
  }
  if (key != NULL) {
    berth_writer_json_string(json->writer, key, strlen(key));
    berth_writer_text(json->writer, ": ");
  }
}

void berth_json_open(struct berth_json *json, const char *key, char bracket) {
  assert(json->depth < BERTH_JSON_MAX_DEPTH);
  start(json, key);
  berth_writer_char(json->writer, bracket);
  json->has_items[json->depth++] = false;
}

void berth_json_close(struct berth_json *json, char bracket) {
  bool is_inline = json->depth > json->inline_depth;
  bool had_items = json->has_items[--json->depth];
  if (had_items && !is_inline) {
    indent(json);
  }
  berth_writer_char(json->writer, bracket);
  if (json->depth == 0) {
    berth_writer_char(json->writer, '\n');
  }
}

void berth_json_u64(struct berth_json *json, const char *key, uint64_t n) {
  start(json, key);
  berth_writer_u64(json->writer, n);
}

void berth_json_i64(struct berth_json *json, const char *key, int64_t n) {
  start(json, key);
  berth_writer_i64(json->writer, n);
}

void berth_json_double(struct berth_json *json, const char *key, double n) {
  if (!isfinite(n)) {
    berth_json_null(json, key);
    return;
  }
  char text[40];
  for (int n_digits = 15; n_digits <= 17; n_digits++) {
    snprintf(text, sizeof text, "%.*g", n_digits, n);
    if (strtod(text, NULL) == n) {
      break;
    }
  }
  start(json, key);
  berth_writer_text(json->writer, text);
}

void berth_json_bool(struct berth_json *json, const char *key, bool b) {
  start(json, key);
  berth_writer_text(json->writer, b ? "true" : "false");
}

void berth_json_null(struct berth_json *json, const char *key) {
  start(json, key);
  berth_writer_text(json->writer, "null");
}

void berth_json_text(struct berth_json *json, const char *key, struct berth_text text) {
  start(json, key);
  berth_writer_json_string(json->writer, text.data, text.size);
}

void berth_json_raw_open(struct berth_json *json, const char *key) {
  start(json, key);
  berth_writer_char(json->writer, '"');
}

void berth_json_raw_close(struct berth_json *json) {
  berth_writer_char(json->writer, '"');
}

void berth_json_string(struct berth_json *json, const char *key, const char *text) {
  berth_json_text(json, key, (struct berth_text){.data = text, .size = (uint32_t)strlen(text)});
}
