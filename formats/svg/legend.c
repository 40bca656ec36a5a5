#include <math.h>
#include <stdio.h>
#include <string.h>

#include "svg/view.h"
#include "text/units.h"

static const char *const CLASS_LABELS[BERTH_SVG_N_KEYS] = {"temporary", "constant", "input",
                                                           "output",    "state",    "workspace"};

static const struct {
  const char *color;
  const char *text;
} BADGES[BERTH_N_PLAN_STATUSES] = {
    [BERTH_PLAN_OPTIMAL] = {"#2a9d5c", "optimal"},     [BERTH_PLAN_FEASIBLE] = {"#3b78b8", "feasible"},
    [BERTH_PLAN_CUT_SHORT] = {"#c77d0a", "cut short"}, [BERTH_PLAN_INFEASIBLE] = {"#c0392b", "does not fit"},
    [BERTH_PLAN_UNKNOWN] = {"#6b7280", "unknown"},
};

static void key_label(const struct berth_svg_view *view, unsigned key, char *out, size_t capacity) {
  if (view->by_class) {
    snprintf(out, capacity, "%s %s", CLASS_LABELS[key], berth_units_bytes(view->plan->class_bytes[key]).text);
  } else if (view->life_limit[key] <= 1) {
    snprintf(out, capacity, "1 step");
  } else {
    snprintf(
        out, capacity, "to %s steps", berth_units_grouped((uint64_t)fmin(view->life_limit[key], 9e18)).text);
  }
}

static unsigned find_used(const struct berth_svg_view *view) {
  unsigned used = 0;
  for (uint32_t i = 0; i < view->buffers->n; i++) {
    used |= 1u << berth_svg_key(view, i);
  }
  return used;
}

void berth_svg_legend(const struct berth_svg_view *view, double y) {
  const char *head = view->by_class ? "class" : "lifetime";
  unsigned used = find_used(view);
  double x = view->left;
  berth_svg_text(view->writer, "unit", "start", x, y, head);
  x += view->by_class ? 44 : 62;
  for (unsigned key = 0; key < BERTH_SVG_N_KEYS; key++) {
    if ((used >> key & 1) == 0) {
      continue;
    }
    char text[64];
    key_label(view, key, text, sizeof text);
    berth_writer_format(view->writer, "<rect class=\"k%u\" rx=\"2\" width=\"12\" height=\"12\"", key);
    berth_svg_attribute(view->writer, "x", x);
    berth_svg_attribute(view->writer, "y", y - 10);
    berth_writer_text(view->writer, "/>\n");
    berth_svg_text(view->writer, "label", "start", x + 17, y, text);
    x += 34 + 6.6 * (double)strlen(text);
  }
}

static void write_badge(const struct berth_svg_view *view) {
  unsigned status = view->plan->status < BERTH_N_PLAN_STATUSES ? view->plan->status : BERTH_PLAN_UNKNOWN;
  double width = 22 + 7.2 * (double)strlen(BADGES[status].text);
  double x = view->width - 24 - width;
  berth_writer_format(
      view->writer, "<rect fill=\"%s\" rx=\"11\" height=\"22\" y=\"20\"", BADGES[status].color);
  berth_svg_attribute(view->writer, "x", x);
  berth_svg_attribute(view->writer, "width", width);
  berth_writer_text(view->writer, "/>\n");
  berth_svg_text(view->writer, "badge", "middle", x + width / 2, 35, BADGES[status].text);
}

void berth_svg_head(const struct berth_svg_view *view, const char *title) {
  const struct berth_plan *plan = view->plan;
  char text[320];
  if (plan->offset != NULL) {
    snprintf(
        text, sizeof text,
        "arena %s (%s bytes) \xc2\xb7 lower bound %s \xc2\xb7 gap %.2f %% \xc2\xb7 without reuse %s \xc2\xb7 "
        "%s buffers",
        berth_units_bytes(plan->arena_bytes).text, berth_units_grouped(plan->arena_bytes).text,
        berth_units_bytes(plan->lower_bound_bytes).text, 100 * berth_plan_gap(plan),
        berth_units_bytes(plan->naive_bytes).text, berth_units_grouped(view->buffers->n).text);
  } else {
    snprintf(
        text, sizeof text, "needs at least %s (%s bytes) \xc2\xb7 short by %s \xc2\xb7 %s buffers",
        berth_units_bytes(plan->lower_bound_bytes).text, berth_units_grouped(plan->lower_bound_bytes).text,
        berth_units_bytes(plan->short_by_bytes).text, berth_units_grouped(view->buffers->n).text);
  }
  berth_svg_text(
      view->writer, "title", "start", 24, 38, title != NULL && *title != '\0' ? title : "Memory plan");
  berth_svg_text(view->writer, "facts", "start", 24, 60, text);
  write_badge(view);
}
