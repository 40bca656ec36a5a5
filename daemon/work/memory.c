#include "work/memory.h"

#include <stdlib.h>

static void note_peak(struct berthd_memory *memory, uint64_t n_bytes) {
  uint64_t peak = atomic_load(&memory->peak_bytes);
  while (n_bytes > peak && !atomic_compare_exchange_weak(&memory->peak_bytes, &peak, n_bytes)) {
  }
}

/* Accounts for what would be held then; false if it is too much. */
static bool grow(struct berthd_memory *memory, uint64_t more, uint64_t new_size) {
  if (memory->limit_bytes != 0 && new_size > memory->limit_bytes) {
    return false;
  }
  uint64_t n_bytes = atomic_fetch_add(&memory->n_bytes, more) + more;
  if (memory->limit_bytes != 0 && n_bytes > memory->limit_bytes) {
    atomic_fetch_sub(&memory->n_bytes, more);
    return false;
  }
  return true;
}

static void *resize(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct berthd_memory *memory = ctx;
  old_size = ptr == NULL ? 0 : old_size;
  if (new_size == 0) {
    free(ptr);
    atomic_fetch_sub(&memory->n_bytes, old_size);
    return NULL;
  }
  uint64_t more = new_size > old_size ? new_size - old_size : 0;
  if (more > 0 && !grow(memory, more, new_size)) {
    atomic_store(&memory->was_refused, true);
    return NULL;
  }
  void *moved = realloc(ptr, new_size);
  if (moved == NULL) {
    atomic_fetch_sub(&memory->n_bytes, more);
    return NULL;
  }
  if (old_size > new_size) {
    atomic_fetch_sub(&memory->n_bytes, old_size - new_size);
  }
  note_peak(memory, atomic_load(&memory->n_bytes));
  return moved;
}

void berthd_memory_init(struct berthd_memory *memory, uint64_t limit_bytes) {
  memory->allocator = (struct berth_allocator){.ctx = memory, .resize = resize};
  memory->limit_bytes = limit_bytes;
  atomic_init(&memory->n_bytes, 0);
  atomic_init(&memory->peak_bytes, 0);
  atomic_init(&memory->was_refused, false);
}
