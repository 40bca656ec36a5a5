/* Parts as JSON: what the document says, where it is wrong, and there and back. */
#include "berth/together.h"
#include "nth.h"
#include "support.h"
#include "json/problem.h"

#define PART(name, inside) "{\"name\": \"" name "\", \"problem\": {" inside "}}"
#define BUFFERS(size)                                                                                        \
  "\"buffers\": [{\"id\": \"w\", \"size\": " size ", \"lower\": 0, \"upper\": 1, \"class\": \"state\"}]"
#define GRAPH                                                                                                \
  "\"symbols\": [{\"name\": \"n\", \"upper\": 8}], \"values\": [{\"id\": \"w\", \"size\": 4, \"class\": "    \
  "\"state\"}, "                                                                                             \
  "{\"id\": \"x\", \"size\": \"n*16\", \"class\": \"input\"}]"

static struct berth_error err;

static struct berth_problem *try_read(const char *text, const struct berth_bindings *bindings) {
  struct berth_problem *problem = NULL;
  err = (struct berth_error){.code = BERTH_OK};
  enum berth_code code = berth_json_read_bound(text, strlen(text), bindings, NULL, &problem, &err);
  ck_assert_int_eq(code == BERTH_OK, problem != NULL);
  return problem;
}

static struct berth_problem *read_good(const char *text, const struct berth_bindings *bindings) {
  struct berth_problem *problem = try_read(text, bindings);
  ck_assert_msg(problem != NULL, "%u:%u: %s", err.line, err.column, err.message);
  return problem;
}

static void there_and_back(const struct berth_problem *problem) {
  struct kept first;
  struct kept second;
  ck_assert_int_eq(berth_json_write_problem(problem, keep_sink(&first), NULL), BERTH_OK);
  struct berth_problem *again = read_good(first.bytes, NULL);
  ck_assert_int_eq(berth_json_write_problem(again, keep_sink(&second), NULL), BERTH_OK);
  ck_assert_str_eq(first.bytes, second.bytes);
  berth_problem_unref(again);
  free(first.bytes);
  free(second.bytes);
}

START_TEST(all_forms_are_read) {
  const struct {
    const char *together;
    uint32_t n_sets;
    bool a_b;
    bool a_c;
  } forms[] = {
      {"", 0, false, false},
      {"\"together\": \"share\", ", 0, false, false},
      {"\"together\": \"add\", ", 1, true, true},
      {"\"together\": [], ", 0, false, false},
      {"\"together\": [[\"a\", 1], [\"b\", \"\\u0063\"]], ", 2, true, false},
  };
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "{%s\"parts\": [" PART("a", BUFFERS("4")) ", " PART("b", GRAPH) ", " PART(
            "c", BUFFERS("4")) "], \"shared\": [\"w\"]}",
        forms[i].together);
    struct berth_problem *problem = read_good(text, NULL);
    const struct berth_composed *parts = berth_problem_composed(problem);
    ck_assert_uint_eq(parts->n, 3);
    ck_assert_uint_eq(parts->n_sets, forms[i].n_sets);
    ck_assert_int_eq(berth_composed_at_once(parts, 0, 1), forms[i].a_b);
    ck_assert_int_eq(berth_composed_at_once(parts, 0, 2), forms[i].a_c);
    ck_assert_uint_eq(berth_problem_buffers(problem)->n, 2);
    ck_assert_uint_eq(berth_problem_buffers(problem)->size_bytes[1], 128);
    there_and_back(problem);
    berth_problem_unref(problem);
  }
}
END_TEST

START_TEST(bindings_go_where_the_symbols_are) {
  const char *text = "{\"parts\": [" PART("a", BUFFERS("4")) ", " PART("b", GRAPH) "]}";
  struct berth_binding item = {{"n", 1}, 2, 2};
  struct berth_bindings bindings = {.n = 1, .items = &item};
  struct berth_problem *problem = read_good(text, &bindings);
  ck_assert_uint_eq(berth_problem_buffers(problem)->size_bytes[2], 32);
  berth_problem_unref(problem);
  item.symbol.data = "m";
  ck_assert_ptr_null(try_read(text, &bindings));
  ck_assert_str_eq(err.field, "$.parts");
  ck_assert_ptr_nonnull(strstr(err.message, "no part has the symbol \"m\""));
}
END_TEST

