/* Problem -> JSON -> problem is the same problem: by the canonical form, by its names, and by its text. */
#include <dirent.h>
#include <stdio.h>

#include "berth/canonical.h"
#include "berth/restate.h"
#include "campaign.h"
#include "graph.h"
#include "sample.h"
#include "support.h"
#include "json/problem.h"

enum { PROBLEMS = 3000 };

static void keep_canonical(void *ctx, const void *bytes, size_t n_bytes) {
  ck_assert(keep_bytes(ctx, bytes, n_bytes));
}

static struct kept canonical(const struct berth_problem *problem) {
  struct kept kept = {.n = 0};
  uint32_t *order = malloc((berth_problem_buffers(problem)->n + (size_t)1) * sizeof *order);
  ck_assert_ptr_nonnull(order);
  ck_assert_int_eq(berth_problem_canonical_order(problem, NULL, order, NULL), BERTH_OK);
  ck_assert_int_eq(
      berth_problem_canonical_encode(problem, order, NULL, &kept, keep_canonical, NULL), BERTH_OK);
  free(order);
  return kept;
}

static struct kept text_of(const struct berth_problem *problem) {
  struct kept kept;
  ck_assert_int_eq(berth_json_write_problem(problem, keep_sink(&kept), NULL), BERTH_OK);
  return kept;
}

static void expect_equal(const struct kept *a, const struct kept *b, const char *what) {
  ck_assert_msg(a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0, "%s:\n%s", what, a->bytes);
}

static struct berth_problem *restate(const struct berth_problem *problem, bool forbid_inplace) {
  const struct berth_restatement as = {.forbid_inplace = forbid_inplace};
  struct berth_problem *again = NULL;
  struct berth_error err = {.code = BERTH_OK};
  enum berth_code code = berth_problem_restate(problem, &as, NULL, &again, &err);
  ck_assert_msg(
      code == BERTH_OK || (forbid_inplace && err.reason == BERTH_REASON_BAD_DONATION), "%s", err.message);
  return again;
}

/* A problem that is stated once more says the same, and the same without results in place as its text does.
 */
static void
check_restated(const struct berth_problem *problem, const struct kept *text, const struct kept *form) {
  struct berth_problem *same = restate(problem, false);
  struct kept same_text = text_of(same);
  struct kept same_form = canonical(same);
  expect_equal(text, &same_text, "restated text");
  expect_equal(form, &same_form, "restated canonical form");
  struct berth_problem *without = restate(problem, true);
  struct berth_problem *read = NULL;
  enum berth_code code = berth_json_read_without_inplace(text->bytes, text->n, NULL, NULL, &read, NULL);
  ck_assert_int_eq(code == BERTH_OK, without != NULL);
  if (without != NULL) {
    struct kept forms[2] = {canonical(without), canonical(read)};
    expect_equal(&forms[0], &forms[1], "canonical form without results in place");
    free(forms[0].bytes);
    free(forms[1].bytes);
  }
  free(same_text.bytes);
  free(same_form.bytes);
  berth_problem_unref(same);
  berth_problem_unref(without);
  berth_problem_unref(read);
}

/* Consumes the problem. */
static void check(struct berth_problem *problem) {
  struct kept text = text_of(problem);
  struct kept form = canonical(problem);
  struct berth_problem *again = NULL;
  struct berth_error err = {.code = BERTH_OK};
  enum berth_code code = berth_json_read_problem(text.bytes, text.n, NULL, &again, &err);
  ck_assert_msg(code == BERTH_OK, "%u:%u: %s\n%s", err.line, err.column, err.message, text.bytes);
  struct kept text_again = text_of(again);
  struct kept form_again = canonical(again);
  expect_equal(&text, &text_again, "text");
  expect_equal(&form, &form_again, "canonical form");
  for (uint32_t i = 0; i < berth_problem_buffers(problem)->n; i++) {
    struct berth_text a = berth_problem_buffer_id(problem, i);
    struct berth_text b = berth_problem_buffer_id(again, i);
    ck_assert(a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0));
  }
  const struct berth_permissions *before = berth_problem_permissions(problem);
  const struct berth_permissions *after = berth_problem_permissions(again);
  ck_assert_uint_eq(before->n, after->n);
  for (uint32_t i = 0; i < before->n; i++) {
    ck_assert(
        before->items[i].op == after->items[i].op && before->items[i].operand == after->items[i].operand &&
        before->items[i].result == after->items[i].result &&
        before->items[i].answer == after->items[i].answer);
  }
  check_restated(problem, &text, &form);
  free(text.bytes);
  free(form.bytes);
  free(text_again.bytes);
  free(form_again.bytes);
  berth_problem_unref(problem);
  berth_problem_unref(again);
}

