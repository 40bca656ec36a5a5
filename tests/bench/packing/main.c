#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static int usage(void) {
  fprintf(
      stderr, "usage: bench_packing [--budget TICKS] [--seconds S] [--strategies MASK] [--corpus FOLDER] "
              "[--growth] [--streams] [--syncs] [--anytime] [--threads N] [--minimalloc BINARY] "
              "[--supermalloc PYTHON] "
              "[--peer-seconds S] [FILE...]\n");
  return 2;
}

int main(int argc, char **argv) {
  struct bench_options options = {
      .budget_ticks = BERTH_DEFAULT_BUDGET_TICKS,
      .strategies = BERTH_ALL_STRATEGIES,
      .capacity_bytes = BERTH_UNLIMITED,
      .corpus = "../shared/corpus/intervals",
      .peer_seconds = 60};
  bool growth = false;
  bool anytime = false;
  bool streams = false;
  bool syncs = false;
  uint32_t n_threads = 0;
  int n_failed = 0;
  int k = 1;
  for (; k < argc && strncmp(argv[k], "--", 2) == 0; k++) {
    if (strcmp(argv[k], "--growth") == 0) {
      growth = true;
    } else if (strcmp(argv[k], "--streams") == 0) {
      streams = true;
    } else if (strcmp(argv[k], "--syncs") == 0) {
      syncs = true;
    } else if (strcmp(argv[k], "--anytime") == 0) {
      anytime = true;
    } else if (k + 1 == argc) {
      return usage();
    } else if (strcmp(argv[k], "--budget") == 0) {
      options.budget_ticks = strtoull(argv[++k], NULL, 10);
    } else if (strcmp(argv[k], "--seconds") == 0) {
      options.seconds = strtod(argv[++k], NULL);
    } else if (strcmp(argv[k], "--strategies") == 0) {
      options.strategies = (uint32_t)strtoul(argv[++k], NULL, 0);
    } else if (strcmp(argv[k], "--threads") == 0) {
      n_threads = (uint32_t)strtoul(argv[++k], NULL, 10);
    } else if (strcmp(argv[k], "--corpus") == 0) {
      options.corpus = argv[++k];
    } else if (strcmp(argv[k], "--minimalloc") == 0) {
      options.minimalloc = argv[++k];
    } else if (strcmp(argv[k], "--supermalloc") == 0) {
      options.supermalloc = argv[++k];
    } else if (strcmp(argv[k], "--peer-seconds") == 0) {
      options.peer_seconds = strtod(argv[++k], NULL);
    } else {
      return usage();
    }
  }
  if (n_threads > 0) {
    return bench_parallel(&options, n_threads, &argv[k], argc - k) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  bool peers = options.minimalloc != NULL || options.supermalloc != NULL;
  bool all = !growth && !anytime && !streams && !syncs && !peers && k == argc;
  if (all || growth || streams || k < argc) {
    bench_print_head();
  }
  for (; k < argc; k++) {
    n_failed += bench_file(argv[k], argv[k], &options);
  }
  if (all) {
    bool seen;
    n_failed += bench_corpus(&options, &seen);
    if (!seen) {
      printf("SKIPPED: there is no corpus in %s\n", options.corpus);
    }
  }
  n_failed += all || growth ? bench_growth(&options) : 0;
  n_failed += all || streams ? bench_streams(&options) : 0;
  n_failed += all || syncs ? bench_streams_with_syncs(&options) : 0;
  n_failed += all || anytime ? bench_anytime(&options) : 0;
  n_failed += peers ? bench_peers(&options) : 0;
  return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
