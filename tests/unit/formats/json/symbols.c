/* Symbols, expressions and shapes as text: what they are worth, where they are wrong, and there and back. */
#include "nth.h"
#include "support.h"
#include "json/problem.h"

static struct berth_text text_from(const char *s) {
  return (struct berth_text){.data = s, .size = (uint32_t)strlen(s)};
}

/* "n=7,m=3" */
static struct berth_bindings bind(uint64_t n, uint64_t m, struct berth_binding items[2]) {
  items[0] = (struct berth_binding){text_from("n"), n, n};
  items[1] = (struct berth_binding){text_from("m"), m, m};
  return (struct berth_bindings){.n = 2, .items = items};
}

static enum berth_code read_at(
    const char *text, const struct berth_bindings *bindings, struct berth_problem **out,
    struct berth_error *err) {
  *out = NULL;
  return berth_json_read_bound(text, strlen(text), bindings, NULL, out, err);
}

static struct berth_problem *read_json(const char *text, const struct berth_bindings *bindings) {
  struct berth_problem *problem;
  struct berth_error err = {.code = BERTH_OK};
  enum berth_code code = read_at(text, bindings, &problem, &err);
  ck_assert_msg(code == BERTH_OK, "%u:%u: %s in %s", err.line, err.column, err.message, text);
  return problem;
}

/* ---- What they are worth ---- */

static const struct {
  const char *size; /* as it stands in the document */
  uint64_t at_7_3;  /* n = 7, m = 3 */
} WORTH[] = {
    {"\"n\"", 7},
    {"\"4*n*m\"", 84},
    {"\" 4 * n + m - 1 \"", 30},
    {"\"(n + m) * 2\"", 20},
    {"\"n - m - 2\"", 2},
    {"\"n - (m - 2)\"", 6},
    {"\"n // 2 * 2\"", 6},
    {"\"n % 4 + 1\"", 4},
    {"\"ceil(n/2)*64\"", 256},
    {"\"floor(n * 4 / m)\"", 9},
    {"\"ceil((n + 1) / (m - 1))\"", 4},
    {"\"max(n, m, 9)\"", 9},
    {"\"min(n, m, 9)\"", 3},
    {"\"align(n, 4)\"", 8},
    {"\"mod(n, m)\"", 1},
    {"\"ceildiv(n, m)\"", 3},
    {"\"floordiv(n, m)\"", 2},
    {"\"\\u006e\"", 7},
    {"\"17\"", 17},
    {"\"(17)\"", 17},
};

START_TEST(expressions_are_worth_what_they_say) {
  for (size_t i = 0; i < sizeof WORTH / sizeof WORTH[0]; i++) {
    char text[512];
    struct berth_binding items[2];
    struct berth_bindings bindings = bind(7, 3, items);
    snprintf(
        text, sizeof text,
        "{\"symbols\": [{\"name\": \"n\"}, {\"name\": \"m\", \"lower\": 2, \"upper\": 9}],"
        "\"buffers\": [{\"size\": %s, \"lower\": 0, \"upper\": 1}]}",
        WORTH[i].size);
    struct berth_problem *problem = read_json(text, &bindings);
    uint64_t size = berth_problem_buffers(problem)->size_bytes[0];
    ck_assert_msg(size == WORTH[i].at_7_3, "%s is %llu", WORTH[i].size, (unsigned long long)size);
    struct kept again;
    ck_assert_int_eq(berth_json_write_problem(problem, keep_sink(&again), NULL), BERTH_OK);
    struct berth_problem *twice = read_json(again.bytes, &bindings);
    ck_assert_uint_eq(berth_problem_buffers(twice)->size_bytes[0], size);
    berth_problem_unref(twice);
    free(again.bytes);
    berth_problem_unref(problem);
  }
}
END_TEST

/* ---- A graph that says everything ---- */

