/* The seam between the core and those who work: take a job, do it, bring the result back. */
#ifndef CORE_JOB_H
#define CORE_JOB_H

#include <stdatomic.h>

#include "core/core.h"

enum berthd_job_kind { BERTHD_JOB_PLAN, BERTHD_JOB_TASK };

/* Valid from take to finish. */
struct berthd_job {
  enum berthd_job_kind kind;
  uint32_t n_buffers;
  struct berth_problem *problem; /* PLAN, as the next two */
  struct berth_solve_options options;
  struct berth_planid id;
  struct berthd_task task;  /* TASK */
  atomic_bool stop;         /* end as soon as there is a plan: nobody waits any more, or a deadline is near */
  atomic_bool is_urgent;    /* with `stop`: and also without one */
  atomic_bool is_abandoned; /* nobody waits: what was cut short need not be checked */
};

struct berthd_result {
  enum berth_code code;
  const struct berth_plan *plan; /* PLAN, with code OK: in the order of `problem`, checked */
  struct berth_problem *problem; /* what it is of: the job's, or that without results in place */
  bool was_stopped;              /* `stop` was seen by the search */
  bool is_deterministic;         /* a failure that would come again */
  double solve_seconds;
  double poll_seconds;  /* the longest that the search went without asking whether to stop */
  double check_seconds; /* of these: from the end of the search to the checked plan */
  struct berth_error error;
};

/* The oldest job that waits, or NULL. */
struct berthd_job *berthd_core_take(struct berthd_core *core);
/* From the search, on the worker's thread. */
void berthd_core_progress(
    struct berthd_core *core, struct berthd_job *job, const struct berth_progress *progress);
/* Ends the job; the result stays the caller's. */
void berthd_core_finish(struct berthd_core *core, struct berthd_job *job, const struct berthd_result *result);

/* The same plan in libc's memory, for one that was made with an allocator that ends with its job. NULL if
 * memory ran out. */
struct berth_plan *berthd_plan_copy(const struct berth_plan *plan);

#endif
