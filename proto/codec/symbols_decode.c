/* Symbols, expressions, shapes and bindings. */
#include "codec/feed.h"

/* ---- Columns ---- */

static enum berth_code check_symbols(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  const struct column columns[] = {
      {"symbol_lower", m->n_symbol_lower, EMPTY_OR},
      {"symbol_upper", m->n_symbol_upper, EMPTY_OR},
  };
  enum berth_code code = feed_check_lengths(feed, "symbol_name_end", m->n_symbol_name_end, columns, 2);
  if (code == BERTH_OK) {
    code = feed_check_ids(
        feed, "symbol_name_end", m->n_symbol_name_end, m->symbol_name_end, "symbol_name_text",
        m->symbol_name_text.len);
  }
  return code;
}

static enum berth_code check_bindings(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  const struct column columns[] = {
      {"binding_lower", m->n_binding_lower, EXACTLY},
      {"binding_upper", m->n_binding_upper, EMPTY_OR},
  };
  enum berth_code code = feed_check_lengths(feed, "binding_symbol", m->n_binding_symbol, columns, 2);
  for (size_t i = 0; code == BERTH_OK && i < m->n_binding_symbol; i++) {
    if (m->binding_symbol[i] >= m->n_symbol_name_end) {
      code = feed_refuse(feed, BERTH_REASON_UNKNOWN_ID, "binding_symbol", i, "no symbol has this index");
    }
  }
  return code;
}

static enum berth_code check_expressions(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  const struct column columns[] = {
      {"expression_left", m->n_expression_left, EXACTLY},
      {"expression_right", m->n_expression_right, EXACTLY},
  };
  enum berth_code code =
      feed_check_lengths(feed, "expression_operation", m->n_expression_operation, columns, 2);
  size_t n_constants = 0;
  for (size_t i = 0; code == BERTH_OK && i < m->n_expression_operation; i++) {
    if (m->expression_operation[i] == BERTH__V1__OPERATION__OPERATION_UNSPECIFIED) {
      return feed_refuse(
          feed, BERTH_REASON_MISSING_FIELD, "expression_operation", i, "the expression has no operation");
    }
    n_constants += m->expression_operation[i] == BERTH__V1__OPERATION__OPERATION_CONSTANT;
  }
  if (code == BERTH_OK && n_constants != m->n_expression_constant) {
    code = berth_fail(
        feed->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_COLUMN_LENGTH, BERTH_NO_INDEX,
        "problem.expression_constant",
        "problem.expression_constant has %zu entries, but %zu expressions are constants",
        m->n_expression_constant, n_constants);
  }
  return code;
}

/* How many items may have a shape for this number. */
static size_t items_of(const Berth__V1__Problem *m, Berth__V1__SizedField field) {
  switch (field) {
  case BERTH__V1__SIZED_FIELD__SIZED_FIELD_SIZE:
    return m->n_value_size_bytes + m->n_buffer_size_bytes; /* one of the two is 0 */
  case BERTH__V1__SIZED_FIELD__SIZED_FIELD_VIEW_OFFSET:
    return m->n_value_size_bytes;
  case BERTH__V1__SIZED_FIELD__SIZED_FIELD_WORKSPACE:
    return m->n_operator_input_end;
  default:
    return 0;
  }
}

static enum berth_code check_shapes(const struct feed *feed, struct feed_shapes *out_shapes) {
  const Berth__V1__Problem *m = feed->message;
  const struct column columns[] = {
      {"sized_item", m->n_sized_item, EXACTLY},
      {"sized_element_bits", m->n_sized_element_bits, EXACTLY},
      {"sized_dimension_end", m->n_sized_dimension_end, EXACTLY},
  };
  enum berth_code code = feed_check_lengths(feed, "sized_field", m->n_sized_field, columns, 3);
  if (code == BERTH_OK) {
    code = feed_check_ends(
        feed, "sized_dimension_end", m->n_sized_dimension_end, m->sized_dimension_end, "sized_dimension",
        m->n_sized_dimension);
  }
  for (size_t i = 0; code == BERTH_OK && i < m->n_sized_field; i++) {
    Berth__V1__SizedField field = m->sized_field[i];
    bool goes_on = i > 0 && field == m->sized_field[i - 1];
    if (field == BERTH__V1__SIZED_FIELD__SIZED_FIELD_UNSPECIFIED) {
      return feed_refuse(feed, BERTH_REASON_MISSING_FIELD, "sized_field", i, "the shape has no field");
    }
    if (m->sized_item[i] >= items_of(m, field)) {
      return feed_refuse(feed, BERTH_REASON_UNKNOWN_ID, "sized_item", i, "no item has this index");
    }
    if (i > 0 && (field < m->sized_field[i - 1] || (goes_on && m->sized_item[i] <= m->sized_item[i - 1]))) {
      return feed_refuse(
          feed, BERTH_REASON_BAD_ORDER, "sized_item", i, "shapes are not in the order of fields and items");
    }
    if (!goes_on) {
      out_shapes->at[field - 1] = i;
    }
  }
  return code;
}

