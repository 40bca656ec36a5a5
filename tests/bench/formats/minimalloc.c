/* How fast 10^6 rows of CSV become a problem: bytes of text a second of user CPU time, best of several runs,
 * validation and the problem's own columns included. Fails below the floor (in an optimised build). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "minimalloc/minimalloc.h"

enum { N_ROWS = 1000000, N_RUNS = 5, FLOOR_MB_PER_SECOND = 50 };

static uint64_t next_random(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return *state >> 33;
}

/* Rows as planners write them: a number for an id, lives of a few to some thousand steps, sizes to 64 MiB. */
static size_t make_text(char *text, size_t capacity, int with_all) {
  uint64_t state = 1;
  size_t n = (size_t)snprintf(
      text, capacity, "id,lower,upper,size%s\n", with_all ? ",alignment,gaps,offset,hint" : "");
  for (unsigned i = 0; i < N_ROWS; i++) {
    uint64_t lower = next_random(&state) % 2000000;
    uint64_t upper = lower + 10 + next_random(&state) % 3000;
    uint64_t size = 1 + next_random(&state) % (UINT64_C(1) << 26);
    n += (size_t)snprintf(
        text + n, capacity - n, "%u,%llu,%llu,%llu", i, (unsigned long long)lower, (unsigned long long)upper,
        (unsigned long long)size);
    if (with_all) {
      n += (size_t)snprintf(
          text + n, capacity - n, ",64,%llu-%llu@0:1,,-1", (unsigned long long)lower + 2,
          (unsigned long long)lower + 4);
    }
    text[n++] = '\n';
  }
  return n;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double measure(const char *text, size_t n_bytes) {
  double best = 0;
  for (int run = 0; run < N_RUNS; run++) {
    struct berth_problem *problem = NULL;
    struct berth_error err;
    double start = seconds();
    if (berth_minimalloc_read(text, n_bytes, NULL, &problem, &err) != BERTH_OK) {
      fprintf(stderr, "%u:%u: %s\n", err.line, err.column, err.message);
      exit(1);
    }
    double speed = (double)n_bytes / 1e6 / (seconds() - start);
    best = speed > best ? speed : best;
    berth_problem_unref(problem);
  }
  return best;
}

int main(void) {
  size_t capacity = (size_t)N_ROWS * 96;
  char *text = malloc(capacity);
  if (text == NULL) {
    return 1;
  }
  size_t n_plain = make_text(text, capacity, 0);
  double plain = measure(text, n_plain);
  printf("| MiniMalloc CSV, 4 columns | 10^6 rows | %.1f MB | %.0f MB/s |\n", (double)n_plain / 1e6, plain);
  size_t n_all = make_text(text, capacity, 1);
  double all = measure(text, n_all);
  printf("| MiniMalloc CSV, 8 columns | 10^6 rows | %.1f MB | %.0f MB/s |\n", (double)n_all / 1e6, all);
  free(text);
#ifdef __OPTIMIZE__
  if (plain < FLOOR_MB_PER_SECOND || all < FLOOR_MB_PER_SECOND) {
    fprintf(stderr, "below the floor of %d MB/s\n", FLOOR_MB_PER_SECOND);
    return 1;
  }
#endif
  return 0;
}
