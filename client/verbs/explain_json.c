#include <stdlib.h>

#include "verbs/explain.h"

enum { N_PEAKS_WRITTEN = 16 };

static void write_id(struct berth_json *json, const char *key, struct berth_text id) {
  if (id.size != 0) {
    berth_json_text(json, key, id);
  } else {
    berth_json_null(json, key);
  }
}

static void
write_operator(struct berth_json *json, const char *key, const struct berth_problem *problem, uint32_t op) {
  if (op == BERTH_NO_INDEX) {
    berth_json_null(json, key);
    return;
  }
  berth_json_open(json, key, '{');
  berth_json_u64(json, "index", op);
  write_id(json, "id", berth_problem_operator_id(problem, op));
  berth_json_close(json, '}');
}

static void
write_value(struct berth_json *json, const char *key, const struct berth_problem *problem, uint32_t value) {
  berth_json_open(json, key, '{');
  berth_json_u64(json, "index", value);
  write_id(json, "id", berth_problem_value_id(problem, value));
  berth_json_close(json, '}');
}

/* Classes, and of a graph the operators: each sums to what is live. */
static void write_sums(
    struct berth_json *json, const struct berthctl_explained *explained,
    const struct berthctl_moment *moment) {
  berth_json_open(json, "classes", '{');
  for (unsigned i = 0; i < BERTH_N_CLASSES; i++) {
    berth_json_u64(json, berth_json_class_name(i), moment->breakdown.class_bytes[i]);
  }
  berth_json_close(json, '}');
  if (explained->producers == NULL) {
    return;
  }
  write_operator(
      json, "operator", explained->problem, berthctl_operator_at(explained->problem, moment->step));
  berth_json_open(json, "producers", '[');
  for (uint32_t i = 0; i < moment->breakdown.n_makers; i++) {
    const struct berth_maker *maker = &moment->breakdown.makers[i];
    berth_json_open(json, NULL, '{');
    write_operator(json, "operator", explained->problem, maker->op);
    berth_json_u64(json, "live_bytes", maker->bytes);
    berth_json_double(json, "share", berthctl_share(maker->bytes, moment->live_bytes));
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

/* A buffer and what it has of all that is live. */
static void write_buffer(
    struct berth_json *json, const struct berthctl_explained *explained, uint32_t buffer, uint64_t live_bytes,
    uint64_t of_bytes) {
  const struct berth_buffers *buffers = berth_problem_buffers(explained->problem);
  berth_json_open(json, NULL, '{');
  berth_json_u64(json, "index", buffer);
  write_id(json, "id", berth_problem_buffer_id(explained->problem, buffer));
  berth_json_u64(json, "live_bytes", live_bytes);
  berth_json_double(json, "share", berthctl_share(live_bytes, of_bytes));
  berth_json_u64(json, "size", buffers->size_bytes[buffer]);
  berth_json_i64(json, "lower", buffers->lower[buffer]);
  berth_json_i64(json, "upper", buffers->upper[buffer]);
  berth_json_string(json, "class", berth_json_class_name(buffers->class_[buffer]));
  if (explained->producers != NULL) {
    write_operator(json, "producer", explained->problem, explained->producers[buffer]);
  }
  berth_json_close(json, '}');
}

static void write_items(
    struct berth_json *json, const struct berthctl_explained *explained,
    const struct berthctl_moment *moment) {
  berth_json_open(json, "contributions", '[');
  for (uint32_t i = 0; i < moment->n_items; i++) {
    write_buffer(json, explained, moment->items[i].buffer, moment->items[i].live_bytes, moment->live_bytes);
  }
  berth_json_close(json, ']');
}

static void write_span(struct berth_json *json, const struct berth_span *span) {
  berth_json_i64(json, "lower", span->lower);
  berth_json_i64(json, "upper", span->upper);
}

static void write_peak_steps(struct berth_json *json, const struct berthctl_explained *explained) {
  berth_json_open(json, "peak_steps", '[');
  for (uint32_t i = 0; i < explained->n_spans; i++) {
    berth_json_open(json, NULL, '{');
    write_span(json, &explained->spans[i]);
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

/* Each peak by itself; a peak whose memory runs out ends the list. */
static void write_peaks(struct berth_json *json, const struct berthctl_explained *explained, bool all) {
  uint32_t n = all || explained->n_spans < N_PEAKS_WRITTEN ? explained->n_spans : N_PEAKS_WRITTEN;
  bool is_good = true;
  berth_json_open(json, "peaks", '[');
  for (uint32_t i = 0; i < n && is_good; i++) {
    struct berthctl_moment moment;
    struct berth_error err;
    is_good = berthctl_moment_make(explained->problem, explained->spans[i].lower, &moment, &err) == BERTH_OK;
    if (is_good) {
      berth_json_open(json, NULL, '{');
      write_span(json, &explained->spans[i]);
      berth_json_u64(json, "live_bytes", moment.live_bytes);
      write_sums(json, explained, &moment);
      write_items(json, explained, &moment);
      berth_json_close(json, '}');
    }
    berthctl_moment_finish(&moment);
  }
  berth_json_close(json, ']');
}

/* Every buffer, with what it has at the step that is explained. */
static void write_buffers(struct berth_json *json, const struct berthctl_explained *explained) {
  uint32_t n = berth_problem_buffers(explained->problem)->n;
  const struct berthctl_moment *moment = &explained->moment;
  uint64_t *live = calloc((size_t)n + 1, sizeof *live);
  berth_json_open(json, "buffers", '[');
  for (uint32_t i = 0; live != NULL && i < moment->n_items; i++) {
    live[moment->items[i].buffer] += moment->items[i].live_bytes;
  }
  for (uint32_t i = 0; live != NULL && i < n; i++) {
    write_buffer(json, explained, i, live[i], moment->live_bytes);
  }
  berth_json_close(json, ']');
  free(live);
}

static void write_operators(struct berth_json *json, const struct berthctl_explained *explained) {
  berth_json_open(json, "operators", '[');
  for (uint32_t op = 0; op < explained->n_operators; op++) {
    const struct berth_operator_row *row = &explained->operators[op];
    berth_json_open(json, NULL, '{');
    berth_json_u64(json, "index", op);
    write_id(json, "id", berth_problem_operator_id(explained->problem, op));
    berth_json_u64(json, "live_bytes", row->live_bytes);
    berth_json_u64(json, "workspace_bytes", row->workspace_bytes);
    berth_json_u64(json, "input_bytes", row->input_bytes);
    berth_json_u64(json, "output_bytes", row->output_bytes);
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

static void write_permissions(struct berth_json *json, const struct berth_problem *problem) {
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  berth_json_open(json, "permissions", '[');
  for (uint32_t i = 0; i < permissions->n; i++) {
    const struct berth_permission *permission = &permissions->items[i];
    berth_json_open(json, NULL, '{');
    write_operator(json, "operator", problem, permission->op);
    write_value(json, "operand", problem, permission->operand);
    write_value(json, "result", problem, permission->result);
    if (permission->kind != BERTH_INPLACE_OVER) {
      bool inside = permission->kind == BERTH_INPLACE_INSIDE;
      berth_json_u64(json, inside ? "inside_at" : "behind_by", permission->bytes);
    }
    berth_json_bool(json, "used", permission->answer == BERTH_INPLACE_USED);
    berth_json_string(json, "answer", berth_inplace_answer_name(permission->answer));
    berth_json_string(json, "reason", berth_inplace_answer_text(permission->answer));
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

void berthctl_explained_write(const struct berthctl_explained *explained, bool all) {
  struct berthctl_object object;
  berthctl_object_open(&object);
  if (explained->name != NULL) {
    berth_json_string(&object.json, "name", explained->name);
  } else {
    berth_json_null(&object.json, "name");
  }
  berth_json_u64(&object.json, "peak_bytes", explained->peak_bytes);
  write_peak_steps(&object.json, explained);
  berth_json_i64(&object.json, "step", explained->moment.step);
  berth_json_u64(&object.json, "step_bytes", explained->moment.live_bytes);
  write_sums(&object.json, explained, &explained->moment);
  write_items(&object.json, explained, &explained->moment);
  write_peaks(&object.json, explained, all);
  write_buffers(&object.json, explained);
  if (explained->producers != NULL) {
    write_operators(&object.json, explained);
    write_permissions(&object.json, explained->problem);
  }
  berthctl_object_close(&object);
}
