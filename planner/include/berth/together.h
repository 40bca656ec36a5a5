/* Several problems in one arena: parts that run after each other or at once, and what they share.
 *
 * A composition is a problem whose buffers are those of its parts. Each part is a problem by itself, with
 * time (steps, streams) of its own; only what its buffers are for the other parts is said here:
 *
 *   share     Two parts that are in no set together run after each other, in any order and again and again:
 *             what one needs while it runs, another may overwrite.
 *   add       Parts of one set may run at once, at whatever steps of each: no byte is in both.
 *   constants and state of any part live through all parts, also where their own part says less: nobody
 *             shares bytes with them.
 *   shared    A buffer of this id in several parts is one buffer, at one place, and lives through all parts.
 *             Its parts must say the same of it: size, class, alignment, pin, pools, accesses. In a graph it
 *             is a constant or state: anything else might be overwritten in place.
 *
 * Inputs and outputs live as long as their own part runs. An output that another part reads is to be stated
 * as state in both, and shared.
 *
 * All parts have the same pools. The buffers of the composition are first the shared ones, in the order in
 * which they were named, then those of each part that it does not share, in their order. A buffer's id is
 * that of its part, a slash, and its own id (or its index); of a shared one its own. Its lower and upper are
 * steps of all parts laid one after another, in the order given, where no two may run at once and no part has
 * streams; else sums of vector clocks (berth_buffers). Live windows are kept in a total order, and where few
 * enough buffers are in parts that may run at once (BERTH_MAX_PART_PAIRS); elsewhere the buffer counts whole.
 */
#ifndef BERTH_TOGETHER_H
#define BERTH_TOGETHER_H

#include "berth/problem.h"

#define BERTH_MAX_PARTS 256
#define BERTH_MAX_PART_PAIRS (UINT32_C(1) << 20)

struct berth_named_problem {
  struct berth_text name; /* unique, not empty */
  struct berth_problem *problem;
};

struct berth_composition {
  const struct berth_named_problem *parts;
  uint32_t n_parts;
  /* The parts of set s are set_parts[set_end[s - 1] .. set_end[s]), from 0 for the first. No set: share all;
   * one set of all parts: add all. */
  const uint32_t *set_end;
  const uint32_t *set_parts;
  uint32_t n_sets;
  const struct berth_text *shared; /* ids */
  uint32_t n_shared;
};

/* Parts are referenced, texts copied. An error's index and field are those of the composition: "parts",
 * "parts.name", "parts.pools", "together", "shared"; or, with no index, of a sum that is too large. */
enum berth_code berth_problem_compose(
    const struct berth_composition *composition, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_error *err) BERTH_MUST_USE;

struct berth_composed {
  uint32_t n;
  const struct berth_named_problem *items;
  const uint32_t *buffer_begin; /* n + 1 entries: buffer b of part p is buffer[buffer_begin[p] + b] */
  const uint32_t *buffer;
  const uint32_t *part_of; /* of each buffer; BERTH_NO_INDEX if it is shared */
  uint32_t n_shared;       /* the first so many buffers are */
  uint32_t n_sets;         /* as given */
  const uint32_t *set_end;
  const uint32_t *set_parts;
  const uint8_t *at_once; /* n x n: whether two parts may run at once */
  const int64_t *step_of; /* of each part: which step its own step 0 is; NULL under a partial order */
};

/* NULL if the problem is no composition. */
const struct berth_composed *berth_problem_composed(const struct berth_problem *problem);

static inline bool berth_composed_at_once(const struct berth_composed *parts, uint32_t a, uint32_t b) {
  return parts->at_once[(size_t)a * parts->n + b] != 0;
}

#endif
