/* Plans and verdicts, from this process or from a daemon; both ways give the same. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "berth/berth.h"
#include "engine/watch.h"
#include "planid/planid.h"

struct berthctl_planned {
  struct berth_plan *plan;
  char plan_id[BERTH_PLANID_HEX_SIZE];
  bool cached;
  double solve_seconds;
};
void berthctl_planned_finish(struct berthctl_planned *planned);

/* Plans here. The deadline cuts the search short; with no plan at all by then it is DEADLINE_EXCEEDED. Ctrl-C
 * is CANCELLED. */
enum berth_code berthctl_local_plan(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    struct berthctl_watch *watch, struct berthctl_planned *out_planned,
    struct berth_error *err) BERTH_MUST_USE;

/* The independent check that every plan passes before it is shown; INTERNAL with reason VERIFICATION_FAILED.
 */
enum berth_code berthctl_local_check(
    const struct berth_problem *problem, const struct berth_plan *plan,
    struct berth_error *err) BERTH_MUST_USE;

/* A daemon's answers. `server` is an address as --server takes it. */
enum berth_code berthctl_remote_plan(
    const char *server, const struct berth_problem *problem, const struct berth_solve_options *options,
    struct berthctl_watch *watch, struct berthctl_planned *out_planned,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berthctl_remote_get(
    const char *server, const char *plan_id, struct berthctl_watch *watch,
    struct berthctl_planned *out_planned, struct berth_error *err) BERTH_MUST_USE;
enum berth_code berthctl_remote_verify(
    const char *server, const struct berth_problem *problem, const uint64_t *offset,
    struct berthctl_watch *watch, struct berth_violation *out_violations, uint32_t n_capacity,
    struct berth_verdict *out_verdict, struct berth_error *err) BERTH_MUST_USE;

/* Whether a service ("" is the whole server) serves. `out_word` is "SERVING", "NOT_SERVING" or "UNKNOWN". */
enum berth_code berthctl_remote_health(
    const char *server, const char *service, struct berthctl_watch *watch, const char **out_word,
    struct berth_error *err) BERTH_MUST_USE;

#endif
