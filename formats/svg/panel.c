#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svg/view.h"
#include "text/units.h"
#include "text/utf8.h"

enum { MAX_BOXES = 3000, MAX_LABELS = 250, N_SHADES = 3 };

struct drawing {
  const struct berth_svg_view *view;
  const struct berth_svg_panel *panel;
  bool with_titles;
  unsigned n_labels;
};

static bool
is_in_panel(const struct berth_svg_view *view, const struct berth_svg_panel *panel, uint32_t buffer) {
  return view->plan->pool[buffer] == panel->pool && view->buffers->size_bytes[buffer] != 0 &&
         view->plan->offset[buffer] != BERTH_NO_OFFSET;
}

static void write_title(const struct berth_svg_view *view, uint32_t buffer) {
  struct berth_writer *writer = view->writer;
  berth_writer_text(writer, "<title>");
  berth_svg_buffer_name(view, buffer);
  berth_writer_format(writer, ": %s, steps ", berth_units_bytes(view->buffers->size_bytes[buffer]).text);
  berth_writer_i64(writer, view->buffers->lower[buffer]);
  berth_writer_text(writer, " to ");
  berth_writer_i64(writer, view->buffers->upper[buffer]);
  berth_writer_text(writer, ", offset ");
  berth_writer_u64(writer, view->plan->offset[buffer]);
  berth_writer_text(writer, "</title>");
}

static void draw_box(void *ctx, uint32_t buffer, const struct berth_svg_piece *piece) {
  struct drawing *drawing = ctx;
  const struct berth_svg_view *view = drawing->view;
  struct berth_writer *writer = view->writer;
  double x = berth_svg_x(view, piece->lower);
  double y = berth_svg_y(drawing->panel, piece->end_byte);
  double width = fmax(0.4, berth_svg_x(view, piece->upper) - x);
  double height = fmax(0.4, berth_svg_y(drawing->panel, piece->first_byte) - y);
  berth_writer_text(writer, width >= 3 && height >= 3 ? "<rect class=\"e\"" : "<rect");
  berth_svg_attribute(writer, "x", x);
  berth_svg_attribute(writer, "y", y);
  berth_svg_attribute(writer, "width", width);
  berth_svg_attribute(writer, "height", height);
  if (drawing->with_titles) {
    berth_writer_char(writer, '>');
    write_title(view, buffer);
    berth_writer_text(writer, "</rect>\n");
  } else {
    berth_writer_text(writer, "/>\n");
  }
}

static void draw_label(void *ctx, uint32_t buffer, const struct berth_svg_piece *piece) {
  struct drawing *drawing = ctx;
  const struct berth_svg_view *view = drawing->view;
  double x = berth_svg_x(view, piece->lower);
  double width = berth_svg_x(view, piece->upper) - x;
  double y = berth_svg_y(drawing->panel, piece->end_byte);
  double height = berth_svg_y(drawing->panel, piece->first_byte) - y;
  struct berth_text id = berth_problem_buffer_id(view->problem, buffer);
  double n_chars = id.size != 0 ? id.size : 8;
  if (drawing->n_labels >= MAX_LABELS || height < 13 || width < 6.4 * n_chars + 8) {
    return;
  }
  drawing->n_labels++;
  bool with_size = height >= 30 && width >= 64;
  berth_writer_text(view->writer, "<text class=\"in\" text-anchor=\"middle\"");
  berth_svg_attribute(view->writer, "x", x + width / 2);
  berth_svg_attribute(view->writer, "y", y + height / 2 + (with_size ? -3 : 4));
  berth_writer_char(view->writer, '>');
  berth_svg_buffer_name(view, buffer);
  berth_writer_text(view->writer, "</text>\n");
  if (with_size) {
    berth_svg_text(
        view->writer, "in2", "middle", x + width / 2, y + height / 2 + 11,
        berth_units_bytes(view->buffers->size_bytes[buffer]).text);
  }
}

struct ranked {
  double area;
  uint32_t buffer;
};

