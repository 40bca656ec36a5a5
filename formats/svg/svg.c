#include "svg/svg.h"

#include <math.h>
#include <string.h>

#include "svg/view.h"
#include "text/utf8.h"

enum {
  WIDTH = 1200,
  LEFT = 96,
  RIGHT = 1076,
  STRIP_TOP = 84,
  STRIP_BOTTOM = 148,
  PANELS_TOP = 172,
  PANEL_HEIGHT = 460,
  SMALL_PANEL_HEIGHT = 280, /* where there are several pools */
  PANEL_SPACE = 62,
  MAX_PANELS = 8,
  BOTTOM = 34,
};

static const char STYLE[] =
    "<style>\n"
    "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#1f2933}\n"
    ".title{font-size:20px;font-weight:600}.facts{font-size:13px;fill:#52606d}\n"
    ".label{font-size:12px;fill:#52606d}.unit{font-size:12px;fill:#7b8794;font-style:italic}\n"
    ".strong{font-size:12px;font-weight:600}.badge{font-size:12px;font-weight:600;fill:#fff}\n"
    ".in{font-size:11px;fill:#10202c}.in2{font-size:9.5px;fill:#10202c;fill-opacity:.75}\n"
    ".peaktext{font-size:12px;fill:#b4232a;font-weight:600;paint-order:stroke;stroke:#fff;stroke-width:3px}\n"
    ".tick{stroke:#e4e7eb;stroke-width:1}.axis{stroke:#9aa5b1;stroke-width:1}\n"
    ".arena{stroke:#1f2933;stroke-width:1.5}.bound{stroke:#1a7f5a;stroke-width:1.5;stroke-dasharray:7 4}\n"
    ".peak{stroke:#b4232a;stroke-width:1.2;stroke-dasharray:3 3}\n"
    ".peakband{fill:#b4232a;fill-opacity:.75}.peakwide{fill:#b4232a;fill-opacity:.3}.live{fill:#cbd8e6;"
    "stroke:#5f7892;stroke-width:1}\n"
    ".e{stroke:#fff;stroke-width:.7}.s0{fill-opacity:1}.s1{fill-opacity:.86}.s2{fill-opacity:.72}\n"
    ".k0{fill:#4f9dde}.k1{fill:#8d99a6}.k2{fill:#5fb878}.k3{fill:#ef7b6c}.k4{fill:#a78bda}.k5{fill:#f2b04b}\n"
    ".l .k0{fill:#f6c453}.l .k1{fill:#a4cf6a}.l .k2{fill:#56b89a}.l .k3{fill:#4f9dc4}.l .k4{fill:#6c80c4}"
    ".l .k5{fill:#8f76b5}\n"
    ".g0{stroke:#4f9dde}.g1{stroke:#8d99a6}.g2{stroke:#5fb878}.g3{stroke:#ef7b6c}.g4{stroke:#a78bda}"
    ".g5{stroke:#f2b04b}\n"
    ".l .g0{stroke:#f6c453}.l .g1{stroke:#a4cf6a}.l .g2{stroke:#56b89a}.l .g3{stroke:#4f9dc4}"
    ".l .g4{stroke:#6c80c4}.l .g5{stroke:#8f76b5}\n"
    ".tenant{fill:#fff;fill-opacity:.22;stroke:#10202c;stroke-opacity:.6;stroke-dasharray:4 3}\n"
    "</style>\n";

static uint32_t count_panels(const struct berth_plan *plan) {
  if (plan->offset == NULL) {
    return 0;
  }
  return plan->n_pools < MAX_PANELS ? plan->n_pools : MAX_PANELS;
}

static double panel_height(uint32_t n_panels) {
  return n_panels > 1 ? SMALL_PANEL_HEIGHT : PANEL_HEIGHT;
}

static void write_frame(const struct berth_svg_view *view, double height, const char *title) {
  struct berth_writer *writer = view->writer;
  berth_writer_text(writer, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 ");
  berth_svg_number(writer, view->width);
  berth_writer_char(writer, ' ');
  berth_svg_number(writer, height);
  berth_writer_char(writer, '"');
  berth_svg_attribute(writer, "width", view->width);
  berth_svg_attribute(writer, "height", height);
  berth_writer_text(writer, ">\n<title>");
  title = title != NULL ? title : "Memory plan";
  berth_writer_xml(writer, title, strlen(title));
  berth_writer_text(writer, "</title>\n");
  berth_writer_text(writer, STYLE);
  berth_writer_text(writer, "<rect x=\".5\" y=\".5\" rx=\"10\" fill=\"#fff\" stroke=\"#d5dbe1\"");
  berth_svg_attribute(writer, "width", view->width - 1);
  berth_svg_attribute(writer, "height", height - 1);
  berth_writer_text(writer, "/>\n");
  berth_writer_text(writer, view->by_class ? "<g>\n" : "<g class=\"l\">\n");
}

static enum berth_code draw_pool(
    const struct berth_svg_view *view, uint32_t pool, uint32_t n_panels, double top,
    struct berth_error *err) {
  const struct berth_pool_result *result = &view->plan->pools[pool];
  double most = fmax((double)result->arena_bytes, (double)result->lower_bound_bytes);
  struct berth_svg_panel panel = {
      .pool = pool, .top = top, .bottom = top + panel_height(n_panels), .max_bytes = fmax(1, most * 1.045)};
  if (n_panels > 1) {
    struct berth_text name = berth_problem_pools(view->problem)->items[pool].name;
    berth_writer_text(view->writer, "<text class=\"strong\"");
    berth_svg_attribute(view->writer, "x", view->left);
    berth_svg_attribute(view->writer, "y", top - 7);
    berth_writer_text(view->writer, ">pool ");
    berth_writer_xml(view->writer, name.data, name.size);
    berth_writer_text(view->writer, "</text>\n");
  }
  return berth_svg_draw_panel(view, &panel, err);
}

static enum berth_code draw(const struct berth_svg_view *view, const char *title, struct berth_error *err) {
  uint32_t n_panels = count_panels(view->plan);
  double pitch = panel_height(n_panels) + PANEL_SPACE;
  double height = PANELS_TOP + n_panels * pitch + BOTTOM + (n_panels == 0 ? 20 : 0);
  write_frame(view, height, title);
  berth_svg_head(view, title);
  enum berth_code code = berth_svg_strip(view, STRIP_TOP, STRIP_BOTTOM, err);
  for (uint32_t pool = 0; code == BERTH_OK && pool < n_panels; pool++) {
    code = draw_pool(view, pool, n_panels, PANELS_TOP + pool * pitch, err);
  }
  if (n_panels == 0) {
    berth_svg_step_axis(view, STRIP_BOTTOM, STRIP_BOTTOM + 4, true);
  } else {
    berth_svg_legend(view, height - 24);
  }
  berth_writer_text(view->writer, "</g>\n</svg>\n");
  return code;
}

enum berth_code berth_svg_write(
    const struct berth_problem *problem, const struct berth_plan *plan, const char *title,
    const struct berth_allocator *allocator, struct berth_sink sink, struct berth_error *err) {
  struct berth_writer writer;
  struct berth_svg_view view = {
      .allocator = allocator != NULL ? allocator : berth_allocator_libc(),
      .writer = &writer,
      .width = WIDTH,
      .left = LEFT,
      .right = RIGHT};
  berth_writer_init(&writer, sink);
  berth_svg_view_init(&view, problem, plan);
  enum berth_code code = draw(&view, title, err);
  return code != BERTH_OK ? code : berth_writer_finish(&writer, err);
}
