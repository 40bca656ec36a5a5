/* What a problem states of a graph: values, operators and regions, the specifications that a builder takes
 * (problem.h). */
#ifndef BERTH_GRAPH_H
#define BERTH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/buffer.h"
#include "berth/symbols.h"

/* A value of a graph. Operator k runs at step k; its inputs and outputs are all live at that step.
 *
 *   TEMPORARY   from its producer to its last reader; at its producer's step if nobody reads it
 *   INPUT       from the first step to its last reader; at the first step if nobody reads it
 *   OUTPUT      from its producer to the last step
 *   CONSTANT    always: it must still be there in the next run
 *   STATE       always, and operators may write it
 *
 * `held` keeps it live to the last step whatever its class. `external` values belong to the caller and are
 * not placed. One operator writes a value, or none if it is an INPUT or CONSTANT; an `accumulated` value may
 * be written by several, and lives from the earliest of them to the latest of all that touch it. WORKSPACE is
 * not a class of values.
 *
 * A view is the bytes [view_offset, view_offset + size_bytes) of another value, which may be a view too and
 * may be added later. It has no buffer of its own: its root has one (pool, offset), an alignment that suits
 * every view, and a lifetime that is the hull of all its views' and its own; what keeps a view (its class,
 * held) keeps the root. Pins and pools are given for the root.
 *
 * `live_windows`, of a root that is placed, asks for more: of the root's bytes only the hull of those is live
 * at a step that somebody touches (by the root's own name or a view's) at that step or before, and at that
 * step or later. What is given touches all bytes at the first step, what is kept its own bytes at the last;
 * what a loop does not confine to one trip is touched at the loop's first and last step. A write never ends
 * the need for a byte, since it may be partial. The buffer has gaps with these windows. With several streams
 * each byte is live by its own accesses instead, those of loops around them included, and the buffer has
 * slices.
 *
 * An external INPUT may be donated: the caller gives its bytes up once it was read for the last time, so that
 * a result with a permission may lie in it, and then has no buffer. Once at most, as for every operand. */
enum berth_donation {
  BERTH_DONATION_NONE = 0,
  BERTH_DONATION_MAY_USE,
  BERTH_DONATION_MUST_USE, /* an error if no result can lie in it */
};

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
  bool accumulated;
  uint32_t view_of; /* BERTH_NO_INDEX, or the value that this is a view of */
  uint64_t view_offset;
  enum berth_donation donation;
  bool live_windows;
  const struct berth_shape *shape; /* the size, in the place of size_bytes (symbols.h); NULL for none */
  const struct berth_shape *view_offset_shape; /* the same in the place of view_offset */
  uint32_t accesses; /* as of a buffer; of a view 1. In a buffer with results in place those of all are added,
                        once any value states other than 1 */
};

/* Operators of one stream run one after the other, in the order in which they were added. Operators of
 * different streams may run at the same time and in any order, unless one waits for the other, or for one
 * that does. With more than one stream two buffers may share bytes only if every access to one is ordered
 * before every access to the other: see the clocks of berth_buffers. An operator must be ordered after those
 * that write what it reads. Limits: operators and buffers, each times streams, up to 2^26. */
#define BERTH_MAX_STREAMS 1024

/* A wait that is not in the program but was added for the sake of memory: `waiter` begins when `signaller`
 * has run. It is of another stream and comes before the waiter in the list; of operators within regions the
 * same is asked as of every wait. Added waits order buffers as other waits do, but permissions are answered
 * without them, so that a problem has the same buffers with and without. */
struct berth_sync {
  uint32_t waiter;
  uint32_t signaller;
};

/* A permission for one input and one output of an operator (by their places in its lists) to share bytes.
 * Whether it is used is settled when the problem is finished, in the order in which permissions were given,
 * and answered: see berth_problem_permissions.
 *
 *   OVER    the operator can write the output over the input, both beginning at one address
 *   INSIDE  the operator only copies the input into the output, to its bytes from `bytes` on (concat): if the
 *           input lies there already, the operator leaves these bytes alone. So who produces the input writes
 *           it into its place, and the two hold the same bytes from the operator on.
 *   BEHIND  the operator runs through both from the first byte on (diagonal memory optimisation): when it
 *           writes output byte j, it no longer needs any input byte i with i + `bytes` <= j. So the output
 * may begin `bytes` or more before the input, and overlap it. `bytes` = size of the output is true of every
 * operator, and useless. */
enum berth_inplace_kind {
  BERTH_INPLACE_OVER = 0,
  BERTH_INPLACE_INSIDE,
  BERTH_INPLACE_BEHIND,
  BERTH_N_INPLACE_KINDS
};

struct berth_inplace {
  uint32_t input;
  uint32_t output;
  enum berth_inplace_kind kind;
  uint64_t bytes; /* 0 if OVER */
};

struct berth_operator_spec {
  struct berth_text id;
  const uint32_t *inputs; /* values, which must exist already */
  uint32_t n_inputs;
  const uint32_t *outputs;
  uint32_t n_outputs;
  uint64_t workspace_bytes;                  /* 0 for none */
  const struct berth_shape *workspace_shape; /* in its place, or NULL */
  uint64_t workspace_alignment;
  const struct berth_inplace *inplace;
  uint32_t n_inplace;
  uint32_t stream;       /* below BERTH_MAX_STREAMS */
  const uint32_t *waits; /* operators, which must exist already, that must have run before this one begins */
  uint32_t n_waits;
};

/* A region is a stretch of operators, which must exist already, in the order of their addition; regions are
 * nested or apart, parents added before children.
 *
 * With several streams a region runs as one: what any of its operators comes after, outside of it, comes
 * before all of them (whether or not that operator runs, in a branch or a loop), and what comes after any of
 * them, outside of it, comes after all. A trip of a loop begins when all operators of the trip before it have
 * run. This is what a graph with conditional nodes does; whoever runs the plan must see to it. */
enum berth_region_kind {
  BERTH_REGION_LOOP = 0, /* runs at least min_trips times; what is not confined to one trip lives around it */
  BERTH_REGION_CHOICE,   /* holds branches of which one runs */
  BERTH_REGION_BRANCH,   /* its parent is a choice */
  BERTH_REGION_CALL,
};

#define BERTH_MAX_REGION_DEPTH 64

struct berth_region_spec {
  enum berth_region_kind kind;
  uint32_t parent; /* BERTH_NO_INDEX for none */
  uint32_t first_operator;
  uint32_t n_operators;
  uint32_t min_trips;      /* of a loop: 0 if it may not run at all */
  const uint32_t *carries; /* values that live for the whole region though it may not read them: loop state,
                              formal parameters */
  uint32_t n_carries;
};

#endif
