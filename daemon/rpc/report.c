/* VerifyPlan, ExplainPlan, DiffPlans and FindLargestBinding: decoded here, worked out by a worker, which
 * makes the reply's bytes too.
 *
 * What is asked belongs to two: the core's task, and the call that waits. Either may be done first. */
#include <stdlib.h>
#include <string.h>

#include "berth/verify.h"
#include "codec/largest.h"
#include "codec/reports.h"
#include "rpc/internal.h"

#define MOST_VIOLATIONS 10000
#define CLOSE_NS 50000000

struct report;

struct kind {
  enum berth_code (*decode)(
      const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct report *report,
      struct berth_error *err);
  uint32_t (*n_buffers)(const struct report *report);
  enum berth_code (*compute)(
      struct report *report, const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
      struct berth_error *err);
  void (*finish)(struct report *report);
  /* Holds what was decoded against the server's limits; what it refuses it has freed. NULL: there is none. */
  enum berth_code (*settle)(const struct berthd_rpc *rpc, struct report *report, struct berth_error *err);
};

struct report {
  const struct kind *kind;
  struct berthd_core *core;
  struct berthd_rpc *rpc;
  struct call *call;                   /* the one that waits */
  const struct berthd_task_stop *stop; /* while it is worked out */
  int64_t cut_ns;                      /* what can end early with a part of its answer does */
  atomic_uint n_refs;
  union {
    struct berth_codec_verify verify;
    struct berth_codec_explain explain;
    struct berth_codec_diff diff;
    struct berth_codec_largest largest;
  } of;
  struct slice_sink sink; /* the reply, once it is made */
};

static void release(void *ctx) {
  struct report *report = ctx;
  if (atomic_fetch_sub_explicit(&report->n_refs, 1, memory_order_acq_rel) == 1) {
    report->kind->finish(report);
    grpc_slice_unref(report->sink.slice);
    free(report);
  }
}

static enum berth_code
run(void *ctx, const struct berthd_task_stop *stop, const struct berth_allocator *allocator,
    struct berth_error *err) {
  struct report *report = ctx;
  report->stop = stop;
  return report->kind->compute(report, allocator, &report->sink.base, err);
}

static void on_done(void *ctx, const struct berthd_task_answer *answer) {
  struct report *report = ctx;
  struct call *call = report->call;
  struct reply reply;
  if (answer->code == BERTH_OK) {
    reply_message(&reply, grpc_slice_ref(report->sink.slice));
  } else {
    reply_error(&reply, &answer->error, answer->retry_after_ms, NULL, 0);
  }
  call_finish(call, &reply);
  release(report);
  call_unref(call);
}

/* Before the deadline, as it takes a while to send what there is. */
static int64_t cut_of(const struct call *call) {
  int64_t now = monotonic_ns();
  int64_t deadline = berthd_core_deadline(call->rpc->core, call_deadline_ns(call));
  int64_t left = deadline - now;
  return deadline - (left / 8 < CLOSE_NS ? left / 8 : CLOSE_NS);
}

static void submit(struct call *call, struct report *report) {
  const struct berthd_task task = {
      .ctx = report, .n_buffers = report->kind->n_buffers(report), .run = run, .release = release};
  struct berthd_request *handle = NULL;
  report->call = call_ref(call);
  report->cut_ns = cut_of(call);
  atomic_init(&report->n_refs, 2);
  berthd_core_submit_task(call->rpc->core, &task, call_deadline_ns(call), report, on_done, &handle);
  if (handle != NULL) {
    call->request = handle;
    call_watch_close(call);
  }
}

static enum berth_code read(struct call *call, struct report *report, struct berth_error *err) {
  grpc_slice bytes;
  enum berth_code code = payload_bytes(call->payload, call->rpc->config.limits.message_bytes, &bytes, err);
  if (code == BERTH_OK) {
    code = report->kind->decode(
        &call->rpc->codec, GRPC_SLICE_START_PTR(bytes), GRPC_SLICE_LENGTH(bytes), report, err);
    grpc_slice_unref(bytes);
  }
  grpc_byte_buffer_destroy(call->payload); /* a large upload is not held while the report waits */
  call->payload = NULL;
  return code;
}

