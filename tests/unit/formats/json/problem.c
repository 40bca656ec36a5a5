#include "json/problem.h"

#include <jansson.h>

#include "nth.h"
#include "support.h"
#include "json/scan.h"

/* ---- What is right ---- */

static struct berth_problem *read_json(const char *text) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {.code = BERTH_OK};
  enum berth_code code = berth_json_read_problem(text, strlen(text), NULL, &problem, &err);
  ck_assert_msg(code == BERTH_OK, "%u:%u: %s in %s", err.line, err.column, err.message, text);
  return problem;
}

static const char BUFFERS[] =
    "\xef\xbb\xbf {\"$schema\": \"x\", \"version\": 1,\n"
    " \"conflicts\": [[\"a\", 1], [2, \"b\\u00e9\"]],\n"
    " \"buffers\": [\n"
    "  {\"id\": \"a\", \"size\": \"4611686018427387904\", \"lower\": -3, \"upper\": 7, \"class\": "
    "\"state\"},\n"
    "  {\"i\\u0064\": \"b\\u00e9\", \"size\": 9007199254740993, \"alignment\": 64, \"lower\": 0, \"upper\": "
    "9,\n"
    "   \"pools\": [\"fast\", 0], \"offset\": 128,\n"
    "   \"gaps\": [{\"lower\": 2, \"upper\": 3, \"window\": [0, 64]}, {\"lower\": 4, \"upper\": \"5\"}]},\n"
    "  {\"size\": 0, \"lower\": 0, \"upper\": 0, \"pools\": []}],\n"
    " \"pools\": [{\"name\": \"slow\"}, {\"name\": \"fast\", \"capacity\": 9223372036854775807,\n"
    "   \"alignment\": 32, \"max_block\": 9223372036854775806, \"kind\": \"bytes\"}]}";

START_TEST(buffers_say_everything) {
  struct berth_problem *problem = read_json(BUFFERS);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->n, 3);
  ck_assert_uint_eq(buffers->size_bytes[0], UINT64_C(1) << 62);
  ck_assert_uint_eq(buffers->size_bytes[1], UINT64_C(9007199254740993));
  ck_assert_int_eq(buffers->lower[0], -3);
  ck_assert_int_eq(buffers->upper[0], 7);
  ck_assert_int_eq(buffers->class_[0], BERTH_CLASS_STATE);
  ck_assert_int_eq(buffers->class_[1], BERTH_CLASS_TEMPORARY);
  ck_assert_uint_eq(buffers->alignment[1], 64);
  ck_assert_uint_eq(buffers->pinned_offset[0], BERTH_UNPINNED);
  ck_assert_uint_eq(buffers->pinned_offset[1], 128);
  ck_assert_uint_eq(buffers->gap_begin[2], 2);
  ck_assert_uint_eq(buffers->gaps[0].window_upper, 64);
  ck_assert_int_eq(buffers->gaps[1].upper, 5);
  ck_assert_uint_eq(buffers->gaps[1].window_upper, 0);
  ck_assert_uint_eq(buffers->pool_begin[2] - buffers->pool_begin[1], 2);
  ck_assert_uint_eq(buffers->pools[buffers->pool_begin[1]], 1);
  ck_assert_uint_eq(buffers->n_conflicts, 2);
  ck_assert_uint_eq(buffers->conflicts[1][0], 1);
  ck_assert_uint_eq(buffers->conflicts[1][1], 2);
  struct berth_text id = berth_problem_buffer_id(problem, 1);
  ck_assert(id.size == 3 && memcmp(id.data, "b\xc3\xa9", 3) == 0);
  const struct berth_pools *pools = berth_problem_pools(problem);
  ck_assert_uint_eq(pools->n, 2);
  ck_assert_uint_eq(pools->items[0].capacity_bytes, BERTH_UNLIMITED);
  ck_assert_uint_eq(pools->items[1].capacity_bytes, INT64_MAX);
  ck_assert_uint_eq(pools->items[1].max_block_bytes, INT64_MAX - 1);
  ck_assert_uint_eq(pools->items[1].alignment, 32);
  berth_problem_unref(problem);
}
END_TEST

