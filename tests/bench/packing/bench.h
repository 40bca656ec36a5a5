/* The packing scoreboard: every instance of the corpus, and growth to a million buffers. Every plan is
 * judged. */
#ifndef BENCH_PACKING_BENCH_H
#define BENCH_PACKING_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/berth.h"

struct bench_options {
  uint64_t budget_ticks;
  double seconds; /* a deadline for each solve; 0 for none */
  uint32_t strategies;
  const char *corpus; /* the folder of the interval files */
};

/* One solve and what was seen of it; times in seconds of this thread's CPU. */
struct bench_row {
  const char *name;
  uint32_t n_buffers;
  uint64_t load_bytes;
  uint64_t bound_bytes;
  uint64_t arena_bytes;
  enum berth_plan_status status;
  uint64_t ticks;
  double first_seconds;
  double best_seconds;
  double total_seconds;
  double verify_seconds;
  uint64_t memory_bytes; /* the most held at once */
  bool good;             /* the judge found nothing */
};

double bench_cpu_seconds(void);

/* False, with a line on stderr, if there is no plan or the judge refuses it. */
bool bench_solve(
    const char *name, const struct berth_problem *problem, const struct bench_options *options,
    struct bench_row *out_row);
void bench_print_head(void);
void bench_print(const struct bench_row *row);

/* The number of rows that failed; *out_seen is false if the corpus is not there. */
int bench_corpus(const struct bench_options *options, bool *out_seen);
int bench_file(const char *path, const char *name, const struct bench_options *options);
int bench_growth(const struct bench_options *options);

#endif