START_TEST(random_buffers) {
  const uint32_t ALL = SAMPLE_ALIGNED | SAMPLE_PINNED | SAMPLE_GAPS | SAMPLE_CONFLICTS | SAMPLE_POOLS |
                       SAMPLE_ZEROS | SAMPLE_SLOTS | SAMPLE_TERMS | SAMPLE_FRONT | SAMPLE_GROUPS;
  struct campaign campaign = campaign_plan(PROBLEMS);
  struct sample sample;
  sample_init(&sample);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    sample_generate_any(&sample, &rng, 1, 20, (uint32_t)berth_rng_below(&rng, ALL + 1));
    check(sample_build(&sample, NULL));
  }
  sample_finish(&sample);
}
END_TEST

START_TEST(random_graphs) {
  const uint32_t ALL = GRAPH_PINS | GRAPH_EVERYTHING;
  struct campaign campaign = campaign_plan(PROBLEMS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    struct graph graph;
    struct berth_problem *problem = NULL;
    graph_generate(&graph, &rng, 12, (uint32_t)berth_rng_below(&rng, ALL + 1));
    if (graph_try_build(&graph, NULL, &problem, NULL) == BERTH_OK) { /* pins may contradict each other */
      check(problem);
    }
  }
}
END_TEST

static struct berth_problem *read_json(const char *text) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {.code = BERTH_OK};
  enum berth_code code = berth_json_read_problem(text, strlen(text), NULL, &problem, &err);
  ck_assert_msg(code == BERTH_OK, "%u:%u: %s", err.line, err.column, err.message);
  return problem;
}

