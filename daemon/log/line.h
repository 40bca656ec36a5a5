/* One log line in the making: fixed memory, escaped, never longer than a line, always whole. */
#ifndef LOG_LINE_H
#define LOG_LINE_H

#include "log/log.h"

#define BERTHD_LOG_LINE_SIZE 4096
#define BERTHD_LOG_VALUE_SIZE 512 /* of one text in the line, escaped; longer ones end in "..." */

struct berthd_log_line {
  enum berthd_log_format format;
  size_t n;
  char text[BERTHD_LOG_LINE_SIZE + 8]; /* room for the journal's prefix */
};

void berthd_log_line_begin(struct berthd_log_line *line, enum berthd_log_format format);
/* A field that does not fit is left out. */
void berthd_log_line_add(struct berthd_log_line *line, const struct berthd_log_field *field);
/* Adds the end and the newline. */
void berthd_log_line_end(struct berthd_log_line *line);

#endif
