#include <math.h>
#include <stdio.h>

#include "svg/view.h"
#include "text/units.h"

/* The smallest of 1, 2, 5 times a power of ten that gives at most n_max ticks. */
static double nice_step(double span, double n_max) {
  double power = pow(10, floor(log10(span / n_max)));
  static const double FACTORS[] = {1, 2, 5, 10, 20};
  for (unsigned i = 0; i < sizeof FACTORS / sizeof FACTORS[0]; i++) {
    if (span / (power * FACTORS[i]) <= n_max) {
      return power * FACTORS[i];
    }
  }
  return span;
}

/* Bytes are counted in powers of two: every label is then short and exact. */
static double nice_bytes(double span, double n_max) {
  if (span < 1024) {
    return fmax(1, nice_step(span, n_max));
  }
  return exp2(ceil(log2(span / n_max)));
}

void berth_svg_byte_axis(const struct berth_svg_view *view, const struct berth_svg_panel *panel) {
  double height = panel->bottom - panel->top;
  double step = nice_bytes(panel->max_bytes, fmax(1, floor(height / 48)));
  for (double tick = 0; tick <= panel->max_bytes; tick += step) {
    double y = berth_svg_y(panel, tick);
    berth_svg_line(view->writer, tick == 0 ? "axis" : "tick", view->left, y, view->right, y);
    berth_svg_text(
        view->writer, "label", "end", view->left - 8, y + 4, berth_units_bytes((uint64_t)tick).text);
  }
}

void berth_svg_step_text(int64_t step, const char *head, char *out_text, size_t capacity) {
  uint64_t distance = step < 0 ? -(uint64_t)step : (uint64_t)step;
  snprintf(out_text, capacity, "%s%s%s", head, step < 0 ? "-" : "", berth_units_grouped(distance).text);
}

void berth_svg_step_axis(const struct berth_svg_view *view, double y_top, double y_bottom, bool labelled) {
  double span = view->end_step - view->first_step;
  double step = fmax(1, nice_step(span, 10));
  double first = ceil(view->first_step / step) * step;
  for (double tick = first; tick <= view->end_step; tick += step) {
    double x = berth_svg_x(view, tick);
    berth_svg_line(view->writer, "tick", x, y_top, x, y_bottom);
    if (labelled) {
      char text[40];
      berth_svg_step_text((int64_t)fmax(-9.2e18, fmin(tick, 9.2e18)), "", text, sizeof text);
      berth_svg_text(view->writer, "label", "middle", x, y_bottom + 18, text);
    }
    if (tick + step <= tick) {
      break; /* steps beyond 2^53 */
    }
  }
  if (labelled) {
    berth_svg_text(view->writer, "unit", "end", view->right, y_bottom + 36, "step");
  }
}
