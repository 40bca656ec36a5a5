#include "packing/sweep.h"

#include <string.h>

#include "base/checked.h"
#include "base/order.h"
#include "interference/pairs.h"

enum {
  SUB_BITS = 5, /* bins to a power of two: 2^SUB_BITS */
  N_BINS = (64 - SUB_BITS + 1) << SUB_BITS,
  N_WORDS = N_BINS / 64,
  MAX_LOOKS = 16, /* into one bin */
  MAX_BINS = 64,  /* for one buffer: more only where alignment spoils what is large enough */
};
#define NONE UINT32_MAX

/* A stretch of bytes, taken or free. All of them together tile [0, top). */
struct block {
  uint64_t begin;
  uint64_t end;
  uint32_t below; /* neighbours by address */
  uint32_t above;
  uint32_t previous; /* neighbours in the bin, when free; `next` also chains unused blocks */
  uint32_t next;
  bool is_free;
};

struct sweep {
  const struct berth_packing_instance *instance;
  struct block *blocks;
  uint32_t n_blocks;
  uint32_t unused;
  uint32_t highest; /* the block that ends at the top */
  uint32_t head[N_BINS];
  uint64_t words[N_WORDS];
  uint32_t *order;    /* by start */
  uint32_t *next_end; /* of a buffer: another that ends at the same step */
  uint32_t *ending;   /* of a step: a buffer that ends there */
  uint32_t *block_of; /* a live buffer's */
  uint64_t *offset;
  uint64_t ceiling;
  uint64_t arena_bytes;
  uint64_t n_looks;
  struct berth_pairs pairs;
  uint64_t base;
  bool reversed;
};

/* ---- Bins ---- */

static uint32_t bin_of(uint64_t size) {
  if (size < (UINT64_C(1) << SUB_BITS)) {
    return (uint32_t)size;
  }
  uint32_t log = 63 - (uint32_t)__builtin_clzll(size);
  return ((log - SUB_BITS + 1) << SUB_BITS) + (uint32_t)((size >> (log - SUB_BITS)) & ((1u << SUB_BITS) - 1));
}

static void put(struct sweep *sweep, uint32_t b) {
  struct block *block = &sweep->blocks[b];
  uint32_t bin = bin_of(block->end - block->begin);
  block->is_free = true;
  block->previous = NONE;
  block->next = sweep->head[bin];
  if (block->next != NONE) {
    sweep->blocks[block->next].previous = b;
  }
  sweep->head[bin] = b;
  sweep->words[bin / 64] |= UINT64_C(1) << (bin % 64);
}

static void pull(struct sweep *sweep, uint32_t b) {
  struct block *block = &sweep->blocks[b];
  uint32_t bin = bin_of(block->end - block->begin);
  block->is_free = false;
  if (block->next != NONE) {
    sweep->blocks[block->next].previous = block->previous;
  }
  if (block->previous != NONE) {
    sweep->blocks[block->previous].next = block->next;
    return;
  }
  sweep->head[bin] = block->next;
  if (block->next == NONE) {
    sweep->words[bin / 64] &= ~(UINT64_C(1) << (bin % 64));
  }
}

