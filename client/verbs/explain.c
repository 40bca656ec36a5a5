/* What the peak is made of. Needs no plan: the peak is a matter of lifetimes and sizes alone. */
#include "verbs/explain.h"

uint32_t berthctl_operator_at(const struct berth_problem *problem, int64_t step) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  bool is_one = graph != NULL && step >= 0 && step < (int64_t)graph->n_operators;
  return is_one ? (uint32_t)step : BERTH_NO_INDEX;
}

double berthctl_share(uint64_t bytes, uint64_t of) {
  return of == 0 ? 0 : (double)bytes / (double)of;
}

enum berth_code berthctl_moment_make(
    const struct berth_problem *problem, int64_t step, struct berthctl_moment *out_moment,
    struct berth_error *err) {
  *out_moment = (struct berthctl_moment){.step = step};
  enum berth_code code =
      berth_report_contributions(problem, step, NULL, &out_moment->items, &out_moment->n_items, err);
  for (uint32_t i = 0; code == BERTH_OK && i < out_moment->n_items; i++) {
    out_moment->live_bytes += out_moment->items[i].live_bytes;
  }
  return code != BERTH_OK
             ? code
             : berth_report_breakdown(
                   problem, out_moment->items, out_moment->n_items, NULL, &out_moment->breakdown, err);
}

void berthctl_moment_finish(struct berthctl_moment *moment) {
  berth_report_free(NULL, moment->items);
  berth_report_free(NULL, moment->breakdown.makers);
  *moment = (struct berthctl_moment){.n_items = 0};
}

static enum berth_code explain(
    struct berthctl_explained *explained, const struct berthctl_options *options, struct berth_error *err) {
  const struct berth_problem *problem = explained->problem;
  enum berth_code code =
      berth_report_peaks(problem, NULL, &explained->spans, &explained->n_spans, &explained->peak_bytes, err);
  if (code == BERTH_OK) {
    int64_t step = explained->n_spans > 0 ? explained->spans[0].lower : 0;
    step = options->is_set[BERTHCTL_OPTION_STEP] ? options->step : step;
    code = berthctl_moment_make(problem, step, &explained->moment, err);
  }
  if (code == BERTH_OK) {
    code = berth_report_producers(problem, NULL, &explained->producers, err);
  }
  return code == BERTH_OK
             ? berth_report_operators(problem, NULL, &explained->operators, &explained->n_operators, err)
             : code;
}

static enum berthctl_exit show_timeline(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem) {
  struct berth_timeline_point *points;
  uint32_t n_points;
  struct berth_error err;
  const char *format = options->text[BERTHCTL_OPTION_TIMELINE];
  if (berth_report_timeline(problem, NULL, BERTH_NO_INDEX, NULL, &points, &n_points, &err) != BERTH_OK) {
    return berthctl_error_say(terminal, options->arguments[0], &err);
  }
  bool is_shown =
      berthctl_timeline_show(format, points, n_points, options->is_set[BERTHCTL_OPTION_ALL], terminal);
  berth_report_free(NULL, points);
  return is_shown ? BERTHCTL_EXIT_OK
                  : berthctl_say_usage(
                        terminal, "--timeline has no form '%.40s'; text, csv and json are right", format);
}

static enum berthctl_exit show(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem) {
  struct berthctl_explained explained = {
      .problem = problem, .name = berthctl_problem_name(options, options->arguments[0])};
  struct berth_error err;
  enum berthctl_exit status = BERTHCTL_EXIT_OK;
  if (explain(&explained, options, &err) != BERTH_OK) {
    status = berthctl_error_say(terminal, options->arguments[0], &err);
  } else if (options->is_set[BERTHCTL_OPTION_JSON]) {
    berthctl_explained_write(&explained, options->is_set[BERTHCTL_OPTION_ALL]);
  } else if (!options->is_set[BERTHCTL_OPTION_QUIET]) {
    berthctl_explained_print(&explained, options, terminal);
  }
  berth_report_free(NULL, explained.spans);
  berth_report_free(NULL, explained.producers);
  berth_report_free(NULL, explained.operators);
  berthctl_moment_finish(&explained.moment);
  return status;
}

enum berthctl_exit
berthctl_verb_explain(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  struct berth_problem *problem = NULL;
  enum berthctl_exit status = berthctl_load_problem(options, terminal, options->arguments[0], &problem);
  if (status != BERTHCTL_EXIT_OK) {
    return status;
  }
  status = options->is_set[BERTHCTL_OPTION_TIMELINE] ? show_timeline(options, terminal, problem)
                                                     : show(options, terminal, problem);
  berth_problem_unref(problem);
  return status;
}
