/* PlanVariants: the bounds and each variant are requests of their own to the core, so that each has its own
 * place in the cache and in a flight.
 *
 * Happy path: the lane's thread states the problems one after another and submits them, as many at once as
 * keep the workers busy; workers bring the plans; the lane goes on. Once the plan for the bounds is there, a
 * variant that it would do better is planned again from its places, by a task. When all are done the lane
 * answers.
 *
 * What fails is told of the variant that it is of. Only where there is no plan at all the call fails.
 *
 * Everything that can change is under `lock`. Only the lane's thread moves items but for RUNNING to LANDED,
 * which is what callbacks do; so it may look at what has landed without the lock. */
#include "codec/variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/restate.h"
#include "berth/verify.h"
#include "core/job.h"
#include "rpc/internal.h"

#define CLOSE_BASE_NS 10000000 /* kept back from the deadline, to put the answer together */
#define CLOSE_PER_BUFFER_NS 500

enum item_state { WAITS, RUNS, LANDED, DONE };

struct item {
  struct variants *variants;
  enum item_state state;
  bool is_held; /* what runs is the second task, from the places of the bounds */
  struct berth_problem *problem;
  struct berthd_request *handles[2];
  const struct berth_plan *plan; /* NULL: `error` says why */
  struct berth_problem *of;
  const struct berth_plan *held_plan; /* the task's, and nobody else's until it has ended well */
  struct berth_problem *held_of;
  bool is_lost; /* `plan` may be larger than that of the bounds, and it is not known whether it is */
  struct berth_planid id;
  bool cached;
  bool from_bounds;
  double solve_seconds;
  uint32_t retry_after_ms;
  struct berth_error error;
};

struct variants {
  struct call *call;
  struct berthd_core *core;
  struct berth_codec_variants request;
  int64_t cut_ns; /* plans must be there by then */
  pthread_mutex_t lock;
  bool is_driven; /* the lane has the call, or will have */
  bool is_over;
  bool is_cancelled;
  uint32_t n_running;
  uint32_t n_items;    /* the variants, and the bounds as the last */
  struct item items[]; /* n_items */
};

void variants_destroy(struct variants *variants) {
  if (variants == NULL) {
    return;
  }
  for (uint32_t i = 0; i < variants->n_items; i++) {
    struct item *item = &variants->items[i];
    berthd_request_unref(item->handles[0]);
    berthd_request_unref(item->handles[1]);
    berth_plan_unref(item->plan);
    berth_problem_unref(item->of);
    berth_plan_unref(item->held_plan);
    berth_problem_unref(item->held_of);
    berth_problem_unref(item->problem);
  }
  berth_codec_variants_finish(&variants->request);
  pthread_mutex_destroy(&variants->lock);
  free(variants);
}

static struct item *bounds_of(struct variants *variants) {
  return &variants->items[variants->n_items - 1];
}

/* ---- What has landed ---- */

/* Takes a reference of the call, which the lane gives back. */
static void land(struct item *item) {
  struct variants *variants = item->variants;
  pthread_mutex_lock(&variants->lock);
  item->state = LANDED;
  variants->n_running--;
  bool wakes = !variants->is_driven;
  variants->is_driven = true;
  pthread_mutex_unlock(&variants->lock);
  if (wakes) {
    lane_push(variants->call->rpc->lane, call_ref(variants->call));
  }
}

static void on_plan(void *ctx, const struct berthd_answer *answer) {
  struct item *item = ctx;
  struct call *call = item->variants->call;
  item->error = answer->error;
  item->retry_after_ms = answer->retry_after_ms;
  item->id = answer->id;
  item->cached = answer->cached;
  item->solve_seconds = answer->solve_seconds;
  if (answer->code == BERTH_OK) {
    item->plan = berth_plan_ref(answer->plan);
    item->of = berth_problem_ref(answer->problem != NULL ? answer->problem : item->problem);
  }
  land(item);
  call_unref(call);
}

/* Where the task's time is over it may still run. */
static void on_held(void *ctx, const struct berthd_task_answer *answer) {
  struct item *item = ctx;
  struct call *call = item->variants->call;
  if (answer->code != BERTH_OK) {
    item->is_lost = true;
    item->error = answer->error;
    item->retry_after_ms = answer->retry_after_ms;
  } else if (item->held_plan != NULL) {
    berth_plan_unref(item->plan);
    berth_problem_unref(item->of);
    item->plan = item->held_plan;
    item->of = item->held_of;
    item->held_plan = NULL;
    item->held_of = NULL;
    item->from_bounds = true;
    item->cached = false;
  }
  land(item);
  call_unref(call);
}

