#include "server.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"
#include "codec/codec.h"

double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

uint64_t resident_bytes(void) {
  unsigned long long size = 0;
  unsigned long long resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  MUST(NULL != file);
  MUST(fscanf(file, "%llu %llu", &size, &resident) == 2);
  fclose(file);
  return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* ---- The server ---- */

struct test_server_options test_server_options_default(void) {
  struct test_server_options options = {
      .rpc = berthd_rpc_config_default(),
      .core = berthd_core_config_default(),
      .max_connections = 1000,
      .handshake_ns = INT64_C(10) * 1000000000,
  };
  options.core.cache_bytes = UINT64_C(64) << 20;
  return options;
}

static void on_connection(void *ctx, int fd, bool is_tls) {
  struct test_server *server = ctx;
  berthd_rpc_add_connection(server->rpc, fd, is_tls);
}

static void *run_loop(void *arg) {
  struct test_server *server = arg;
  berthd_loop_run(server->loop);
  return NULL;
}

static void start_core(struct test_server *server, const struct test_server_options *options) {
  struct berth_error err;
  struct berthd_work_config work = {.n_workers = 2, .metrics = server->metrics};
  struct berthd_core_config core = options->core;
  MUST(berthd_work_create(&work, &server->work, &err) == BERTH_OK);
  core.n_workers = berthd_work_n_workers(server->work);
  core.metrics = server->metrics;
  struct berthd_core_hooks hooks = berthd_work_hooks(server->work);
  MUST(berthd_core_create(&core, &hooks, &server->core, &err) == BERTH_OK);
  if (!options->no_workers) {
    MUST(berthd_work_start(server->work, server->core, &err) == BERTH_OK);
  }
}

void test_server_start(struct test_server *server, const struct test_server_options *given) {
  struct test_server_options options = given != NULL ? *given : test_server_options_default();
  struct berth_error err;
  memset(server, 0, sizeof *server);
  berthd_loop_block_signals();
  server->metrics = berthd_metrics_create();
  start_core(server, &options);
  options.rpc.metrics = server->metrics;
  MUST(berthd_rpc_create(&options.rpc, server->core, &server->rpc, &err) == BERTH_OK);
  const struct berthd_loop_config loop = {
      .max_connections = options.max_connections,
      .handshake_ns = options.handshake_ns,
      .metrics = server->metrics,
      .ctx = server,
      .on_connection = on_connection,
  };
  MUST(berthd_loop_create(&loop, &server->loop, &err) == BERTH_OK);
  snprintf(server->folder, sizeof server->folder, "/tmp/berth-test-XXXXXX");
  MUST(NULL != mkdtemp(server->folder));
  snprintf(server->path, sizeof server->path, "%s/berthd.sock", server->folder);
  snprintf(server->address, sizeof server->address, "unix:%s", server->path);
  MUST(berthd_loop_listen_unix(server->loop, server->path, 0600, &err) == BERTH_OK);
  MUST(berthd_loop_listen_tcp(server->loop, "127.0.0.1:0", false, &server->port, &err) == BERTH_OK);
  MUST(pthread_create(&server->thread, NULL, run_loop, server) == 0);
  berthd_rpc_set_serving(server->rpc, true);
}

void test_server_stop(struct test_server *server) {
  berthd_loop_stop(server->loop);
  pthread_join(server->thread, NULL);
  berthd_loop_destroy(server->loop);
  berthd_rpc_destroy(server->rpc);
  berthd_core_abort(server->core);
  berthd_work_stop(server->work);
  berthd_core_destroy(server->core);
  berthd_work_destroy(server->work);
  berthd_metrics_destroy(server->metrics);
  MUST(access(server->path, F_OK) == -1); /* the loop has removed it */
  MUST(rmdir(server->folder) == 0);       /* and the lock */
}

/* ---- Requests ---- */

static uint8_t *reserve(void *ctx, size_t n_bytes) {
  struct bytes *bytes = ctx;
  bytes->data = malloc(n_bytes > 0 ? n_bytes : 1);
  bytes->n = n_bytes;
  return bytes->data;
}

struct bytes make_request(uint32_t n, uint64_t seed, uint64_t budget_ticks) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  struct berth_error err;
  struct berth_rng rng = {seed};
  MUST(berth_problem_builder_create(NULL, &builder, &err) == BERTH_OK);
  for (uint32_t i = 0; i < n; i++) {
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    spec.size_bytes = 1 + berth_rng_below(&rng, 1u << 20);
    spec.lower = berth_rng_below(&rng, 4 * n + 1);
    spec.upper = spec.lower + 1 + berth_rng_below(&rng, 64);
    uint32_t index;
    MUST(berth_problem_builder_add_buffer(builder, &spec, &index, &err) == BERTH_OK);
  }
  MUST(berth_problem_builder_finish(builder, &problem, &err) == BERTH_OK);
  berth_problem_builder_destroy(builder);
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = budget_ticks;
  struct bytes bytes;
  const struct berth_codec_sink sink = {.ctx = &bytes, .reserve = reserve};
  MUST(berth_codec_encode_compute(problem, &options, false, NULL, &sink, &err) == BERTH_OK);
  berth_problem_unref(problem);
  return bytes;
}

void bytes_finish(struct bytes *bytes) {
  free(bytes->data);
  bytes->data = NULL;
}
