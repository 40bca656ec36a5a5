#include "options/nearest.h"

#include <string.h>

#include "options/table.h"

enum { MAX_WORD = 24 };

static unsigned least(unsigned a, unsigned b, unsigned c) {
  unsigned ab = a < b ? a : b;
  return ab < c ? ab : c;
}

/* Levenshtein's distance of short words. */
static unsigned distance(const char *a, size_t n_a, const char *b, size_t n_b) {
  unsigned row[MAX_WORD + 1];
  for (unsigned j = 0; j <= n_b; j++) {
    row[j] = j;
  }
  for (unsigned i = 1; i <= n_a; i++) {
    unsigned diagonal = row[0];
    row[0] = i;
    for (unsigned j = 1; j <= n_b; j++) {
      unsigned above = row[j];
      row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
      diagonal = above;
    }
  }
  return row[n_b];
}

static void consider(const char *word, size_t n, const char *known, const char **best, unsigned *nearest) {
  size_t n_known = strlen(known);
  if (n > MAX_WORD || n_known > MAX_WORD) {
    return;
  }
  unsigned found = distance(word, n, known, n_known);
  if (found < *nearest && found < n_known) {
    *nearest = found;
    *best = known;
  }
}

enum { TOO_FAR = 3 };

const char *berthctl_nearest_verb(const char *word) {
  const char *best = NULL;
  unsigned nearest = TOO_FAR;
  for (unsigned i = 0; i < BERTHCTL_N_VERBS; i++) {
    consider(word, strlen(word), BERTHCTL_VERB_ROWS[i].word, &best, &nearest);
  }
  return best;
}

const char *berthctl_nearest_option(const char *word, size_t n) {
  const char *best = NULL;
  unsigned nearest = TOO_FAR;
  for (unsigned i = 0; i < BERTHCTL_N_OPTIONS; i++) {
    consider(word, n, BERTHCTL_OPTION_ROWS[i].word, &best, &nearest);
  }
  return best;
}
