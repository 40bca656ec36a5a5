/* Symbols, and sizes that are expressions over them, as the writer of problems puts them down. */
#ifndef JSON_PROBLEM_SIZES_H
#define JSON_PROBLEM_SIZES_H

#include "json/emit.h"

/* Of a plan: "symbols" with the ranges that they are bound to, and "dynamic", what is left to the dynamic
 * arena; neither where there is nothing to say. */
void berth_json_write_ranges(struct berth_json *json, const struct berth_problem *problem);

void berth_json_write_symbols(struct berth_json *json, const struct berth_problem *problem);

/* The item's expression, its shape, or the bytes if it has neither. False if an expression is too large for
 * text. */
bool berth_json_write_size(
    struct berth_json *json, const char *key, const struct berth_problem *problem,
    enum berth_sized_field field, uint32_t item, uint64_t bytes);

#endif
