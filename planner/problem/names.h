/* Ids: kept as one blob a kind of item, checked for duplicates in one go. */
#ifndef PROBLEM_NAMES_H
#define PROBLEM_NAMES_H

#include "problem/problem.h"

enum berth_names_result {
  BERTH_NAMES_OK = 0,
  BERTH_NAMES_BAD_TEXT,
  BERTH_NAMES_TOO_LONG, /* more than 2^32 - 1 bytes in all */
  BERTH_NAMES_OUT_OF_MEMORY,
};

/* Gives the item after the last, number `item`, its name; nothing changes on failure. */
enum berth_names_result berth_names_add(
    const struct berth_allocator *allocator, struct berth_names *names, uint32_t item,
    struct berth_text text);

/* The first item whose name an earlier one has, BERTH_NO_INDEX in both if there is none; false if memory ran
 * out. O(n) for any text that is not made to collide, O(n log n) for the rest. */
bool berth_names_find_duplicate(
    const struct berth_allocator *allocator, const struct berth_names *names, uint32_t *out_first,
    uint32_t *out_second);

/* The second way; the outputs must be BERTH_NO_INDEX before. */
bool berth_names_find_by_sorting(
    const struct berth_allocator *allocator, const struct berth_names *names, uint32_t *out_first,
    uint32_t *out_second);

void berth_names_finish(const struct berth_allocator *allocator, struct berth_names *names);

#endif
