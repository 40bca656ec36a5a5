#include "svg/view.h"

#include <math.h>
#include <stdio.h>

#include "text/utf8.h"

static bool has_one_class(const struct berth_buffers *buffers) {
  for (uint32_t i = 1; i < buffers->n; i++) {
    if (buffers->class_[i] != buffers->class_[0]) {
      return false;
    }
  }
  return true;
}

static double life_of(const struct berth_buffers *buffers, uint32_t buffer) {
  return fmax(1, (double)buffers->upper[buffer] - (double)buffers->lower[buffer]);
}

/* Shares of the longest life, or steps of one factor from the shortest to the longest where those are larger,
 * so that each colour has something to show. */
static void set_life_limits(struct berth_svg_view *view) {
  const struct berth_buffers *buffers = view->buffers;
  double shortest = buffers->n != 0 ? INFINITY : 1;
  double longest = 1;
  for (uint32_t i = 0; i < buffers->n; i++) {
    shortest = fmin(shortest, life_of(buffers, i));
    longest = fmax(longest, life_of(buffers, i));
  }
  static const double SHARES[BERTH_SVG_N_KEYS - 1] = {0.005, 0.02, 0.1, 0.3, 0.7};
  for (unsigned i = 0; i + 1 < BERTH_SVG_N_KEYS; i++) {
    double step = shortest * pow(longest / shortest, (i + 1.0) / BERTH_SVG_N_KEYS);
    view->life_limit[i] = floor(fmax(step, SHARES[i] * longest));
  }
  view->life_limit[BERTH_SVG_N_KEYS - 1] = longest;
}

void berth_svg_view_init(
    struct berth_svg_view *view, const struct berth_problem *problem, const struct berth_plan *plan) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  double first = buffers->n != 0 ? INFINITY : 0;
  double end = buffers->n != 0 ? -INFINITY : 1;
  for (uint32_t i = 0; i < buffers->n; i++) {
    first = fmin(first, (double)buffers->lower[i]);
    end = fmax(end, (double)buffers->upper[i]);
  }
  if (end <= first) {
    end = first + fmax(1, fabs(first) * 1e-9);
  }
  view->problem = problem;
  view->plan = plan;
  view->buffers = buffers;
  view->first_step = first;
  view->end_step = end;
  view->by_class = !has_one_class(buffers);
  set_life_limits(view);
}

double berth_svg_x(const struct berth_svg_view *view, double step) {
  return view->left +
         (step - view->first_step) / (view->end_step - view->first_step) * (view->right - view->left);
}

double berth_svg_y(const struct berth_svg_panel *panel, double n_bytes) {
  return panel->bottom - n_bytes / panel->max_bytes * (panel->bottom - panel->top);
}

unsigned berth_svg_key(const struct berth_svg_view *view, uint32_t buffer) {
  if (view->by_class) {
    return view->buffers->class_[buffer] < BERTH_SVG_N_KEYS ? view->buffers->class_[buffer] : 0;
  }
  double life = life_of(view->buffers, buffer);
  unsigned key = 0;
  while (key + 1 < BERTH_SVG_N_KEYS && life > view->life_limit[key]) {
    key++;
  }
  return key;
}

void berth_svg_number(struct berth_writer *writer, double n) {
  double rounded = round(n * 100);
  if (!(fabs(rounded) < 1e15)) {
    berth_writer_char(writer, '0');
    return;
  }
  int64_t hundredths = (int64_t)rounded;
  if (hundredths < 0) {
    berth_writer_char(writer, '-');
    hundredths = -hundredths;
  }
  berth_writer_u64(writer, (uint64_t)hundredths / 100);
  unsigned rest = (unsigned)(hundredths % 100);
  if (rest != 0) {
    const char digits[] = {'.', (char)('0' + rest / 10), (char)('0' + rest % 10)};
    berth_writer_bytes(writer, digits, rest % 10 == 0 ? 2 : 3);
  }
}

