/* Peers on the same files in the same run, in pairs with ours. Times of ours include the reading of the file,
 * as those of MiniMalloc do; SuperMalloc's are of its search alone. */
#define _DEFAULT_SOURCE /* wait4 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum { N_INSTANCES = 11, N_OURS = 5 };
static const uint64_t CAPACITY = 1048576;
static const char LETTERS[N_INSTANCES + 1] = "ABCDEFGHIJK";

/* Seconds of a peer, or of ours. */
struct cost {
  double cpu;
  double wall;
};

struct ratios {
  uint32_t n;
  double log_sum;
  double least;
};

static void add_ratio(struct ratios *ratios, double theirs, double ours) {
  double ratio = theirs / ours;
  ratios->least = ratios->n == 0 || ratio < ratios->least ? ratio : ratios->least;
  ratios->log_sum += log(ratio);
  ratios->n++;
}

static double mean_of(const struct ratios *ratios) {
  return ratios->n > 0 ? exp(ratios->log_sum / ratios->n) : 0;
}

/* Runs a command and keeps the first line that it prints; false unless it ended well. */
static bool run(char *const *argv, char *line, size_t n_line, struct cost *out_cost) {
  int ends[2];
  if (pipe(ends) != 0) {
    return false;
  }
  double wall = bench_wall_seconds();
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execvp(argv[0], argv);
    _exit(127);
  }
  close(ends[1]);
  FILE *out = fdopen(ends[0], "r");
  bool has_line = out != NULL && fgets(line, (int)n_line, out) != NULL;
  while (out != NULL && fgetc(out) != EOF) {
  }
  int status = 0;
  struct rusage usage = {0};
  bool ended = child > 0 && wait4(child, &status, 0, &usage) == child;
  if (out != NULL) {
    fclose(out);
  }
  out_cost->wall = bench_wall_seconds() - wall;
  out_cost->cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                  1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  if (!has_line) {
    line[0] = '\0';
  }
  return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The least of some runs: ours are so short that the clock's noise counts. */
static bool
ours(const char *path, const struct bench_options *options, struct bench_row *out, struct cost *least) {
  for (int k = 0; k < N_OURS; k++) {
    double cpu = bench_cpu_seconds();
    double wall = bench_wall_seconds();
    struct berth_problem *problem = bench_read(path);
    bool good = problem != NULL && bench_solve(path, problem, options, out);
    berth_problem_unref(problem);
    if (!good) {
      return false;
    }
    cpu = bench_cpu_seconds() - cpu - out->verify_seconds;
    wall = bench_wall_seconds() - wall - out->verify_seconds;
    least->cpu = k == 0 || cpu < least->cpu ? cpu : least->cpu;
    least->wall = k == 0 || wall < least->wall ? wall : least->wall;
    if (cpu > 1) {
      break;
    }
  }
  return true;
}

static void path_of(const struct bench_options *options, char letter, char *path, size_t n_path) {
  snprintf(path, n_path, "%s/minimalloc/%c.1048576.csv", options->corpus, letter);
}