/* ---- Into the builder ---- */

static enum berth_code bind(const struct feed *feed, struct berth_binding *bindings) {
  const Berth__V1__Problem *m = feed->message;
  for (size_t i = 0; i < m->n_binding_symbol; i++) {
    bindings[i] = (struct berth_binding){
        .symbol =
            feed_text(m->symbol_name_text, m->n_symbol_name_end, m->symbol_name_end, m->binding_symbol[i]),
        .lower = m->binding_lower[i],
        .upper = m->n_binding_upper > 0 ? m->binding_upper[i] : m->binding_lower[i]};
  }
  struct berth_bindings all = {
      .n = (uint32_t)m->n_binding_symbol,
      .items = bindings,
      .strict = m->strict_sizes != 0,
      .sizes = m->smallest_sizes ? BERTH_SIZES_SMALLEST : BERTH_SIZES_LARGEST};
  enum berth_code code = berth_problem_builder_bind(feed->builder, &all, feed->err);
  return code == BERTH_OK ? code : feed_blame(feed, code);
}

static enum berth_code add_bindings(const struct feed *feed) {
  size_t n = feed->message->n_binding_symbol;
  struct berth_binding *bindings = feed_take(feed, n, sizeof *bindings);
  enum berth_code code = bindings != NULL ? bind(feed, bindings) : berth_fail_memory(feed->err);
  feed_give_back(feed, bindings, n, sizeof *bindings);
  return code;
}

static enum berth_code add_symbols(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  for (size_t i = 0; i < m->n_symbol_name_end; i++) {
    struct berth_symbol symbol = {
        .name = feed_text(m->symbol_name_text, m->n_symbol_name_end, m->symbol_name_end, i),
        .lower = m->n_symbol_lower > 0 ? m->symbol_lower[i] : 0,
        .upper = m->n_symbol_upper > 0 ? m->symbol_upper[i] : BERTH_UNBOUNDED};
    enum berth_code code = berth_problem_builder_add_symbol(feed->builder, &symbol, NULL, feed->err);
    if (code != BERTH_OK) {
      return feed_blame(feed, code);
    }
  }
  return BERTH_OK;
}

static enum berth_code add_expressions(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  size_t constant = 0;
  for (size_t i = 0; i < m->n_expression_operation; i++) {
    struct berth_expression expression = {
        .operation = (enum berth_operation)(m->expression_operation[i] - 1),
        .left = m->expression_left[i],
        .right = m->expression_right[i]};
    if (expression.operation == BERTH_OPERATION_CONSTANT) {
      expression.value = m->expression_constant[constant++];
    }
    enum berth_code code = berth_problem_builder_add_expression(feed->builder, &expression, NULL, feed->err);
    if (code != BERTH_OK) {
      return feed_blame(feed, code);
    }
  }
  return BERTH_OK;
}

enum berth_code feed_symbols(const struct feed *feed, struct feed_shapes *out_shapes) {
  for (int field = 0; field < BERTH_N_SIZED_FIELDS; field++) {
    out_shapes->at[field] = feed->message->n_sized_field;
  }
  enum berth_code code = check_symbols(feed);
  code = code != BERTH_OK ? code : check_bindings(feed);
  code = code != BERTH_OK ? code : check_expressions(feed);
  code = code != BERTH_OK ? code : check_shapes(feed, out_shapes);
  code = code != BERTH_OK ? code : add_bindings(feed);
  code = code != BERTH_OK ? code : add_symbols(feed);
  return code != BERTH_OK ? code : add_expressions(feed);
}

const struct berth_shape *feed_shape(
    const struct feed *feed, struct feed_shapes *shapes, enum berth_sized_field field, size_t item,
    struct berth_shape *shape) {
  const Berth__V1__Problem *m = feed->message;
  size_t at = shapes->at[field];
  if (at >= m->n_sized_field || m->sized_item[at] != item ||
      m->sized_field[at] != (Berth__V1__SizedField)(field + 1)) {
    return NULL;
  }
  uint32_t begin = at > 0 ? m->sized_dimension_end[at - 1] : 0;
  *shape = (struct berth_shape){
      .dimensions = m->sized_dimension_end[at] > begin ? m->sized_dimension + begin : NULL,
      .n_dimensions = m->sized_dimension_end[at] - begin,
      .element_bits = m->sized_element_bits[at]};
  shapes->at[field]++;
  return shape;
}
