/* Symbols, expressions, shapes and bindings. */
#include <string.h>

#include "codec/internal.h"

static bool
put_names(struct berth_codec_columns *columns, const struct berth_symbols *symbols, Berth__V1__Problem *out) {
  size_t n_bytes = 0;
  for (uint32_t i = 0; i < symbols->n_symbols; i++) {
    n_bytes += symbols->symbols[i].name.size;
  }
  uint8_t *text = berth_codec_column(columns, n_bytes, 1);
  uint32_t *ends = berth_codec_column(columns, symbols->n_symbols, sizeof *ends);
  if (text == NULL || ends == NULL) {
    return false;
  }
  size_t at = 0;
  for (uint32_t i = 0; i < symbols->n_symbols; i++) {
    memcpy(text + at, symbols->symbols[i].name.data, symbols->symbols[i].name.size);
    at += symbols->symbols[i].name.size;
    ends[i] = (uint32_t)at;
  }
  out->symbol_name_text = (ProtobufCBinaryData){.len = n_bytes, .data = text};
  out->n_symbol_name_end = symbols->n_symbols;
  out->symbol_name_end = ends;
  return true;
}

/* Bounds, and what is bound: the range is not that of the bounds, or is one number. */
static bool put_ranges(
    struct berth_codec_columns *columns, const struct berth_symbols *symbols, Berth__V1__Problem *out) {
  uint32_t n = symbols->n_symbols;
  out->symbol_lower = berth_codec_column(columns, n, sizeof *out->symbol_lower);
  out->symbol_upper = berth_codec_column(columns, n, sizeof *out->symbol_upper);
  out->binding_symbol = berth_codec_column(columns, n, sizeof *out->binding_symbol);
  out->binding_lower = berth_codec_column(columns, n, sizeof *out->binding_lower);
  out->binding_upper = berth_codec_column(columns, n, sizeof *out->binding_upper);
  if (out->symbol_lower == NULL || out->symbol_upper == NULL || out->binding_symbol == NULL ||
      out->binding_lower == NULL || out->binding_upper == NULL) {
    return false;
  }
  size_t n_bound = 0;
  for (uint32_t i = 0; i < n; i++) {
    const struct berth_symbol *symbol = &symbols->symbols[i];
    const struct berth_binding *range = &symbols->ranges[i];
    out->symbol_lower[i] = symbol->lower;
    out->symbol_upper[i] = symbol->upper;
    if (range->lower != symbol->lower || range->upper != symbol->upper) {
      out->binding_symbol[n_bound] = i;
      out->binding_lower[n_bound] = range->lower;
      out->binding_upper[n_bound++] = range->upper;
    }
  }
  out->n_symbol_lower = out->n_symbol_upper = n;
  out->n_binding_symbol = out->n_binding_lower = out->n_binding_upper = n_bound;
  return true;
}

static bool put_expressions(
    struct berth_codec_columns *columns, const struct berth_symbols *symbols, Berth__V1__Problem *out) {
  uint32_t n = symbols->n_expressions;
  out->expression_operation = berth_codec_column(columns, n, sizeof *out->expression_operation);
  out->expression_left = berth_codec_column(columns, n, sizeof *out->expression_left);
  out->expression_right = berth_codec_column(columns, n, sizeof *out->expression_right);
  out->expression_constant = berth_codec_column(columns, n, sizeof *out->expression_constant);
  if (out->expression_operation == NULL || out->expression_left == NULL || out->expression_right == NULL ||
      out->expression_constant == NULL) {
    return false;
  }
  size_t n_constants = 0;
  for (uint32_t i = 0; i < n; i++) {
    const struct berth_expression *expression = &symbols->expressions[i];
    out->expression_operation[i] = (Berth__V1__Operation)(expression->operation + 1);
    out->expression_left[i] = expression->left;
    out->expression_right[i] = expression->right;
    if (expression->operation == BERTH_OPERATION_CONSTANT) {
      out->expression_constant[n_constants++] = expression->value;
    }
  }
  out->n_expression_operation = out->n_expression_left = out->n_expression_right = n;
  out->n_expression_constant = n_constants;
  return true;
}

