/* What lies in a buffer beside the value that it is named after: views, and results in its place. */
#include <math.h>
#include <string.h>

#include "svg/view.h"
#include "text/utf8.h"

enum { MAX_VALUES = 1000 };

struct touches {
  int64_t first;
  int64_t end;
};

static void touch(
    struct touches *touches, const struct berth_graph *graph, const uint32_t *begin, const uint32_t *values) {
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    for (uint32_t k = begin[op]; k < begin[op + 1]; k++) {
      struct touches *of = &touches[values[k]];
      of->first = of->end == 0 || op < of->first ? op : of->first;
      of->end = op + 1 > of->end ? op + 1 : of->end;
    }
  }
}

static bool is_tenant(const struct berth_svg_view *view, const struct berth_graph *graph, uint32_t value) {
  if (graph->value_buffer[value] == BERTH_NO_INDEX || graph->value_size_bytes[value] == 0) {
    return false;
  }
  if (graph->value_root != NULL && graph->value_root[value] != value) {
    return true;
  }
  const struct berth_permissions *permissions = berth_problem_permissions(view->problem);
  for (uint32_t k = 0; k < permissions->n; k++) {
    const struct berth_permission *used = &permissions->items[k];
    uint32_t tenant = used->kind == BERTH_INPLACE_INSIDE ? used->operand : used->result;
    if (used->answer == BERTH_INPLACE_USED && tenant == value) {
      return true;
    }
  }
  return false;
}

/* An outline, and a name in its corner where there is room. */
static void draw_tenant(
    const struct berth_svg_view *view, const struct berth_svg_panel *panel, const struct berth_graph *graph,
    uint32_t value, const struct touches *touches) {
  uint32_t buffer = graph->value_buffer[value];
  double first_byte = (double)view->plan->offset[buffer] +
                      (double)(graph->value_offset != NULL ? graph->value_offset[value] : 0);
  double x = berth_svg_x(view, (double)touches->first) + 2;
  double y = berth_svg_y(panel, first_byte + (double)graph->value_size_bytes[value]) + 2;
  double width = berth_svg_x(view, (double)touches->end) - x - 2;
  double height = berth_svg_y(panel, first_byte) - y - 2;
  if (width < 4 || height < 4) {
    return;
  }
  struct berth_writer *writer = view->writer;
  berth_writer_text(writer, "<rect class=\"tenant\"");
  berth_svg_attribute(writer, "x", x);
  berth_svg_attribute(writer, "y", y);
  berth_svg_attribute(writer, "width", width);
  berth_svg_attribute(writer, "height", height);
  berth_writer_text(writer, "/>\n");
  struct berth_text id = berth_problem_value_id(view->problem, value);
  if (id.size != 0 && height >= 16 && width >= 6.0 * id.size + 10) {
    berth_writer_text(writer, "<text class=\"in2\"");
    berth_svg_attribute(writer, "x", x + 5);
    berth_svg_attribute(writer, "y", y + 12);
    berth_writer_char(writer, '>');
    berth_writer_xml(writer, id.data, id.size);
    berth_writer_text(writer, "</text>\n");
  }
}

enum berth_code berth_svg_tenants(
    const struct berth_svg_view *view, const struct berth_svg_panel *panel, struct berth_error *err) {
  const struct berth_graph *graph = berth_problem_graph(view->problem);
  if (graph == NULL || graph->n_values > MAX_VALUES || graph->n_operators == 0) {
    return BERTH_OK;
  }
  size_t n_bytes = ((size_t)graph->n_values + 1) * sizeof(struct touches);
  struct touches *touches = view->allocator->resize(view->allocator->ctx, NULL, 0, n_bytes);
  if (touches == NULL) {
    return berth_fail_memory(err);
  }
  memset(touches, 0, n_bytes);
  touch(touches, graph, graph->input_begin, graph->inputs);
  touch(touches, graph, graph->output_begin, graph->outputs);
  for (uint32_t v = 0; v < graph->n_values; v++) {
    uint32_t buffer = graph->value_buffer[v];
    if (touches[v].end != 0 && is_tenant(view, graph, v) && view->plan->pool[buffer] == panel->pool) {
      draw_tenant(view, panel, graph, v, &touches[v]);
    }
  }
  view->allocator->resize(view->allocator->ctx, touches, n_bytes, 0);
  return BERTH_OK;
}
