/* diff, and check: a diff whose arena must not have grown. */
#include <stdlib.h>
#include <string.h>

#include "verbs/compare.h"
#include "verbs/internal.h"

/* A plan as it was saved; the document is what it lies in. */
struct document {
  struct berthctl_input input;
  struct berth_json_saved saved;
};

static void finish_document(struct document *document) {
  if (document->saved.allocator != NULL) {
    berth_json_saved_finish(&document->saved);
  }
  berthctl_input_finish(&document->input);
}

static enum berthctl_exit
load_document(const struct berthctl_terminal *terminal, const char *path, struct document *document) {
  struct berth_error err = {.code = BERTH_OK};
  enum berth_code code = berthctl_input_read(path, &document->input, &err);
  if (code == BERTH_OK) {
    code =
        berth_json_read_saved(document->input.bytes, document->input.n_bytes, NULL, &document->saved, &err);
  }
  return code == BERTH_OK ? BERTHCTL_EXIT_OK : berthctl_error_say(terminal, path, &err);
}

static const char *shown_name(const char *path) {
  return strcmp(path, "-") == 0 ? "standard input" : path;
}

struct berth_report_side berthctl_saved_side(const struct berth_json_saved *saved) {
  return (struct berth_report_side){
      .problem = saved->problem, .id = saved->id, .offset = saved->offset, .pool_name = saved->pool};
}

static enum berth_code compare(
    const struct document documents[2], struct berthctl_comparison *out_comparison, struct berth_error *err) {
  const struct berth_report_side before = berthctl_saved_side(&documents[0].saved);
  const struct berth_report_side after = berthctl_saved_side(&documents[1].saved);
  out_comparison->before = &documents[0].saved;
  out_comparison->after = &documents[1].saved;
  return berth_report_compare(&before, &after, NULL, &out_comparison->what, err);
}

static enum berthctl_exit say(const struct berthctl_terminal *terminal, const struct berth_error *err) {
  return berthctl_error_say(terminal, NULL, err);
}

enum berthctl_exit
berthctl_verb_diff(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  struct document documents[2] = {{.input = {.n_bytes = 0}}, {.input = {.n_bytes = 0}}};
  struct berthctl_comparison comparison = {.before = NULL};
  struct berth_error err = {.code = BERTH_OK};
  enum berthctl_exit status = load_document(terminal, options->arguments[0], &documents[0]);
  if (status == BERTHCTL_EXIT_OK) {
    status = load_document(terminal, options->arguments[1], &documents[1]);
  }
  if (status == BERTHCTL_EXIT_OK && compare(documents, &comparison, &err) != BERTH_OK) {
    status = say(terminal, &err);
  }
  if (status == BERTHCTL_EXIT_OK && options->is_set[BERTHCTL_OPTION_JSON]) {
    struct berthctl_object object;
    berthctl_object_open(&object);
    berthctl_comparison_write(&comparison, &object.json);
    berthctl_object_close(&object);
  } else if (status == BERTHCTL_EXIT_OK && !options->is_set[BERTHCTL_OPTION_QUIET]) {
    berthctl_comparison_print(
        &comparison, shown_name(options->arguments[0]), shown_name(options->arguments[1]),
        options->is_set[BERTHCTL_OPTION_ALL], terminal);
  }
  berth_report_free(NULL, comparison.what.rows);
  finish_document(&documents[0]);
  finish_document(&documents[1]);
  return status;
}

/* ---- check ---- */

/* The plan of FILE, as --json would print it. */
static enum berthctl_exit plan_document(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct document *document) {
  struct berth_problem *problem = NULL;
  struct berthctl_planned planned = {.plan = NULL};
  uint64_t bounds_bytes;
  struct berth_error err = {.code = BERTH_OK};
  enum berthctl_exit status = berthctl_load_problem(options, terminal, options->arguments[0], &problem);
  if (status == BERTHCTL_EXIT_OK) {
    status = berthctl_compute_smallest(options, terminal, &problem, &planned, &bounds_bytes);
  }
  if (status == BERTHCTL_EXIT_OK) {
    struct berth_json_plan what = {.problem = problem, .plan = planned.plan, .plan_id = planned.plan_id};
    struct berth_sink sink = {.ctx = &document->input, .write = berthctl_keep_bytes};
    enum berth_code code = berth_json_write_plan(&what, sink, &err);
    if (code == BERTH_OK) {
      code =
          berth_json_read_saved(document->input.bytes, document->input.n_bytes, NULL, &document->saved, &err);
    } else {
      code = berth_fail_memory(&err);
    }
    status = code == BERTH_OK ? status : say(terminal, &err);
  }
  berthctl_planned_finish(&planned);
  berth_problem_unref(problem);
  return status;
}

