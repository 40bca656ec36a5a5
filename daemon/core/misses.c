#include "core/misses.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum state { UNUSED = 0, KEPT, LEFT_SIZE, LEFT_EXPIRED, LEFT_DELETED, LEFT_REFUSED };

struct record {
  struct berth_planid id;
  struct berthd_digests digests;
};

struct berthd_misses {
  pthread_mutex_t mutex;
  uint32_t next;                        /* the oldest, once all are used */
  uint64_t rank[BERTHD_MISSES_KEPT];    /* of the id */
  uint64_t problem[BERTHD_MISSES_KEPT]; /* digest of all that is not engine or options */
  uint8_t state[BERTHD_MISSES_KEPT];
  struct record records[BERTHD_MISSES_KEPT];
};

struct berthd_misses *berthd_misses_create(void) {
  struct berthd_misses *misses = calloc(1, sizeof *misses);
  if (misses != NULL && pthread_mutex_init(&misses->mutex, NULL) != 0) {
    free(misses);
    return NULL;
  }
  return misses;
}

void berthd_misses_destroy(struct berthd_misses *misses) {
  if (misses != NULL) {
    pthread_mutex_destroy(&misses->mutex);
    free(misses);
  }
}

/* ---- Digests: not secrets, and nothing but a report depends on them ---- */

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 32;
}

static uint64_t digest(const uint8_t *bytes, uint64_t n_bytes) {
  uint64_t hash = n_bytes;
  uint64_t word;
  for (; n_bytes >= sizeof word; n_bytes -= sizeof word, bytes += sizeof word) {
    memcpy(&word, bytes, sizeof word);
    hash = mix(hash, word);
  }
  word = 0;
  memcpy(&word, bytes, n_bytes);
  return mix(hash, word);
}

void berthd_digests_make(struct berthd_digests *out, const uint8_t *key) {
  for (unsigned i = 0; i < BERTH_PLANID_N_SECTIONS; i++) {
    uint64_t begin = out->map.begin[i];
    out->of[i] = digest(key + begin, out->map.begin[i + 1] - begin);
  }
}

static uint64_t problem_of(const struct berthd_digests *digests) {
  uint64_t hash = 0;
  for (unsigned i = BERTH_PLANID_PROBLEM; i < BERTH_PLANID_N_SECTIONS; i++) {
    hash = mix(hash, digests->of[i]);
  }
  return hash;
}

/* ---- What was and what became of it ---- */

/* With the mutex, as the others. BERTHD_MISSES_KEPT if it is none. */
static uint32_t find(const struct berthd_misses *misses, uint64_t rank) {
  uint32_t i = 0;
  while (i < BERTHD_MISSES_KEPT && (misses->rank[i] != rank || misses->state[i] == UNUSED)) {
    i++;
  }
  return i;
}

void berthd_misses_note(
    struct berthd_misses *misses, const struct berth_planid *id, const struct berthd_digests *digests) {
  uint64_t rank = berthd_plans_rank(id);
  pthread_mutex_lock(&misses->mutex);
  uint32_t at = find(misses, rank);
  if (at == BERTHD_MISSES_KEPT) {
    at = misses->next;
    misses->next = (misses->next + 1) % BERTHD_MISSES_KEPT;
    misses->rank[at] = rank;
    misses->problem[at] = problem_of(digests);
    misses->records[at] = (struct record){.id = *id, .digests = *digests};
  }
  misses->state[at] = KEPT;
  pthread_mutex_unlock(&misses->mutex);
}

void berthd_misses_left(void *ctx, uint64_t rank, enum berthd_label_EVICTION reason) {
  struct berthd_misses *misses = ctx;
  static const uint8_t STATES[BERTHD_N_EVICTION] = {
      [BERTHD_EVICTION_SIZE] = LEFT_SIZE,
      [BERTHD_EVICTION_REPLACED] = KEPT,
      [BERTHD_EVICTION_EXPIRED] = LEFT_EXPIRED,
      [BERTHD_EVICTION_REFUSED] = LEFT_REFUSED,
      [BERTHD_EVICTION_DELETED] = LEFT_DELETED};
  pthread_mutex_lock(&misses->mutex);
  uint32_t at = find(misses, rank);
  if (at < BERTHD_MISSES_KEPT) {
    misses->state[at] = STATES[reason];
  }
  pthread_mutex_unlock(&misses->mutex);
}

static bool knows_problem(const struct berthd_misses *misses, uint64_t problem) {
  for (uint32_t i = 0; i < BERTHD_MISSES_KEPT; i++) {
    if (misses->problem[i] == problem && misses->state[i] != UNUSED) {
      return true;
    }
  }
  return false;
}

