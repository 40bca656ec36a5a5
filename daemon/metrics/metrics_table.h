/* Every metric of the daemon, and the values of its labels. */
#ifndef METRICS_METRICS_TABLE_H
#define METRICS_METRICS_TABLE_H

#include "berth/solve.h"

/* Label dimensions: X(dimension, label key, list of values). The values' enums are below. */
#define BERTHD_DIMENSIONS(X)                                                                                 \
  X(NONE, "", BERTHD_VALUES_NONE)                                                                            \
  X(METHOD, "grpc_method", BERTHD_VALUES_METHOD)                                                             \
  X(STATUS, "grpc_status", BERTHD_VALUES_STATUS)                                                             \
  X(TIER, "tier", BERTHD_VALUES_TIER)                                                                        \
  X(CACHE_RESULT, "result", BERTHD_VALUES_CACHE_RESULT)                                                      \
  X(EVICTION, "reason", BERTHD_VALUES_EVICTION)                                                              \
  X(MISS, "reason", BERTHD_VALUES_MISS)                                                                      \
  X(REJECTION, "reason", BERTHD_VALUES_REJECTION)                                                            \
  X(STRATEGY, "strategy", BERTHD_VALUES_STRATEGY)                                                            \
  X(OUTCOME, "outcome", BERTHD_VALUES_OUTCOME)

#define BERTHD_VALUES_NONE(V, d) V(d, ONLY, "")
#define BERTHD_VALUES_METHOD(V, d)                                                                           \
  V(d, COMPUTE_PLAN, "berth.v1.PlanService/ComputePlan")                                                     \
  V(d, STREAM_PLAN, "berth.v1.PlanService/StreamPlan")                                                       \
  V(d, GET_PLAN, "berth.v1.PlanService/GetPlan")                                                             \
  V(d, VERIFY_PLAN, "berth.v1.PlanService/VerifyPlan")                                                       \
  V(d, EXPLAIN_PLAN, "berth.v1.PlanService/ExplainPlan")                                                     \
  V(d, DIFF_PLANS, "berth.v1.PlanService/DiffPlans")                                                         \
  V(d, LIST_PLANS, "berth.v1.PlanService/ListPlans")                                                         \
  V(d, BATCH_GET_PLANS, "berth.v1.PlanService/BatchGetPlans")                                                \
  V(d, DELETE_PLAN, "berth.v1.PlanService/DeletePlan")                                                       \
  V(d, REPORT_MEASUREMENT, "berth.v1.PlanService/ReportMeasurement")                                         \
  V(d, PLAN_VARIANTS, "berth.v1.PlanService/PlanVariants")                                                   \
  V(d, FIND_LARGEST_BINDING, "berth.v1.PlanService/FindLargestBinding")                                      \
  V(d, HEALTH_CHECK, "grpc.health.v1.Health/Check")                                                          \
  V(d, HEALTH_WATCH, "grpc.health.v1.Health/Watch")                                                          \
  V(d, REFLECTION, "grpc.reflection.v1.ServerReflection/ServerReflectionInfo")                               \
  V(d, REFLECTION_ALPHA, "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")                    \
  V(d, OTHER, "other")