static const char GRAPH[] =
    "{\"symbols\": [{\"name\": \"n\", \"lower\": 1, \"upper\": 8}, {\"name\": \"m\"}],\n"
    " \"pools\": [{\"name\": \"a\"}, {\"name\": \"b\"}],\n"
    " \"values\": [\n"
    "  {\"id\": \"x\", \"shape\": [\"n\", 3], \"type\": \"f32\", \"class\": \"input\", \"external\": true},\n"
    "  {\"id\": \"y\", \"shape\": [3, \"n\"], \"bits\": 4},\n"
    "  {\"id\": \"z\", \"shape\": [3, \"n\"], \"bits\": 4},\n"
    "  {\"id\": \"v\", \"size\": \"n\", \"view_of\": \"z\", \"view_offset\": \"ceil(n / 2)\"},\n"
    "  {\"id\": \"d\", \"shape\": [\"m\"], \"bits\": 8, \"alignment\": 32, \"pools\": [\"b\", \"a\"]},\n"
    "  {\"id\": \"u\", \"shape\": [null, 2], \"bits\": 16, \"class\": \"output\"}],\n"
    " \"operators\": [\n"
    "  {\"inputs\": [\"x\"], \"outputs\": [\"y\"], \"workspace\": \"8 * n\", \"workspace_alignment\": 16},\n"
    "  {\"inputs\": [\"y\"], \"outputs\": [\"z\"], \"inplace\": [{\"input\": \"y\", \"output\": \"z\"}]},\n"
    "  {\"inputs\": [\"v\"], \"outputs\": [\"d\", \"u\"], \"workspace\": \"m * 2\", \"workspace_alignment\": "
    "64}]}";

START_TEST(graphs_say_everything) {
  struct berth_problem *problem = read_json(GRAPH, NULL);
  const struct berth_graph *graph = berth_problem_graph(problem);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->n, 2); /* y with z in its place, and a workspace */
  ck_assert_uint_eq(buffers->size_bytes[0], 12);
  ck_assert_uint_eq(buffers->size_bytes[1], 64);
  ck_assert_uint_eq(graph->value_buffer[3], 0);
  struct berth_dynamic dynamic = berth_problem_dynamic(problem);
  ck_assert_uint_eq(dynamic.n, 3);
  ck_assert_uint_eq(dynamic.items[0].item, 4);
  ck_assert_uint_eq(dynamic.items[0].symbol, 1);
  ck_assert_uint_eq(dynamic.items[0].n_pools, 2);
  ck_assert_uint_eq(dynamic.items[1].item, 5);
  ck_assert_uint_eq(dynamic.items[1].symbol, BERTH_NO_INDEX);
  ck_assert(dynamic.items[2].is_workspace);
  ck_assert_uint_eq(dynamic.items[2].alignment, 64);
  berth_problem_unref(problem);
}
END_TEST

/* What is written is the statement, not the binding it was read at. */
START_TEST(there_and_back) {
  struct berth_binding items[2];
  struct berth_bindings bindings[] = {{.n = 0}, bind(5, 9, items)};
  struct kept first;
  struct berth_problem *at_bounds = read_json(GRAPH, NULL);
  ck_assert_int_eq(berth_json_write_problem(at_bounds, keep_sink(&first), NULL), BERTH_OK);
  berth_problem_unref(at_bounds);
  for (int i = 0; i < 2; i++) {
    /* u is unknown whatever is bound */
    struct berth_problem *problem = read_json(first.bytes, &bindings[i]);
    struct berth_problem *direct = read_json(GRAPH, &bindings[i]);
    const struct berth_buffers *a = berth_problem_buffers(problem);
    const struct berth_buffers *b = berth_problem_buffers(direct);
    ck_assert_uint_eq(a->n, b->n);
    ck_assert_mem_eq(a->size_bytes, b->size_bytes, a->n * sizeof *a->size_bytes);
    ck_assert_mem_eq(a->alignment, b->alignment, a->n * sizeof *a->alignment);
    ck_assert_int_eq(a->pool_begin != NULL, i == 1);
    struct kept again;
    ck_assert_int_eq(berth_json_write_problem(problem, keep_sink(&again), NULL), BERTH_OK);
    ck_assert_msg(strcmp(first.bytes, again.bytes) == 0, "%s\n%s", first.bytes, again.bytes);
    free(again.bytes);
    berth_problem_unref(problem);
    berth_problem_unref(direct);
  }
  free(first.bytes);
}
END_TEST

/* ---- What is wrong ---- */

#define SYMBOLS                                                                                              \
  "{\"symbols\": [{\"name\": \"n\", \"upper\": 9}, {\"name\": \"b\", \"lower\": 2}], \"values\": [{"
#define BRACKETS16 "(((((((((((((((("

