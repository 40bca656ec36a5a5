#include "codec/scratch.h"

#include <stdalign.h>

struct berth_codec_block {
  struct berth_codec_block *next;
  size_t n_bytes; /* with this */
  alignas(max_align_t) unsigned char bytes[];
};

void berth_codec_scratch_init(struct berth_codec_scratch *scratch, const struct berth_allocator *allocator) {
  *scratch =
      (struct berth_codec_scratch){.allocator = allocator != NULL ? allocator : berth_allocator_libc()};
}

void *berth_codec_scratch_take(struct berth_codec_scratch *scratch, size_t n, size_t size) {
  size_t n_bytes;
  if (__builtin_mul_overflow(n, size, &n_bytes) ||
      __builtin_add_overflow(n_bytes, sizeof(struct berth_codec_block), &n_bytes)) {
    return NULL;
  }
  const struct berth_allocator *from = scratch->allocator;
  struct berth_codec_block *block = from->resize(from->ctx, NULL, 0, n_bytes);
  if (block == NULL) {
    return NULL;
  }
  block->next = scratch->first;
  block->n_bytes = n_bytes;
  scratch->first = block;
  return block->bytes;
}

void berth_codec_scratch_finish(struct berth_codec_scratch *scratch) {
  const struct berth_allocator *to = scratch->allocator;
  while (scratch->first != NULL) {
    struct berth_codec_block *block = scratch->first;
    scratch->first = block->next;
    to->resize(to->ctx, block, block->n_bytes, 0);
  }
}
