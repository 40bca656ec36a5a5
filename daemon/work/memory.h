/* An allocator that counts and refuses beyond a limit: what one request may take. For one thread at a time;
 * all that it gave must be given back before it goes. */
#ifndef WORK_MEMORY_H
#define WORK_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/allocator.h"

struct berthd_memory {
  struct berth_allocator allocator; /* hand out &memory->allocator */
  uint64_t limit_bytes;             /* 0: none */
  uint64_t n_bytes;
  uint64_t peak_bytes;
  bool was_refused; /* by the limit, not by the system */
};

void berthd_memory_init(struct berthd_memory *memory, uint64_t limit_bytes);

#endif
