#include "cache/store.h"

#include <pthread.h>
#include <stdlib.h>

#define N_SAMPLES 16
#define FIRST_CAPACITY 64

struct berthd_store {
  pthread_mutex_t mutex;
  struct berthd_metrics *metrics;
  enum berthd_label_TIER tier;
  void *watcher;
  void (*on_left)(void *ctx, uint64_t hash, enum berthd_label_EVICTION reason); /* or NULL */
  uint64_t limit_bytes;
  uint64_t n_bytes;
  double clock;
  uint64_t random;                     /* state of splitmix64 */
  struct berthd_store_entry **entries; /* dense, for sampling */
  struct berthd_store_entry **chains;  /* `capacity` of them, by hash */
  size_t n_entries;
  size_t capacity; /* of both; a power of two */
};

struct berthd_store *
berthd_store_create(uint64_t limit_bytes, enum berthd_label_TIER tier, struct berthd_metrics *metrics) {
  struct berthd_store *store = calloc(1, sizeof *store);
  if (store == NULL) {
    return NULL;
  }
  store->entries = calloc(FIRST_CAPACITY, sizeof *store->entries);
  store->chains = calloc(FIRST_CAPACITY, sizeof *store->chains);
  if (store->entries == NULL || store->chains == NULL || pthread_mutex_init(&store->mutex, NULL) != 0) {
    free(store->entries);
    free(store->chains);
    free(store);
    return NULL;
  }
  store->capacity = FIRST_CAPACITY;
  store->limit_bytes = limit_bytes;
  store->tier = tier;
  store->metrics = metrics;
  store->random = limit_bytes; /* the sample need not be a secret */
  berthd_metrics_set(metrics, BERTHD_METRIC_CACHE_LIMIT, tier, 0, (double)limit_bytes);
  return store;
}

void berthd_store_destroy(struct berthd_store *store) {
  if (store == NULL) {
    return;
  }
  for (size_t i = 0; i < store->n_entries; i++) {
    berthd_store_entry_unref(store->entries[i]);
  }
  pthread_mutex_destroy(&store->mutex);
  free(store->entries);
  free(store->chains);
  free(store);
}

void berthd_store_watch(
    struct berthd_store *store, void *ctx,
    void (*on_left)(void *ctx, uint64_t hash, enum berthd_label_EVICTION reason)) {
  store->watcher = ctx;
  store->on_left = on_left;
}

void berthd_store_entry_ref(struct berthd_store_entry *entry) {
  atomic_fetch_add_explicit(&entry->n_refs, 1, memory_order_relaxed);
}

void berthd_store_entry_unref(struct berthd_store_entry *entry) {
  if (entry != NULL && atomic_fetch_sub_explicit(&entry->n_refs, 1, memory_order_acq_rel) == 1) {
    entry->destroy(entry);
  }
}

static struct berthd_store_entry **chain_of(struct berthd_store *store, uint64_t hash) {
  return &store->chains[hash & (store->capacity - 1)];
}

static struct berthd_store_entry *look_up(struct berthd_store *store, uint64_t hash) {
  struct berthd_store_entry *entry = *chain_of(store, hash);
  while (entry != NULL && entry->hash != hash) {
    entry = entry->next;
  }
  return entry;
}

struct berthd_store_entry *berthd_store_find(struct berthd_store *store, uint64_t hash) {
  pthread_mutex_lock(&store->mutex);
  struct berthd_store_entry *entry = look_up(store, hash);
  if (entry != NULL) {
    berthd_store_entry_ref(entry);
  }
  pthread_mutex_unlock(&store->mutex);
  return entry;
}

static void set_priority(struct berthd_store *store, struct berthd_store_entry *entry) {
  entry->priority = store->clock + entry->n_hits * entry->cost_seconds / (double)entry->n_bytes;
}

void berthd_store_touch(struct berthd_store *store, struct berthd_store_entry *entry) {
  pthread_mutex_lock(&store->mutex);
  entry->n_hits += 1;
  set_priority(store, entry);
  pthread_mutex_unlock(&store->mutex);
}