static void start(struct call *call, const struct kind *kind) {
  struct berth_error err;
  if (to_lane(call)) {
    return;
  }
  struct report *report = calloc(1, sizeof *report);
  if (report == NULL) {
    berth_fail_memory(&err);
    call_fail(call, &err);
    return;
  }
  report->kind = kind;
  report->core = call->rpc->core;
  report->rpc = call->rpc;
  slice_sink_init(&report->sink);
  enum berth_code code = read(call, report, &err);
  if (code == BERTH_OK && kind->settle != NULL) {
    code = kind->settle(call->rpc, report, &err);
  }
  if (code != BERTH_OK) {
    count_refusal(call->rpc, &err);
    call_fail(call, &err);
    free(report); /* a decoder that fails leaves nothing behind */
    return;
  }
  call_ref(call); /* a worker may end the call before it is submitted wholly */
  submit(call, report);
  call_unref(call);
}

/* ---- Verify ---- */

static enum berth_code verify_decode(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct report *report,
    struct berth_error *err) {
  return berth_codec_decode_verify(codec, bytes, n_bytes, &report->of.verify, err);
}

static uint32_t verify_n_buffers(const struct report *report) {
  return berth_problem_buffers(report->of.verify.problem)->n;
}

static enum berth_code verify_compute(
    struct report *report, const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  const struct berth_codec_verify *request = &report->of.verify;
  uint32_t capacity = request->max_violations < MOST_VIOLATIONS ? request->max_violations : MOST_VIOLATIONS;
  struct berth_violation *violations = calloc((size_t)capacity + 1, sizeof *violations);
  struct berth_verdict verdict;
  if (violations == NULL) {
    return berth_fail_memory(err);
  }
  enum berth_code code = berth_verify_offsets(
      request->problem, request->pool, request->offset, allocator, violations, capacity, &verdict, err);
  if (code == BERTH_OK) {
    code = berth_codec_encode_verify_response(&verdict, violations, NULL, sink, err);
  }
  free(violations);
  return code;
}

static void verify_finish(struct report *report) {
  berth_codec_verify_finish(&report->of.verify);
}

void verify_start(struct call *call) {
  static const struct kind KIND = {verify_decode, verify_n_buffers, verify_compute, verify_finish, NULL};
  start(call, &KIND);
}

/* ---- Where the buffers are ---- */

/* The plan that `plan_id` names, if it names one; else NULL. */
static enum berth_code place(
    struct berthd_core *core, struct berth_codec_placed *placed, const struct berth_allocator *allocator,
    const struct berth_plan **out_plan, struct berth_error *err) {
  struct berth_planid id;
  *out_plan = NULL;
  if (placed->plan_id[0] == '\0') {
    return BERTH_OK;
  }
  enum berth_code code = berth_planid_parse(placed->plan_id, strlen(placed->plan_id), &id, err);
  return code == BERTH_OK ? berthd_core_place(core, &id, &placed->problem, allocator, out_plan, err) : code;
}

static struct berth_report_side
side_of(const struct berth_codec_placed *placed, const struct berth_plan *plan) {
  return (struct berth_report_side){
      .problem = placed->problem,
      .offset = plan != NULL ? plan->offset : placed->offset,
      .pool = plan != NULL ? plan->pool : placed->pool};
}

/* ---- Explain ---- */

static enum berth_code explain_decode(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct report *report,
    struct berth_error *err) {
  return berth_codec_decode_explain(codec, bytes, n_bytes, &report->of.explain, err);
}

static uint32_t explain_n_buffers(const struct report *report) {
  return berth_problem_buffers(report->of.explain.subject.problem)->n;
}

static void explain_finish(struct report *report) {
  berth_codec_placed_finish(&report->of.explain.subject);
}

/* All that an answer is made of, to be freed again. */
struct explanation {
  const struct berth_allocator *allocator;
  const struct berth_problem *problem;
  const struct berth_plan *plan;
  struct berth_span *spans;
  struct berth_codec_peak *peaks;
  struct berth_codec_pool_use *pools;
  struct berth_timeline_point *points;
  struct berth_operator_row *operators;
  struct berth_codec_explained out;
};

