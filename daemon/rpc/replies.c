/* Replies in wire form, found by the bytes of their request.
 *
 * A hit in the core's cache still decodes, sorts and hashes the problem; clients that ask for the same plan
 * again send the same bytes. So bytes that were answered from the cache are kept with the answer, and equal
 * bytes get it again, as long as the core still has the very plan that the answer was made from, by its
 * number. Bytes are compared whole, so a collision of the hash is a miss and nothing else. Least recently
 * used entries go first. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "rpc/internal.h"

#define N_BUCKETS_LEAST 1024
#define LARGEST_SHARE 8 /* one entry takes at most this part of the whole */

struct entry {
  struct entry *next_in_bucket;
  struct entry *newer;
  struct entry *older;
  uint64_t hash;
  uint8_t *request;
  size_t n_request;
  grpc_slice reply;
  struct berth_planid id;
  uint64_t serial; /* of the plan */
  size_t n_bytes;
};

struct replies {
  pthread_mutex_t lock;
  struct berthd_metrics *metrics;
  uint64_t seed;
  uint64_t limit_bytes;
  uint64_t used_bytes;
  size_t n_entries;
  size_t n_buckets; /* a power of two */
  struct entry **buckets;
  struct entry *newest;
  struct entry *oldest;
};

struct replies *replies_create(uint64_t limit_bytes, struct berthd_metrics *metrics) {
  struct replies *replies = limit_bytes > 0 ? calloc(1, sizeof *replies) : NULL;
  if (replies == NULL) {
    return NULL;
  }
  size_t n = N_BUCKETS_LEAST;
  while (n < ((size_t)1 << 20) && n * 4096 < limit_bytes) {
    n *= 2;
  }
  replies->buckets = calloc(n, sizeof(struct entry *));
  if (replies->buckets == NULL) {
    free(replies);
    return NULL;
  }
  replies->n_buckets = n;
  replies->limit_bytes = limit_bytes;
  replies->metrics = metrics;
  if (getrandom(&replies->seed, sizeof replies->seed, 0) != (ssize_t)sizeof replies->seed) {
    replies->seed = (uint64_t)(uintptr_t)replies ^ (uint64_t)monotonic_ns();
  }
  pthread_mutex_init(&replies->lock, NULL);
  berthd_metrics_set(metrics, BERTHD_METRIC_CACHE_LIMIT, BERTHD_TIER_REPLY, 0, (double)limit_bytes);
  return replies;
}

/* Folds a 128-bit product: the step of wyhash (Wang Yi). The seed keeps strangers from choosing collisions.
 */