/* The first bin >= `bin` with a block in it, or N_BINS. */
static uint32_t next_bin(const struct sweep *sweep, uint32_t bin) {
  uint32_t word = bin / 64;
  if (word >= N_WORDS) {
    return N_BINS;
  }
  uint64_t bits = sweep->words[word] & (UINT64_MAX << (bin % 64));
  while (bits == 0) {
    if (++word == N_WORDS) {
      return N_BINS;
    }
    bits = sweep->words[word];
  }
  return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

/* The smallest free block that holds the size, as far as a few looks into the bins tell. */
static uint32_t find(struct sweep *sweep, uint64_t size, uint64_t alignment) {
  uint32_t best = NONE;
  uint32_t n_bins = 0;
  for (uint32_t bin = next_bin(sweep, bin_of(size)); bin < N_BINS && best == NONE && n_bins < MAX_BINS;
       bin = next_bin(sweep, bin + 1), n_bins++) {
    uint32_t n_looks = 0;
    for (uint32_t b = sweep->head[bin]; b != NONE && n_looks < MAX_LOOKS; b = sweep->blocks[b].next) {
      const struct block *block = &sweep->blocks[b];
      uint64_t begin = berth_align_up(block->begin, alignment);
      n_looks++;
      if (begin + size <= block->end &&
          (best == NONE || block->end - block->begin < sweep->blocks[best].end - sweep->blocks[best].begin)) {
        best = b;
      }
    }
    sweep->n_looks += n_looks;
  }
  return best;
}

/* ---- Blocks ---- */

/* There are never more blocks than two for each live buffer and one: room for them was taken. */
static uint32_t new_block(struct sweep *sweep, uint64_t begin, uint64_t end, uint32_t below, uint32_t above) {
  uint32_t b = sweep->unused;
  if (b != NONE) {
    sweep->unused = sweep->blocks[b].next;
  } else {
    b = sweep->n_blocks++;
  }
  sweep->blocks[b] = (struct block){.begin = begin, .end = end, .below = below, .above = above};
  if (below != NONE) {
    sweep->blocks[below].above = b;
  }
  if (above != NONE) {
    sweep->blocks[above].below = b;
  } else {
    sweep->highest = b;
  }
  return b;
}

static void drop_block(struct sweep *sweep, uint32_t b) {
  const struct block *block = &sweep->blocks[b];
  if (block->below != NONE) {
    sweep->blocks[block->below].above = block->above;
  }
  if (block->above != NONE) {
    sweep->blocks[block->above].below = block->below;
  } else {
    sweep->highest = block->below;
  }
  sweep->blocks[b].next = sweep->unused;
  sweep->unused = b;
}

/* Takes [begin, begin + size) out of block b, which is in no bin; what is left on either side is free. */
static void carve(struct sweep *sweep, uint32_t b, uint64_t begin, uint64_t size) {
  struct block *block = &sweep->blocks[b];
  if (block->begin < begin) {
    put(sweep, new_block(sweep, block->begin, begin, block->below, b));
    block->begin = begin;
  }
  if (begin + size < block->end) {
    uint64_t end = block->end;
    block->end = begin + size;
    put(sweep, new_block(sweep, begin + size, end, b, block->above));
  }
}

static bool allocate(struct sweep *sweep, uint32_t i) {
  uint64_t size = sweep->instance->size[i];
  uint64_t alignment = sweep->instance->alignment[i];
  uint32_t b = find(sweep, size, alignment);
  uint64_t begin;
  if (b != NONE) {
    pull(sweep, b);
    begin = berth_align_up(sweep->blocks[b].begin, alignment);
  } else {
    uint64_t top = sweep->base;
    if (sweep->highest != NONE) {
      b = sweep->blocks[sweep->highest].is_free ? sweep->highest : NONE;
      top = b != NONE ? sweep->blocks[b].begin : sweep->blocks[sweep->highest].end;
    }
    begin = berth_align_up(top, alignment);
    if (b != NONE) { /* the free end of the tiling grows */
      pull(sweep, b);
      sweep->blocks[b].end = begin + size;
    } else {
      b = new_block(sweep, top, begin + size, sweep->highest, NONE);
    }
  }
  if (begin + size > sweep->ceiling) {
    return false;
  }
  carve(sweep, b, begin, size);
  sweep->block_of[i] = b;
  sweep->offset[i] = begin;
  sweep->arena_bytes = begin + size > sweep->arena_bytes ? begin + size : sweep->arena_bytes;
  return true;
}

static void release(struct sweep *sweep, uint32_t i) {
  uint32_t b = sweep->block_of[i];
  struct block *block = &sweep->blocks[b];
  uint32_t below = block->below;
  uint32_t above = block->above;
  if (below != NONE && sweep->blocks[below].is_free) {
    pull(sweep, below);
    block->begin = sweep->blocks[below].begin;
    drop_block(sweep, below);
  }
  if (above != NONE && sweep->blocks[above].is_free) {
    pull(sweep, above);
    block->end = sweep->blocks[above].end;
    drop_block(sweep, above);
  }
  put(sweep, b);
}

/* ---- Time ---- */

static uint32_t start_of(const struct sweep *sweep, uint32_t i) {
  return sweep->reversed ? sweep->instance->n_steps - sweep->instance->upper[i] : sweep->instance->lower[i];
}

static uint32_t end_of(const struct sweep *sweep, uint32_t i) {
  return sweep->reversed ? sweep->instance->n_steps - sweep->instance->lower[i] : sweep->instance->upper[i];
}

/* Those with partners never end. */
static bool is_kept(const struct sweep *sweep, uint32_t i) {
  return berth_pairs_n(&sweep->pairs, i) > 0;
}

/* The most buffers that hold bytes at once. */
static bool most_live(const struct sweep *sweep, struct berth_effort *effort, uint32_t *out_most) {
  const struct berth_packing_instance *instance = sweep->instance;
  uint32_t *change = sweep->ending; /* lent until the sweep begins */
  if (!berth_effort_fill(effort, change, 0, ((size_t)instance->n_steps + 1) * sizeof *change)) {
    return false;
  }
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    if (!berth_effort_poll_at(effort, i)) {
      return false;
    }
    change[instance->lower[i]]++;
    change[instance->upper[i]]--;
  }
  uint32_t most = 0;
  uint32_t live = 0;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < instance->n_buffers; i++) {
    kept += is_kept(sweep, i);
  }
  for (uint32_t t = 0; t < instance->n_steps; t++) {
    live += change[t];
    most = live > most ? live : most;
  }
  *out_most = most + kept;
  return berth_effort_poll(effort);
}

