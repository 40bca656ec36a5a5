/* Only what differs from the defaults is written, by ids where there are some. */
#include "berth/restate.h"
#include "berth/together.h"
#include "json/emit.h"
#include "json/plan.h"
#include "json/problem.h"
#include "json/problem_sizes.h"
#include "json/reader.h"

struct output {
  struct berth_json json;
  const struct berth_problem *problem;
  bool is_too_large; /* an expression */
};

typedef struct berth_text (*text_of)(const struct berth_problem *problem, uint32_t i);

static struct berth_text pool_name(const struct berth_problem *problem, uint32_t i) {
  return berth_problem_pools(problem)->items[i].name;
}

static void write_reference(struct output *output, const char *key, text_of text, uint32_t index) {
  struct berth_text id = text(output->problem, index);
  if (id.size != 0) {
    berth_json_text(&output->json, key, id);
  } else {
    berth_json_u64(&output->json, key, index);
  }
}

static void
write_references(struct output *output, const char *key, text_of text, const uint32_t *items, uint32_t n) {
  if (n == 0) {
    return;
  }
  berth_json_open(&output->json, key, '[');
  for (uint32_t i = 0; i < n; i++) {
    write_reference(output, NULL, text, items[i]);
  }
  berth_json_close(&output->json, ']');
}

/* Of a column that may be NULL where it is empty. */
static const uint32_t *from(const uint32_t *column, uint32_t begin) {
  return column != NULL ? column + begin : NULL;
}

static void write_unless(struct output *output, const char *key, uint64_t n, uint64_t usual) {
  if (n != usual) {
    berth_json_u64(&output->json, key, n);
  }
}

static void write_flag(struct output *output, const char *key, bool flag) {
  if (flag) {
    berth_json_bool(&output->json, key, true);
  }
}

static bool is_sized(const struct output *output, enum berth_sized_field field, uint32_t item) {
  return berth_problem_sized(output->problem, field, item) != NULL;
}

static void write_size(
    struct output *output, const char *key, enum berth_sized_field field, uint32_t item, uint64_t bytes) {
  if (!berth_json_write_size(&output->json, key, output->problem, field, item, bytes)) {
    output->is_too_large = true;
  }
}

static void write_id(struct output *output, const char *key, struct berth_text id) {
  if (id.size != 0) {
    berth_json_text(&output->json, key, id);
  }
}

static void write_class(struct output *output, enum berth_buffer_class class_) {
  if (class_ != BERTH_CLASS_TEMPORARY) {
    berth_json_string(&output->json, "class", berth_json_class_name(class_));
  }
}

/* ---- Pools ---- */

static void write_pools(struct output *output) {
  const struct berth_pools *pools = berth_problem_pools(output->problem);
  berth_json_open(&output->json, "pools", '[');
  for (uint32_t i = 0; i < pools->n; i++) {
    const struct berth_pool_spec *spec = &pools->items[i];
    berth_json_open(&output->json, NULL, '{');
    write_id(output, "name", spec->name);
    write_unless(output, "capacity", spec->capacity_bytes, BERTH_UNLIMITED);
    write_unless(output, "alignment", spec->alignment, 1);
    write_unless(output, "max_block", spec->max_block_bytes, BERTH_UNLIMITED);
    if (spec->kind == BERTH_POOL_SLOTS) {
      berth_json_string(&output->json, "kind", "slots");
    }
    write_unless(output, "base_alignment", spec->base_alignment, 0);
    write_unless(output, "cost", spec->cost_per_byte, 0);
    write_references(output, "spill_to", pool_name, spec->spill_to, spec->n_spill_to);
    if (spec->persistence != BERTH_PERSISTENCE_MIXED) {
      berth_json_string(&output->json, "persistence", berth_json_persistence_name(spec->persistence));
    }
    berth_json_close(&output->json, '}');
  }
  berth_json_close(&output->json, ']');
}

/* ---- Buffers ---- */

static void write_time(
    struct output *output, const char *name, const struct berth_buffers *buffers, uint32_t buffer,
    const int64_t *step, const uint32_t *clock) {
  size_t n = buffers->n_clocks;
  if (n == 0) {
    berth_json_i64(&output->json, name, step[buffer]);
    return;
  }
  berth_json_open(&output->json, name, '[');
  for (size_t c = 0; c < n; c++) {
    berth_json_u64(&output->json, NULL, clock[buffer * n + c]);
  }
  berth_json_close(&output->json, ']');
}

