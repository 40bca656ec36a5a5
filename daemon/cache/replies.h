/* Answers in wire form by the very bytes of their request: equal bytes ask for the same plan, so that a hit
 * needs neither decoding nor sorting. In front of the plan cache and never instead of it: only final answers
 * come in here, and the bytes are compared whole. What a reply is, only its maker knows. */
#ifndef CACHE_REPLIES_H
#define CACHE_REPLIES_H

#include "cache/store.h"

/* Request bytes may come in pieces. */
struct berthd_piece {
  const void *data;
  size_t n_bytes;
};

/* Ref-counted (berthd_reply_unref). `payload` is the maker's. */
struct berthd_reply {
  struct berthd_store_entry head;
  void *payload;
  void (*release)(void *payload);
  size_t n_key;
  uint8_t key[];
};

struct berthd_replies;

/* NULL if memory ran out. A limit of 0 keeps nothing. */
struct berthd_replies *berthd_replies_create(uint64_t limit_bytes, struct berthd_metrics *metrics);
void berthd_replies_destroy(struct berthd_replies *replies);

/* `kind` tells methods apart whose requests look alike. NULL if there is none; counts hit or miss. */
struct berthd_reply *berthd_replies_find(
    struct berthd_replies *replies, uint8_t kind, const struct berthd_piece *pieces, size_t n_pieces);
/* Keeps `payload` of `n_payload_bytes`; `release` frees it, also when it is not kept. `cost_seconds`: what
 * the answer took to make. */
void berthd_replies_put(
    struct berthd_replies *replies, uint8_t kind, const struct berthd_piece *pieces, size_t n_pieces,
    void *payload, size_t n_payload_bytes, void (*release)(void *payload), double cost_seconds);
void berthd_reply_unref(struct berthd_reply *reply); /* NULL is fine */

#endif
