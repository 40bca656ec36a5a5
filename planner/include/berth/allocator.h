/* Memory comes from the caller. Every public function that needs heap memory takes an allocator; a NULL
 * allocator pointer means libc's. An allocator may refuse at any time: the operation then returns
 * BERTH_RESOURCE_EXHAUSTED and leaves nothing behind. */
#ifndef BERTH_ALLOCATOR_H
#define BERTH_ALLOCATOR_H

#include <stddef.h>

struct berth_allocator {
  void *ctx;
  /* As realloc, with the old size given: `ptr` NULL allocates, `new_size` 0 frees and returns NULL. Memory is
   * aligned for any type. Called from the thread that called the library, and, where that was given an
   * executor (berth/executor.h), from its threads, several at once. */
  void *(*resize)(void *ctx, void *ptr, size_t old_size, size_t new_size);
};

/* libc's realloc and free; immutable, shared by all threads. */
const struct berth_allocator *berth_allocator_libc(void);

#endif