static int against_minimalloc(const struct bench_options *options) {
  struct bench_options fit = *options;
  struct ratios ratios = {0};
  int n_failed = 0;
  char output[] = "/tmp/bench_packing_XXXXXX";
  int file = mkstemp(output);
  if (file < 0) {
    return 1;
  }
  close(file);
  fit.capacity_bytes = CAPACITY;
  printf("\nfits 1048576?    MiniMalloc s       ours s        ratio   (processor time)\n");
  for (int k = 0; k < N_INSTANCES; k++) {
    char path[1024];
    char input[1100];
    char output_flag[64];
    char timeout[64];
    char line[256];
    path_of(options, LETTERS[k], path, sizeof path);
    snprintf(input, sizeof input, "--input=%s", path);
    snprintf(output_flag, sizeof output_flag, "--output=%s", output);
    snprintf(timeout, sizeof timeout, "--timeout=%.0fs", options->peer_seconds);
    char binary[1024];
    snprintf(binary, sizeof binary, "%s", options->minimalloc);
    char capacity[] = "--capacity=1048576";
    char *const argv[] = {binary, capacity, timeout, input, output_flag, NULL};
    struct bench_row row;
    struct cost own = {0};
    struct cost theirs = {0};
    if (!ours(path, &fit, &row, &own)) {
      n_failed++;
      continue;
    }
    bool fits = run(argv, line, sizeof line, &theirs);
    printf(
        "%c                %12.3f %12.4f %12.1f%s\n", LETTERS[k], theirs.cpu, own.cpu, theirs.cpu / own.cpu,
        fits ? "" : "  (it found none in its time)");
    fflush(stdout);
    add_ratio(&ratios, theirs.cpu, own.cpu);
  }
  unlink(output);
  bench_bar(
      "A to K, fits 1048576: geometric mean of MiniMalloc's time / ours", mean_of(&ratios), "", false, 50);
  bench_bar("A to K, fits 1048576: least", ratios.least, "", false, 5);
  return n_failed;
}

static int against_supermalloc(const struct bench_options *options) {
  struct ratios cpu = {0};
  struct ratios wall = {0};
  int n_failed = 0;
  printf("\nminimum     SuperMalloc: arena  proven       wall s        cpu s  ours: arena   proven"
         "       wall s        cpu s   wall ratio    cpu ratio\n");
  for (int k = 0; k < N_INSTANCES; k++) {
    char path[1024];
    char python[1024];
    char script[] = SUPERMALLOC_SCRIPT;
    char timeout[64];
    char line[256];
    path_of(options, LETTERS[k], path, sizeof path);
    snprintf(python, sizeof python, "%s", options->supermalloc);
    snprintf(timeout, sizeof timeout, "%f", options->peer_seconds);
    char *const argv[] = {python, script, path, timeout, NULL};
    struct bench_row row;
    struct cost own = {0};
    struct cost process;
    struct cost theirs;
    unsigned long long arena;
    unsigned long long bound;
    int is_proven;
    if (!ours(path, options, &row, &own) || !run(argv, line, sizeof line, &process) ||
        sscanf(line, "%llu %llu %d %lf %lf", &arena, &bound, &is_proven, &theirs.wall, &theirs.cpu) != 5) {
      fprintf(stderr, "%s: no answer\n", path);
      n_failed++;
      continue;
    }
    bool is_optimal = row.status == BERTH_PLAN_OPTIMAL;
    printf(
        "%c           %18llu %7s %12.4f %12.4f %12llu %8s %12.4f %12.4f %12.1f %12.1f\n", LETTERS[k], arena,
        is_proven ? "yes" : "no", theirs.wall, theirs.cpu, (unsigned long long)row.arena_bytes,
        is_optimal ? "yes" : "no", own.wall, own.cpu, theirs.wall / own.wall, theirs.cpu / own.cpu);
    fflush(stdout);
    if (is_proven && arena < row.bound_bytes) {
      fprintf(stderr, "%s: a plan below our bound\n", path);
      n_failed++;
    }
    if (LETTERS[k] != 'D' && LETTERS[k] != 'J') {
      add_ratio(&cpu, theirs.cpu, own.cpu);
      add_ratio(&wall, theirs.wall, own.wall);
    }
  }
  bench_bar(
      "A to K but D, J, minimum proven: geometric mean of SuperMalloc's / ours", mean_of(&wall), "wall",
      false, 5);
  bench_bar("A to K but D, J, minimum proven: least", wall.least, "wall", false, 1);
  bench_bar("the same", mean_of(&cpu), "cpu", false, 5);
  bench_bar("the same, least", cpu.least, "cpu", false, 1);
  return n_failed;
}

int bench_peers(const struct bench_options *options) {
  int n_failed = options->minimalloc != NULL ? against_minimalloc(options) : 0;
  return n_failed + (options->supermalloc != NULL ? against_supermalloc(options) : 0);
}
