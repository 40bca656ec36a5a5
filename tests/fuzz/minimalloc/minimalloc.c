/* Any bytes: an error with a place, or a problem that is written and read back to the same text. */
#include <stdint.h>

#include "minimalloc/minimalloc.h"
#include "round_trip.h"

static enum berth_code
write_rows(const struct berth_problem *problem, struct berth_sink sink, struct berth_error *err) {
  return berth_minimalloc_write(problem, NULL, sink, err);
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
  check_round_trip(problem, write_rows, berth_minimalloc_read);
  read_as_plan((const char *)data, size, problem);
  berth_problem_unref(problem);
  return 0;
}