/* ---- From the places of the bounds ---- */

static enum berth_code check(
    const struct variants *variants, const struct berth_problem *of, const struct berth_plan *plan,
    const struct berth_allocator *allocator, struct berth_error *err) {
  const struct berth_verify_terms terms = {.capacity_bytes = variants->request.options.capacity_bytes};
  struct berth_verdict verdict;
  enum berth_code code = berth_verify_answer(of, plan, &terms, allocator, NULL, 0, &verdict, err);
  if (code == BERTH_OK && verdict.n_violations > 0) {
    code = refuse_plan(variants->call->rpc, "a plan; it was not returned", err);
  }
  return code;
}

/* Out of the memory that ends with the task, and into the cache: who asks for this variant alone gets it,
 * too.
 */
static enum berth_code take_held(struct item *item, const struct berth_plan *plan, struct berth_error *err) {
  item->held_plan = berthd_plan_copy(plan);
  enum berth_code code = item->held_plan != NULL ? BERTH_OK : berth_fail_memory(err);
  code =
      code != BERTH_OK ? code : berth_problem_at_level(item->problem, plan->reuse, NULL, &item->held_of, err);
  if (code == BERTH_OK) {
    berthd_core_offer(
        item->variants->core, item->problem, &item->variants->request.options, item->held_of, item->held_plan,
        item->solve_seconds);
  }
  return code;
}

static enum berth_code hold(
    void *ctx, const struct berthd_task_stop *stop, const struct berth_allocator *allocator,
    struct berth_error *err) {
  struct item *item = ctx;
  struct variants *variants = item->variants;
  const struct berth_solve_hooks hooks = {.ctx = stop->ctx, .should_stop = stop->should_stop};
  const struct berth_plan *plan = berth_plan_ref(item->plan);
  struct berth_problem *of = berth_problem_ref(item->of);
  bool is_replaced = false;
  enum berth_code code = berth_variant_hold(
      item->problem, bounds_of(variants)->plan, &variants->request.options, &hooks, allocator, &of, &plan,
      &is_replaced, err);
  if (code == BERTH_OK && is_replaced) {
    code = check(variants, of, plan, allocator, err);
    code = code == BERTH_OK ? take_held(item, plan, err) : code;
  }
  berth_plan_unref(plan);
  berth_problem_unref(of);
  return code;
}

static void release(void *ctx) {
  struct item *item = ctx;
  call_unref(item->variants->call);
}

/* ---- The lane ---- */

/* A request is known only once it is submitted; the client may have gone before. */
static void keep_handle(struct item *item, struct berthd_request *handle) {
  struct variants *variants = item->variants;
  pthread_mutex_lock(&variants->lock);
  item->handles[item->is_held] = handle;
  bool is_cancelled = variants->is_cancelled;
  pthread_mutex_unlock(&variants->lock);
  if (handle != NULL && is_cancelled) {
    berthd_request_cancel(handle);
  }
}

static enum berth_code state(struct item *item) {
  struct variants *variants = item->variants;
  const struct berth_codec_variants *request = &variants->request;
  if (monotonic_ns() >= variants->cut_ns) {
    return berth_fail(
        &item->error, BERTH_DEADLINE_EXCEEDED, BERTH_REASON_DEADLINE, BERTH_NO_INDEX, NULL,
        "the deadline passed before it was its turn");
  }
  if (item == bounds_of(variants)) {
    return berth_variant_bounds(
        request->problem, request->items, request->n, NULL, &item->problem, &item->error);
  }
  const struct berth_bindings *own = &request->items[item - variants->items];
  return berth_variant_state(request->problem, own, NULL, &item->problem, &item->error);
}

static void launch(struct item *item) {
  struct variants *variants = item->variants;
  struct berth_solve_options options = variants->request.options;
  struct berthd_request *handle = NULL;
  if (state(item) != BERTH_OK) {
    land(item);
    return;
  }
  if (item == bounds_of(variants)) {
    options.capacity_bytes = BERTH_UNLIMITED;
  }
  call_ref(variants->call);
  const struct berthd_callbacks callbacks = {.ctx = item, .on_done = on_plan};
  berthd_core_submit(variants->core, item->problem, &options, variants->cut_ns, &callbacks, &handle);
  keep_handle(item, handle);
}

