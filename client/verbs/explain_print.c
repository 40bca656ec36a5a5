/* An explanation for people, and timelines in all their forms. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/table.h"
#include "text/units.h"
#include "verbs/explain.h"

enum { N_ROWS_SHOWN = 20, N_SPANS_SHOWN = 10, N_POINTS_SHOWN = 40, NAME_SIZE = 128, BAR_WIDTH = 40 };

static uint32_t n_shown(uint32_t n, bool all) {
  return all || n <= N_ROWS_SHOWN ? n : N_ROWS_SHOWN;
}

static void put_percent(char *out, size_t capacity, uint64_t bytes, uint64_t of) {
  snprintf(out, capacity, "%.1f %%", 100 * berthctl_share(bytes, of));
}

/* ---- Peaks ---- */

static void print_span(const char *before, const struct berth_span *span) {
  if (span->upper - 1 == span->lower) {
    printf("%sstep %" PRId64, before, span->lower);
  } else {
    printf("%ssteps %" PRId64 " to %" PRId64, before, span->lower, span->upper - 1);
  }
}

static void print_spans(const struct berthctl_explained *explained) {
  for (uint32_t i = 0; i < explained->n_spans && i < N_SPANS_SHOWN; i++) {
    print_span(i == 0 ? " at " : ", ", &explained->spans[i]);
  }
  if (explained->n_spans > N_SPANS_SHOWN) {
    printf(" and %" PRIu32 " spans more", explained->n_spans - N_SPANS_SHOWN);
  }
  putchar('\n');
}

static void print_classes(const struct berthctl_moment *moment) {
  const char *before = "by class: ";
  for (unsigned i = 0; i < BERTH_N_CLASSES; i++) {
    uint64_t bytes = moment->breakdown.class_bytes[i];
    if (bytes != 0) {
      printf(
          "%s%s %s (%.1f %%)", before, berth_json_class_name(i), berth_units_bytes(bytes).text,
          100 * berthctl_share(bytes, moment->live_bytes));
      before = ", ";
    }
  }
  if (moment->live_bytes != 0) {
    putchar('\n');
  }
}

static void operator_name(const struct berth_problem *problem, uint32_t op, char *out_text, size_t capacity) {
  if (op == BERTH_NO_INDEX) {
    snprintf(out_text, capacity, "(no operator)");
  } else {
    berthctl_text_name(berth_problem_operator_id(problem, op), op, out_text, capacity);
  }
}

static void print_producers(
    const struct berth_problem *problem, const struct berthctl_moment *moment,
    const struct berthctl_terminal *terminal, bool all) {
  static const struct berthctl_column COLUMNS[] = {
      {"MADE BY", false, true}, {"SHARE", true, false}, {"LIVE", true, false}, {"BYTES", true, false}};
  uint32_t n = n_shown(moment->breakdown.n_makers, all);
  if (n == 0) {
    return;
  }
  struct berthctl_table table;
  berthctl_table_init(&table, terminal, COLUMNS, 4);
  for (uint32_t i = 0; i < n; i++) {
    const struct berth_maker *maker = &moment->breakdown.makers[i];
    char name[NAME_SIZE];
    char percent[16];
    operator_name(problem, maker->op, name, sizeof name);
    put_percent(percent, sizeof percent, maker->bytes, moment->live_bytes);
    struct berth_units_text units = berth_units_bytes(maker->bytes);
    struct berth_units_text bytes = berth_units_grouped(maker->bytes);
    berthctl_table_row(&table, (const char *const[]){name, percent, units.text, bytes.text}, 4);
  }
  putchar('\n');
  berthctl_table_finish(&table);
  if (n < moment->breakdown.n_makers) {
    printf("and %s operators more\n", berth_units_grouped(moment->breakdown.n_makers - n).text);
  }
}

