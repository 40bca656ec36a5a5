/* A core without threads: the test is the clock, the workers and the timer. */
#ifndef TESTS_WORLD_H
#define TESTS_WORLD_H

#include "core/core.h"
#include "core/job.h"
#include "core/misses.h"
#include "metrics/metrics.h"

#define MS INT64_C(1000000)

struct world {
  struct berthd_core *core;
  struct berthd_metrics *metrics;
  int64_t now_ns;
  int64_t timer_ns; /* what the core asked for */
  uint32_t n_wakes;
  bool explains_misses; /* clients ask for it */
};

void world_init(struct world *world, const struct berthd_core_config *config); /* NULL: defaults */
void world_finish(struct world *world);
/* To that time, with a tick whenever the core asked for one. */
void world_advance(struct world *world, int64_t to_ns);

/* What a client saw. */
struct client {
  int n_done;
  int n_progress;
  struct berth_progress progress; /* the last */
  bool late_progress;             /* after the answer: never */
  enum berth_code code;
  enum berth_reason reason;
  enum berth_plan_status status;
  bool cached;
  bool joined;
  bool is_final;
  uint32_t retry_after_ms;
  uint64_t arena_bytes;
  struct berth_planid id;
  const struct berth_plan *plan; /* a reference, or NULL */
  int64_t done_ns;
  bool has_miss;
  struct berthd_miss miss;
  struct world *world;
  struct berthd_request *request;
  struct berth_problem *problem;
};

/* `problem` may be NULL: then the client brings world_problem(seed). */
void client_submit(
    struct client *client, struct world *world, struct berth_problem *problem, int64_t deadline_ns);
/* With options other than the world's. */
void client_submit_with(
    struct client *client, struct world *world, struct berth_problem *problem,
    const struct berth_solve_options *options, int64_t deadline_ns);
void client_finish(struct client *client);
/* The plan stands the check against the client's own problem. */
void client_check_plan(const struct client *client);

struct berth_solve_options world_options(void); /* placement only: quick */
/* A problem of `n` buffers from a seed; `order_seed` shuffles its rows and `named` gives them ids by row. */
struct berth_problem *world_problem(uint32_t n, uint64_t seed, uint64_t order_seed, bool named);

/* A worker's job, really planned: how it ends. */
enum ending { ENDS_WELL, ENDS_CUT_SHORT, ENDS_WITHOUT_PLAN, ENDS_BAD };
void world_work(struct world *world, enum ending ending);
void world_finish_job(struct world *world, struct berthd_job *job, enum ending ending);

#endif
