/* Levels of reuse, and the smallest plan of them. */
#include <stdio.h>
#include <string.h>

#include "verbs/internal.h"

bool berthctl_reuse_parse(const struct berthctl_options *options, enum berth_reuse *out_reuse) {
  const char *word = options->is_set[BERTHCTL_OPTION_REUSE] ? options->text[BERTHCTL_OPTION_REUSE]
                                                            : berth_reuse_name(BERTH_REUSE_FULL);
  for (unsigned i = 0; i < BERTH_N_REUSES; i++) {
    if (strcmp(word, berth_reuse_name((enum berth_reuse)i)) == 0) {
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

/* ---- The smallest plan ---- */

enum berthctl_exit berthctl_compute_smallest(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_problem **problem, struct berthctl_planned *out_planned, uint64_t *out_bounds_bytes) {
  enum berthctl_exit status =
      berthctl_compute_bound(options, terminal, *problem, out_planned, out_bounds_bytes);
  if (status != BERTHCTL_EXIT_OK || out_planned->problem == *problem) {
    return status;
  }
  if (!options->is_set[BERTHCTL_OPTION_QUIET]) {
    fputs("results in place are left out: they would make the arena larger\n", stderr);
  }
  berth_problem_unref(*problem);
  *problem = berth_problem_ref(out_planned->problem);
  return status;
}
