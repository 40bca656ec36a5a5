/* An allocator that fails on purpose, and accounts for every byte: libc's behind it, so that sanitizers see
 * each block. */
#ifndef TESTS_FAILING_H
#define TESTS_FAILING_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/allocator.h"

struct failing {
  struct berth_allocator allocator; /* hand this in */
  uint64_t n_requests;              /* for memory: frees do not count */
  uint64_t fail_at;                 /* the request, from 1, that is refused; 0: none */
  bool fail_on;                     /* every later request is refused too */
  uint64_t n_refused;
  uint64_t n_kept;   /* of those refused: asked for no more than they had, and could go on as they were */
  uint64_t n_blocks; /* held now: not 0 at the end is a leak */
  uint64_t n_bytes;
  uint64_t most_bytes;
  bool wrong_size; /* someone gave back or grew a block under a size that it does not have */
};

void failing_init(struct failing *failing, uint64_t fail_at, bool fail_on);

#endif
