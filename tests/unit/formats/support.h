/* A sink that keeps what is written, and problems from literal CSV. */
#ifndef FORMATS_SUPPORT_H
#define FORMATS_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "minimalloc/minimalloc.h"
#include "suite.h"

struct kept {
  char *bytes; /* ends in NUL */
  size_t n;
};

static inline bool keep_bytes(void *ctx, const char *bytes, size_t n_bytes) {
  struct kept *kept = ctx;
  kept->bytes = realloc(kept->bytes, kept->n + n_bytes + 1);
  ck_assert_ptr_nonnull(kept->bytes);
  memcpy(kept->bytes + kept->n, bytes, n_bytes);
  kept->n += n_bytes;
  kept->bytes[kept->n] = '\0';
  return true;
}

static inline struct berth_sink keep_sink(struct kept *kept) {
  *kept = (struct kept){.n = 0};
  return (struct berth_sink){.ctx = kept, .write = keep_bytes};
}

static inline struct berth_problem *read_bytes(const char *text, size_t n) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {.code = BERTH_OK};
  enum berth_code code = berth_minimalloc_read(text, n, NULL, &problem, &err);
  ck_assert_msg(code == BERTH_OK, "line %u column %u: %s", err.line, err.column, err.message);
  return problem;
}

static inline struct berth_problem *read_text(const char *text) {
  return read_bytes(text, strlen(text));
}

/* The text must be refused there, with this reason, and with `word` in the message. */
static inline void expect_refused(
    const char *text, size_t n, uint32_t line, uint32_t column, enum berth_reason reason, const char *word) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {.code = BERTH_OK};
  enum berth_code code = berth_minimalloc_read(text, n, NULL, &problem, &err);
  ck_assert_msg(code == BERTH_INVALID_ARGUMENT, "%s was not refused (%d)", text, (int)code);
  ck_assert_msg(
      err.line == line && err.column == column && err.reason == reason && strstr(err.message, word) != NULL,
      "%s: at %u:%u, reason %s: %s", text, err.line, err.column, berth_reason_name(err.reason), err.message);
  ck_assert_int_eq(err.code, code);
  ck_assert_ptr_null(problem);
}

#define REFUSED(text, line, column, reason, word)                                                            \
  expect_refused((text), strlen(text), (line), (column), BERTH_REASON_##reason, (word))

/* A plan with these offsets, all in pool 0; figures are those of the offsets, the bound that of the peak. */
static inline struct berth_plan *plan_with(const struct berth_problem *problem, const uint64_t *offsets) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  struct berth_plan *plan = berth_plan_create(NULL, buffers->n, 1);
  ck_assert_ptr_nonnull(plan);
  for (uint32_t i = 0; i < buffers->n; i++) {
    uint64_t end = offsets[i] + buffers->size_bytes[i];
    berth_plan_offset_mut(plan)[i] = offsets[i];
    berth_plan_pool_mut(plan)[i] = 0;
    plan->arena_bytes = end > plan->arena_bytes ? end : plan->arena_bytes;
    plan->naive_bytes += buffers->size_bytes[i];
  }
  berth_plan_pools_mut(plan)[0].arena_bytes = plan->arena_bytes;
  return plan;
}

#endif
