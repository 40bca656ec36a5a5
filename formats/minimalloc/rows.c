#include "minimalloc/rows.h"

#include <stdio.h>
#include <string.h>

static bool is_space(char c) {
  return c == ' ' || c == '\t';
}

void berth_minimalloc_text_init(struct berth_minimalloc_text *text, const char *bytes, size_t n_bytes) {
  static const char BYTE_ORDER_MARK[] = "\xef\xbb\xbf";
  size_t n_skipped = n_bytes >= 3 && memcmp(bytes, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0;
  *text = (struct berth_minimalloc_text){
      .begin = bytes + n_skipped, .end = bytes + n_bytes, .at = bytes + n_skipped, .line = 1};
}

enum berth_code berth_minimalloc_place(
    struct berth_error *err, const struct berth_minimalloc_text *text, const struct berth_minimalloc_row *row,
    const char *at) {
  const char *line_begin = at;
  while (line_begin > text->begin && line_begin[-1] != '\n') {
    line_begin--;
  }
  err->line = row->line;
  for (const char *c = row->begin; c < line_begin; c++) {
    err->line += *c == '\n';
  }
  size_t column = (size_t)(at - line_begin) + 1;
  err->column = column < UINT32_MAX ? (uint32_t)column : UINT32_MAX;
  return err->code;
}

static void end_line(struct berth_minimalloc_text *text) {
  if (text->at < text->end) {
    text->at++;
    text->line += text->line != UINT32_MAX;
  }
}

/* Moves to the first line that has something in it. */
static void skip_blank_lines(struct berth_minimalloc_text *text) {
  for (;;) {
    const char *c = text->at;
    while (c < text->end && (is_space(*c) || *c == '\r')) {
      c++;
    }
    if (c < text->end && *c != '\n') {
      return;
    }
    text->at = c;
    if (c == text->end) {
      return;
    }
    end_line(text);
  }
}

static bool ends_field(const struct berth_minimalloc_text *text, const char *c) {
  return c == text->end || *c == ',' || *c == '\n' || (*c == '\r' && (c + 1 == text->end || c[1] == '\n'));
}

/* `at` is behind the opening quote; returns the place behind the closing one, or NULL. */
static const char *find_closing_quote(const struct berth_minimalloc_text *text, const char *at) {
  for (const char *c = at; c < text->end; c++) {
    if (*c == '"') {
      if (c + 1 == text->end || c[1] != '"') {
        return c + 1;
      }
      c++;
    }
  }
  return NULL;
}

static enum berth_code read_quoted(
    struct berth_minimalloc_text *text, const struct berth_minimalloc_row *row,
    struct berth_minimalloc_field *field, struct berth_error *err) {
  const char *opening = text->at;
  const char *behind = find_closing_quote(text, opening + 1);
  if (behind == NULL) {
    berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, NULL,
        "this quote is never closed; close it, or leave both out");
    return berth_minimalloc_place(err, text, row, opening);
  }
  if (!ends_field(text, behind)) {
    berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, NULL,
        "text follows a closing quote; a comma or the end of the line is right, and \"\" for a quote inside");
    return berth_minimalloc_place(err, text, row, behind);
  }
  *field = (struct berth_minimalloc_field){.begin = opening + 1, .end = behind - 1, .quoted = true};
  for (const char *c = opening; c < behind; c++) {
    text->line += *c == '\n';
  }
  text->at = behind;
  return BERTH_OK;
}

static void read_plain(struct berth_minimalloc_text *text, struct berth_minimalloc_field *field) {
  const char *c = text->at;
  while (c < text->end && *c != ',' && *c != '\n') {
    c++;
  }
  *field = (struct berth_minimalloc_field){.begin = text->at, .end = c};
  text->at = c;
  if ((c == text->end || *c == '\n') && c > field->begin && c[-1] == '\r') {
    field->end--;
  }
}

enum berth_code berth_minimalloc_next_row(
    struct berth_minimalloc_text *text, uint32_t max_fields, struct berth_minimalloc_row *row, bool *out_end,
    struct berth_error *err) {
  skip_blank_lines(text);
  *out_end = text->at == text->end;
  row->begin = text->at;
  row->line = text->line;
  row->n_fields = 0;
  while (!*out_end) {
    if (row->n_fields == max_fields) {
      berth_fail(
          err, BERTH_INVALID_ARGUMENT, BERTH_REASON_COLUMN_LENGTH, BERTH_NO_INDEX, NULL,
          "the row has more than %u fields, one a column", max_fields);
      return berth_minimalloc_place(err, text, row, text->at);
    }
    struct berth_minimalloc_field *field = &row->fields[row->n_fields++];
    if (text->at < text->end && *text->at == '"') {
      enum berth_code code = read_quoted(text, row, field, err);
      if (code != BERTH_OK) {
        return code;
      }
    } else {
      read_plain(text, field);
    }
    if (text->at == text->end || *text->at != ',') {
      text->at += text->at < text->end && *text->at == '\r';
      end_line(text);
      break;
    }
    text->at++;
  }
  return BERTH_OK;
}

