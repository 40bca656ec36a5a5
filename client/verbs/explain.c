/* What the peak is made of. Needs no plan: the peak is a matter of lifetimes and sizes alone. */
#include <inttypes.h>

#include "output/table.h"
#include "text/units.h"
#include "verbs/breakdown.h"
#include "verbs/internal.h"

enum { N_ROWS_SHOWN = 20, N_SPANS_SHOWN = 10, NAME_SIZE = 128 };

struct explained {
  const struct berth_problem *problem;
  const char *name;
  struct berth_timeline_point *points;
  uint32_t n_points;
  uint64_t peak_bytes;
  int64_t step;        /* that is explained */
  uint64_t step_bytes; /* live then */
  struct berth_contribution *items;
  uint32_t n_items;
  struct berthctl_breakdown breakdown;
};

static void find_peak(struct explained *explained, const struct berthctl_options *options) {
  for (uint32_t i = 0; i < explained->n_points; i++) {
    if (explained->points[i].live_bytes > explained->peak_bytes) {
      explained->peak_bytes = explained->points[i].live_bytes;
      explained->step = explained->points[i].step;
    }
  }
  if (options->is_set[BERTHCTL_OPTION_STEP]) {
    explained->step = options->step;
  }
}

static enum berth_code
explain(struct explained *explained, const struct berthctl_options *options, struct berth_error *err) {
  enum berth_code code = berth_report_timeline(
      explained->problem, NULL, BERTH_NO_INDEX, NULL, &explained->points, &explained->n_points, err);
  if (code != BERTH_OK) {
    return code;
  }
  find_peak(explained, options);
  code = berth_report_contributions(
      explained->problem, explained->step, NULL, &explained->items, &explained->n_items, err);
  for (uint32_t i = 0; code == BERTH_OK && i < explained->n_items; i++) {
    explained->step_bytes += explained->items[i].live_bytes;
  }
  return code != BERTH_OK
             ? code
             : berthctl_breakdown_make(
                   explained->problem, explained->items, explained->n_items, &explained->breakdown, err);
}

static double share(const struct explained *explained, uint64_t bytes) {
  return explained->step_bytes == 0 ? 0 : (double)bytes / (double)explained->step_bytes;
}

/* Operator k runs at step k. BERTH_NO_INDEX where none does. */
static uint32_t operator_at(const struct explained *explained) {
  const struct berth_graph *graph = berth_problem_graph(explained->problem);
  bool is_one = graph != NULL && explained->step >= 0 && explained->step < (int64_t)graph->n_operators;
  return is_one ? (uint32_t)explained->step : BERTH_NO_INDEX;
}

static bool is_at_peak(const struct explained *explained, uint32_t point) {
  return point + 1 < explained->n_points && explained->peak_bytes != 0 &&
         explained->points[point].live_bytes == explained->peak_bytes;
}

/* ---- JSON ---- */

static void write_spans(struct berth_json *json, const struct explained *explained) {
  berth_json_open(json, "peak_steps", '[');
  for (uint32_t i = 0; i < explained->n_points; i++) {
    if (is_at_peak(explained, i)) {
      berth_json_open(json, NULL, '{');
      berth_json_i64(json, "lower", explained->points[i].step);
      berth_json_i64(json, "upper", explained->points[i + 1].step);
      berth_json_close(json, '}');
    }
  }
  berth_json_close(json, ']');
}

static void
write_operator(struct berth_json *json, const char *key, const struct explained *explained, uint32_t op) {
  if (op == BERTH_NO_INDEX) {
    berth_json_null(json, key);
    return;
  }
  struct berth_text id = berth_problem_operator_id(explained->problem, op);
  berth_json_open(json, key, '{');
  berth_json_u64(json, "index", op);
  if (id.size != 0) {
    berth_json_text(json, "id", id);
  } else {
    berth_json_null(json, "id");
  }
  berth_json_close(json, '}');
}

