/* A plan that somebody made, read for a problem: as CSV or as plan --json writes it. */
#ifndef VERBS_PLACES_H
#define VERBS_PLACES_H

#include "verbs/internal.h"

struct berthctl_places {
  uint64_t *offset; /* one a buffer of the problem; BERTH_NO_OFFSET where the plan has none */
  uint32_t *pool;   /* one a buffer, or NULL: all in the first */
  bool has_arena;   /* whether the plan states one */
  uint64_t stated_arena_bytes;
};

/* Finish it whatever the outcome. */
enum berthctl_exit berthctl_load_places(
    const struct berthctl_terminal *terminal, const char *path, struct berth_problem **problem,
    struct berthctl_places *out_places);
void berthctl_places_finish(struct berthctl_places *places);

#endif
