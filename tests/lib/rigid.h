/* What the groups of a sample come to, worked out by going round them until nothing changes. */
#ifndef TESTS_RIGID_H
#define TESTS_RIGID_H

#include "sample.h"

enum { RIGID_MAX_BUFFERS = 64 };

struct rigid {
  uint32_t group[RIGID_MAX_BUFFERS]; /* of each buffer: the least index in its group; its own without one */
  uint64_t distance[RIGID_MAX_BUFFERS];  /* from the base of the group */
  uint64_t alignment[RIGID_MAX_BUFFERS]; /* of that base; 1 without a group */
};

/* Only of samples whose groups the builder accepts. Without groups everyone is alone, at distance 0. */
void rigid_make(struct rigid *rigid, const struct sample *sample);

/* The pools that buffer i may be in with all of its group: bit p for pool p. */
uint32_t rigid_pools(const struct sample *sample, uint32_t i);

/* The same as a list, most wanted first: by the sum of their places in the lists of all in the group. Of a
 * buffer that is alone, its own list. Returns the number of entries. */
uint32_t rigid_homes(const struct sample *sample, uint32_t i, uint32_t *list);

/* Of buffer i, with that of every pool that it may be in. */
uint64_t rigid_strictest(const struct sample *sample, uint32_t i);

/* One storage by the groups' word, or one buffer. */
bool rigid_one_storage(const struct sample *sample, uint32_t a, uint32_t b);

#endif
