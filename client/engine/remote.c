#include <string.h>

#include "berth/restate.h"
#include "berth/variants.h"
#include "engine/engine.h"
#include "rpc/rpc.h"

void berthctl_remote_use_tls(const char *ca, const char *cert, const char *key) {
  berthctl_rpc_use_tls(ca, cert, key);
}

static void on_progress(void *ctx, const struct berth_progress *progress, double elapsed_seconds) {
  (void)elapsed_seconds;
  struct berth_progress latest = *progress;
  latest.arena_bytes = latest.arena_bytes != 0 ? latest.arena_bytes : BERTH_UNLIMITED;
  berthctl_watch_on_progress(ctx, &latest);
}

static struct berthctl_rpc_call watched_call(struct berthctl_watch *watch) {
  return (struct berthctl_rpc_call){
      .timeout_ns = watch->timeout_ns, .ctx = watch, .should_stop = berthctl_watch_interrupted};
}

/* What the plan is of; a server is not trusted to say how many buffers that has. */
static enum berth_code
find_problem(const struct berth_problem *problem, struct berthctl_planned *planned, struct berth_error *err) {
  struct berth_problem *own = (struct berth_problem *)(uintptr_t)problem; /* for its count of references */
  enum berth_code code = berth_problem_at_level(own, planned->plan->reuse, NULL, &planned->problem, err);
  bool has_columns = planned->plan->offset != NULL || planned->plan->slot != NULL;
  if (code == BERTH_OK && has_columns &&
      berth_problem_buffers(planned->problem)->n != planned->plan->n_buffers) {
    code = berth_fail(
        err, BERTH_INTERNAL, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, "plan.buffer_offset",
        "the server's answer has %u buffers, and the problem has %u", planned->plan->n_buffers,
        berth_problem_buffers(planned->problem)->n);
  }
  if (code != BERTH_OK) {
    berthctl_planned_finish(planned);
  } else if (!has_columns) { /* what does not fit comes without any */
    planned->plan->n_buffers = berth_problem_buffers(planned->problem)->n;
  }
  return code;
}

static void take_reply(struct berthctl_rpc_plan *reply, struct berthctl_planned *out_planned) {
  out_planned->plan = reply->plan;
  reply->plan = NULL;
  memcpy(out_planned->plan_id, reply->plan_id, sizeof out_planned->plan_id);
  out_planned->cached = reply->cached;
  out_planned->solve_seconds = reply->solve_seconds;
  berthctl_rpc_plan_finish(reply);
}

static struct berthctl_miss *miss_to_tell;

void berthctl_remote_explain_miss(struct berthctl_miss *out_miss) {
  miss_to_tell = out_miss;
}

static void tell_miss(const struct berth_codec_miss *miss, struct berthctl_miss *out) {
  *out = (struct berthctl_miss){.nearest_is_kept = miss->nearest_is_kept, .n = miss->n};
  memcpy(out->reason, miss->reason, sizeof out->reason);
  memcpy(out->nearest, miss->nearest, sizeof out->nearest);
  for (uint32_t i = 0; i < miss->n; i++) {
    memcpy(out->items[i].section, miss->items[i].section, sizeof out->items[i].section);
    out->items[i].n_entries = miss->items[i].n_entries;
  }
}

_Static_assert((int)BERTHCTL_WORD_SIZE == (int)BERTH_CODEC_WORD_SIZE, "words are copied whole");
_Static_assert((int)BERTHCTL_MOST_DIFFERENCES == (int)BERTH_CODEC_MOST_DIFFERENCES, "and all of them");

