/* MiniMalloc's CSV: buffers with lifetimes, in and out.
 *
 * The first line names the columns, in any order:
 *
 *   id | buffer | buffer_id     any text; empty means unnamed
 *   lower | begin | start       first step at which the buffer is live
 *   upper | end                 `upper`: first step at which it is not; `end`: last step at which it is
 *   size                        bytes
 *   alignment                   of the offset in bytes, a power of two (optional; 1)
 *   gaps                        `lo-hi[@wlo:whi]`, separated by spaces: in [lo, hi) only the bytes [wlo, whi)
 *                               are live, without a window none; with `end`, hi is inclusive too (optional)
 *   offset                      pins the buffer there; an empty cell does not (optional)
 *   hint                        checked to be a whole number, and left out: it only steers MiniMalloc's
 * search
 *
 * A column that is unknown or given twice (also `upper` beside `end`) is an error, since what it says would
 * be lost. Lines end in LF or CRLF; a UTF-8 byte order mark and blank lines are skipped (MiniMalloc itself
 * ends at a blank line). Spaces and tabs around names and numbers are skipped; those in an id belong to it.
 *
 * Quotes: MiniMalloc has none. Here a field whose first byte is `"` is read as RFC 4180 has it: up to the
 * closing quote, `""` standing for one quote, commas and line ends included. A quote elsewhere is plain text.
 *
 * lower == upper is one step, size 0 conflicts with nothing; MiniMalloc crashes on the one and refuses the
 * other. Vector clocks (`3:0`) in `lower` and `upper`, as omnimalloc writes partial orders, are those of
 * berth_buffer_spec; with them there is no `end` and there are no gaps.
 *
 * Errors carry the line and the column in bytes, both from 1. */
#ifndef MINIMALLOC_MINIMALLOC_H
#define MINIMALLOC_MINIMALLOC_H

#include <stddef.h>

#include "berth/plan.h"
#include "berth/problem.h"
#include "text/writer.h"

/* One buffer a row, in the order of the rows. */
enum berth_code berth_minimalloc_read(
    const char *text, size_t n_bytes, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_error *err) BERTH_MUST_USE;

/* Offsets that any tool made for `problem`: rows with at least an id and an offset, in any order. A buffer
 * without a row, or with an empty cell, gets BERTH_NO_OFFSET. Rows without an id are taken in order. A row
 * that names no buffer, or whose lifetime, size or alignment is not the buffer's, is an error: it belongs to
 * another problem. `out_offset` has one entry a buffer. */
enum berth_code berth_minimalloc_read_offsets(
    const char *text, size_t n_bytes, const struct berth_problem *problem,
    const struct berth_allocator *allocator, uint64_t *out_offset, struct berth_error *err) BERTH_MUST_USE;

/* The problem with half-open lifetimes; with a plan that has offsets, MiniMalloc's output form: the same and
 * an `offset` column. `plan` may be NULL. Reading it back gives the same problem (a plan reads back as pins).
 * What the format cannot say (several pools, pairs that must not share, gaps beside clocks) is
 * FAILED_PRECONDITION. */
enum berth_code berth_minimalloc_write(
    const struct berth_problem *problem, const struct berth_plan *plan, struct berth_sink sink,
    struct berth_error *err) BERTH_MUST_USE;

#endif
