/* Threads that help whoever plans with the tasks of a search (berth/executor.h). Any number of threads may
 * plan at a time with one crew: each does its own tasks itself, helpers take some of them, and nobody waits
 * for a helper but for a task that it has begun. */
#ifndef CREW_CREW_H
#define CREW_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/executor.h"
#include "berth/status.h"

struct berth_crew;

struct berth_crew_config {
  uint32_t n_helpers; /* at most BERTH_MAX_WORKERS - 1 */
  int nice;           /* how much less urgent helpers are */
  void *ctx;
  /* Whether one more may help now, beside n_helping that do. Asked before each task, with a lock held: it
   * must not call back. NULL: always. */
  bool (*may_help)(void *ctx, uint32_t n_helping);
  void (*on_helped)(void *ctx); /* a helper has done a task; NULL is fine */
};

enum berth_code berth_crew_create(
    const struct berth_crew_config *config, struct berth_crew **out_crew,
    struct berth_error *err) BERTH_MUST_USE;

/* Good while the crew is. */
const struct berth_executor *berth_crew_executor(const struct berth_crew *crew);

/* may_help may say something else now. */
void berth_crew_wake(struct berth_crew *crew);

/* Nobody plans with it any more. NULL is fine. */
void berth_crew_destroy(struct berth_crew *crew);

#endif
