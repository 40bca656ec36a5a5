/* A picture of a plan: steps across, offsets up, one box a buffer; above it the live bytes over time. The
 * peak, the arena and the proven lower bound are marked. Buffers have the colour of their class or, where all
 * are of one, of the length of their life. SVG 1.1 with one style sheet, without scripts, for browsers and
 * for pages that show it as an image.
 *
 * Beyond some thousand buffers only the largest boxes are drawn one by one; the others are gathered into a
 * grid, so that a picture stays below 4 MB whatever the problem. */
#ifndef SVG_SVG_H
#define SVG_SVG_H

#include "berth/plan.h"
#include "berth/problem.h"
#include "text/writer.h"

/* `title` may be NULL. A plan without offsets gives the live bytes only, and says why. */
enum berth_code berth_svg_write(
    const struct berth_problem *problem, const struct berth_plan *plan, const char *title,
    const struct berth_allocator *allocator, struct berth_sink sink, struct berth_error *err) BERTH_MUST_USE;

#endif
