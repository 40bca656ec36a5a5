/* The plan cache: verified plans in canonical order by their id, and deterministic failures for a short
 * while. A look-up compares all canonical bytes, not only the hash. */
#ifndef CACHE_PLANS_H
#define CACHE_PLANS_H

#include "berth/plan.h"
#include "berth/status.h"
#include "cache/store.h"
#include "planid/planid.h"

/* Immutable and shared; ref-counted through its head. */
struct berthd_cached {
  struct berthd_store_entry head;
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

/* An entry with one reference, not in the cache yet; takes a reference of the plan. NULL if memory ran out.
 */
struct berthd_cached *berthd_cached_create(
    const struct berth_planid *id, const void *key, size_t n_key, const struct berth_plan *plan,
    bool is_final, double solve_seconds);
struct berthd_cached *berthd_cached_create_failure(
    const struct berth_planid *id, const void *key, size_t n_key, const struct berth_error *error,
    int64_t expires_ns);
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

/* Removes this very entry: it did not stand a check. */
void berthd_plans_remove(struct berthd_plans *plans, struct berthd_cached *cached);

uint64_t berthd_plans_n_bytes(struct berthd_plans *plans);
uint64_t berthd_plans_n_entries(struct berthd_plans *plans);

/* Whether `fresh` is a better answer than `old` to the same question. */
bool berthd_cached_is_better(const struct berthd_cached *fresh, const struct berthd_cached *old);

#endif
