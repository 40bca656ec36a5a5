#include "codec/memory.h"

#include <stdint.h>

/* protobuf-c frees without a size, so each block remembers its own. */
union header {
  size_t size;
  max_align_t aligned;
};

static void *capped_alloc(void *data, size_t size) {
  struct berth_codec_memory *memory = data;
  if (size > SIZE_MAX - sizeof(union header)) {
    return NULL;
  }
  size_t whole = size + sizeof(union header);
  if (whole > memory->limit_bytes - memory->used_bytes) {
    memory->refused = true;
    return NULL;
  }
  union header *block = memory->allocator->resize(memory->allocator->ctx, NULL, 0, whole);
  if (block == NULL) {
    return NULL;
  }
  memory->used_bytes += whole;
  block->size = whole;
  return block + 1;
}

static void capped_free(void *data, void *pointer) {
  struct berth_codec_memory *memory = data;
  if (pointer == NULL) {
    return;
  }
  union header *block = (union header *)pointer - 1;
  memory->used_bytes -= block->size;
  memory->allocator->resize(memory->allocator->ctx, block, block->size, 0);
}

void berth_codec_memory_init(
    struct berth_codec_memory *memory, const struct berth_allocator *allocator, size_t limit_bytes) {
  *memory = (struct berth_codec_memory){
      .base = {.alloc = capped_alloc, .free = capped_free, .allocator_data = memory},
      .allocator = allocator != NULL ? allocator : berth_allocator_libc(),
      .limit_bytes = limit_bytes,
  };
}