void berth_svg_attribute(struct berth_writer *writer, const char *name, double n) {
  berth_writer_char(writer, ' ');
  berth_writer_text(writer, name);
  berth_writer_text(writer, "=\"");
  berth_svg_number(writer, n);
  berth_writer_char(writer, '"');
}

void berth_svg_line(
    struct berth_writer *writer, const char *class_, double x1, double y1, double x2, double y2) {
  berth_writer_format(writer, "<line class=\"%s\"", class_);
  berth_svg_attribute(writer, "x1", x1);
  berth_svg_attribute(writer, "y1", y1);
  berth_svg_attribute(writer, "x2", x2);
  berth_svg_attribute(writer, "y2", y2);
  berth_writer_text(writer, "/>\n");
}

void berth_svg_text(
    struct berth_writer *writer, const char *class_, const char *anchor, double x, double y,
    const char *text) {
  berth_writer_format(writer, "<text class=\"%s\" text-anchor=\"%s\"", class_, anchor);
  berth_svg_attribute(writer, "x", x);
  berth_svg_attribute(writer, "y", y);
  berth_writer_char(writer, '>');
  size_t n = 0;
  while (text[n] != '\0') {
    n++;
  }
  berth_writer_xml(writer, text, n);
  berth_writer_text(writer, "</text>\n");
}

void berth_svg_pieces(
    const struct berth_svg_view *view, uint32_t buffer, void *ctx,
    void (*emit)(void *ctx, uint32_t buffer, const struct berth_svg_piece *piece)) {
  const struct berth_buffers *buffers = view->buffers;
  double offset = (double)view->plan->offset[buffer];
  uint32_t slice = buffers->slice_begin != NULL ? buffers->slice_begin[buffer] : 0;
  uint32_t end = buffers->slice_begin != NULL ? buffers->slice_begin[buffer + 1] : 0;
  bool is_whole = slice == end;
  for (; slice < end; slice++) {
    emit(
        ctx, buffer,
        &(struct berth_svg_piece){
            .lower = (double)buffers->slices[slice].lower,
            .upper = (double)buffers->slices[slice].upper,
            .first_byte = offset + (double)buffers->slices[slice].window_lower,
            .end_byte = offset + (double)buffers->slices[slice].window_upper});
  }
  if (!is_whole) {
    return;
  }
  double size = (double)buffers->size_bytes[buffer];
  double upper = fmax((double)buffers->upper[buffer], (double)buffers->lower[buffer] + 1);
  struct berth_svg_piece whole = {
      .lower = (double)buffers->lower[buffer],
      .upper = upper,
      .first_byte = offset,
      .end_byte = offset + size};
  if (buffers->gap_begin != NULL) {
    for (uint32_t i = buffers->gap_begin[buffer]; i < buffers->gap_begin[buffer + 1]; i++) {
      const struct berth_gap *gap = &buffers->gaps[i];
      struct berth_svg_piece before = whole;
      before.upper = (double)gap->lower;
      if (before.upper > before.lower) {
        emit(ctx, buffer, &before);
      }
      if (gap->window_upper > gap->window_lower) {
        emit(
            ctx, buffer,
            &(struct berth_svg_piece){
                .lower = (double)gap->lower,
                .upper = (double)gap->upper,
                .first_byte = offset + (double)gap->window_lower,
                .end_byte = offset + (double)gap->window_upper});
      }
      whole.lower = (double)gap->upper;
    }
  }
  if (whole.upper > whole.lower) {
    emit(ctx, buffer, &whole);
  }
}

void berth_svg_buffer_name(const struct berth_svg_view *view, uint32_t buffer) {
  struct berth_text id = berth_problem_buffer_id(view->problem, buffer);
  if (id.size != 0) {
    berth_writer_xml(view->writer, id.data, id.size);
  } else {
    berth_writer_char(view->writer, '#');
    berth_writer_u64(view->writer, buffer);
  }
}
