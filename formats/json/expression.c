/* Expressions in text, by recursive descent into the builder's table:
 *
 *   sum     = product { ("+" | "-") product }
 *   product = atom { ("*" | "//" | "%") atom }
 *   atom    = number | symbol | "?" | "(" sum ")" | call
 *   call    = ("max" | "min") "(" sum { "," sum } ")"
 *           | ("ceil" | "floor") "(" product "/" atom ")"
 *           | ("align" | "mod" | "ceildiv" | "floordiv") "(" sum "," sum ")"
 *
 * "/" alone has no meaning among whole numbers, so it is taken only where ceil or floor says which way. */
#include <string.h>

#include "json/reader.h"

enum { MAX_DEPTH = 64, SHOWN_BYTES = 40 };

struct parse {
  struct berth_json_reader *reader;
  const char *string; /* in the document */
  const char *text;   /* decoded, at least one byte long */
  const char *at;
  const char *end;
  unsigned depth;
};

static bool parse_sum(struct parse *parse, uint32_t *out);

static void refuse(struct parse *parse, const char *at, enum berth_reason reason, const char *what) {
  bool is_in_place = parse->text == parse->string + 1; /* else it has escapes, and other columns */
  berth_json_refuse(parse->reader, is_in_place ? at : parse->string, reason, "%s", what);
}

static void refuse_at(struct parse *parse, const char *what) {
  refuse(parse, parse->at, BERTH_REASON_BAD_SYMBOL, what);
}

static bool add(struct parse *parse, const struct berth_expression *expression, uint32_t *out) {
  struct berth_json_reader *reader = parse->reader;
  struct berth_json_object object = {.reader = reader, .begin = parse->string};
  berth_json_heed(
      &object, berth_problem_builder_add_expression(reader->builder, expression, out, reader->err));
  return reader->code == BERTH_OK;
}

static bool
combine(struct parse *parse, enum berth_operation operation, uint32_t left, uint32_t right, uint32_t *out) {
  return add(parse, &(struct berth_expression){.operation = operation, .left = left, .right = right}, out);
}

/* ---- Words ---- */

static void skip_spaces(struct parse *parse) {
  while (parse->at < parse->end && *parse->at == ' ') {
    parse->at++;
  }
}

static bool next_is(struct parse *parse, const char *word) {
  skip_spaces(parse);
  size_t n = strlen(word);
  return (size_t)(parse->end - parse->at) >= n && memcmp(parse->at, word, n) == 0;
}

static bool take(struct parse *parse, const char *word) {
  if (!next_is(parse, word)) {
    return false;
  }
  parse->at += strlen(word);
  return true;
}

static bool expect(struct parse *parse, const char *word, const char *what) {
  if (take(parse, word)) {
    return true;
  }
  refuse_at(parse, what);
  return false;
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* ---- Atoms ---- */

static bool parse_number(struct parse *parse, uint32_t *out) {
  struct berth_expression number = {.operation = BERTH_OPERATION_CONSTANT};
  const char *begin = parse->at;
  for (; parse->at < parse->end && is_digit(*parse->at); parse->at++) {
    if (__builtin_mul_overflow(number.value, 10, &number.value) ||
        __builtin_add_overflow(number.value, (uint64_t)(*parse->at - '0'), &number.value)) {
      refuse(parse, begin, BERTH_REASON_BAD_NUMBER, "has a number that is beyond 64 bits");
      return false;
    }
  }
  return add(parse, &number, out);
}

static bool parse_list(struct parse *parse, enum berth_operation operation, uint32_t *out) {
  bool ok = parse_sum(parse, out);
  while (ok && take(parse, ",")) {
    uint32_t right;
    ok = parse_sum(parse, &right) && combine(parse, operation, *out, right, out);
  }
  return ok && expect(parse, ")", "wants \",\" or \")\" here");
}

static bool parse_pair(struct parse *parse, enum berth_operation operation, uint32_t *out) {
  uint32_t left;
  uint32_t right;
  return parse_sum(parse, &left) && expect(parse, ",", "wants \",\" and a second number here") &&
         parse_sum(parse, &right) && expect(parse, ")", "wants \")\" here") &&
         combine(parse, operation, left, right, out);
}

static bool parse_atom(struct parse *parse, uint32_t *out);
static bool parse_product(struct parse *parse, uint32_t *out);

static bool parse_quotient(struct parse *parse, enum berth_operation operation, uint32_t *out) {
  uint32_t left;
  uint32_t right;
  return parse_product(parse, &left) &&
         expect(parse, "/", "wants a division as the whole of ceil() or floor(): ceil((n + 1) / 2)") &&
         parse_atom(parse, &right) &&
         expect(parse, ")", "wants \")\" here: a division is the whole of ceil() or floor()") &&
         combine(parse, operation, left, right, out);
}

static const struct call {
  const char *word;
  bool (*parse)(struct parse *parse, enum berth_operation operation, uint32_t *out);
  enum berth_operation operation;
} CALLS[] = {
    {"max", parse_list, BERTH_OPERATION_MAXIMUM},
    {"min", parse_list, BERTH_OPERATION_MINIMUM},
    {"ceil", parse_quotient, BERTH_OPERATION_CEIL_DIVIDE},
    {"floor", parse_quotient, BERTH_OPERATION_FLOOR_DIVIDE},
    {"align", parse_pair, BERTH_OPERATION_ALIGN_UP},
    {"mod", parse_pair, BERTH_OPERATION_MODULO},
    {"ceildiv", parse_pair, BERTH_OPERATION_CEIL_DIVIDE},
    {"floordiv", parse_pair, BERTH_OPERATION_FLOOR_DIVIDE},
};

static bool parse_word(struct parse *parse, uint32_t *out) {
  const char *begin = parse->at;
  while (parse->at < parse->end && (is_letter(*parse->at) || is_digit(*parse->at) || *parse->at == '.')) {
    parse->at++;
  }
  struct berth_text word = {.data = begin, .size = (uint32_t)(parse->at - begin)};
  for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
    if (strlen(CALLS[i].word) == word.size && memcmp(CALLS[i].word, word.data, word.size) == 0) {
      return expect(parse, "(", "wants \"(\" here") && CALLS[i].parse(parse, CALLS[i].operation, out);
    }
  }
  uint32_t symbol = berth_json_find_symbol(parse->reader, word);
  if (symbol == BERTH_NO_INDEX) {
    if (parse->reader->code == BERTH_OK) {
      refuse(parse, begin, BERTH_REASON_UNKNOWN_ID, "names a symbol that is not among $.symbols");
    }
    return false;
  }
  return combine(parse, BERTH_OPERATION_SYMBOL, symbol, 0, out);
}