/* By start, larger first. */
static bool sort_starts(struct sweep *sweep, struct berth_arena *arena) {
  uint32_t n = sweep->instance->n_buffers;
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint64_t *key = berth_arena_new(arena, uint64_t, n);
  bool ok = key != NULL;
  for (uint32_t i = 0; ok && i < n; i++) { /* the size to one part in 2^26 is enough for a tie */
    uint64_t size = sweep->instance->size[i];
    uint32_t log = 63 - (uint32_t)__builtin_clzll(size);
    uint64_t rank = (uint64_t)log << 26 | ((size << (63 - log)) >> 37 & ((1u << 26) - 1));
    key[i] = (uint64_t)start_of(sweep, i) << 32 | (UINT32_MAX - rank);
    ok = berth_effort_poll_at(arena->effort, i);
  }
  berth_order_identity(n, sweep->order);
  ok = ok && berth_order_by_key(arena, n, key, sweep->order);
  berth_arena_rewind(arena, mark);
  return ok;
}

static bool prepare(struct sweep *sweep, struct berth_arena *arena) {
  uint32_t n = sweep->instance->n_buffers;
  sweep->order = berth_arena_new(arena, uint32_t, n);
  sweep->next_end = berth_arena_new(arena, uint32_t, n);
  sweep->ending = berth_arena_new(arena, uint32_t, (size_t)sweep->instance->n_steps + 1);
  sweep->block_of = berth_arena_new(arena, uint32_t, n);
  sweep->offset = berth_arena_new(arena, uint64_t, n);
  if (sweep->order == NULL || sweep->next_end == NULL || sweep->ending == NULL || sweep->block_of == NULL ||
      sweep->offset == NULL || !sort_starts(sweep, arena)) {
    return false;
  }
  uint32_t n_live;
  if (!most_live(sweep, arena->effort, &n_live)) {
    return false;
  }
  sweep->blocks = berth_arena_new(arena, struct block, 2 * (size_t)n_live + 4);
  size_t n_bytes = ((size_t)sweep->instance->n_steps + 1) * sizeof *sweep->ending;
  if (sweep->blocks == NULL || !berth_effort_fill(arena->effort, sweep->ending, 0xff, n_bytes)) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!berth_effort_poll_at(arena->effort, i)) {
      return false;
    }
    uint32_t end = end_of(sweep, i);
    if (!berth_packing_is_pinned(sweep->instance, i) && !is_kept(sweep, i)) {
      sweep->next_end[i] = sweep->ending[end];
      sweep->ending[end] = i;
    }
  }
  return true;
}

/* False if it gave up. */
static bool run(struct sweep *sweep, struct berth_effort *effort) {
  uint32_t step = 0;
  uint32_t n_released = 0;
  for (uint32_t k = 0; k < sweep->instance->n_buffers; k++) {
    uint32_t i = sweep->order[k];
    for (; step <= start_of(sweep, i); step++) {
      for (uint32_t ended = sweep->ending[step]; ended != NONE; ended = sweep->next_end[ended]) {
        release(sweep, ended);
        if (!berth_effort_poll_at(effort, ++n_released)) {
          return false;
        }
      }
    }
    if (berth_packing_is_pinned(sweep->instance, i)) {
      sweep->offset[i] = sweep->instance->pin[i];
      continue;
    }
    uint64_t before = sweep->n_looks;
    if (!allocate(sweep, i) || !berth_effort_spend(effort, 8 + sweep->n_looks - before)) {
      return false;
    }
  }
  return true;
}

enum berth_code berth_sweep(struct berth_packing_search *search, uint64_t base, bool reversed) {
  struct berth_arena_mark mark = berth_arena_mark(search->arena);
  struct sweep sweep = {
      .instance = search->instance,
      .base = base,
      .arena_bytes = base,
      .reversed = reversed,
      .unused = NONE,
      .highest = NONE,
      .ceiling = search->best_arena - 1};
  if (sweep.ceiling > search->instance->capacity) {
    sweep.ceiling = search->instance->capacity;
  }
  memset(sweep.head, 0xff, sizeof sweep.head);
  bool ok = berth_pairs_init(
                &sweep.pairs, search->arena, search->instance->n_buffers, search->instance->n_conflicts,
                search->instance->conflicts) &&
            prepare(&sweep, search->arena);
  if (ok && base <= sweep.ceiling && run(&sweep, search->effort)) {
    berth_packing_offer(search, sweep.offset, sweep.arena_bytes);
  }
  berth_arena_rewind(search->arena, mark);
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}