static void explanation_finish(struct explanation *explanation) {
  const struct berth_allocator *allocator = explanation->allocator;
  for (uint32_t i = 0; explanation->peaks != NULL && i < explanation->out.n_peaks; i++) {
    berth_report_free(allocator, (void *)(uintptr_t)explanation->peaks[i].items);
    berth_report_free(allocator, explanation->peaks[i].breakdown.makers);
  }
  free(explanation->peaks);
  free(explanation->pools);
  berth_report_free(allocator, explanation->spans);
  berth_report_free(allocator, explanation->points);
  berth_report_free(allocator, explanation->operators);
  berth_plan_unref(explanation->plan);
}

static enum berth_code
explain_peaks(struct explanation *explanation, uint32_t n_most, struct berth_error *err) {
  struct berth_codec_explained *out = &explanation->out;
  enum berth_code code = berth_report_peaks(
      explanation->problem, explanation->allocator, &explanation->spans, &out->n_all_peaks, &out->peak_bytes,
      err);
  if (code != BERTH_OK) {
    return code;
  }
  uint32_t n = out->n_all_peaks < n_most ? out->n_all_peaks : n_most;
  explanation->peaks = calloc((size_t)n + 1, sizeof *explanation->peaks);
  out->peaks = explanation->peaks;
  if (out->peaks == NULL) {
    return berth_fail_memory(err);
  }
  for (; code == BERTH_OK && out->n_peaks < n; out->n_peaks++) {
    struct berth_codec_peak *peak = &explanation->peaks[out->n_peaks];
    struct berth_contribution *items = NULL;
    peak->span = explanation->spans[out->n_peaks];
    code = berth_report_contributions(
        explanation->problem, peak->span.lower, explanation->allocator, &items, &peak->n_items, err);
    peak->items = items;
    if (code == BERTH_OK) {
      code = berth_report_breakdown(
          explanation->problem, items, peak->n_items, explanation->allocator, &peak->breakdown, err);
    }
  }
  return code;
}

static uint64_t most_of(const struct berth_timeline_point *points, uint32_t n, int64_t *out_step) {
  uint64_t most = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (points[i].live_bytes > most) {
      most = points[i].live_bytes;
      *out_step = points[i].step;
    }
  }
  return most;
}

/* Each pool's own peak needs a plan of which only the pools are looked at. */
static enum berth_code explain_pools(
    struct explanation *explanation, const struct berth_report_side *side, struct berth_error *err) {
  const struct berth_pools *pools = berth_problem_pools(side->problem);
  uint32_t n_buffers = berth_problem_buffers(side->problem)->n;
  if (side->offset == NULL) {
    return BERTH_OK;
  }
  struct berth_plan *plan = berth_plan_create(explanation->allocator, n_buffers, pools->n);
  explanation->pools = calloc(pools->n, sizeof *explanation->pools);
  explanation->out.pools = explanation->pools;
  enum berth_code code = plan != NULL && explanation->pools != NULL ? BERTH_OK : berth_fail_memory(err);
  if (code == BERTH_OK && side->pool != NULL) {
    memcpy(berth_plan_pool_mut(plan), side->pool, n_buffers * sizeof *side->pool);
  }
  for (uint32_t i = 0; code == BERTH_OK && i < pools->n; i++) {
    struct berth_timeline_point *points;
    uint32_t n_points;
    code = berth_report_timeline(side->problem, plan, i, explanation->allocator, &points, &n_points, err);
    if (code == BERTH_OK) {
      struct berth_codec_pool_use *use = &explanation->pools[i];
      use->name = pools->items[i].name;
      use->arena_bytes = berth_report_arena(side, i);
      use->peak_bytes = most_of(points, n_points, &use->peak_step);
      explanation->out.n_pools = i + 1;
      berth_report_free(explanation->allocator, points);
    }
  }
  berth_plan_unref(plan);
  return code;
}

