/* Where a format writer's bytes go: standard output, or a file that takes the place of the old one only when
 * it is whole. */
#ifndef SYSTEM_OUTFILE_H
#define SYSTEM_OUTFILE_H

#include <stdio.h>

#include "berth/status.h"
#include "text/writer.h"

struct berthctl_outfile {
  FILE *file;
  const char *path;
  char *part; /* the file while it is written; NULL for standard output and for what is no plain file */
};

/* "-" is standard output. */
enum berth_code berthctl_outfile_open(
    const char *path, struct berthctl_outfile *out_file, struct berth_error *err) BERTH_MUST_USE;
struct berth_sink berthctl_outfile_sink(struct berthctl_outfile *file);
/* Ends the file: kept if `is_whole`, else removed. */
enum berth_code
berthctl_outfile_close(struct berthctl_outfile *file, bool is_whole, struct berth_error *err) BERTH_MUST_USE;

#endif