static void write_buffer(struct output *output, const struct berth_buffers *buffers, uint32_t buffer) {
  struct berth_json *json = &output->json;
  berth_json_open(json, NULL, '{');
  write_id(output, "id", berth_problem_buffer_id(output->problem, buffer));
  write_size(output, "size", BERTH_SIZED_SIZE, buffer, buffers->size_bytes[buffer]);
  write_unless(output, "alignment", buffers->alignment[buffer], 1);
  write_time(output, "lower", buffers, buffer, buffers->lower, buffers->clock_lower);
  write_time(output, "upper", buffers, buffer, buffers->upper, buffers->clock_upper);
  write_class(output, (enum berth_buffer_class)buffers->class_[buffer]);
  if (buffers->pinned_offset != NULL) {
    write_unless(output, "offset", buffers->pinned_offset[buffer], BERTH_UNPINNED);
  }
  if (buffers->pool_begin != NULL) {
    uint32_t begin = buffers->pool_begin[buffer];
    write_references(
        output, "pools", pool_name, from(buffers->pools, begin), buffers->pool_begin[buffer + 1] - begin);
  }
  berth_json_write_gaps(json, buffers, buffer);
  if (buffers->accesses != NULL) {
    write_unless(output, "accesses", buffers->accesses[buffer], 1);
  }
  berth_json_close(json, '}');
}

static void write_buffers(struct output *output) {
  const struct berth_buffers *buffers = berth_problem_buffers(output->problem);
  berth_json_open(&output->json, "buffers", '[');
  for (uint32_t i = 0; i < buffers->n && !output->json.writer->failed; i++) {
    write_buffer(output, buffers, i);
  }
  berth_json_close(&output->json, ']');
  if (buffers->n_conflicts == 0) {
    return;
  }
  berth_json_open(&output->json, "conflicts", '[');
  for (uint32_t i = 0; i < buffers->n_conflicts && !output->json.writer->failed; i++) {
    write_references(output, NULL, berth_problem_buffer_id, buffers->conflicts[i], 2);
  }
  berth_json_close(&output->json, ']');
}

/* ---- Graph ---- */

static void write_value(struct output *output, uint32_t value) {
  struct berth_value_spec spec = berth_problem_value(output->problem, value);
  berth_json_open(&output->json, NULL, '{');
  write_id(output, "id", spec.id);
  write_size(output, "size", BERTH_SIZED_SIZE, value, spec.size_bytes);
  write_unless(output, "alignment", spec.alignment, 1);
  write_class(output, spec.class_);
  write_unless(output, "offset", spec.pinned_offset, BERTH_UNPINNED);
  write_references(output, "pools", pool_name, spec.pools, spec.n_pools);
  write_flag(output, "held", spec.held);
  write_flag(output, "external", spec.external);
  write_flag(output, "accumulated", spec.accumulated);
  if (spec.view_of != BERTH_NO_INDEX) {
    write_reference(output, "view_of", berth_problem_value_id, spec.view_of);
    if (spec.view_offset != 0 || is_sized(output, BERTH_SIZED_VIEW_OFFSET, value)) {
      write_size(output, "view_offset", BERTH_SIZED_VIEW_OFFSET, value, spec.view_offset);
    }
  }
  if (spec.donation != BERTH_DONATION_NONE) {
    berth_json_string(&output->json, "donation", berth_json_donation_name(spec.donation));
  }
  write_flag(output, "live_windows", spec.live_windows);
  write_unless(output, "accesses", spec.accesses, 1);
  berth_json_close(&output->json, '}');
}

static void write_workspace(struct output *output, uint32_t op, uint32_t buffer) {
  const struct berth_buffers *buffers = berth_problem_buffers(output->problem);
  if (buffer != BERTH_NO_INDEX || is_sized(output, BERTH_SIZED_WORKSPACE, op)) {
    uint64_t bytes = buffer != BERTH_NO_INDEX ? buffers->size_bytes[buffer] : 0;
    write_size(output, "workspace", BERTH_SIZED_WORKSPACE, op, bytes);
    write_unless(output, "workspace_alignment", berth_problem_workspace_alignment(output->problem, op), 1);
  }
}

