#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>

#include "base/checked.h"
#include "base/effort.h"

enum {
  ALIGNMENT = alignof(max_align_t),
  FIRST_BLOCK_BYTES = 64 * 1024,
  MAX_GROWTH_BYTES = 16 * 1024 * 1024,
  LARGE = 1024 * 1024
};

struct berth_arena_block {
  struct berth_arena_block *next;
  size_t capacity; /* of `bytes` */
  alignas(max_align_t) unsigned char bytes[];
};

void berth_arena_init(struct berth_arena *arena, const struct berth_allocator *allocator) {
  *arena = (struct berth_arena){.allocator = allocator != NULL ? allocator : berth_allocator_libc()};
}

void berth_arena_finish(struct berth_arena *arena) {
  struct berth_arena_block *block = arena->first;
  while (block != NULL) {
    struct berth_arena_block *next = block->next;
    arena->allocator->resize(arena->allocator->ctx, block, sizeof *block + block->capacity, 0);
    block = next;
  }
  arena->first = arena->current = NULL;
  arena->used = 0;
}

void berth_arena_trim(struct berth_arena *arena) {
  struct berth_arena_block **link = arena->current != NULL ? &arena->current->next : &arena->first;
  while (*link != NULL && berth_effort_poll(arena->effort)) {
    struct berth_arena_block *block = *link;
    if (block->capacity < LARGE) {
      link = &block->next;
      continue;
    }
    *link = block->next;
    arena->allocator->resize(arena->allocator->ctx, block, sizeof *block + block->capacity, 0);
  }
}

void berth_arena_reset(struct berth_arena *arena) {
  arena->current = arena->first;
  arena->used = 0;
}

/* Makes a block with room for n_bytes current: the next one if it is large enough, else a new one before it.
 */
static bool advance(struct berth_arena *arena, size_t n_bytes) {
  struct berth_arena_block *next = arena->current != NULL ? arena->current->next : arena->first;
  if (next == NULL || next->capacity < n_bytes) {
    size_t capacity = arena->current != NULL ? arena->current->capacity : FIRST_BLOCK_BYTES / 2;
    capacity = capacity > MAX_GROWTH_BYTES / 2 ? MAX_GROWTH_BYTES : capacity * 2;
    capacity = capacity < n_bytes ? n_bytes : capacity;
    if (capacity > SIZE_MAX - sizeof(struct berth_arena_block)) {
      return false;
    }
    struct berth_arena_block *made =
        arena->allocator->resize(arena->allocator->ctx, NULL, 0, sizeof *made + capacity);
    if (made == NULL) {
      return false;
    }
    *made = (struct berth_arena_block){.next = next, .capacity = capacity};
    if (arena->current != NULL) {
      arena->current->next = made;
    } else {
      arena->first = made;
    }
    next = made;
  }
  arena->current = next;
  arena->used = 0;
  return true;
}

void *berth_arena_take(struct berth_arena *arena, size_t n, size_t element_size) {
  size_t n_bytes;
  if (!berth_mul_size(n, element_size, &n_bytes) || n_bytes > SIZE_MAX - ALIGNMENT) {
    return NULL;
  }
  if (n_bytes >= LARGE && !berth_effort_poll(arena->effort)) { /* what fills it takes its time */
    return NULL;
  }
  n_bytes = (n_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  if (arena->current == NULL || arena->current->capacity - arena->used < n_bytes) {
    if (!advance(arena, n_bytes)) {
      return NULL;
    }
  }
  void *taken = arena->current->bytes + arena->used;
  arena->used += n_bytes;
  return taken;
}

void *berth_arena_take_zeroed(struct berth_arena *arena, size_t n, size_t element_size) {
  void *taken = berth_arena_take(arena, n, element_size);
  return taken != NULL && berth_effort_fill(arena->effort, taken, 0, n * element_size) ? taken : NULL;
}

struct berth_arena_mark berth_arena_mark(const struct berth_arena *arena) {
  return (struct berth_arena_mark){.block = arena->current, .used = arena->used};
}

void berth_arena_rewind(struct berth_arena *arena, struct berth_arena_mark mark) {
  arena->current = mark.block;
  arena->used = mark.used;
}