static bool put_shapes(
    struct berth_codec_columns *columns, const struct berth_symbols *symbols, Berth__V1__Problem *out) {
  size_t n = 0;
  for (int field = 0; field < BERTH_N_SIZED_FIELDS; field++) {
    n += symbols->n_sized[field];
  }
  out->sized_field = berth_codec_column(columns, n, sizeof *out->sized_field);
  out->sized_item = berth_codec_column(columns, n, sizeof *out->sized_item);
  out->sized_element_bits = berth_codec_column(columns, n, sizeof *out->sized_element_bits);
  out->sized_dimension_end = berth_codec_column(columns, n, sizeof *out->sized_dimension_end);
  out->sized_dimension = berth_codec_column(columns, symbols->n_dimensions, sizeof *out->sized_dimension);
  if (out->sized_field == NULL || out->sized_item == NULL || out->sized_element_bits == NULL ||
      out->sized_dimension_end == NULL || out->sized_dimension == NULL) {
    return false;
  }
  size_t at = 0;
  size_t dimension = 0;
  for (int field = 0; field < BERTH_N_SIZED_FIELDS; field++) {
    for (uint32_t i = 0; i < symbols->n_sized[field]; i++) {
      const struct berth_sized *sized = &symbols->sized[field][i];
      for (uint32_t k = 0; k < sized->n; k++) {
        out->sized_dimension[dimension++] = symbols->dimensions[sized->begin + k];
      }
      out->sized_field[at] = (Berth__V1__SizedField)(field + 1);
      out->sized_item[at] = sized->item;
      out->sized_element_bits[at] = sized->element_bits;
      out->sized_dimension_end[at++] = (uint32_t)dimension;
    }
  }
  out->n_sized_field = out->n_sized_item = out->n_sized_element_bits = out->n_sized_dimension_end = n;
  out->n_sized_dimension = dimension;
  return true;
}

/* What a shape says is not said by a number, too. A graph's columns were made for this message; those of
 * buffers are the problem's own, and are copied. */
static bool clear_sizes(
    struct berth_codec_columns *columns, const struct berth_symbols *symbols, Berth__V1__Problem *out) {
  uint64_t *sizes = out->value_size_bytes;
  if (out->n_buffer_size_bytes != 0 && symbols->n_sized[BERTH_SIZED_SIZE] != 0) {
    sizes = berth_codec_column(columns, out->n_buffer_size_bytes, sizeof *sizes);
    if (sizes == NULL) {
      return false;
    }
    memcpy(sizes, out->buffer_size_bytes, out->n_buffer_size_bytes * sizeof *sizes);
    out->buffer_size_bytes = sizes;
  }
  for (uint32_t i = 0; i < symbols->n_sized[BERTH_SIZED_SIZE]; i++) {
    sizes[symbols->sized[BERTH_SIZED_SIZE][i].item] = 0;
  }
  for (uint32_t i = 0; i < symbols->n_sized[BERTH_SIZED_WORKSPACE] && out->n_operator_workspace_bytes != 0;
       i++) {
    out->operator_workspace_bytes[symbols->sized[BERTH_SIZED_WORKSPACE][i].item] = 0;
  }
  size_t view = 0;
  for (uint32_t i = 0; i < symbols->n_sized[BERTH_SIZED_VIEW_OFFSET]; i++) {
    while (out->view_value[view] != symbols->sized[BERTH_SIZED_VIEW_OFFSET][i].item) {
      view++;
    }
    out->view_offset[view] = 0;
  }
  return true;
}

bool berth_codec_put_symbols(
    struct berth_codec_columns *columns, const struct berth_problem *problem, Berth__V1__Problem *out) {
  const struct berth_symbols *symbols = berth_problem_symbols(problem);
  if (symbols == NULL) {
    return true;
  }
  out->strict_sizes = symbols->strict;
  out->smallest_sizes = symbols->sizes == BERTH_SIZES_SMALLEST;
  return put_names(columns, symbols, out) && put_ranges(columns, symbols, out) &&
         put_expressions(columns, symbols, out) && put_shapes(columns, symbols, out) &&
         clear_sizes(columns, symbols, out);
}
