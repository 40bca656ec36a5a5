/* The plan cache: verified plans in canonical order by their id, and deterministic failures for a short
 * while. A look-up compares all canonical bytes, not only the hash. */
#ifndef CACHE_PLANS_H
#define CACHE_PLANS_H

#include "berth/plan.h"
#include "berth/status.h"
#include "cache/store.h"
#include "planid/stored.h"

/* Shared; ref-counted through its head. Immutable but for what is measured, which is under the cache's lock.
 */
struct berthd_cached {
  struct berthd_store_entry head;
  uint64_t serial;                 /* no two entries of a process have the same */
  struct berth_measured *measured; /* NULL: nothing was */
  struct berth_planid id;
  const struct berth_plan *plan; /* canonical order; NULL for a failure */
  bool is_final;                 /* false: cut short, only a stopgap */
  double solve_seconds;
  int64_t expires_ns;       /* of a failure */
  struct berth_error error; /* of a failure */
  size_t n_key;
  uint8_t key[]; /* what berth_planid_encode wrote */
};

struct berthd_plans;

/* NULL if memory ran out. A limit of 0 keeps nothing. */
struct berthd_plans *berthd_plans_create(uint64_t limit_bytes, struct berthd_metrics *metrics);
void berthd_plans_destroy(struct berthd_plans *plans);
/* As berthd_store_watch; the hash is the rank of the id. */
void berthd_plans_watch(
    struct berthd_plans *plans, void *ctx,
    void (*on_left)(void *ctx, uint64_t rank, enum berthd_label_EVICTION reason));

/* An entry with one reference, not in the cache yet; takes a reference of the plan. NULL if memory ran out.
 */
struct berthd_cached *berthd_cached_create(
    const struct berth_planid *id, const void *key, size_t n_key, const struct berth_plan *plan,
    bool is_final, double solve_seconds);
struct berthd_cached *berthd_cached_create_failure(
    const struct berth_planid *id, const void *key, size_t n_key, const struct berth_error *error,
    int64_t expires_ns);
/* What it takes, without what is measured. */
size_t berthd_cached_n_bytes(const struct berthd_cached *cached);
void berthd_cached_unref(struct berthd_cached *cached); /* NULL is fine */

/* The entry with this id and this very key, with a reference for the caller, or NULL. Failures that have
 * expired are removed. Only is_final and failures count as hits. */
struct berthd_cached *berthd_plans_find(
    struct berthd_plans *plans, const struct berth_planid *id, const void *key, size_t n_key, int64_t now_ns);
/* Any plan with this id, final or not. */
struct berthd_cached *berthd_plans_find_by_id(struct berthd_plans *plans, const struct berth_planid *id);
/* Keeps the entry if it is better than what is there: a plan before a failure, final before cut short, then
 * the smaller arena, then the larger bound. */
void berthd_plans_put(struct berthd_plans *plans, struct berthd_cached *cached);

/* Removes this very entry: it did not stand a check, or is not wanted any more. False if it was gone. */
bool berthd_plans_remove(
    struct berthd_plans *plans, struct berthd_cached *cached, enum berthd_label_EVICTION reason);

/* Keeps a measurement with the plan (its ratio is reckoned here), the newest few of all: they go when the
 * plan goes, or is replaced by a better one, which they say nothing about. *out is all that is kept then.
 * False if memory ran out. */
bool berthd_plans_note(
    struct berthd_plans *plans, struct berthd_cached *cached, const struct berth_measurement *measurement,
    struct berth_measured *out);
/* What was measured against the plan so far. */
void berthd_plans_measured(
    struct berthd_plans *plans, const struct berthd_cached *cached, struct berth_measured *out);

/* Plans in the order of their ids: the first of those whose ids begin with more than `after` (NULL: of all).
 * Each is a struct berthd_cached, which the caller unrefs. */
size_t berthd_plans_list(
    struct berthd_plans *plans, const uint64_t *after, size_t n_most, struct berthd_store_entry **out);
/* The first eight bytes of an id, as a number of the same order. */
uint64_t berthd_plans_rank(const struct berth_planid *id);

uint64_t berthd_plans_n_bytes(struct berthd_plans *plans);
uint64_t berthd_plans_n_entries(struct berthd_plans *plans);

/* Whether `fresh` is a better answer than `old` to the same question. */
bool berthd_cached_is_better(const struct berthd_cached *fresh, const struct berthd_cached *old);

#endif
