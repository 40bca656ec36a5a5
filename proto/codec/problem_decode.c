/* Problem message -> builder. First the columns are held against each other, so that the loops that feed the
 * builder index freely; what the builder refuses is named by the column it came from. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "codec/internal.h"

struct feed {
  const struct berth_codec *codec;
  const struct berth_allocator *allocator;
  const Berth__V1__Problem *message;
  struct berth_problem_builder *builder;
  struct berth_error *err;
};

/* ---- Blame ---- */

static enum berth_code refuse(
    const struct feed *feed, enum berth_reason reason, const char *column, size_t index, const char *what) {
  char path[BERTH_FIELD_SIZE];
  snprintf(path, sizeof path, "problem.%s[%zu]", column, index);
  return berth_fail(feed->err, BERTH_INVALID_ARGUMENT, reason, (uint32_t)index, path, "%s: %s", path, what);
}

/* The builder blames "lower" of buffer 17; on the wire that is problem.buffer_lower[17]. */
struct blame {
  const char *word;
  const char *column;
};

static const struct blame BUFFER_BLAME[] = {
    {"id", "buffer_id_end"},     {"size", "buffer_size_bytes"},  {"alignment", "buffer_alignment"},
    {"lower", "buffer_lower"},   {"upper", "buffer_upper"},      {"class", "buffer_class"},
    {"pool", "buffer_pool_end"}, {"pin", "pin_buffer"},          {"offset", "pin_buffer"},
    {"gap", "gap_buffer"},       {"window", "gap_window_lower"}, {NULL, "buffer_size_bytes"},
};
static const struct blame VALUE_BLAME[] = {
    {"id", "value_id_end"},   {"size", "value_size_bytes"}, {"alignment", "value_alignment"},
    {"class", "value_class"}, {"pool", "value_pool_end"},   {"pin", "pin_buffer"},
    {"offset", "pin_buffer"}, {NULL, "value_size_bytes"},
};
static const struct blame OPERATOR_BLAME[] = {
    {"id", "operator_id_end"},
    {"input", "operator_input_end"},
    {"output", "operator_output_end"},
    {"workspace_alignment", "operator_workspace_alignment"},
    {"workspace", "operator_workspace_bytes"},
    {NULL, "operator_input_end"},
};
static const struct blame POOL_BLAME[] = {{NULL, "pools"}};

/* Finishing may blame any kind of item; the builder's field begins with the kind. */
static const struct blame *finish_blame(const struct berth_error *err, bool graph) {
  if (err != NULL && strncmp(err->field, "operator.", 9) == 0) {
    return OPERATOR_BLAME;
  }
  if (err != NULL && strncmp(err->field, "pool.", 5) == 0) {
    return POOL_BLAME;
  }
  return graph ? VALUE_BLAME : BUFFER_BLAME;
}

/* Rewrites err->field, which the builder has set, to the path on the wire. */
static enum berth_code blame(const struct feed *feed, enum berth_code code, const struct blame *table) {
  struct berth_error *err = feed->err;
  if (err == NULL || err->index == BERTH_NO_INDEX) {
    return code;
  }
  const struct blame *entry = table;
  while (entry->word != NULL && strstr(err->field, entry->word) == NULL) {
    entry++;
  }
  snprintf(err->field, sizeof err->field, "problem.%s[%" PRIu32 "]", entry->column, err->index);
  return code;
}

/* ---- Columns against each other ---- */

enum need { EXACTLY, EMPTY_OR };

struct column {
  const char *name;
  size_t n;
  enum need need;
};

static enum berth_code check_lengths(
    const struct feed *feed, const char *of, size_t n_rows, const struct column *columns, size_t n_columns) {
  for (size_t i = 0; i < n_columns; i++) {
    const struct column *column = &columns[i];
    if (column->n == n_rows || (column->need == EMPTY_OR && column->n == 0)) {
      continue;
    }
    char path[BERTH_FIELD_SIZE];
    snprintf(path, sizeof path, "problem.%s", column->name);
    return berth_fail(
        feed->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_COLUMN_LENGTH, BERTH_NO_INDEX, path,
        "%s has %zu entries, but problem.%s has %zu", path, column->n, of, n_rows);
  }
  return BERTH_OK;
}

