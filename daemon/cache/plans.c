#include "cache/plans.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct berthd_plans {
  struct berthd_store *store;
  pthread_mutex_t mutex; /* of what is measured */
};

static atomic_uint_fast64_t n_serials;

struct berthd_plans *berthd_plans_create(uint64_t limit_bytes, struct berthd_metrics *metrics) {
  struct berthd_plans *plans = calloc(1, sizeof *plans);
  if (plans != NULL) {
    plans->store = berthd_store_create(limit_bytes, BERTHD_TIER_MEMORY, metrics);
  }
  if (plans != NULL && (plans->store == NULL || pthread_mutex_init(&plans->mutex, NULL) != 0)) {
    berthd_store_destroy(plans->store);
    free(plans);
    return NULL;
  }
  return plans;
}

void berthd_plans_destroy(struct berthd_plans *plans) {
  if (plans != NULL) {
    berthd_store_destroy(plans->store);
    pthread_mutex_destroy(&plans->mutex);
    free(plans);
  }
}

void berthd_plans_watch(
    struct berthd_plans *plans, void *ctx,
    void (*on_left)(void *ctx, uint64_t rank, enum berthd_label_EVICTION reason)) {
  berthd_store_watch(plans->store, ctx, on_left);
}

/* Also the hash: ids are hashes, and so the store lists in their order. */
uint64_t berthd_plans_rank(const struct berth_planid *id) {
  uint64_t rank = 0;
  for (int i = 0; i < 8; i++) {
    rank = rank << 8 | id->bytes[i];
  }
  return rank;
}

static void destroy(struct berthd_store_entry *entry) {
  struct berthd_cached *cached = (struct berthd_cached *)entry;
  berth_plan_unref(cached->plan);
  free(cached->measured);
  free(cached);
}

static struct berthd_cached *
create(const struct berth_planid *id, const void *key, size_t n_key, size_t n_more_bytes) {
  struct berthd_cached *cached = calloc(1, sizeof *cached + n_key);
  if (cached == NULL) {
    return NULL;
  }
  cached->head.hash = berthd_plans_rank(id);
  cached->head.n_bytes = sizeof *cached + n_key + n_more_bytes;
  cached->head.destroy = destroy;
  atomic_init(&cached->head.n_refs, 1);
  cached->serial = atomic_fetch_add(&n_serials, 1) + 1;
  cached->id = *id;
  cached->n_key = n_key;
  memcpy(cached->key, key, n_key);
  return cached;
}

struct berthd_cached *berthd_cached_create(
    const struct berth_planid *id, const void *key, size_t n_key, const struct berth_plan *plan,
    bool is_final, double solve_seconds) {
  struct berthd_cached *cached = create(id, key, n_key, berth_plan_n_bytes(plan));
  if (cached != NULL) {
    cached->plan = berth_plan_ref(plan);
    cached->is_final = is_final;
    cached->solve_seconds = solve_seconds;
    cached->head.cost_seconds = solve_seconds;
  }
  return cached;
}

struct berthd_cached *berthd_cached_create_failure(
    const struct berth_planid *id, const void *key, size_t n_key, const struct berth_error *error,
    int64_t expires_ns) {
  struct berthd_cached *cached = create(id, key, n_key, 0);
  if (cached != NULL) {
    cached->error = *error;
    cached->expires_ns = expires_ns;
  }
  return cached;
}

size_t berthd_cached_n_bytes(const struct berthd_cached *cached) {
  return sizeof *cached + cached->n_key + (cached->plan != NULL ? berth_plan_n_bytes(cached->plan) : 0);
}

void berthd_cached_unref(struct berthd_cached *cached) {
  if (cached != NULL) {
    berthd_store_entry_unref(&cached->head);
  }
}

static bool has_key(const struct berthd_cached *cached, const void *key, size_t n_key) {
  return cached->n_key == n_key && memcmp(cached->key, key, n_key) == 0;
}

struct berthd_cached *berthd_plans_find(
    struct berthd_plans *plans, const struct berth_planid *id, const void *key, size_t n_key,
    int64_t now_ns) {
  struct berthd_cached *cached =
      (struct berthd_cached *)berthd_store_find(plans->store, berthd_plans_rank(id));
  if (cached == NULL) {
    return NULL;
  }
  bool has_expired = cached->plan == NULL && now_ns >= cached->expires_ns;
  if (has_expired) {
    berthd_store_remove(plans->store, &cached->head, BERTHD_EVICTION_EXPIRED);
  }
  if (has_expired || !has_key(cached, key, n_key)) {
    berthd_cached_unref(cached);
    return NULL;
  }
  if (cached->is_final || cached->plan == NULL) {
    berthd_store_touch(plans->store, &cached->head);
  }
  return cached;
}

