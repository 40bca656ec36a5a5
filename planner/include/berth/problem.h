/* The problem: what must be placed, and everything that decides who may share bytes.
 *
 * A problem is built once through a builder, which copies and validates all it is given, and is immutable
 * from then on: any number of threads may read it. It is stated in one of two forms, never both:
 *
 *   buffers     each with a half-open lifetime [lower, upper) over the steps of a total order, or
 *   a graph     operators that read and write values, in the order in which they were added; liveness
 * analysis gives each value's buffer its lifetime.
 *
 * Either way the finished problem has *buffers*, in a fixed order: those added, or one a value in the order
 * of the values followed by one a workspace in the order of the operators.
 *
 * Units: sizes, offsets and alignments are bytes. Steps are int64. Ids are indices of type uint32_t.
 * Limits: the sum of all sizes, each rounded up to its alignment, stays below 2^63.
 */
#ifndef BERTH_PROBLEM_H
#define BERTH_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/allocator.h"
#include "berth/status.h"

#define BERTH_UNPINNED UINT64_MAX  /* a buffer that may lie anywhere */
#define BERTH_UNLIMITED UINT64_MAX /* a pool without a capacity */
#define BERTH_MAX_BUFFERS (UINT32_C(1) << 28)

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
};

/* During the steps [lower, upper) the buffer holds only its bytes [window_lower, window_upper), relative to
 * its offset; equal bounds mean that it is absent. Gaps of one buffer do not overlap and lie in its lifetime.
 */
struct berth_gap {
  int64_t lower;
  int64_t upper;
  uint64_t window_lower;
  uint64_t window_upper;
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
};

/* A value of a graph. `held` keeps it live to the end of the run whatever its class. A value of class
 * CONSTANT or INPUT is live from the first step, of class OUTPUT to the last, of class STATE always.
 * `external` values belong to the caller and are not placed. */
struct berth_value_spec {
  struct berth_text id;
  uint64_t size_bytes;
  uint64_t alignment;
  enum berth_buffer_class class_;
  uint64_t pinned_offset;
  const uint32_t *pools;
  uint32_t n_pools;
  bool held;
  bool external;
};

struct berth_operator_spec {
  struct berth_text id;
  const uint32_t *inputs; /* values, which must exist already */
  uint32_t n_inputs;
  const uint32_t *outputs;
  uint32_t n_outputs;
  uint64_t workspace_bytes; /* 0 for none */
  uint64_t workspace_alignment;
};

/* Fields at their defaults: unnamed, alignment 1, unpinned, unlimited. Start from these. */
struct berth_pool_spec berth_pool_spec_default(void);
struct berth_buffer_spec berth_buffer_spec_default(void);
struct berth_value_spec berth_value_spec_default(void);
struct berth_operator_spec berth_operator_spec_default(void);

struct berth_problem;
struct berth_problem_builder;

/* ---- Building. A builder that has failed keeps failing with its first error; destroy it. ---- */

enum berth_code berth_problem_builder_create(
    const struct berth_allocator *allocator, struct berth_problem_builder **out_builder,
    struct berth_error *err) BERTH_MUST_USE;
void berth_problem_builder_destroy(struct berth_problem_builder *builder); /* NULL is fine */

/* Room for this many, in one step; optional. */
enum berth_code berth_problem_builder_reserve(
    struct berth_problem_builder *builder, uint32_t n_buffers, struct berth_error *err) BERTH_MUST_USE;

