/* Gaps of one row. */
#ifndef PROBLEM_GAPS_H
#define PROBLEM_GAPS_H

#include "problem/builder.h"

/* Validates the row's gaps and appends them to the column in normal form: by time, merged where they touch
 * and hold the same window, without those that say nothing. */
enum berth_code berth_builder_add_gaps(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec);

#endif
