#include "options/docs.h"
#include "verbs/internal.h"

enum berthctl_exit
berthctl_verb_completion(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  if (berthctl_completion_write(stdout, options->arguments[0])) {
    return BERTHCTL_EXIT_OK;
  }
  return berthctl_say_usage(
      terminal, "no completion for the shell '%.60s'; bash, zsh and fish are right", options->arguments[0]);
}
