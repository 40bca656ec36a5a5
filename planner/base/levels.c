#include "base/levels.h"

#include <stddef.h>

bool berth_levels_init(struct berth_levels *set, struct berth_arena *arena, uint32_t n) {
  set->n_levels = 0;
  uint32_t n_words = n;
  do {
    n_words = n_words / 64 + 1;
    set->words[set->n_levels] = berth_arena_new_zeroed(arena, uint64_t, n_words);
    if (set->words[set->n_levels] == NULL) {
      return false;
    }
    set->n_levels++;
  } while (n_words > 1);
  return true;
}

void berth_levels_insert(struct berth_levels *set, uint32_t member) {
  for (uint32_t k = 0; k < set->n_levels; k++, member /= 64) {
    set->words[k][member / 64] |= UINT64_C(1) << (member % 64);
  }
}

void berth_levels_remove(struct berth_levels *set, uint32_t member) {
  for (uint32_t k = 0; k < set->n_levels; k++, member /= 64) {
    if ((set->words[k][member / 64] &= ~(UINT64_C(1) << (member % 64))) != 0) {
      return;
    }
  }
}

uint32_t berth_levels_next(const struct berth_levels *set, uint32_t from) {
  for (uint32_t k = 0; k < set->n_levels; k++) {
    uint64_t word = set->words[k][from / 64] & (UINT64_MAX << (from % 64));
    if (word != 0) {
      uint32_t found = from / 64 * 64 + (uint32_t)__builtin_ctzll(word);
      for (; k > 0; k--) {
        found = found * 64 + (uint32_t)__builtin_ctzll(set->words[k - 1][found]);
      }
      return found;
    }
    from = from / 64 + 1; /* at most one past the last word, for which the level above has a bit */
  }
  return UINT32_MAX;
}

uint32_t berth_levels_previous(const struct berth_levels *set, uint32_t from) {
  for (uint32_t k = 0; k < set->n_levels; k++) {
    uint64_t word = set->words[k][from / 64] & (UINT64_MAX >> (63 - from % 64));
    if (word != 0) {
      uint32_t found = from / 64 * 64 + 63 - (uint32_t)__builtin_clzll(word);
      for (; k > 0; k--) {
        found = found * 64 + 63 - (uint32_t)__builtin_clzll(set->words[k - 1][found]);
      }
      return found;
    }
    if (from / 64 == 0) {
      return UINT32_MAX;
    }
    from = from / 64 - 1;
  }
  return UINT32_MAX;
}
