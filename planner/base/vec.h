/* A growing array of one type, by doubling:
 *
 *   BERTH_VEC(uint32_t) ids = {0};
 *   if (!berth_vec_reserve(allocator, &ids, ids.n + 1)) ... out of memory, `ids` is as before
 *   ids.items[ids.n++] = 7;
 *   berth_vec_finish(allocator, &ids);
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

#include "berth/allocator.h"

#define BERTH_VEC(type)                                                                                      \
  struct {                                                                                                   \
    union {                                                                                                  \
      type *items;                                                                                           \
      void *raw;                                                                                             \
    };                                                                                                       \
    size_t n;                                                                                                \
    size_t capacity;                                                                                         \
  }

/* Room for `min` elements; false if memory ran out, and nothing has changed. */
#define berth_vec_reserve(allocator, vec, min)                                                               \
  ((size_t)(min) <= (vec)->capacity ||                                                                       \
   berth_vec_grow((allocator), &(vec)->raw, &(vec)->capacity, (min), sizeof *(vec)->items))
/* Gives back what is not used; never fails. */
#define berth_vec_trim(allocator, vec)                                                                       \
  berth_vec_shrink((allocator), &(vec)->raw, &(vec)->capacity, (vec)->n, sizeof *(vec)->items)
#define berth_vec_finish(allocator, vec)                                                                     \
  berth_vec_shrink((allocator), &(vec)->raw, &(vec)->capacity, (vec)->n = 0, sizeof *(vec)->items)

bool berth_vec_grow(
    const struct berth_allocator *allocator, void **items, size_t *capacity, size_t min, size_t element_size);
void berth_vec_shrink(
    const struct berth_allocator *allocator, void **items, size_t *capacity, size_t n, size_t element_size);

#endif
