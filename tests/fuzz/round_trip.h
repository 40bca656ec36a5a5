/* For fuzzers over texts: what was read is written, read again, and written to the same bytes. */
#ifndef FUZZ_ROUND_TRIP_H
#define FUZZ_ROUND_TRIP_H

#include <stdlib.h>
#include <string.h>

#include "berth/problem.h"
#include "text/writer.h"

typedef enum berth_code (*round_trip_write)(
    const struct berth_problem *problem, struct berth_sink sink, struct berth_error *err);
typedef enum berth_code (*round_trip_read)(
    const char *text, size_t n_bytes, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_error *err);

struct round_trip_text {
  char *bytes;
  size_t n;
};

static inline void require(bool ok) {
  if (!ok) {
    abort();
  }
}

static inline bool round_trip_keep(void *ctx, const char *bytes, size_t n_bytes) {
  struct round_trip_text *text = ctx;
  char *grown = realloc(text->bytes, text->n + n_bytes);
  require(grown != NULL);
  memcpy(grown + text->n, bytes, n_bytes);
  text->bytes = grown;
  text->n += n_bytes;
  return true;
}

static inline struct round_trip_text
round_trip_written(const struct berth_problem *problem, round_trip_write write) {
  struct round_trip_text text = {.n = 0};
  struct berth_error err;
  require(write(problem, (struct berth_sink){&text, round_trip_keep}, &err) == BERTH_OK);
  return text;
}

static inline void
check_round_trip(const struct berth_problem *problem, round_trip_write write, round_trip_read read) {
  struct round_trip_text once = round_trip_written(problem, write);
  struct berth_problem *again = NULL;
  require(read(once.bytes, once.n, NULL, &again, NULL) == BERTH_OK);
  struct round_trip_text twice = round_trip_written(again, write);
  require(once.n == twice.n && memcmp(once.bytes, twice.bytes, once.n) == 0);
  require(berth_problem_buffers(problem)->n == berth_problem_buffers(again)->n);
  berth_problem_unref(again);
  free(once.bytes);
  free(twice.bytes);
}

#endif
