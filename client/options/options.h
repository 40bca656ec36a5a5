/* The command line: one table of verbs and one of options. The parser, --help, the man pages and the shell
 * completions all come from them. */
#ifndef OPTIONS_OPTIONS_H
#define OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options/table.h"

enum { BERTHCTL_MAX_ARGUMENTS = BERTHCTL_MAX_FILES, BERTHCTL_MAX_BINDS = 64 };

/* What was asked for. Text points into argv. */
struct berthctl_options {
  enum berthctl_verb verb;
  const char *arguments[BERTHCTL_MAX_ARGUMENTS];
  unsigned n_arguments;
  bool is_set[BERTHCTL_N_OPTIONS];
  const char *text[BERTHCTL_N_OPTIONS]; /* TEXT, FILE */
  uint64_t number[BERTHCTL_N_OPTIONS];  /* BYTES, COUNT; of SECONDS the nanoseconds; of PERCENT the millionths
                                           of the whole */
  int64_t step;                         /* STEP */
  const char *binds[BERTHCTL_MAX_BINDS]; /* every --bind; the first is its text, too */
  unsigned n_binds;
};

/* What is wrong with a command line, and what would be right. */
struct berthctl_usage_error {
  enum berthctl_verb verb; /* as far as it was known: BERTHCTL_N_VERBS if not */
  char message[256];
};

/* False with `out_error` filled. `get_environment` is getenv, or a test's. `--help` and `--version` anywhere
 * become the verbs help and version. */
bool berthctl_options_parse(
    int argc, char *const *argv, const char *(*get_environment)(const char *name),
    struct berthctl_options *out_options, struct berthctl_usage_error *out_error);

/* A share such as "2.5%", in millionths; false if it is none. */
bool berthctl_percent_parse(const char *text, uint64_t *out);

#endif
