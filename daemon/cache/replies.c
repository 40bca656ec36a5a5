#include "cache/replies.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#define XXH_STATIC_LINKING_ONLY /* the state on the stack */
#include <xxhash.h>

struct berthd_replies {
  struct berthd_store *store;
  struct berthd_metrics *metrics;
  uint64_t limit_bytes;
  uint64_t seed; /* nobody outside can choose requests that collide */
};

struct berthd_replies *berthd_replies_create(uint64_t limit_bytes, struct berthd_metrics *metrics) {
  struct berthd_replies *replies = calloc(1, sizeof *replies);
  if (replies == NULL) {
    return NULL;
  }
  replies->store = berthd_store_create(limit_bytes, BERTHD_TIER_REPLY, metrics);
  if (replies->store == NULL) {
    free(replies);
    return NULL;
  }
  replies->metrics = metrics;
  replies->limit_bytes = limit_bytes;
  if (getrandom(&replies->seed, sizeof replies->seed, GRND_NONBLOCK) != (ssize_t)sizeof replies->seed) {
    replies->seed = (uint64_t)(uintptr_t)replies;
  }
  return replies;
}

void berthd_replies_destroy(struct berthd_replies *replies) {
  if (replies != NULL) {
    berthd_store_destroy(replies->store);
    free(replies);
  }
}

static uint64_t hash_of(
    const struct berthd_replies *replies, uint8_t kind, const struct berthd_piece *pieces, size_t n_pieces) {
  if (n_pieces == 1) {
    return XXH3_64bits_withSeed(pieces[0].data, pieces[0].n_bytes, replies->seed + kind);
  }
  XXH3_state_t state;
  XXH3_64bits_reset_withSeed(&state, replies->seed + kind);
  for (size_t i = 0; i < n_pieces; i++) {
    XXH3_64bits_update(&state, pieces[i].data, pieces[i].n_bytes);
  }
  return XXH3_64bits_digest(&state);
}

static size_t n_bytes_of(const struct berthd_piece *pieces, size_t n_pieces) {
  size_t n_bytes = 0;
  for (size_t i = 0; i < n_pieces; i++) {
    n_bytes += pieces[i].n_bytes;
  }
  return n_bytes;
}

/* The key is the kind and the request's bytes. */
static bool
has_key(const struct berthd_reply *reply, uint8_t kind, const struct berthd_piece *pieces, size_t n_pieces) {
  if (reply->n_key != 1 + n_bytes_of(pieces, n_pieces) || reply->key[0] != kind) {
    return false;
  }
  const uint8_t *at = reply->key + 1;
  for (size_t i = 0; i < n_pieces; at += pieces[i].n_bytes, i++) {
    if (memcmp(at, pieces[i].data, pieces[i].n_bytes) != 0) {
      return false;
    }
  }
  return true;
}

struct berthd_reply *berthd_replies_find(
    struct berthd_replies *replies, uint8_t kind, const struct berthd_piece *pieces, size_t n_pieces) {
  if (replies->limit_bytes == 0) {
    return NULL;
  }
  struct berthd_reply *reply =
      (struct berthd_reply *)berthd_store_find(replies->store, hash_of(replies, kind, pieces, n_pieces));
  if (reply != NULL && !has_key(reply, kind, pieces, n_pieces)) {
    berthd_reply_unref(reply);
    reply = NULL;
  }
  berthd_metrics_add(
      replies->metrics, BERTHD_METRIC_CACHE_REQUESTS, BERTHD_TIER_REPLY,
      reply != NULL ? BERTHD_CACHE_RESULT_HIT : BERTHD_CACHE_RESULT_MISS, 1);
  if (reply != NULL) {
    berthd_store_touch(replies->store, &reply->head);
    berthd_metrics_add(replies->metrics, BERTHD_METRIC_CACHE_SAVED_SECONDS, 0, 0, reply->head.cost_seconds);
  }
  return reply;
}

static void destroy(struct berthd_store_entry *entry) {
  struct berthd_reply *reply = (struct berthd_reply *)entry;
  reply->release(reply->payload);
  free(reply);
}

void berthd_replies_put(
    struct berthd_replies *replies, uint8_t kind, const struct berthd_piece *pieces, size_t n_pieces,
    void *payload, size_t n_payload_bytes, void (*release)(void *payload), double cost_seconds) {
  size_t n_key = 1 + n_bytes_of(pieces, n_pieces);
  struct berthd_reply *reply =
      n_key + n_payload_bytes > replies->limit_bytes ? NULL : malloc(sizeof *reply + n_key);
  if (reply == NULL) {
    release(payload);
    return;
  }
  *reply = (struct berthd_reply){
      .head =
          {.hash = hash_of(replies, kind, pieces, n_pieces),
           .n_bytes = sizeof *reply + n_key + n_payload_bytes,
           .cost_seconds = cost_seconds,
           .destroy = destroy},
      .payload = payload,
      .release = release,
      .n_key = n_key};
  atomic_init(&reply->head.n_refs, 1);
  uint8_t *at = reply->key;
  *at++ = kind;
  for (size_t i = 0; i < n_pieces; at += pieces[i].n_bytes, i++) {
    memcpy(at, pieces[i].data, pieces[i].n_bytes);
  }
  berthd_store_put(replies->store, &reply->head, NULL);
  berthd_reply_unref(reply);
}

void berthd_reply_unref(struct berthd_reply *reply) {
  if (reply != NULL) {
    berthd_store_entry_unref(&reply->head);
  }
}