static void show_size(struct berthd_store *store) {
  berthd_metrics_set(store->metrics, BERTHD_METRIC_CACHE_SIZE, store->tier, 0, (double)store->n_bytes);
  berthd_metrics_set(store->metrics, BERTHD_METRIC_CACHE_ENTRIES, store->tier, 0, (double)store->n_entries);
}

/* Takes the entry out; the store's reference goes to the caller's list of garbage, freed without the lock. */
static void take_out(
    struct berthd_store *store, struct berthd_store_entry *entry, enum berthd_label_EVICTION reason,
    struct berthd_store_entry **garbage) {
  struct berthd_store_entry **link = chain_of(store, entry->hash);
  while (*link != entry) {
    link = &(*link)->next;
  }
  *link = entry->next;
  store->entries[entry->place] = store->entries[--store->n_entries];
  store->entries[entry->place]->place = entry->place;
  store->n_bytes -= entry->n_bytes;
  entry->next = *garbage;
  *garbage = entry;
  berthd_metrics_add(store->metrics, BERTHD_METRIC_CACHE_EVICTIONS, reason, 0, 1);
  if (store->on_left != NULL) {
    store->on_left(store->watcher, entry->hash, reason);
  }
}

static void unref_all(struct berthd_store_entry *garbage) {
  while (garbage != NULL) {
    struct berthd_store_entry *next = garbage->next;
    berthd_store_entry_unref(garbage);
    garbage = next;
  }
}

