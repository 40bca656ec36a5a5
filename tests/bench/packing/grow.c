#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "bench.h"

/* Layers forward, and back again for a part of them: lives from a step to the whole run, sizes over three
 * orders of magnitude with many equal ones. */
struct berth_problem *bench_synthetic(uint32_t n) {
  struct berth_problem_builder *builder = NULL;
  struct berth_problem *problem = NULL;
  struct berth_rng rng = {.state = n};
  if (berth_problem_builder_create(NULL, &builder, NULL) != BERTH_OK ||
      berth_problem_builder_reserve(builder, n, NULL) != BERTH_OK) {
    berth_problem_builder_destroy(builder);
    return NULL;
  }
  bool ok = true;
  for (uint32_t i = 0; i < n && ok; i++) {
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    uint32_t kind = berth_rng_below(&rng, 100);
    spec.size_bytes = 64 * (UINT64_C(1) + berth_rng_below(&rng, 1u << berth_rng_below(&rng, 12)));
    spec.lower = i;
    spec.upper = i + 1 + berth_rng_below(&rng, 6);
    if (kind < 10) { /* a skip connection */
      spec.upper = i + 1 + berth_rng_below(&rng, 200);
    } else if (kind < 15 && i < n / 2) { /* read again on the way back */
      spec.upper = n - i;
    }
    ok = berth_problem_builder_add_buffer(builder, &spec, NULL, NULL) == BERTH_OK;
  }
  if (!ok || berth_problem_builder_finish(builder, &problem, NULL) != BERTH_OK) {
    problem = NULL;
  }
  berth_problem_builder_destroy(builder);
  return problem;
}

int bench_growth(const struct bench_options *options) {
  static const uint32_t SIZES[] = {10000, 30000, 100000, 300000, 1000000};
  enum { N = sizeof SIZES / sizeof SIZES[0] };
  struct bench_row rows[N];
  int n_failed = 0;
  for (int k = 0; k < N; k++) {
    struct berth_problem *problem = bench_synthetic(SIZES[k]);
    char name[64];
    snprintf(name, sizeof name, "synthetic/forward-backward-%u", SIZES[k]);
    if (problem == NULL || !bench_solve(name, problem, options, &rows[k])) {
      n_failed++;
    } else {
      bench_print(&rows[k]);
    }
    berth_problem_unref(problem);
  }
  if (n_failed == 0) {
    const struct bench_row *last = &rows[N - 1];
    double growth = last->first_seconds / rows[0].first_seconds;
    bench_bar("10^6 buffers: first plan", 1e3 * last->first_seconds, "ms", true, 1000);
    bench_bar(
        "time to the first plan, 10^4 to 10^6: exponent", log(growth) / log((double)SIZES[N - 1] / SIZES[0]),
        "", true, 1.15);
    bench_bar(
        "10^6 buffers: memory a buffer", (double)last->memory_bytes / last->n_buffers, "bytes", true, 200);
  }
  return n_failed;
}
