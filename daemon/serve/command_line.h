/* What berthd was asked to do, and the configuration from file, environment and flags. */
#ifndef SERVE_COMMAND_LINE_H
#define SERVE_COMMAND_LINE_H

#include "conf/conf.h"

enum berthd_command {
  BERTHD_COMMAND_SERVE,
  BERTHD_COMMAND_CHECK, /* the configuration, and print it where asked */
  BERTHD_COMMAND_HEALTHCHECK,
  BERTHD_COMMAND_HELP,
  BERTHD_COMMAND_VERSION,
  BERTHD_COMMAND_DOCS, /* prints a generated document: for the maintainers */
};

struct berthd_command_line {
  enum berthd_command command;
  bool print_config;
  const char *config_path; /* NULL: none */
  const char *document;    /* of DOCS */
  int n_flags;             /* flags as they were given, to read the configuration again */
  const char **flags;      /* name and value in turn */
};

/* Pointers are into argv and the environment. INVALID_ARGUMENT for what cannot be understood. */
enum berth_code berthd_command_line_init(
    struct berthd_command_line *line, int argc, char *const *argv, struct berth_error *err) BERTH_MUST_USE;
void berthd_command_line_finish(struct berthd_command_line *line);

/* Defaults, then the file, the environment and the flags, then the check of the whole. *out_conf needs
 * berthd_conf_finish also on failure. */
enum berth_code berthd_command_line_configure(
    const struct berthd_command_line *line, char *const *environment, struct berthd_conf *out_conf,
    struct berth_error *err) BERTH_MUST_USE;

void berthd_print_usage(FILE *to);
/* "ini", "man8", "man5". False if there is no such document. */
bool berthd_print_document(const char *name, FILE *to);

#endif
