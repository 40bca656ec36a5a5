/* The check is a loop with a stack of brackets in two words, so that no nesting costs stack. Behind it every
 * walk may trust the text, and stops at its structure. */
#include "json/scan.h"

#include <string.h>

#include "text/utf8.h"

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct berth_json_place berth_json_place_of(const char *text, const char *at) {
  struct berth_json_place place = {.line = 1};
  const char *line = text;
  for (const char *c; (c = memchr(line, '\n', (size_t)(at - line))) != NULL;) {
    line = c + 1;
    place.line += place.line != UINT32_MAX;
  }
  size_t column = (size_t)(at - line) + 1;
  place.column = column < UINT32_MAX ? (uint32_t)column : UINT32_MAX;
  return place;
}

/* ---- The check ---- */

struct check {
  const char *text;
  const char *at;
  const char *end;
  struct berth_error *err;
  unsigned depth;
  uint32_t objects; /* bit d: what is open at depth d is an object */
};

static enum berth_code refuse(const struct check *check, const char *at, const char *what) {
  struct berth_json_place place = berth_json_place_of(check->text, at);
  enum berth_code code = berth_fail(
      check->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, NULL, "not JSON: %s%s",
      what, at == check->end ? "; the text ends here" : "");
  if (check->err != NULL) {
    check->err->line = place.line;
    check->err->column = place.column;
  }
  return code;
}

static void skip_space(struct check *check) {
  while (check->at < check->end && is_space(*check->at)) {
    check->at++;
  }
}