static void print_item(
    struct berthctl_table *table, const struct berth_problem *problem, const struct berthctl_moment *moment,
    uint32_t item) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  uint32_t buffer = moment->items[item].buffer;
  char name[NAME_SIZE];
  char percent[16];
  char lower[24];
  char upper[24];
  berthctl_buffer_name(problem, buffer, name, sizeof name);
  put_percent(percent, sizeof percent, moment->items[item].live_bytes, moment->live_bytes);
  snprintf(lower, sizeof lower, "%" PRId64, buffers->lower[buffer]);
  snprintf(upper, sizeof upper, "%" PRId64, buffers->upper[buffer]);
  struct berth_units_text units = berth_units_bytes(moment->items[item].live_bytes);
  struct berth_units_text bytes = berth_units_grouped(moment->items[item].live_bytes);
  const char *class_ = berth_json_class_name(buffers->class_[buffer]);
  berthctl_table_row(
      table, (const char *const[]){name, percent, units.text, bytes.text, lower, upper, class_}, 7);
}

static void print_items(
    const struct berth_problem *problem, const struct berthctl_moment *moment,
    const struct berthctl_terminal *terminal, bool all) {
  static const struct berthctl_column COLUMNS[] = {
      {"BUFFER", false, true},    {"SHARE", true, false},   {"LIVE", true, false},  {"BYTES", true, false},
      {"FROM STEP", true, false}, {"TO STEP", true, false}, {"CLASS", false, false}};
  uint32_t n = n_shown(moment->n_items, all);
  if (n == 0) {
    return;
  }
  struct berthctl_table table;
  berthctl_table_init(&table, terminal, COLUMNS, 7);
  uint64_t rest_bytes = moment->live_bytes;
  for (uint32_t i = 0; i < n; i++) {
    print_item(&table, problem, moment, i);
    rest_bytes -= moment->items[i].live_bytes;
  }
  putchar('\n');
  berthctl_table_finish(&table);
  if (n < moment->n_items) {
    printf(
        "%sand %s buffers more with %s together; --all shows every one%s\n",
        berthctl_style(terminal->color, BERTHCTL_STYLE_DIM), berth_units_grouped(moment->n_items - n).text,
        berth_units_bytes(rest_bytes).text, berthctl_unstyle(terminal->color));
  }
}

static void print_moment(
    const struct berth_problem *problem, const struct berthctl_moment *moment,
    const struct berthctl_terminal *terminal, bool all) {
  char name[NAME_SIZE] = "";
  uint32_t op = berthctl_operator_at(problem, moment->step);
  bool has_operator = op != BERTH_NO_INDEX;
  if (has_operator) {
    operator_name(problem, op, name, sizeof name);
  }
  printf(
      "live at step %" PRId64 "%s%s%s: %s buffers, %s (%s bytes)\n", moment->step,
      has_operator ? " (operator " : "", name, has_operator ? ")" : "",
      berth_units_grouped(moment->n_items).text, berth_units_bytes(moment->live_bytes).text,
      berth_units_grouped(moment->live_bytes).text);
  print_classes(moment);
  print_items(problem, moment, terminal, all);
  print_producers(problem, moment, terminal, all);
}

/* With --all every peak is shown, and not only the first. */
static void
print_other_peaks(const struct berthctl_explained *explained, const struct berthctl_terminal *terminal) {
  for (uint32_t i = 0; i < explained->n_spans; i++) {
    struct berthctl_moment moment;
    struct berth_error err;
    if (explained->spans[i].lower == explained->moment.step) {
      continue;
    }
    if (berthctl_moment_make(explained->problem, explained->spans[i].lower, &moment, &err) == BERTH_OK) {
      putchar('\n');
      print_moment(explained->problem, &moment, terminal, true);
    }
    berthctl_moment_finish(&moment);
  }
}

/* ---- Permissions and operators ---- */

static void value_name(const struct berth_problem *problem, uint32_t value, char *out_text, size_t capacity) {
  berthctl_text_name(berth_problem_value_id(problem, value), value, out_text, capacity);
}

