/* Reports from public trackers of what went wrong for people who plan tensor memory, each boiled down to a
 * small problem with its right answer: tests/data/reports.json. Every expectation of a row is checked, one
 * that this file does not know fails the test. */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/report.h"
#include "berth/solve.h"
#include "berth/verify.h"
#include "minimalloc/minimalloc.h"
#include "suite.h"
#include "json/problem.h"

enum { MAX_BUFFERS = 16, MAX_BINDINGS = 4, N_ROWS = 96 };

struct row {
  json_t *json;
  char title[160];
  struct berth_problem *problem;
  struct berth_plan *plan;
};

/* Where something lies: a buffer, or a value in one. */
struct place {
  uint32_t pool;
  uint64_t first;
  uint64_t end;
};

static void fail_row(const struct row *row, const char *format, ...) BERTH_PRINTF(2, 3);

static void fail_row(const struct row *row, const char *format, ...) {
  char why[2 * BERTH_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, sizeof why, format, arguments);
  va_end(arguments);
  ck_abort_msg("%s: %s", row->title, why);
}

#define ROW_ASSERT(row, condition, ...)                                                                      \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fail_row(row, __VA_ARGS__);                                                                            \
    }                                                                                                        \
  } while (0)

static uint64_t number(const struct row *row, const json_t *value) {
  ROW_ASSERT(row, json_is_integer(value) && json_integer_value(value) >= 0, "not a number");
  return (uint64_t)json_integer_value(value);
}