struct berthd_cached *berthd_plans_find_by_id(struct berthd_plans *plans, const struct berth_planid *id) {
  struct berthd_cached *cached =
      (struct berthd_cached *)berthd_store_find(plans->store, berthd_plans_rank(id));
  if (cached != NULL &&
      (cached->plan == NULL || memcmp(cached->id.bytes, id->bytes, sizeof id->bytes) != 0)) {
    berthd_cached_unref(cached);
    return NULL;
  }
  if (cached != NULL) {
    berthd_store_touch(plans->store, &cached->head);
  }
  return cached;
}

bool berthd_cached_is_better(const struct berthd_cached *fresh, const struct berthd_cached *old) {
  if ((fresh->plan == NULL) != (old->plan == NULL)) {
    return fresh->plan != NULL;
  }
  if (fresh->plan == NULL) {
    return fresh->expires_ns > old->expires_ns;
  }
  if (fresh->is_final != old->is_final) {
    return fresh->is_final;
  }
  if ((fresh->plan->offset == NULL) != (old->plan->offset == NULL)) {
    return fresh->plan->offset != NULL;
  }
  if (fresh->plan->arena_bytes != old->plan->arena_bytes) {
    return fresh->plan->arena_bytes < old->plan->arena_bytes;
  }
  return fresh->plan->lower_bound_bytes > old->plan->lower_bound_bytes;
}

static bool replaces(const struct berthd_store_entry *old, const struct berthd_store_entry *fresh) {
  const struct berthd_cached *old_cached = (const struct berthd_cached *)old;
  const struct berthd_cached *fresh_cached = (const struct berthd_cached *)fresh;
  bool is_same = has_key(old_cached, fresh_cached->key, fresh_cached->n_key);
  return !is_same || berthd_cached_is_better(fresh_cached, old_cached);
}

void berthd_plans_put(struct berthd_plans *plans, struct berthd_cached *cached) {
  berthd_store_put(plans->store, &cached->head, replaces);
}

bool berthd_plans_remove(
    struct berthd_plans *plans, struct berthd_cached *cached, enum berthd_label_EVICTION reason) {
  return berthd_store_remove(plans->store, &cached->head, reason);
}

/* ---- Measured peaks ---- */

static void note(struct berth_measured *measured, const struct berth_measurement *measurement) {
  double ratio = (double)measurement->measured_bytes / (double)measurement->planned_bytes;
  measured->highest_ratio = ratio > measured->highest_ratio ? ratio : measured->highest_ratio;
  measured->n_all++;
  measured->n += measured->n < BERTH_MEASUREMENTS_KEPT;
  memmove(&measured->items[1], &measured->items[0], (measured->n - 1) * sizeof measured->items[0]);
  measured->items[0] = *measurement;
  measured->items[0].ratio = ratio;
}

bool berthd_plans_note(
    struct berthd_plans *plans, struct berthd_cached *cached, const struct berth_measurement *measurement,
    struct berth_measured *out) {
  pthread_mutex_lock(&plans->mutex);
  bool is_first = cached->measured == NULL;
  if (is_first) {
    cached->measured = calloc(1, sizeof *cached->measured);
  }
  bool is_kept = cached->measured != NULL;
  if (is_kept) {
    note(cached->measured, measurement);
    *out = *cached->measured;
  }
  pthread_mutex_unlock(&plans->mutex);
  if (is_kept && is_first) {
    berthd_store_charge(plans->store, &cached->head, sizeof *cached->measured);
  }
  return is_kept;
}

void berthd_plans_measured(
    struct berthd_plans *plans, const struct berthd_cached *cached, struct berth_measured *out) {
  pthread_mutex_lock(&plans->mutex);
  *out = cached->measured != NULL ? *cached->measured : (struct berth_measured){.n = 0};
  pthread_mutex_unlock(&plans->mutex);
}

/* ---- Lists ---- */

static bool is_plan(const struct berthd_store_entry *entry) {
  return ((const struct berthd_cached *)entry)->plan != NULL;
}

size_t berthd_plans_list(
    struct berthd_plans *plans, const uint64_t *after, size_t n_most, struct berthd_store_entry **out) {
  return berthd_store_list(plans->store, after, n_most, is_plan, out);
}

uint64_t berthd_plans_n_bytes(struct berthd_plans *plans) {
  return berthd_store_n_bytes(plans->store);
}

uint64_t berthd_plans_n_entries(struct berthd_plans *plans) {
  return berthd_store_n_entries(plans->store);
}