static const struct {
  const char *text;
  uint32_t column;
  const char *path;
  enum berth_reason reason;
  const char *word;
} WRONG[] = {
    {"{\"symbols\": [{\"name\": \"2n\"}]}", 23, "$.symbols[0].name", BERTH_REASON_BAD_SYMBOL, "letters"},
    {"{\"symbols\": [{\"name\": \"max\"}]}", 23, "$.symbols[0].name", BERTH_REASON_BAD_SYMBOL,
     "word of expr"},
    {"{\"symbols\": [{\"lower\": 1}]}", 14, "$.symbols[0]", BERTH_REASON_MISSING_FIELD, "name"},
    {"{\"symbols\": [{\"name\": \"n\"}, {\"name\": \"n\"}]}", 38, "$.symbols[1].name",
     BERTH_REASON_DUPLICATE_ID, "same name"},
    {"{\"symbols\": [{\"name\": \"n\", \"lower\": 5, \"upper\": 4}]}", 49, "$.symbols[0].upper",
     BERTH_REASON_BAD_SYMBOL, "upside down: 5 to 4"},
    {SYMBOLS "\"size\": \"4 * k\"}]}", 94, "$.values[0].size", BERTH_REASON_UNKNOWN_ID, "not among"},
    {SYMBOLS "\"size\": \"4 n\"}]}", 92, "$.values[0].size", BERTH_REASON_BAD_SYMBOL, "an operation"},
    {SYMBOLS "\"size\": \"n / 2\"}]}", 92, "$.values[0].size", BERTH_REASON_BAD_SYMBOL, "which way"},
    {SYMBOLS "\"size\": \"ceil(n + 1 / 2)\"}]}", 97, "$.values[0].size", BERTH_REASON_BAD_SYMBOL,
     "as the whole"},
    {SYMBOLS "\"size\": \"ceil(n / 2 * 3)\"}]}", 101, "$.values[0].size", BERTH_REASON_BAD_SYMBOL,
     "the whole"},
    {SYMBOLS "\"size\": \"max(n\"}]}", 95, "$.values[0].size", BERTH_REASON_BAD_SYMBOL, "\",\" or \")\""},
    {SYMBOLS "\"size\": \"align(n)\"}]}", 97, "$.values[0].size", BERTH_REASON_BAD_SYMBOL, "second number"},
    {SYMBOLS "\"size\": \"max\"}]}", 93, "$.values[0].size", BERTH_REASON_BAD_SYMBOL, "\"(\""},
    {SYMBOLS "\"size\": \"n * 18446744073709551616\"}]}", 94, "$.values[0].size", BERTH_REASON_BAD_NUMBER,
     "64 bits"},
    {SYMBOLS "\"size\": \"\"}]}", 89, "$.values[0].size", BERTH_REASON_BAD_NUMBER, "whole number"},
    {SYMBOLS "\"size\": \"\\u006e +\"}]}", 89, "$.values[0].size", BERTH_REASON_BAD_SYMBOL,
     "a number, a symbol"},
    {SYMBOLS "\"size\": \"" BRACKETS16 BRACKETS16 BRACKETS16 BRACKETS16 "n\"}]}", 154, "$.values[0].size",
     BERTH_REASON_LIMIT_EXCEEDED, "64 brackets"},
    {SYMBOLS "\"size\": \"n - 10\"}]}", 89, "$.values[0].size", BERTH_REASON_BAD_SYMBOL, "falls below 0"},
    {SYMBOLS "\"size\": \"7 // (n - n)\"}]}", 0, "", BERTH_REASON_NONE, ""}, /* an interval does not know */
    {SYMBOLS "\"size\": \"7 // 0\"}]}", 89, "$.values[0].size", BERTH_REASON_BAD_SYMBOL, "divides by 0"},
    {SYMBOLS "\"shape\": [\"n\"]}]}", 90, "$.values[0]", BERTH_REASON_MISSING_FIELD, "one of the two"},
    {SYMBOLS "\"shape\": [\"n\"], \"bits\": 8, \"size\": 1}]}", 116, "$.values[0]", BERTH_REASON_MALFORMED,
     "both"},
    {SYMBOLS "\"bits\": 8, \"size\": 1}]}", 89, "$.values[0]", BERTH_REASON_MISSING_FIELD, "of a \"shape\""},
    {SYMBOLS "\"shape\": [\"n\"], \"bits\": 0}]}", 90, "$.values[0].shape", BERTH_REASON_BAD_NUMBER,
     "0 bits"},
    {SYMBOLS "\"shape\": [\"n\"], \"type\": \"f31\"}]}", 105, "$.values[0].type", BERTH_REASON_BAD_NUMBER,
     "f32"},
    {SYMBOLS "\"shape\": [1, -2], \"bits\": 8}]}", 94, "$.values[0].shape[1]", BERTH_REASON_BAD_NUMBER,
     "from 0 on"},
    {SYMBOLS "\"shape\": [4294967296, 4294967297], \"type\": \"u8\"}]}", 90, "$.values[0].shape",
     BERTH_REASON_SIZE_OVERFLOW, "passes 2^63"},
    {SYMBOLS "\"id\": \"t\", \"shape\": [2147483647, 2147483647, 2147483647], \"type\": \"f32\"}]}", 101,
     "$.values[0].shape", BERTH_REASON_SIZE_OVERFLOW, "value 0 (\"t\")"},
    {SYMBOLS "\"size\": \"b\", \"offset\": 64}]}", 89, "$.values[0].size", BERTH_REASON_UNBOUNDED,
     "symbol b has no upper bound"},
    {SYMBOLS "\"id\": \"t\", \"shape\": [null, 7040], \"type\": \"u8\", \"offset\": 0}]}", 101,
     "$.values[0].shape", BERTH_REASON_UNBOUNDED,
     "dimension 0 of its shape is unknown; give a value or an upper bound"},
    {"{\"buffers\": [{\"size\": \"n\", \"lower\": 0, \"upper\": 1}]}", 24, "$.buffers[0].size",
     BERTH_REASON_UNKNOWN_ID, "not among"},
    {SYMBOLS "\"size\": 8, \"view_offset\": \"n\"}]}", 107, "$.values[0]", BERTH_REASON_BAD_VIEW,
     "needs \"view_of\""},
};

