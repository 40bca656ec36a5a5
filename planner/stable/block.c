#include <stdatomic.h>
#include <string.h>

#include "base/checked.h"
#include "stable/internal.h"

/* The block: this head, then the columns, widest first. */
struct block {
  struct berth_stable stable; /* first: its address is the block's */
  atomic_uint n_refs;
  struct berth_allocator allocator;
  size_t n_bytes;
};

static struct block *block_of(const struct berth_stable *stable) {
  return (struct block *)(uintptr_t)stable; /* all come from here, so it is writable */
}

static bool block_size(uint32_t n, uint32_t n_pools, uint32_t n_gone, size_t *out) {
  size_t buffers;
  size_t pools;
  size_t gone;
  return berth_mul_size(n, sizeof(uint64_t) + sizeof(uint32_t) + sizeof(uint8_t), &buffers) &&
         berth_mul_size(n_pools, 2 * sizeof(uint64_t), &pools) &&
         berth_mul_size(n_gone, sizeof(uint32_t), &gone) && !__builtin_add_overflow(buffers, pools, out) &&
         !__builtin_add_overflow(*out, gone, out) && !__builtin_add_overflow(*out, sizeof(struct block), out);
}

struct berth_stable *berth_stable_block(
    const struct berth_problem *problem, uint32_t n_gone, const struct berth_allocator *allocator,
    struct berth_stable_columns *out_columns) {
  allocator = allocator != NULL ? allocator : berth_allocator_libc();
  uint32_t n = berth_problem_buffers(problem)->n;
  uint32_t n_pools = berth_problem_pools(problem)->n;
  size_t n_bytes;
  if (!block_size(n, n_pools, n_gone, &n_bytes)) {
    return NULL;
  }
  struct block *block = allocator->resize(allocator->ctx, NULL, 0, n_bytes);
  if (block == NULL) {
    return NULL;
  }
  uint64_t *offset = (uint64_t *)(block + 1);
  uint64_t *limit = offset + n;
  uint64_t *arena = limit + n_pools;
  uint32_t *pool = (uint32_t *)(arena + n_pools);
  uint32_t *gone = pool + n;
  uint8_t *must = (uint8_t *)(gone + n_gone);
  memset(offset, 0xff, n * sizeof *offset); /* BERTH_NO_OFFSET */
  memset(limit, 0xff, n_pools * sizeof *limit);
  memset(arena, 0, n_pools * sizeof *arena);
  memset(pool, 0xff, n * sizeof *pool); /* BERTH_NO_INDEX */
  memset(must, 0, n);
  *out_columns = (struct berth_stable_columns){
      .pool = pool, .offset = offset, .must = must, .limit_bytes = limit, .arena_bytes = arena, .gone = gone};
  atomic_init(&block->n_refs, 1);
  block->allocator = *allocator;
  block->n_bytes = n_bytes;
  block->stable = (struct berth_stable){
      .n_buffers = n,
      .n_pools = n_pools,
      .pool = pool,
      .offset = offset,
      .must = must,
      .limit_bytes = limit,
      .arena_bytes = arena,
      .n_gone = n_gone,
      .gone = gone};
  return &block->stable;
}

const struct berth_stable *berth_stable_ref(const struct berth_stable *stable) {
  atomic_fetch_add_explicit(&block_of(stable)->n_refs, 1, memory_order_relaxed);
  return stable;
}

void berth_stable_unref(const struct berth_stable *stable) {
  if (stable == NULL) {
    return;
  }
  struct block *block = block_of(stable);
  if (atomic_fetch_sub_explicit(&block->n_refs, 1, memory_order_acq_rel) == 1) {
    struct berth_allocator allocator = block->allocator;
    allocator.resize(allocator.ctx, block, block->n_bytes, 0);
  }
}
