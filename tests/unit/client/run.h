/* A program as a process: words in, exit status and both streams out. */
#ifndef RUN_H
#define RUN_H

#include <stddef.h>

struct run_result {
  int status; /* of exit; 128 + the signal otherwise */
  char *out;
  char *err;
};

/* `words` ends with NULL and begins with the program; `input` may be NULL; `environment` ("NAME=value", NULL
 * at the end, or NULL) is all that the program sees beside PATH. Fails the test if it cannot be run. */
struct run_result run(const char *const *words, const char *input, const char *const *environment);
/* As run, and sends the signal after so many milliseconds. */
struct run_result run_and_signal(const char *const *words, int number, unsigned after_ms);
void run_free(struct run_result *result);

#endif