static enum berth_code
explain_timeline(struct explanation *explanation, uint32_t n_most, struct berth_error *err) {
  struct berth_codec_explained *out = &explanation->out;
  if (n_most == 0) {
    return BERTH_OK;
  }
  enum berth_code code = berth_report_timeline(
      explanation->problem, NULL, BERTH_NO_INDEX, explanation->allocator, &explanation->points,
      &out->n_all_points, err);
  if (code == BERTH_OK) {
    out->n_points = berth_report_thin(explanation->points, out->n_all_points, n_most);
    out->points = explanation->points;
  }
  return code;
}

static enum berth_code explain(
    struct berthd_core *core, struct berth_codec_explain *request, struct explanation *explanation,
    struct berth_error *err) {
  enum berth_code code = place(core, &request->subject, explanation->allocator, &explanation->plan, err);
  if (code != BERTH_OK) {
    return code;
  }
  explanation->problem = request->subject.problem;
  const struct berth_report_side side = side_of(&request->subject, explanation->plan);
  code = explain_peaks(explanation, request->max_peaks, err);
  code = code == BERTH_OK ? explain_pools(explanation, &side, err) : code;
  code = code == BERTH_OK ? explain_timeline(explanation, request->max_timeline_points, err) : code;
  if (code == BERTH_OK && request->operators) {
    code = berth_report_operators(
        explanation->problem, explanation->allocator, &explanation->operators, &explanation->out.n_operators,
        err);
    explanation->out.operators = explanation->operators;
  }
  return code;
}

static enum berth_code explain_compute(
    struct report *report, const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  struct berth_codec_explain *request = &report->of.explain;
  struct explanation explanation = {
      .allocator = allocator, .out.max_contributions = request->max_contributions};
  enum berth_code code = explain(report->core, request, &explanation, err);
  if (code == BERTH_OK) {
    code = berth_codec_encode_explained(&explanation.out, allocator, sink, err);
  }
  explanation_finish(&explanation);
  return code;
}

void explain_start(struct call *call) {
  static const struct kind KIND = {explain_decode, explain_n_buffers, explain_compute, explain_finish, NULL};
  start(call, &KIND);
}

/* ---- Diff ---- */

static enum berth_code diff_decode(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct report *report,
    struct berth_error *err) {
  return berth_codec_decode_diff(codec, bytes, n_bytes, &report->of.diff, err);
}

static uint32_t diff_n_buffers(const struct report *report) {
  const struct berth_codec_placed *sides = report->of.diff.sides;
  return berth_problem_buffers(sides[0].problem)->n + berth_problem_buffers(sides[1].problem)->n;
}

static void diff_finish(struct report *report) {
  berth_codec_placed_finish(&report->of.diff.sides[0]);
  berth_codec_placed_finish(&report->of.diff.sides[1]);
}

static enum berth_code compare(
    const struct berth_codec_diff *request, const struct berth_plan *const plans[2],
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink, struct berth_error *err) {
  const struct berth_report_side before = side_of(&request->sides[0], plans[0]);
  const struct berth_report_side after = side_of(&request->sides[1], plans[1]);
  const uint64_t arenas[2] = {berth_report_arenas(&before), berth_report_arenas(&after)};
  struct berth_comparison comparison;
  enum berth_code code = berth_report_compare(&before, &after, allocator, &comparison, err);
  if (code == BERTH_OK) {
    code = berth_codec_encode_comparison(&comparison, arenas, request->max_differences, allocator, sink, err);
    berth_report_free(allocator, comparison.rows);
  }
  return code;
}

static enum berth_code diff_compute(
    struct report *report, const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  struct berth_codec_diff *request = &report->of.diff;
  const struct berth_plan *plans[2] = {NULL, NULL};
  enum berth_code code = place(report->core, &request->sides[0], allocator, &plans[0], err);
  code = code == BERTH_OK ? place(report->core, &request->sides[1], allocator, &plans[1], err) : code;
  code = code == BERTH_OK ? compare(request, plans, allocator, sink, err) : code;
  berth_plan_unref(plans[0]);
  berth_plan_unref(plans[1]);
  return code;
}