static void how_text(const struct berth_permission *permission, char *out_text, size_t capacity) {
  static const char *const WORDS[BERTH_N_INPLACE_KINDS] = {"over", "inside at", "behind by"};
  bool over = permission->kind == BERTH_INPLACE_OVER;
  struct berth_units_text bytes = berth_units_grouped(permission->bytes);
  snprintf(out_text, capacity, "%s%s%s", WORDS[permission->kind], over ? "" : " ", over ? "" : bytes.text);
}

static void
print_permissions(const struct berth_problem *problem, const struct berthctl_terminal *terminal, bool all) {
  static const struct berthctl_column COLUMNS[] = {{"IN PLACE AT", false, true}, {"OPERAND", false, true},
                                                   {"RESULT", false, true},      {"HOW", false, false},
                                                   {"ANSWER", false, false},     {"BECAUSE", false, true}};
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  uint32_t n = n_shown(permissions->n, all);
  if (n == 0) {
    return;
  }
  struct berthctl_table table;
  berthctl_table_init(&table, terminal, COLUMNS, 6);
  for (uint32_t i = 0; i < n; i++) {
    const struct berth_permission *permission = &permissions->items[i];
    char op[NAME_SIZE];
    char operand[NAME_SIZE];
    char result[NAME_SIZE];
    bool is_used = permission->answer == BERTH_INPLACE_USED;
    operator_name(problem, permission->op, op, sizeof op);
    value_name(problem, permission->operand, operand, sizeof operand);
    value_name(problem, permission->result, result, sizeof result);
    char how[NAME_SIZE];
    how_text(permission, how, sizeof how);
    const char *reason = berth_inplace_answer_text(permission->answer);
    berthctl_table_row(
        &table, (const char *const[]){op, operand, result, how, is_used ? "used" : "refused", reason}, 6);
  }
  putchar('\n');
  berthctl_table_finish(&table);
  if (n < permissions->n) {
    printf("and %s permissions more; --all shows every one\n", berth_units_grouped(permissions->n - n).text);
  }
}

/* The operators at which the most is live, or all of them in their order. */
static void print_operators(
    const struct berthctl_explained *explained, const struct berthctl_terminal *terminal, bool all) {
  static const struct berthctl_column COLUMNS[] = {{"OPERATOR", false, true},   {"STEP", true, false},
                                                   {"LIVE BYTES", true, false}, {"WORKSPACE", true, false},
                                                   {"INPUTS", true, false},     {"OUTPUTS", true, false}};
  uint32_t n = n_shown(explained->n_operators, all);
  uint64_t *live = n != 0 ? malloc(explained->n_operators * sizeof *live) : NULL;
  for (uint32_t op = 0; live != NULL && op < explained->n_operators; op++) {
    live[op] = explained->operators[op].live_bytes;
  }
  uint32_t *order = live != NULL ? berthctl_largest(live, explained->n_operators, n, true) : NULL;
  if (order != NULL) {
    struct berthctl_table table;
    berthctl_table_init(&table, terminal, COLUMNS, 6);
    for (uint32_t i = 0; i < n; i++) {
      const struct berth_operator_row *row = &explained->operators[order[i]];
      char name[NAME_SIZE];
      char step[16];
      operator_name(explained->problem, order[i], name, sizeof name);
      snprintf(step, sizeof step, "%" PRIu32, order[i]);
      struct berth_units_text bytes[] = {
          berth_units_grouped(row->live_bytes), berth_units_grouped(row->workspace_bytes),
          berth_units_grouped(row->input_bytes), berth_units_grouped(row->output_bytes)};
      berthctl_table_row(
          &table,
          (const char *const[]){name, step, bytes[0].text, bytes[1].text, bytes[2].text, bytes[3].text}, 6);
    }
    putchar('\n');
    berthctl_table_finish(&table);
    if (n < explained->n_operators) {
      printf(
          "and %s operators more; --all shows every one in order\n",
          berth_units_grouped(explained->n_operators - n).text);
    }
  }
  free(order);
  free(live);
}

