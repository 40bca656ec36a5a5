/* The packing scoreboard: every instance of the corpus, growth to a million buffers, how soon plans are
 * there, how well deadlines are held, and peers in the same run. Every plan is judged. */
#ifndef BENCH_PACKING_BENCH_H
#define BENCH_PACKING_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/berth.h"

struct bench_options {
  uint64_t budget_ticks;
  uint64_t capacity_bytes; /* BERTH_UNLIMITED to minimise */
  double seconds;          /* a deadline for each solve; 0 for none */
  uint32_t strategies;
  const char *corpus;      /* the folder of the interval files */
  const char *minimalloc;  /* its binary, or NULL */
  const char *supermalloc; /* a Python that has omnimalloc, or NULL */
  double peer_seconds;     /* for a peer's answer */
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
  double wall_seconds;
  double verify_seconds;
  double longest_wait;   /* between two questions whether to stop, or from "stop" to the return */
  uint64_t memory_bytes; /* the most held at once */
  bool good;             /* the judge found nothing */
  bool stopped;          /* by the deadline, before there was a plan */
};

double bench_cpu_seconds(void);
double bench_wall_seconds(void);

/* False, with a line on stderr, if there is no plan or the judge refuses it. */
bool bench_solve(
    const char *name, const struct berth_problem *problem, const struct bench_options *options,
    struct bench_row *out_row);
void bench_print_head(void);
void bench_print(const struct bench_row *row);

/* A bar, and whether it was met; bars say nothing about the exit status. */
void bench_bar(const char *name, double value, const char *unit, bool is_most, double target);

/* NULL, with a line on stderr, if the file is not there or no problem. */
struct berth_problem *bench_read(const char *path);

/* Each returns the number of rows that failed; *out_seen is false if the corpus is not there. */
int bench_corpus(const struct bench_options *options, bool *out_seen);
int bench_file(const char *path, const char *name, const struct bench_options *options);
int bench_growth(const struct bench_options *options);
int bench_anytime(const struct bench_options *options);
int bench_streams(const struct bench_options *options);
int bench_peers(const struct bench_options *options);
/* With helpers and without, by turns; the files, or some of everything. */
int bench_parallel(const struct bench_options *options, uint32_t n_threads, char *const *files, int n_files);

/* Forward and back: short lives, skip connections, and what is read again on the way back. */
struct berth_problem *bench_synthetic(uint32_t n);

/* Graphs on streams with waits that may be added (syncs.c): one problem at several prices. Counts failures.
 */
int bench_streams_with_syncs(const struct bench_options *options);
int bench_syncs(const char *name, const struct berth_problem *problem, const struct bench_options *options);
void bench_syncs_head(void);

#endif
