/* Groups: buffers whose places are one choice; what a builder takes (problem.h), and what it makes of them.
 */
#ifndef BERTH_GROUP_H
#define BERTH_GROUP_H

#include <stdint.h>

/* Buffers (in a graph: values that are neither external nor views) whose places are one choice.
 *
 *   CONTIGUOUS  one pool, back to back in the order given: the first begins at a multiple of the strictest
 * alignment in the group, each other one at the aligned end of the one before. An alignment counts as at
 * least that of every pool that the group may lie in. Not in pools of slots.
 *   SHARED      one pool and one offset: all are one storage by the caller's word. Even those that are live
 * at once may share bytes with each other, and with nobody else.
 *
 * Members without bytes are left out. Groups that have a member in common become one, whose distances must
 * agree; so must pins, alignments and pools. Two members that are not one storage must not meet.
 *
 * Pools: those in which every member may live (buffer.h), without those that do not suit: pools of slots for
 * a CONTIGUOUS one, pools whose base promises less than a member's alignment, and where some members persist
 * and others do not, pools that keep these apart. The most wanted pool is the one that stands first in most
 * lists, by the sum of its places in those of the members that name pools, or of all if none does; what a
 * spill costs is counted from there.
 * Symbols: what lies where must not depend on a binding within the ranges. So each member of a CONTIGUOUS
 * group but the last must end at the same aligned byte at all of them; bound to a number, it does.
 * Partial orders: members that overlap and are not one storage must be ordered. */
enum berth_group_kind {
  BERTH_GROUP_CONTIGUOUS = 0,
  BERTH_GROUP_SHARED,
};

struct berth_group_spec {
  enum berth_group_kind kind;
  const uint32_t *members; /* each once, at least two */
  uint32_t n_members;
};

/* What groups come to: buffers at fixed distances from a base, which is a multiple of the group's alignment
 * and may lie below the lowest of them. All members have bytes, the same pools, and a pin if one of them has.
 */
struct berth_rigid {
  uint32_t n;               /* of groups; if 0 all else is NULL */
  const uint32_t *group;    /* of each buffer; BERTH_NO_INDEX: none */
  const uint64_t *distance; /* of each buffer from the base; 0 without a group */
  const uint32_t *storage;  /* of each buffer: the first of those that it is one storage with; or itself */
  const uint32_t *begin;    /* n + 1 entries: members[begin[g] .. begin[g + 1]), by distance, then by index */
  const uint32_t *members;  /* buffers */
  const uint64_t *alignment;  /* of the base of each group */
  const uint64_t *span_bytes; /* of each group: from the base to the end of its highest member */
};

/* Groups as they were given, in that order; members are buffers, or values of a graph. */
struct berth_groups {
  uint32_t n;
  const struct berth_group_spec *items;
};

#endif