static const char GRAPH[] =
    "{\"operators\": [\n"
    "  {\"id\": \"load\", \"inputs\": [\"x\", 1], \"outputs\": [\"a\"], \"workspace\": 48, "
    "\"workspace_alignment\": 16},\n"
    "  {\"id\": \"relu\", \"inputs\": [\"a\"], \"outputs\": [\"b\"], \"inplace\": [{\"input\": 0, "
    "\"output\": \"b\"}]},\n"
    "  {\"id\": \"side\", \"inputs\": [\"w\"], \"outputs\": [\"sum\"], \"stream\": 1, \"waits\": [\"load\", "
    "1]},\n"
    "  {\"inputs\": [\"half\", \"sum\"], \"outputs\": [\"y\", \"sum\"], \"waits\": [2]}],\n"
    " \"values\": [\n"
    "  {\"id\": \"x\", \"size\": 100, \"class\": \"input\", \"external\": true, \"donation\": \"may_use\"},\n"
    "  {\"id\": \"w\", \"size\": 10, \"class\": \"constant\", \"alignment\": 8, \"offset\": 0},\n"
    "  {\"id\": \"a\", \"size\": 64, \"pools\": [\"arena\"]},\n"
    "  {\"id\": \"half\", \"size\": 32, \"view_of\": \"b\", \"view_offset\": 32},\n"
    "  {\"id\": \"b\", \"size\": 64, \"held\": false},\n"
    "  {\"id\": \"sum\", \"size\": 4, \"accumulated\": true, \"held\": true},\n"
    "  {\"id\": \"y\", \"size\": 4, \"class\": \"output\"}]}";

