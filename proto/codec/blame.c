/* From the builder's words to paths on the wire. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "codec/feed.h"

enum berth_code feed_refuse(
    const struct feed *feed, enum berth_reason reason, const char *column, size_t index, const char *what) {
  char path[BERTH_FIELD_SIZE];
  snprintf(path, sizeof path, "problem.%s[%zu]", column, index);
  return berth_fail(feed->err, BERTH_INVALID_ARGUMENT, reason, (uint32_t)index, path, "%s: %s", path, what);
}

/* The builder's word, and the column; an entry that ends in '.' is a field of a message. The last has no
 * word. */
struct entry {
  const char *word;
  const char *column;
};

static const struct entry BUFFERS[] = {
    {"shape", "buffer_size_bytes"}, {"id", "buffer_id_end"},
    {"size", "buffer_size_bytes"},  {"alignment", "buffer_alignment"},
    {"lower", "buffer_lower"},      {"upper", "buffer_upper"},
    {"class", "buffer_class"},      {"pools", "buffer_pool_end"},
    {"offset", "pin_offset"},       {"gaps", "gap_lower"},
    {NULL, "buffer_size_bytes"},
};
static const struct entry VALUES[] = {
    {"shape", "value_size_bytes"},    {"id", "value_id_end"},         {"size", "value_size_bytes"},
    {"alignment", "value_alignment"}, {"class", "value_class"},       {"pools", "value_pool_end"},
    {"offset", "pin_offset"},         {"view_of", "view_of"},         {"view_offset", "view_offset"},
    {"external", "value_external"},   {"donation", "value_donation"}, {"live_windows", "value_live_windows"},
    {"accesses", "value_accesses"},   {NULL, "value_size_bytes"},
};
static const struct entry OPERATORS[] = {
    {"id", "operator_id_end"},
    {"inputs", "operator_input_end"},
    {"outputs", "operator_output_end"},
    {"workspace_alignment", "operator_workspace_alignment"},
    {"workspace", "operator_workspace_bytes"},
    {"stream", "operator_stream"},
    {"waits", "operator_wait_end"},
    {"inplace", "inplace_operator"},
    {NULL, "operator_input_end"},
};
static const struct entry REGIONS[] = {
    {"parent", "region_parent"},
    {"first_operator", "region_first_operator"},
    {"carries", "region_carry_end"},
    {NULL, "region_kind"},
};
static const struct entry SYNCS[] = {{"signaller", "sync_signaller"}, {NULL, "sync_waiter"}};
static const struct entry SYMBOLS[] = {
    {"lower", "symbol_lower"},
    {"upper", "symbol_upper"},
    {"binding", "binding_lower"},
    {NULL, "symbol_name_end"}};
static const struct entry EXPRESSIONS[] = {
    {"left", "expression_left"}, {"right", "expression_right"}, {NULL, "expression_operation"}};
static const struct entry BINDINGS[] = {{"upper", "binding_upper"}, {NULL, "binding_symbol"}};
static const struct entry GROUPS[] = {
    {"members", "group_member_end"},
    {NULL, "group_kind"},
};
static const struct entry POOLS[] = {
    {"name", "name"},
    {"alignment", "alignment"},
    {"capacity", "capacity_bytes"},
    {"max_block", "max_block_bytes"},
    {"kind", "kind"},
    {"base_alignment", "base_alignment"},
    {"spill_to", "spill_to"},
    {"persistence", "persistence"},
    {NULL, "name"},
};

static const struct {
  const char *prefix;
  const struct entry *entries;
} KINDS[] = {{"symbol.", SYMBOLS}, {"expression.", EXPRESSIONS}, {"binding.", BINDINGS},
             {"value.", VALUES},   {"operator.", OPERATORS},     {"region.", REGIONS},
             {"sync.", SYNCS},     {"group.", GROUPS},           {"pool.", POOLS},
             {"", BUFFERS}};

/* Pins and gaps are lists of their own: the first that is about this row. */
static uint32_t first_about(size_t n, const uint32_t *rows, uint32_t row) {
  for (size_t i = 0; i < n; i++) {
    if (rows[i] == row) {
      return (uint32_t)i;
    }
  }
  return 0;
}

enum berth_code feed_blame(const struct feed *feed, enum berth_code code) {
  struct berth_error *err = feed->err;
  const Berth__V1__Problem *m = feed->message;
  if (err == NULL || err->index == BERTH_NO_INDEX) {
    return code;
  }
  size_t kind = 0;
  while (strncmp(err->field, KINDS[kind].prefix, strlen(KINDS[kind].prefix)) != 0) {
    kind++;
  }
  const char *word = err->field + strlen(KINDS[kind].prefix);
  const struct entry *entry = KINDS[kind].entries;
  while (entry->word != NULL && strcmp(entry->word, word) != 0) {
    entry++;
  }
  uint32_t index = err->index;
  if (KINDS[kind].entries == POOLS) {
    snprintf(err->field, sizeof err->field, "problem.pools[%" PRIu32 "].%s", index, entry->column);
    return code;
  }
  if (strcmp(entry->column, "pin_offset") == 0) {
    index = first_about(m->n_pin_buffer, m->pin_buffer, index);
  } else if (strncmp(entry->column, "view_", 5) == 0) {
    index = first_about(m->n_view_value, m->view_value, index);
  } else if (strcmp(entry->column, "inplace_operator") == 0) {
    index = first_about(m->n_inplace_operator, m->inplace_operator, index);
  } else if (strcmp(entry->column, "binding_lower") == 0) {
    index = first_about(m->n_binding_symbol, m->binding_symbol, index);
  } else if (strcmp(entry->column, "gap_lower") == 0) {
    index = first_about(m->n_gap_buffer, m->gap_buffer, index);
  }
  bool is_time = strcmp(entry->column, "buffer_lower") == 0 || strcmp(entry->column, "buffer_upper") == 0;
  if (is_time && m->clock_components != 0) { /* of the row's first component */
    snprintf(
        err->field, sizeof err->field, "problem.buffer_clock_%s[%" PRIu64 "]", entry->word,
        (uint64_t)index * m->clock_components);
    return code;
  }
  snprintf(err->field, sizeof err->field, "problem.%s[%" PRIu32 "]", entry->column, index);
  return code;
}