static void write_operand(struct output *output, const char *key, uint32_t value, const uint32_t *list) {
  struct berth_text id = berth_problem_value_id(output->problem, value);
  uint32_t place = 0;
  if (id.size != 0) {
    berth_json_text(&output->json, key, id);
    return;
  }
  while (list[place] != value) {
    place++;
  }
  berth_json_u64(&output->json, key, place);
}

/* Permissions are in the order of the operators; `next` is the first that is not written yet. */
static void write_inplace(struct output *output, uint32_t op, uint32_t *next) {
  const struct berth_graph *graph = berth_problem_graph(output->problem);
  const struct berth_permissions *permissions = berth_problem_permissions(output->problem);
  if (*next == permissions->n || permissions->items[*next].op != op) {
    return;
  }
  berth_json_open(&output->json, "inplace", '[');
  for (; *next < permissions->n && permissions->items[*next].op == op; ++*next) {
    berth_json_open(&output->json, NULL, '{');
    write_operand(
        output, "input", permissions->items[*next].operand, from(graph->inputs, graph->input_begin[op]));
    write_operand(
        output, "output", permissions->items[*next].result, from(graph->outputs, graph->output_begin[op]));
    if (permissions->items[*next].kind != BERTH_INPLACE_OVER) {
      bool inside = permissions->items[*next].kind == BERTH_INPLACE_INSIDE;
      berth_json_u64(&output->json, inside ? "inside_at" : "behind_by", permissions->items[*next].bytes);
    }
    berth_json_close(&output->json, '}');
  }
  berth_json_close(&output->json, ']');
}

static void write_operator(struct output *output, uint32_t op, uint32_t *next_permission) {
  const struct berth_graph *graph = berth_problem_graph(output->problem);
  berth_json_open(&output->json, NULL, '{');
  write_id(output, "id", berth_problem_operator_id(output->problem, op));
  write_references(
      output, "inputs", berth_problem_value_id, from(graph->inputs, graph->input_begin[op]),
      graph->input_begin[op + 1] - graph->input_begin[op]);
  write_references(
      output, "outputs", berth_problem_value_id, from(graph->outputs, graph->output_begin[op]),
      graph->output_begin[op + 1] - graph->output_begin[op]);
  write_workspace(output, op, graph->operator_workspace[op]);
  write_inplace(output, op, next_permission);
  if (graph->operator_stream != NULL) {
    write_unless(output, "stream", graph->operator_stream[op], 0);
    write_references(
        output, "waits", berth_problem_operator_id, from(graph->waits, graph->wait_begin[op]),
        graph->wait_begin[op + 1] - graph->wait_begin[op]);
  }
  berth_json_close(&output->json, '}');
}

static void write_region(struct output *output, const struct berth_region_spec *spec) {
  berth_json_open(&output->json, NULL, '{');
  berth_json_string(&output->json, "kind", berth_json_region_name(spec->kind));
  write_unless(output, "parent", spec->parent, BERTH_NO_INDEX);
  write_reference(output, "first_operator", berth_problem_operator_id, spec->first_operator);
  berth_json_u64(&output->json, "n_operators", spec->n_operators);
  write_unless(output, "min_trips", spec->min_trips, 1);
  write_references(output, "carries", berth_problem_value_id, spec->carries, spec->n_carries);
  berth_json_close(&output->json, '}');
}

static void write_regions(struct output *output, const struct berth_graph *graph) {
  if (graph->n_regions == 0) {
    return;
  }
  berth_json_open(&output->json, "regions", '[');
  for (uint32_t i = 0; i < graph->n_regions && !output->json.writer->failed; i++) {
    write_region(output, &graph->regions[i]);
  }
  berth_json_close(&output->json, ']');
}

static void write_syncs(struct output *output, const struct berth_graph *graph) {
  if (graph->n_syncs == 0) {
    return;
  }
  berth_json_open(&output->json, "syncs", '[');
  for (uint32_t i = 0; i < graph->n_syncs && !output->json.writer->failed; i++) {
    berth_json_open(&output->json, NULL, '{');
    write_reference(output, "waiter", berth_problem_operator_id, graph->syncs[i].waiter);
    write_reference(output, "signaller", berth_problem_operator_id, graph->syncs[i].signaller);
    berth_json_close(&output->json, '}');
  }
  berth_json_close(&output->json, ']');
}