static uint64_t next_random(struct berthd_store *store) {
  uint64_t z = (store->random += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static void evict_one(struct berthd_store *store, struct berthd_store_entry **garbage) {
  struct berthd_store_entry *victim = NULL;
  size_t n = store->n_entries < N_SAMPLES ? store->n_entries : N_SAMPLES;
  for (size_t i = 0; i < n; i++) {
    size_t place = n < N_SAMPLES ? i : (size_t)(next_random(store) % store->n_entries);
    struct berthd_store_entry *entry = store->entries[place];
    if (victim == NULL || entry->priority < victim->priority) {
      victim = entry;
    }
  }
  if (victim->priority > store->clock) {
    store->clock = victim->priority;
  }
  take_out(store, victim, BERTHD_EVICTION_SIZE, garbage);
}

/* Room for one more entry in the table. False if memory ran out: then the entry is not kept, which is no
 * harm. */
static bool grow(struct berthd_store *store) {
  if (store->n_entries < store->capacity) {
    return true;
  }
  size_t capacity = 2 * store->capacity;
  struct berthd_store_entry **chains = calloc(capacity, sizeof *chains);
  struct berthd_store_entry **entries = chains == NULL ? NULL : calloc(capacity, sizeof *entries);
  if (entries == NULL) {
    free(chains);
    return false;
  }
  for (size_t i = 0; i < store->n_entries; i++) {
    struct berthd_store_entry *entry = store->entries[i];
    entries[i] = entry;
    entry->next = chains[entry->hash & (capacity - 1)];
    chains[entry->hash & (capacity - 1)] = entry;
  }
  free(store->chains);
  free(store->entries);
  store->chains = chains;
  store->entries = entries;
  store->capacity = capacity;
  return true;
}

static void put_in(struct berthd_store *store, struct berthd_store_entry *entry) {
  struct berthd_store_entry **chain = chain_of(store, entry->hash);
  entry->next = *chain;
  *chain = entry;
  entry->place = store->n_entries;
  store->entries[store->n_entries++] = entry;
  store->n_bytes += entry->n_bytes;
  berthd_store_entry_ref(entry);
}

bool berthd_store_put(
    struct berthd_store *store, struct berthd_store_entry *entry,
    bool (*replaces)(const struct berthd_store_entry *old, const struct berthd_store_entry *fresh)) {
  if (entry->n_bytes > store->limit_bytes) {
    return false;
  }
  struct berthd_store_entry *garbage = NULL;
  pthread_mutex_lock(&store->mutex);
  struct berthd_store_entry *old = look_up(store, entry->hash);
  bool wanted = old == NULL || (old != entry && (replaces == NULL || replaces(old, entry)));
  entry->n_hits = 1;
  if (wanted && old != NULL) {
    entry->n_hits = old->n_hits;
    take_out(store, old, BERTHD_EVICTION_REPLACED, &garbage);
  }
  wanted = wanted && grow(store);
  if (wanted) {
    while (store->n_bytes + entry->n_bytes > store->limit_bytes) {
      evict_one(store, &garbage);
    }
    set_priority(store, entry);
    put_in(store, entry);
  }
  show_size(store);
  pthread_mutex_unlock(&store->mutex);
  unref_all(garbage);
  return wanted;
}

bool berthd_store_remove(
    struct berthd_store *store, struct berthd_store_entry *entry, enum berthd_label_EVICTION reason) {
  struct berthd_store_entry *garbage = NULL;
  pthread_mutex_lock(&store->mutex);
  bool is_there = look_up(store, entry->hash) == entry;
  if (is_there) {
    take_out(store, entry, reason, &garbage);
    show_size(store);
  }
  pthread_mutex_unlock(&store->mutex);
  unref_all(garbage);
  return is_there;
}

void berthd_store_charge(struct berthd_store *store, struct berthd_store_entry *entry, size_t n_bytes) {
  struct berthd_store_entry *garbage = NULL;
  pthread_mutex_lock(&store->mutex);
  if (look_up(store, entry->hash) == entry) {
    entry->n_bytes += n_bytes;
    store->n_bytes += n_bytes;
    set_priority(store, entry);
    while (store->n_bytes > store->limit_bytes) {
      evict_one(store, &garbage);
    }
    show_size(store);
  }
  pthread_mutex_unlock(&store->mutex);
  unref_all(garbage);
}

/* ---- Lists: the lowest hashes, by a heap with the highest of them at its root ---- */

static void sift_down(struct berthd_store_entry **heap, size_t n, size_t at) {
  for (;;) {
    size_t highest = at;
    for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < n; child++) {
      highest = heap[child]->hash > heap[highest]->hash ? child : highest;
    }
    if (highest == at) {
      return;
    }
    struct berthd_store_entry *held = heap[at];
    heap[at] = heap[highest];
    heap[highest] = held;
    at = highest;
  }
}

static void sift_up(struct berthd_store_entry **heap, size_t at) {
  while (at > 0 && heap[(at - 1) / 2]->hash < heap[at]->hash) {
    struct berthd_store_entry *held = heap[at];
    heap[at] = heap[(at - 1) / 2];
    heap[(at - 1) / 2] = held;
    at = (at - 1) / 2;
  }
}

static void sort_heap(struct berthd_store_entry **heap, size_t n) {
  while (n > 1) {
    struct berthd_store_entry *highest = heap[0];
    heap[0] = heap[--n];
    heap[n] = highest;
    sift_down(heap, n, 0);
  }
}

size_t berthd_store_list(
    struct berthd_store *store, const uint64_t *after, size_t n_most,
    bool (*wanted)(const struct berthd_store_entry *entry), struct berthd_store_entry **out) {
  size_t n = 0;
  pthread_mutex_lock(&store->mutex);
  for (size_t i = 0; i < store->n_entries && n_most > 0; i++) {
    struct berthd_store_entry *entry = store->entries[i];
    bool is_next = (after == NULL || entry->hash > *after) && wanted(entry);
    if (is_next && n < n_most) {
      out[n++] = entry;
      sift_up(out, n - 1);
    } else if (is_next && entry->hash < out[0]->hash) {
      out[0] = entry;
      sift_down(out, n, 0);
    }
  }
  for (size_t i = 0; i < n; i++) {
    berthd_store_entry_ref(out[i]);
  }
  pthread_mutex_unlock(&store->mutex);
  sort_heap(out, n);
  return n;
}

uint64_t berthd_store_n_bytes(struct berthd_store *store) {
  pthread_mutex_lock(&store->mutex);
  uint64_t n_bytes = store->n_bytes;
  pthread_mutex_unlock(&store->mutex);
  return n_bytes;
}

uint64_t berthd_store_n_entries(struct berthd_store *store) {
  pthread_mutex_lock(&store->mutex);
  uint64_t n_entries = store->n_entries;
  pthread_mutex_unlock(&store->mutex);
  return n_entries;
}
