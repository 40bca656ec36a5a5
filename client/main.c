#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "options/docs.h"
#include "options/options.h"
#include "output/terminal.h"
#include "system/interrupt.h"
#include "verbs/verbs.h"

static const char *environment(const char *name) {
  return getenv(name);
}

int main(int argc, char **argv) {
  struct berthctl_options options;
  struct berthctl_usage_error error;
  setlocale(LC_CTYPE, "");
  berthctl_interrupt_install();
  if (!berthctl_options_parse(argc, argv, environment, &options, &error)) {
    fprintf(stderr, "berthctl: %s\n", error.message);
    berthctl_help_usage(stderr, error.verb);
    return BERTHCTL_EXIT_USAGE;
  }
  struct berthctl_terminal terminal;
  berthctl_terminal_init(&terminal, options.is_set[BERTHCTL_OPTION_NO_COLOR]);
  return (int)berthctl_verb_run(&options, &terminal);
}