static bool is_text(struct berth_text text, const char *word) {
  return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

/* ---- The problem ---- */

static enum berth_code read_problem(struct row *row, struct berth_error *err) {
  const json_t *csv = json_object_get(row->json, "csv");
  if (csv != NULL) {
    const char *text = json_string_value(csv);
    return berth_minimalloc_read(text, strlen(text), NULL, &row->problem, err);
  }
  char *text = json_dumps(json_object_get(row->json, "problem"), 0);
  ROW_ASSERT(row, text != NULL, "it has neither a problem nor csv");
  struct berth_binding items[MAX_BINDINGS];
  struct berth_bindings bindings = {
      .items = items, .strict = json_is_true(json_object_get(row->json, "strict"))};
  const char *symbol;
  json_t *bound;
  json_object_foreach(json_object_get(row->json, "bind"), symbol, bound) {
    ROW_ASSERT(row, bindings.n < MAX_BINDINGS, "too many bindings");
    items[bindings.n++] = (struct berth_binding){
        .symbol = {symbol, (uint32_t)strlen(symbol)},
        .lower = number(row, bound),
        .upper = number(row, bound)};
  }
  enum berth_code code = berth_json_read_bound(text, strlen(text), &bindings, NULL, &row->problem, err);
  free(text);
  return code;
}

static void expect_error(struct row *row, json_t *expected) {
  struct berth_error err = {0};
  enum berth_code code = read_problem(row, &err);
  ROW_ASSERT(row, code == BERTH_INVALID_ARGUMENT, "it was taken");
  const char *key;
  json_t *value;
  json_object_foreach(expected, key, value) {
    if (strcmp(key, "contains") == 0 || strcmp(key, "and") == 0) {
      const char *word = json_string_value(value);
      ROW_ASSERT(row, strstr(err.message, word) != NULL, "'%s' is not in: %s", word, err.message);
    } else if (strcmp(key, "reason") == 0) {
      ROW_ASSERT(
          row, strcmp(json_string_value(value), berth_reason_name(err.reason)) == 0, "%s: %s",
          berth_reason_name(err.reason), err.message);
    } else if (strcmp(key, "line") == 0) {
      ROW_ASSERT(row, err.line == number(row, value), "line %u: %s", err.line, err.message);
    } else if (strcmp(key, "column") == 0) {
      ROW_ASSERT(row, err.column == number(row, value), "column %u: %s", err.column, err.message);
    } else {
      ROW_ASSERT(row, false, "unknown word %s", key);
    }
  }
}

/* ---- Places ---- */

static uint32_t find_value(const struct row *row, const char *id) {
  const struct berth_graph *graph = berth_problem_graph(row->problem);
  for (uint32_t v = 0; graph != NULL && v < graph->n_values; v++) {
    if (is_text(berth_problem_value_id(row->problem, v), id)) {
      return v;
    }
  }
  return BERTH_NO_INDEX;
}

static uint32_t find_buffer(const struct row *row, const char *id) {
  const struct berth_buffers *buffers = berth_problem_buffers(row->problem);
  for (uint32_t i = 0; i < buffers->n; i++) {
    if (is_text(berth_problem_buffer_id(row->problem, i), id)) {
      return i;
    }
  }
  ROW_ASSERT(row, false, "nothing is called %s", id);
  return BERTH_NO_INDEX;
}

static struct place place_of(const struct row *row, const char *id) {
  const struct berth_graph *graph = berth_problem_graph(row->problem);
  uint32_t value = find_value(row, id);
  uint32_t buffer = value != BERTH_NO_INDEX ? graph->value_buffer[value] : find_buffer(row, id);
  ROW_ASSERT(row, buffer != BERTH_NO_INDEX, "%s is not placed", id);
  uint64_t first = row->plan->offset[buffer];
  uint64_t size = berth_problem_buffers(row->problem)->size_bytes[buffer];
  if (value != BERTH_NO_INDEX) {
    first += graph->value_offset != NULL ? graph->value_offset[value] : 0;
    size = graph->value_size_bytes[value];
  }
  return (struct place){row->plan->pool[buffer], first, first + size};
}

static void expect_pairs(const struct row *row, const json_t *pairs, bool share) {
  size_t k;
  json_t *pair;
  json_array_foreach(pairs, k, pair) {
    const char *first = json_string_value(json_array_get(pair, 0));
    const char *second = json_string_value(json_array_get(pair, 1));
    struct place a = place_of(row, first);
    struct place b = place_of(row, second);
    bool meet = a.pool == b.pool && a.first < b.end && b.first < a.end;
    ROW_ASSERT(
        row, meet == share, "%s [%llu, %llu) and %s [%llu, %llu)", first, (unsigned long long)a.first,
        (unsigned long long)a.end, second, (unsigned long long)b.first, (unsigned long long)b.end);
  }
}

static void expect_places(const struct row *row, json_t *places) {
  const char *id;
  json_t *offset;
  json_object_foreach(places, id, offset) {
    struct place place = place_of(row, id);
    ROW_ASSERT(
        row, place.first == number(row, offset), "%s lies at %llu", id, (unsigned long long)place.first);
  }
}

/* ---- What the plan says ---- */

static void expect_permissions(const struct row *row, const json_t *answers) {
  const struct berth_permissions *permissions = berth_problem_permissions(row->problem);
  ROW_ASSERT(row, permissions->n == json_array_size(answers), "%u permissions", permissions->n);
  for (uint32_t k = 0; k < permissions->n; k++) {
    const char *answer = berth_inplace_answer_name(permissions->items[k].answer);
    ROW_ASSERT(
        row, strcmp(answer, json_string_value(json_array_get(answers, k))) == 0, "permission %u is %s", k,
        answer);
  }
}

static void expect_classes(const struct row *row, const json_t *classes) {
  static const char *const NAMES[BERTH_N_CLASSES] = {
      [BERTH_CLASS_TEMPORARY] = "temporary", [BERTH_CLASS_CONSTANT] = "constant",
      [BERTH_CLASS_INPUT] = "input",         [BERTH_CLASS_OUTPUT] = "output",
      [BERTH_CLASS_STATE] = "state",         [BERTH_CLASS_WORKSPACE] = "workspace"};
  uint64_t sum = 0;
  for (uint32_t c = 0; c < BERTH_N_CLASSES; c++) {
    const json_t *expected = json_object_get(classes, NAMES[c]);
    uint64_t bytes = row->plan->class_bytes[c];
    ROW_ASSERT(
        row, expected == NULL || number(row, expected) == bytes, "%s: %llu", NAMES[c],
        (unsigned long long)bytes);
    sum += bytes;
  }
  ROW_ASSERT(row, sum == row->plan->naive_bytes, "classes do not sum to the whole");
}

static void expect_pools(const struct row *row, const json_t *expected) {
  const struct berth_pools *pools = berth_problem_pools(row->problem);
  for (uint32_t p = 0; p < pools->n; p++) {
    struct berth_text name = pools->items[p].name;
    uint64_t arena = row->plan->pools[p].arena_bytes;
    ROW_ASSERT(
        row, number(row, json_object_getn(expected, name.data, name.size)) == arena, "pool %.*s: %llu",
        (int)name.size, name.data, (unsigned long long)arena);
  }
}

static void expect_culprits(const struct row *row, const json_t *ids) {
  ROW_ASSERT(row, row->plan->n_culprits == json_array_size(ids), "%u culprits", row->plan->n_culprits);
  size_t k;
  json_t *id;
  json_array_foreach(ids, k, id) {
    uint32_t buffer = find_buffer(row, json_string_value(id));
    bool blamed = false;
    for (uint32_t c = 0; c < row->plan->n_culprits; c++) {
      blamed = blamed || row->plan->culprits[c] == buffer;
    }
    ROW_ASSERT(row, blamed, "%s is not blamed", json_string_value(id));
  }
}

static void expect_dynamic(const struct row *row, const json_t *ids) {
  struct berth_dynamic dynamic = berth_problem_dynamic(row->problem);
  ROW_ASSERT(row, dynamic.n == json_array_size(ids), "%u are left to the dynamic arena", dynamic.n);
  for (uint32_t k = 0; k < dynamic.n; k++) {
    const char *id = json_string_value(json_array_get(ids, k));
    ROW_ASSERT(
        row, !dynamic.items[k].is_workspace && dynamic.items[k].item == find_value(row, id), "%s has a place",
        id);
  }
}

/* The bytes live at each step from the first. */
static void expect_live(const struct row *row, const json_t *steps) {
  struct berth_timeline_point *points = NULL;
  uint32_t n = 0;
  ck_assert_int_eq(
      berth_report_timeline(row->problem, row->plan, BERTH_NO_INDEX, NULL, &points, &n, NULL), BERTH_OK);
  size_t step;
  json_t *bytes;
  json_array_foreach(steps, step, bytes) {
    uint64_t live = 0;
    for (uint32_t k = 0; k < n && points[k].step <= (int64_t)step; k++) {
      live = points[k].live_bytes;
    }
    ROW_ASSERT(row, live == number(row, bytes), "%llu bytes at step %zu", (unsigned long long)live, step);
  }
  berth_report_free(NULL, points);
}

static void expect_peak_parts(const struct row *row, const json_t *parts) {
  struct berth_contribution *items = NULL;
  uint32_t n = 0;
  ck_assert_int_eq(
      berth_report_contributions(row->problem, row->plan->pools[0].peak_step, NULL, &items, &n, NULL),
      BERTH_OK);
  ROW_ASSERT(row, n == json_object_size(parts), "%u are live at the peak", n);
  uint64_t sum = 0;
  for (uint32_t k = 0; k < n; k++) {
    struct berth_text id = berth_problem_buffer_id(row->problem, items[k].buffer);
    ROW_ASSERT(
        row, number(row, json_object_getn(parts, id.data, id.size)) == items[k].live_bytes, "%.*s: %llu",
        (int)id.size, id.data, (unsigned long long)items[k].live_bytes);
    sum += items[k].live_bytes;
  }
  ROW_ASSERT(row, sum == row->plan->peak_bytes, "the parts do not sum to the peak");
  berth_report_free(NULL, items);
}

static bool expect_number(const struct row *row, const char *key, json_t *value) {
  const struct {
    const char *key;
    uint64_t is;
  } NUMBERS[] = {
      {"arena", row->plan->arena_bytes},       {"lower_bound", row->plan->lower_bound_bytes},
      {"peak", row->plan->peak_bytes},         {"naive", row->plan->naive_bytes},
      {"short_by", row->plan->short_by_bytes},
  };
  for (size_t k = 0; k < sizeof NUMBERS / sizeof *NUMBERS; k++) {
    if (strcmp(key, NUMBERS[k].key) == 0) {
      ROW_ASSERT(
          row, number(row, value) == NUMBERS[k].is, "%s is %llu", key, (unsigned long long)NUMBERS[k].is);
      return true;
    }
  }
  return false;
}

static void expect(const struct row *row, const char *key, json_t *value) {
  if (expect_number(row, key, value)) {
    return;
  }
  if (strcmp(key, "status") == 0) {
    const char *status = berth_plan_status_name(row->plan->status);
    ROW_ASSERT(row, strcmp(json_string_value(value), status) == 0, "status is %s", status);
  } else if (strcmp(key, "apart") == 0 || strcmp(key, "together") == 0) {
    expect_pairs(row, value, strcmp(key, "together") == 0);
  } else if (strcmp(key, "inplace") == 0) {
    expect_permissions(row, value);
  } else if (strcmp(key, "place") == 0) {
    expect_places(row, value);
  } else if (strcmp(key, "class_bytes") == 0) {
    expect_classes(row, value);
  } else if (strcmp(key, "pool_arena") == 0) {
    expect_pools(row, value);
  } else if (strcmp(key, "culprits") == 0) {
    expect_culprits(row, value);
  } else if (strcmp(key, "dynamic") == 0) {
    expect_dynamic(row, value);
  } else if (strcmp(key, "live") == 0) {
    expect_live(row, value);
  } else if (strcmp(key, "peak_parts") == 0) {
    expect_peak_parts(row, value);
  } else {
    ROW_ASSERT(row, false, "unknown word %s", key);
  }
}

/* ---- The judge on given offsets ---- */

static void judge(const struct row *row, json_t *offsets, bool good) {
  if (offsets == NULL) {
    return;
  }
  uint64_t offset[MAX_BUFFERS];
  uint32_t n = berth_problem_buffers(row->problem)->n;
  ROW_ASSERT(row, n == json_object_size(offsets) && n <= MAX_BUFFERS, "%u buffers are to be given", n);
  const char *id;
  json_t *value;
  json_object_foreach(offsets, id, value) {
    offset[find_buffer(row, id)] = number(row, value);
  }
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  ck_assert_int_eq(
      berth_verify_offsets(row->problem, NULL, offset, NULL, &first, 1, &verdict, NULL), BERTH_OK);
  ROW_ASSERT(row, (verdict.n_violations == 0) == good, "the judge: %s", good ? first.message : "it is good");
}

/* ---- A row ---- */

static enum berth_reuse reuse_of(const struct row *row) {
  const char *word = json_string_value(json_object_get(row->json, "reuse"));
  ROW_ASSERT(row, word == NULL || strcmp(word, "none") == 0, "unknown reuse");
  return word == NULL ? BERTH_REUSE_FULL : BERTH_REUSE_NONE;
}

static void solve(struct row *row) {
  struct berth_solve_options options = berth_solve_options_default();
  const json_t *capacity = json_object_get(row->json, "capacity");
  options.capacity_bytes = capacity != NULL ? number(row, capacity) : BERTH_UNLIMITED;
  options.reuse = reuse_of(row);
  struct berth_error err = {0};
  enum berth_code code = read_problem(row, &err);
  ROW_ASSERT(row, code == BERTH_OK, "%s", err.message);
  code = berth_solve(row->problem, &options, NULL, NULL, &row->plan, &err);
  ROW_ASSERT(row, code == BERTH_OK, "%s", err.message);
  struct berth_verdict verdict;
  struct berth_violation first = {0};
  code = berth_verify(row->problem, row->plan, NULL, &first, 1, &verdict, &err);
  ROW_ASSERT(row, code == BERTH_OK, "%s", err.message);
  ROW_ASSERT(row, verdict.n_violations == 0, "%s", first.message);
}

static void check_row(json_t *json) {
  struct row row = {.json = json};
  snprintf(
      row.title, sizeof row.title, "report %lld, %s", json_integer_value(json_object_get(json, "report")),
      json_string_value(json_object_get(json, "name")));
  json_t *error = json_object_get(json, "error");
  if (error != NULL) {
    expect_error(&row, error);
    return;
  }
  solve(&row);
  const char *key;
  json_t *value;
  json_object_foreach(json_object_get(json, "expect"), key, value) {
    expect(&row, key, value);
  }
  judge(&row, json_object_get(json, "refused"), false);
  judge(&row, json_object_get(json, "accepted"), true);
  berth_plan_unref(row.plan);
  berth_problem_unref(row.problem);
}

START_TEST(every_report_has_its_right_answer) {
  json_error_t error;
  json_t *rows = json_load_file("tests/data/reports.json", JSON_REJECT_DUPLICATES, &error);
  ck_assert_msg(rows != NULL, "%s at line %d", error.text, error.line);
  ck_assert_uint_eq(json_array_size(rows), N_ROWS);
  size_t k;
  json_t *row;
  json_array_foreach(rows, k, row) {
    check_row(row);
  }
  json_decref(rows);
}
END_TEST

int main(void) {
  return berth_suite_run("known/reports", (const TTest *const[]){every_report_has_its_right_answer, NULL});
}