static void launch_hold(struct item *item) {
  struct variants *variants = item->variants;
  const struct berthd_task task = {
      .ctx = item, .n_buffers = berth_problem_buffers(item->problem)->n, .run = hold, .release = release};
  struct berthd_request *handle = NULL;
  call_ref(variants->call); /* for on_held, and for release */
  call_ref(variants->call);
  berthd_core_submit_task(variants->core, &task, variants->cut_ns, item, on_held, &handle);
  keep_handle(item, handle);
}

static bool is_ready_to_hold(struct variants *variants, const struct item *item) {
  const struct item *bounds = bounds_of(variants);
  return item != bounds && bounds->state == DONE && item->state == LANDED && !item->is_held &&
         item->plan != NULL && berth_variant_may_hold(item->of, bounds->plan, item->plan);
}

/* What is to be started next, as RUNS. NULL if nothing can be now: then what lands next wakes the lane again.
 */
static struct item *next_item(struct variants *variants, bool *out_is_over) {
  struct item *next = NULL;
  bool all_done = true;
  pthread_mutex_lock(&variants->lock);
  bool may_start = variants->n_running < 2 * berthd_core_n_workers(variants->core);
  for (uint32_t i = variants->n_items; i-- > 0;) { /* the bounds first */
    struct item *item = &variants->items[i];
    bool holds = is_ready_to_hold(variants, item);
    bool waits_for_bounds = i + 1 < variants->n_items && bounds_of(variants)->state != DONE;
    if (item->state == LANDED && !holds && !waits_for_bounds) {
      item->state = DONE;
    }
    next = next == NULL && may_start && (holds || item->state == WAITS) ? item : next;
    all_done = all_done && item->state == DONE;
  }
  if (next != NULL) {
    next->is_held = next->state == LANDED;
    next->state = RUNS;
    variants->n_running++;
  }
  variants->is_driven = next != NULL;
  *out_is_over = all_done && !variants->is_over;
  variants->is_over = variants->is_over || all_done;
  pthread_mutex_unlock(&variants->lock);
  return next;
}

static void put_result(const struct item *item, struct berth_codec_variant_result *out) {
  *out = (struct berth_codec_variant_result){
      .plan =
          {.plan = item->is_lost ? NULL : item->plan,
           .solve_seconds = item->solve_seconds,
           .cached = item->cached},
      .problem = item->of,
      .from_bounds = item->from_bounds,
      .error = item->error};
  memcpy(out->plan.plan_id, item->id.hex, sizeof out->plan.plan_id);
}

/* The first that failed stands for all. */
static void reply_failure(const struct variants *variants, struct reply *out) {
  const struct item *first = &variants->items[0];
  struct berth_error err = first->error;
  char why[BERTH_MESSAGE_SIZE];
  memcpy(why, first->error.message, sizeof why);
  (void)!berth_fail(
      &err, first->error.code, first->error.reason, 0, "variants[0]",
      "no variant was planned; the first: %.200s", why);
  reply_error(out, &err, first->retry_after_ms, NULL, 0);
}

static void answer(struct variants *variants) {
  uint32_t n = variants->n_items - 1;
  struct berth_codec_variant_result *results = calloc(variants->n_items, sizeof *results);
  struct slice_sink sink;
  struct reply reply;
  struct berth_error err;
  bool has_plan = false;
  for (uint32_t i = 0; results != NULL && i <= n; i++) {
    put_result(&variants->items[i], &results[i]);
    has_plan = has_plan || (i < n && results[i].plan.plan != NULL);
  }
  slice_sink_init(&sink);
  enum berth_code code = results != NULL ? BERTH_OK : berth_fail_memory(&err);
  if (code == BERTH_OK && !has_plan) {
    reply_failure(variants, &reply);
  } else {
    code = code != BERTH_OK ? code
                            : berth_codec_encode_variants_response(
                                  results, n, &results[n], berth_problem_pools(variants->request.problem),
                                  NULL, &sink.base, &err);
    if (code == BERTH_OK) {
      reply_message(&reply, sink.slice);
    } else {
      reply_error(&reply, &err, 0, NULL, 0);
    }
  }
  free(results);
  call_finish(variants->call, &reply);
}

