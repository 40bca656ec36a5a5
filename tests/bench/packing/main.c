#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

static int usage(void) {
  fprintf(
      stderr, "usage: bench_packing [--budget TICKS] [--seconds S] [--strategies MASK] [--corpus FOLDER] "
              "[--growth] [FILE...]\n");
  return 2;
}

int main(int argc, char **argv) {
  struct bench_options options = {
      .budget_ticks = BERTH_DEFAULT_BUDGET_TICKS,
      .strategies = BERTH_ALL_STRATEGIES,
      .corpus = "../shared/corpus/intervals"};
  bool growth = false;
  int n_failed = 0;
  int k = 1;
  for (; k < argc && strncmp(argv[k], "--", 2) == 0; k++) {
    if (strcmp(argv[k], "--growth") == 0) {
      growth = true;
    } else if (k + 1 == argc) {
      return usage();
    } else if (strcmp(argv[k], "--budget") == 0) {
      options.budget_ticks = strtoull(argv[++k], NULL, 10);
    } else if (strcmp(argv[k], "--seconds") == 0) {
      options.seconds = strtod(argv[++k], NULL);
    } else if (strcmp(argv[k], "--strategies") == 0) {
      options.strategies = (uint32_t)strtoul(argv[++k], NULL, 0);
    } else if (strcmp(argv[k], "--corpus") == 0) {
      options.corpus = argv[++k];
    } else {
      return usage();
    }
  }
  bench_print_head();
  bool some = growth || k < argc;
  for (; k < argc; k++) {
    n_failed += bench_file(argv[k], argv[k], &options);
  }
  if (!some) {
    bool seen;
    n_failed += bench_corpus(&options, &seen);
    if (!seen) {
      printf("SKIPPED: there is no corpus in %s\n", options.corpus);
    }
  }
  if (!some || growth) {
    n_failed += bench_growth(&options);
  }
  return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