/* A column of ends: never falling, and the last one is the number of what they cut up. */
static enum berth_code check_ends(
    const struct feed *feed, const char *name, size_t n_ends, const uint32_t *ends, const char *of,
    size_t n_items) {
  uint32_t last = 0;
  for (size_t i = 0; i < n_ends; i++) {
    if (ends[i] < last) {
      return refuse(feed, BERTH_REASON_BAD_NUMBER, name, i, "an end lies before the one in front of it");
    }
    last = ends[i];
  }
  if (last != n_items) {
    char path[BERTH_FIELD_SIZE];
    snprintf(path, sizeof path, "problem.%s", name);
    return berth_fail(
        feed->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_COLUMN_LENGTH, BERTH_NO_INDEX, path,
        "%s ends at %" PRIu32 ", but problem.%s has %zu entries", path, last, of, n_items);
  }
  return BERTH_OK;
}

/* Ids: text cut by ends, each within the limit. Whether it is UTF-8 is the builder's to say. */
static enum berth_code check_ids(
    const struct feed *feed, const char *end_name, size_t n_ends, const uint32_t *ends, const char *text_name,
    size_t n_bytes) {
  enum berth_code code = check_ends(feed, end_name, n_ends, ends, text_name, n_bytes);
  uint64_t most = feed->codec->limits.text_bytes;
  for (size_t i = 0; code == BERTH_OK && i < n_ends; i++) {
    if (ends[i] - (i > 0 ? ends[i - 1] : 0) > most) {
      char path[BERTH_FIELD_SIZE];
      snprintf(path, sizeof path, "problem.%s[%zu]", end_name, i);
      return berth_fail(
          feed->err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, (uint32_t)i, path,
          "%s: an id is longer than the limit of %" PRIu64 " bytes", path, most);
    }
  }
  return code;
}

/* ---- Pins: a sparse pair of columns made dense ---- */

static void *take(const struct feed *feed, size_t n, size_t size) {
  size_t n_bytes;
  if (__builtin_mul_overflow(n, size, &n_bytes)) {
    return NULL;
  }
  return feed->allocator->resize(feed->allocator->ctx, NULL, 0, n_bytes > 0 ? n_bytes : 1);
}

static void give_back(const struct feed *feed, void *memory, size_t n, size_t size) {
  if (memory != NULL) {
    feed->allocator->resize(feed->allocator->ctx, memory, n > 0 ? n * size : 1, 0);
  }
}

/* *out_pinned is NULL where nothing is pinned. */
static enum berth_code spread_pins(const struct feed *feed, size_t n_rows, uint64_t **out_pinned) {
  const Berth__V1__Problem *m = feed->message;
  *out_pinned = NULL;
  const struct column columns[] = {{"pin_offset", m->n_pin_offset, EXACTLY}};
  enum berth_code code = check_lengths(feed, "pin_buffer", m->n_pin_buffer, columns, 1);
  if (code != BERTH_OK || m->n_pin_buffer == 0) {
    return code;
  }
  uint64_t *pinned = take(feed, n_rows, sizeof *pinned);
  if (pinned == NULL) {
    return berth_fail_memory(feed->err);
  }
  for (size_t i = 0; i < n_rows; i++) {
    pinned[i] = BERTH_UNPINNED;
  }
  for (size_t i = 0; code == BERTH_OK && i < m->n_pin_buffer; i++) {
    uint32_t row = m->pin_buffer[i];
    if (row >= n_rows) {
      code = refuse(feed, BERTH_REASON_UNKNOWN_ID, "pin_buffer", i, "no buffer has this index");
    } else if (pinned[row] != BERTH_UNPINNED) {
      code = refuse(feed, BERTH_REASON_BAD_PIN, "pin_buffer", i, "this buffer is pinned already");
    } else if (m->pin_offset[i] == BERTH_UNPINNED) {
      code = refuse(feed, BERTH_REASON_BAD_PIN, "pin_offset", i, "the offset is out of range");
    } else {
      pinned[row] = m->pin_offset[i];
    }
  }
  if (code != BERTH_OK) {
    give_back(feed, pinned, n_rows, sizeof *pinned);
    return code;
  }
  *out_pinned = pinned;
  return BERTH_OK;
}

/* ---- Pools ---- */

