/* Reports about a problem and its plan: what makes the peak, the bytes live over time, and what changed
 * between two of them. They read lifetimes as the judge does. With several streams steps are in the order in
 * which operators were added, one of those that may happen. */
#ifndef BERTH_REPORT_H
#define BERTH_REPORT_H

#include "berth/plan.h"
#include "berth/problem.h"

/* Every array that a report hands out is the caller's, and is freed with this. NULL is fine. */
void berth_report_free(const struct berth_allocator *allocator, void *items);

/* ---- Over time ---- */

/* Live bytes are piecewise constant: `live_bytes` holds from `step` to the next entry's step. */
struct berth_timeline_point {
  int64_t step;
  uint64_t live_bytes;
};

/* The timeline of one pool (BERTH_NO_INDEX: of all buffers). Ends with a point of 0 live bytes. */
enum berth_code berth_report_timeline(
    const struct berth_problem *problem, const struct berth_plan *plan, uint32_t pool,
    const struct berth_allocator *allocator, struct berth_timeline_point **out_points, uint32_t *out_n_points,
    struct berth_error *err) BERTH_MUST_USE;

/* At most `n_most` points (2 at least) in the place of the n, in place; returns how many. Each stands for a
 * stretch and has the most that is live in it: the peak is kept, and nothing is shown as less than it is. */
uint32_t berth_report_thin(struct berth_timeline_point *points, uint32_t n, uint32_t n_most);

/* Steps [lower, upper) at which the same buffers are live. */
struct berth_span {
  int64_t lower;
  int64_t upper;
};

/* Every span at which the bytes live are the most, in order of time; none if nothing ever lives. */
enum berth_code berth_report_peaks(
    const struct berth_problem *problem, const struct berth_allocator *allocator,
    struct berth_span **out_spans, uint32_t *out_n_spans, uint64_t *out_peak_bytes,
    struct berth_error *err) BERTH_MUST_USE;

/* ---- At a step ---- */

struct berth_contribution {
  uint32_t buffer;
  uint64_t live_bytes; /* at the step; at one of the peak they sum to the peak exactly */
};

/* Who is live at `step`, largest first (ties by index). */
enum berth_code berth_report_contributions(
    const struct berth_problem *problem, int64_t step, const struct berth_allocator *allocator,
    struct berth_contribution **out_items, uint32_t *out_n_items, struct berth_error *err) BERTH_MUST_USE;

/* What the operator `op` made; BERTH_NO_INDEX: what none made, as inputs and constants. */
struct berth_maker {
  uint32_t op;
  uint64_t bytes;
};

/* Contributions summed in two ways; both sums are theirs. */
struct berth_breakdown {
  uint64_t class_bytes[BERTH_N_CLASSES];
  struct berth_maker *makers; /* largest first, ties by operator; NULL of a problem that is no graph */
  uint32_t n_makers;
};

enum berth_code berth_report_breakdown(
    const struct berth_problem *problem, const struct berth_contribution *items, uint32_t n_items,
    const struct berth_allocator *allocator, struct berth_breakdown *out_breakdown,
    struct berth_error *err) BERTH_MUST_USE;

/* Of a graph: the first operator that writes a value in each buffer, or whose workspace it is; BERTH_NO_INDEX
 * where none does. NULL of a problem that is no graph. */
enum berth_code berth_report_producers(
    const struct berth_problem *problem, const struct berth_allocator *allocator, uint32_t **out_producers,
    struct berth_error *err) BERTH_MUST_USE;

/* What an operator needs: everything that is live while it runs, and its own part. A value that is listed
 * twice counts once; values of the caller count too. */
struct berth_operator_row {
  uint64_t live_bytes;
  uint64_t workspace_bytes;
  uint64_t input_bytes;
  uint64_t output_bytes;
};

