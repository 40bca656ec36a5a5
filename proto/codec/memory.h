/* The allocator that protobuf-c decodes with: capped, and refusing instead of aborting. */
#ifndef CODEC_MEMORY_H
#define CODEC_MEMORY_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

#include "berth/allocator.h"

struct berth_codec_memory {
  ProtobufCAllocator base; /* hand &memory->base to protobuf-c */
  const struct berth_allocator *allocator;
  size_t limit_bytes;
  size_t used_bytes;
  bool refused; /* whether the cap (and not the allocator below) said no */
};

/* `allocator` NULL means libc's. The struct must stay where it is. */
void berth_codec_memory_init(
    struct berth_codec_memory *memory, const struct berth_allocator *allocator, size_t limit_bytes);

#endif