/* On the lane's thread. */
static void drive(struct variants *variants) {
  struct item *item;
  bool is_over;
  while ((item = next_item(variants, &is_over)) != NULL) {
    if (item->is_held) {
      launch_hold(item);
    } else {
      launch(item);
    }
  }
  if (is_over) {
    answer(variants);
  }
}

static void on_closed(struct call *call) {
  struct variants *variants = call->variants;
  struct berthd_request *handles[2 * (BERTH_MAX_VARIANTS + 1)];
  size_t n = 0;
  if (!call->cancelled) {
    return;
  }
  pthread_mutex_lock(&variants->lock);
  variants->is_cancelled = true;
  for (uint32_t i = 0; i < variants->n_items; i++) {
    for (int k = 0; k < 2; k++) {
      if (variants->items[i].handles[k] != NULL) {
        handles[n++] = variants->items[i].handles[k];
      }
    }
  }
  pthread_mutex_unlock(&variants->lock);
  for (size_t i = 0; i < n; i++) { /* they live as long as the call */
    berthd_request_cancel(handles[i]);
  }
}

/* ---- The way in ---- */

static int64_t cut_of(const struct call *call, const struct berth_codec_variants *request) {
  int64_t now = monotonic_ns();
  int64_t deadline = berthd_core_deadline(call->rpc->core, call_deadline_ns(call));
  int64_t left = deadline - now;
  int64_t n_buffers = (int64_t)berth_problem_buffers(request->problem)->n * (request->n + INT64_C(1));
  int64_t close = CLOSE_BASE_NS + CLOSE_PER_BUFFER_NS * n_buffers;
  return left <= 0 ? now : deadline - (close < left / 4 ? close : left / 4);
}

static enum berth_code read(struct call *call, struct berth_codec_variants *out, struct berth_error *err) {
  grpc_slice bytes;
  enum berth_code code = payload_bytes(call->payload, call->rpc->config.limits.message_bytes, &bytes, err);
  if (code == BERTH_OK) {
    code = berth_codec_decode_variants(
        &call->rpc->codec, GRPC_SLICE_START_PTR(bytes), GRPC_SLICE_LENGTH(bytes), out, err);
    grpc_slice_unref(bytes);
  }
  grpc_byte_buffer_destroy(call->payload);
  call->payload = NULL;
  if (code == BERTH_OK) {
    code = settle_budget(call->rpc, &out->options, err);
    if (code != BERTH_OK) {
      berth_codec_variants_finish(out);
    }
  }
  return code;
}

static struct variants *create(struct call *call, struct berth_codec_variants *request) {
  size_t n_items = (size_t)request->n + 1;
  struct variants *variants = calloc(1, sizeof *variants + n_items * sizeof variants->items[0]);
  if (variants == NULL || pthread_mutex_init(&variants->lock, NULL) != 0) {
    free(variants);
    berth_codec_variants_finish(request);
    return NULL;
  }
  variants->call = call;
  variants->core = call->rpc->core;
  variants->request = *request;
  variants->cut_ns = cut_of(call, request);
  variants->is_driven = true;
  variants->n_items = (uint32_t)n_items;
  for (size_t i = 0; i < n_items; i++) {
    variants->items[i].variants = variants;
  }
  return variants;
}

static void begin(struct call *call) {
  struct berth_codec_variants request;
  struct berth_error err;
  enum berth_code code = read(call, &request, &err);
  if (code == BERTH_OK) {
    call->variants = create(call, &request);
    code = call->variants != NULL ? BERTH_OK : berth_fail_memory(&err);
  }
  if (code != BERTH_OK) {
    count_refusal(call->rpc, &err);
    call_fail(call, &err);
    return;
  }
  call_ref(call); /* it may be answered, and gone, before it was driven wholly */
  call->on_closed = on_closed;
  call_watch_close(call);
  drive(call->variants);
  call_unref(call);
}

/* Always on the lane: stating a problem for each variant is too much for the queue's threads. */
void variants_start(struct call *call) {
  if (call->variants != NULL) {
    drive(call->variants);
    call_unref(call); /* of `land` */
  } else if (call->heavy) {
    begin(call);
  } else {
    lane_push(call->rpc->lane, call);
  }
}
