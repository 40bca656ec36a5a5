/* The canonical form of a problem: what a plan depends on, and nothing else. */
#ifndef BERTH_CANONICAL_H
#define BERTH_CANONICAL_H

#include "berth/problem.h"

/* out_order[k] is the buffer at canonical place k: sorted by every attribute that a plan depends on, then by
 * id, then by index. Two statements of one problem that differ in the order or the names of their buffers
 * have equal canonical encodings; plans are made, and cached, in canonical order. (Where buffers that are
 * equal in all but their conflicts have conflicts, another order of rows may give another encoding; equal
 * encodings always mean equal problems.) O(n log n) at worst; takes scratch memory from `allocator`. */
enum berth_code berth_problem_canonical_order(
    const struct berth_problem *problem, const struct berth_allocator *allocator, uint32_t *out_order,
    struct berth_error *err) BERTH_MUST_USE;

/* Streams the canonical encoding (little-endian, versioned, names left out) in pieces of at most a few
 * kilobytes. The caller hashes it. `order` is what berth_problem_canonical_order gave. */
enum berth_code berth_problem_canonical_encode(
    const struct berth_problem *problem, const uint32_t *order, const struct berth_allocator *allocator,
    void *ctx, void (*write)(void *ctx, const void *bytes, size_t n_bytes),
    struct berth_error *err) BERTH_MUST_USE;

/* What the canonical encoding leaves out of a graph since it shows in the clocks of the buffers: who runs
 * where, waits for whom and uses what. A plan depends on it where waits may be added (solve.h), and names
 * operators by their places in the list, which therefore counts. Nothing for other problems, or without a
 * second stream. */
enum berth_code berth_problem_canonical_encode_graph(
    const struct berth_problem *problem, const uint32_t *order, const struct berth_allocator *allocator,
    void *ctx, void (*write)(void *ctx, const void *bytes, size_t n_bytes),
    struct berth_error *err) BERTH_MUST_USE;

#endif
