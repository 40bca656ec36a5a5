/* An allocator that counts and refuses beyond a limit: what one request may take. For any threads; all that
 * it gave must be given back before it goes. */
#ifndef WORK_MEMORY_H
#define WORK_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "berth/allocator.h"

struct berthd_memory {
  struct berth_allocator allocator; /* hand out &memory->allocator */
  uint64_t limit_bytes;             /* 0: none */
  _Atomic uint64_t n_bytes;
  _Atomic uint64_t peak_bytes;
  atomic_bool was_refused; /* by the limit, not by the system */
};

void berthd_memory_init(struct berthd_memory *memory, uint64_t limit_bytes);

#endif