START_TEST(errors_have_a_place) {
  for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
    struct berth_problem *problem;
    struct berth_error err = {.code = BERTH_OK};
    enum berth_code code = read_at(WRONG[i].text, NULL, &problem, &err);
    if (WRONG[i].reason == BERTH_REASON_NONE) {
      ck_assert_int_eq(err.reason, BERTH_REASON_BAD_ORDER); /* only that nobody writes the value */
      continue;
    }
    ck_assert_msg(code != BERTH_OK, "%s was not refused", WRONG[i].text);
    ck_assert_msg(
        err.line == 1 && err.column == WRONG[i].column && strcmp(err.field, WRONG[i].path) == 0 &&
            err.reason == WRONG[i].reason && strstr(err.message, WRONG[i].word) != NULL,
        "%s\n  at %u:%u, path '%s', reason %s: %s", WRONG[i].text, err.line, err.column, err.field,
        berth_reason_name(err.reason), err.message);
  }
}
END_TEST

START_TEST(bindings_are_held_against_the_symbols) {
  static const struct {
    const char *symbol;
    uint64_t lower;
    uint64_t upper;
    const char *path;
    const char *word;
  } BAD[] = {
      {"k", 1, 1, "$", "no symbol of this name"},
      {"n", 9, 9, "$.symbols[0]", "bound to 9; its upper bound is 8"},
      {"n", 0, 3, "$.symbols[0]", "bound to 0; its lower bound is 1"},
      {"n", 3, 2, "$", "ends before it begins"},
      {"m", 3, UINT64_MAX, "$", "not at all"},
      {"", 3, 3, "$", "names no symbol"},
  };
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    struct berth_problem *problem;
    struct berth_error err = {.code = BERTH_OK};
    struct berth_binding item = {text_from(BAD[i].symbol), BAD[i].lower, BAD[i].upper};
    struct berth_bindings bindings = {.n = 1, .items = &item};
    ck_assert_int_eq(read_at(GRAPH, &bindings, &problem, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_msg(
        strncmp(err.field, BAD[i].path, strlen(BAD[i].path)) == 0 && strstr(err.message, BAD[i].word) != NULL,
        "%s: %s: %s", BAD[i].symbol, err.field, err.message);
  }
  struct berth_binding twice[2];
  struct berth_bindings bindings = bind(3, 3, twice);
  struct berth_problem *problem;
  struct berth_error err = {.code = BERTH_OK};
  twice[1].symbol = twice[0].symbol;
  ck_assert_int_eq(read_at(GRAPH, &bindings, &problem, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_DUPLICATE_ID);
  bindings = (struct berth_bindings){.strict = true};
  ck_assert_int_eq(read_at(GRAPH, &bindings, &problem, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(err.reason, BERTH_REASON_UNBOUNDED);
  ck_assert_str_eq(err.field, "$.values[4].shape");
}
END_TEST

static enum berth_code
read_and_drop(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  struct berth_problem *problem = NULL;
  struct berth_binding item = {text_from("n"), 2, 3};
  struct berth_bindings bindings = {.n = 1, .items = &item};
  enum berth_code code = berth_json_read_bound(ctx, strlen(ctx), &bindings, allocator, &problem, err);
  berth_problem_unref(problem);
  return code;
}

START_TEST(every_allocation_may_fail) {
  char text[2048];
  memcpy(text, GRAPH, sizeof GRAPH);
  ck_assert_uint_gt(nth_refused("symbols", read_and_drop, text), 30);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "json/symbols",
      (const TTest *const[]){
          expressions_are_worth_what_they_say, graphs_say_everything, there_and_back, errors_have_a_place,
          bindings_are_held_against_the_symbols, every_allocation_may_fail, NULL});
}
