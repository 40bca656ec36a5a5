#include "nth.h"

#include "suite.h"

static bool run(const char *name, nth_operation operation, void *ctx, uint64_t n, bool fail_on) {
  struct failing failing;
  failing_init(&failing, n, fail_on);
  struct berth_error err = {0};
  enum berth_code code = operation(ctx, &failing.allocator, &err);
  const char *rest = fail_on ? " and all after it" : "";
  ck_assert_msg(
      failing.n_blocks == 0, "%s: request %llu%s refused: %llu blocks leaked", name, (unsigned long long)n,
      rest, (unsigned long long)failing.n_blocks);
  ck_assert_msg(
      !failing.wrong_size, "%s: request %llu%s refused: a wrong old size", name, (unsigned long long)n, rest);
  if (failing.n_refused == 0) {
    ck_assert_msg(code == BERTH_OK, "%s: %s: %s", name, berth_code_name(code), err.message);
    return false;
  }
  if (code == BERTH_OK && failing.n_refused == failing.n_kept) {
    return true; /* it lives on with more memory than it needs */
  }
  ck_assert_msg(
      code == BERTH_RESOURCE_EXHAUSTED, "%s: request %llu%s refused: %s: %s", name, (unsigned long long)n,
      rest, berth_code_name(code), err.message);
  ck_assert_msg(
      err.code == code && err.reason == BERTH_REASON_OUT_OF_MEMORY, "%s: request %llu%s refused: not said",
      name, (unsigned long long)n, rest);
  return true;
}

uint64_t nth_refused(const char *name, nth_operation operation, void *ctx) {
  uint64_t n = 1;
  while (run(name, operation, ctx, n, false)) {
    run(name, operation, ctx, n, true);
    n++;
  }
  return n - 1;
}
