/* Any bytes: an error with a place, or a problem that is written and read back to the same text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "minimalloc/minimalloc.h"

struct kept {
  char *bytes;
  size_t n;
};

static bool keep(void *ctx, const char *bytes, size_t n_bytes) {
  struct kept *kept = ctx;
  char *grown = realloc(kept->bytes, kept->n + n_bytes);
  if (grown == NULL) {
    abort();
  }
  memcpy(grown + kept->n, bytes, n_bytes);
  kept->bytes = grown;
  kept->n += n_bytes;
  return true;
}

static void require(bool ok) {
  if (!ok) {
    abort();
  }
}

static struct kept write_text(const struct berth_problem *problem) {
  struct kept kept = {.n = 0};
  struct berth_error err;
  require(berth_minimalloc_write(problem, NULL, (struct berth_sink){&kept, keep}, &err) == BERTH_OK);
  return kept;
}

static void check_round_trip(const struct berth_problem *problem) {
  struct kept once = write_text(problem);
  struct berth_problem *again = NULL;
  require(berth_minimalloc_read(once.bytes, once.n, NULL, &again, NULL) == BERTH_OK);
  struct kept twice = write_text(again);
  require(once.n == twice.n && memcmp(once.bytes, twice.bytes, once.n) == 0);
  require(berth_problem_buffers(problem)->n == berth_problem_buffers(again)->n);
  berth_problem_unref(again);
  free(once.bytes);
  free(twice.bytes);
}

/* The same bytes as a plan for the problem in them. */
static void read_as_plan(const char *text, size_t size, const struct berth_problem *problem) {
  struct berth_error err = {.code = BERTH_OK};
  uint64_t *offsets = malloc((berth_problem_buffers(problem)->n + (size_t)1) * sizeof *offsets);
  require(offsets != NULL);
  enum berth_code code = berth_minimalloc_read_offsets(text, size, problem, NULL, offsets, &err);
  require(code == BERTH_OK || (err.code == code && err.line != 0 && err.column != 0));
  free(offsets);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {.code = BERTH_OK};
  enum berth_code code = berth_minimalloc_read((const char *)data, size, NULL, &problem, &err);
  if (code != BERTH_OK) {
    require(err.code == code && err.message[0] != '\0' && problem == NULL);
    require(code == BERTH_RESOURCE_EXHAUSTED || (err.line != 0 && err.column != 0));
    return 0;
  }
  check_round_trip(problem);
  read_as_plan((const char *)data, size, problem);
  berth_problem_unref(problem);
  return 0;
}
