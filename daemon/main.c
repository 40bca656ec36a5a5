/* berthd: reads what is asked and hands over. */
#include <stdlib.h>
#include <unistd.h>

#include "berth/solve.h"
#include "serve/command_line.h"
#include "serve/serve.h"

#define EXIT_USAGE 2

static int complain(const struct berth_error *err) {
  fprintf(stderr, "berthd: %s\n", err->message);
  return EXIT_USAGE;
}

static int with_configuration(const struct berthd_command_line *line) {
  struct berthd_conf conf;
  struct berth_error err;
  int status = EXIT_SUCCESS;
  if (berthd_command_line_configure(line, environ, &conf, &err) != BERTH_OK) {
    status = complain(&err);
  } else if (line->command == BERTHD_COMMAND_SERVE) {
    status = berthd_serve(line, &conf);
  } else if (line->command == BERTHD_COMMAND_HEALTHCHECK) {
    status = berthd_healthcheck(&conf);
  } else if (line->print_config) {
    berthd_conf_print(&conf, stdout);
  }
  berthd_conf_finish(&conf);
  return status;
}

static int run(const struct berthd_command_line *line) {
  switch (line->command) {
  case BERTHD_COMMAND_HELP:
    berthd_print_usage(stdout);
    return EXIT_SUCCESS;
  case BERTHD_COMMAND_VERSION:
    printf("berthd %s (engine %d)\n", BERTH_VERSION, BERTH_ENGINE_VERSION);
    return EXIT_SUCCESS;
  case BERTHD_COMMAND_DOCS:
    if (!berthd_print_document(line->document, stdout)) {
      fprintf(stderr, "berthd: there is no document %s: ini, man8, man5\n", line->document);
      return EXIT_USAGE;
    }
    return EXIT_SUCCESS;
  default:
    return with_configuration(line);
  }
}

int main(int argc, char **argv) {
  struct berthd_command_line line;
  struct berth_error err;
  int status = berthd_command_line_init(&line, argc, argv, &err) == BERTH_OK ? run(&line) : complain(&err);
  berthd_command_line_finish(&line);
  return fflush(stdout) == 0 ? status : EXIT_FAILURE;
}
