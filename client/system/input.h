/* A whole file, or standard input, in memory. */
#ifndef SYSTEM_INPUT_H
#define SYSTEM_INPUT_H

#include <stddef.h>

#include "berth/status.h"

#define BERTHCTL_MAX_INPUT_BYTES ((size_t)4 << 30)

struct berthctl_input {
  char *bytes;
  size_t n_bytes;
};

/* "-" is standard input. NOT_FOUND, INVALID_ARGUMENT (cannot be read) or RESOURCE_EXHAUSTED (over the limit).
 */
enum berth_code berthctl_input_read(
    const char *path, struct berthctl_input *out_input, struct berth_error *err) BERTH_MUST_USE;
void berthctl_input_finish(struct berthctl_input *input);

#endif
