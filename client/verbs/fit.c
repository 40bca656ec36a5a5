/* fit: does it fit, and how often. */
#include "verbs/internal.h"

enum berthctl_exit
berthctl_verb_fit(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  bool counts = options->is_set[BERTHCTL_OPTION_INSTANCES];
  if (!counts && options->is_set[BERTHCTL_OPTION_SHARE_CONSTANTS]) {
    return berthctl_say_usage(terminal, "--share-constants goes with --instances");
  }
  if (counts && (options->is_set[BERTHCTL_OPTION_CSV] || options->is_set[BERTHCTL_OPTION_SVG])) {
    return berthctl_say_usage(terminal, "--csv and --svg show one plan, and --instances makes several");
  }
  bool searches = options->is_set[BERTHCTL_OPTION_SYMBOL];
  if (!searches && (options->is_set[BERTHCTL_OPTION_LIMIT] || options->is_set[BERTHCTL_OPTION_MARGIN])) {
    return berthctl_say_usage(terminal, "--limit and --margin go with --symbol");
  }
  if (searches && (counts || options->is_set[BERTHCTL_OPTION_CSV] || options->is_set[BERTHCTL_OPTION_SVG])) {
    return berthctl_say_usage(
        terminal, "--symbol makes several plans: not with --instances, --csv and --svg");
  }
  if (!counts && !searches) {
    return berthctl_verb_plan(options, terminal);
  }
  struct berth_problem *problem = NULL;
  enum berthctl_exit status = berthctl_load_problem(options, terminal, options->arguments[0], &problem);
  if (status == BERTHCTL_EXIT_OK) {
    status = searches ? berthctl_fit_symbol(options, terminal, problem)
                      : berthctl_fit_instances(options, terminal, problem);
  }
  berth_problem_unref(problem);
  return status;
}
