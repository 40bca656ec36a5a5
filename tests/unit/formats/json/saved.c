#include "json/saved.h"

#include "nth.h"
#include "support.h"
#include "json/plan.h"

static const char PLAN[] =
    "{\"status\": \"optimal\", \"arena_bytes\": 96, \"new\": {\"x\": [1, 2]}, \"plan_id\": null,\n"
    " \"buffers\": [\n"
    "  {\"id\": \"a\\n\", \"pool\": \"q\\u0041\", \"offset\": 32, \"size\": 64, \"lower\": -1, \"upper\": 4,"
    " \"class\": \"workspace\", \"more\": 1},\n"
    "  {\"id\": null, \"pool\": null, \"offset\": null, \"size\": \"32\", \"lower\": 0, \"upper\": 9,"
    " \"gaps\": [{\"lower\": 1, \"upper\": 2}]},\n"
    "  {\"id\": \"a\\n\", \"pool\": \"r\", \"offset\": 0, \"size\": 0, \"lower\": 0, \"upper\": 1}]}";

static bool is_text(struct berth_text text, const char *word) {
  return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

START_TEST(what_is_known_is_read) {
  struct berth_json_saved saved;
  struct berth_error err = {.code = BERTH_OK};
  enum berth_code code = berth_json_read_saved(PLAN, strlen(PLAN), NULL, &saved, &err);
  ck_assert_msg(code == BERTH_OK, "%u:%u: %s", err.line, err.column, err.message);
  ck_assert(saved.has_arena && saved.arena_bytes == 96 && saved.n_buffers == 3);
  ck_assert(is_text(saved.id[0], "a\n") && is_text(saved.pool[0], "qA"));
  ck_assert(is_text(saved.id[2], "a\n") && is_text(saved.pool[2], "r"));
  ck_assert(saved.id[1].size == 0 && saved.pool[1].size == 0);
  ck_assert(saved.offset[0] == 32 && saved.offset[1] == BERTH_NO_OFFSET);
  const struct berth_buffers *buffers = berth_problem_buffers(saved.problem);
  ck_assert(buffers->size_bytes[0] == 64 && buffers->lower[0] == -1 && buffers->upper[0] == 4);
  ck_assert(buffers->class_[0] == BERTH_CLASS_WORKSPACE && buffers->class_[1] == BERTH_CLASS_TEMPORARY);
  ck_assert(buffers->size_bytes[1] == 32 && buffers->gap_begin[2] - buffers->gap_begin[1] == 1);
  berth_json_saved_finish(&saved);
}
END_TEST

/* What was written is what is read. */
START_TEST(plans_come_back) {
  struct berth_problem *problem =
      read_text("id,lower,upper,size,gaps\n\"x\"\"y\",0,4,10,1-2@0:5\nb,1,3,20,\n");
  struct berth_plan *plan = plan_with(problem, (const uint64_t[]){20, 0});
  struct kept kept;
  struct berth_sink sink = keep_sink(&kept);
  ck_assert_int_eq(
      berth_json_write_plan(&(struct berth_json_plan){.problem = problem, .plan = plan}, sink, NULL),
      BERTH_OK);
  struct berth_json_saved saved;
  ck_assert_int_eq(berth_json_read_saved(kept.bytes, kept.n, NULL, &saved, NULL), BERTH_OK);
  ck_assert(saved.arena_bytes == 30 && saved.n_buffers == 2);
  ck_assert(is_text(saved.id[0], "x\"y") && saved.offset[0] == 20);
  ck_assert(is_text(saved.pool[1], "arena") && saved.offset[1] == 0);
  const struct berth_buffers *buffers = berth_problem_buffers(saved.problem);
  ck_assert(buffers->gaps[0].window_upper == 5 && buffers->gaps[0].lower == 1);
  berth_json_saved_finish(&saved);
  free(kept.bytes);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(added_waits_come_back) {
  struct berth_problem *problem = read_text("id,lower,upper,size\na,0,4,10\n");
  struct berth_plan *plain = plan_with(problem, (const uint64_t[]){0});
  const struct berth_sync syncs[] = {{7, 2}, {9, 4}};
  struct berth_plan *plan = berth_plan_copy(NULL, plain, syncs, 2);
  struct kept kept;
  struct berth_sink sink = keep_sink(&kept);
  plan->sync = (struct berth_sync_result){.is_asked = 1, .cost_bytes = 1, .without_bytes = 40};
  ck_assert_int_eq(
      berth_json_write_plan(&(struct berth_json_plan){.problem = problem, .plan = plan}, sink, NULL),
      BERTH_OK);
  struct berth_json_saved saved;
  ck_assert_int_eq(berth_json_read_saved(kept.bytes, kept.n, NULL, &saved, NULL), BERTH_OK);
  ck_assert_uint_eq(saved.n_syncs, 2);
  ck_assert_mem_eq(saved.syncs, syncs, sizeof syncs);
  berth_json_saved_finish(&saved);
  free(kept.bytes);
  berth_plan_unref(plan);
  berth_plan_unref(plain);
  berth_problem_unref(problem);
  static const char *const BAD[] = {
      "{\"buffers\": [], \"sync\": {\"waits\": [{\"waiter\": 1}]}}",
      "{\"buffers\": [], \"sync\": {\"waits\": [7]}}",
      "{\"buffers\": [], \"sync\": {\"waits\": [{\"waiter\": 1, \"signaller\": -1}]}}",
      "{\"buffers\": [], \"sync\": {\"waits\": {}}}"};
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    struct berth_error err;
    ck_assert_int_ne(berth_json_read_saved(BAD[i], strlen(BAD[i]), NULL, &saved, &err), BERTH_OK);
    ck_assert_msg(strncmp(err.field, "$.sync", 6) == 0, "%s", err.field);
  }
}
END_TEST

START_TEST(an_arena_may_be_missing) {
  static const char *const TEXTS[] = {"{\"buffers\": []}", "{\"arena_bytes\": null, \"buffers\": []}"};
  for (size_t i = 0; i < 2; i++) {
    struct berth_json_saved saved;
    ck_assert_int_eq(berth_json_read_saved(TEXTS[i], strlen(TEXTS[i]), NULL, &saved, NULL), BERTH_OK);
    ck_assert(!saved.has_arena && saved.n_buffers == 0);
    berth_json_saved_finish(&saved);
  }
}
END_TEST

START_TEST(errors_have_a_path) {
  static const struct {
    const char *text;
    const char *path;
    uint32_t column;
  } CASES[] = {
      {"{", "", 2},
      {"{\"arena_bytes\": 1}", "$", 1},
      {"{\"arena_bytes\": -1, \"buffers\": []}", "$.arena_bytes", 17},
      {"{\"buffers\": {}}", "$.buffers", 13},
      {"{\"buffers\": [{\"size\": 1, \"lower\": 0}]}", "$.buffers[0]", 14},
      {"{\"buffers\": [{\"size\": null, \"lower\": 0, \"upper\": 1}]}", "$.buffers[0]", 14},
      {"{\"buffers\": [{\"size\": 1, \"lower\": 3, \"upper\": 1}]}", "$.buffers[0].upper", 47},
      {"{\"buffers\": [{\"size\": 1, \"size\": 1}]}", "$.buffers[0]", 26},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_json_saved saved;
    struct berth_error err = {.code = BERTH_OK};
    ck_assert_int_eq(
        berth_json_read_saved(CASES[i].text, strlen(CASES[i].text), NULL, &saved, &err),
        BERTH_INVALID_ARGUMENT);
    ck_assert_msg(
        strcmp(err.field, CASES[i].path) == 0 && err.line == 1 && err.column == CASES[i].column,
        "%s: %u:%u %s: %s", CASES[i].text, err.line, err.column, err.field, err.message);
  }
}
END_TEST

static enum berth_code
read_and_drop(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  (void)ctx;
  struct berth_json_saved saved;
  enum berth_code code = berth_json_read_saved(PLAN, strlen(PLAN), allocator, &saved, err);
  if (code == BERTH_OK) {
    berth_json_saved_finish(&saved);
  }
  return code;
}

START_TEST(every_allocation_may_fail) {
  ck_assert_uint_gt(nth_refused("saved", read_and_drop, NULL), 5);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "json/saved", (const TTest *const[]){
                        what_is_known_is_read, plans_come_back, added_waits_come_back,
                        an_arena_may_be_missing, errors_have_a_path, every_allocation_may_fail, NULL});
}