static enum berth_code add_pools(const struct feed *feed) {
  for (size_t i = 0; i < feed->message->n_pools; i++) {
    const Berth__V1__Pool *pool = feed->message->pools[i];
    struct berth_pool_spec spec = berth_pool_spec_default();
    spec.name = (struct berth_text){pool->name, (uint32_t)strlen(pool->name)};
    spec.capacity_bytes = pool->capacity_bytes != 0 ? pool->capacity_bytes : BERTH_UNLIMITED;
    spec.max_block_bytes = pool->max_block_bytes != 0 ? pool->max_block_bytes : BERTH_UNLIMITED;
    spec.alignment = pool->alignment != 0 ? pool->alignment : 1;
    spec.kind = pool->kind == BERTH__V1__POOL_KIND__POOL_KIND_SLOTS ? BERTH_POOL_SLOTS : BERTH_POOL_BYTES;
    uint32_t index;
    enum berth_code code = berth_problem_builder_add_pool(feed->builder, &spec, &index, feed->err);
    if (code != BERTH_OK) {
      return blame(feed, code, POOL_BLAME);
    }
  }
  return BERTH_OK;
}

/* Row i of text cut by ends; nothing where there are no ends. */
static struct berth_text text_of(ProtobufCBinaryData text, size_t n_ends, const uint32_t *ends, size_t i) {
  if (n_ends == 0) {
    return (struct berth_text){NULL, 0};
  }
  uint32_t begin = i > 0 ? ends[i - 1] : 0;
  return (struct berth_text){(const char *)text.data + begin, ends[i] - begin};
}

/* Unspecified is a temporary, and otherwise the numbers are the planner's plus one. */
static enum berth_buffer_class class_of(size_t n, const Berth__V1__BufferClass *column, size_t i) {
  return n == 0 || column[i] == 0 ? BERTH_CLASS_TEMPORARY : (enum berth_buffer_class)(column[i] - 1);
}

/* ---- Buffers ---- */

static enum berth_code check_buffers(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  size_t n = m->n_buffer_size_bytes;
  const struct column columns[] = {
      {"buffer_lower", m->n_buffer_lower, EXACTLY},
      {"buffer_upper", m->n_buffer_upper, EXACTLY},
      {"buffer_alignment", m->n_buffer_alignment, EMPTY_OR},
      {"buffer_class", m->n_buffer_class, EMPTY_OR},
      {"buffer_id_end", m->n_buffer_id_end, EMPTY_OR},
      {"buffer_pool_end", m->n_buffer_pool_end, EMPTY_OR},
  };
  enum berth_code code =
      check_lengths(feed, "buffer_size_bytes", n, columns, sizeof columns / sizeof columns[0]);
  if (code == BERTH_OK) {
    code = check_ids(
        feed, "buffer_id_end", m->n_buffer_id_end, m->buffer_id_end, "buffer_id_text", m->buffer_id_text.len);
  }
  if (code == BERTH_OK) {
    code = check_ends(
        feed, "buffer_pool_end", m->n_buffer_pool_end, m->buffer_pool_end, "buffer_pool", m->n_buffer_pool);
  }
  return code;
}

static enum berth_code check_gaps(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  size_t n = m->n_gap_buffer;
  const struct column columns[] = {
      {"gap_lower", m->n_gap_lower, EXACTLY},
      {"gap_upper", m->n_gap_upper, EXACTLY},
      {"gap_window_lower", m->n_gap_window_lower, EMPTY_OR},
      {"gap_window_upper", m->n_gap_window_upper, EMPTY_OR},
  };
  enum berth_code code = check_lengths(feed, "gap_buffer", n, columns, sizeof columns / sizeof columns[0]);
  for (size_t i = 0; code == BERTH_OK && i < n; i++) {
    if (m->gap_buffer[i] >= m->n_buffer_size_bytes) {
      return refuse(feed, BERTH_REASON_UNKNOWN_ID, "gap_buffer", i, "no buffer has this index");
    }
    if (i > 0 && m->gap_buffer[i] < m->gap_buffer[i - 1]) {
      return refuse(
          feed, BERTH_REASON_BAD_GAP, "gap_buffer", i, "gaps must be in the order of their buffers");
    }
  }
  return code;
}

