/* Any bytes: an error with a place, or a problem that is written and read back to the same text. Whatever the
 * check of syntax says, another parser says too. */
#include <jansson.h>
#include <stdint.h>

#include "round_trip.h"
#include "json/problem.h"
#include "json/saved.h"
#include "json/scan.h"

/* Jansson refuses numbers beyond its types and keys with NUL, which are no matter of syntax, takes NUL for
 * the end, and knows no byte order mark. */
static void check_syntax(const char *text, size_t size) {
  if (memchr(text, '\0', size) != NULL) {
    return;
  }
  const char *value;
  struct berth_error err = {.code = BERTH_OK};
  bool ours = berth_json_scan_check(text, size, &value, &err) == BERTH_OK;
  size_t n_mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  json_error_t error;
  json_t *theirs = json_loadb(text + n_mark, size - n_mark, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
  enum json_error_code why = theirs == NULL ? json_error_code(&error) : json_error_unknown;
  bool is_beyond =
      theirs == NULL && (why == json_error_numeric_overflow || why == json_error_null_byte_in_key);
  bool is_deep = err.reason == BERTH_REASON_LIMIT_EXCEEDED;
  require(is_beyond || is_deep || ours == (theirs != NULL));
  json_decref(theirs);
}

/* The same bytes as a plan. */
static void read_as_plan(const char *text, size_t size) {
  struct berth_json_saved saved;
  struct berth_error err = {.code = BERTH_OK};
  enum berth_code code = berth_json_read_saved(text, size, NULL, &saved, &err);
  if (code == BERTH_OK) {
    require(berth_problem_buffers(saved.problem)->n == saved.n_buffers);
    berth_json_saved_finish(&saved);
  } else {
    require(err.reason == BERTH_REASON_OUT_OF_MEMORY || (err.line != 0 && err.column != 0));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *text = size != 0 ? (const char *)data : "";
  struct berth_problem *problem = NULL;
  struct berth_error err = {.code = BERTH_OK};
  check_syntax(text, size);
  read_as_plan(text, size);
  enum berth_code code = berth_json_read_problem(text, size, NULL, &problem, &err);
  if (code != BERTH_OK) {
    require(err.code == code && err.message[0] != '\0' && problem == NULL);
    require(err.reason == BERTH_REASON_OUT_OF_MEMORY || (err.line != 0 && err.column != 0));
    return 0;
  }
  check_round_trip(problem, berth_json_write_problem, berth_json_read_problem);
  berth_problem_unref(problem);
  return 0;
}
