/* What the parts of a picture share: where things are, and what colour a buffer has. Lengths are user units
 * (pixels at 100 %). */
#ifndef SVG_VIEW_H
#define SVG_VIEW_H

#include "berth/plan.h"
#include "berth/problem.h"
#include "berth/report.h"
#include "text/writer.h"

enum { BERTH_SVG_N_KEYS = 6 }; /* colours: classes, or lengths of life */

struct berth_svg_view {
  const struct berth_problem *problem;
  const struct berth_plan *plan;
  const struct berth_buffers *buffers;
  const struct berth_allocator *allocator;
  struct berth_writer *writer;
  double width;
  double left; /* of the area that has time across */
  double right;
  double first_step; /* shown at `left` */
  double end_step;   /* shown at `right`, greater */
  bool by_class;
  double life_limit[BERTH_SVG_N_KEYS]; /* longest life of each key in steps, where colours show lives */
};

/* A rectangle of steps by bytes on the page. */
struct berth_svg_panel {
  uint32_t pool;
  double top;
  double bottom;
  double max_bytes; /* shown at `top`, greater than 0 */
};

void berth_svg_view_init(
    struct berth_svg_view *view, const struct berth_problem *problem, const struct berth_plan *plan);

double berth_svg_x(const struct berth_svg_view *view, double step);
double berth_svg_y(const struct berth_svg_panel *panel, double n_bytes);
unsigned berth_svg_key(const struct berth_svg_view *view, uint32_t buffer);

/* A number of user units, with at most two decimals and no more digits than needed. */
void berth_svg_number(struct berth_writer *writer, double n);
/* ` name="n"` */
void berth_svg_attribute(struct berth_writer *writer, const char *name, double n);
/* "peak, step 1,234": a step with its digits in groups. */
void berth_svg_step_text(int64_t step, const char *head, char *out_text, size_t capacity);
void berth_svg_line(
    struct berth_writer *writer, const char *class_, double x1, double y1, double x2, double y2);
/* `text` is escaped. `anchor` is "start", "middle" or "end". */
void berth_svg_text(
    struct berth_writer *writer, const char *class_, const char *anchor, double x, double y,
    const char *text);

/* The buffer's rectangles in steps and bytes: one, or one a span between and in its gaps. */
struct berth_svg_piece {
  double lower;
  double upper;
  double first_byte;
  double end_byte;
};
void berth_svg_pieces(
    const struct berth_svg_view *view, uint32_t buffer, void *ctx,
    void (*emit)(void *ctx, uint32_t buffer, const struct berth_svg_piece *piece));

/* The id, or "#7" of a buffer without one. */
void berth_svg_buffer_name(const struct berth_svg_view *view, uint32_t buffer);

/* ---- The parts, one file each. ---- */

void berth_svg_byte_axis(const struct berth_svg_view *view, const struct berth_svg_panel *panel);
void berth_svg_step_axis(const struct berth_svg_view *view, double y_top, double y_bottom, bool labelled);

enum berth_code berth_svg_strip(
    const struct berth_svg_view *view, double top, double bottom, struct berth_error *err) BERTH_MUST_USE;

/* Boxes, marks and labels of one pool. */
enum berth_code berth_svg_draw_panel(
    const struct berth_svg_view *view, const struct berth_svg_panel *panel,
    struct berth_error *err) BERTH_MUST_USE;

/* The buffers for which `is_drawn` is 0, gathered into cells. */
enum berth_code berth_svg_grid(
    const struct berth_svg_view *view, const struct berth_svg_panel *panel, const uint8_t *is_drawn,
    struct berth_error *err) BERTH_MUST_USE;

/* Outlines of the views and of the results in place, if they are not too many to be told apart. */
enum berth_code berth_svg_tenants(
    const struct berth_svg_view *view, const struct berth_svg_panel *panel,
    struct berth_error *err) BERTH_MUST_USE;

void berth_svg_legend(const struct berth_svg_view *view, double y);
void berth_svg_head(const struct berth_svg_view *view, const char *title);

#endif
