/* Plans and verdicts, from this process or from a daemon; both ways give the same. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "berth/berth.h"
#include "engine/watch.h"
#include "planid/stored.h"

struct berthctl_planned {
  struct berth_plan *plan;
  struct berth_problem *problem; /* what it is of: the problem that was asked about, or, where plan->reuse
                                    says so, the same without results in place. NULL if that is not known */
  char plan_id[BERTH_PLANID_HEX_SIZE];
  bool cached;
  double solve_seconds;
};
void berthctl_planned_finish(struct berthctl_planned *planned);

/* Why a daemon's cache had no plan; reason "" where it had, or was not asked. */
enum { BERTHCTL_MOST_DIFFERENCES = 32, BERTHCTL_WORD_SIZE = 64 };
struct berthctl_miss {
  char reason[BERTHCTL_WORD_SIZE];
  char nearest[BERTH_PLANID_HEX_SIZE]; /* "" for none */
  bool nearest_is_kept;
  uint32_t n;
  struct {
    char section[BERTHCTL_WORD_SIZE];
    uint64_t n_entries; /* 0: not known */
  } items[BERTHCTL_MOST_DIFFERENCES];
};
/* The next plans of berthctl_remote_plan tell it here; NULL: no more. */
void berthctl_remote_explain_miss(struct berthctl_miss *out_miss);

/* How many threads plan here: 0, which is where it begins, is one a processor that the process may use. */
void berthctl_local_use_threads(uint32_t n_threads);

/* Plans here. The deadline cuts the search short; with no plan at all by then it is DEADLINE_EXCEEDED. Ctrl-C
 * is CANCELLED. */
enum berth_code berthctl_local_plan(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    struct berthctl_watch *watch, struct berthctl_planned *out_planned,
    struct berth_error *err) BERTH_MUST_USE;

/* The independent check that every plan passes before it is shown; INTERNAL with reason VERIFICATION_FAILED.
 * `terms` is what was asked, NULL where that is not known. */
enum berth_code berthctl_local_check(
    const struct berth_problem *problem, const struct berth_plan *plan,
    const struct berth_verify_terms *terms, struct berth_error *err) BERTH_MUST_USE;

/* Ends `planned`, of which `code` says whether it was made, and hands its plan out if it passes that check.
 */
enum berth_code berthctl_take_checked(
    enum berth_code code, struct berthctl_planned *planned, struct berth_plan **out_plan,
    struct berth_error *err) BERTH_MUST_USE;

/* And what the plan says of an earlier one that it was asked to keep (NULL: of none). */
enum berth_code berthctl_local_check_stability(
    const struct berth_problem *problem, const struct berth_plan *plan, const struct berth_stable *stable,
    struct berth_error *err) BERTH_MUST_USE;

/* A daemon's answers. `server` is an address as --server takes it. */
enum berth_code berthctl_remote_plan(
    const char *server, const struct berth_problem *problem, const struct berth_solve_options *options,
    struct berthctl_watch *watch, struct berthctl_planned *out_planned,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berthctl_remote_get(
    const char *server, const char *plan_id, struct berthctl_watch *watch,
    struct berthctl_planned *out_planned, struct berth_measured *out_measured,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berthctl_remote_verify(
    const char *server, const struct berth_problem *problem, const uint32_t *pool, const uint64_t *offset,
    struct berthctl_watch *watch, struct berth_violation *out_violations, uint32_t n_capacity,
    struct berth_verdict *out_verdict, struct berth_error *err) BERTH_MUST_USE;

/* Whatever is remote uses TLS from now on, with these PEM texts, which stay the caller's: authorities (NULL:
 * the system's), a certificate and its key (NULL: none). */
void berthctl_remote_use_tls(const char *ca, const char *cert, const char *key);

/* ---- The plans that a daemon has ---- */

/* A page; room for BERTH_PAGE_SIZE_MOST plans. `token` is "" for the first, then as it came back, and ""
 * again after the last. */
enum berth_code berthctl_remote_list(
    const char *server, uint32_t page_size, struct berthctl_watch *watch, struct berth_stored_plan *out_plans,
    uint32_t *out_n_plans, char token[BERTH_PAGE_TOKEN_SIZE], struct berth_error *err) BERTH_MUST_USE;
enum berth_code berthctl_remote_delete(
    const char *server, const char *plan_id, struct berthctl_watch *watch,
    struct berth_error *err) BERTH_MUST_USE;

/* `measurement` says the pool, the bytes and the source; the daemon fills in the rest. */
enum berth_code berthctl_remote_measure(
    const char *server, const char *plan_id, struct berthctl_watch *watch,
    struct berth_measurement *measurement, uint64_t *out_n_measurements,
    struct berth_error *err) BERTH_MUST_USE;

/* ---- The largest binding ---- */

/* Each plan is checked before it counts. */
enum berth_code berthctl_local_largest(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_largest_question *question, struct berthctl_watch *watch, struct berth_largest *out,
    struct berth_error *err) BERTH_MUST_USE;
/* By the daemon; by one that does not know the call, plan by plan, each checked here. */
enum berth_code berthctl_remote_largest(
    const char *server, const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_largest_question *question, struct berthctl_watch *watch, struct berth_largest *out,
    struct berth_error *err) BERTH_MUST_USE;

/* ---- Several variants ---- */

struct berthctl_variant {
  struct berthctl_planned planned; /* without a plan: `error` says why */
  bool from_bounds;
  struct berth_error error;
};

struct berthctl_variants {
  uint32_t n;
  struct berthctl_variant items[BERTH_MAX_VARIANTS];
  struct berthctl_variant bounds;
};
void berthctl_variants_finish(struct berthctl_variants *variants);

/* A variant's plan is replaced where that of the bounds has better places for it. Without a plan after an
 * error. */
enum berth_code berthctl_hold(
    struct berth_problem *problem, const struct berth_plan *at_bounds,
    const struct berth_solve_options *options, struct berthctl_variant *variant,
    struct berth_error *err) BERTH_MUST_USE;

/* One after another. An error is of all of them; those of one are in `out`. */
enum berth_code berthctl_local_variants(
    struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_bindings *variants, uint32_t n_variants, struct berthctl_watch *watch,
    struct berthctl_variants *out, struct berth_error *err) BERTH_MUST_USE;
enum berth_code berthctl_remote_variants(
    const char *server, struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_bindings *variants, uint32_t n_variants, struct berthctl_watch *watch,
    struct berthctl_variants *out, struct berth_error *err) BERTH_MUST_USE;

/* ---- Health ---- */

/* Whether a service ("" is the whole server) serves. `out_word` is "SERVING", "NOT_SERVING" or "UNKNOWN". */
enum berth_code berthctl_remote_health(
    const char *server, const char *service, struct berthctl_watch *watch, const char **out_word,
    struct berth_error *err) BERTH_MUST_USE;

#endif
