#include "cache/store.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static atomic_int n_alive;

static void destroy(struct berthd_store_entry *entry) {
  atomic_fetch_sub(&n_alive, 1);
  free(entry);
}

static struct berthd_store_entry *make(uint64_t hash, size_t n_bytes, double cost_seconds) {
  struct berthd_store_entry *entry = calloc(1, sizeof *entry);
  *entry = (struct berthd_store_entry){
      .hash = hash, .n_bytes = n_bytes, .cost_seconds = cost_seconds, .destroy = destroy};
  atomic_init(&entry->n_refs, 1);
  atomic_fetch_add(&n_alive, 1);
  return entry;
}

static bool put(struct berthd_store *store, uint64_t hash, size_t n_bytes, double cost_seconds) {
  struct berthd_store_entry *entry = make(hash, n_bytes, cost_seconds);
  bool taken = berthd_store_put(store, entry, NULL);
  berthd_store_entry_unref(entry);
  return taken;
}

static bool has(struct berthd_store *store, uint64_t hash) {
  struct berthd_store_entry *entry = berthd_store_find(store, hash);
  ck_assert(entry == NULL || entry->hash == hash);
  berthd_store_entry_unref(entry);
  return entry != NULL;
}

START_TEST(the_limit_holds_and_nothing_leaks) {
  struct berthd_metrics *metrics = berthd_metrics_create();
  struct berthd_store *store = berthd_store_create(10000, BERTHD_TIER_MEMORY, metrics);
  for (uint64_t i = 0; i < 5000; i++) {
    ck_assert(put(store, i * 0x9e3779b97f4a7c15u, 10 + i % 300, 0.001));
    ck_assert_uint_le(berthd_store_n_bytes(store), 10000);
  }
  ck_assert(!put(store, 1, 10001, 1)); /* larger than the whole */
  ck_assert_uint_gt(berthd_store_n_entries(store), 20);
  ck_assert_uint_eq((unsigned)atomic_load(&n_alive), berthd_store_n_entries(store));
  ck_assert(
      berthd_metrics_get(metrics, BERTHD_METRIC_CACHE_SIZE, BERTHD_TIER_MEMORY, 0) ==
      (double)berthd_store_n_bytes(store));
  ck_assert(
      berthd_metrics_get(metrics, BERTHD_METRIC_CACHE_EVICTIONS, BERTHD_EVICTION_SIZE, 0) ==
      5000 - (double)berthd_store_n_entries(store));
  berthd_store_destroy(store);
  ck_assert_int_eq(atomic_load(&n_alive), 0);
  berthd_metrics_destroy(metrics);
}
END_TEST

START_TEST(a_store_without_room_keeps_nothing) {
  struct berthd_store *store = berthd_store_create(0, BERTHD_TIER_MEMORY, NULL);
  ck_assert(!put(store, 1, 1, 1));
  ck_assert(!has(store, 1));
  berthd_store_destroy(store);
}
END_TEST

START_TEST(what_saves_more_seconds_a_byte_stays) {
  struct berthd_store *store = berthd_store_create(15 * 1000, BERTHD_TIER_MEMORY, NULL);
  for (uint64_t i = 0; i < 10; i++) {
    ck_assert(put(store, i, 1000, 10)); /* dear */
  }
  for (uint64_t i = 100; i < 1000; i++) {
    ck_assert(put(store, i, 1000, 0.001)); /* cheap ones pass through */
  }
  for (uint64_t i = 0; i < 10; i++) {
    ck_assert(has(store, i));
  }
  berthd_store_destroy(store);
}
END_TEST

START_TEST(what_is_not_asked_for_ages) {
  struct berthd_store *store = berthd_store_create(15 * 1000, BERTHD_TIER_MEMORY, NULL);
  for (uint64_t i = 0; i < 5; i++) {
    ck_assert(put(store, i, 1000, 1)); /* dear once, but nobody comes back */
  }
  for (uint64_t i = 100; i < 4000; i++) {
    ck_assert(put(store, i, 1000, 0.5));
    struct berthd_store_entry *entry = berthd_store_find(store, i);
    for (int k = 0; entry != NULL && k < 3; k++) {
      berthd_store_touch(store, entry);
    }
    berthd_store_entry_unref(entry);
  }
  for (uint64_t i = 0; i < 5; i++) {
    ck_assert(!has(store, i));
  }
  berthd_store_destroy(store);
}
END_TEST

/* ---- Against least recently used, in a simulation ---- */

