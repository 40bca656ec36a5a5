/* The daemon's life: everything is put together here, runs, drains and ends. */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include "serve/command_line.h"

/* Returns the exit status. */
int berthd_serve(const struct berthd_command_line *line, const struct berthd_conf *conf);

/* Asks the daemon that runs with this configuration: 0 if it is healthy, 1 otherwise, with a line on standard
 * error. */
int berthd_healthcheck(const struct berthd_conf *conf);

#endif