static void fill_gaps(const Berth__V1__Problem *m, struct berth_gap *gaps) {
  for (size_t i = 0; i < m->n_gap_buffer; i++) {
    gaps[i] = (struct berth_gap){
        .lower = m->gap_lower[i],
        .upper = m->gap_upper[i],
        .window_lower = m->n_gap_window_lower > 0 ? m->gap_window_lower[i] : 0,
        .window_upper = m->n_gap_window_upper > 0 ? m->gap_window_upper[i] : 0,
    };
  }
}

static enum berth_code
add_each_buffer(const struct feed *feed, const uint64_t *pinned, const struct berth_gap *gaps) {
  const Berth__V1__Problem *m = feed->message;
  size_t n = m->n_buffer_size_bytes;
  enum berth_code code = berth_problem_builder_reserve(feed->builder, (uint32_t)n, feed->err);
  size_t gap = 0;
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  for (size_t i = 0; code == BERTH_OK && i < n; i++) {
    spec.id = text_of(m->buffer_id_text, m->n_buffer_id_end, m->buffer_id_end, i);
    spec.size_bytes = m->buffer_size_bytes[i];
    spec.alignment = m->n_buffer_alignment > 0 ? m->buffer_alignment[i] : 1;
    spec.lower = m->buffer_lower[i];
    spec.upper = m->buffer_upper[i];
    spec.class_ = class_of(m->n_buffer_class, m->buffer_class, i);
    spec.pinned_offset = pinned != NULL ? pinned[i] : BERTH_UNPINNED;
    if (m->n_buffer_pool_end > 0) {
      uint32_t begin = i > 0 ? m->buffer_pool_end[i - 1] : 0;
      spec.n_pools = m->buffer_pool_end[i] - begin;
      spec.pools = spec.n_pools > 0 ? m->buffer_pool + begin : NULL;
    }
    size_t first_gap = gap;
    while (gap < m->n_gap_buffer && m->gap_buffer[gap] == i) {
      gap++;
    }
    spec.n_gaps = (uint32_t)(gap - first_gap);
    spec.gaps = spec.n_gaps > 0 ? gaps + first_gap : NULL;
    uint32_t index;
    code = berth_problem_builder_add_buffer(feed->builder, &spec, &index, feed->err);
  }
  return code == BERTH_OK ? code : blame(feed, code, BUFFER_BLAME);
}

static enum berth_code add_conflicts(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  const struct column columns[] = {{"conflict_b", m->n_conflict_b, EXACTLY}};
  enum berth_code code = check_lengths(feed, "conflict_a", m->n_conflict_a, columns, 1);
  for (size_t i = 0; code == BERTH_OK && i < m->n_conflict_a; i++) {
    uint32_t a = m->conflict_a[i];
    uint32_t b = m->conflict_b[i];
    if (a >= m->n_buffer_size_bytes) {
      return refuse(feed, BERTH_REASON_UNKNOWN_ID, "conflict_a", i, "no buffer has this index");
    }
    if (b >= m->n_buffer_size_bytes) {
      return refuse(feed, BERTH_REASON_UNKNOWN_ID, "conflict_b", i, "no buffer has this index");
    }
    code = berth_problem_builder_add_conflict(feed->builder, a, b, feed->err);
    if (code != BERTH_OK && feed->err != NULL) {
      snprintf(feed->err->field, sizeof feed->err->field, "problem.conflict_b[%zu]", i);
    }
  }
  return code;
}

static enum berth_code feed_buffers(const struct feed *feed) {
  size_t n = feed->message->n_buffer_size_bytes;
  size_t n_gaps = feed->message->n_gap_buffer;
  uint64_t *pinned = NULL;
  struct berth_gap *gaps = NULL;
  enum berth_code code = check_buffers(feed);
  if (code == BERTH_OK) {
    code = check_gaps(feed);
  }
  if (code == BERTH_OK) {
    code = spread_pins(feed, n, &pinned);
  }
  if (code == BERTH_OK && n_gaps > 0) {
    gaps = take(feed, n_gaps, sizeof *gaps);
    if (gaps == NULL) {
      code = berth_fail_memory(feed->err);
    } else {
      fill_gaps(feed->message, gaps);
    }
  }
  if (code == BERTH_OK) {
    code = add_each_buffer(feed, pinned, gaps);
  }
  if (code == BERTH_OK) {
    code = add_conflicts(feed);
  }
  give_back(feed, gaps, n_gaps, sizeof *gaps);
  give_back(feed, pinned, n, sizeof *pinned);
  return code;
}

