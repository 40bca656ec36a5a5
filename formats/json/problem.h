/* A problem as one JSON object: all that the builder of berth/problem.h can say, in its words.
 * docs/formats.md describes the fields, docs/problem.schema.json is their schema.
 *
 *   {"symbols":   [{"name", "lower", "upper"}],
 *    "pools":     [{"name", "capacity", "alignment", "max_block", "kind", "base_alignment", "cost",
 *                   "spill_to", "persistence"}],
 *    "buffers":   [{"id", "size", "alignment", "lower", "upper", "class", "offset", "pools",
 *                   "shape", "bits", "type", "gaps": [{"lower", "upper", "window": [0, 0]}], "accesses"}],
 *    "conflicts": [[buffer, buffer]]}
 * or
 *   {"pools":     ...,
 *    "values":    [{"id", "size", "alignment", "class", "offset", "pools", "held", "external", "accumulated",
 *                   "view_of", "view_offset", "donation", "live_windows", "accesses"}],
 *    "operators": [{"id", "inputs", "outputs", "workspace", "workspace_alignment",
 *                   "inplace": [{"input", "output", "inside_at" or "behind_by"}], "stream", "waits"}],
 *    "syncs":     [{"waiter", "signaller"}],
 *    "regions":   [{"kind", "parent", "first_operator", "n_operators", "min_trips", "carries"}],
 *    "forbid_inplace": false}
 *
 * A size ("size", "workspace", "view_offset") is a number, or a string that is an expression over the
 * symbols; in the place of "size" there may be a "shape", whose dimensions are numbers, expressions or null
 * (unknown), and the "bits" or the "type" ("f32") of its elements.
 *
 * Where a buffer, value, operator or pool is named, a string is its id and a number its place from 0. Numbers
 * are whole and exact to 64 bits; a string of digits is a number too, for writers that keep numbers as
 * doubles. Unknown and repeated fields are errors, since what they say would be lost. */
#ifndef JSON_PROBLEM_H
#define JSON_PROBLEM_H

#include <stddef.h>

#include "berth/problem.h"
#include "text/writer.h"

#define BERTH_JSON_PROBLEM_VERSION 1

/* Whether the text is meant to be JSON, and not CSV: its first byte that is no space is a brace. */
bool berth_json_is_object(const char *text, size_t n_bytes);

/* Errors carry line and column (in bytes, from 1), and the path ("$.operators[3].inputs[1]") as their field.
 * Nesting is limited to BERTH_JSON_MAX_NESTING; memory is taken for the problem and for one index of ids
 * only. */
enum berth_code berth_json_read_problem(
    const char *text, size_t n_bytes, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_error *err) BERTH_MUST_USE;

/* The same with its symbols bound; a binding that does not suit is blamed on $.symbols. NULL binds none. */
enum berth_code berth_json_read_bound(
    const char *text, size_t n_bytes, const struct berth_bindings *bindings,
    const struct berth_allocator *allocator, struct berth_problem **out_problem,
    struct berth_error *err) BERTH_MUST_USE;
/* The same with every permission to write in place refused, as if it said "forbid_inplace". */
enum berth_code berth_json_read_without_inplace(
    const char *text, size_t n_bytes, const struct berth_bindings *bindings,
    const struct berth_allocator *allocator, struct berth_problem **out_problem,
    struct berth_error *err) BERTH_MUST_USE;

/* The problem as it was stated: reading it again gives an equal one. Fields at their defaults are left out.
 */
enum berth_code berth_json_write_problem(
    const struct berth_problem *problem, struct berth_sink sink, struct berth_error *err) BERTH_MUST_USE;

#endif
