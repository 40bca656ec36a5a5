#include "work/memory.h"

#include <stdlib.h>

static void *resize(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct berthd_memory *memory = ctx;
  old_size = ptr == NULL ? 0 : old_size;
  if (new_size == 0) {
    free(ptr);
    memory->n_bytes -= old_size;
    return NULL;
  }
  uint64_t others = memory->n_bytes - old_size;
  if (memory->limit_bytes != 0 && (others > memory->limit_bytes || new_size > memory->limit_bytes - others)) {
    memory->was_refused = true;
    return NULL;
  }
  void *moved = realloc(ptr, new_size);
  if (moved == NULL) {
    return NULL;
  }
  memory->n_bytes = others + new_size;
  if (memory->n_bytes > memory->peak_bytes) {
    memory->peak_bytes = memory->n_bytes;
  }
  return moved;
}

void berthd_memory_init(struct berthd_memory *memory, uint64_t limit_bytes) {
  *memory =
      (struct berthd_memory){.allocator = {.ctx = memory, .resize = resize}, .limit_bytes = limit_bytes};
}