/* ---- Graph ---- */

static enum berth_code check_graph(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  const struct column values[] = {
      {"value_alignment", m->n_value_alignment, EMPTY_OR},
      {"value_class", m->n_value_class, EMPTY_OR},
      {"value_held", m->n_value_held, EMPTY_OR},
      {"value_external", m->n_value_external, EMPTY_OR},
      {"value_accumulated", m->n_value_accumulated, EMPTY_OR},
      {"value_id_end", m->n_value_id_end, EMPTY_OR},
      {"value_pool_end", m->n_value_pool_end, EMPTY_OR},
  };
  const struct column operators[] = {
      {"operator_output_end", m->n_operator_output_end, EXACTLY},
      {"operator_workspace_bytes", m->n_operator_workspace_bytes, EMPTY_OR},
      {"operator_workspace_alignment", m->n_operator_workspace_alignment, EMPTY_OR},
      {"operator_id_end", m->n_operator_id_end, EMPTY_OR},
  };
  const struct {
    const char *name;
    size_t n_ends;
    const uint32_t *ends;
    const char *of;
    size_t n_items;
    bool ids;
  } ends[] = {
      {"value_id_end", m->n_value_id_end, m->value_id_end, "value_id_text", m->value_id_text.len, true},
      {"operator_id_end", m->n_operator_id_end, m->operator_id_end, "operator_id_text",
       m->operator_id_text.len, true},
      {"value_pool_end", m->n_value_pool_end, m->value_pool_end, "value_pool", m->n_value_pool, false},
      {"operator_input_end", m->n_operator_input_end, m->operator_input_end, "operator_input",
       m->n_operator_input, false},
      {"operator_output_end", m->n_operator_output_end, m->operator_output_end, "operator_output",
       m->n_operator_output, false},
  };
  enum berth_code code = check_lengths(
      feed, "value_size_bytes", m->n_value_size_bytes, values, sizeof values / sizeof values[0]);
  if (code == BERTH_OK) {
    code = check_lengths(
        feed, "operator_input_end", m->n_operator_input_end, operators,
        sizeof operators / sizeof operators[0]);
  }
  for (size_t i = 0; code == BERTH_OK && i < sizeof ends / sizeof ends[0]; i++) {
    code = (ends[i].ids ? check_ids : check_ends)(
        feed, ends[i].name, ends[i].n_ends, ends[i].ends, ends[i].of, ends[i].n_items);
  }
  return code;
}

static enum berth_code
check_indices(const struct feed *feed, const char *name, size_t n, const uint32_t *indices, size_t n_items) {
  for (size_t i = 0; i < n; i++) {
    if (indices[i] >= n_items) {
      return refuse(feed, BERTH_REASON_UNKNOWN_ID, name, i, "no value has this index");
    }
  }
  return BERTH_OK;
}

static enum berth_code add_values(const struct feed *feed, const uint64_t *pinned) {
  const Berth__V1__Problem *m = feed->message;
  struct berth_value_spec spec = berth_value_spec_default();
  for (size_t i = 0; i < m->n_value_size_bytes; i++) {
    spec.id = text_of(m->value_id_text, m->n_value_id_end, m->value_id_end, i);
    spec.size_bytes = m->value_size_bytes[i];
    spec.alignment = m->n_value_alignment > 0 ? m->value_alignment[i] : 1;
    spec.class_ = class_of(m->n_value_class, m->value_class, i);
    spec.held = m->n_value_held > 0 && m->value_held[i];
    spec.external = m->n_value_external > 0 && m->value_external[i];
    spec.accumulated = m->n_value_accumulated > 0 && m->value_accumulated[i];
    spec.pinned_offset = pinned != NULL ? pinned[i] : BERTH_UNPINNED;
    if (m->n_value_pool_end > 0) {
      uint32_t begin = i > 0 ? m->value_pool_end[i - 1] : 0;
      spec.n_pools = m->value_pool_end[i] - begin;
      spec.pools = spec.n_pools > 0 ? m->value_pool + begin : NULL;
    }
    uint32_t index;
    enum berth_code code = berth_problem_builder_add_value(feed->builder, &spec, &index, feed->err);
    if (code != BERTH_OK) {
      return blame(feed, code, VALUE_BLAME);
    }
  }
  return BERTH_OK;
}

