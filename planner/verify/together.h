/* Parts of a composition: each is judged as the problem that it is; here is what they are to each other. */
#ifndef VERIFY_TOGETHER_H
#define VERIFY_TOGETHER_H

#include "berth/together.h"
#include "verify/pieces.h"
#include "verify/placement.h"

/* The whole must say of a part's buffers what the part says, in times of which a part's own are a stretch:
 * BERTH_INTERNAL otherwise. */
enum berth_code berth_verify_frame(
    const struct berth_verify_facts *whole, const struct berth_verify_facts *own,
    const struct berth_composed *parts, uint32_t part, struct berth_error *err) BERTH_MUST_USE;

/* Where the plan of the whole puts the part's buffers; false if memory ran out. */
bool berth_verify_part_places(
    const struct berth_verify_places *whole, const uint32_t *whole_of, uint32_t n, struct berth_arena *arena,
    struct berth_verify_places *out);

/* Bytes of a pool that a buffer holds at some time. */
struct berth_verify_extent {
  uint64_t first;
  uint64_t end;
  uint32_t pool;
  uint32_t buffer;
};

struct berth_verify_extents {
  size_t n;
  size_t capacity;
  struct berth_verify_extent *items;
};

/* Adds those of a part's placed buffers; what lives through all parts holds all its bytes. False if memory
 * ran out. */
bool berth_verify_add_extents(
    struct berth_verify_extents *extents, const struct berth_verify_facts *whole,
    const struct berth_verify_facts *own, const struct berth_verify_pieces *pieces,
    const struct berth_composed *parts, uint32_t part, const struct berth_verify_places *places,
    struct berth_arena *arena);

/* Parts that may run at once have no byte in common, and nobody has a byte of what lives through all parts.
 */
enum berth_code berth_verify_together(
    const struct berth_verify_facts *facts, const struct berth_composed *parts,
    const struct berth_verify_extents *extents, struct berth_verify_findings *findings,
    struct berth_arena *arena, struct berth_error *err) BERTH_MUST_USE;

#endif
