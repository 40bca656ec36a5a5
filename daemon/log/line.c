#include "log/line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define END_ROOM 3 /* "}\n" and the NUL of snprintf */

struct piece {
  size_t n;
  char text[BERTHD_LOG_VALUE_SIZE + 16];
};

static void put(struct piece *piece, const char *bytes, size_t n) {
  memcpy(piece->text + piece->n, bytes, n);
  piece->n += n;
}

/* Length of the UTF-8 sequence at `s`, 0 if there is no valid one (also for surrogates and overlong forms).
 */
static size_t utf8_length(const unsigned char *s) {
  if (s[0] < 0x80) {
    return 1;
  }
  size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
  if (s[0] < 0xc2 || s[0] > 0xf4) {
    return 0;
  }
  for (size_t i = 1; i < n; i++) {
    if ((s[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
             (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
  return bad ? 0 : n;
}

/* Both formats quote texts as JSON does, so that a line can neither be ended nor continued by a value. */
static void put_quoted(struct piece *piece, const char *value) {
  put(piece, "\"", 1);
  for (const unsigned char *s = (const unsigned char *)value; *s != '\0';) {
    if (piece->n + 12 > BERTHD_LOG_VALUE_SIZE) {
      put(piece, "...", 3);
      break;
    }
    size_t n = utf8_length(s);
    if (n == 0) {
      put(piece, "\\ufffd", 6);
      n = 1;
    } else if (*s == '"' || *s == '\\') {
      put(piece, "\\", 1);
      put(piece, (const char *)s, 1);
    } else if (*s < 0x20 || *s == 0x7f) {
      char escape[8];
      put(piece, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", *s));
    } else {
      put(piece, (const char *)s, n);
    }
    s += n;
  }
  put(piece, "\"", 1);
}

static bool is_plain(const char *value) {
  size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/:@+-[],");
  return n > 0 && value[n] == '\0' && n < BERTHD_LOG_VALUE_SIZE;
}

static void
put_value(struct piece *piece, enum berthd_log_format format, const struct berthd_log_field *field) {
  char *to = piece->text + piece->n;
  size_t room = sizeof piece->text - piece->n;
  int n = 0;
  switch (field->type) {
  case BERTHD_LOG_STR:
    if (format == BERTHD_LOG_TEXT && is_plain(field->value.str)) {
      put(piece, field->value.str, strlen(field->value.str));
    } else {
      put_quoted(piece, field->value.str);
    }
    return;
  case BERTHD_LOG_U64:
    n = snprintf(to, room, "%llu", (unsigned long long)field->value.u64);
    break;
  case BERTHD_LOG_I64:
    n = snprintf(to, room, "%lld", (long long)field->value.i64);
    break;
  case BERTHD_LOG_F64:
    n = isfinite(field->value.f64) ? snprintf(to, room, "%.9g", field->value.f64)
                                   : snprintf(to, room, "null"); /* JSON has no infinity */
    break;
  case BERTHD_LOG_BOOL:
    n = snprintf(to, room, "%s", field->value.flag ? "true" : "false");
    break;
  }
  piece->n += n > 0 ? (size_t)n : 0;
}

void berthd_log_line_begin(struct berthd_log_line *line, enum berthd_log_format format) {
  line->format = format;
  line->n = 0;
}

void berthd_log_line_add(struct berthd_log_line *line, const struct berthd_log_field *field) {
  if (field->type == BERTHD_LOG_STR && field->value.str == NULL) {
    return;
  }
  struct piece value = {.n = 0};
  put_value(&value, line->format, field);
  bool json = line->format == BERTHD_LOG_JSON;
  const char *before = json ? (line->n == 0 ? "{" : ",") : (line->n == 0 ? "" : " ");
  size_t n_key = strlen(field->key);
  if (n_key > 64 || line->n + n_key + value.n + 4 + END_ROOM > BERTHD_LOG_LINE_SIZE) {
    return;
  }
  line->n += (size_t)snprintf(
      line->text + line->n, sizeof line->text - line->n, json ? "%s\"%s\":" : "%s%s=", before, field->key);
  memcpy(line->text + line->n, value.text, value.n);
  line->n += value.n;
}

void berthd_log_line_end(struct berthd_log_line *line) {
  if (line->format == BERTHD_LOG_JSON) {
    line->text[line->n++] = '}';
  }
  line->text[line->n++] = '\n';
}
