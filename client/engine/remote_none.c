/* A build without the parts that talk to a server. */
#include "engine/engine.h"

static enum berth_code refuse(const char *server, struct berth_error *err) {
  return berth_fail(
      err, BERTH_UNAVAILABLE, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "server",
      "%s: this berthctl was built without the parts that talk to a server; --local works", server);
}

void berthctl_remote_use_tls(const char *ca, const char *cert, const char *key) {
  (void)ca;
  (void)cert;
  (void)key; /* nothing remote is done */
}

void berthctl_remote_explain_miss(struct berthctl_miss *out_miss) {
  (void)out_miss; /* there is no cache */
}

enum berth_code berthctl_remote_plan(
    const char *server, const struct berth_problem *problem, const struct berth_solve_options *options,
    struct berthctl_watch *watch, struct berthctl_planned *out_planned, struct berth_error *err) {
  (void)problem;
  (void)options;
  (void)watch;
  *out_planned = (struct berthctl_planned){.plan = NULL};
  return refuse(server, err);
}

enum berth_code berthctl_remote_get(
    const char *server, const char *plan_id, struct berthctl_watch *watch,
    struct berthctl_planned *out_planned, struct berth_measured *out_measured, struct berth_error *err) {
  (void)plan_id;
  (void)watch;
  *out_measured = (struct berth_measured){.n = 0};
  *out_planned = (struct berthctl_planned){.plan = NULL};
  return refuse(server, err);
}

enum berth_code berthctl_remote_verify(
    const char *server, const struct berth_problem *problem, const uint32_t *pool, const uint64_t *offset,
    struct berthctl_watch *watch, struct berth_violation *out_violations, uint32_t n_capacity,
    struct berth_verdict *out_verdict, struct berth_error *err) {
  (void)problem;
  (void)pool;
  (void)offset;
  (void)watch;
  (void)out_violations;
  (void)n_capacity;
  (void)out_verdict;
  return refuse(server, err);
}

enum berth_code berthctl_remote_list(
    const char *server, uint32_t page_size, struct berthctl_watch *watch, struct berth_stored_plan *out_plans,
    uint32_t *out_n_plans, char token[BERTH_PAGE_TOKEN_SIZE], struct berth_error *err) {
  (void)page_size;
  (void)watch;
  (void)out_plans;
  *out_n_plans = 0;
  token[0] = '\0';
  return refuse(server, err);
}

enum berth_code berthctl_remote_delete(
    const char *server, const char *plan_id, struct berthctl_watch *watch, struct berth_error *err) {
  (void)plan_id;
  (void)watch;
  return refuse(server, err);
}

enum berth_code berthctl_remote_measure(
    const char *server, const char *plan_id, struct berthctl_watch *watch,
    struct berth_measurement *measurement, uint64_t *out_n_measurements, struct berth_error *err) {
  (void)plan_id;
  (void)watch;
  (void)measurement;
  *out_n_measurements = 0;
  return refuse(server, err);
}

enum berth_code berthctl_remote_health(
    const char *server, const char *service, struct berthctl_watch *watch, const char **out_word,
    struct berth_error *err) {
  (void)service;
  (void)watch;
  *out_word = "UNKNOWN";
  return refuse(server, err);
}

enum berth_code berthctl_remote_largest(
    const char *server, const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_largest_question *question, struct berthctl_watch *watch, struct berth_largest *out,
    struct berth_error *err) {
  (void)problem;
  (void)options;
  (void)question;
  (void)watch;
  *out = (struct berth_largest){.n_plans = 0};
  return refuse(server, err);
}

enum berth_code berthctl_remote_variants(
    const char *server, struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_bindings *variants, uint32_t n_variants, struct berthctl_watch *watch,
    struct berthctl_variants *out, struct berth_error *err) {
  (void)problem;
  (void)options;
  (void)variants;
  (void)n_variants;
  (void)watch;
  *out = (struct berthctl_variants){.n = 0};
  return refuse(server, err);
}
