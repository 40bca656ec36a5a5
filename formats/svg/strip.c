/* The live bytes over time, as an area; exact where points are few, else the largest of each column. */
#include <math.h>
#include <stdio.h>

#include "svg/view.h"
#include "text/units.h"

enum { MAX_EXACT_POINTS = 2000, MAX_PEAK_BANDS = 60, WIDE_BAND = 6 };

static void curve_point(struct berth_writer *writer, double x, double y_before, double y) {
  berth_writer_char(writer, 'L');
  berth_svg_number(writer, x);
  berth_writer_char(writer, ' ');
  berth_svg_number(writer, y_before);
  if (y != y_before) {
    berth_writer_char(writer, 'V');
    berth_svg_number(writer, y);
  }
}

static void exact_curve(
    const struct berth_svg_view *view, const struct berth_svg_panel *panel,
    const struct berth_timeline_point *points, uint32_t n_points) {
  double y = panel->bottom;
  for (uint32_t i = 0; i < n_points; i++) {
    double next = berth_svg_y(panel, (double)points[i].live_bytes);
    curve_point(view->writer, berth_svg_x(view, (double)points[i].step), y, next);
    y = next;
  }
  curve_point(view->writer, view->right, y, panel->bottom);
}

static void coarse_curve(
    const struct berth_svg_view *view, const struct berth_svg_panel *panel,
    const struct berth_timeline_point *points, uint32_t n_points) {
  double y = panel->bottom;
  uint32_t i = 0;
  for (double x = view->left; x < view->right; x++) {
    uint64_t most = i > 0 ? points[i - 1].live_bytes : 0;
    for (; i < n_points && berth_svg_x(view, (double)points[i].step) < x + 1; i++) {
      most = points[i].live_bytes > most ? points[i].live_bytes : most;
    }
    double next = berth_svg_y(panel, (double)most);
    if (next != y) {
      curve_point(view->writer, x, y, next);
    }
    y = next;
  }
  curve_point(view->writer, view->right, y, panel->bottom);
}

static void draw_curve(
    const struct berth_svg_view *view, const struct berth_svg_panel *panel,
    const struct berth_timeline_point *points, uint32_t n_points) {
  berth_writer_text(view->writer, "<path class=\"live\" d=\"M");
  berth_svg_number(view->writer, view->left);
  berth_writer_char(view->writer, ' ');
  berth_svg_number(view->writer, panel->bottom);
  if (n_points <= MAX_EXACT_POINTS) {
    exact_curve(view, panel, points, n_points);
  } else {
    coarse_curve(view, panel, points, n_points);
  }
  berth_writer_text(view->writer, "Z\"/>\n");
}

/* Every span of steps at which the peak is reached. */
static void draw_peaks(
    const struct berth_svg_view *view, const struct berth_svg_panel *panel,
    const struct berth_timeline_point *points, uint32_t n_points, uint64_t peak) {
  unsigned n_bands = 0;
  for (uint32_t i = 0; i + 1 < n_points && n_bands < MAX_PEAK_BANDS; i++) {
    if (points[i].live_bytes != peak || peak == 0) {
      continue;
    }
    double x = berth_svg_x(view, (double)points[i].step);
    double end = berth_svg_x(view, (double)points[i + 1].step);
    double top = berth_svg_y(panel, (double)peak);
    bool is_wide = end - x > WIDE_BAND;
    berth_writer_text(view->writer, is_wide ? "<rect class=\"peakwide\"" : "<rect class=\"peakband\"");
    berth_svg_attribute(view->writer, "x", x);
    berth_svg_attribute(view->writer, "y", is_wide ? top : panel->top);
    berth_svg_attribute(view->writer, "width", fmax(1, end - x));
    berth_svg_attribute(view->writer, "height", panel->bottom - (is_wide ? top : panel->top));
    berth_writer_text(view->writer, "/>\n");
    n_bands++;
  }
}

enum berth_code
berth_svg_strip(const struct berth_svg_view *view, double top, double bottom, struct berth_error *err) {
  struct berth_timeline_point *points = NULL;
  uint32_t n_points = 0;
  enum berth_code code = berth_report_timeline(
      view->problem, view->plan, BERTH_NO_INDEX, view->allocator, &points, &n_points, err);
  if (code != BERTH_OK) {
    return code;
  }
  uint64_t peak = 0;
  for (uint32_t i = 0; i < n_points; i++) {
    peak = points[i].live_bytes > peak ? points[i].live_bytes : peak;
  }
  struct berth_svg_panel panel = {.top = top, .bottom = bottom, .max_bytes = fmax(1, (double)peak * 1.08)};
  berth_svg_step_axis(view, top, bottom, false);
  draw_curve(view, &panel, points, n_points);
  draw_peaks(view, &panel, points, n_points, peak);
  berth_svg_line(view->writer, "axis", view->left, bottom, view->right, bottom);
  berth_svg_text(view->writer, "label", "end", view->left - 8, top + 12, "live bytes");
  berth_svg_text(view->writer, "strong", "end", view->left - 8, top + 28, berth_units_bytes(peak).text);
  berth_svg_text(view->writer, "label", "end", view->left - 8, top + 43, "at the peak");
  berth_report_free(view->allocator, points);
  return BERTH_OK;
}