/* In the order of enum berth_code, so that a code is an index. */
#define BERTHD_VALUES_STATUS(V, d)                                                                           \
  V(d, OK, "OK")                                                                                             \
  V(d, CANCELLED, "CANCELLED")                                                                               \
  V(d, UNKNOWN, "UNKNOWN")                                                                                   \
  V(d, INVALID_ARGUMENT, "INVALID_ARGUMENT")                                                                 \
  V(d, DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED")                                                               \
  V(d, NOT_FOUND, "NOT_FOUND")                                                                               \
  V(d, ALREADY_EXISTS, "ALREADY_EXISTS")                                                                     \
  V(d, PERMISSION_DENIED, "PERMISSION_DENIED")                                                               \
  V(d, RESOURCE_EXHAUSTED, "RESOURCE_EXHAUSTED")                                                             \
  V(d, FAILED_PRECONDITION, "FAILED_PRECONDITION")                                                           \
  V(d, ABORTED, "ABORTED")                                                                                   \
  V(d, OUT_OF_RANGE, "OUT_OF_RANGE")                                                                         \
  V(d, UNIMPLEMENTED, "UNIMPLEMENTED")                                                                       \
  V(d, INTERNAL, "INTERNAL")                                                                                 \
  V(d, UNAVAILABLE, "UNAVAILABLE")                                                                           \
  V(d, DATA_LOSS, "DATA_LOSS")                                                                               \
  V(d, UNAUTHENTICATED, "UNAUTHENTICATED")
#define BERTHD_VALUES_TIER(V, d)                                                                             \
  V(d, MEMORY, "memory")                                                                                     \
  V(d, REPLY, "reply")
#define BERTHD_VALUES_CACHE_RESULT(V, d)                                                                     \
  V(d, HIT, "hit")                                                                                           \
  V(d, MISS, "miss")                                                                                         \
  V(d, JOINED, "joined")                                                                                     \
  V(d, FAILURE, "failure")
#define BERTHD_VALUES_EVICTION(V, d)                                                                         \
  V(d, SIZE, "size")                                                                                         \
  V(d, REPLACED, "replaced")                                                                                 \
  V(d, EXPIRED, "expired")                                                                                   \
  V(d, REFUSED, "refused")                                                                                   \
  V(d, DELETED, "deleted")
/* Why a key has no entry: nothing like it was there; the same problem with other options was; its own entry
 * has left the cache (or was too large for it), had expired, was deleted, did not stand the check, or was cut
 * short. */
#define BERTHD_VALUES_MISS(V, d)                                                                             \
  V(d, NEW, "new")                                                                                           \
  V(d, OPTIONS, "options")                                                                                   \
  V(d, EVICTED, "evicted")                                                                                   \
  V(d, EXPIRED, "expired")                                                                                   \
  V(d, DELETED, "deleted")                                                                                   \
  V(d, REFUSED, "refused")                                                                                   \
  V(d, CUT_SHORT, "cut_short")
#define BERTHD_VALUES_REJECTION(V, d)                                                                        \
  V(d, QUEUE_FULL, "queue_full")                                                                             \
  V(d, DEADLINE, "deadline")                                                                                 \
  V(d, DRAINING, "draining")                                                                                 \
  V(d, LIMIT, "limit")                                                                                       \
  V(d, MALFORMED, "malformed")                                                                               \
  V(d, CONNECTIONS, "connections")
/* The deepest strategy that a request allows, in the order of enum berth_strategy. */
#define BERTHD_VALUES_STRATEGY(V, d)                                                                         \
  V(d, COLOURING, "colouring")                                                                               \
  V(d, PLACEMENT, "placement")                                                                               \
  V(d, IMPROVE, "improve")                                                                                   \
  V(d, EXACT, "exact")                                                                                       \
  V(d, NO_STRATEGY, "none")
/* In the order of enum berth_plan_status, then what is no plan. */
#define BERTHD_VALUES_OUTCOME(V, d)                                                                          \
  V(d, OPTIMAL, "optimal")                                                                                   \
  V(d, FEASIBLE, "feasible")                                                                                 \
  V(d, CUT_SHORT, "cut_short")                                                                               \
  V(d, INFEASIBLE, "infeasible")                                                                             \
  V(d, UNKNOWN, "unknown")                                                                                   \
  V(d, FAILED, "failed")                                                                                     \
  V(d, CANCELLED, "cancelled")

enum berthd_dimension {
#define X(dimension, key, values) BERTHD_DIMENSION_##dimension,
  BERTHD_DIMENSIONS(X)
#undef X
      BERTHD_N_DIMENSIONS
};

/* enum berthd_label_method { BERTHD_METHOD_COMPUTE_PLAN, ..., BERTHD_N_METHOD }, and so on. */
#define BERTHD_LABEL_VALUE(d, name, text) BERTHD_##d##_##name,
#define X(dimension, key, values)                                                                            \
  enum berthd_label_##dimension{values(BERTHD_LABEL_VALUE, dimension) BERTHD_N_##dimension};
BERTHD_DIMENSIONS(X)
#undef X

/* Upper bounds of histogram buckets, +Inf is implied. */
#define BERTHD_BUCKETS_SECONDS                                                                               \
  { 0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300 }
#define BERTHD_BUCKETS_RATIO                                                                                 \
  { 0, 0.0001, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1 }
#define BERTHD_BUCKETS_DRIFT                                                                                 \
  { 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1, 1.01, 1.05, 1.1, 1.25, 1.5, 2, 4 }
#define BERTHD_BUCKETS_NONE                                                                                  \
  { 0 }

/* X(kind, enum, name, help, dimension a, dimension b, buckets) */
#define BERTHD_METRICS(X)                                                                                    \
  X(COUNTER, CALL_STARTED, "grpc_server_call_started_total", "Calls that were started.", METHOD, NONE, NONE) \
  X(HISTOGRAM, CALL_DURATION, "grpc_server_call_duration_seconds",                                           \
    "Time from the start of a call to its status.", METHOD, STATUS, SECONDS)                                 \
  X(COUNTER, CACHE_REQUESTS, "berth_cache_requests_total", "Look-ups in the plan cache.", TIER,              \
    CACHE_RESULT, NONE)                                                                                      \
  X(COUNTER, CACHE_MISSES, "berth_cache_misses_total",                                                       \
    "Plans that had to be made, by why no cached one did.", MISS, NONE, NONE)                                \
  X(GAUGE, CACHE_SIZE, "berth_cache_size_bytes", "Bytes that the plan cache holds.", TIER, NONE, NONE)       \
  X(GAUGE, CACHE_LIMIT, "berth_cache_limit_bytes", "Bytes that the plan cache may hold.", TIER, NONE, NONE)  \
  X(GAUGE, CACHE_ENTRIES, "berth_cache_entries", "Entries that the plan cache holds.", TIER, NONE, NONE)     \
  X(COUNTER, CACHE_EVICTIONS, "berth_cache_evictions_total", "Entries that left the plan cache.", EVICTION,  \
    NONE, NONE)                                                                                              \
  X(COUNTER, CACHE_SAVED_SECONDS, "berth_cache_saved_seconds_total", "Planning time that cache hits saved.", \
    NONE, NONE, NONE)                                                                                        \
  X(COUNTER, CACHE_VERIFY_FAILURES, "berth_cache_verify_failures_total",                                     \
    "Cached plans that the independent check refused.", TIER, NONE, NONE)                                    \
  X(HISTOGRAM, PLAN_DURATION, "berth_plan_duration_seconds", "Time that planning took on a worker.",         \
    STRATEGY, OUTCOME, SECONDS)                                                                              \
  X(HISTOGRAM, PLAN_GAP, "berth_plan_gap_ratio", "Arena over proven lower bound, minus one.", NONE, NONE,    \
    RATIO)                                                                                                   \
  X(HISTOGRAM, MEASURED_PEAK, "berth_measured_peak_ratio",                                                   \
    "Peaks that profilers measured, over what the plan has for them.", NONE, NONE, DRIFT)                    \
  X(COUNTER, MEASURED_OVER, "berth_measured_over_plan_total",                                                \
    "Measured peaks that were larger than planned.", NONE, NONE, NONE)                                       \
  X(COUNTER, VERIFY_FAILURES, "berth_plan_verify_failures_total",                                            \
    "Fresh plans that the independent check refused.", NONE, NONE, NONE)                                     \
  X(GAUGE, QUEUE_DEPTH, "berth_queue_depth", "Computations that wait for a worker.", NONE, NONE, NONE)       \
  X(HISTOGRAM, QUEUE_WAIT, "berth_queue_wait_seconds", "Time that computations waited for a worker.", NONE,  \
    NONE, SECONDS)                                                                                           \
  X(GAUGE, WORKERS, "berth_workers", "Worker threads.", NONE, NONE, NONE)                                    \
  X(GAUGE, WORKERS_BUSY, "berth_workers_busy", "Worker threads that plan now.", NONE, NONE, NONE)            \
  X(COUNTER, HELPED, "berth_helped_tasks_total", "Parts of searches that idle workers' helpers did.", NONE,  \
    NONE, NONE)                                                                                              \
  X(GAUGE, REQUESTS_OPEN, "berth_requests_open", "Requests that were not answered yet.", NONE, NONE, NONE)   \
  X(GAUGE, CONNECTIONS, "berth_connections", "Connections that are open.", NONE, NONE, NONE)                 \
  X(COUNTER, REJECTED, "berth_rejected_total", "Requests refused before any planning.", REJECTION, NONE,     \
    NONE)                                                                                                    \
  X(COUNTER, LOG_DROPPED, "berth_log_dropped_total", "Log lines left out by the rate limit.", NONE, NONE,    \
    NONE)

enum berthd_metric {
#define X(kind, enum_name, name, help, a, b, buckets) BERTHD_METRIC_##enum_name,
  BERTHD_METRICS(X)
#undef X
      BERTHD_N_METRICS
};

#endif