struct berth_minimalloc_field berth_minimalloc_trim(struct berth_minimalloc_field field) {
  while (field.begin < field.end && is_space(*field.begin)) {
    field.begin++;
  }
  while (field.begin < field.end && is_space(field.end[-1])) {
    field.end--;
  }
  return field;
}

struct berth_minimalloc_excerpt berth_minimalloc_excerpt(struct berth_minimalloc_field field) {
  struct berth_minimalloc_excerpt excerpt;
  size_t n = (size_t)(field.end - field.begin);
  size_t n_max = sizeof excerpt.text - 6; /* two quotes, an ellipsis of three, a NUL */
  size_t n_shown = n < n_max ? n : n_max;
  excerpt.text[0] = '\'';
  for (size_t i = 0; i < n_shown; i++) {
    unsigned char c = (unsigned char)field.begin[i];
    excerpt.text[1 + i] = (char)(c >= 0x20 && c < 0x7f ? c : '?');
  }
  snprintf(excerpt.text + 1 + n_shown, 5, "%s'", n_shown < n ? "..." : "");
  return excerpt;
}

static enum berth_minimalloc_number digits(const char **at, const char *end, uint64_t *out) {
  const char *c = *at;
  uint64_t n = 0;
  bool fits = true;
  for (; c < end && (unsigned)(*c - '0') <= 9; c++) {
    fits = fits && !__builtin_mul_overflow(n, 10, &n) && !__builtin_add_overflow(n, (unsigned)(*c - '0'), &n);
  }
  if (c == *at) {
    return BERTH_MINIMALLOC_NUMBER_MALFORMED;
  }
  *at = c;
  *out = n;
  return fits ? BERTH_MINIMALLOC_NUMBER_OK : BERTH_MINIMALLOC_NUMBER_RANGE;
}

static bool read_sign(const char **at, const char *end) {
  bool is_signed = *at < end && (**at == '-' || **at == '+');
  bool is_negative = is_signed && **at == '-';
  *at += is_signed;
  return is_negative;
}

enum berth_minimalloc_number berth_minimalloc_u64(const char **at, const char *end, uint64_t *out) {
  bool is_negative = read_sign(at, end);
  enum berth_minimalloc_number result = digits(at, end, out);
  return result == BERTH_MINIMALLOC_NUMBER_OK && is_negative && *out != 0 ? BERTH_MINIMALLOC_NUMBER_RANGE
                                                                          : result;
}

enum berth_minimalloc_number berth_minimalloc_i64(const char **at, const char *end, int64_t *out) {
  bool is_negative = read_sign(at, end);
  uint64_t n;
  enum berth_minimalloc_number result = digits(at, end, &n);
  if (result != BERTH_MINIMALLOC_NUMBER_OK) {
    return result;
  }
  if (n > (uint64_t)INT64_MAX + is_negative) {
    return BERTH_MINIMALLOC_NUMBER_RANGE;
  }
  *out = is_negative ? (int64_t)(-n) : (int64_t)n;
  return BERTH_MINIMALLOC_NUMBER_OK;
}

void berth_minimalloc_scratch_finish(struct berth_minimalloc_scratch *scratch) {
  if (scratch->bytes != NULL) {
    scratch->allocator->resize(scratch->allocator->ctx, scratch->bytes, scratch->capacity, 0);
  }
  scratch->bytes = NULL;
  scratch->capacity = 0;
}

static bool grow(struct berth_minimalloc_scratch *scratch, size_t n_bytes) {
  if (n_bytes <= scratch->capacity) {
    return true;
  }
  size_t capacity = n_bytes < 64 ? 64 : n_bytes > SIZE_MAX / 2 ? n_bytes : n_bytes * 2;
  char *bytes =
      scratch->allocator->resize(scratch->allocator->ctx, scratch->bytes, scratch->capacity, capacity);
  if (bytes == NULL) {
    return false;
  }
  scratch->bytes = bytes;
  scratch->capacity = capacity;
  return true;
}

enum berth_code berth_minimalloc_unquote(
    struct berth_minimalloc_scratch *scratch, struct berth_minimalloc_field field, const char **out_begin,
    size_t *out_size, struct berth_error *err) {
  size_t n = (size_t)(field.end - field.begin);
  *out_begin = field.begin;
  *out_size = n;
  if (!field.quoted || n == 0 || memchr(field.begin, '"', n) == NULL) {
    return BERTH_OK;
  }
  if (!grow(scratch, n)) {
    return berth_fail_memory(err);
  }
  size_t n_written = 0;
  for (const char *c = field.begin; c < field.end; c++) {
    scratch->bytes[n_written++] = *c;
    c += *c == '"';
  }
  *out_begin = scratch->bytes;
  *out_size = n_written;
  return BERTH_OK;
}
