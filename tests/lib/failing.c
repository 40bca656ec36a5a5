#include "failing.h"

#include <stddef.h>
#include <stdlib.h>

/* Each block remembers its size in front of itself. */
struct head {
  max_align_t align[1];
};

static size_t *size_of(void *block) {
  return (size_t *)(void *)((struct head *)block - 1);
}

static void account(struct failing *failing, size_t old_size, size_t new_size) {
  failing->n_bytes += new_size;
  failing->n_bytes -= old_size;
  failing->most_bytes = failing->n_bytes > failing->most_bytes ? failing->n_bytes : failing->most_bytes;
}

static void *resize(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  struct failing *failing = ctx;
  size_t true_size = ptr != NULL ? *size_of(ptr) : 0;
  failing->wrong_size = failing->wrong_size || true_size != old_size;
  if (new_size == 0) {
    if (ptr != NULL) {
      account(failing, true_size, 0);
      failing->n_blocks--;
      free((struct head *)ptr - 1);
    }
    return NULL;
  }
  failing->n_requests++;
  bool refuse = failing->fail_at != 0 && (failing->n_requests == failing->fail_at ||
                                          (failing->fail_on && failing->n_requests > failing->fail_at));
  if (refuse) {
    failing->n_refused++;
    failing->n_kept += new_size <= true_size;
    return NULL;
  }
  struct head *head = realloc(ptr != NULL ? (struct head *)ptr - 1 : NULL, sizeof *head + new_size);
  if (head == NULL) {
    return NULL;
  }
  failing->n_blocks += ptr == NULL;
  account(failing, true_size, new_size);
  *size_of(head + 1) = new_size;
  return head + 1;
}

void failing_init(struct failing *failing, uint64_t fail_at, bool fail_on) {
  *failing = (struct failing){.fail_at = fail_at, .fail_on = fail_on};
  failing->allocator = (struct berth_allocator){.ctx = failing, .resize = resize};
}
