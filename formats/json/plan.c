#include "json/plan.h"
#include "berth/report.h"
#include "berth/together.h"
#include "json/problem_sizes.h"

#include <string.h>

#include "json/emit.h"

static const char *const CLASS_NAMES[BERTH_N_CLASSES] = {"temporary", "constant", "input",
                                                         "output",    "state",    "workspace"};

const char *berth_json_class_name(unsigned class_) {
  return class_ < BERTH_N_CLASSES ? CLASS_NAMES[class_] : "unknown";
}

static void write_name(struct berth_json *json, const char *key, const char *text) {
  if (text == NULL || *text == '\0') {
    berth_json_null(json, key);
  } else {
    berth_json_string(json, key, text);
  }
}

static void write_id(struct berth_json *json, const struct berth_problem *problem, uint32_t buffer) {
  struct berth_text id = {.size = 0};
  if (problem != NULL && buffer < berth_problem_buffers(problem)->n) {
    id = berth_problem_buffer_id(problem, buffer);
  }
  if (id.size == 0) {
    berth_json_null(json, "id");
  } else {
    berth_json_text(json, "id", id);
  }
}

void berth_json_write_pool_name(
    struct berth_json *json, const char *key, const struct berth_problem *problem, uint32_t pool) {
  const struct berth_pools *pools = problem != NULL ? berth_problem_pools(problem) : NULL;
  if (pools != NULL && pool < pools->n && pools->items[pool].name.size != 0) {
    berth_json_text(json, key, pools->items[pool].name);
  } else {
    char text[12];
    size_t at = sizeof text - 1;
    text[at] = '\0';
    do {
      text[--at] = (char)('0' + pool % 10);
      pool /= 10;
    } while (pool != 0);
    berth_json_string(json, key, text + at);
  }
}

static void write_classes(struct berth_json *json, const uint64_t *class_bytes) {
  berth_json_open(json, "class_bytes", '{');
  for (unsigned i = 0; i < BERTH_N_CLASSES; i++) {
    berth_json_u64(json, CLASS_NAMES[i], class_bytes[i]);
  }
  berth_json_close(json, '}');
}

static void write_totals(struct berth_json *json, const struct berth_json_plan *input) {
  const struct berth_plan *plan = input->plan;
  write_name(json, "name", input->name);
  berth_json_string(json, "status", berth_plan_status_name(plan->status));
  if (plan->offset != NULL) {
    berth_json_u64(json, "arena_bytes", plan->arena_bytes);
  } else {
    berth_json_null(json, "arena_bytes");
  }
  berth_json_string(json, "reuse", berth_reuse_name(plan->reuse));
  berth_json_u64(json, "lower_bound_bytes", plan->lower_bound_bytes);
  if (plan->offset != NULL) {
    berth_json_double(json, "gap", berth_plan_gap(plan));
  } else {
    berth_json_null(json, "gap");
  }
  berth_json_u64(json, "naive_bytes", plan->naive_bytes);
  berth_json_u64(json, "peak_bytes", plan->peak_bytes);
  berth_json_u64(json, "reuse_bytes", plan->reuse_bytes);
  berth_json_double(json, "rho", berth_plan_rho(plan));
  if (plan->offset != NULL) {
    berth_json_u64(json, "spill_cost", plan->spill_cost);
    berth_json_u64(json, "spill_cost_bound", plan->spill_cost_bound);
  } else {
    berth_json_null(json, "spill_cost");
    berth_json_null(json, "spill_cost_bound");
  }
  write_name(json, "plan_id", input->plan_id);
  berth_json_bool(json, "cached", input->cached);
  berth_json_u64(json, "effort", plan->ticks);
  berth_json_double(json, "solve_seconds", input->solve_seconds);
  write_classes(json, plan->class_bytes);
}

