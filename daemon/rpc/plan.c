/* ComputePlan and StreamPlan.
 *
 * Happy path: the bytes of the request are known and the core still has the plan, and the reply of the last
 * time goes out again. Else: decode, submit; the core answers at once from its cache, or later from a worker.
 */
#include <stdio.h>
#include <string.h>

#include "core/misses.h"
#include "rpc/internal.h"

static bool is_infeasible(const struct berthd_answer *answer) {
  return answer->code == BERTH_OK && answer->plan->status == BERTH_PLAN_INFEASIBLE;
}

static struct berth_codec_plan plan_of(const struct berthd_answer *answer) {
  struct berth_codec_plan plan = {
      .plan = answer->plan, .solve_seconds = answer->solve_seconds, .cached = answer->cached};
  memcpy(plan.plan_id, answer->id.hex, sizeof plan.plan_id);
  return plan;
}

/* Proven not to fit: an error by the protocol, with the figures of the plan in its details. */
static void reply_does_not_fit(struct call *call, const struct berthd_answer *answer, struct reply *out) {
  struct berth_codec_plan plan = plan_of(answer);
  uint64_t capacity = call->capacity_bytes;
  const struct berth_pools *pools = berth_problem_pools(call->problem);
  if (pools->items[0].capacity_bytes < capacity) {
    capacity = pools->items[0].capacity_bytes;
  }
  uint32_t culprit = answer->plan->n_culprits > 0 ? answer->plan->culprits[0] : BERTH_NO_INDEX;
  struct berth_error err;
  char why[96];
  if (pools->n == 1 && answer->plan->lower_bound_bytes > capacity) {
    snprintf(
        why, sizeof why, "it needs at least %llu bytes, and the capacity is %llu",
        (unsigned long long)answer->plan->lower_bound_bytes, (unsigned long long)capacity);
  } else { /* the bound is of all pools, and it may be another's capacity, or its largest block */
    snprintf(
        why, sizeof why, "at least %llu bytes are lacking", (unsigned long long)answer->plan->short_by_bytes);
  }
  berth_fail(
      &err, BERTH_FAILED_PRECONDITION, BERTH_REASON_DOES_NOT_FIT, culprit, "options.capacity_bytes",
      "the problem does not fit: %s", why);
  reply_error(out, &err, 0, &plan, capacity);
}

static void put_miss(const struct berthd_miss *miss, struct berth_codec_miss *out) {
  static const char *const REASONS[] = {
#define V(d, name, text) text,
      BERTHD_VALUES_MISS(V, MISS)
#undef V
  };
  *out = (struct berth_codec_miss){.nearest_is_kept = miss->nearest_is_kept, .n = miss->n};
  snprintf(out->reason, sizeof out->reason, "%s", REASONS[miss->reason]);
  if (miss->has_nearest) {
    memcpy(out->nearest, miss->nearest.hex, sizeof out->nearest);
  }
  for (uint32_t i = 0; i < miss->n; i++) {
    const char *name = berth_planid_section_name(miss->items[i].section);
    snprintf(out->items[i].section, sizeof out->items[i].section, "%s", name);
    out->items[i].n_entries = miss->items[i].n_entries;
  }
}

_Static_assert((int)BERTH_PLANID_N_SECTIONS <= (int)BERTH_CODEC_MOST_DIFFERENCES, "each has room");

static void reply_plan(struct call *call, const struct berthd_answer *answer, struct reply *out) {
  struct berth_codec_plan plan = plan_of(answer);
  const struct berth_problem *problem = answer->problem != NULL ? answer->problem : call->problem;
  plan.stable = call->stable;
  struct berth_codec_miss miss;
  if (answer->miss != NULL) {
    put_miss(answer->miss, &miss);
    plan.miss = &miss;
  }
  struct slice_sink sink;
  struct berth_error err;
  slice_sink_init(&sink);
  enum berth_code code = call->stream
                             ? berth_codec_encode_stream_result(&plan, problem, NULL, &sink.base, &err)
                             : berth_codec_encode_compute_response(&plan, problem, NULL, &sink.base, &err);
  if (code != BERTH_OK) {
    reply_error(out, &err, 0, NULL, 0);
    return;
  }
  reply_message(out, sink.slice);
}

/* Only what the cache has answered is kept in wire form: it says "cached", and it is asked for more than
 * once. The cache answers on the thread that submits, before `start` lets go of the request's bytes; a
 * worker's answer does not come here. */
static void keep_reply(struct call *call, const struct berthd_answer *answer, const struct reply *reply) {
  if (answer->cached && call->request_bytes != NULL && reply->code == BERTH_OK) {
    replies_put(
        call->rpc->replies, call->request_hash, *call->request_bytes, &answer->id, answer->serial,
        reply->message);
  }
}

static void on_done(void *ctx, const struct berthd_answer *answer) {
  struct call *call = ctx;
  struct reply reply;
  if (answer->code != BERTH_OK) {
    reply_error(&reply, &answer->error, answer->retry_after_ms, NULL, 0);
  } else if (is_infeasible(answer)) {
    reply_does_not_fit(call, answer, &reply);
  } else {
    reply_plan(call, answer, &reply);
    keep_reply(call, answer, &reply);
  }
  call_finish(call, &reply);
  call_unref(call);
}

