/* A bump allocator for the life of one solve: many small takes, one reset. Blocks are kept across resets, so
 * a solve that is repeated does not touch the heap. Not shared between threads. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

#include "berth/allocator.h"

struct berth_arena_block;
struct berth_effort;

struct berth_arena {
  const struct berth_allocator *allocator;
  struct berth_arena_block *first;
  struct berth_arena_block *current;
  size_t used;                 /* bytes of the current block */
  struct berth_effort *effort; /* of the solve that this serves, or NULL: long steps poll it */
};

/* A place to come back to: everything taken after berth_arena_mark is released by berth_arena_rewind. */
struct berth_arena_mark {
  struct berth_arena_block *block;
  size_t used;
};

void berth_arena_init(struct berth_arena *arena, const struct berth_allocator *allocator);
void berth_arena_finish(struct berth_arena *arena);
void berth_arena_reset(struct berth_arena *arena);
/* Gives large blocks back that hold nothing now, so that there is less to give back at the end. */
void berth_arena_trim(struct berth_arena *arena);

/* Uninitialised, aligned for any type; NULL if memory ran out, the product overflows, or (asked where much is
 * taken) the arena's effort was stopped. Zero elements give a
 * valid pointer. */
void *berth_arena_take(struct berth_arena *arena, size_t n, size_t element_size);
void *berth_arena_take_zeroed(struct berth_arena *arena, size_t n, size_t element_size);

struct berth_arena_mark berth_arena_mark(const struct berth_arena *arena);
void berth_arena_rewind(struct berth_arena *arena, struct berth_arena_mark mark);

/* arena_new(&arena, uint32_t, n): n elements of a type, or NULL. */
#define berth_arena_new(arena, type, n) ((type *)berth_arena_take((arena), (n), sizeof(type)))
#define berth_arena_new_zeroed(arena, type, n) ((type *)berth_arena_take_zeroed((arena), (n), sizeof(type)))

#endif
