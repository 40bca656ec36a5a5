#include "base/rankset.h"

enum { WORD_BITS = 64 };

bool berth_rankset_init(struct berth_rankset *set, struct berth_arena *arena, uint32_t n) {
  set->n_levels = 0;
  uint32_t n_bits = n;
  do {
    uint32_t n_words = n_bits / WORD_BITS + 1;
    uint64_t *words = berth_arena_new_zeroed(arena, uint64_t, n_words);
    if (words == NULL) {
      return false;
    }
    set->words[set->n_levels++] = words;
    n_bits = n_words;
  } while (n_bits > 1);
  return true;
}

void berth_rankset_insert(struct berth_rankset *set, uint32_t rank) {
  for (uint32_t level = 0; level < set->n_levels; level++) {
    uint64_t *word = &set->words[level][rank / WORD_BITS];
    uint64_t before = *word;
    *word |= UINT64_C(1) << rank % WORD_BITS;
    if (before != 0) {
      return;
    }
    rank /= WORD_BITS;
  }
}

void berth_rankset_remove(struct berth_rankset *set, uint32_t rank) {
  for (uint32_t level = 0; level < set->n_levels; level++) {
    uint64_t *word = &set->words[level][rank / WORD_BITS];
    *word &= ~(UINT64_C(1) << rank % WORD_BITS);
    if (*word != 0) {
      return;
    }
    rank /= WORD_BITS;
  }
}

static uint32_t last_below(const struct berth_rankset *set, uint32_t level, uint32_t word) {
  for (;; level--) {
    uint32_t top = WORD_BITS - 1 - (uint32_t)__builtin_clzll(set->words[level][word]);
    word = word * WORD_BITS + top;
    if (level == 0) {
      return word;
    }
  }
}

uint32_t berth_rankset_before(const struct berth_rankset *set, uint32_t rank) {
  for (uint32_t level = 0; level < set->n_levels; level++, rank /= WORD_BITS) {
    uint64_t below = set->words[level][rank / WORD_BITS] & ((UINT64_C(1) << rank % WORD_BITS) - 1);
    if (below != 0) {
      uint32_t found = rank / WORD_BITS * WORD_BITS + (WORD_BITS - 1 - (uint32_t)__builtin_clzll(below));
      return level == 0 ? found : last_below(set, level - 1, found);
    }
  }
  return BERTH_NO_RANK;
}

static uint32_t first_above(const struct berth_rankset *set, uint32_t level, uint32_t word) {
  for (;; level--) {
    word = word * WORD_BITS + (uint32_t)__builtin_ctzll(set->words[level][word]);
    if (level == 0) {
      return word;
    }
  }
}

uint32_t berth_rankset_after(const struct berth_rankset *set, uint32_t rank) {
  for (uint32_t level = 0; level < set->n_levels; level++, rank /= WORD_BITS) {
    uint64_t above = set->words[level][rank / WORD_BITS] & ~UINT64_C(1) << rank % WORD_BITS;
    if (above != 0) {
      uint32_t found = rank / WORD_BITS * WORD_BITS + (uint32_t)__builtin_ctzll(above);
      return level == 0 ? found : first_above(set, level - 1, found);
    }
  }
  return BERTH_NO_RANK;
}