/* The largest arena that is within the tolerance, in millionths of the baseline's. */
static uint64_t limit_of(uint64_t baseline, uint64_t millionths) {
  enum { MILLION = 1000000 };
  uint64_t whole;
  uint64_t limit;
  bool is_beyond = __builtin_mul_overflow(baseline / MILLION, millionths, &whole) ||
                   __builtin_add_overflow(whole, baseline % MILLION * millionths / MILLION, &limit) ||
                   __builtin_add_overflow(limit, baseline, &limit);
  return is_beyond ? UINT64_MAX : limit;
}

static enum berthctl_exit judge(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berthctl_comparison *comparison) {
  const struct berth_json_saved *before = comparison->before;
  const struct berth_json_saved *after = comparison->after;
  uint64_t limit = limit_of(before->arena_bytes, options->number[BERTHCTL_OPTION_TOLERANCE]);
  bool is_within = after->has_arena && after->arena_bytes <= limit;
  if (options->is_set[BERTHCTL_OPTION_JSON]) {
    struct berthctl_object object;
    berthctl_object_open(&object);
    berth_json_bool(&object.json, "within", is_within);
    berth_json_u64(&object.json, "limit_bytes", limit);
    berthctl_comparison_write(comparison, &object.json);
    berthctl_object_close(&object);
  } else if (!options->is_set[BERTHCTL_OPTION_QUIET]) {
    berthctl_comparison_print(
        comparison, shown_name(options->text[BERTHCTL_OPTION_BASELINE]), shown_name(options->arguments[0]),
        options->is_set[BERTHCTL_OPTION_ALL], terminal);
  }
  if (is_within) {
    return BERTHCTL_EXIT_OK;
  }
  struct berth_error err;
  berth_fail(
      &err, BERTH_FAILED_PRECONDITION, BERTH_REASON_DOES_NOT_FIT, BERTH_NO_INDEX, NULL,
      "the arena has grown from %llu to %llu bytes; up to %llu are within the tolerance",
      (unsigned long long)before->arena_bytes, (unsigned long long)after->arena_bytes,
      (unsigned long long)limit);
  return berthctl_error_say(terminal, options->arguments[0], &err);
}

enum berthctl_exit
berthctl_verb_check(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  const char *path = options->text[BERTHCTL_OPTION_BASELINE];
  struct document documents[2] = {{.input = {.n_bytes = 0}}, {.input = {.n_bytes = 0}}};
  struct berthctl_comparison comparison = {.before = NULL};
  struct berth_error err = {.code = BERTH_OK};
  enum berthctl_exit status = load_document(terminal, path, &documents[0]);
  if (status == BERTHCTL_EXIT_OK && !documents[0].saved.has_arena) {
    berth_fail(
        &err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, BERTH_NO_INDEX, "arena_bytes",
        "has no arena to compare with: \"arena_bytes\" is missing");
    status = berthctl_error_say(terminal, path, &err);
  }
  if (status == BERTHCTL_EXIT_OK) {
    status = plan_document(options, terminal, &documents[1]);
  }
  if (status == BERTHCTL_EXIT_OK && compare(documents, &comparison, &err) != BERTH_OK) {
    status = say(terminal, &err);
  }
  if (status == BERTHCTL_EXIT_OK) {
    status = judge(options, terminal, &comparison);
  }
  berth_report_free(NULL, comparison.what.rows);
  finish_document(&documents[0]);
  finish_document(&documents[1]);
  return status;
}