START_TEST(graphs_say_everything) {
  struct berth_problem *problem = read_json(GRAPH);
  const struct berth_graph *graph = berth_problem_graph(problem);
  ck_assert_ptr_nonnull(graph);
  ck_assert_uint_eq(graph->n_values, 7);
  ck_assert_uint_eq(graph->n_operators, 4);
  struct berth_value_spec x = berth_problem_value(problem, 0);
  ck_assert(x.external && x.class_ == BERTH_CLASS_INPUT && x.donation == BERTH_DONATION_MAY_USE);
  struct berth_value_spec w = berth_problem_value(problem, 1);
  ck_assert(w.class_ == BERTH_CLASS_CONSTANT && w.alignment == 8 && w.pinned_offset == 0 && !w.external);
  ck_assert_uint_eq(berth_problem_value(problem, 2).n_pools, 0); /* the only one, which is every pool */
  struct berth_value_spec half = berth_problem_value(problem, 3);
  ck_assert(half.view_of == 4 && half.view_offset == 32 && half.size_bytes == 32);
  struct berth_value_spec sum = berth_problem_value(problem, 5);
  ck_assert(sum.accumulated && sum.held);
  ck_assert_uint_eq(berth_problem_buffers(problem)->size_bytes[graph->operator_workspace[0]], 48);
  ck_assert_uint_eq(berth_problem_buffers(problem)->alignment[graph->operator_workspace[0]], 16);
  ck_assert_uint_eq(graph->operator_workspace[1], BERTH_NO_INDEX);
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  ck_assert_uint_eq(permissions->n, 1);
  ck_assert(permissions->items[0].op == 1 && permissions->items[0].operand == 2);
  ck_assert_uint_eq(permissions->items[0].result, 4);
  ck_assert_int_ne(permissions->items[0].answer, BERTH_INPLACE_RESTRICTED);
  ck_assert_uint_eq(graph->operator_stream[2], 1);
  ck_assert_uint_eq(graph->wait_begin[3] - graph->wait_begin[2], 2);
  ck_assert_uint_eq(graph->waits[graph->wait_begin[3]], 2);
  struct berth_text id = berth_problem_operator_id(problem, 2);
  ck_assert(id.size == 4 && memcmp(id.data, "side", 4) == 0);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(results_in_place_can_be_forbidden) {
  struct berth_problem *problem = read_json(
      "{\"forbid_inplace\": true, \"values\": [{\"size\": 8, \"class\": \"input\"}, {\"size\": 8}],"
      "\"operators\": [{\"inputs\": [0], \"outputs\": [1], \"inplace\": [{\"input\": 0, \"output\": 0}]}]}");
  ck_assert_int_eq(berth_problem_permissions(problem)->items[0].answer, BERTH_INPLACE_RESTRICTED);
  struct kept kept;
  ck_assert_int_eq(berth_json_write_problem(problem, keep_sink(&kept), NULL), BERTH_OK);
  ck_assert_ptr_nonnull(strstr(kept.bytes, "\"forbid_inplace\": true"));
  free(kept.bytes);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(nothing_is_a_problem_too) {
  static const char *const TEXTS[] = {"{}", "{\"buffers\":[]}", " {\"values\":[],\"operators\":[]}\n"};
  for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
    struct berth_problem *problem = read_json(TEXTS[i]);
    ck_assert_uint_eq(berth_problem_buffers(problem)->n, 0);
    ck_assert_uint_eq(berth_problem_pools(problem)->n, 1);
    berth_problem_unref(problem);
  }
}
END_TEST

START_TEST(content_tells_json_from_csv) {
  ck_assert(berth_json_is_object("{", 1));
  ck_assert(berth_json_is_object("\xef\xbb\xbf\r\n\t {}", 9));
  ck_assert(!berth_json_is_object("id,lower,upper,size\n", 20));
  ck_assert(!berth_json_is_object("", 0));
  ck_assert(!berth_json_is_object("  [", 3));
}
END_TEST

/* ---- What is wrong ---- */

struct wrong {
  const char *text;
  uint32_t line;
  uint32_t column;
  const char *path; /* "" for syntax */
  enum berth_reason reason;
  const char *word;
};

static void refuse(const struct wrong *wrong) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {.code = BERTH_OK};
  enum berth_code code = berth_json_read_problem(wrong->text, strlen(wrong->text), NULL, &problem, &err);
  ck_assert_msg(code != BERTH_OK, "%s was not refused", wrong->text);
  ck_assert_ptr_null(problem);
  ck_assert_int_eq(err.code, code);
  ck_assert_msg(
      err.line == wrong->line && err.column == wrong->column && strcmp(err.field, wrong->path) == 0 &&
          err.reason == wrong->reason && strstr(err.message, wrong->word) != NULL,
      "%s\n  at %u:%u, path '%s', reason %s: %s", wrong->text, err.line, err.column, err.field,
      berth_reason_name(err.reason), err.message);
}

