/* Asks the judge about a sample, in one line. */
#ifndef TESTS_JUDGED_H
#define TESTS_JUDGED_H

#include "berth/verify.h"
#include "sample.h"

enum { JUDGED_CAPACITY = 64 };

struct judged {
  struct berth_verdict verdict;
  struct berth_violation list[JUDGED_CAPACITY];
};

struct judged judge_offsets(const struct sample *sample, const uint32_t *pool, const uint64_t *offset);
struct judged judge_plan(const struct sample *sample, const struct berth_plan *plan);
/* How many of the listed violations are of this kind. */
uint32_t judged_count(const struct judged *judged, enum berth_violation_kind kind);
/* Fails the test, with the first message, unless there is no violation. */
void judged_expect_good(const struct judged *judged);

#endif
