/* bench.rpc: each server in a process of its own, loaded in turns by this one.
 *
 *   echo    bare gRPC core: the floor
 *   reply   the same request again and again: found by its bytes
 *   plan    the same, without the cache of replies: decoded, put in canonical order, hashed, encoded
 *   cold    each request another problem
 *
 * The figures that count are ratios within a run: calls a second, and processor time of the server a call.
 * With the argument "check" it fails if in no round a hit by bytes comes to 0.9 of the echo, neither in
 * processor time nor in calls a second: other work on the machine makes single rounds slow. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "log/log.h"
#include "server.h"

enum { N_BUFFERS = 800, N_COLD = 4000, N_ROUNDS = 5 };
#define LEAST_OF_ECHO 0.9

static char folder[] = "/tmp/berth-bench-XXXXXX";

enum kind { ECHO, REPLY, PLAN, COLD, N_KINDS };
static const char *const NAMES[] = {"echo", "reply", "plan", "cold"};

struct side {
  pid_t pid;
  char address[128];
};

/* User and system time of a process, in seconds. */
static double processor_seconds(pid_t pid) {
  char path[64];
  unsigned long user = 0;
  unsigned long system = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(path, "r");
  if (file == NULL ||
      fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2) {
    abort();
  }
  fclose(file);
  return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

_Noreturn static void serve_berth(enum kind kind, int out) {
  struct test_server server;
  struct test_server_options options = test_server_options_default();
  berthd_log_set_level(BERTHD_LOG_ERROR);
  if (kind != REPLY) {
    options.rpc.reply_cache_bytes = 0;
  }
  test_server_start(&server, &options);
  if (write(out, server.address, sizeof server.address) != (ssize_t)sizeof server.address) {
    _exit(1);
  }
  for (;;) {
    pause();
  }
}

static struct bytes read_file(const char *path) {
  struct bytes bytes = {.data = malloc((size_t)1 << 24)};
  FILE *file = fopen(path, "rb");
  if (file == NULL || bytes.data == NULL) {
    abort();
  }
  bytes.n = fread(bytes.data, 1, (size_t)1 << 24, file);
  fclose(file);
  return bytes;
}

/* The other end of start_side: "serve KIND FOLDER FD". */
_Noreturn static void serve(char **argv) {
  enum kind kind = (enum kind)atoi(argv[2]);
  char path[128];
  if (kind == ECHO) {
    snprintf(path, sizeof path, "%s/reply", argv[3]);
    struct bytes reply = read_file(path);
    snprintf(path, sizeof path, "%s/echo.%d", argv[3], (int)getpid());
    echo_serve(path, reply.data, reply.n);
  }
  serve_berth(kind, atoi(argv[4]));
}

/* A new image, since gRPC's threads do not outlive a fork. */
static struct side start_side(enum kind kind) {
  struct side side = {0};
  int pipes[2];
  char kind_text[16];
  char fd_text[16];
  if (pipe(pipes) != 0) {
    abort();
  }
  snprintf(kind_text, sizeof kind_text, "%d", (int)kind);
  snprintf(fd_text, sizeof fd_text, "%d", pipes[1]);
  side.pid = fork();
  if (side.pid == 0) {
    execl("/proc/self/exe", "bench.rpc", "serve", kind_text, folder, fd_text, (char *)NULL);
    _exit(1);
  }
  if (kind == ECHO) {
    snprintf(side.address, sizeof side.address, "unix:%s/echo.%d", folder, (int)side.pid);
    usleep(300000);
  } else if (read(pipes[0], side.address, 112) != 112) {
    abort();
  }
  close(pipes[0]);
  close(pipes[1]);
  return side;
}

static void stop_side(const struct side *side) {
  kill(side->pid, SIGKILL);
  waitpid(side->pid, NULL, 0);
}

struct figures {
  double calls_per_second[N_ROUNDS];
  double server_us[N_ROUNDS];
  double p50_us[N_ROUNDS];
  double p99_us[N_ROUNDS];
};

static void
measure(enum kind kind, int round, const struct bytes *requests, size_t n_requests, struct figures *figures) {
  struct side side = start_side(kind);
  const struct load load = {
      .address = side.address,
      .n_channels = 4,
      .n_in_flight = kind == COLD ? 8 : 32,
      .seconds = 2,
      .n_requests = n_requests,
      .requests = requests};
  struct load_result result;
  load_run(&load, &result);
  if (result.n_failed > 0) {
    fprintf(stderr, "%s: %llu calls failed\n", NAMES[kind], (unsigned long long)result.n_failed);
    exit(1);
  }
  figures->calls_per_second[round] = result.calls_per_second;
  /* The warm-up's calls cost too; they are counted by their share of the time. */
  figures->server_us[round] =
      processor_seconds(side.pid) * 1e6 / (result.calls_per_second * (load.seconds + 0.3));
  figures->p50_us[round] = result.p50_us;
  figures->p99_us[round] = result.p99_us;
  stop_side(&side);
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const double values[N_ROUNDS]) {
  double copy[N_ROUNDS];
  memcpy(copy, values, sizeof copy);
  qsort(copy, N_ROUNDS, sizeof copy[0], by_value);
  return copy[N_ROUNDS / 2];
}

/* The median over the rounds: each round has both sides, one after the other. */
static double ratio(const double above[N_ROUNDS], const double below[N_ROUNDS]) {
  double ratios[N_ROUNDS];
  for (int round = 0; round < N_ROUNDS; round++) {
    ratios[round] = above[round] / below[round];
  }
  return median(ratios);
}

static double best(const double above[N_ROUNDS], const double below[N_ROUNDS]) {
  double most = 0;
  for (int round = 0; round < N_ROUNDS; round++) {
    double this = above[round] / below[round];
    most = this > most ? this : most;
  }
  return most;
}

/* The reply to the request, kept in a file for the echo. */
static size_t ask_reply(const struct bytes *request) {
  struct side side = start_side(PLAN);
  struct raw_answer answer;
  const struct raw_call call = {.method = BENCH_METHOD, .bytes = request->data, .n_bytes = request->n};
  for (int i = 0; i < 2; i++) {
    raw_call(side.address, &call, &answer);
    if (answer.code != 0) {
      fprintf(stderr, "%s\n", answer.text);
      exit(1);
    }
  }
  stop_side(&side);
  char path[64];
  snprintf(path, sizeof path, "%s/reply", folder);
  FILE *file = fopen(path, "wb");
  if (file == NULL || fwrite(answer.last, 1, answer.n_last, file) != answer.n_last || fclose(file) != 0) {
    abort();
  }
  return answer.n_last;
}

int main(int argc, char **argv) {
  static struct figures figures[N_KINDS];
  static struct bytes cold[N_COLD];
  if (argc == 5 && strcmp(argv[1], "serve") == 0) {
    serve(argv);
  }
  if (mkdtemp(folder) == NULL) {
    return 1;
  }
  struct bytes request = make_request(N_BUFFERS, 1, 2000000);
  for (uint64_t i = 0; i < N_COLD; i++) {
    cold[i] = make_request(N_BUFFERS, 1000 + i, 100000);
  }
  size_t n_reply = ask_reply(&request);
  bool checked = argc > 1 && strcmp(argv[1], "check") == 0;
  int n_kinds = checked ? REPLY + 1 : N_KINDS;
  for (int round = 0; round < N_ROUNDS; round++) {
    for (int kind = 0; kind < n_kinds; kind++) {
      bool is_cold = kind == COLD;
      measure((enum kind)kind, round, is_cold ? cold : &request, is_cold ? N_COLD : 1, &figures[kind]);
    }
  }
  printf(
      "request %zu bytes, reply %zu bytes, %d buffers; 4 connections, 32 calls at a time (cold: 8)\n\n",
      request.n, n_reply, N_BUFFERS);
  printf("| server | calls/s | of echo | processor time a call, us | echo's / this | p50, us | p99, us |\n");
  printf("|---|---|---|---|---|---|---|\n");
  for (int kind = 0; kind < n_kinds; kind++) {
    printf(
        "| %s | %.0f | %.2f | %.1f | %.2f | %.0f | %.0f |\n", NAMES[kind],
        median(figures[kind].calls_per_second),
        ratio(figures[kind].calls_per_second, figures[ECHO].calls_per_second),
        median(figures[kind].server_us), ratio(figures[ECHO].server_us, figures[kind].server_us),
        median(figures[kind].p50_us), median(figures[kind].p99_us));
  }
  char command[64];
  snprintf(command, sizeof command, "rm -r %s", folder);
  bool fast = best(figures[ECHO].server_us, figures[REPLY].server_us) >= LEAST_OF_ECHO ||
              best(figures[REPLY].calls_per_second, figures[ECHO].calls_per_second) >= LEAST_OF_ECHO;
  return system(command) == 0 && (fast || !checked) ? 0 : 1;
}
