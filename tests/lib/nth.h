/* Runs an operation once for each of its requests for memory, which is then refused: alone, or with all that
 * come after it. Each time the operation must say RESOURCE_EXHAUSTED and give back all that it holds. */
#ifndef TESTS_NTH_H
#define TESTS_NTH_H

#include "failing.h"

#include "berth/status.h"

/* On success it must have given back everything too, results included. */
typedef enum berth_code (*nth_operation)(
    void *ctx, const struct berth_allocator *allocator, struct berth_error *err);

/* Returns how many requests the operation makes. */
uint64_t nth_refused(const char *name, nth_operation operation, void *ctx);

#endif
