/* Everything that is written about the command line, from the tables: help, man pages, shell completions. */
#ifndef OPTIONS_DOCS_H
#define OPTIONS_DOCS_H

#include <stdbool.h>
#include <stdio.h>

#include "options/table.h"

/* --help of everything (BERTHCTL_N_VERBS) or of a verb, in lines of at most `width` columns. */
void berthctl_help_write(FILE *out, enum berthctl_verb verb, unsigned width);
/* "usage: berthctl plan [OPTION...] FILE" */
void berthctl_help_usage(FILE *out, enum berthctl_verb verb);

/* mdoc: berthctl.1 (BERTHCTL_N_VERBS), or berthctl-VERB.1. */
void berthctl_man_write(FILE *out, enum berthctl_verb verb, const char *version);

/* False if the shell is none of bash, zsh and fish. */
bool berthctl_completion_write(FILE *out, const char *shell);

#endif
