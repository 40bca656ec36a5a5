#include <string.h>

#include "options/docs.h"
#include "verbs/internal.h"

enum { MAX_WIDTH = 100 };

enum berthctl_exit
berthctl_verb_help(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  unsigned width = terminal->width < MAX_WIDTH ? terminal->width : MAX_WIDTH;
  if (options->n_arguments == 0) {
    berthctl_help_write(stdout, BERTHCTL_N_VERBS, width);
    return BERTHCTL_EXIT_OK;
  }
  for (unsigned verb = 0; verb < BERTHCTL_N_VERBS; verb++) {
    if (strcmp(BERTHCTL_VERB_ROWS[verb].word, options->arguments[0]) == 0) {
      berthctl_help_write(stdout, (enum berthctl_verb)verb, width);
      return BERTHCTL_EXIT_OK;
    }
  }
  return berthctl_say_usage(
      terminal, "no help for '%.60s', which is no verb; see berthctl help", options->arguments[0]);
}