void berthctl_explained_print(
    const struct berthctl_explained *explained, const struct berthctl_options *options,
    const struct berthctl_terminal *terminal) {
  bool all = options->is_set[BERTHCTL_OPTION_ALL];
  printf(
      "%s%s%s  peak %s (%s bytes)", berthctl_style(terminal->color, BERTHCTL_STYLE_BOLD),
      explained->name != NULL ? explained->name : "problem", berthctl_unstyle(terminal->color),
      berth_units_bytes(explained->peak_bytes).text, berth_units_grouped(explained->peak_bytes).text);
  print_spans(explained);
  print_moment(explained->problem, &explained->moment, terminal, all);
  if (all && !options->is_set[BERTHCTL_OPTION_STEP]) {
    print_other_peaks(explained, terminal);
  }
  print_permissions(explained->problem, terminal, all);
  print_operators(explained, terminal, all);
}

/* ---- Timelines ---- */

static void write_timeline(const struct berth_timeline_point *points, uint32_t n) {
  struct berthctl_object object;
  berthctl_object_open(&object);
  berth_json_open(&object.json, "timeline", '[');
  for (uint32_t i = 0; i < n; i++) {
    berth_json_open(&object.json, NULL, '{');
    berth_json_i64(&object.json, "step", points[i].step);
    berth_json_u64(&object.json, "live_bytes", points[i].live_bytes);
    berth_json_close(&object.json, '}');
  }
  berth_json_close(&object.json, ']');
  berthctl_object_close(&object);
}

static void print_timeline(
    const struct berth_timeline_point *points, uint32_t n, const struct berthctl_terminal *terminal) {
  static const struct berthctl_column COLUMNS[] = {
      {"FROM STEP", true, false}, {"LIVE", true, false}, {"BYTES", true, false}, {"", false, true}};
  uint64_t most = 0;
  for (uint32_t i = 0; i < n; i++) {
    most = points[i].live_bytes > most ? points[i].live_bytes : most;
  }
  struct berthctl_table table;
  berthctl_table_init(&table, terminal, COLUMNS, 4);
  for (uint32_t i = 0; i < n; i++) {
    char step[24];
    char bar[BAR_WIDTH + 1] = "";
    int width = (int)(BAR_WIDTH * berthctl_share(points[i].live_bytes, most));
    memset(bar, '#', (size_t)width);
    bar[width] = '\0';
    snprintf(step, sizeof step, "%" PRId64, points[i].step);
    struct berth_units_text units = berth_units_bytes(points[i].live_bytes);
    struct berth_units_text bytes = berth_units_grouped(points[i].live_bytes);
    berthctl_table_row(&table, (const char *const[]){step, units.text, bytes.text, bar}, 4);
  }
  berthctl_table_finish(&table);
}

bool berthctl_timeline_show(
    const char *format, struct berth_timeline_point *points, uint32_t n_points, bool all,
    const struct berthctl_terminal *terminal) {
  if (strcmp(format, "json") == 0) {
    write_timeline(points, n_points);
  } else if (strcmp(format, "csv") == 0) {
    puts("step,live_bytes");
    for (uint32_t i = 0; i < n_points; i++) {
      printf("%" PRId64 ",%" PRIu64 "\n", points[i].step, points[i].live_bytes);
    }
  } else if (strcmp(format, "text") == 0) {
    uint32_t n = all ? n_points : berth_report_thin(points, n_points, N_POINTS_SHOWN);
    print_timeline(points, n, terminal);
    if (n < n_points) {
      printf("of %s changes; each row shows the most of its stretch\n", berth_units_grouped(n_points).text);
    }
  } else {
    return false;
  }
  return true;
}
