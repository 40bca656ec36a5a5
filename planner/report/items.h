/* Arrays that a report hands to its caller. Each remembers its own size, so that one pointer frees it. */
#ifndef REPORT_ITEMS_H
#define REPORT_ITEMS_H

#include <stddef.h>

#include "berth/allocator.h"

/* Room for n items; NULL if memory ran out. Freed by berth_report_free. */
void *berth_report_items(const struct berth_allocator *allocator, size_t n, size_t item_size);

#endif
