/* One job on the calling thread: plan and check, or a task. Nothing is planned anywhere else. */
#ifndef WORK_JOB_H
#define WORK_JOB_H

#include "core/job.h"

struct berthd_job_hooks {
  void *ctx;
  const struct berth_executor *executor; /* who helps, or NULL */
  void (*beat)(void *ctx);               /* often, while the job is alive; on any thread */
  void (*on_progress)(void *ctx, struct berthd_job *job, const struct berth_progress *progress);
};

/* Fills *out_result; end it with berthd_result_finish. */
void berthd_job_run(
    struct berthd_job *job, uint64_t memory_bytes, const struct berthd_job_hooks *hooks,
    struct berthd_result *out_result);
void berthd_result_finish(struct berthd_result *result);

#endif
