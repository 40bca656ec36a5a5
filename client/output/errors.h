/* Errors as people read them: "berthctl: FILE:12:7: size is '-5'; ..." on standard error, and an exit status.
 */
#ifndef OUTPUT_ERRORS_H
#define OUTPUT_ERRORS_H

#include "berth/status.h"
#include "options/table.h"
#include "output/terminal.h"

/* `file` is what the error is about ("-" is shown as "standard input"), NULL for nothing in particular. */
enum berthctl_exit
berthctl_error_say(const struct berthctl_terminal *terminal, const char *file, const struct berth_error *err);

enum berthctl_exit berthctl_error_exit(const struct berth_error *err);

#endif