enum { N_KEYS = 2000, N_ASKED = 60000 };
#define LIMIT_BYTES UINT64_C(1000000)

struct model {
  size_t n_bytes;
  double seconds; /* of planning */
};

static uint64_t next(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

/* Some are asked for much more often than others: rank r about 1 / r. */
static uint32_t draw(uint64_t *state) {
  double u = (double)(next(state) % 1000000 + 1) / 1e6;
  return (uint32_t)(exp(u * log(N_KEYS)) - 1) % N_KEYS;
}

/* Log-uniform from 1 to `most`. */
static double draw_scale(uint64_t *state, double most) {
  return exp((double)(next(state) % 1000) / 1000 * log(most));
}

/* Of two problems of one size, one is proven at once and the other takes its whole budget. */
static void make_models(struct model *models) {
  uint64_t state = 5;
  for (int i = 0; i < N_KEYS; i++) {
    double scale = draw_scale(&state, 1000);
    models[i] = (struct model){(size_t)(200 * scale), 1e-4 * scale * draw_scale(&state, 300)};
  }
}

static double saved_by_store(const struct model *models) {
  struct berthd_store *store = berthd_store_create(LIMIT_BYTES, BERTHD_TIER_MEMORY, NULL);
  uint64_t state = 9;
  double saved = 0;
  for (int i = 0; i < N_ASKED; i++) {
    uint32_t key = draw(&state);
    struct berthd_store_entry *entry = berthd_store_find(store, key);
    if (entry != NULL) {
      saved += models[key].seconds;
      berthd_store_touch(store, entry);
      berthd_store_entry_unref(entry);
    } else {
      put(store, key, models[key].n_bytes, models[key].seconds);
    }
  }
  berthd_store_destroy(store);
  return saved;
}

static double saved_by_lru(const struct model *models) {
  static int64_t used[N_KEYS]; /* when; 0: not there */
  memset(used, 0, sizeof used);
  uint64_t state = 9;
  uint64_t n_bytes = 0;
  double saved = 0;
  for (int i = 0; i < N_ASKED; i++) {
    uint32_t key = draw(&state);
    if (used[key] != 0) {
      saved += models[key].seconds;
      used[key] = i + 1;
      continue;
    }
    n_bytes += models[key].n_bytes;
    while (n_bytes > LIMIT_BYTES) {
      int oldest = -1;
      for (int k = 0; k < N_KEYS; k++) {
        if (used[k] != 0 && (oldest < 0 || used[k] < used[oldest])) {
          oldest = k;
        }
      }
      used[oldest] = 0;
      n_bytes -= models[oldest].n_bytes;
    }
    used[key] = i + 1;
  }
  return saved;
}

START_TEST(it_saves_more_planning_than_least_recently_used) {
  static struct model models[N_KEYS];
  make_models(models);
  double ours = saved_by_store(models);
  double lru = saved_by_lru(models);
  ck_assert_msg(ours > 1.25 * lru, "%.0f s against %.0f s", ours, lru);
}
END_TEST

static bool never(const struct berthd_store_entry *old, const struct berthd_store_entry *fresh) {
  (void)old;
  (void)fresh;
  return false;
}

START_TEST(an_entry_is_replaced_only_by_a_better_one_and_outlives_its_eviction) {
  struct berthd_store *store = berthd_store_create(1000, BERTHD_TIER_MEMORY, NULL);
  ck_assert(put(store, 7, 100, 1));
  struct berthd_store_entry *first = berthd_store_find(store, 7);
  struct berthd_store_entry *second = make(7, 200, 1);
  ck_assert(!berthd_store_put(store, second, never));
  ck_assert_uint_eq(berthd_store_n_bytes(store), 100);
  ck_assert(berthd_store_put(store, second, NULL));
  ck_assert(!berthd_store_put(store, second, NULL)); /* it is there already */
  ck_assert_uint_eq(berthd_store_n_bytes(store), 200);
  ck_assert_uint_eq(berthd_store_n_entries(store), 1);
  berthd_store_remove(store, first, BERTHD_EVICTION_EXPIRED); /* not that one any more */
  ck_assert(has(store, 7));
  ck_assert_uint_eq(first->n_bytes, 100); /* still ours */
  berthd_store_entry_unref(first);
  berthd_store_remove(store, second, BERTHD_EVICTION_EXPIRED);
  ck_assert(!has(store, 7));
  berthd_store_entry_unref(second);
  berthd_store_destroy(store);
  ck_assert_int_eq(atomic_load(&n_alive), 0);
}
END_TEST

static void *hammer(void *arg) {
  struct berthd_store *store = arg;
  uint64_t state = (uint64_t)(uintptr_t)&state;
  for (int i = 0; i < 20000; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint64_t hash = state >> 33 & 255;
    struct berthd_store_entry *entry = berthd_store_find(store, hash);
    if (entry != NULL) {
      ck_assert_uint_eq(entry->hash, hash);
      berthd_store_touch(store, entry);
      berthd_store_entry_unref(entry);
    } else {
      put(store, hash, 50 + hash, 0.01);
    }
  }
  return NULL;
}

START_TEST(threads_share_it) {
  struct berthd_metrics *metrics = berthd_metrics_create();
  struct berthd_store *store = berthd_store_create(8000, BERTHD_TIER_MEMORY, metrics);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    ck_assert_int_eq(pthread_create(&threads[i], NULL, hammer, store), 0);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
  }
  ck_assert_uint_le(berthd_store_n_bytes(store), 8000);
  berthd_store_destroy(store);
  ck_assert_int_eq(atomic_load(&n_alive), 0);
  berthd_metrics_destroy(metrics);
}
END_TEST