void diff_start(struct call *call) {
  static const struct kind KIND = {diff_decode, diff_n_buffers, diff_compute, diff_finish, NULL};
  start(call, &KIND);
}

/* ---- The largest binding ---- */

static enum berth_code largest_decode(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct report *report,
    struct berth_error *err) {
  return berth_codec_decode_largest(codec, bytes, n_bytes, &report->of.largest, err);
}

static uint32_t largest_n_buffers(const struct report *report) {
  return berth_problem_buffers(report->of.largest.problem)->n;
}

static void largest_finish(struct report *report) {
  berth_codec_largest_finish(&report->of.largest);
}

static enum berth_code
largest_settle(const struct berthd_rpc *rpc, struct report *report, struct berth_error *err) {
  enum berth_code code = settle_budget(rpc, &report->of.largest.options, err);
  if (code != BERTH_OK) {
    largest_finish(report);
  }
  return code;
}

struct planning {
  const struct report *report;
  const struct berth_allocator *allocator;
};

static bool is_late(const struct report *report) {
  return monotonic_ns() >= report->cut_ns;
}

static bool should_stop(void *ctx) {
  const struct report *report = ctx;
  return report->stop->should_stop(report->stop->ctx) || is_late(report);
}

static enum berth_code say_stopped(const struct report *report, struct berth_error *err) {
  return is_late(report) ? berth_fail(
                               err, BERTH_DEADLINE_EXCEEDED, BERTH_REASON_DEADLINE, BERTH_NO_INDEX, NULL,
                               "the deadline passed before anything was found")
                         : berth_fail(
                               err, BERTH_CANCELLED, BERTH_REASON_CANCELLED, BERTH_NO_INDEX, NULL,
                               "nobody waits any more");
}

/* A plan that fits, or a proof that there is none, was found in time, whatever came then. */
static enum berth_code heed_stop(
    const struct report *report, enum berth_code code, const struct berth_plan *plan,
    struct berth_error *err) {
  bool is_unsettled = code == BERTH_OK && plan->offset == NULL && plan->status != BERTH_PLAN_INFEASIBLE &&
                      should_stop((void *)(uintptr_t)report);
  return code == BERTH_CANCELLED || is_unsettled ? say_stopped(report, err) : code;
}

/* A plan that the judge refuses ends the search: then nothing is said. */
static enum berth_code plan_checked(
    void *ctx, struct berth_problem *problem, struct berth_plan **out_plan, struct berth_error *err) {
  const struct planning *planning = ctx;
  const struct report *report = planning->report;
  const struct berth_solve_hooks hooks = {.ctx = (void *)(uintptr_t)report, .should_stop = should_stop};
  struct berth_problem *of = NULL;
  struct berth_verdict verdict = {.n_violations = 0};
  enum berth_code code = berth_solve_levels(
      problem, &report->of.largest.options, &hooks, planning->allocator, &of, out_plan, err);
  code = heed_stop(report, code, *out_plan, err);
  code = code != BERTH_OK ? code : berth_verify(of, *out_plan, planning->allocator, NULL, 0, &verdict, err);
  if (verdict.n_violations > 0) {
    code = refuse_plan(report->rpc, "a plan of the search", err);
  }
  berth_problem_unref(of);
  return code;
}

static enum berth_code largest_compute(
    struct report *report, const struct berth_allocator *allocator, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  const struct berth_codec_largest *request = &report->of.largest;
  struct planning planning = {.report = report, .allocator = allocator};
  struct berth_largest largest;
  enum berth_code code = berth_find_largest(
      request->problem, &request->question, plan_checked, &planning, allocator, &largest, err);
  if (largest.is_stopped && is_late(report) && (largest.search.has_largest || largest.search.has_misfit)) {
    code = BERTH_OK; /* with what was found until then */
  }
  return code == BERTH_OK ? berth_codec_encode_largest_response(&largest, sink, err) : code;
}

void largest_start(struct call *call) {
  static const struct kind KIND = {
      largest_decode, largest_n_buffers, largest_compute, largest_finish, largest_settle};
  start(call, &KIND);
}
