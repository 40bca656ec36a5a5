/* A problem as a test holds it: open columns that can be changed and permuted, and built into a problem. */
#ifndef TESTS_SAMPLE_H
#define TESTS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "berth/problem.h"

/* For what a sample needs of its surroundings: ends the process, outside a test as well. */
#define SAMPLE_REQUIRE(condition, ...)                                                                       \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                                        \
      fprintf(stderr, __VA_ARGS__);                                                                          \
      abort();                                                                                               \
    }                                                                                                        \
  } while (0)

enum {
  SAMPLE_MAX_GAPS = 3,
  SAMPLE_MAX_POOLS = 3,
  SAMPLE_MAX_GROUPS = 3,
  SAMPLE_MAX_MEMBERS = 4,
  SAMPLE_MAX_CLOCKS = 3
};

struct sample_group {
  enum berth_group_kind kind;
  uint32_t n_members;
  uint32_t members[SAMPLE_MAX_MEMBERS];
};

struct sample_buffer {
  struct berth_buffer_spec spec; /* its pointers are set when it is built */
  struct berth_gap gaps[SAMPLE_MAX_GAPS];
  uint32_t pools[SAMPLE_MAX_POOLS];
  uint32_t clock_lower[SAMPLE_MAX_CLOCKS]; /* where spec.n_clocks is not 0; lower and upper are their sums */
  uint32_t clock_upper[SAMPLE_MAX_CLOCKS];
};

struct sample {
  uint32_t n_buffers;
  uint32_t buffer_capacity;
  struct sample_buffer *buffers;
  uint32_t n_pools;                               /* 0: the problem's own */
  struct berth_pool_spec pools[SAMPLE_MAX_POOLS]; /* their pointers are set when it is built */
  uint32_t spills[SAMPLE_MAX_POOLS][SAMPLE_MAX_POOLS];
  uint32_t n_conflicts;
  uint32_t conflict_capacity;
  uint32_t (*conflicts)[2];
  uint32_t n_groups;
  struct sample_group groups[SAMPLE_MAX_GROUPS];
  uint64_t optimum; /* by construction, before decorations; BERTH_UNLIMITED if unknown */
};

void sample_init(struct sample *sample);
void sample_finish(struct sample *sample);
void sample_clear(struct sample *sample); /* keeps the memory */
void sample_copy(struct sample *to, const struct sample *from);

/* A temporary of `size` bytes during [lower, upper), everything else at its default. */
struct sample_buffer *sample_add(struct sample *sample, uint64_t size, int64_t lower, int64_t upper);
void sample_add_gap(
    struct sample_buffer *buffer, int64_t lower, int64_t upper, uint64_t window_lower, uint64_t window_upper);
void sample_add_conflict(struct sample *sample, uint32_t a, uint32_t b);
/* Lower and upper from the clocks: one of them is more than the other at least. */
void sample_sum_clocks(struct sample_buffer *buffer);

/* order[k]: which buffer of the sample is the problem's buffer k; NULL: as they are. Fails the test if the
 * builder refuses. */
struct berth_problem *sample_build(const struct sample *sample, const uint32_t *order);
enum berth_code sample_try_build(
    const struct sample *sample, const uint32_t *order, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_error *err) BERTH_MUST_USE;

/* Which of its bytes the buffer holds at `step`: false if none. */
bool sample_window(
    const struct sample_buffer *buffer, int64_t step, uint64_t *out_lower, uint64_t *out_upper);
/* The bytes live at `step`, those of one storage once; of the buffers in `pool` by `pool_of`, or of all. */
uint64_t sample_live(const struct sample *sample, const uint32_t *pool_of, uint32_t pool, int64_t step);
uint64_t sample_naive(const struct sample *sample);
uint64_t sample_load(const struct sample *sample);
/* The greater of the buffer's and the pool's alignment. */
uint64_t sample_alignment(const struct sample *sample, uint32_t buffer, uint32_t pool);

/* ---- Random ones. ---- */

enum sample_family {
  SAMPLE_UNIFORM = 0,      /* anything anywhere */
  SAMPLE_FORWARD,          /* layers in order: short lives, some skip connections */
  SAMPLE_FORWARD_BACKWARD, /* layers and back: nested lives */
  SAMPLE_EQUAL,            /* few sizes, many ties */
  SAMPLE_POWERS,           /* powers of two */
  SAMPLE_GUILLOTINE,       /* a rectangle cut side to side: the optimum is its height */
  SAMPLE_PINWHEEL,         /* a rectangle cut into pinwheels, which no side to side cut makes */
  SAMPLE_TRAP,             /* first fit goes wrong: small long lives between large short ones */
  SAMPLE_STREAMS,          /* a partial order by vector clocks: what is not ordered is a pair, n^2 of them */
  SAMPLE_N_FAMILIES
};

enum sample_features {
  SAMPLE_ALIGNED = 1 << 0,
  SAMPLE_PINNED = 1 << 1,
  SAMPLE_GAPS = 1 << 2,
  SAMPLE_CONFLICTS = 1 << 3,
  SAMPLE_POOLS = 1 << 4,
  SAMPLE_ZEROS = 1 << 5,
  SAMPLE_SLOTS = 1 << 6, /* one pool of whole slots, or one of several */
  SAMPLE_TERMS =
      1 << 7, /* what pools ask and cost: base, spills, costs, accesses, constants and state alone */
  SAMPLE_FRONT = 1 << 8,   /* constants and state at the front of a pool */
  SAMPLE_GROUPS = 1 << 9,  /* of samples of up to RIGID_MAX_BUFFERS */
  SAMPLE_CLOCKS = 1 << 10, /* a partial order by vector clocks; no gaps then */
  SAMPLE_N_FEATURES = 11,
};

/* About `n` buffers (the cut families decide for themselves), valid with every set of features. */
void sample_generate(
    struct sample *sample, struct berth_rng *rng, enum sample_family family, uint32_t n, uint32_t features);
/* Of a random family, with between `least` and `most`. */
void sample_generate_any(
    struct sample *sample, struct berth_rng *rng, uint32_t least, uint32_t most, uint32_t features);
void sample_shuffle(struct berth_rng *rng, uint32_t *order, uint32_t n);

#endif