static void write_groups(struct output *output) {
  const struct berth_groups *groups = berth_problem_groups(output->problem);
  bool graph = berth_problem_graph(output->problem) != NULL;
  if (groups->n == 0) {
    return;
  }
  berth_json_open(&output->json, "groups", '[');
  for (uint32_t i = 0; i < groups->n && !output->json.writer->failed; i++) {
    const struct berth_group_spec *spec = &groups->items[i];
    berth_json_open(&output->json, NULL, '{');
    berth_json_string(&output->json, "kind", berth_json_group_name(spec->kind));
    write_references(
        output, "members", graph ? berth_problem_value_id : berth_problem_buffer_id, spec->members,
        spec->n_members);
    berth_json_close(&output->json, '}');
  }
  berth_json_close(&output->json, ']');
}

static void write_graph(struct output *output, const struct berth_graph *graph) {
  uint32_t next_permission = 0;
  berth_json_open(&output->json, "values", '[');
  for (uint32_t i = 0; i < graph->n_values && !output->json.writer->failed; i++) {
    write_value(output, i);
  }
  berth_json_close(&output->json, ']');
  berth_json_open(&output->json, "operators", '[');
  for (uint32_t i = 0; i < graph->n_operators && !output->json.writer->failed; i++) {
    write_operator(output, i, &next_permission);
  }
  berth_json_close(&output->json, ']');
  write_regions(output, graph);
  write_syncs(output, graph);
  write_flag(output, "forbid_inplace", berth_problem_is_without_inplace(output->problem));
}

/* ---- Parts ---- */

enum { PART_DEPTH = 3 }; /* of a part's lists in the document */

static void write_problem(struct output *output);

static struct berth_text part_name(const struct berth_problem *problem, uint32_t i) {
  return berth_problem_composed(problem)->items[i].name;
}

static void write_together(struct output *output, const struct berth_composed *parts) {
  if (parts->n_sets == 0) {
    berth_json_string(&output->json, "together", "share");
    return;
  }
  berth_json_open(&output->json, "together", '[');
  for (uint32_t set = 0, begin = 0; set < parts->n_sets; begin = parts->set_end[set++]) {
    write_references(output, NULL, part_name, parts->set_parts + begin, parts->set_end[set] - begin);
  }
  berth_json_close(&output->json, ']');
}

static void write_parts(struct output *output, const struct berth_composed *parts) {
  const struct berth_problem *whole = output->problem;
  write_together(output, parts);
  if (parts->n_shared != 0) {
    berth_json_open(&output->json, "shared", '[');
    for (uint32_t i = 0; i < parts->n_shared; i++) {
      berth_json_text(&output->json, NULL, berth_problem_buffer_id(output->problem, i));
    }
    berth_json_close(&output->json, ']');
  }
  berth_json_open(&output->json, "parts", '[');
  for (uint32_t i = 0; i < parts->n && !output->json.writer->failed; i++) {
    berth_json_open(&output->json, NULL, '{');
    berth_json_text(&output->json, "name", parts->items[i].name);
    berth_json_open(&output->json, "problem", '{');
    output->problem = parts->items[i].problem;
    write_problem(output);
    output->problem = whole;
    berth_json_close(&output->json, '}');
    berth_json_close(&output->json, '}');
  }
  berth_json_close(&output->json, ']');
}

static void write_problem(struct output *output) {
  const struct berth_problem *problem = output->problem;
  const struct berth_graph *graph = berth_problem_graph(problem);
  const struct berth_composed *parts = berth_problem_composed(problem);
  if (parts != NULL) {
    write_parts(output, parts);
    return;
  }
  berth_json_write_symbols(&output->json, problem);
  write_pools(output);
  if (graph != NULL) {
    write_graph(output, graph);
  } else {
    write_buffers(output);
  }
  write_groups(output);
}

enum berth_code berth_json_write_problem(
    const struct berth_problem *problem, struct berth_sink sink, struct berth_error *err) {
  struct berth_writer writer;
  struct output output = {.problem = problem};
  berth_writer_init(&writer, sink);
  berth_json_init(&output.json, &writer);
  if (berth_problem_composed(problem) != NULL) {
    output.json.inline_depth += PART_DEPTH;
  }
  berth_json_open(&output.json, NULL, '{');
  write_problem(&output);
  berth_json_close(&output.json, '}');
  enum berth_code code = berth_writer_finish(&writer, err);
  if (code == BERTH_OK && output.is_too_large) {
    code = berth_fail(
        err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, "expressions",
        "an expression is too large to be written as text");
  }
  return code;
}