/* Pools come first. A problem without any has one, named "arena", unlimited, of alignment 1. */
enum berth_code berth_problem_builder_add_pool(
    struct berth_problem_builder *builder, const struct berth_pool_spec *spec, uint32_t *out_pool,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_problem_builder_add_buffer(
    struct berth_problem_builder *builder, const struct berth_buffer_spec *spec, uint32_t *out_buffer,
    struct berth_error *err) BERTH_MUST_USE;
/* The two buffers must not share bytes, whatever their lifetimes. */
enum berth_code berth_problem_builder_add_conflict(
    struct berth_problem_builder *builder, uint32_t buffer_a, uint32_t buffer_b,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_problem_builder_add_value(
    struct berth_problem_builder *builder, const struct berth_value_spec *spec, uint32_t *out_value,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_problem_builder_add_operator(
    struct berth_problem_builder *builder, const struct berth_operator_spec *spec, uint32_t *out_operator,
    struct berth_error *err) BERTH_MUST_USE;

/* Validates what only the whole shows, derives lifetimes for a graph, and hands the problem over. The builder
 * is empty afterwards and may only be destroyed. Errors blame the exact buffer, value or operator. */
enum berth_code berth_problem_builder_finish(
    struct berth_problem_builder *builder, struct berth_problem **out_problem,
    struct berth_error *err) BERTH_MUST_USE;

/* ---- Reading. Pointers live as long as the problem. ---- */

struct berth_problem *berth_problem_ref(struct berth_problem *problem);
void berth_problem_unref(struct berth_problem *problem); /* NULL is fine */

/* Columns of n entries each. The gaps of buffer i are gaps[gap_begin[i] .. gap_begin[i + 1]), its pools
 * pools[pool_begin[i] .. pool_begin[i + 1]); an empty range of pools means every pool, in order. */
struct berth_buffers {
  uint32_t n;
  const uint64_t *size_bytes;
  const uint64_t *alignment;
  const int64_t *lower;
  const int64_t *upper;
  const uint8_t *class_;         /* enum berth_buffer_class */
  const uint64_t *pinned_offset; /* NULL if nothing is pinned */
  const uint32_t *gap_begin;     /* n + 1 entries; NULL if there are no gaps */
  const struct berth_gap *gaps;
  const uint32_t *pool_begin; /* n + 1 entries; NULL if no buffer names pools */
  const uint32_t *pools;
  uint32_t n_conflicts;
  const uint32_t (*conflicts)[2]; /* pairs that must not share, a < b, sorted, unique */
};

struct berth_pools {
  uint32_t n; /* at least 1 */
  const struct berth_pool_spec *items;
};

/* The graph as it was given. CSR ranges as above. `value_buffer[v]` is the buffer of value v or
 * BERTH_NO_INDEX where none is placed; `operator_workspace[o]` likewise. */
struct berth_graph {
  uint32_t n_values;
  uint32_t n_operators;
  const struct berth_value_spec *values;
  const uint32_t *value_buffer;
  const uint32_t *input_begin;
  const uint32_t *inputs;
  const uint32_t *output_begin;
  const uint32_t *outputs;
  const uint32_t *operator_workspace;
};

const struct berth_buffers *berth_problem_buffers(const struct berth_problem *problem);
const struct berth_pools *berth_problem_pools(const struct berth_problem *problem);
const struct berth_graph *
berth_problem_graph(const struct berth_problem *problem); /* NULL if stated as buffers */

/* The id as given; size 0 if it has none. */
struct berth_text berth_problem_buffer_id(const struct berth_problem *problem, uint32_t buffer);
struct berth_text berth_problem_operator_id(const struct berth_problem *problem, uint32_t op);

/* ---- The canonical form: what a plan depends on, and nothing else. ---- */

/* out_order[k] is the buffer at canonical place k: sorted by every attribute that a plan depends on, then by
 * id, then by index. Two statements of one problem that differ in the order or the names of their buffers
 * have equal canonical encodings; plans are made, and cached, in canonical order. A problem with pairs keeps
 * them: see canonical.c. */
void berth_problem_canonical_order(const struct berth_problem *problem, uint32_t *out_order);

/* Streams the canonical encoding (little-endian, versioned, names left out) in pieces. The caller hashes it.
 */
void berth_problem_canonical_encode(
    const struct berth_problem *problem, void *ctx,
    void (*write)(void *ctx, const void *bytes, size_t n_bytes));

#endif
