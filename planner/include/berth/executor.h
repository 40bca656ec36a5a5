/* Who runs the independent parts of a search. The planner has no threads: it hands tasks to the caller's, if
 * there are any, and the plan is the same, byte for byte, whoever runs them and in which order. */
#ifndef BERTH_EXECUTOR_H
#define BERTH_EXECUTOR_H

#include <stdint.h>

#define BERTH_MAX_WORKERS 60

struct berth_executor {
  void *ctx;
  uint32_t n_workers; /* how many tasks may run at once, 1 to BERTH_MAX_WORKERS */
  /* Calls task(argument, k) once for each k below n_tasks, in any order and on any threads, no more than
   * n_workers at once, and returns when all calls have: what tasks wrote is seen by the caller then. Lower k
   * first is best. Tasks may take long, do not wait for each other, and do not call `run` again. What it
   * leaves out, the planner does itself. */
  void (*run)(void *ctx, uint32_t n_tasks, void (*task)(void *argument, uint32_t index), void *argument);
};

#endif
