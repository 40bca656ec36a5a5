#include "judged.h"

#include "suite.h"

struct judged judge_offsets(const struct sample *sample, const uint32_t *pool, const uint64_t *offset) {
  struct judged judged;
  struct berth_problem *problem = sample_build(sample, NULL);
  struct berth_error err = {0};
  enum berth_code code =
      berth_verify_offsets(problem, pool, offset, NULL, judged.list, JUDGED_CAPACITY, &judged.verdict, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  berth_problem_unref(problem);
  return judged;
}

struct judged judge_plan(const struct sample *sample, const struct berth_plan *plan) {
  struct judged judged;
  struct berth_problem *problem = sample_build(sample, NULL);
  struct berth_error err = {0};
  enum berth_code code =
      berth_verify(problem, plan, NULL, judged.list, JUDGED_CAPACITY, &judged.verdict, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  berth_problem_unref(problem);
  return judged;
}

uint32_t judged_count(const struct judged *judged, enum berth_violation_kind kind) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < judged->verdict.n_listed; k++) {
    n += judged->list[k].kind == kind;
  }
  return n;
}

void judged_expect_good(const struct judged *judged) {
  ck_assert_msg(
      judged->verdict.n_violations == 0, "%s: %s", berth_violation_kind_name(judged->list[0].kind),
      judged->list[0].message);
}
