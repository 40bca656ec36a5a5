/* The problem: what must be placed, and everything that decides who may share bytes.
 *
 * A problem is built once through a builder, which copies and validates all it is given, and is immutable
 * from then on: any number of threads may read it. It is stated in one of two forms, never both:
 *
 *   buffers     each with a half-open lifetime [lower, upper) over the steps of a total order, or
 *   a graph     operators that read and write values, in the order in which they were added; liveness
 * analysis gives each value's buffer its lifetime.
 *
 * * Either way the finished problem has *buffers*, in a fixed order: those added, or one a placed value
 * (neither external nor a view, nor written in the place of another) in the order of the values followed by
 * one a workspace in the order of the operators.
 *
 * Units: sizes, offsets and alignments are bytes. Steps are int64. Ids are indices of type uint32_t.
 * Limits: BERTH_MAX_BUFFERS buffers; BERTH_MAX_POOLS pools; 2^32 - 1 gaps, conflicts, list entries, members
 * of groups and bytes of ids; the sum of all sizes, each rounded up to the largest alignment that may bind
 * it, and on top of the end of the highest pin, stays below 2^63, so that no offset that a planner forms
 * overflows.
 */
#ifndef BERTH_PROBLEM_H
#define BERTH_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/allocator.h"
#include "berth/buffer.h"
#include "berth/graph.h"
#include "berth/group.h"
#include "berth/status.h"
#include "berth/symbols.h"