START_TEST(syntax_has_a_place) {
  static const struct wrong CASES[] = {
      {"", 1, 1, "", BERTH_REASON_MALFORMED, "a value is missing"},
      {"{", 1, 2, "", BERTH_REASON_MALFORMED, "key"},
      {"{\n  \"a\" 1}", 2, 7, "", BERTH_REASON_MALFORMED, "colon"},
      {"{\"a\": }", 1, 7, "", BERTH_REASON_MALFORMED, "a value is missing"},
      {"{\"a\": 1,}", 1, 9, "", BERTH_REASON_MALFORMED, "key"},
      {"{\"a\": [1 2]}", 1, 10, "", BERTH_REASON_MALFORMED, "a comma or ] is missing"},
      {"{\"a\": [1,]}", 1, 10, "", BERTH_REASON_MALFORMED, "a value is missing"},
      {"{\"a\": 1", 1, 8, "", BERTH_REASON_MALFORMED, "a comma or } is missing here; the text ends here"},
      {"{\"a\": 01}", 1, 7, "", BERTH_REASON_MALFORMED, "begin with 0"},
      {"{\"a\": -}", 1, 7, "", BERTH_REASON_MALFORMED, "digits"},
      {"{\"a\": 1.}", 1, 9, "", BERTH_REASON_MALFORMED, "fraction"},
      {"{\"a\": 1e+}", 1, 10, "", BERTH_REASON_MALFORMED, "exponent"},
      {"{\"a\": nul}", 1, 7, "", BERTH_REASON_MALFORMED, "a value is missing"},
      {"{\"a\": \"x}", 1, 7, "", BERTH_REASON_MALFORMED, "has no end"},
      {"{\"a\": \"\t\"}", 1, 8, "", BERTH_REASON_MALFORMED, "control character"},
      {"{\"a\": \"\\x\"}", 1, 8, "", BERTH_REASON_MALFORMED, "escape"},
      {"{\"a\": \"\\u12g4\"}", 1, 8, "", BERTH_REASON_MALFORMED, "hexadecimal"},
      {"{\"a\": \"\\ud800\"}", 1, 8, "", BERTH_REASON_MALFORMED, "surrogate"},
      {"{\"a\": \"\\udc00\"}", 1, 8, "", BERTH_REASON_MALFORMED, "surrogate"},
      {"{\"a\": \"\xff\"}", 1, 8, "", BERTH_REASON_MALFORMED, "UTF-8"},
      {"{} {}", 1, 4, "", BERTH_REASON_MALFORMED, "more behind"},
      {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 1, 33, "", BERTH_REASON_LIMIT_EXCEEDED, "32 levels"},
      {"[]", 1, 1, "$", BERTH_REASON_MALFORMED, "an object is right"},
      {"7", 1, 1, "$", BERTH_REASON_MALFORMED, "an object is right"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    refuse(&CASES[i]);
  }
}
END_TEST

#define B(rest) "{\"buffers\": [{\"size\": 8, \"lower\": 0, \"upper\": 1" rest
START_TEST(buffers_are_blamed_by_path) {
  static const struct wrong CASES[] = {
      {"{\"bufferz\": []}", 1, 2, "$", BERTH_REASON_UNKNOWN_FIELD, "no field \"bufferz\""},
      {"{\"buffers\": {}}", 1, 13, "$.buffers", BERTH_REASON_MALFORMED, "an array of objects is right"},
      {"{\"groups\": {}}", 1, 12, "$.groups", BERTH_REASON_MALFORMED, "an array of objects is right"},
      {"{\"conflicts\": {}}", 1, 15, "$.conflicts", BERTH_REASON_MALFORMED,
       "an array of pairs of buffers is right"},
      {"{\"buffers\": [7]}", 1, 14, "$.buffers[0]", BERTH_REASON_MALFORMED, "is 7; an object is right"},
      {"{\"buffers\": [], \"buffers\": []}", 1, 17, "$", BERTH_REASON_MALFORMED, "twice"},
      {"{\"version\": 2}", 1, 13, "$.version", BERTH_REASON_BAD_NUMBER, "knows version 1"},
      {"{\"$schema\": 2}", 1, 13, "$.$schema", BERTH_REASON_BAD_TEXT, "a string is right"},
      {"{\"buffers\": [{\"lower\": 0, \"upper\": 1}]}", 1, 14, "$.buffers[0]", BERTH_REASON_MISSING_FIELD,
       "\"size\" is missing"},
      {"{\"buffers\": [{\"size\": 1, \"upper\": 1}]}", 1, 14, "$.buffers[0]", BERTH_REASON_MISSING_FIELD,
       "\"lower\" is missing"},
      {B(", \"extent\": 3}]}"), 1, 50, "$.buffers[0]", BERTH_REASON_UNKNOWN_FIELD, "extent"},
      {B(", \"size\": 3}]}"), 1, 50, "$.buffers[0]", BERTH_REASON_MALFORMED, "\"size\" is there twice"},
      {B(",\n\"alignment\": 3}]}"), 2, 14, "$.buffers[0].alignment", BERTH_REASON_BAD_ALIGNMENT,
       "power of two"},
      {B(", \"alignment\": 1.5}]}"), 1, 63, "$.buffers[0].alignment", BERTH_REASON_BAD_NUMBER, "whole"},
      {B(", \"alignment\": 1e3}]}"), 1, 63, "$.buffers[0].alignment", BERTH_REASON_BAD_NUMBER, "exponent"},
      {B(", \"alignment\": -4}]}"), 1, 63, "$.buffers[0].alignment", BERTH_REASON_BAD_NUMBER, "from 0 on"},
      {B(", \"alignment\": 18446744073709551616}]}"), 1, 63, "$.buffers[0].alignment",
       BERTH_REASON_BAD_NUMBER, "64 bits"},
      {B(", \"alignment\": \"0x10\"}]}"), 1, 63, "$.buffers[0].alignment", BERTH_REASON_BAD_NUMBER, "digits"},
      {B(", \"alignment\": \"\"}]}"), 1, 63, "$.buffers[0].alignment", BERTH_REASON_BAD_NUMBER, "digits"},
      {B(", \"alignment\": null}]}"), 1, 63, "$.buffers[0].alignment", BERTH_REASON_BAD_NUMBER, "is null"},
      {B(", \"class\": \"temp\"}]}"), 1, 59, "$.buffers[0].class", BERTH_REASON_BAD_NUMBER,
       "one of temporary, "},
      {B(", \"id\": 7}]}"), 1, 56, "$.buffers[0].id", BERTH_REASON_BAD_TEXT, "a string is right"},
      {B(", \"id\": \"\\u0000\"}]}"), 1, 56, "$.buffers[0].id", BERTH_REASON_BAD_TEXT, "NUL"},
      {B(", \"offset\": \"18446744073709551615\"}]}"), 1, 60, "$.buffers[0].offset", BERTH_REASON_BAD_PIN,
       "2^63"},
      {B(", \"pools\": [\"arena\", 1]}]}"), 1, 69, "$.buffers[0].pools[1]", BERTH_REASON_UNKNOWN_ID,
       "there are 1"},
      {B(", \"pools\": [\"hbm\"]}]}"), 1, 60, "$.buffers[0].pools[0]", BERTH_REASON_UNKNOWN_ID, "no pool"},
      {B(", \"pools\": [0, 0]}]}"), 1, 59, "$.buffers[0].pools", BERTH_REASON_BAD_POOL, "twice"},
      {B(", \"pools\": [true]}]}"), 1, 60, "$.buffers[0].pools[0]", BERTH_REASON_UNKNOWN_ID,
       "is true; the name"},
      {B(", \"gaps\": [{\"lower\": 0}]}]}"), 1, 59, "$.buffers[0].gaps[0]", BERTH_REASON_MISSING_FIELD,
       "upper"},
      {B(", \"gaps\": [{\"lower\": 0, \"upper\": 9}]}]}"), 1, 58, "$.buffers[0].gaps", BERTH_REASON_BAD_GAP,
       "9"},
      {B(", \"gaps\": [{\"lower\": 0, \"upper\": 1, \"window\": [0]}]}]}"), 1, 94,
       "$.buffers[0].gaps[0].window", BERTH_REASON_BAD_GAP, "two numbers"},
      {B(", \"gaps\": [{\"lower\": 0, \"upper\": 1, \"window\": [0, 1, 2]}]}]}"), 1, 94,
       "$.buffers[0].gaps[0].window", BERTH_REASON_BAD_GAP, "two numbers"},
      {B(", \"gaps\": [{\"lower\": 0, \"upper\": 1, \"window\": [0, \"x\"]}]}]}"), 1, 98,
       "$.buffers[0].gaps[0].window[1]", BERTH_REASON_BAD_NUMBER, "whole"},
      {B(", \"id\": \"a\"}, {\"size\": 8, \"lower\": 0, \"upper\": 1, \"id\": \"a\"}]}"), 1, 104,
       "$.buffers[1].id", BERTH_REASON_DUPLICATE_ID, "same id"},
      {B("}], \"conflicts\": [[0]]}"), 1, 66, "$.conflicts[0]", BERTH_REASON_MALFORMED, "two buffers"},
      {B("}], \"conflicts\": [[0, 0, 0]]}"), 1, 66, "$.conflicts[0]", BERTH_REASON_MALFORMED, "two buffers"},
      {B("}], \"conflicts\": [[0, 0]]}"), 1, 66, "$.conflicts[0]", BERTH_REASON_MALFORMED, "itself"},
      {B("}], \"conflicts\": [[0, \"z\"]]}"), 1, 70, "$.conflicts[0][1]", BERTH_REASON_UNKNOWN_ID, "\"z\""},
      {"{\"pools\": [{\"capacity\": 0}]}", 1, 25, "$.pools[0].capacity", BERTH_REASON_BAD_POOL, "nothing"},
      {"{\"pools\": [{\"kind\": \"pages\"}]}", 1, 21, "$.pools[0].kind", BERTH_REASON_BAD_NUMBER,
       "bytes and slots"},
      {"{\"pools\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", 1, 36, "$.pools[1].name",
       BERTH_REASON_DUPLICATE_ID, "same name"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    refuse(&CASES[i]);
  }
}
END_TEST

#define V(values, operators)                                                                                 \
  "{\"values\": [{\"id\": \"x\", \"size\": 8, \"class\": \"input\"}" values "],\n\"operators\": [" operators \
  "]}"
START_TEST(graphs_are_blamed_by_path) {
  static const struct wrong CASES[] = {
      {"{\"buffers\": [], \"values\": []}", 1, 27, "$.values", BERTH_REASON_MALFORMED, "never both"},
      {V(", {\"size\": 8, \"lower\": 1}", ""), 1, 67, "$.values[1]", BERTH_REASON_UNKNOWN_FIELD, "lower"},
      {V(", {\"size\": 8, \"view_offset\": 1}", ""), 1, 82, "$.values[1]", BERTH_REASON_BAD_VIEW, "view_of"},
      {V(", {\"size\": 8, \"view_of\": \"q\"}", ""), 1, 78, "$.values[1].view_of", BERTH_REASON_UNKNOWN_ID,
       "\"q\""},
      {V(", {\"size\": 8, \"view_of\": 1}", ""), 1, 78, "$.values[1].view_of", BERTH_REASON_BAD_VIEW,
       "itself"},
      {V(", {\"size\": 9, \"view_of\": 0}", ""), 1, 55, "$.values[1]", BERTH_REASON_BAD_VIEW, ""},
      {V(", {\"size\": 8, \"held\": 1}", ""), 1, 75, "$.values[1].held", BERTH_REASON_MALFORMED,
       "true or false"},
      {V(", {\"size\": 8, \"class\": \"workspace\"}", ""), 1, 76, "$.values[1].class",
       BERTH_REASON_BAD_NUMBER, "workspace"},
      {V(", {\"size\": 8, \"class\": \"constant\", \"donation\": \"may_use\"}", ""), 1, 100,
       "$.values[1].donation", BERTH_REASON_BAD_DONATION, "constant"},
      {V(", {\"size\": 8}", ""), 1, 55, "$.values[1]", BERTH_REASON_BAD_ORDER, "no operator writes it"},
      {V("", "{\"inputs\": [\"x\", \"y\"]}"), 2, 32, "$.operators[0].inputs[1]", BERTH_REASON_UNKNOWN_ID,
       "no value"},
      {V("", "{\"inputs\": [1]}"), 2, 27, "$.operators[0].inputs[0]", BERTH_REASON_UNKNOWN_ID, "there are 1"},
      {V("", "{\"inputs\": [0], \"outputs\": [0]}"), 2, 42, "$.operators[0].outputs", BERTH_REASON_BAD_ORDER,
       "an input"},
      {V("", "{}, {\"waits\": [1]}"), 2, 29, "$.operators[1].waits", BERTH_REASON_BAD_ORDER, "before"},
      {V("", "{\"waits\": [\"op\"]}"), 2, 26, "$.operators[0].waits[0]", BERTH_REASON_UNKNOWN_ID,
       "no operator"},
      {V("", "{\"stream\": 5000000000}"), 2, 26, "$.operators[0].stream", BERTH_REASON_LIMIT_EXCEEDED,
       "2^32"},
      {V("", "{}], \"syncs\": [{\"waiter\": 0}"), 2, 30, "$.syncs[0]", BERTH_REASON_MISSING_FIELD,
       "signaller"},
      {V("", "{}], \"syncs\": [{\"waiter\": \"z\", \"signaller\": 0}"), 2, 41, "$.syncs[0].waiter",
       BERTH_REASON_UNKNOWN_ID, "no operator"},
      {V("", "{}, {\"stream\": 1}], \"syncs\": [{\"waiter\": 0, \"signaller\": 1}"), 2, 72,
       "$.syncs[0].signaller", BERTH_REASON_BAD_ORDER, "does not come before"},
      {V("", "{\"stream\": 1024}"), 2, 26, "$.operators[0].stream", BERTH_REASON_LIMIT_EXCEEDED, "1024"},
      {V("", "{}], \"regions\": [{\"kind\": \"loop\", \"first_operator\": 0}"), 2, 32, "$.regions[0]",
       BERTH_REASON_MISSING_FIELD, "n_operators"},
      {V("", "{}], \"regions\": [{\"kind\": \"loop\", \"first_operator\": \"z\", \"n_operators\": 1}"), 2, 67,
       "$.regions[0].first_operator", BERTH_REASON_UNKNOWN_ID, "no operator"},
      {V("", "{}], \"regions\": [{\"kind\": \"while\", \"first_operator\": 0, \"n_operators\": 1}"), 2, 41,
       "$.regions[0].kind", BERTH_REASON_BAD_NUMBER, "loop, choice"},
      {V("", "{}], \"regions\": [{\"kind\": \"loop\", \"first_operator\": 0, \"n_operators\": 2}"), 2, 67,
       "$.regions[0].first_operator", BERTH_REASON_BAD_REGION, "not within"},
      {V("", "{}], \"regions\": [{\"kind\": \"branch\", \"first_operator\": 0, \"n_operators\": 1}"), 2, 32,
       "$.regions[0]", BERTH_REASON_BAD_REGION, "choice"},
      {V("", "{\"workspace_alignment\": 3}"), 2, 39, "$.operators[0].workspace_alignment",
       BERTH_REASON_BAD_ALIGNMENT, "power of two"},
      {V("", "{\"inplace\": [{\"input\": 0}]}"), 2, 38, "$.operators[0].inplace[0].input",
       BERTH_REASON_UNKNOWN_ID, ""},
      {V(", {\"id\": \"y\", \"size\": 8}",
         "{\"inputs\": [0], \"outputs\": [1], \"inplace\": [{\"input\": \"y\", \"output\": 0}]}"),
       2, 69, "$.operators[0].inplace[0].input", BERTH_REASON_UNKNOWN_ID, "none of the inputs"},
      {V(", {\"id\": \"y\", \"size\": 8}",
         "{\"inputs\": [0], \"outputs\": [1], \"inplace\": [{\"input\": 0, \"output\": 1}]}"),
       2, 82, "$.operators[0].inplace[0].output", BERTH_REASON_UNKNOWN_ID, "has 1 outputs"},
      {V(", {\"id\": \"y\", \"size\": 8}",
         "{\"inputs\": [0], \"outputs\": [1], \"inplace\": [{\"input\": 0, \"output\": 0, \"inside_at\": 1, "
         "\"behind_by\": 2}]}"),
       2, 114, "$.operators[0].inplace[0]", BERTH_REASON_MALFORMED, "both"},
      {V(", {\"id\": \"y\", \"size\": 8}", "{\"inputs\": [0], \"outputs\": [1], \"inplace\": [{\"input\": 0, "
                                           "\"output\": 0, \"inside_at\": -1}]}"),
       2, 98, "$.operators[0].inplace[0].inside_at", BERTH_REASON_BAD_NUMBER, ""},
      {V(", {\"size\": 8, \"view_of\": 0, \"live_windows\": true}", ""), 1, 97, "$.values[1].live_windows",
       BERTH_REASON_BAD_VIEW, "root's"},
      {V(", {\"id\": \"y\", \"size\": 8}", "{\"id\": \"o\", \"outputs\": [1]}, {\"id\": \"o\"}"), 2, 51,
       "$.operators[1].id", BERTH_REASON_DUPLICATE_ID, "same id"},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    refuse(&CASES[i]);
  }
}
END_TEST

/* What the check accepts is what another parser does. */
START_TEST(syntax_agrees_with_jansson) {
  static const char *const TEXTS[] = {
      "{}",
      "[]",
      "[1,2]",
      "[1 ,2 ]",
      "[-0]",
      "[1.5e-3]",
      "[1E+3]",
      "[.5]",
      "[+1]",
      "[1.e1]",
      "[\"\\/\"]",
      "[\"/\"]",
      "[\"\\u00e9\"]",
      "[\"\\ud83d\\ude00\"]",
      "[\"\\ud83d\\u0041\"]",
      "[\"\\ud83d\"]",
      "[\"\xc3\xa9\"]",
      "[\"\xc0\x80\"]",
      "[\"\xed\xa0\x80\"]",
      "[\"\xf4\x90\x80\x80\"]",
      "[true,false,null]",
      "[tru]",
      "[truex]",
      "[nan]",
      "[1]x",
      "[",
      "]",
      "[[]",
      "[{]}",
      "{\"a\":1}",
      "{\"a\":1,}",
      "{a:1}",
      "{'a':1}",
      "{\"a\"}",
      "{\"a\":}",
      "{\"a\":1 \"b\":2}",
      "{,}",
      "[,]",
      "[1,,2]",
      "[00]",
      "[-]",
      "[--1]",
      "[1e]",
      "[1e5]",
      "[\"\x7f\"]",
      "[\"\x1f\"]",
      "\t\r\n [ ] \n",
      "[]\f",
  };
  for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
    const char *value;
    json_t *theirs = json_loads(TEXTS[i], 0, NULL);
    bool ours = berth_json_scan_check(TEXTS[i], strlen(TEXTS[i]), &value, NULL) == BERTH_OK;
    ck_assert_msg(ours == (theirs != NULL), "%s", TEXTS[i]);
    json_decref(theirs);
  }
}
END_TEST

static enum berth_code
read_and_drop(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  struct berth_problem *problem = NULL;
  enum berth_code code = berth_json_read_problem(ctx, strlen(ctx), allocator, &problem, err);
  berth_problem_unref(problem);
  return code;
}

START_TEST(every_allocation_may_fail) {
  char text[2048];
  memcpy(text, BUFFERS, sizeof BUFFERS);
  ck_assert_uint_gt(nth_refused("buffers", read_and_drop, text), 10);
  memcpy(text, GRAPH, sizeof GRAPH);
  ck_assert_uint_gt(nth_refused("graph", read_and_drop, text), 20);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "json/problem", (const TTest *const[]){
                          buffers_say_everything, graphs_say_everything, results_in_place_can_be_forbidden,
                          nothing_is_a_problem_too, content_tells_json_from_csv, syntax_has_a_place,
                          buffers_are_blamed_by_path, graphs_are_blamed_by_path, syntax_agrees_with_jansson,
                          every_allocation_may_fail, NULL});
}
