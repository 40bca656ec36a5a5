/* Deadlines as a client sees them: a request of n buffers that are planned for ever, on the wire, to a server
 * in this process, under deadlines of several lengths. What counts is when the answer is there, decoding,
 * planning, the check and encoding included, and whether it is a plan. By hand:
 * build/release/tests/bench_deadline [N...] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"
#include "log/log.h"
#include "server.h"

enum { N_ROUNDS = 2 };
static const uint64_t FOREVER = UINT64_C(1) << 40;

/* Of this process, client and server. */
static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct raw_answer
ask(struct raw_client *client, uint32_t n, uint64_t seed, uint64_t budget, int64_t timeout_ms,
    double *out_processor) {
  struct bytes request = make_request(n, seed, budget);
  const struct raw_call call = {
      .method = BENCH_METHOD, .bytes = request.data, .n_bytes = request.n, .timeout_ms = timeout_ms};
  struct raw_answer answer;
  *out_processor = processor_seconds();
  raw_client_call(client, &call, &answer);
  *out_processor = processor_seconds() - *out_processor;
  bytes_finish(&request);
  return answer;
}

static void measure(struct raw_client *client, uint32_t n, uint64_t *seed) {
  static const int64_t TIMEOUTS_MS[] = {30, 100, 300, 1000, 2000, 4000};
  for (int round = 0; round < N_ROUNDS; round++) {
    double processor;
    struct raw_answer floor = ask(client, n, ++*seed, 1, 100000, &processor); /* only what must be done */
    printf(
        "%u buffers, no deadline and no search: %.0f ms, processor time %.0f ms, %zu bytes of answer\n", n,
        1e3 * floor.seconds, 1e3 * processor, floor.n_last);
    raw_answer_finish(&floor);
    for (size_t t = 0; t < sizeof TIMEOUTS_MS / sizeof TIMEOUTS_MS[0]; t++) {
      struct raw_answer answer = ask(client, n, ++*seed, FOREVER, TIMEOUTS_MS[t], &processor);
      double late_ms = 1e3 * answer.seconds - (double)TIMEOUTS_MS[t];
      double may_be_ms = (double)TIMEOUTS_MS[t] > 1000 ? (double)TIMEOUTS_MS[t] / 100 : 10;
      printf(
          "%u buffers, %4lld ms: %-17s after %7.1f ms%s\n", n, (long long)TIMEOUTS_MS[t],
          answer.code == BERTH_OK ? "a plan" : answer.reason, 1e3 * answer.seconds,
          late_ms > may_be_ms ? "  LATE" : "");
      fflush(stdout);
      raw_answer_finish(&answer);
    }
  }
}

int main(int argc, char **argv) {
  static const uint32_t SIZES[] = {1000, 10000, 100000, 1000000};
  uint64_t seed = 1;
  struct test_server server;
  struct test_server_options options = test_server_options_default();
  berthd_log_set_level(BERTHD_LOG_ERROR);
  options.rpc.max_budget_ticks = FOREVER;
  test_server_start(&server, &options);
  struct raw_client *client = raw_client_create(server.address);
  for (int k = 1; k < argc; k++) {
    measure(client, (uint32_t)strtoul(argv[k], NULL, 10), &seed);
  }
  for (size_t k = 0; argc == 1 && k < sizeof SIZES / sizeof SIZES[0]; k++) {
    measure(client, SIZES[k], &seed);
  }
  raw_client_destroy(client);
  test_server_stop(&server);
  return EXIT_SUCCESS;
}