static int compare_ranked(const void *a, const void *b) {
  const struct ranked *x = a;
  const struct ranked *y = b;
  if (x->area != y->area) {
    return x->area > y->area ? -1 : 1;
  }
  return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

/* Marks the buffers with the largest boxes, MAX_BOXES at most. */
static bool
choose_boxes(const struct berth_svg_view *view, const struct berth_svg_panel *panel, uint8_t *is_drawn) {
  const struct berth_buffers *buffers = view->buffers;
  size_t n_bytes = buffers->n * sizeof(struct ranked);
  struct ranked *ranked = view->allocator->resize(view->allocator->ctx, NULL, 0, n_bytes);
  if (ranked == NULL) {
    return false;
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < buffers->n; i++) {
    if (is_in_panel(view, panel, i)) {
      double life = (double)buffers->upper[i] - (double)buffers->lower[i];
      ranked[n++] = (struct ranked){.area = life * (double)buffers->size_bytes[i], .buffer = i};
    }
  }
  qsort(ranked, n, sizeof *ranked, compare_ranked);
  for (uint32_t i = 0; i < n && i < MAX_BOXES; i++) {
    is_drawn[ranked[i].buffer] = 1;
  }
  view->allocator->resize(view->allocator->ctx, ranked, n_bytes, 0);
  return true;
}

static void draw_boxes(struct drawing *drawing, const uint8_t *is_drawn) {
  const struct berth_svg_view *view = drawing->view;
  for (unsigned group = 0; group < BERTH_SVG_N_KEYS * N_SHADES; group++) {
    bool is_open = false;
    for (uint32_t i = 0; i < view->buffers->n; i++) {
      if (!is_drawn[i] || i % N_SHADES != group % N_SHADES || berth_svg_key(view, i) != group / N_SHADES) {
        continue;
      }
      if (!is_open) {
        berth_writer_format(view->writer, "<g class=\"k%u s%u\">\n", group / N_SHADES, group % N_SHADES);
        is_open = true;
      }
      berth_svg_pieces(view, i, drawing, draw_box);
    }
    berth_writer_text(view->writer, is_open ? "</g>\n" : "");
  }
}

static void draw_labels(struct drawing *drawing, const uint8_t *is_drawn) {
  for (uint32_t i = 0; i < drawing->view->buffers->n; i++) {
    if (is_drawn[i]) {
      berth_svg_pieces(drawing->view, i, drawing, draw_label);
    }
  }
}

static void mark_level(
    const struct berth_svg_view *view, const struct berth_svg_panel *panel, const char *class_,
    const char *name, uint64_t n_bytes, double text_shift) {
  double y = berth_svg_y(panel, (double)n_bytes);
  berth_svg_line(view->writer, class_, view->left, y, view->right, y);
  berth_svg_text(view->writer, "label", "start", view->right + 8, y + text_shift, name);
  berth_svg_text(
      view->writer, "strong", "start", view->right + 8, y + text_shift + 14, berth_units_bytes(n_bytes).text);
}

static void draw_marks(const struct berth_svg_view *view, const struct berth_svg_panel *panel) {
  const struct berth_pool_result *result = &view->plan->pools[panel->pool];
  double y_arena = berth_svg_y(panel, (double)result->arena_bytes);
  double y_bound = berth_svg_y(panel, (double)result->lower_bound_bytes);
  if (result->arena_bytes == result->lower_bound_bytes) {
    mark_level(view, panel, "arena", "arena = bound", result->arena_bytes, 4);
  } else {
    double distance = fmax(0, y_bound - y_arena);
    mark_level(view, panel, "bound", "lower bound", result->lower_bound_bytes, fmax(4, 38 - distance));
    mark_level(view, panel, "arena", "arena", result->arena_bytes, 4);
  }
  double x = berth_svg_x(view, (double)result->peak_step + 0.5);
  if (result->peak_bytes != 0 && x >= view->left && x <= view->right) {
    berth_svg_line(view->writer, "peak", x, panel->top, x, panel->bottom);
    char text[96];
    berth_svg_step_text(result->peak_step, "peak, step ", text, sizeof text);
    bool is_right = x > view->right - 150;
    berth_svg_text(
        view->writer, "peaktext", is_right ? "end" : "start", is_right ? x - 6 : x + 6, panel->top + 13,
        text);
  }
}

enum berth_code berth_svg_draw_panel(
    const struct berth_svg_view *view, const struct berth_svg_panel *panel, struct berth_error *err) {
  size_t n = (size_t)view->buffers->n + 1;
  uint8_t *is_drawn = view->allocator->resize(view->allocator->ctx, NULL, 0, n);
  if (is_drawn == NULL) {
    return berth_fail_memory(err);
  }
  memset(is_drawn, 0, n);
  bool all = view->buffers->n <= MAX_BOXES;
  enum berth_code code = BERTH_OK;
  if (view->buffers->n != 0 && !choose_boxes(view, panel, is_drawn)) {
    code = berth_fail_memory(err);
  }
  if (code == BERTH_OK) {
    berth_svg_step_axis(view, panel->top, panel->bottom, true);
    berth_svg_byte_axis(view, panel);
    code = all ? BERTH_OK : berth_svg_grid(view, panel, is_drawn, err);
  }
  if (code == BERTH_OK) {
    struct drawing drawing = {.view = view, .panel = panel, .with_titles = all};
    draw_boxes(&drawing, is_drawn);
    code = berth_svg_tenants(view, panel, err);
    draw_labels(&drawing, is_drawn);
    draw_marks(view, panel);
  }
  view->allocator->resize(view->allocator->ctx, is_drawn, n, 0);
  return code;
}