static void on_progress(void *ctx, const struct berth_progress *progress, int64_t elapsed_ns) {
  struct call *call = ctx;
  struct slice_sink sink;
  slice_sink_init(&sink);
  if (berth_codec_encode_stream_progress(progress, (double)elapsed_ns / 1e9, &sink.base, NULL) == BERTH_OK) {
    call_write(call, sink.slice);
  }
}

static void reply_validated(struct call *call) {
  const struct berth_codec_plan none = {.plan = NULL};
  struct slice_sink sink;
  struct reply reply;
  struct berth_error err;
  slice_sink_init(&sink);
  if (berth_codec_encode_compute_response(&none, NULL, NULL, &sink.base, &err) == BERTH_OK) {
    reply_message(&reply, sink.slice);
  } else {
    reply_error(&reply, &err, 0, NULL, 0);
  }
  call_finish(call, &reply);
}

enum berth_code refuse_plan(const struct berthd_rpc *rpc, const char *what, struct berth_error *err) {
  berthd_metrics_add(rpc->metrics, BERTHD_METRIC_VERIFY_FAILURES, 0, 0, 1);
  return berth_fail(
      err, BERTH_INTERNAL, BERTH_REASON_VERIFICATION_FAILED, BERTH_NO_INDEX, NULL,
      "the independent check refused %s", what);
}

enum berth_code
settle_budget(const struct berthd_rpc *rpc, struct berth_solve_options *options, struct berth_error *err) {
  if (options->budget_ticks == 0) {
    options->budget_ticks = rpc->config.default_budget_ticks;
  }
  if (options->budget_ticks <= rpc->config.max_budget_ticks) {
    return BERTH_OK;
  }
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "options.budget_ticks",
      "options.budget_ticks is %llu; the server allows %llu", (unsigned long long)options->budget_ticks,
      (unsigned long long)rpc->config.max_budget_ticks);
}

static void submit(struct call *call, struct berth_codec_compute *request) {
  struct berthd_rpc *rpc = call->rpc;
  call->problem = request->problem;
  request->problem = NULL;
  call->stable = request->options.stable; /* the core has one of its own */
  call->capacity_bytes = request->options.capacity_bytes;
  const struct berthd_callbacks callbacks = {
      .ctx = call_ref(call),
      .explains_miss = request->explain_miss,
      .on_progress = call->stream ? on_progress : NULL,
      .on_done = on_done};
  struct berthd_request *handle = NULL;
  berthd_core_submit(
      rpc->core, call->problem, &request->options, call_deadline_ns(call), &callbacks, &handle);
  request->options.stable = NULL;
  if (handle != NULL) {
    call->request = handle;
    call_watch_close(call);
  }
}

static void decode_and_submit(struct call *call, grpc_slice bytes) {
  struct berthd_rpc *rpc = call->rpc;
  struct berth_codec_compute request;
  struct berth_error err;
  const uint8_t *start = GRPC_SLICE_START_PTR(bytes);
  size_t n = GRPC_SLICE_LENGTH(bytes);
  enum berth_code code = call->stream ? berth_codec_decode_stream(&rpc->codec, start, n, &request, &err)
                                      : berth_codec_decode_compute(&rpc->codec, start, n, &request, &err);
  if (code == BERTH_OK) {
    code = settle_budget(rpc, &request.options, &err);
  }
  if (code != BERTH_OK) {
    count_refusal(rpc, &err);
    call_fail(call, &err);
  } else if (request.validate_only) {
    reply_validated(call);
  } else {
    submit(call, &request);
  }
  berth_codec_compute_finish(&request);
}

/* True if the call was ended with a reply that was kept. */
static bool answer_again(struct call *call, grpc_slice bytes) {
  struct berthd_rpc *rpc = call->rpc;
  if (rpc->replies == NULL || call->stream) {
    return false;
  }
  grpc_slice message;
  call->request_hash = replies_hash(rpc->replies, GRPC_SLICE_START_PTR(bytes), GRPC_SLICE_LENGTH(bytes));
  if (!replies_find(rpc->replies, rpc->core, call->request_hash, bytes, &message)) {
    return false;
  }
  struct reply reply;
  reply_message(&reply, message);
  call_finish(call, &reply);
  return true;
}

static void start(struct call *call) {
  grpc_slice bytes;
  struct berth_error err;
  if (to_lane(call)) {
    return;
  }
  if (payload_bytes(call->payload, call->rpc->config.limits.message_bytes, &bytes, &err) != BERTH_OK) {
    count_refusal(call->rpc, &err);
    call_fail(call, &err);
    return;
  }
  grpc_byte_buffer_destroy(call->payload); /* a large upload is not held for the time of the search */
  call->payload = NULL;
  call_ref(call); /* a worker may end the call before `submit` returns */
  if (!answer_again(call, bytes)) {
    call->request_bytes = call->rpc->replies != NULL && !call->stream ? &bytes : NULL;
    decode_and_submit(call, bytes);
    call->request_bytes = NULL;
  }
  grpc_slice_unref(bytes);
  call_unref(call);
}

void compute_start(struct call *call) {
  start(call);
}

void stream_start(struct call *call) {
  call->stream = true;
  start(call);
}