static int hex_of(char c) {
  if (is_digit(c)) {
    return c - '0';
  }
  c = (char)(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four hexadecimal digits, or -1. */
static int unit_of(const char *at, const char *end) {
  int unit = 0;
  for (int i = 0; i < 4; i++) {
    int digit = at + i < end ? hex_of(at[i]) : -1;
    if (digit < 0) {
      return -1;
    }
    unit = unit * 16 + digit;
  }
  return unit;
}

static bool is_high(int unit) {
  return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low(int unit) {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/* check->at is at the backslash. */
static enum berth_code check_escape(struct check *check) {
  const char *at = check->at;
  const char *end = check->end;
  if (at + 1 < end && at[1] != '\0' && strchr("\"\\/bfnrt", at[1]) != NULL) {
    check->at += 2;
    return BERTH_OK;
  }
  if (at + 1 == end || at[1] != 'u') {
    return refuse(check, at, "an escape that there is not");
  }
  int unit = unit_of(at + 2, end);
  if (unit < 0) {
    return refuse(check, at, "\\u needs four hexadecimal digits");
  }
  check->at += 6;
  if (is_high(unit)) {
    bool has_low = end - check->at >= 6 && check->at[0] == '\\' && check->at[1] == 'u' &&
                   is_low(unit_of(check->at + 2, end));
    check->at += has_low ? 6 : 0;
    return has_low ? BERTH_OK : refuse(check, at, "half a surrogate pair");
  }
  return is_low(unit) ? refuse(check, at, "half a surrogate pair") : BERTH_OK;
}

static enum berth_code check_string(struct check *check) {
  const char *begin = check->at++;
  while (check->at < check->end && *check->at != '"') {
    unsigned char c = (unsigned char)*check->at;
    uint32_t code_point;
    size_t n = 1;
    if (c == '\\') {
      enum berth_code code = check_escape(check);
      if (code != BERTH_OK) {
        return code;
      }
      continue;
    }
    if (c < 0x20) {
      return refuse(check, check->at, "a control character in a string must be escaped");
    }
    if (c >= 0x80) {
      n = berth_utf8_decode(check->at, (size_t)(check->end - check->at), &code_point);
    }
    if (n == 0) {
      return refuse(check, check->at, "the string is not UTF-8");
    }
    check->at += n;
  }
  if (check->at == check->end) {
    return refuse(check, begin, "the string that begins here has no end");
  }
  check->at++;
  return BERTH_OK;
}

static bool skip_digits(struct check *check) {
  const char *begin = check->at;
  while (check->at < check->end && is_digit(*check->at)) {
    check->at++;
  }
  return check->at != begin;
}

static bool skip_one(struct check *check, const char *set) {
  bool is_there = check->at < check->end && *check->at != '\0' && strchr(set, *check->at) != NULL;
  check->at += is_there;
  return is_there;
}

static enum berth_code check_number(struct check *check) {
  const char *begin = check->at;
  skip_one(check, "-");
  bool is_zero = skip_one(check, "0");
  if (!is_zero && !skip_digits(check)) {
    return refuse(check, begin, "a number needs digits");
  }
  if (is_zero && check->at < check->end && is_digit(*check->at)) {
    return refuse(check, begin, "a number must not begin with 0");
  }
  if (skip_one(check, ".") && !skip_digits(check)) {
    return refuse(check, check->at, "a fraction needs digits");
  }
  if (skip_one(check, "eE")) {
    skip_one(check, "+-");
    if (!skip_digits(check)) {
      return refuse(check, check->at, "an exponent needs digits");
    }
  }
  return BERTH_OK;
}

static enum berth_code check_scalar(struct check *check) {
  static const char *const WORDS[] = {"true", "false", "null"};
  if (check->at == check->end) {
    return refuse(check, check->at, "a value is missing");
  }
  if (*check->at == '"') {
    return check_string(check);
  }
  if (*check->at == '-' || is_digit(*check->at)) {
    return check_number(check);
  }
  for (unsigned i = 0; i < 3; i++) {
    size_t n = strlen(WORDS[i]);
    if ((size_t)(check->end - check->at) >= n && memcmp(check->at, WORDS[i], n) == 0) {
      check->at += n;
      return BERTH_OK;
    }
  }
  return refuse(check, check->at, "a value is missing");
}

static bool in_object(const struct check *check) {
  return check->depth != 0 && (check->objects >> (check->depth - 1) & 1) != 0;
}

static enum berth_code check_key(struct check *check) {
  skip_space(check);
  if (check->at == check->end || *check->at != '"') {
    return refuse(check, check->at, "a key in quotes is missing");
  }
  enum berth_code code = check_string(check);
  skip_space(check);
  if (code == BERTH_OK && !skip_one(check, ":")) {
    return refuse(check, check->at, "a key needs a colon behind it");
  }
  return code;
}

/* Opens what begins here, as long as it has content; false in `out_has_value` where a value is complete. */
static enum berth_code check_value(struct check *check, bool *out_is_open) {
  skip_space(check);
  *out_is_open = false;
  if (check->at == check->end || (*check->at != '{' && *check->at != '[')) {
    return check_scalar(check);
  }
  if (check->depth == BERTH_JSON_MAX_NESTING) {
    enum berth_code code = refuse(check, check->at, "nested deeper than 32 levels, which is the limit");
    if (check->err != NULL) {
      check->err->reason = BERTH_REASON_LIMIT_EXCEEDED;
    }
    return code;
  }
  bool is_object = *check->at++ == '{';
  skip_space(check);
  if (skip_one(check, is_object ? "}" : "]")) {
    return BERTH_OK;
  }
  uint32_t bit = UINT32_C(1) << check->depth++;
  check->objects = is_object ? check->objects | bit : check->objects & ~bit;
  *out_is_open = true;
  return is_object ? check_key(check) : BERTH_OK;
}

/* Behind a complete value: closes what ends here, and goes on to the next value if there is one. */
static enum berth_code check_end(struct check *check) {
  while (check->depth != 0) {
    skip_space(check);
    if (skip_one(check, ",")) {
      return in_object(check) ? check_key(check) : BERTH_OK;
    }
    if (!skip_one(check, in_object(check) ? "}" : "]")) {
      return refuse(
          check, check->at,
          in_object(check) ? "a comma or } is missing here" : "a comma or ] is missing here");
    }
    check->depth--;
  }
  return BERTH_OK;
}

enum berth_code
berth_json_scan_check(const char *text, size_t n_bytes, const char **out_value, struct berth_error *err) {
  text = n_bytes != 0 ? text : "";
  struct check check = {.text = text, .at = text, .end = text + n_bytes, .err = err};
  if (n_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
    check.at += 3;
  }
  skip_space(&check);
  *out_value = check.at;
  enum berth_code code;
  bool is_open;
  do {
    code = check_value(&check, &is_open);
    if (code == BERTH_OK && !is_open) {
      code = check_end(&check);
    }
  } while (code == BERTH_OK && check.depth != 0);
  skip_space(&check);
  return code == BERTH_OK && check.at != check.end ? refuse(&check, check.at, "more behind the value") : code;
}

/* ---- Walks over what was checked ---- */

static const char *past_space(const char *at) {
  while (is_space(*at)) {
    at++;
  }
  return at;
}

static const char *past_string(const char *at) {
  for (at++; *at != '"'; at++) {
    at += *at == '\\';
  }
  return at + 1;
}

const char *berth_json_scan_kind(const char *value) {
  switch (*value) {
  case '{':
    return "an object";
  case '[':
    return "an array";
  case '"':
    return "a string";
  case 't':
    return "true";
  case 'f':
    return "false";
  case 'n':
    return "null";
  default:
    return "a number";
  }
}

static const char *past_container(const char *at) {
  unsigned depth = 0;
  do {
    if (*at == '"') {
      at = past_string(at);
      continue;
    }
    depth += *at == '{' || *at == '[';
    depth -= *at == '}' || *at == ']';
    at++;
  } while (depth != 0);
  return at;
}

/* The end of the text is no stop for a number, which is never last: the walks only go inside of containers.
 */
const char *berth_json_scan_after(const char *value) {
  if (*value == '"') {
    return past_string(value);
  }
  if (*value == '{' || *value == '[') {
    return past_container(value);
  }
  while (*value != ',' && *value != '}' && *value != ']' && !is_space(*value)) {
    value++;
  }
  return value;
}

struct berth_json_iterator berth_json_scan_enter(const char *container) {
  return (struct berth_json_iterator){.at = container};
}

bool berth_json_scan_next(
    struct berth_json_iterator *iterator, const char **out_key, const char **out_value) {
  *out_key = NULL;
  if (*iterator->at == '}' || *iterator->at == ']') {
    return false;
  }
  const char *at = past_space(iterator->at + 1); /* behind the first bracket, or a comma */
  if (*at == '}' || *at == ']') {
    return false;
  }
  const char *value = at;
  const char *after = berth_json_scan_after(at);
  const char *next = past_space(after);
  if (*next == ':') {
    *out_key = at;
    value = past_space(next + 1);
    next = past_space(berth_json_scan_after(value));
  }
  *out_value = value;
  iterator->at = next;
  return true;
}

static size_t put_utf8(char *out, uint32_t code_point) {
  if (code_point < 0x80) {
    out[0] = (char)code_point;
    return 1;
  }
  size_t n = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
  static const unsigned char FIRST[] = {0, 0, 0xc0, 0xe0, 0xf0};
  for (size_t i = n - 1; i > 0; i--) {
    out[i] = (char)(0x80 | (code_point & 0x3f));
    code_point >>= 6;
  }
  out[0] = (char)(FIRST[n] | code_point);
  return n;
}

/* `at` is behind the backslash; returns what is behind the escape. */
static const char *take_escape(const char *at, char *out, size_t *n) {
  static const char FROM[] = "bfnrt";
  static const char TO[] = "\b\f\n\r\t";
  if (*at != 'u') {
    const char *found = strchr(FROM, *at);
    out[(*n)++] = found != NULL ? TO[found - FROM] : *at;
    return at + 1;
  }
  uint32_t code_point = (uint32_t)unit_of(at + 1, at + 5);
  at += 5;
  if (is_high((int)code_point)) {
    code_point = 0x10000 + ((code_point - 0xd800) << 10) + ((uint32_t)unit_of(at + 2, at + 6) - 0xdc00);
    at += 6;
  }
  *n += put_utf8(out + *n, code_point);
  return at;
}

size_t berth_json_scan_string(const char *string, char *out) {
  size_t n = 0;
  for (const char *at = string + 1; *at != '"';) {
    if (*at == '\\') {
      at = take_escape(at + 1, out, &n);
    } else {
      out[n++] = *at++;
    }
  }
  return n;
}

bool berth_json_scan_is(const char *string, const char *word) {
  for (const char *at = string + 1; *at != '"';) {
    char bytes[4] = {*at};
    size_t n = 1;
    if (*at == '\\') {
      n = 0;
      at = take_escape(at + 1, bytes, &n);
    } else {
      at++;
    }
    for (size_t i = 0; i < n; i++, word++) {
      if (*word == '\0' || *word != bytes[i]) {
        return false;
      }
    }
  }
  return *word == '\0';
}

static enum berth_json_number take_number(const char *value, bool *out_is_negative, uint64_t *out_magnitude) {
  bool is_string = *value == '"';
  value += is_string;
  *out_is_negative = *value == '-';
  value += *out_is_negative;
  const char *begin = value;
  *out_magnitude = 0;
  for (; is_digit(*value); value++) {
    if (__builtin_mul_overflow(*out_magnitude, UINT64_C(10), out_magnitude) ||
        __builtin_add_overflow(*out_magnitude, (uint64_t)(*value - '0'), out_magnitude)) {
      *out_magnitude = UINT64_MAX;
      return BERTH_JSON_NUMBER_LARGE;
    }
  }
  bool is_padded = *begin == '0' && value - begin > 1;
  if (value == begin || is_padded || (is_string && *value != '"')) {
    return BERTH_JSON_NUMBER_NONE;
  }
  return *value == '.' || *value == 'e' || *value == 'E' ? BERTH_JSON_NUMBER_FRACTION : BERTH_JSON_NUMBER_OK;
}

enum berth_json_number berth_json_scan_u64(const char *value, uint64_t *out) {
  bool is_negative;
  enum berth_json_number found = take_number(value, &is_negative, out);
  bool is_below = is_negative && (found == BERTH_JSON_NUMBER_LARGE || *out != 0);
  return found != BERTH_JSON_NUMBER_NONE && is_below ? BERTH_JSON_NUMBER_NEGATIVE : found;
}

enum berth_json_number berth_json_scan_i64(const char *value, int64_t *out) {
  bool is_negative;
  uint64_t magnitude;
  enum berth_json_number found = take_number(value, &is_negative, &magnitude);
  if (found == BERTH_JSON_NUMBER_OK && magnitude > (uint64_t)INT64_MAX + is_negative) {
    return BERTH_JSON_NUMBER_LARGE;
  }
  *out = is_negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
  return found;
}
