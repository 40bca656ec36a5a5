/* What each verb does; one file each. */
#ifndef VERBS_VERBS_H
#define VERBS_VERBS_H

#include "options/options.h"
#include "output/terminal.h"

/* Does what the options ask for, and says what goes wrong on standard error. */
enum berthctl_exit
berthctl_verb_run(const struct berthctl_options *options, const struct berthctl_terminal *terminal);

#endif
