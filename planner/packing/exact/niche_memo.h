/* Situations that are refuted, by 128 bits of hash of the open buffers and the floors over a range of
 * sections, and of the capacity. A slot is overwritten by the latest; two situations that share all 128 bits
 * are taken as one. */
#ifndef PACKING_EXACT_NICHE_MEMO_H
#define PACKING_EXACT_NICHE_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct berth_niche_key {
  uint64_t words[2]; /* both zero: no key */
};

struct berth_niche_memo {
  struct berth_niche_key *slots;
  size_t n_slots; /* a power of two, or 0 */
};

static inline bool berth_niche_memo_has(const struct berth_niche_memo *memo, struct berth_niche_key key) {
  if (memo->n_slots == 0) {
    return false;
  }
  const struct berth_niche_key *slot = &memo->slots[key.words[0] & (memo->n_slots - 1)];
  return slot->words[0] == key.words[0] && slot->words[1] == key.words[1];
}

static inline void berth_niche_memo_add(struct berth_niche_memo *memo, struct berth_niche_key key) {
  if (memo->n_slots != 0 && (key.words[0] | key.words[1]) != 0) {
    memo->slots[key.words[0] & (memo->n_slots - 1)] = key;
  }
}

#endif
