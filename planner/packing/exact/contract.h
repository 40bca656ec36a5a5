/* Packings without waste, put together by undoing cuts.
 *
 * Where two neighbouring steps are both full, what ends between them leaves exactly the bytes that what
 * starts there takes. So a buffer that ends and one of its size that starts are most likely one block, and
 * buffers of equal lives are one if their sizes sum to what borders on them. Blocks are joined further, five
 * at a time where they lie around one in the middle, and what is left is searched. A guess may be wrong, so a
 * failure proves nothing; a packing of the blocks is a packing of the buffers. */
#ifndef PACKING_EXACT_CONTRACT_H
#define PACKING_EXACT_CONTRACT_H

#include "packing/strategy.h"

enum berth_block_kind {
  BERTH_BLOCK_BUFFER = 0,
  BERTH_BLOCK_CHAIN, /* two, one after the other at one offset */
  BERTH_BLOCK_STACK, /* two of equal lives, the second on top */
  BERTH_BLOCK_WHEEL, /* bottom, right, top, left, middle */
};

enum { BERTH_BLOCK_MOST_PARTS = 5 };

struct berth_block {
  uint32_t lower;
  uint32_t upper;
  uint64_t size;
  enum berth_block_kind kind;
  bool is_part; /* of another */
  uint32_t parts[BERTH_BLOCK_MOST_PARTS];
  uint32_t next_start; /* of those that start where it does */
  uint32_t next_end;
};

/* How long ago a step was looked at, and how closely. */
struct berth_block_visit {
  uint32_t n_blocks;
  uint32_t most_terms;
};

struct berth_contraction {
  const struct berth_packing_instance *instance;
  struct berth_effort *effort;
  struct berth_block *blocks; /* the buffers first, then what they were joined to, parts before wholes */
  uint32_t n_blocks;
  uint64_t load;         /* of the full steps */
  uint32_t n_whole;      /* that are no parts */
  uint8_t *is_full;      /* of each step */
  uint32_t *first_start; /* at each step, by next_start; NONE ends */
  uint32_t *first_end;
  uint32_t *changed;                /* at each step: n_blocks after the last change of its lists */
  struct berth_block_visit *visits; /* of each step */
  uint32_t most_terms; /* in an equation of sizes that is believed: the fewer, the less it is chance */
  struct berth_block_borders *borders; /* scratch */
};

/* False in out_usable where it does not apply: constraints beyond lives and sizes, or too few full steps. */
enum berth_code berth_contraction_init(
    struct berth_contraction *contraction, const struct berth_packing_instance *instance,
    struct berth_arena *arena, struct berth_effort *effort, bool *out_usable) BERTH_MUST_USE;

/* Joins until nothing can be joined or effort is spent; believes equations of up to `most_terms` sizes, from
 * BERTH_CONTRACTION_FEWEST_TERMS on. The more are believed, the fewer blocks are left, and the likelier one
 * is wrong. */
enum { BERTH_CONTRACTION_FEWEST_TERMS = 3, BERTH_CONTRACTION_MOST_TERMS = 6 };
void berth_contraction_join(struct berth_contraction *contraction, uint32_t most_terms);

/* The blocks that are left as an instance that has room for the load only; block k of it is out_members[k].
 * False if memory ran out. */
bool berth_contraction_rest(
    const struct berth_contraction *contraction, struct berth_arena *arena, uint32_t **out_members,
    struct berth_packing_instance *out);

/* From offsets of blocks, in `offset` by block, to those of their buffers. */
void berth_contraction_expand(const struct berth_contraction *contraction, uint64_t *offset);

#endif