static void write_breakdown(struct berth_json *json, const struct explained *explained) {
  berth_json_open(json, "classes", '{');
  for (unsigned i = 0; i < BERTH_N_CLASSES; i++) {
    berth_json_u64(json, berth_json_class_name(i), explained->breakdown.class_bytes[i]);
  }
  berth_json_close(json, '}');
  if (explained->breakdown.producer == NULL) {
    return;
  }
  write_operator(json, "operator", explained, operator_at(explained));
  berth_json_open(json, "producers", '[');
  for (uint32_t i = 0; i < explained->breakdown.n_rows; i++) {
    const struct berthctl_breakdown_row *row = &explained->breakdown.rows[i];
    berth_json_open(json, NULL, '{');
    write_operator(json, "operator", explained, row->op);
    berth_json_u64(json, "live_bytes", row->bytes);
    berth_json_double(json, "share", share(explained, row->bytes));
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

static void write_item(struct berth_json *json, const struct explained *explained, uint32_t item) {
  const struct berth_buffers *buffers = berth_problem_buffers(explained->problem);
  uint32_t buffer = explained->items[item].buffer;
  struct berth_text id = berth_problem_buffer_id(explained->problem, buffer);
  berth_json_open(json, NULL, '{');
  berth_json_u64(json, "index", buffer);
  if (id.size != 0) {
    berth_json_text(json, "id", id);
  } else {
    berth_json_null(json, "id");
  }
  berth_json_u64(json, "live_bytes", explained->items[item].live_bytes);
  berth_json_double(json, "share", share(explained, explained->items[item].live_bytes));
  berth_json_u64(json, "size", buffers->size_bytes[buffer]);
  berth_json_i64(json, "lower", buffers->lower[buffer]);
  berth_json_i64(json, "upper", buffers->upper[buffer]);
  berth_json_string(json, "class", berth_json_class_name(buffers->class_[buffer]));
  if (explained->breakdown.producer != NULL) {
    write_operator(json, "producer", explained, explained->breakdown.producer[buffer]);
  }
  berth_json_close(json, '}');
}

static void print_json(const struct explained *explained) {
  struct berthctl_object object;
  berthctl_object_open(&object);
  if (explained->name != NULL) {
    berth_json_string(&object.json, "name", explained->name);
  } else {
    berth_json_null(&object.json, "name");
  }
  berth_json_u64(&object.json, "peak_bytes", explained->peak_bytes);
  write_spans(&object.json, explained);
  berth_json_i64(&object.json, "step", explained->step);
  berth_json_u64(&object.json, "step_bytes", explained->step_bytes);
  write_breakdown(&object.json, explained);
  berth_json_open(&object.json, "contributions", '[');
  for (uint32_t i = 0; i < explained->n_items; i++) {
    write_item(&object.json, explained, i);
  }
  berth_json_close(&object.json, ']');
  berthctl_object_close(&object);
}

/* ---- For people ---- */

static void print_spans(const struct explained *explained) {
  unsigned n_spans = 0;
  for (uint32_t i = 0; i < explained->n_points; i++) {
    if (!is_at_peak(explained, i)) {
      continue;
    }
    int64_t lower = explained->points[i].step;
    int64_t last = explained->points[i + 1].step - 1;
    if (n_spans < N_SPANS_SHOWN) {
      fputs(n_spans == 0 ? " at " : ", ", stdout);
      if (last == lower) {
        printf("step %" PRId64, lower);
      } else {
        printf("steps %" PRId64 " to %" PRId64, lower, last);
      }
    }
    n_spans++;
  }
  if (n_spans > N_SPANS_SHOWN) {
    printf(" and %u spans more", n_spans - N_SPANS_SHOWN);
  }
  putchar('\n');
}

static void print_classes(const struct explained *explained) {
  const char *before = "by class: ";
  for (unsigned i = 0; i < BERTH_N_CLASSES; i++) {
    uint64_t bytes = explained->breakdown.class_bytes[i];
    if (bytes != 0) {
      printf(
          "%s%s %s (%.1f %%)", before, berth_json_class_name(i), berth_units_bytes(bytes).text,
          100 * share(explained, bytes));
      before = ", ";
    }
  }
  if (explained->step_bytes != 0) {
    putchar('\n');
  }
}

static void operator_name(const struct explained *explained, uint32_t op, char *out_text, size_t capacity) {
  if (op == BERTH_NO_INDEX) {
    snprintf(out_text, capacity, "(no operator)");
  } else {
    berthctl_text_name(berth_problem_operator_id(explained->problem, op), op, out_text, capacity);
  }
}

static void
print_producers(const struct explained *explained, const struct berthctl_terminal *terminal, bool all) {
  static const struct berthctl_column COLUMNS[] = {
      {"MADE BY", false, true}, {"SHARE", true, false}, {"LIVE", true, false}, {"BYTES", true, false}};
  const struct berthctl_breakdown *breakdown = &explained->breakdown;
  uint32_t n = all || breakdown->n_rows <= N_ROWS_SHOWN ? breakdown->n_rows : N_ROWS_SHOWN;
  if (n == 0) {
    return;
  }
  struct berthctl_table table;
  berthctl_table_init(&table, terminal, COLUMNS, 4);
  for (uint32_t i = 0; i < n; i++) {
    char name[NAME_SIZE];
    char percent[16];
    operator_name(explained, breakdown->rows[i].op, name, sizeof name);
    snprintf(percent, sizeof percent, "%.1f %%", 100 * share(explained, breakdown->rows[i].bytes));
    struct berth_units_text units = berth_units_bytes(breakdown->rows[i].bytes);
    struct berth_units_text bytes = berth_units_grouped(breakdown->rows[i].bytes);
    berthctl_table_row(&table, (const char *const[]){name, percent, units.text, bytes.text}, 4);
  }
  putchar('\n');
  berthctl_table_finish(&table);
  if (n < breakdown->n_rows) {
    printf("and %s operators more\n", berth_units_grouped(breakdown->n_rows - n).text);
  }
}

static void print_item(struct berthctl_table *table, const struct explained *explained, uint32_t item) {
  const struct berth_buffers *buffers = berth_problem_buffers(explained->problem);
  uint32_t buffer = explained->items[item].buffer;
  char name[NAME_SIZE];
  char percent[16];
  char lower[24];
  char upper[24];
  berthctl_buffer_name(explained->problem, buffer, name, sizeof name);
  snprintf(percent, sizeof percent, "%.1f %%", 100 * share(explained, explained->items[item].live_bytes));
  snprintf(lower, sizeof lower, "%" PRId64, buffers->lower[buffer]);
  snprintf(upper, sizeof upper, "%" PRId64, buffers->upper[buffer]);
  struct berth_units_text units = berth_units_bytes(explained->items[item].live_bytes);
  struct berth_units_text bytes = berth_units_grouped(explained->items[item].live_bytes);
  const char *class_ = berth_json_class_name(buffers->class_[buffer]);
  berthctl_table_row(
      table, (const char *const[]){name, percent, units.text, bytes.text, lower, upper, class_}, 7);
}

static void
print_table(const struct explained *explained, bool all, const struct berthctl_terminal *terminal) {
  static const struct berthctl_column COLUMNS[] = {
      {"BUFFER", false, true},    {"SHARE", true, false},   {"LIVE", true, false},  {"BYTES", true, false},
      {"FROM STEP", true, false}, {"TO STEP", true, false}, {"CLASS", false, false}};
  uint32_t n = all || explained->n_items <= N_ROWS_SHOWN ? explained->n_items : N_ROWS_SHOWN;
  if (n == 0) {
    return;
  }
  struct berthctl_table table;
  berthctl_table_init(&table, terminal, COLUMNS, 7);
  uint64_t rest_bytes = explained->step_bytes;
  for (uint32_t i = 0; i < n; i++) {
    print_item(&table, explained, i);
    rest_bytes -= explained->items[i].live_bytes;
  }
  putchar('\n');
  berthctl_table_finish(&table);
  if (n < explained->n_items) {
    printf(
        "%sand %s buffers more with %s together; --all shows every one%s\n",
        berthctl_style(terminal->color, BERTHCTL_STYLE_DIM), berth_units_grouped(explained->n_items - n).text,
        berth_units_bytes(rest_bytes).text, berthctl_unstyle(terminal->color));
  }
}

static void
print_text(const struct explained *explained, bool all, const struct berthctl_terminal *terminal) {
  printf(
      "%s%s%s  peak %s (%s bytes)", berthctl_style(terminal->color, BERTHCTL_STYLE_BOLD),
      explained->name != NULL ? explained->name : "problem", berthctl_unstyle(terminal->color),
      berth_units_bytes(explained->peak_bytes).text, berth_units_grouped(explained->peak_bytes).text);
  print_spans(explained);
  char name[NAME_SIZE] = "";
  bool has_operator = operator_at(explained) != BERTH_NO_INDEX;
  if (has_operator) {
    operator_name(explained, operator_at(explained), name, sizeof name);
  }
  printf(
      "live at step %" PRId64 "%s%s%s: %s buffers, %s (%s bytes)\n", explained->step,
      has_operator ? " (operator " : "", name, has_operator ? ")" : "",
      berth_units_grouped(explained->n_items).text, berth_units_bytes(explained->step_bytes).text,
      berth_units_grouped(explained->step_bytes).text);
  print_classes(explained);
  print_table(explained, all, terminal);
  print_producers(explained, terminal, all);
}

enum berthctl_exit
berthctl_verb_explain(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  const char *path = options->arguments[0];
  struct berth_problem *problem = NULL;
  enum berthctl_exit status = berthctl_load_problem(terminal, path, &problem);
  if (status != BERTHCTL_EXIT_OK) {
    return status;
  }
  struct explained explained = {.problem = problem, .name = berthctl_problem_name(options, path)};
  struct berth_error err;
  if (explain(&explained, options, &err) != BERTH_OK) {
    status = berthctl_error_say(terminal, path, &err);
  } else if (options->is_set[BERTHCTL_OPTION_JSON]) {
    print_json(&explained);
  } else if (!options->is_set[BERTHCTL_OPTION_QUIET]) {
    print_text(&explained, options->is_set[BERTHCTL_OPTION_ALL], terminal);
  }
  berth_report_free(NULL, explained.points);
  berth_report_free(NULL, explained.items);
  berthctl_breakdown_finish(&explained.breakdown);
  berth_problem_unref(problem);
  return status;
}
