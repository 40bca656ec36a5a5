/* What other planners do, written down plainly and placed pair by pair; shares no code with the planner. */
#ifndef TESTS_PEERS_H
#define TESTS_PEERS_H

#include <stdint.h>

enum peer {
  PEER_GREEDY_BY_SIZE = 0, /* largest first, lowest fit */
  PEER_XLA_SPATIAL,        /* largest first, best fit */
  PEER_XLA_TEMPORAL,       /* longest first, then largest, best fit */
  PEER_TFLITE,             /* always live first, then largest, then earliest, best fit */
  PEER_FIRST_FIT,          /* earliest first, then largest, lowest fit */
  PEER_N
};

struct peer_buffer {
  int64_t lower; /* [lower, upper) */
  int64_t upper;
  uint64_t size;
  uint64_t alignment;
};

struct peer_problem {
  uint32_t n;
  const struct peer_buffer *buffers;
  uint32_t n_pairs; /* that must not share though their lifetimes are apart */
  const uint32_t (*pairs)[2];
};

const char *peer_name(enum peer peer);

/* The arena of its plan; ties go to the first in the list. O(n^2 log n). */
uint64_t peer_arena(enum peer peer, const struct peer_problem *problem);

#endif