static enum berth_code add_operators(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  for (size_t i = 0; i < m->n_operator_input_end; i++) {
    uint32_t input = i > 0 ? m->operator_input_end[i - 1] : 0;
    uint32_t output = i > 0 ? m->operator_output_end[i - 1] : 0;
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.id = text_of(m->operator_id_text, m->n_operator_id_end, m->operator_id_end, i);
    spec.n_inputs = m->operator_input_end[i] - input;
    spec.inputs = spec.n_inputs > 0 ? m->operator_input + input : NULL;
    spec.n_outputs = m->operator_output_end[i] - output;
    spec.outputs = spec.n_outputs > 0 ? m->operator_output + output : NULL;
    spec.workspace_bytes = m->n_operator_workspace_bytes > 0 ? m->operator_workspace_bytes[i] : 0;
    spec.workspace_alignment = m->n_operator_workspace_alignment > 0 ? m->operator_workspace_alignment[i] : 1;
    uint32_t index;
    enum berth_code code = berth_problem_builder_add_operator(feed->builder, &spec, &index, feed->err);
    if (code != BERTH_OK) {
      return blame(feed, code, OPERATOR_BLAME);
    }
  }
  return BERTH_OK;
}

static enum berth_code feed_graph(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  size_t n = m->n_value_size_bytes;
  uint64_t *pinned = NULL;
  enum berth_code code = check_graph(feed);
  if (code == BERTH_OK) {
    code = check_indices(feed, "operator_input", m->n_operator_input, m->operator_input, n);
  }
  if (code == BERTH_OK) {
    code = check_indices(feed, "operator_output", m->n_operator_output, m->operator_output, n);
  }
  if (code == BERTH_OK) {
    code = spread_pins(feed, n, &pinned);
  }
  if (code == BERTH_OK) {
    code = add_values(feed, pinned);
  }
  if (code == BERTH_OK) {
    code = add_operators(feed);
  }
  give_back(feed, pinned, n, sizeof *pinned);
  return code;
}

/* ---- Which of the two ---- */

static bool states_buffers(const Berth__V1__Problem *m) {
  return (m->n_buffer_size_bytes | m->n_buffer_lower | m->n_buffer_upper | m->n_buffer_alignment |
          m->n_buffer_class | m->buffer_id_text.len | m->n_buffer_id_end | m->n_buffer_pool_end |
          m->n_buffer_pool | m->n_gap_buffer | m->n_gap_lower | m->n_gap_upper | m->n_gap_window_lower |
          m->n_gap_window_upper | m->n_conflict_a | m->n_conflict_b) != 0;
}

static bool states_graph(const Berth__V1__Problem *m) {
  return (m->n_value_size_bytes | m->n_value_alignment | m->n_value_class | m->n_value_held |
          m->n_value_external | m->n_value_accumulated | m->value_id_text.len | m->n_value_id_end |
          m->n_value_pool_end | m->n_value_pool | m->n_operator_input_end | m->n_operator_input |
          m->n_operator_output_end | m->n_operator_output | m->n_operator_workspace_bytes |
          m->n_operator_workspace_alignment | m->operator_id_text.len | m->n_operator_id_end) != 0;
}

enum berth_code berth_codec_problem_from_message(
    const struct berth_codec *codec, const Berth__V1__Problem *message, struct berth_problem **out_problem,
    struct berth_error *err) {
  if (message == NULL) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, BERTH_NO_INDEX, "problem",
        "the request has no problem");
  }
  bool graph = states_graph(message);
  if (graph && states_buffers(message)) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, "problem",
        "the problem has both buffers and a graph; it must have one of them");
  }
  struct feed feed = {
      .codec = codec,
      .allocator = codec->allocator != NULL ? codec->allocator : berth_allocator_libc(),
      .message = message,
      .err = err,
  };
  enum berth_code code = berth_problem_builder_create(codec->allocator, &feed.builder, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = add_pools(&feed);
  if (code == BERTH_OK) {
    code = graph ? feed_graph(&feed) : feed_buffers(&feed);
  }
  if (code == BERTH_OK) {
    code = berth_problem_builder_finish(feed.builder, out_problem, err);
    if (code != BERTH_OK) {
      blame(&feed, code, finish_blame(err, graph));
    }
  }
  berth_problem_builder_destroy(feed.builder);
  return code;
}
