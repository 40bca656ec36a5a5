/* Symbols and sizes written as text: brackets only where the reading needs them. */
#include "json/problem_sizes.h"

#include <stdio.h>

/* What one text may hold, so that a table in which expressions share parts cannot make it endless, and what
 * the reader takes. */
enum { MAX_PARTS = 65536, MAX_LEVELS = 4096, MAX_BRACKETS = 64 };

enum { SUM = 1, PRODUCT, ATOM };

struct text_of {
  struct berth_writer *writer;
  const struct berth_symbols *symbols;
  unsigned n_parts;
  unsigned n_levels;
  unsigned n_brackets;
  bool is_too_large;
};

static void write_expression(struct text_of *text, uint32_t expression, int least);

static int precedence(enum berth_operation operation) {
  switch (operation) {
  case BERTH_OPERATION_ADD:
  case BERTH_OPERATION_SUBTRACT:
    return SUM;
  case BERTH_OPERATION_MULTIPLY:
    return PRODUCT;
  default:
    return ATOM;
  }
}

static void write_call(
    struct text_of *text, const struct berth_expression *expression, const char *word, const char *between) {
  bool divides = between[1] == '/';
  berth_writer_text(text->writer, word);
  berth_writer_char(text->writer, '(');
  write_expression(text, expression->left, divides ? PRODUCT : SUM);
  berth_writer_text(text->writer, between);
  write_expression(text, expression->right, divides ? ATOM : SUM);
  berth_writer_char(text->writer, ')');
}

static void write_operation(struct text_of *text, const struct berth_expression *expression) {
  switch (expression->operation) {
  case BERTH_OPERATION_CONSTANT:
    berth_writer_u64(text->writer, expression->value);
    break;
  case BERTH_OPERATION_SYMBOL: {
    struct berth_text name = text->symbols->symbols[expression->left].name;
    berth_writer_bytes(text->writer, name.data, name.size);
    break;
  }
  case BERTH_OPERATION_UNKNOWN:
    berth_writer_char(text->writer, '?');
    break;
  case BERTH_OPERATION_ADD:
  case BERTH_OPERATION_SUBTRACT:
    write_expression(text, expression->left, SUM);
    berth_writer_text(text->writer, expression->operation == BERTH_OPERATION_ADD ? " + " : " - ");
    write_expression(text, expression->right, PRODUCT);
    break;
  case BERTH_OPERATION_MULTIPLY:
    write_expression(text, expression->left, PRODUCT);
    berth_writer_text(text->writer, " * ");
    write_expression(text, expression->right, ATOM);
    break;
  case BERTH_OPERATION_FLOOR_DIVIDE:
    write_call(text, expression, "floor", " / ");
    break;
  case BERTH_OPERATION_CEIL_DIVIDE:
    write_call(text, expression, "ceil", " / ");
    break;
  case BERTH_OPERATION_MODULO:
    write_call(text, expression, "mod", ", ");
    break;
  case BERTH_OPERATION_MAXIMUM:
    write_call(text, expression, "max", ", ");
    break;
  case BERTH_OPERATION_MINIMUM:
    write_call(text, expression, "min", ", ");
    break;
  default:
    write_call(text, expression, "align", ", ");
    break;
  }
}

/* `least`: what binds less takes brackets. */
static void write_expression(struct text_of *text, uint32_t index, int least) {
  const struct berth_expression *expression = &text->symbols->expressions[index];
  bool has_operands = expression->operation > BERTH_OPERATION_UNKNOWN;
  bool brackets = precedence(expression->operation) < least;
  bool opens = brackets || (has_operands && precedence(expression->operation) == ATOM);
  if (text->is_too_large || text->n_parts == MAX_PARTS || text->n_levels == MAX_LEVELS ||
      (opens && text->n_brackets == MAX_BRACKETS - 2)) {
    text->is_too_large = true;
    return;
  }
  text->n_parts++;
  text->n_levels++;
  text->n_brackets += opens;
  if (brackets) {
    berth_writer_char(text->writer, '(');
  }
  write_operation(text, expression);
  if (brackets) {
    berth_writer_char(text->writer, ')');
  }
  text->n_brackets -= opens;
  text->n_levels--;
}

/* The whole of a string. A number alone would be read as a plain number: brackets keep it an expression. */
static bool write_string(
    struct berth_json *json, const char *key, const struct berth_symbols *symbols,
    const struct berth_shape *shape) {
  struct text_of text = {.writer = json->writer, .symbols = symbols};
  bool whole_bytes = shape->element_bits % 8 == 0;
  uint32_t factor = whole_bytes ? shape->element_bits / 8 : shape->element_bits;
  bool is_product = shape->n_dimensions != 1 || factor != 1 || !whole_bytes;
  bool is_number =
      !is_product && symbols->expressions[shape->dimensions[0]].operation == BERTH_OPERATION_CONSTANT;
  berth_json_raw_open(json, key);
  berth_writer_text(json->writer, !whole_bytes ? "ceil(" : is_number || shape->n_dimensions == 0 ? "(" : "");
  for (uint32_t i = 0; i < shape->n_dimensions; i++) {
    write_expression(&text, shape->dimensions[i], is_product ? ATOM : SUM);
    berth_writer_text(json->writer, is_product && i + 1 < shape->n_dimensions ? " * " : "");
  }
  if (is_product && (factor != 1 || shape->n_dimensions == 0)) {
    berth_writer_text(json->writer, shape->n_dimensions != 0 ? " * " : "");
    berth_writer_u64(json->writer, factor);
  }
  berth_writer_text(json->writer, !whole_bytes ? " / 8)" : is_number || shape->n_dimensions == 0 ? ")" : "");
  berth_json_raw_close(json);
  return !text.is_too_large;
}