static bool is_wanted(const struct berthd_store_entry *entry) {
  return entry->hash % 3 != 0;
}

/* Page after page: every wanted entry once, in rising order. */
START_TEST(lists_are_in_order_of_the_hashes) {
  struct berthd_store *store = berthd_store_create(1 << 20, BERTHD_TIER_MEMORY, NULL);
  for (uint64_t i = 0; i < 700; i++) {
    put(store, i * 7919 % 701, 10, 1);
  }
  for (size_t page = 1; page < 600; page = page * 2 + 1) {
    struct berthd_store_entry *entries[600];
    uint64_t last = 0;
    size_t n_all = 0;
    size_t n;
    while ((n = berthd_store_list(store, n_all > 0 ? &last : NULL, page, is_wanted, entries)) > 0) {
      for (size_t i = 0; i < n; i++) {
        ck_assert(is_wanted(entries[i]) && (n_all + i == 0 || entries[i]->hash > last));
        last = entries[i]->hash;
        berthd_store_entry_unref(entries[i]);
      }
      n_all += n;
    }
    size_t n_wanted = 0;
    for (uint64_t i = 0; i < 700; i++) {
      n_wanted += i * 7919 % 701 % 3 != 0;
    }
    ck_assert_uint_eq(n_all, n_wanted);
  }
  ck_assert_uint_eq(berthd_store_list(store, NULL, 0, is_wanted, NULL), 0);
  berthd_store_destroy(store);
  ck_assert_int_eq(atomic_load(&n_alive), 0);
}
END_TEST

START_TEST(what_grows_is_counted_and_may_push_others_out) {
  struct berthd_store *store = berthd_store_create(1000, BERTHD_TIER_MEMORY, NULL);
  put(store, 1, 400, 0.001);
  put(store, 2, 400, 1000);
  struct berthd_store_entry *entry = berthd_store_find(store, 2);
  berthd_store_charge(store, entry, 100);
  ck_assert_uint_eq(berthd_store_n_bytes(store), 900);
  berthd_store_charge(store, entry, 200);
  ck_assert_uint_eq(berthd_store_n_bytes(store), 700);
  ck_assert(!has(store, 1) && has(store, 2));
  ck_assert(berthd_store_remove(store, entry, BERTHD_EVICTION_DELETED));
  ck_assert(!berthd_store_remove(store, entry, BERTHD_EVICTION_DELETED));
  berthd_store_charge(store, entry, 100); /* not there any more */
  ck_assert_uint_eq(berthd_store_n_bytes(store), 0);
  berthd_store_entry_unref(entry);
  berthd_store_destroy(store);
  ck_assert_int_eq(atomic_load(&n_alive), 0);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "cache/store", (const TTest *const[]){
                         the_limit_holds_and_nothing_leaks, a_store_without_room_keeps_nothing,
                         what_saves_more_seconds_a_byte_stays, what_is_not_asked_for_ages,
                         it_saves_more_planning_than_least_recently_used,
                         an_entry_is_replaced_only_by_a_better_one_and_outlives_its_eviction,
                         lists_are_in_order_of_the_hashes, what_grows_is_counted_and_may_push_others_out,
                         threads_share_it, NULL});
}
