/* Memory for the parts of one message while it is made; all of it goes at once. */
#ifndef CODEC_SCRATCH_H
#define CODEC_SCRATCH_H

#include <stddef.h>

#include "berth/allocator.h"

struct berth_codec_block;

struct berth_codec_scratch {
  const struct berth_allocator *allocator;
  struct berth_codec_block *first;
};

void berth_codec_scratch_init(
    struct berth_codec_scratch *scratch, const struct berth_allocator *allocator); /* NULL: libc's */
/* Uninitialised, aligned for any type; NULL if memory ran out or the product overflows. Zero items give a
 * valid pointer. */
void *berth_codec_scratch_take(struct berth_codec_scratch *scratch, size_t n, size_t size);
void berth_codec_scratch_finish(struct berth_codec_scratch *scratch);

#endif
