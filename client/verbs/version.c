#include "verbs/internal.h"

enum berthctl_exit
berthctl_verb_version(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  (void)options;
  (void)terminal;
  puts("berthctl " BERTH_VERSION);
  return BERTHCTL_EXIT_OK;
}
