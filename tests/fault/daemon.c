/* Every allocation of the daemon's rooms fails once, for every n: whoever asked is answered exactly once,
 * with a right plan or with RESOURCE_EXHAUSTED, nothing leaks (the sanitizer presets look), and afterwards
 * all works. The linker puts these allocators in the place of libc's (--wrap). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/verify.h"
#include "conf/conf.h"
#include "core/core.h"
#include "core/job.h"
#include "log/log.h"
#include "metrics/metrics.h"
#include "serve/command_line.h"
#include "suite.h"
#include "work/job.h"

static bool is_armed;
static uint64_t n_left; /* allocations until the one that fails */
static uint64_t n_failed;

static bool fails(void) {
  if (!is_armed) {
    return false;
  }
  if (n_left > 0) {
    n_left--;
    return false;
  }
  is_armed = false; /* only one */
  n_failed++;
  return true;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *ptr, size_t n);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *ptr, size_t n);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t n);

void *__wrap_malloc(size_t n) {
  return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size) {
  return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *ptr, size_t n) {
  return fails() ? NULL : __real_realloc(ptr, n);
}

char *__wrap_strdup(const char *text) {
  return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t n) {
  return fails() ? NULL : __real_strndup(text, n);
}

/* libcheck allocates, too. */
#define MUST(condition)                                                                                      \
  do {                                                                                                       \
    bool was_armed_ = is_armed;                                                                              \
    is_armed = false;                                                                                        \
    ck_assert(condition);                                                                                    \
    is_armed = was_armed_;                                                                                   \
  } while (0)

/* Runs `scenario` with the nth allocation failing, for every n until none is left to fail. */
static void for_every_allocation(void (*scenario)(void), uint64_t least) {
  uint64_t n = 0;
  for (;; n++) {
    ck_assert_uint_lt(n, 1000000);
    n_left = n;
    n_failed = 0;
    is_armed = true;
    scenario();
    is_armed = false;
    if (n_failed == 0) {
      break;
    }
  }
  ck_assert_uint_ge(n, least); /* the scenario does allocate */
}

static bool is_memory(enum berth_code code) {
  return code == BERTH_RESOURCE_EXHAUSTED;
}

/* ---- The core ---- */

enum { N_PROBLEMS = 3, N_BUFFERS = 12 };
static struct berth_problem *problems[N_PROBLEMS]; /* the same rows in three orders */

static void make_problems(void) {
  for (uint32_t k = 0; k < N_PROBLEMS; k++) {
    struct berth_problem_builder *builder;
    ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
    for (uint32_t i = 0; i < N_BUFFERS; i++) {
      uint32_t row = (i * 5 + k * 7) % N_BUFFERS;
      struct berth_buffer_spec spec = berth_buffer_spec_default();
      spec.size_bytes = 16 + row * 8;
      spec.lower = row / 2;
      spec.upper = row / 2 + 3;
      ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, NULL, NULL), BERTH_OK);
    }
    ck_assert_int_eq(berth_problem_builder_finish(builder, &problems[k], NULL), BERTH_OK);
    berth_problem_builder_destroy(builder);
  }
}

struct client {
  int n_done;
  enum berth_code code;
  const struct berth_plan *plan;
  struct berthd_request *request;
};

static void on_done(void *ctx, const struct berthd_answer *answer) {
  struct client *client = ctx;
  client->n_done++;
  client->code = answer->code;
  client->plan = answer->plan != NULL ? berth_plan_ref(answer->plan) : NULL;
}

static enum berth_code run_check(
    void *ctx, const struct berthd_task_stop *stop, const struct berth_allocator *allocator,
    struct berth_error *err) {
  (void)stop;
  (void)ctx;
  const uint64_t offset[N_BUFFERS] = {0};
  struct berth_verdict verdict;
  return berth_verify_offsets(problems[0], NULL, offset, allocator, NULL, 0, &verdict, err);
}

static void release(void *ctx) {
  (void)ctx;
}

static void on_checked(void *ctx, const struct berthd_task_answer *answer) {
  struct client *client = ctx;
  client->n_done++;
  client->code = answer->code;
}

static int64_t now_ns(void *ctx) {
  (void)ctx;
  return 1000;
}

static void wake_worker(void *ctx) {
  (void)ctx;
}

static void wake_timer(void *ctx, int64_t at_ns) {
  (void)ctx;
  (void)at_ns;
}

static void beat(void *ctx) {
  (void)ctx;
}

static void on_progress(void *ctx, struct berthd_job *job, const struct berth_progress *progress) {
  (void)ctx;
  (void)job;
  (void)progress;
}

static void submit(struct berthd_core *core, struct client *client, struct berth_problem *problem) {
  const struct berthd_callbacks callbacks = {.ctx = client, .on_done = on_done};
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = 100000;
  options.strategies = (1u << BERTH_STRATEGY_COLOURING) | (1u << BERTH_STRATEGY_PLACEMENT);
  *client = (struct client){0};
  berthd_core_submit(core, problem, &options, BERTHD_NO_DEADLINE, &callbacks, &client->request);
  MUST((client->request == NULL) == (client->n_done == 1));
}