static void write_misfit(struct berth_json *json, const struct berth_json_plan *input) {
  const struct berth_plan *plan = input->plan;
  if (plan->status != BERTH_PLAN_INFEASIBLE) {
    return;
  }
  berth_json_u64(json, "short_by_bytes", plan->short_by_bytes);
  berth_json_string(json, "culprits_proof", berth_culprits_proof_name(plan->culprits_proof));
  berth_json_open(json, "culprits", '[');
  for (uint32_t i = 0; i < plan->n_culprits && i < BERTH_MAX_CULPRITS; i++) {
    berth_json_open(json, NULL, '{');
    berth_json_u64(json, "index", plan->culprits[i]);
    write_id(json, input->problem, plan->culprits[i]);
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

static void write_pools(struct berth_json *json, const struct berth_json_plan *input) {
  const struct berth_pools *pools = input->problem != NULL ? berth_problem_pools(input->problem) : NULL;
  berth_json_open(json, "pools", '[');
  for (uint32_t i = 0; i < input->plan->n_pools; i++) {
    const struct berth_pool_result *result = &input->plan->pools[i];
    const struct berth_pool_spec *spec = pools != NULL && i < pools->n ? &pools->items[i] : NULL;
    berth_json_open(json, NULL, '{');
    berth_json_write_pool_name(json, "name", input->problem, i);
    if (input->plan->offset != NULL) {
      berth_json_u64(json, "arena_bytes", result->arena_bytes);
    } else {
      berth_json_null(json, "arena_bytes");
    }
    berth_json_u64(json, "lower_bound_bytes", result->lower_bound_bytes);
    if (spec != NULL) {
      berth_json_u64(json, "alignment", spec->alignment);
    }
    if (spec != NULL && spec->capacity_bytes != BERTH_UNLIMITED) {
      berth_json_u64(json, "capacity_bytes", spec->capacity_bytes);
    } else {
      berth_json_null(json, "capacity_bytes");
    }
    berth_json_u64(json, "base_alignment", result->base_alignment);
    berth_json_u64(json, "peak_bytes", result->peak_bytes);
    berth_json_i64(json, "peak_step", result->peak_step);
    write_classes(json, result->class_bytes);
    berth_json_u64(json, "persistent_bytes", result->persistent_bytes);
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

static void
write_pool_and_offset(struct berth_json *json, const struct berth_json_plan *input, uint32_t buffer) {
  const struct berth_plan *plan = input->plan;
  if (plan->offset == NULL || plan->offset[buffer] == BERTH_NO_OFFSET) {
    berth_json_null(json, "pool");
    berth_json_null(json, "offset");
    return;
  }
  berth_json_write_pool_name(json, "pool", input->problem, plan->pool != NULL ? plan->pool[buffer] : 0);
  berth_json_u64(json, "offset", plan->offset[buffer]);
}

void berth_json_write_gaps(struct berth_json *json, const struct berth_buffers *buffers, uint32_t buffer) {
  if (buffers->gap_begin == NULL || buffers->gap_begin[buffer] == buffers->gap_begin[buffer + 1]) {
    return;
  }
  berth_json_open(json, "gaps", '[');
  for (uint32_t i = buffers->gap_begin[buffer]; i < buffers->gap_begin[buffer + 1]; i++) {
    const struct berth_gap *gap = &buffers->gaps[i];
    berth_json_open(json, NULL, '{');
    berth_json_i64(json, "lower", gap->lower);
    berth_json_i64(json, "upper", gap->upper);
    if (gap->window_lower != gap->window_upper) {
      berth_json_open(json, "window", '[');
      berth_json_u64(json, NULL, gap->window_lower);
      berth_json_u64(json, NULL, gap->window_upper);
      berth_json_close(json, ']');
    }
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

/* Which bytes are live from when to when, where it is not the whole buffer: with several streams. */
static void write_slices(struct berth_json *json, const struct berth_buffers *buffers, uint32_t buffer) {
  if (buffers->slice_begin == NULL || buffers->slice_begin[buffer] == buffers->slice_begin[buffer + 1]) {
    return;
  }
  berth_json_open(json, "parts", '[');
  for (uint32_t i = buffers->slice_begin[buffer]; i < buffers->slice_begin[buffer + 1]; i++) {
    const struct berth_slice *slice = &buffers->slices[i];
    berth_json_open(json, NULL, '{');
    berth_json_i64(json, "lower", slice->lower);
    berth_json_i64(json, "upper", slice->upper);
    berth_json_open(json, "window", '[');
    berth_json_u64(json, NULL, slice->window_lower);
    berth_json_u64(json, NULL, slice->window_upper);
    berth_json_close(json, ']');
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

static void write_buffer(struct berth_json *json, const struct berth_json_plan *input, uint32_t buffer) {
  berth_json_open(json, NULL, '{');
  write_id(json, input->problem, buffer);
  write_pool_and_offset(json, input, buffer);
  if (input->problem != NULL) {
    const struct berth_buffers *buffers = berth_problem_buffers(input->problem);
    berth_json_u64(json, "size", buffers->size_bytes[buffer]);
    berth_json_i64(json, "lower", buffers->lower[buffer]);
    berth_json_i64(json, "upper", buffers->upper[buffer]);
    berth_json_u64(json, "alignment", buffers->alignment[buffer]);
    berth_json_string(json, "class", berth_json_class_name(buffers->class_[buffer]));
    berth_json_write_gaps(json, buffers, buffer);
    write_slices(json, buffers, buffer);
  }
  if (input->plan->slot != NULL) {
    berth_json_u64(json, "slot", input->plan->slot[buffer]);
  }
  berth_json_close(json, '}');
}

/* Each part's own table: its buffers by their own ids, where the plan puts them. */
static void write_part_of(
    struct berth_json *json, const struct berth_json_plan *input, uint32_t part,
    const struct berth_part_row *row) {
  const struct berth_composed *parts = berth_problem_composed(input->problem);
  berth_json_open(json, NULL, '{');
  berth_json_text(json, "name", parts->items[part].name);
  berth_json_u64(json, "naive_bytes", row->naive_bytes);
  berth_json_u64(json, "peak_bytes", row->peak_bytes);
  if (input->plan->offset != NULL) {
    berth_json_u64(json, "arena_bytes", row->arena_bytes);
  } else {
    berth_json_null(json, "arena_bytes");
  }
  berth_json_open(json, "buffers", '[');
  for (uint32_t k = parts->buffer_begin[part]; k < parts->buffer_begin[part + 1]; k++) {
    uint32_t buffer = parts->buffer[k];
    berth_json_open(json, NULL, '{');
    write_id(json, parts->items[part].problem, k - parts->buffer_begin[part]);
    write_pool_and_offset(json, input, buffer);
    berth_json_bool(json, "shared", parts->part_of[buffer] == BERTH_NO_INDEX);
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
  berth_json_close(json, '}');
}

static enum berth_code
write_composed(struct berth_json *json, const struct berth_json_plan *input, struct berth_error *err) {
  struct berth_part_row *rows = NULL;
  uint32_t n_rows = 0;
  if (input->problem == NULL || berth_problem_composed(input->problem) == NULL) {
    return BERTH_OK;
  }
  enum berth_code code = berth_report_parts(input->problem, input->plan, NULL, &rows, &n_rows, err);
  berth_json_open(json, "parts", '[');
  for (uint32_t part = 0; part < n_rows && !json->writer->failed; part++) {
    write_part_of(json, input, part, &rows[part]);
  }
  berth_json_close(json, ']');
  berth_report_free(NULL, rows);
  return code;
}

enum berth_code berth_json_put_plan(
    struct berth_json *json, const char *key, const struct berth_json_plan *input, struct berth_error *err) {
  berth_json_open(json, key, '{');
  write_totals(json, input);
  if (input->more != NULL) {
    input->more(input->more_ctx, json);
  }
  write_misfit(json, input);
  write_pools(json, input);
  if (input->problem != NULL) {
    berth_json_write_ranges(json, input->problem);
  }
  if (input->bounds_bytes != 0) {
    berth_json_u64(json, "bounds_arena_bytes", input->bounds_bytes);
  }
  berth_json_write_stability(json, input);
  berth_json_write_sync(json, input);
  berth_json_open(json, "buffers", '[');
  for (uint32_t i = 0; i < input->plan->n_buffers && !json->writer->failed; i++) {
    write_buffer(json, input, i);
  }
  berth_json_close(json, ']');
  enum berth_code code = write_composed(json, input, err);
  berth_json_close(json, '}');
  return code;
}

enum berth_code
berth_json_write_plan(const struct berth_json_plan *input, struct berth_sink sink, struct berth_error *err) {
  struct berth_writer writer;
  struct berth_json json;
  berth_writer_init(&writer, sink);
  berth_json_init(&json, &writer);
  enum berth_code code = berth_json_put_plan(&json, NULL, input, err);
  return code != BERTH_OK ? code : berth_writer_finish(&writer, err);
}
