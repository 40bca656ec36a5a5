/* Symbols, and sizes that are expressions or shapes. */
#include <inttypes.h>

#include "json/reader.h"

enum { NAME, LOWER, UPPER };

static const struct {
  const char *word;
  uint32_t bits;
} TYPES[] = {
    {"f64", 64}, {"f32", 32}, {"f16", 16}, {"bf16", 16}, {"f8", 8},   {"f4", 4},     {"i64", 64}, {"i32", 32},
    {"i16", 16}, {"i8", 8},   {"i4", 4},   {"i2", 2},    {"u64", 64}, {"u32", 32},   {"u16", 16}, {"u8", 8},
    {"u4", 4},   {"u2", 2},   {"bool", 8}, {"bit", 1},   {"c64", 64}, {"c128", 128},
};
enum { N_TYPES = sizeof TYPES / sizeof TYPES[0] };

static const char *type_word(unsigned type) {
  return TYPES[type].word;
}

/* ---- Symbols ---- */

static void read_symbol(struct berth_json_reader *reader, const char *at) {
  struct berth_symbol symbol = {.upper = BERTH_UNBOUNDED};
  struct berth_json_object object;
  if (!berth_json_open_object(reader, at, BERTH_JSON_SYMBOL_KEYS, BERTH_JSON_N_SYMBOL_KEYS, &object)) {
    return;
  }
  berth_json_require(&object, NAME);
  berth_json_take_id(&object, NAME, &symbol.name);
  berth_json_take_u64(&object, LOWER, &symbol.lower);
  berth_json_take_u64(&object, UPPER, &symbol.upper);
  if (reader->code == BERTH_OK) {
    berth_json_heed(&object, berth_problem_builder_add_symbol(reader->builder, &symbol, NULL, reader->err));
  }
}

void berth_json_read_symbols(struct berth_json_reader *reader) {
  berth_json_each(reader, BERTH_JSON_SYMBOLS, "symbols", read_symbol);
}

/* ---- Sizes ---- */

static uint32_t *room(struct berth_json_reader *reader, enum berth_sized_field field, uint32_t n) {
  return berth_json_room(reader, &reader->shapes[field], n, sizeof(uint32_t));
}

/* A string of digits is a number, as everywhere, and must be a right one. */
static bool is_expression(const char *at) {
  const char *digit = at + 1;
  if (*at != '"') {
    return false;
  }
  while (*digit >= '0' && *digit <= '9') {
    digit++;
  }
  return *digit != '"';
}

void berth_json_take_size(
    struct berth_json_object *object, unsigned key, enum berth_sized_field field, uint64_t *out_bytes,
    struct berth_shape *out_shape, const struct berth_shape **out_by) {
  struct berth_json_reader *reader = object->reader;
  const char *at = object->at[key];
  if (at == NULL || reader->code != BERTH_OK || !is_expression(at)) {
    berth_json_take_u64(object, key, out_bytes);
    return;
  }
  uint32_t *dimension = room(reader, field, 1);
  reader->path.field = object->keys[key];
  if (dimension == NULL || !berth_json_read_expression(reader, at, dimension)) {
    return;
  }
  reader->path.field = NULL;
  *out_shape = (struct berth_shape){.dimensions = dimension, .n_dimensions = 1, .element_bits = 8};
  *out_by = out_shape;
}

bool berth_json_read_dimension(struct berth_json_reader *reader, const char *at, uint32_t *out_expression) {
  struct berth_expression expression = {.operation = BERTH_OPERATION_UNKNOWN};
  if (*at == '"' && is_expression(at)) {
    return berth_json_read_expression(reader, at, out_expression);
  }
  if (*at != 'n') {
    expression.operation = BERTH_OPERATION_CONSTANT;
    if (!berth_json_read_u64(reader, at, &expression.value)) {
      return false;
    }
  }
  struct berth_json_object object = {.reader = reader, .begin = at};
  berth_json_heed(
      &object,
      berth_problem_builder_add_expression(reader->builder, &expression, out_expression, reader->err));
  return reader->code == BERTH_OK;
}

static void read_dimensions(
    struct berth_json_object *object, const struct berth_json_shape_keys *keys,
    struct berth_shape *out_shape) {
  struct berth_json_reader *reader = object->reader;
  const char *at = object->at[keys->shape];
  reader->path.field = object->keys[keys->shape];
  if (!berth_json_is_array(reader, at, "dimensions")) {
    return;
  }
  struct berth_json_iterator elements = berth_json_scan_enter(at);
  const char *name;
  uint32_t n = 0;
  for (; n <= BERTH_MAX_DIMENSIONS && berth_json_scan_next(&elements, &name, &at); n++) {
    uint32_t *dimensions = room(reader, BERTH_SIZED_SIZE, n + 1);
    reader->path.entry = n;
    if (dimensions == NULL || !berth_json_read_dimension(reader, at, &dimensions[n])) {
      return;
    }
  }
  reader->path.entry = BERTH_NO_INDEX;
  reader->path.field = NULL;
  out_shape->dimensions = reader->shapes[BERTH_SIZED_SIZE].items;
  out_shape->n_dimensions = n;
}

/* The bits of an element: "bits", or "type". */
static void read_element(
    struct berth_json_object *object, const struct berth_json_shape_keys *keys,
    struct berth_shape *out_shape) {
  struct berth_json_reader *reader = object->reader;
  bool has_bits = object->at[keys->bits] != NULL;
  uint64_t bits = 0;
  unsigned type = 0;
  if (has_bits == (object->at[keys->type] != NULL)) {
    berth_json_refuse(
        reader, object->at[keys->shape], BERTH_REASON_MISSING_FIELD,
        "\"shape\" needs \"bits\" or \"type\", one of the two");
    return;
  }
  berth_json_take_u64(object, keys->bits, &bits);
  berth_json_take_word(object, keys->type, type_word, N_TYPES, &type);
  out_shape->element_bits = has_bits ? (uint32_t)(bits < UINT32_MAX ? bits : UINT32_MAX) : TYPES[type].bits;
}

void berth_json_take_shape(
    struct berth_json_object *object, const struct berth_json_shape_keys *keys, uint64_t *out_bytes,
    struct berth_shape *out_shape, const struct berth_shape **out_by) {
  struct berth_json_reader *reader = object->reader;
  if (object->at[keys->shape] == NULL) {
    for (unsigned i = 0; i < 2; i++) {
      const char *alone = object->at[i == 0 ? keys->bits : keys->type];
      if (alone != NULL) {
        berth_json_refuse(
            reader, alone, BERTH_REASON_MISSING_FIELD, "\"bits\" and \"type\" are of a \"shape\"");
      }
    }
    berth_json_require(object, keys->size);
    berth_json_take_size(object, keys->size, BERTH_SIZED_SIZE, out_bytes, out_shape, out_by);
    return;
  }
  if (object->at[keys->size] != NULL) {
    berth_json_refuse(
        reader, object->at[keys->size], BERTH_REASON_MALFORMED, "\"size\" and \"shape\" are there, both");
    return;
  }
  *out_shape = (struct berth_shape){.n_dimensions = 0};
  if (reader->code == BERTH_OK) {
    read_element(object, keys, out_shape);
  }
  if (reader->code == BERTH_OK) {
    read_dimensions(object, keys, out_shape);
  }
  *out_by = out_shape;
}