enum berth_code berthctl_remote_plan(
    const char *server, const struct berth_problem *problem, const struct berth_solve_options *options,
    struct berthctl_watch *watch, struct berthctl_planned *out_planned, struct berth_error *err) {
  *out_planned = (struct berthctl_planned){.plan = NULL};
  struct berthctl_rpc *rpc = NULL;
  enum berth_code code = berthctl_rpc_open(server, &rpc, err);
  if (code == BERTH_OK) {
    struct berthctl_rpc_call call = watched_call(watch);
    struct berth_codec_miss miss = {.n = 0};
    call.on_progress = watch->progress.is_shown && miss_to_tell == NULL ? on_progress : NULL;
    call.out_miss = miss_to_tell != NULL ? &miss : NULL;
    struct berthctl_rpc_plan reply = {.plan = NULL};
    code = berthctl_rpc_plan(rpc, problem, options, &call, &reply, err);
    if (miss_to_tell != NULL) {
      tell_miss(&miss, miss_to_tell);
    }
    if (code == BERTH_OK) {
      take_reply(&reply, out_planned);
      code = find_problem(problem, out_planned, err);
    }
  }
  berthctl_rpc_close(rpc);
  return code;
}

enum berth_code berthctl_remote_get(
    const char *server, const char *plan_id, struct berthctl_watch *watch,
    struct berthctl_planned *out_planned, struct berth_measured *out_measured, struct berth_error *err) {
  *out_measured = (struct berth_measured){.n = 0};
  *out_planned = (struct berthctl_planned){.plan = NULL};
  struct berthctl_rpc *rpc = NULL;
  enum berth_code code = berthctl_rpc_open(server, &rpc, err);
  if (code == BERTH_OK) {
    struct berthctl_rpc_call call = watched_call(watch);
    struct berthctl_rpc_plan reply = {.plan = NULL};
    call.out_measured = out_measured;
    code = berthctl_rpc_get(rpc, plan_id, &call, &reply, err);
    if (code == BERTH_OK) {
      take_reply(&reply, out_planned);
    }
  }
  berthctl_rpc_close(rpc);
  return code;
}

enum berth_code berthctl_remote_verify(
    const char *server, const struct berth_problem *problem, const uint32_t *pool, const uint64_t *offset,
    struct berthctl_watch *watch, struct berth_violation *out_violations, uint32_t n_capacity,
    struct berth_verdict *out_verdict, struct berth_error *err) {
  struct berthctl_rpc *rpc = NULL;
  enum berth_code code = berthctl_rpc_open(server, &rpc, err);
  if (code == BERTH_OK) {
    struct berthctl_rpc_call call = watched_call(watch);
    code =
        berthctl_rpc_verify(rpc, problem, pool, offset, &call, out_violations, n_capacity, out_verdict, err);
  }
  berthctl_rpc_close(rpc);
  return code;
}

enum berth_code berthctl_remote_health(
    const char *server, const char *service, struct berthctl_watch *watch, const char **out_word,
    struct berth_error *err) {
  struct berthctl_rpc *rpc = NULL;
  enum berthctl_health health = BERTHCTL_HEALTH_UNKNOWN;
  enum berth_code code = berthctl_rpc_open(server, &rpc, err);
  if (code == BERTH_OK) {
    struct berthctl_rpc_call call = watched_call(watch);
    code = berthctl_rpc_health(rpc, service, &call, &health, err);
  }
  *out_word = health == BERTHCTL_HEALTH_SERVING       ? "SERVING"
              : health == BERTHCTL_HEALTH_NOT_SERVING ? "NOT_SERVING"
                                                      : "UNKNOWN";
  berthctl_rpc_close(rpc);
  return code;
}

/* ---- Several variants ---- */

/* A server's plan is checked like any other, and one that is larger than that of the bounds is no answer. */
static enum berth_code take_variant(
    struct berth_problem *problem, const struct berth_solve_options *options,
    struct berth_codec_variant_result *result, struct berthctl_variant *out, struct berth_error *err) {
  const struct berth_verify_terms terms = {.capacity_bytes = options->capacity_bytes};
  struct berthctl_planned *planned = &out->planned;
  planned->plan = (struct berth_plan *)(uintptr_t)result->plan.plan; /* the decoder made it for us */
  result->plan.plan = NULL;
  memcpy(planned->plan_id, result->plan.plan_id, sizeof planned->plan_id);
  planned->cached = result->plan.cached;
  planned->solve_seconds = result->plan.solve_seconds;
  out->from_bounds = result->from_bounds;
  enum berth_code code = find_problem(problem, planned, err);
  return code == BERTH_OK ? berthctl_local_check(planned->problem, planned->plan, &terms, err) : code;
}

