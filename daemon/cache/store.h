/* Entries by a 64-bit hash under a limit of bytes; plans.h puts meaning on top. One entry a
 * hash: a look-up returns a candidate, and the caller compares its whole key (outside the lock).
 *
 * Eviction by the planning seconds that an entry saves for the bytes it takes: GreedyDual-Size-Frequency
 * (Cherkasova 1998), priority = clock + hits * seconds / bytes, the lowest of a random sample goes, and the
 * clock rises to its priority, so that what is not asked for ages.
 *
 * One mutex and no shards: what is under it is a few loads and stores. A look-up that hits takes 40 ns, a
 * thousandth of what the rest of the fastest request takes. */
#ifndef CACHE_STORE_H
#define CACHE_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/metrics.h"

struct berthd_store;

/* Embedded as the first member of what is stored. The maker sets the first four and one reference; the rest
 * is the store's. The maker's fields are immutable once it is put, but for
 * n_bytes, which is the store's from then on. */
struct berthd_store_entry {
  uint64_t hash;
  size_t n_bytes;
  double cost_seconds;
  void (*destroy)(struct berthd_store_entry *entry);
  atomic_uint_least32_t n_refs;
  double priority;
  double n_hits;
  size_t place;
  struct berthd_store_entry *next;
};

/* NULL if memory ran out. */
struct berthd_store *
berthd_store_create(uint64_t limit_bytes, enum berthd_label_TIER tier, struct berthd_metrics *metrics);
void berthd_store_destroy(struct berthd_store *store);
/* Before the first entry: `on_left` is told of each that leaves, with the lock held. */
void berthd_store_watch(
    struct berthd_store *store, void *ctx,
    void (*on_left)(void *ctx, uint64_t hash, enum berthd_label_EVICTION reason));

/* The entry with this hash, with a reference for the caller, or NULL. Does not count as a hit. */
struct berthd_store_entry *berthd_store_find(struct berthd_store *store, uint64_t hash);
/* The caller found that the entry is what it wanted: it is worth more now. */
void berthd_store_touch(struct berthd_store *store, struct berthd_store_entry *entry);
/* Takes a reference of its own and evicts until it fits. An entry with the same hash is replaced if
 * `replaces` (NULL: always) says so; it is called with the lock held. False if it was not taken. */
bool berthd_store_put(
    struct berthd_store *store, struct berthd_store_entry *entry,
    bool (*replaces)(const struct berthd_store_entry *old, const struct berthd_store_entry *fresh));
/* Removes this very entry, if it is still there. */
bool berthd_store_remove(
    struct berthd_store *store, struct berthd_store_entry *entry, enum berthd_label_EVICTION reason);

/* The entry, if it is still there, takes `n_bytes` more than before; evicts until all fit, perhaps itself. */
void berthd_store_charge(struct berthd_store *store, struct berthd_store_entry *entry, size_t n_bytes);

/* In rising order of their hashes, the first entries after the hash `after` (NULL: from the start) that are
 * `wanted`, which is called with the lock held; each with a reference for the caller. `out` has room for
 * n_most. Looks at every entry: for people, not for requests. */
size_t berthd_store_list(
    struct berthd_store *store, const uint64_t *after, size_t n_most,
    bool (*wanted)(const struct berthd_store_entry *entry), struct berthd_store_entry **out);

void berthd_store_entry_ref(struct berthd_store_entry *entry);
void berthd_store_entry_unref(struct berthd_store_entry *entry);

uint64_t berthd_store_n_bytes(struct berthd_store *store);
uint64_t berthd_store_n_entries(struct berthd_store *store);

#endif
