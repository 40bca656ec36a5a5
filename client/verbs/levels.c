/* Levels of reuse. Results in place bind values to each other, so that now and then an arena is larger with
 * them than without: then the plan without them is the answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/report.h"
#include "verbs/internal.h"
#include "json/problem.h"

static const char *const WORDS[] = {"full", "no-inplace", "none"}; /* as enum berth_reuse */

bool berthctl_reuse_parse(const struct berthctl_options *options, enum berth_reuse *out_reuse) {
  const char *word = options->is_set[BERTHCTL_OPTION_REUSE] ? options->text[BERTHCTL_OPTION_REUSE] : WORDS[0];
  for (unsigned i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
    if (strcmp(word, WORDS[i]) == 0) {
      *out_reuse = (enum berth_reuse)i;
      return true;
    }
  }
  return false;
}

enum berthctl_exit berthctl_reuse_of(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    enum berth_reuse *out_reuse) {
  return berthctl_reuse_parse(options, out_reuse)
             ? BERTHCTL_EXIT_OK
             : berthctl_say_usage(
                   terminal, "--reuse has no level '%.40s'; full, no-inplace and none are right",
                   options->text[BERTHCTL_OPTION_REUSE]);
}

/* ---- The same problem without results in place, by way of its JSON form ---- */

/* What symbols are bound to; those without an upper bound are bound to nothing. */
static bool
bind(const struct berth_problem *problem, struct berth_binding **items, struct berth_bindings *out) {
  const struct berth_symbols *symbols = berth_problem_symbols(problem);
  *out = (struct berth_bindings){.n = 0};
  *items = NULL;
  if (symbols == NULL || symbols->n_symbols == 0) {
    return true;
  }
  *items = malloc(symbols->n_symbols * sizeof **items);
  if (*items == NULL) {
    return false;
  }
  *out = (struct berth_bindings){.items = *items, .sizes = symbols->sizes, .strict = symbols->strict};
  for (uint32_t i = 0; i < symbols->n_symbols; i++) {
    if (symbols->ranges[i].upper != BERTH_UNBOUNDED) {
      (*items)[out->n++] = symbols->ranges[i];
    }
  }
  return true;
}

static enum berth_code
without_inplace(const struct berth_problem *problem, struct berth_problem **out, struct berth_error *err) {
  struct berthctl_input text = {NULL, 0};
  struct berth_sink sink = {.ctx = &text, .write = berthctl_keep_bytes};
  struct berth_binding *items;
  struct berth_bindings bindings;
  enum berth_code code = bind(problem, &items, &bindings) ? berth_json_write_problem(problem, sink, err)
                                                          : berth_fail_memory(err);
  if (code == BERTH_OK) {
    code = berth_json_read_without_inplace(text.bytes, text.n_bytes, &bindings, NULL, out, err);
  }
  free(items);
  berthctl_input_finish(&text);
  return code;
}

static bool has_results_in_place(const struct berth_problem *problem) {
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  for (uint32_t i = 0; i < permissions->n; i++) {
    if (permissions->items[i].answer == BERTH_INPLACE_USED) {
      return true;
    }
  }
  return false;
}

static uint64_t peak_of(const struct berth_problem *problem) {
  struct berth_span *spans;
  uint32_t n_spans;
  uint64_t peak = 0;
  if (berth_report_peaks(problem, NULL, &spans, &n_spans, &peak, NULL) == BERTH_OK) {
    berth_report_free(NULL, spans);
  }
  return peak;
}

static bool is_smaller(const struct berth_plan *plan, const struct berth_plan *than) {
  bool placed = plan->offset != NULL;
  return placed && (than->offset == NULL || plan->arena_bytes < than->arena_bytes);
}

static void say_left_out(
    const struct berthctl_options *options, const struct berth_plan *plan, const struct berth_plan *without) {
  if (options->is_set[BERTHCTL_OPTION_QUIET]) {
    return;
  }
  if (plan->offset == NULL) {
    fputs("results in place are left out: with them no plan was found\n", stderr);
  } else {
    fprintf(
        stderr, "results in place are left out: with them the arena would be %llu bytes larger\n",
        (unsigned long long)(plan->arena_bytes - without->arena_bytes));
  }
}

enum berthctl_exit berthctl_compute_smallest(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_problem **problem, struct berthctl_planned *out_planned, uint64_t *out_bounds_bytes) {
  enum berthctl_exit status =
      berthctl_compute_bound(options, terminal, *problem, out_planned, out_bounds_bytes);
  struct berth_problem *without = NULL;
  struct berthctl_planned other = {.plan = NULL};
  struct berth_error err;
  if (status != BERTHCTL_EXIT_OK || options->is_set[BERTHCTL_OPTION_REUSE] ||
      !has_results_in_place(*problem)) {
    return status;
  }
  if (without_inplace(*problem, &without, &err) != BERTH_OK) {
    bool must = err.reason == BERTH_REASON_BAD_DONATION; /* a donation that must be used: there is no other */
    return must ? status : berthctl_error_say(terminal, options->arguments[0], &err);
  }
  bool may_be_smaller =
      out_planned->plan->offset == NULL || peak_of(without) < out_planned->plan->arena_bytes;
  if (may_be_smaller) {
    struct berth_solve_options solve = berthctl_solve_options(options);
    solve.reuse = BERTH_REUSE_NO_INPLACE;
    status = berthctl_compute_with(options, terminal, without, &solve, &other);
  }
  if (status == BERTHCTL_EXIT_OK && may_be_smaller && is_smaller(other.plan, out_planned->plan)) {
    say_left_out(options, out_planned->plan, other.plan);
    struct berth_problem *with = *problem;
    struct berthctl_planned first = *out_planned;
    *problem = without;
    *out_planned = other;
    without = with;
    other = first;
  }
  berthctl_planned_finish(&other);
  berth_problem_unref(without);
  return status;
}