/* What the generators do not make: names of all kinds, streams, donations, extremes. */
START_TEST(by_hand) {
  static const char *const TEXTS[] = {
      "{\"buffers\": [{\"id\": \"\\\"\\\\\\n\\u0001\\ud83d\\ude00\", \"size\": 9223372036854775807,"
      "\"lower\": -9223372036854775808, \"upper\": 9223372036854775807}]}",
      "{\"buffers\": [{\"size\": 1, \"lower\": 0, \"upper\": 2, \"gaps\": [{\"lower\": 0, \"upper\": 1}]},"
      "{\"id\": \"1\", \"size\": 1, \"lower\": 5, \"upper\": 6}], \"conflicts\": [[0, \"1\"]]}",
      "{\"buffers\": [{\"size\": 1, \"lower\": [0, 0], \"upper\": [1, 0]},"
      "{\"size\": 1, \"lower\": [0, 3], \"upper\": [0, 3]}], \"conflicts\": [[0, 1]]}",
      "{\"values\": [{\"id\": \"x\", \"size\": 8, \"class\": \"input\", \"external\": true,"
      "\"donation\": \"must_use\"}, {\"size\": 8, \"class\": \"output\"}], \"operators\": [{\"id\": \"o\","
      "\"inputs\": [\"x\"], \"outputs\": [1], \"inplace\": [{\"input\": \"x\", \"output\": 0}]}]}",
      "{\"values\": [{\"id\": \"s\", \"size\": 8, \"live_windows\": true}, {\"size\": 16}, {\"size\": 16}],"
      "\"operators\": [{\"outputs\": [0]}, {\"inputs\": [0], \"outputs\": [1], \"inplace\": [{\"input\": "
      "\"s\","
      "\"output\": 0, \"inside_at\": 8}]}, {\"inputs\": [1], \"outputs\": [2], \"inplace\": [{\"input\": 0,"
      "\"output\": 0, \"behind_by\": \"3\"}]}]}",
      "{\"values\": [{\"size\": 8}, {\"size\": 8, \"class\": \"state\"}], \"operators\": [{\"outputs\": [0],"
      "\"stream\": 3}, {\"id\": \"b\", \"inputs\": [0], \"outputs\": [1], \"waits\": [0]}, {\"inputs\": [1],"
      "\"stream\": 1, \"waits\": [\"b\"], \"workspace\": 7, \"workspace_alignment\": 32}]}",
      "{\"values\": [{\"id\": \"x\", \"size\": 512, \"class\": \"input\"},{\"id\": \"state\", "
      "\"size\": 256, \"class\": \"state\"},{\"id\": \"gate\", \"size\": 64},{\"id\": \"small\""
      ", \"size\": 128},{\"id\": \"large\", \"size\": 512},{\"id\": \"y\", \"size\": 256, \"cla"
      "ss\": \"output\"}],\"operators\": [{\"id\": \"gate\", \"inputs\": [\"x\", \"state\"], \""
      "outputs\": [\"gate\"]},{\"id\": \"step\", \"inputs\": [\"gate\"], \"outputs\": [\"state"
      "\"]},{\"id\": \"cheap\", \"inputs\": [\"state\"], \"outputs\": [\"small\"]},{\"id\": \"d"
      "ear\", \"inputs\": [\"state\"], \"outputs\": [\"large\"]},{\"id\": \"end\", \"inputs\": "
      "[\"state\"], \"outputs\": [\"y\"]}],\"regions\": [{\"kind\": \"loop\", \"first_operator"
      "\": \"gate\", \"n_operators\": 2, \"min_trips\": 0, \"carries\": [\"state\"]},{\"kind\":"
      " \"choice\", \"first_operator\": \"cheap\", \"n_operators\": 2},{\"kind\": \"branch\", "
      "\"parent\": 1, \"first_operator\": \"cheap\", \"n_operators\": 1},{\"kind\": \"branch\","
      " \"parent\": 1, \"first_operator\": 3, \"n_operators\": 1}]}",
      "{\"pools\": [{\"kind\": \"slots\", \"capacity\": 64}, {\"name\": \"q\", \"alignment\": 4,"
      "\"max_block\": 5}], \"buffers\": [{\"size\": 1, \"lower\": 0, \"upper\": 1, \"pools\": [\"q\", 0]}]}",
  };
  for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
    check(read_json(TEXTS[i]));
  }
}
END_TEST

/* Each feature has an example, also those that the generators do not make. */
START_TEST(every_example) {
  static char text[1 << 16];
  uint32_t n = 0;
  DIR *examples = opendir(EXAMPLES);
  ck_assert_ptr_nonnull(examples);
  for (struct dirent *entry; (entry = readdir(examples)) != NULL;) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", EXAMPLES, entry->d_name);
    if (strstr(entry->d_name, ".json") == NULL) {
      continue;
    }
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = '\0';
    fclose(file);
    check(read_json(text));
    n++;
  }
  closedir(examples);
  ck_assert_uint_gt(n, 20);
}
END_TEST

static bool refuse_bytes(void *ctx, const char *bytes, size_t n_bytes) {
  (void)ctx;
  (void)bytes;
  (void)n_bytes;
  return false;
}

START_TEST(a_sink_that_fails_is_noticed) {
  struct berth_problem *problem = read_json("{}");
  struct berth_error err = {.code = BERTH_OK};
  ck_assert_int_eq(
      berth_json_write_problem(problem, (struct berth_sink){.write = refuse_bytes}, &err), BERTH_DATA_LOSS);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "json/round_trip",
      (const TTest *const[]){
          random_buffers, random_graphs, by_hand, every_example, a_sink_that_fails_is_noticed, NULL});
}