/* One row an operator of a graph; NULL of a problem that is no graph. */
enum berth_code berth_report_operators(
    const struct berth_problem *problem, const struct berth_allocator *allocator,
    struct berth_operator_row **out_rows, uint32_t *out_n_rows, struct berth_error *err) BERTH_MUST_USE;

/* ---- Parts ---- */

/* Of one part of a composition (together.h), what it shares included. */
struct berth_part_row {
  uint32_t n_buffers;
  uint64_t naive_bytes; /* the sum of its sizes */
  uint64_t peak_bytes;  /* the largest sum of its live sizes, at one of its own steps */
  uint64_t arena_bytes; /* where its highest buffer ends, summed over the pools; 0 without a plan */
};

/* One row a part; NULL of a problem that is no composition. `plan` may be NULL. */
enum berth_code berth_report_parts(
    const struct berth_problem *problem, const struct berth_plan *plan,
    const struct berth_allocator *allocator, struct berth_part_row **out_rows, uint32_t *out_n_rows,
    struct berth_error *err) BERTH_MUST_USE;

/* ---- Two of them ---- */

/* A problem, and where a plan puts its buffers. Columns have one entry a buffer. */
struct berth_report_side {
  const struct berth_problem *problem;
  const struct berth_text *id;        /* NULL: as the problem says */
  const uint64_t *offset;             /* NULL: nothing is placed */
  const uint32_t *pool;               /* the problem's pools; NULL: all in the first */
  const struct berth_text *pool_name; /* in the place of `pool`; NULL: by `pool` */
};

/* Where the last byte of the pool's buffers ends; of all pools: the sum. Buffers without an offset, or that
 * end beyond 2^64, are left out. `pool_name` is not looked at. */
uint64_t berth_report_arena(const struct berth_report_side *side, uint32_t pool);
uint64_t berth_report_arenas(const struct berth_report_side *side);

/* Which buffer of `b` each of `a` is, or BERTH_NO_INDEX: by id; those without one by their place among
 * these; a workspace has its operator's id and is matched with workspaces only. */
enum berth_code berth_report_match(
    const struct berth_report_side *a, const struct berth_report_side *b,
    const struct berth_allocator *allocator, uint32_t **out_matches, struct berth_error *err) BERTH_MUST_USE;

#define BERTH_CHANGES(X)                                                                                     \
  X(ADDED, "added")                                                                                          \
  X(REMOVED, "removed")                                                                                      \
  X(RESIZED, "resized")                                                                                      \
  X(RETIMED, "retimed") /* another lifetime, or other gaps */                                                \
  X(MOVED, "moved")     /* another offset or pool */

enum berth_change {
#define X(name, word) BERTH_CHANGE_##name,
  BERTH_CHANGES(X)
#undef X
      BERTH_N_CHANGES
};
const char *berth_change_name(enum berth_change change); /* "added", ... */

struct berth_difference {
  uint32_t before;    /* BERTH_NO_INDEX if it was added */
  uint32_t after;     /* BERTH_NO_INDEX if it was removed */
  unsigned changes;   /* bit set of enum berth_change */
  int64_t peak_bytes; /* live at the first peak after, less live at the first peak before */
};

/* The rows' peak_bytes sum to the difference of the peaks. Rows that differ only because the peak is at
 * another step have no changes. The comparison of b with a is that of a with b with the sides exchanged and
 * the signs turned; of a problem with itself it has no rows. */
struct berth_comparison {
  uint64_t peak_bytes[2];        /* before, after */
  int64_t peak_step[2];          /* the first */
  struct berth_difference *rows; /* those that say something, largest effect on the peak first */
  uint32_t n_rows;
  uint32_t n_changed[BERTH_N_CHANGES];
};

enum berth_code berth_report_compare(
    const struct berth_report_side *before, const struct berth_report_side *after,
    const struct berth_allocator *allocator, struct berth_comparison *out_comparison,
    struct berth_error *err) BERTH_MUST_USE;

#endif