START_TEST(errors_have_a_place) {
  const struct {
    const char *text;
    const char *field;
    const char *message;
    uint32_t column;
  } bad[] = {
      {"{\"parts\": []}", "$.parts", "one part at least", 11},
      {"{\"together\": \"add\", \"buffers\": []}", "$.together", "stands without parts", 14},
      {"{\"parts\": [], \"pools\": []}", "$.pools", "stands beside parts", 24},
      {"{\"parts\": [{}]}", "$.parts[0]", "\"name\" is missing", 12},
      {"{\"parts\": [{\"name\": \"a\"}]}", "$.parts[0]", "\"problem\" is missing", 12},
      {"{\"parts\": [{\"name\": 1, \"problem\": {}}]}", "$.parts[0].name", "a string is right", 21},
      {"{\"parts\": [{\"name\": \"a\", \"problem\": 3}]}", "$.parts[0].problem", "an object is right", 37},
      {"{\"parts\": [{\"name\": \"a\", \"problem\": {\"buffers\": [{\"size\": -1}]}}]}",
       "$.parts[0].problem.buffers[0]", "\"lower\" is missing", 50},
      {"{\"parts\": [" PART("a", "\"parts\": []") "]}", "$.parts[0].problem.parts", "stands in a part", 47},
      {"{\"parts\": [" PART("a", "") ", " PART("a", "") "]}", "$.parts[1]", "same name", 42},
      {"{\"together\": 3, \"parts\": [" PART("a", "") "]}", "$.together", "is not \"share\", \"add\"", 14},
      {"{\"together\": [[\"b\"]], \"parts\": [" PART("a", "") "]}", "$.together[0][0]", "no part", 16},
      {"{\"together\": [[0]], \"parts\": [" PART("a", "") "]}", "$.together[0]", "fewer than two", 15},
      {"{\"shared\": [3], \"parts\": [" PART("a", "") "]}", "$.shared[0]", "a string is right", 13},
      {"{\"shared\": [\"v\"], \"parts\": [" PART("a", "") "]}", "$.shared[0]", "no part has a buffer \"v\"",
       13},
      {"{\"shared\": [\"w\"], \"parts\": [" PART("a", BUFFERS("4")) ", " PART("b", BUFFERS("5")) "]}",
       "$.shared[0]", "has size 4 in part \"a\" and 5 in part \"b\"", 13},
      {"{\"parts\": [" PART("a", "") ", " PART("b", "\"pools\": [{}, {}]") "]}", "$.parts[1]",
       "has 2 pools and part 0 (\"a\") has 1", 42},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    ck_assert_msg(try_read(bad[i].text, NULL) == NULL, "%s", bad[i].text);
    ck_assert_msg(strstr(err.message, bad[i].message) != NULL, "%s: %s", bad[i].text, err.message);
    ck_assert_msg(strcmp(err.field, bad[i].field) == 0, "%s: %s", bad[i].text, err.field);
    ck_assert_msg(err.line == 1 && err.column == bad[i].column, "%s: column %u", bad[i].text, err.column);
  }
}
END_TEST

static enum berth_code
read_and_drop(void *ctx, const struct berth_allocator *allocator, struct berth_error *out_err) {
  struct berth_problem *problem = NULL;
  struct berth_binding item = {{"n", 1}, 2, 3};
  struct berth_bindings bindings = {.n = 1, .items = &item};
  enum berth_code code = berth_json_read_bound(ctx, strlen(ctx), &bindings, allocator, &problem, out_err);
  berth_problem_unref(problem);
  return code;
}

START_TEST(every_allocation_may_fail) {
  char text[] = "{\"together\": [[\"\\u0061\", 1]], \"shared\": [\"\\u0077\"], \"parts\": [" PART(
      "\\u0061", BUFFERS("4")) ", " PART("b", GRAPH) "]}";
  ck_assert_uint_gt(nth_refused("together", read_and_drop, text), 40);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "json/together", (const TTest *const[]){
                           all_forms_are_read, bindings_go_where_the_symbols_are, errors_have_a_place,
                           every_allocation_may_fail, NULL});
}
