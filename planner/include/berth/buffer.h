/* What a problem states of its buffers and pools: the specifications that a builder takes (problem.h). */
#ifndef BERTH_BUFFER_H
#define BERTH_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#define BERTH_UNPINNED UINT64_MAX  /* a buffer that may lie anywhere */
#define BERTH_UNLIMITED UINT64_MAX /* a pool without a capacity */
#define BERTH_MAX_BUFFERS (UINT32_C(1) << 28)
#define BERTH_MAX_POOLS 1024
#define BERTH_MAX_CLOCKS 1024
#define BERTH_MAX_CLOCK (UINT32_C(1) << 30)
#define BERTH_MAX_SPILLS 4096 /* pairs of a pool and one that it spills to */

enum berth_buffer_class {
  BERTH_CLASS_TEMPORARY = 0,
  BERTH_CLASS_CONSTANT,
  BERTH_CLASS_INPUT,
  BERTH_CLASS_OUTPUT,
  BERTH_CLASS_STATE,
  BERTH_CLASS_WORKSPACE,
  BERTH_N_CLASSES
};

enum berth_pool_kind {
  BERTH_POOL_BYTES = 0, /* buffers lie at any aligned offset */
  BERTH_POOL_SLOTS,     /* whole blocks: two buffers share a block whole, or not at all */
};

struct berth_shape;
/* Constants and state must outlive a run. Where they are kept apart, each has bytes that nobody else ever
 * holds, whatever the lifetimes, and where they lie does not depend on what else there is to place. */
enum berth_persistence {
  BERTH_PERSISTENCE_MIXED = 0, /* they lie among the others */
  BERTH_PERSISTENCE_FRONT, /* apart, below all bytes that others hold; only a pool of bytes has a front, and
                              no pins */
  BERTH_PERSISTENCE_ONLY,  /* apart, and nobody else may live in the pool */
};

/* Text is given by pointer and length and copied; it must be UTF-8 without NUL. Length 0 means no name. */
struct berth_text {
  const char *data;
  uint32_t size;
};

struct berth_pool_spec {
  struct berth_text name;
  uint64_t capacity_bytes;  /* BERTH_UNLIMITED for none */
  uint64_t alignment;       /* of every offset in the pool; a power of two */
  uint64_t max_block_bytes; /* largest single buffer, BERTH_UNLIMITED for none */
  enum berth_pool_kind kind;
  uint64_t
      base_alignment; /* a power of two: the base address of the arena is aligned to it, and to no more, so
                         that no buffer may ask for more; 0: the base will be aligned to what the plan says */
  uint32_t cost_per_byte; /* of living here, an access; see below */
  const uint32_t
      *spill_to; /* pools (they may be added later) in which a buffer that may live here may live, too */
  uint32_t n_spill_to;
  enum berth_persistence persistence;
};

/* Where a buffer may live. It names pools, most wanted first. After these come the pools that theirs spill
 * to, then those that these spill to, and so on, each pool once: spilling is a permission from one pool to
 * another, and not back. A buffer that names none may live in every pool, in order; but pools for constants
 * and state alone take nobody else, and constants and state go there first.
 *
 * What it costs: size times accesses times the step in cost from the first pool of that list to where it
 * lives. If no pool states a cost, the step to the k-th after the first is k. Else it is the difference of
 * their costs, and no less than the step to any pool before it in the list, so that nothing that is less
 * wanted is ever cheaper. Sums stop at 2^64 - 1. */

/* During the steps [lower, upper) the buffer holds only its bytes [window_lower, window_upper), relative to
 * its offset; equal bounds mean that it is absent. Gaps of one buffer do not overlap and lie in its lifetime;
 * the problem has them in order of time, without those that say nothing (no step, or the whole buffer), and
 * an absent buffer's window as [0, 0). */
struct berth_gap {
  int64_t lower;
  int64_t upper;
  uint64_t window_lower;
  uint64_t window_upper;
};

/* With several streams, where only some bytes of a buffer are live at a time (live windows, results in
 * place): bytes that are live by their own accesses alone. The slices of one buffer lie apart and rise; each
 * has a lifetime, in steps of the list of operators, and clocks as a buffer has them. Two slices of different
 * buffers may share bytes if they are ordered, and bytes in no slice are nobody's. Slots are shared whole. */
struct berth_slice {
  uint64_t window_lower; /* relative to the buffer's offset; never empty */
  uint64_t window_upper;
  int64_t lower;
  int64_t upper;
};

struct berth_buffer_spec {
  struct berth_text id; /* unique among buffers where given */
  uint64_t size_bytes;  /* 0 is legal: such a buffer conflicts with nothing */
  uint64_t alignment;   /* of the offset, a power of two; the size is not rounded */
  int64_t lower;        /* first step at which it is live */
  int64_t upper;        /* first step at which it is not; lower == upper is read as one step */
  enum berth_buffer_class class_;
  uint64_t pinned_offset; /* BERTH_UNPINNED, or where it must lie */
  const uint32_t *pools;  /* the pools it may live in, most wanted first; NULL: every pool, in order */
  uint32_t n_pools;
  const struct berth_gap *gaps;
  uint32_t n_gaps;
  uint32_t
      accesses; /* how often each of its bytes is accessed; weighs the cost of spilling it. 1 by default */
  /* A partial order: vector clocks of n_clocks components in place of lower and upper, of all buffers or of
   * none. A buffer comes before another if its upper clock is at most the other's lower one in every
   * component. Each component ends no earlier than it begins; equal clocks are read as one step of all. No
   * gaps then. */
  const uint32_t *clock_lower;
  const uint32_t *clock_upper;
  uint32_t n_clocks;
  const struct berth_shape *shape; /* the size, in the place of size_bytes (symbols.h); NULL for none */
};

#endif
