#include "berth/allocator.h"

#include <stdlib.h>

static void *libc_resize(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  (void)ctx;
  (void)old_size;
  if (new_size == 0) {
    free(ptr);
    return NULL;
  }
  return realloc(ptr, new_size);
}

const struct berth_allocator *berth_allocator_libc(void) {
  static const struct berth_allocator LIBC = {.ctx = NULL, .resize = libc_resize};
  return &LIBC;
}