static enum berth_code take_variants(
    struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_bindings *variants, struct berth_codec_variant_result *results,
    struct berthctl_variants *out, struct berth_error *err) {
  struct berth_solve_options at_bounds = *options;
  at_bounds.capacity_bytes = BERTH_UNLIMITED;
  enum berth_code code = BERTH_OK;
  for (uint32_t i = 0; code == BERTH_OK && i <= out->n; i++) {
    struct berthctl_variant *item = i < out->n ? &out->items[i] : &out->bounds;
    struct berth_problem *stated = NULL;
    item->error = results[i].error;
    if (results[i].plan.plan == NULL) {
      continue;
    }
    code = i < out->n ? berth_variant_state(problem, &variants[i], NULL, &stated, err)
                      : berth_variant_bounds(problem, variants, out->n, NULL, &stated, err);
    if (code == BERTH_OK) {
      code = take_variant(stated, i < out->n ? options : &at_bounds, &results[i], item, err);
    }
    berth_problem_unref(stated);
  }
  return code;
}

enum berth_code berthctl_remote_variants(
    const char *server, struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_bindings *variants, uint32_t n_variants, struct berthctl_watch *watch,
    struct berthctl_variants *out, struct berth_error *err) {
  struct berth_codec_variant_result results[BERTH_MAX_VARIANTS + 1] = {{.from_bounds = false}};
  struct berthctl_rpc *rpc = NULL;
  *out = (struct berthctl_variants){.n = n_variants};
  enum berth_code code = berthctl_rpc_open(server, &rpc, err);
  if (code == BERTH_OK) {
    struct berthctl_rpc_call call = watched_call(watch);
    code = berthctl_rpc_variants(
        rpc, problem, options, variants, n_variants, &call, results, &results[n_variants], err);
  }
  berthctl_rpc_close(rpc);
  if (code == BERTH_OK) {
    code = take_variants(problem, options, variants, results, out, err);
    for (uint32_t i = 0; i <= n_variants; i++) {
      berth_plan_unref(results[i].plan.plan);
    }
  }
  if (code != BERTH_OK) {
    berthctl_variants_finish(out);
  }
  return code;
}

/* ---- The largest binding ---- */

struct search {
  const char *server;
  const struct berth_solve_options *options;
  struct berthctl_watch *watch;
};

static enum berth_code plan_checked(
    void *ctx, struct berth_problem *problem, struct berth_plan **out_plan, struct berth_error *err) {
  const struct search *search = ctx;
  struct berthctl_planned planned;
  enum berth_code code =
      berthctl_remote_plan(search->server, problem, search->options, search->watch, &planned, err);
  return berthctl_take_checked(code, &planned, out_plan, err);
}

enum berth_code berthctl_remote_largest(
    const char *server, const struct berth_problem *problem, const struct berth_solve_options *options,
    const struct berth_largest_question *question, struct berthctl_watch *watch, struct berth_largest *out,
    struct berth_error *err) {
  struct berthctl_rpc *rpc = NULL;
  *out = (struct berth_largest){.n_plans = 0};
  enum berth_code code = berthctl_rpc_open(server, &rpc, err);
  if (code == BERTH_OK) {
    struct berthctl_rpc_call call = watched_call(watch);
    code = berthctl_rpc_largest(rpc, problem, options, question, &call, out, err);
  }
  berthctl_rpc_close(rpc);
  if (code == BERTH_UNIMPLEMENTED) {
    struct search search = {.server = server, .options = options, .watch = watch};
    code = berth_find_largest(problem, question, plan_checked, &search, NULL, out, err);
  }
  return code;
}