static uint64_t fold(uint64_t a, uint64_t b) {
  __uint128_t product = (__uint128_t)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Four lanes, since one product waits for the one before it. */
uint64_t replies_hash(const struct replies *replies, const uint8_t *bytes, size_t n_bytes) {
  uint64_t lanes[4] = {
      replies->seed ^ UINT64_C(0xa0761d6478bd642f), replies->seed ^ UINT64_C(0xe7037ed1a0b428db),
      replies->seed ^ UINT64_C(0x8ebc6af09c88c6e3), replies->seed ^ UINT64_C(0x589965cc75374cc3)};
  uint64_t block[8];
  size_t i = 0;
  for (; i + sizeof block <= n_bytes; i += sizeof block) {
    memcpy(block, bytes + i, sizeof block);
    for (size_t lane = 0; lane < 4; lane++) {
      lanes[lane] = fold(block[2 * lane] ^ lanes[lane], block[2 * lane + 1] ^ replies->seed);
    }
  }
  memset(block, 0, sizeof block);
  if (i < n_bytes) {
    memcpy(block, bytes + i, n_bytes - i);
  }
  uint64_t hash = replies->seed ^ n_bytes;
  for (size_t lane = 0; lane < 4; lane++) {
    hash = fold(hash ^ lanes[lane] ^ block[2 * lane], block[2 * lane + 1] ^ UINT64_C(0x1d8e4e27c47d124f));
  }
  return hash;
}

/* ---- The list and the buckets; the lock is held ---- */

static void unlink_entry(struct replies *replies, struct entry *entry) {
  *(entry->newer != NULL ? &entry->newer->older : &replies->newest) = entry->older;
  *(entry->older != NULL ? &entry->older->newer : &replies->oldest) = entry->newer;
}

static void link_newest(struct replies *replies, struct entry *entry) {
  entry->newer = NULL;
  entry->older = replies->newest;
  *(replies->newest != NULL ? &replies->newest->newer : &replies->oldest) = entry;
  replies->newest = entry;
}

static struct entry **bucket_of(struct replies *replies, uint64_t hash) {
  return &replies->buckets[hash & (replies->n_buckets - 1)];
}

static void tell_size(struct replies *replies) {
  berthd_metrics_set(
      replies->metrics, BERTHD_METRIC_CACHE_SIZE, BERTHD_TIER_REPLY, 0, (double)replies->used_bytes);
  berthd_metrics_set(
      replies->metrics, BERTHD_METRIC_CACHE_ENTRIES, BERTHD_TIER_REPLY, 0, (double)replies->n_entries);
}

static void free_entry(struct entry *entry) {
  grpc_slice_unref(entry->reply);
  free(entry->request);
  free(entry);
}

static void drop(struct replies *replies, struct entry *entry) {
  struct entry **link = bucket_of(replies, entry->hash);
  while (*link != entry) {
    link = &(*link)->next_in_bucket;
  }
  *link = entry->next_in_bucket;
  unlink_entry(replies, entry);
  replies->used_bytes -= entry->n_bytes;
  replies->n_entries--;
  free_entry(entry);
}

static struct entry *find(struct replies *replies, uint64_t hash, grpc_slice request) {
  size_t n = GRPC_SLICE_LENGTH(request);
  for (struct entry *entry = *bucket_of(replies, hash); entry != NULL; entry = entry->next_in_bucket) {
    if (entry->hash == hash && entry->n_request == n &&
        (n == 0 || memcmp(entry->request, GRPC_SLICE_START_PTR(request), n) == 0)) {
      return entry;
    }
  }
  return NULL;
}

bool replies_find(
    struct replies *replies, struct berthd_core *core, uint64_t hash, grpc_slice request,
    grpc_slice *out_reply) {
  pthread_mutex_lock(&replies->lock);
  struct entry *entry = find(replies, hash, request);
  bool hit = entry != NULL && berthd_core_serial(core, &entry->id) == entry->serial;
  if (hit) {
    *out_reply = grpc_slice_ref(entry->reply);
    unlink_entry(replies, entry);
    link_newest(replies, entry);
  } else if (entry != NULL) {
    drop(replies, entry);
    tell_size(replies);
  }
  pthread_mutex_unlock(&replies->lock);
  berthd_metrics_add(
      replies->metrics, BERTHD_METRIC_CACHE_REQUESTS, BERTHD_TIER_REPLY,
      hit ? BERTHD_CACHE_RESULT_HIT : BERTHD_CACHE_RESULT_MISS, 1);
  return hit;
}

static struct entry *make_entry(
    uint64_t hash, grpc_slice request, const struct berth_planid *id, uint64_t serial, grpc_slice reply,
    size_t n_bytes) {
  struct entry *entry = calloc(1, sizeof *entry);
  if (entry == NULL) {
    return NULL;
  }
  entry->n_request = GRPC_SLICE_LENGTH(request);
  entry->request = malloc(entry->n_request > 0 ? entry->n_request : 1);
  if (entry->request == NULL) {
    free(entry);
    return NULL;
  }
  memcpy(entry->request, GRPC_SLICE_START_PTR(request), entry->n_request);
  entry->hash = hash;
  entry->id = *id;
  entry->serial = serial;
  entry->reply = grpc_slice_ref(reply);
  entry->n_bytes = n_bytes;
  return entry;
}

void replies_put(
    struct replies *replies, uint64_t hash, grpc_slice request, const struct berth_planid *id,
    uint64_t serial, grpc_slice reply) {
  size_t n_bytes = sizeof(struct entry) + GRPC_SLICE_LENGTH(request) + GRPC_SLICE_LENGTH(reply);
  if (replies == NULL || n_bytes > replies->limit_bytes / LARGEST_SHARE) {
    return;
  }
  struct entry *entry = make_entry(hash, request, id, serial, reply, n_bytes);
  if (entry == NULL) {
    return;
  }
  pthread_mutex_lock(&replies->lock);
  struct entry *old = find(replies, hash, request);
  if (old != NULL) {
    drop(replies, old);
  }
  while (replies->used_bytes + n_bytes > replies->limit_bytes) {
    drop(replies, replies->oldest);
  }
  struct entry **bucket = bucket_of(replies, hash);
  entry->next_in_bucket = *bucket;
  *bucket = entry;
  link_newest(replies, entry);
  replies->used_bytes += n_bytes;
  replies->n_entries++;
  tell_size(replies);
  pthread_mutex_unlock(&replies->lock);
}

void replies_destroy(struct replies *replies) {
  if (replies == NULL) {
    return;
  }
  while (replies->oldest != NULL) {
    drop(replies, replies->oldest);
  }
  pthread_mutex_destroy(&replies->lock);
  free(replies->buckets);
  free(replies);
}