enum berthd_label_MISS berthd_misses_reason(
    struct berthd_misses *misses, const struct berth_planid *id, const struct berthd_digests *digests,
    bool is_cut) {
  enum berthd_label_MISS reason;
  pthread_mutex_lock(&misses->mutex);
  uint32_t at = find(misses, berthd_plans_rank(id));
  switch (at < BERTHD_MISSES_KEPT ? misses->state[at] : UNUSED) {
  case KEPT: /* it was too large for the cache, unless it was cut short */
  case LEFT_SIZE:
    reason = is_cut ? BERTHD_MISS_CUT_SHORT : BERTHD_MISS_EVICTED;
    break;
  case LEFT_EXPIRED:
    reason = BERTHD_MISS_EXPIRED;
    break;
  case LEFT_DELETED:
    reason = BERTHD_MISS_DELETED;
    break;
  case LEFT_REFUSED:
    reason = BERTHD_MISS_REFUSED;
    break;
  default:
    reason = is_cut                                       ? BERTHD_MISS_CUT_SHORT
             : knows_problem(misses, problem_of(digests)) ? BERTHD_MISS_OPTIONS
                                                          : BERTHD_MISS_NEW;
    break;
  }
  pthread_mutex_unlock(&misses->mutex);
  return reason;
}

/* ---- The nearest ---- */

static uint64_t size_of(const struct berthd_digests *digests, unsigned section) {
  return digests->map.begin[section + 1] - digests->map.begin[section];
}

/* How many sections with something in them are alike; 0 where nothing of the buffers is. */
static uint32_t likeness(const struct berthd_digests *a, const struct berthd_digests *b) {
  uint32_t n = 0;
  bool is_alike = false;
  for (unsigned i = 0; i < BERTH_PLANID_N_SECTIONS; i++) {
    bool is_same = size_of(a, i) > 0 && a->of[i] == b->of[i];
    n += is_same;
    is_alike = is_alike || (is_same && i > BERTH_PLANID_PROBLEM + BERTH_SECTION_POOLS);
  }
  return is_alike ? n : 0;
}

/* With the mutex. The newest of those that are most alike. */
static uint32_t
find_nearest(const struct berthd_misses *misses, uint64_t rank, const struct berthd_digests *digests) {
  uint32_t nearest = BERTHD_MISSES_KEPT;
  uint32_t most = 0;
  for (uint32_t k = 1; k <= BERTHD_MISSES_KEPT; k++) {
    uint32_t i = (misses->next + BERTHD_MISSES_KEPT - k) % BERTHD_MISSES_KEPT;
    bool is_other = misses->state[i] != UNUSED && misses->rank[i] != rank;
    uint32_t n = is_other ? likeness(digests, &misses->records[i].digests) : 0;
    if (n > most) {
      most = n;
      nearest = i;
    }
  }
  return nearest;
}

/* Bytes of what a buffer, or a pair, has there; 0 where that is not one size. */
static uint64_t width_of(unsigned section) {
  switch (section) {
  case BERTH_PLANID_PROBLEM + BERTH_SECTION_LIFETIMES:
  case BERTH_PLANID_PROBLEM + BERTH_SECTION_SIZES:
  case BERTH_PLANID_PROBLEM + BERTH_SECTION_PINS:
  case BERTH_PLANID_PROBLEM + BERTH_SECTION_CONFLICTS:
    return 8;
  case BERTH_PLANID_PROBLEM + BERTH_SECTION_ALIGNMENTS:
    return 2;
  default:
    return 0;
  }
}

static uint64_t count_entries(
    unsigned section, const struct berthd_digests *a, const uint8_t *key_a, const struct berthd_digests *b,
    const uint8_t *key_b) {
  uint64_t width = width_of(section);
  uint64_t n = 0;
  if (width == 0 || size_of(a, section) != size_of(b, section)) {
    return 0;
  }
  for (uint64_t i = 0; i < size_of(a, section); i += width) {
    n += memcmp(key_a + a->map.begin[section] + i, key_b + b->map.begin[section] + i, width) != 0;
  }
  return n;
}

void berthd_misses_explain(
    struct berthd_misses *misses, struct berthd_plans *plans, const struct berth_planid *id,
    const struct berthd_digests *digests, const uint8_t *key, enum berthd_label_MISS reason,
    struct berthd_miss *out) {
  struct record nearest;
  *out = (struct berthd_miss){.reason = reason};
  pthread_mutex_lock(&misses->mutex);
  uint32_t at = find_nearest(misses, berthd_plans_rank(id), digests);
  out->has_nearest = at < BERTHD_MISSES_KEPT;
  if (out->has_nearest) {
    nearest = misses->records[at];
  }
  pthread_mutex_unlock(&misses->mutex);
  if (!out->has_nearest) {
    return;
  }
  struct berthd_cached *kept = berthd_plans_find_by_id(plans, &nearest.id);
  bool has_bytes = kept != NULL && kept->n_key == nearest.digests.map.begin[BERTH_PLANID_N_SECTIONS];
  out->nearest = nearest.id;
  out->nearest_is_kept = kept != NULL;
  for (unsigned i = 0; i < BERTH_PLANID_N_SECTIONS; i++) {
    if (digests->of[i] != nearest.digests.of[i]) {
      out->items[out->n++] = (struct berthd_difference){
          i, has_bytes ? count_entries(i, digests, key, &nearest.digests, kept->key) : 0};
    }
  }
  berthd_cached_unref(kept);
}