/* Fields at their defaults: unnamed, alignment 1, unpinned, unlimited. Start from these. */
struct berth_pool_spec berth_pool_spec_default(void);
struct berth_buffer_spec berth_buffer_spec_default(void);
struct berth_value_spec berth_value_spec_default(void);
struct berth_operator_spec berth_operator_spec_default(void);
struct berth_region_spec berth_region_spec_default(void);

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
/* Buffers, or values of a graph, which must exist already. */
enum berth_code berth_problem_builder_add_group(
    struct berth_problem_builder *builder, const struct berth_group_spec *spec,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_problem_builder_add_value(
    struct berth_problem_builder *builder, const struct berth_value_spec *spec, uint32_t *out_value,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_problem_builder_add_operator(
    struct berth_problem_builder *builder, const struct berth_operator_spec *spec, uint32_t *out_operator,
    struct berth_error *err) BERTH_MUST_USE;

enum berth_code berth_problem_builder_add_region(
    struct berth_problem_builder *builder, const struct berth_region_spec *spec, uint32_t *out_region,
    struct berth_error *err) BERTH_MUST_USE;

/* An added wait (graph.h), between operators that exist already. Once is as good as twice. */
enum berth_code berth_problem_builder_add_sync(
    struct berth_problem_builder *builder, const struct berth_sync *sync,
    struct berth_error *err) BERTH_MUST_USE;

/* Symbols and expressions (symbols.h). Bindings come before the first symbol, symbols and expressions before
 * what uses them. Bindings of symbols that the problem does not have are errors. */
enum berth_code berth_problem_builder_bind(
    struct berth_problem_builder *builder, const struct berth_bindings *bindings,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_problem_builder_add_symbol(
    struct berth_problem_builder *builder, const struct berth_symbol *symbol, uint32_t *out_symbol,
    struct berth_error *err) BERTH_MUST_USE;
enum berth_code berth_problem_builder_add_expression(
    struct berth_problem_builder *builder, const struct berth_expression *expression,
    uint32_t *out_expression, struct berth_error *err) BERTH_MUST_USE;

/* Every permission to write in place is refused (RESTRICTED): a problem for BERTH_REUSE_NO_INPLACE and for
 * BERTH_REUSE_NONE, which berth_solve refuses for problems in which one is used. */
void berth_problem_builder_forbid_inplace(struct berth_problem_builder *builder);

/* Validates what only the whole shows, derives lifetimes for a graph, and hands the problem over. The builder
 * is empty afterwards and may only be destroyed. Errors blame the exact buffer, value or operator. */
enum berth_code berth_problem_builder_finish(
    struct berth_problem_builder *builder, struct berth_problem **out_problem,
    struct berth_error *err) BERTH_MUST_USE;

/* ---- Reading. Pointers live as long as the problem. ---- */

struct berth_problem *berth_problem_ref(struct berth_problem *problem);
void berth_problem_unref(struct berth_problem *problem); /* NULL is fine */

/* Columns of n entries each. The gaps of buffer i are gaps[gap_begin[i] .. gap_begin[i + 1]), its pools
 * pools[pool_begin[i] .. pool_begin[i + 1]), as they were named, or as its group settled them
 * (berth_problem_stated_pools has what it names itself); an empty range means that none was. Where it
 * may live by buffer.h, in order: choices[choice_begin[i] .. choice_begin[i + 1]); every pool, in order, if
 * choice_begin is NULL and it names none; else what it names. */
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
  const uint32_t
      *choice_begin; /* n + 1 entries; NULL if no pool spills or is for constants and state alone */
  const uint32_t *choices;
  const uint32_t *accesses; /* NULL if all are 1 */
  uint32_t n_conflicts;
  const uint32_t (*conflicts)[2]; /* pairs that must not share, a < b, sorted, unique */
  struct berth_rigid rigid;
  /* A partial order, as vector clocks: buffer a comes before buffer b if and only if clock_upper of a is at
   * most clock_lower of b in every component, and buffers of which neither comes before the other must not
   * share. Of each buffer the lower is at most the upper, and they differ. `lower` and `upper` above are one
   * total order that fits: buffers that are ordered lie apart in it, but not only they. */
  uint32_t n_clocks;           /* components; 0: the order is total */
  const uint32_t *clock_lower; /* n x n_clocks; NULL if there are none */
  const uint32_t *clock_upper;
  /* Of buffer i: slices[slice_begin[i] .. slice_begin[i + 1]); an empty range: it is whole (berth_slice). */
  const uint32_t *slice_begin; /* n + 1 entries; NULL if there are none */
  const struct berth_slice *slices;
  const uint32_t *slice_clock_lower; /* slices x n_clocks */
  const uint32_t *slice_clock_upper;
};

/* Whether all of buffer `a` comes before all of buffer `b`, by clocks if there are any. */
static inline bool berth_buffers_before(const struct berth_buffers *buffers, uint32_t a, uint32_t b) {
  const uint32_t *upper = buffers->clock_upper + (size_t)a * buffers->n_clocks;
  const uint32_t *lower = buffers->clock_lower + (size_t)b * buffers->n_clocks;
  for (uint32_t c = 0; c < buffers->n_clocks; c++) {
    if (upper[c] > lower[c]) {
      return false;
    }
  }
  return buffers->n_clocks != 0 || buffers->upper[a] <= buffers->lower[b];
}

struct berth_pools {
  uint32_t n; /* at least 1 */
  const struct berth_pool_spec *items;
};

/* The graph as it was given, in columns. The inputs of operator o are inputs[input_begin[o] ..
 * input_begin[o + 1]). `value_buffer[v]` is the buffer of value v (of its root, if it is a view) or
 * BERTH_NO_INDEX where none is placed; `operator_workspace[o]` likewise. */
enum berth_value_flag {
  BERTH_VALUE_HELD = 1,
  BERTH_VALUE_EXTERNAL = 2,
  BERTH_VALUE_ACCUMULATED = 4,
  BERTH_VALUE_DONATED = 8,
  BERTH_VALUE_MUST_USE = 16, /* a donation */
  BERTH_VALUE_LIVE_WINDOWS = 32,
  BERTH_VALUE_DYNAMIC = 64, /* it has no largest size: not placed, and its number is 0 (symbols.h) */
};

struct berth_graph {
  uint32_t n_values;
  uint32_t n_operators;
  const uint64_t *value_size_bytes;
  const uint64_t *value_alignment;
  const uint8_t *value_class; /* enum berth_buffer_class */
  const uint8_t *value_flags; /* set of enum berth_value_flag */
  const uint32_t *value_buffer;
  const uint64_t *value_offset; /* of each value in its buffer: views, results in place. NULL if all are 0 */
  const uint32_t *value_root;   /* of a view; else the value itself. NULL if there are no views */
  const uint64_t *value_view_offset; /* in its root; 0 if it is no view. NULL if there are no views */
  const uint32_t *input_begin;       /* n_operators + 1 entries, as output_begin */
  const uint32_t *inputs;
  const uint32_t *output_begin;
  const uint32_t *outputs;
  const uint32_t *operator_workspace;
  const uint32_t *operator_stream; /* these three NULL if there is one stream */
  const uint32_t *wait_begin;
  const uint32_t *waits;
  uint32_t n_syncs; /* added waits, by waiter, then by signaller; each once */
  const struct berth_sync *syncs;
  uint32_t n_regions;
  const struct berth_region_spec *regions;
};

const struct berth_buffers *berth_problem_buffers(const struct berth_problem *problem);
const struct berth_pools *berth_problem_pools(const struct berth_problem *problem);
const struct berth_groups *berth_problem_groups(const struct berth_problem *problem);
const struct berth_graph *
berth_problem_graph(const struct berth_problem *problem); /* NULL if stated as buffers */
const struct berth_symbols *
berth_problem_symbols(const struct berth_problem *problem); /* NULL if no size is an expression */
/* The pools that the buffer itself names, before its group has a say; NULL and 0 if it names none. */
const uint32_t *
berth_problem_stated_pools(const struct berth_problem *problem, uint32_t buffer, uint32_t *out_n);
/* The shape of an item, or NULL if its size is a plain number. */
const struct berth_sized *
berth_problem_sized(const struct berth_problem *problem, enum berth_sized_field field, uint32_t item);
/* What is left to the dynamic arena: values first, then workspaces, each in their order. */
struct berth_dynamic berth_problem_dynamic(const struct berth_problem *problem);
/* Of an operator's workspace, wherever it is; 1 if there is none. */
uint64_t berth_problem_workspace_alignment(const struct berth_problem *problem, uint32_t op);

/* Why a permission is used or is not. Values that share bytes by a permission lie in one buffer, or in the
 * caller's bytes if those were donated (then their value_buffer is BERTH_NO_INDEX, and value_offset counts in
 * the donor). The buffer holds at each step the hull of the bytes of those that are live in it, which are
 * gaps with windows, or (with several streams) each byte for the accesses to those that have it, which are
 * slices; where a result begins before its operand, the buffer is larger than both. */
#define BERTH_INPLACE_ANSWERS(X)                                                                             \
  X(USED, "operand and result share their bytes")                                                            \
  X(RESTRICTED, "the problem was built without results in place")                                            \
  X(FOREIGN, "the operand belongs to the caller, who did not donate it, or the result does")                 \
  X(KEPT, "the operand is kept to the end: constant, state, output or held, or a view of it is")             \
  X(READ_LATER, "the operand, or a view of it, is touched later")                                            \
  X(SAME_ROOT, "the operator touches the operand's or result's storage by another entry of its lists too")   \
  X(TOO_LARGE, "the result is larger than the operand, or may be at some binding")                           \
  X(NOT_NEW, "the result is there before the operator runs, or is a view")                                   \
  X(PINNED, "the operand or the result is pinned")                                                           \
  X(POOLS, "the operand may lie in a pool in which the result may not")                                      \
  X(MISALIGNED, "the operand's place does not suit the result's alignment")                                  \
  X(OPERAND_TAKEN, "another result has the operand's place")                                                 \
  X(RESULT_PLACED, "the result lies in another operand's place")                                             \
  X(NOT_ORDERED, "another stream may touch the operand or the result while the operator runs")               \
  X(STREAMS, "with several streams a result can only lie over an operand (earlier versions)")                \
  X(IS_VIEW, "the operand is a view, and cannot be moved alone")                                             \
  X(REWRITTEN, "the operand is written again later, or the result by another operator")                      \
  X(BEYOND, "the operand does not fit into the result at that byte")                                         \
  X(PLACES_MEET, "two operands are to lie in the same bytes of the result")                                  \
  X(WIDER, "what shares the operand's storage reaches beyond the operand")                                   \
  X(HOSTS, "an operand lies inside the result")                                                              \
  X(APART, "at that distance the operand and the result would not overlap")                                  \
  X(BLOCK, "together the operand and the result are too large for a pool")                                   \
  X(SYMBOLS, "whether their places suit each other depends on symbols")                                      \
  X(GROUPED, "the operand or the result is in a group")

enum berth_inplace_answer {
#define X(name, text) BERTH_INPLACE_##name,
  BERTH_INPLACE_ANSWERS(X)
#undef X
      BERTH_N_INPLACE_ANSWERS
};

struct berth_permission {
  uint32_t op;
  uint32_t operand; /* values */
  uint32_t result;
  enum berth_inplace_kind kind;
  uint64_t bytes;
  enum berth_inplace_answer answer;
};

struct berth_permissions {
  uint32_t n; /* in the order given */
  const struct berth_permission *items;
};

const struct berth_permissions *berth_problem_permissions(const struct berth_problem *problem);
/* "USED", "READ_LATER", ... and the text. Never NULL. */
const char *berth_inplace_answer_name(enum berth_inplace_answer answer);
const char *berth_inplace_answer_text(enum berth_inplace_answer answer);

/* The id as given; size 0 if it has none. A value's buffer has the value's id, a workspace its operator's. */
struct berth_text berth_problem_buffer_id(const struct berth_problem *problem, uint32_t buffer);
/* Value `value` as it was given (of an external value, without its pools; a view relative to its root). */
struct berth_value_spec berth_problem_value(const struct berth_problem *problem, uint32_t value);
struct berth_text berth_problem_value_id(const struct berth_problem *problem, uint32_t value);
struct berth_text berth_problem_operator_id(const struct berth_problem *problem, uint32_t op);

#include "berth/canonical.h" /* the rest of it */

#endif
