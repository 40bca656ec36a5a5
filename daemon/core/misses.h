/* Why a key missed the cache: of the keys that had an entry of late, a digest of every section and what
 * became of the entry. Bounded: the oldest is forgotten for the newest, and 2048 take less than a megabyte.
 *
 * A miss is put down to a reason in one pass over two dense columns. What differs from the nearest key is
 * looked for only when somebody asks. */
#ifndef CORE_MISSES_H
#define CORE_MISSES_H

#include "cache/plans.h"
#include "planid/planid.h"

#define BERTHD_MISSES_KEPT 2048

struct berthd_misses;

struct berthd_digests {
  struct berth_planid_map map;
  uint64_t of[BERTH_PLANID_N_SECTIONS];
};
/* Of the bytes of a key. `out->map` is given. */
void berthd_digests_make(struct berthd_digests *out, const uint8_t *key);

struct berthd_difference {
  unsigned section;
  uint64_t n_entries; /* that differ; 0 where that is not known */
};

struct berthd_miss {
  enum berthd_label_MISS reason;
  bool has_nearest;
  bool nearest_is_kept; /* its plan is in the cache */
  struct berth_planid nearest;
  uint32_t n;
  struct berthd_difference items[BERTH_PLANID_N_SECTIONS];
};

struct berthd_misses *berthd_misses_create(void); /* NULL if memory ran out */
void berthd_misses_destroy(struct berthd_misses *misses);

/* There is an entry under this key now. */
void berthd_misses_note(
    struct berthd_misses *misses, const struct berth_planid *id, const struct berthd_digests *digests);
/* It has left the cache; `ctx` is the misses. */
void berthd_misses_left(void *ctx, uint64_t rank, enum berthd_label_EVICTION reason);

/* Of a key that has no entry that would do; `is_cut` if there is one that was cut short. */
enum berthd_label_MISS berthd_misses_reason(
    struct berthd_misses *misses, const struct berth_planid *id, const struct berthd_digests *digests,
    bool is_cut);
/* And the key that is nearest, in what it differs. `key` is the bytes. */
void berthd_misses_explain(
    struct berthd_misses *misses, struct berthd_plans *plans, const struct berth_planid *id,
    const struct berthd_digests *digests, const uint8_t *key, enum berthd_label_MISS reason,
    struct berthd_miss *out);

#endif
