/* What the judge found: a count without limit and a list with one. */
#ifndef VERIFY_FINDINGS_H
#define VERIFY_FINDINGS_H

#include <stdbool.h>

#include "berth/verify.h"
#include "verify/facts.h"

struct berth_verify_findings {
  const struct berth_problem *problem;
  struct berth_violation *list; /* the caller's */
  uint32_t capacity;
  struct berth_verdict *verdict;
  bool may_be_unplaced;     /* buffers without an offset are left out */
  const uint32_t *whole_of; /* of a part of `problem`: which buffer of the whole each of its buffers is; NULL:
                               the same */
};

/* A violation with every field at "none". */
struct berth_violation berth_verify_violation(enum berth_violation_kind kind);

/* Counts `violation`, and lists it with its message if there is room. */
void berth_verify_blame(
    struct berth_verify_findings *findings, const struct berth_violation *violation, const char *format, ...)
    BERTH_PRINTF(3, 4);

static inline bool berth_verify_has_room(const struct berth_verify_findings *findings) {
  return findings->verdict->n_listed < findings->capacity;
}

/* How a buffer is called in messages: buffer 7, or buffer 7 ("conv1"). */
struct berth_verify_name {
  char text[80];
};
struct berth_verify_name berth_verify_name(const struct berth_verify_findings *findings, uint32_t buffer);

#endif
