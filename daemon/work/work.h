/* The threads: workers that plan, helpers that take parts of their searches while other workers have nothing
 * to do, and one that keeps the deadlines. They block all signals and run a little
 * less urgently than the threads that answer, so that a hit is not kept waiting by a search. */
#ifndef WORK_WORK_H
#define WORK_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"

struct berthd_work;

struct berthd_work_config {
  uint32_t n_workers;            /* 0: one a processor that the process may use */
  uint32_t n_helpers;            /* threads that do parts of searches in the place of idle workers */
  uint64_t request_memory_bytes; /* 0: no limit */
  struct berthd_metrics *metrics;
};

/* First the work, then the core with its hooks, then start. */
enum berth_code berthd_work_create(
    const struct berthd_work_config *config, struct berthd_work **out_work,
    struct berth_error *err) BERTH_MUST_USE;
struct berthd_core_hooks berthd_work_hooks(struct berthd_work *work);
uint32_t berthd_work_n_workers(const struct berthd_work *work);
enum berth_code
berthd_work_start(struct berthd_work *work, struct berthd_core *core, struct berth_error *err) BERTH_MUST_USE;

/* False if a busy worker or the keeper of deadlines has given no sign of life for `limit_ns`. */
bool berthd_work_is_alive(const struct berthd_work *work, int64_t limit_ns);

/* Ends the threads after the jobs they have (berthd_core_abort makes that soon). The core may be destroyed
 * then. */
void berthd_work_stop(struct berthd_work *work);
void berthd_work_destroy(struct berthd_work *work); /* NULL is fine */

#endif