static void work(struct berthd_core *core) {
  const struct berthd_job_hooks hooks = {.beat = beat, .on_progress = on_progress};
  struct berthd_job *job;
  while ((job = berthd_core_take(core)) != NULL) {
    struct berthd_result result;
    berthd_job_run(job, 0, &hooks, &result);
    berthd_core_finish(core, job, &result);
    berthd_result_finish(&result);
  }
}

static void finish(struct client *client, const struct berth_problem *problem) {
  bool was_armed = is_armed;
  is_armed = false; /* the check is the test's */
  ck_assert_int_eq(client->n_done, 1);
  ck_assert(client->code == BERTH_OK || is_memory(client->code));
  ck_assert_int_eq(client->code == BERTH_OK && problem != NULL, client->plan != NULL);
  if (client->plan != NULL) {
    struct berth_verdict verdict;
    ck_assert_int_eq(berth_verify(problem, client->plan, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
    ck_assert_uint_eq(verdict.n_violations, 0);
  }
  berthd_request_unref(client->request);
  berth_plan_unref(client->plan);
  is_armed = was_armed;
}

static void scenario_core(void) {
  struct berthd_core *core = NULL;
  struct berthd_core_config config = berthd_core_config_default();
  config.failure_ttl_ns = 0;
  const struct berthd_core_hooks hooks = {
      .now_ns = now_ns, .wake_worker = wake_worker, .wake_timer = wake_timer};
  enum berth_code code = berthd_core_create(&config, &hooks, &core, NULL);
  MUST(code == BERTH_OK || is_memory(code));
  if (code != BERTH_OK) {
    return;
  }
  struct client leader, joined, hit, last, checked = {0};
  const struct berthd_task check = {.n_buffers = N_BUFFERS, .run = run_check, .release = release};
  submit(core, &leader, problems[0]);
  submit(core, &joined, problems[1]);
  berthd_core_submit_task(core, &check, BERTHD_NO_DEADLINE, &checked, on_checked, &checked.request);
  work(core);
  submit(core, &hit, problems[2]);
  work(core);
  bool was_armed = is_armed;
  is_armed = false; /* after the failure all works */
  submit(core, &last, problems[1]);
  work(core);
  ck_assert_int_eq(last.code, BERTH_OK);
  is_armed = was_armed;
  finish(&leader, problems[0]);
  finish(&joined, problems[1]);
  finish(&hit, problems[2]);
  finish(&last, problems[1]);
  finish(&checked, NULL);
  MUST(berthd_core_n_open(core) == 0);
  berthd_core_destroy(core);
}

START_TEST(core) {
  berthd_log_set_level(BERTHD_LOG_ERROR);
  make_problems();
  for_every_allocation(scenario_core, 30);
  for (int i = 0; i < N_PROBLEMS; i++) {
    berth_problem_unref(problems[i]);
  }
}
END_TEST

/* ---- Configuration and command line ---- */

static void scenario_conf(void) {
  struct berthd_conf conf;
  enum berth_code code = berthd_conf_init(&conf, NULL);
  if (code == BERTH_OK) {
    code = berthd_conf_read_text(
        &conf, "[listen]\nunix = /x\ntcp = 127.0.0.1:1 127.0.0.1:2\n[http]\nlisten =\n", "x", NULL);
  }
  if (code == BERTH_OK) {
    code = berthd_conf_set(&conf, "listen-tcp", "[::1]:9", NULL);
  }
  MUST(code == BERTH_OK || is_memory(code));
  MUST((code == BERTH_OK) == (n_failed == 0));
  berthd_conf_finish(&conf);
}

static char words[][24] = {"berthd", "--server-queue=7", "--listen-unix", "/y", "--check"};

static void scenario_command_line(void) {
  char *const argv[] = {words[0], words[1], words[2], words[3], words[4], NULL};
  struct berthd_command_line line;
  struct berthd_conf conf;
  char *const environment[] = {NULL};
  enum berth_code code = berthd_command_line_init(&line, 5, argv, NULL);
  if (code == BERTH_OK) {
    code = berthd_command_line_configure(&line, environment, &conf, NULL);
    berthd_conf_finish(&conf);
  }
  MUST(code == BERTH_OK || is_memory(code));
  MUST((code == BERTH_OK) == (n_failed == 0));
  berthd_command_line_finish(&line);
}

START_TEST(configuration) {
  for_every_allocation(scenario_conf, 5);
  for_every_allocation(scenario_command_line, 5);
}
END_TEST

static void scenario_metrics(void) {
  struct berthd_metrics *metrics = berthd_metrics_create();
  berthd_metrics_add(metrics, BERTHD_METRIC_REJECTED, 0, 0, 1);
  berthd_metrics_destroy(metrics);
}

START_TEST(metrics) {
  for_every_allocation(scenario_metrics, 1);
}
END_TEST

int main(void) {
  return berth_suite_run("fault/daemon", (const TTest *const[]){core, configuration, metrics, NULL});
}