static bool parse_atom(struct parse *parse, uint32_t *out) {
  skip_spaces(parse);
  if (parse->depth == MAX_DEPTH) {
    refuse(parse, parse->at, BERTH_REASON_LIMIT_EXCEEDED, "is nested deeper than 64 brackets");
    return false;
  }
  parse->depth++;
  bool ok = false;
  char first = parse->at < parse->end ? *parse->at : '\0';
  if (is_digit(first)) {
    ok = parse_number(parse, out);
  } else if (is_letter(first)) {
    ok = parse_word(parse, out);
  } else if (take(parse, "?")) {
    ok = add(parse, &(struct berth_expression){.operation = BERTH_OPERATION_UNKNOWN}, out);
  } else if (take(parse, "(")) {
    ok = parse_sum(parse, out) && expect(parse, ")", "wants \")\" here");
  } else {
    refuse_at(parse, "wants a number, a symbol or \"(\" here");
  }
  parse->depth--;
  return ok;
}

/* ---- Products and sums ---- */

static bool parse_product(struct parse *parse, uint32_t *out) {
  bool ok = parse_atom(parse, out);
  while (ok) {
    enum berth_operation operation = BERTH_OPERATION_MULTIPLY;
    uint32_t right;
    if (take(parse, "//")) {
      operation = BERTH_OPERATION_FLOOR_DIVIDE;
    } else if (take(parse, "%")) {
      operation = BERTH_OPERATION_MODULO;
    } else if (!take(parse, "*")) {
      return true;
    }
    ok = parse_atom(parse, &right) && combine(parse, operation, *out, right, out);
  }
  return false;
}

static bool parse_sum(struct parse *parse, uint32_t *out) {
  bool ok = parse_product(parse, out);
  while (ok) {
    enum berth_operation operation = BERTH_OPERATION_ADD;
    uint32_t right;
    if (take(parse, "-")) {
      operation = BERTH_OPERATION_SUBTRACT;
    } else if (!take(parse, "+")) {
      return true;
    }
    ok = parse_product(parse, &right) && combine(parse, operation, *out, right, out);
  }
  return false;
}

bool berth_json_read_expression(
    struct berth_json_reader *reader, const char *string, uint32_t *out_expression) {
  struct berth_text text = berth_json_text_of(reader, string, &reader->word);
  if (reader->code != BERTH_OK) {
    return false;
  }
  struct parse parse = {
      .reader = reader, .string = string, .text = text.data, .at = text.data, .end = text.data + text.size};
  if (!parse_sum(&parse, out_expression)) {
    return false;
  }
  skip_spaces(&parse);
  if (parse.at < parse.end) {
    refuse_at(
        &parse, *parse.at == '/'
                    ? "divides without saying which way to round: ceil(a / b) or floor(a / b) is right"
                    : "wants an operation or the end here");
  }
  return reader->code == BERTH_OK;
}