static bool write_dimensions(
    struct berth_json *json, const struct berth_symbols *symbols, const struct berth_shape *shape) {
  bool ok = true;
  berth_json_open(json, "shape", '[');
  for (uint32_t i = 0; i < shape->n_dimensions; i++) {
    const struct berth_expression *expression = &symbols->expressions[shape->dimensions[i]];
    struct berth_shape plain = {.dimensions = &shape->dimensions[i], .n_dimensions = 1, .element_bits = 8};
    if (expression->operation == BERTH_OPERATION_CONSTANT) {
      berth_json_u64(json, NULL, expression->value);
    } else if (expression->operation == BERTH_OPERATION_UNKNOWN) {
      berth_json_null(json, NULL);
    } else {
      ok = write_string(json, NULL, symbols, &plain) && ok;
    }
  }
  berth_json_close(json, ']');
  berth_json_u64(json, "bits", shape->element_bits);
  return ok;
}

bool berth_json_write_size(
    struct berth_json *json, const char *key, const struct berth_problem *problem,
    enum berth_sized_field field, uint32_t item, uint64_t bytes) {
  const struct berth_sized *sized = berth_problem_sized(problem, field, item);
  if (sized == NULL) {
    berth_json_u64(json, key, bytes);
    return true;
  }
  const struct berth_symbols *symbols = berth_problem_symbols(problem);
  struct berth_shape shape = {
      .dimensions = sized->n != 0 ? symbols->dimensions + sized->begin : NULL,
      .n_dimensions = sized->n,
      .element_bits = sized->element_bits};
  bool is_plain = sized->n == 1 && sized->element_bits == 8;
  return is_plain || field != BERTH_SIZED_SIZE ? write_string(json, key, symbols, &shape)
                                               : write_dimensions(json, symbols, &shape);
}

void berth_json_write_symbols(struct berth_json *json, const struct berth_problem *problem) {
  const struct berth_symbols *symbols = berth_problem_symbols(problem);
  if (symbols == NULL || symbols->n_symbols == 0) {
    return;
  }
  berth_json_open(json, "symbols", '[');
  for (uint32_t i = 0; i < symbols->n_symbols; i++) {
    berth_json_open(json, NULL, '{');
    berth_json_text(json, "name", symbols->symbols[i].name);
    if (symbols->symbols[i].lower != 0) {
      berth_json_u64(json, "lower", symbols->symbols[i].lower);
    }
    if (symbols->symbols[i].upper != BERTH_UNBOUNDED) {
      berth_json_u64(json, "upper", symbols->symbols[i].upper);
    }
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

static void write_dynamic(
    struct berth_json *json, const struct berth_problem *problem, const struct berth_dynamic_item *item) {
  const char *key = item->is_workspace ? "workspace" : "value";
  struct berth_text id = item->is_workspace ? berth_problem_operator_id(problem, item->item)
                                            : berth_problem_value_id(problem, item->item);
  berth_json_open(json, NULL, '{');
  if (id.size != 0) {
    berth_json_text(json, key, id);
  } else {
    berth_json_u64(json, key, item->item);
  }
  if (item->symbol != BERTH_NO_INDEX) {
    berth_json_text(json, "symbol", berth_problem_symbols(problem)->symbols[item->symbol].name);
  } else {
    berth_json_null(json, "symbol");
  }
  berth_json_close(json, '}');
}

void berth_json_write_ranges(struct berth_json *json, const struct berth_problem *problem) {
  const struct berth_symbols *symbols = berth_problem_symbols(problem);
  struct berth_dynamic dynamic = berth_problem_dynamic(problem);
  if (symbols != NULL && symbols->n_symbols != 0) {
    berth_json_open(json, "symbols", '[');
    for (uint32_t i = 0; i < symbols->n_symbols; i++) {
      berth_json_open(json, NULL, '{');
      berth_json_text(json, "name", symbols->ranges[i].symbol);
      berth_json_u64(json, "lower", symbols->ranges[i].lower);
      if (symbols->ranges[i].upper != BERTH_UNBOUNDED) {
        berth_json_u64(json, "upper", symbols->ranges[i].upper);
      } else {
        berth_json_null(json, "upper");
      }
      berth_json_close(json, '}');
    }
    berth_json_close(json, ']');
  }
  if (dynamic.n != 0) {
    berth_json_open(json, BERTH_DYNAMIC_ARENA, '[');
    for (uint32_t i = 0; i < dynamic.n; i++) {
      write_dynamic(json, problem, &dynamic.items[i]);
    }
    berth_json_close(json, ']');
  }
}
