#include "report/items.h"

#include <stdalign.h>
#include <stdint.h>

#include "base/checked.h"
#include "berth/report.h"

struct head {
  size_t n_bytes; /* with this */
  alignas(max_align_t) unsigned char items[];
};

void *berth_report_items(const struct berth_allocator *allocator, size_t n, size_t item_size) {
  size_t n_bytes;
  if (!berth_mul_size(n, item_size, &n_bytes) || n_bytes > SIZE_MAX - sizeof(struct head)) {
    return NULL;
  }
  n_bytes += sizeof(struct head);
  const struct berth_allocator *from = allocator != NULL ? allocator : berth_allocator_libc();
  struct head *head = from->resize(from->ctx, NULL, 0, n_bytes);
  if (head == NULL) {
    return NULL;
  }
  head->n_bytes = n_bytes;
  return head->items;
}

void berth_report_free(const struct berth_allocator *allocator, void *items) {
  if (items == NULL) {
    return;
  }
  const struct berth_allocator *to = allocator != NULL ? allocator : berth_allocator_libc();
  struct head *head = (struct head *)(void *)((unsigned char *)items - offsetof(struct head, items));
  to->resize(to->ctx, head, head->n_bytes, 0);
}
