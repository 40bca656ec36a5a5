/* Small buffers by the hundred thousand: each cell of a grid takes the colour that covers most of it, runs of
 * equal cells become one stroke, and all strokes of a colour one path. */
#include <math.h>
#include <string.h>

#include "svg/view.h"

enum { CELL_PIXELS = 2 };

struct grid {
  const struct berth_svg_view *view;
  const struct berth_svg_panel *panel;
  uint32_t n_columns;
  uint32_t n_rows;
  unsigned key;
  float *covered; /* [key][row][column], 0 to 1 */
};

static float *cells_of(struct grid *grid, unsigned key, uint32_t row) {
  return grid->covered + ((size_t)key * grid->n_rows + row) * grid->n_columns;
}

/* How much of [i, i + 1) lies in [lower, upper). */
static double overlap(double lower, double upper, uint32_t i) {
  return fmax(0, fmin(upper, i + 1.0) - fmax(lower, i));
}

static void cover(void *ctx, uint32_t buffer, const struct berth_svg_piece *piece) {
  (void)buffer;
  struct grid *grid = ctx;
  double x = (berth_svg_x(grid->view, piece->lower) - grid->view->left) / CELL_PIXELS;
  double x_end = (berth_svg_x(grid->view, piece->upper) - grid->view->left) / CELL_PIXELS;
  double y = (berth_svg_y(grid->panel, piece->end_byte) - grid->panel->top) / CELL_PIXELS;
  double y_end = (berth_svg_y(grid->panel, piece->first_byte) - grid->panel->top) / CELL_PIXELS;
  x = fmin(fmax(x, 0), grid->n_columns);
  y = fmin(fmax(y, 0), grid->n_rows);
  for (uint32_t row = (uint32_t)y; row < grid->n_rows && row < y_end; row++) {
    float *cells = cells_of(grid, grid->key, row);
    double height = overlap(y, y_end, row);
    for (uint32_t column = (uint32_t)x; column < grid->n_columns && column < x_end; column++) {
      cells[column] += (float)(height * overlap(x, x_end, column));
    }
  }
}

/* The key that covers most of the cell; BERTH_SVG_N_KEYS if most of it is free. */
static unsigned winner(struct grid *grid, uint32_t row, uint32_t column) {
  unsigned best = BERTH_SVG_N_KEYS;
  float most = 0;
  float total = 0;
  for (unsigned key = 0; key < BERTH_SVG_N_KEYS; key++) {
    float covered = cells_of(grid, key, row)[column];
    total += covered;
    if (covered > most) {
      most = covered;
      best = key;
    }
  }
  return total >= 0.35F ? best : BERTH_SVG_N_KEYS;
}

static void write_key(struct grid *grid, unsigned key) {
  struct berth_writer *writer = grid->view->writer;
  bool is_open = false;
  for (uint32_t row = 0; row < grid->n_rows; row++) {
    for (uint32_t column = 0; column < grid->n_columns;) {
      if (winner(grid, row, column) != key) {
        column++;
        continue;
      }
      uint32_t first = column;
      while (column < grid->n_columns && winner(grid, row, column) == key) {
        column++;
      }
      if (!is_open) {
        berth_writer_format(writer, "<path class=\"g%u\" d=\"", key);
        is_open = true;
      }
      berth_writer_char(writer, 'M');
      berth_writer_u64(writer, first);
      berth_writer_char(writer, ' ');
      berth_writer_u64(writer, row);
      berth_writer_char(writer, 'h');
      berth_writer_u64(writer, column - first);
    }
  }
  berth_writer_text(writer, is_open ? "\"/>\n" : "");
}

static void write_grid(struct grid *grid) {
  struct berth_writer *writer = grid->view->writer;
  berth_writer_text(writer, "<g transform=\"translate(");
  berth_svg_number(writer, grid->view->left);
  berth_writer_char(writer, ' ');
  berth_svg_number(writer, grid->panel->top + CELL_PIXELS / 2.0);
  berth_writer_format(writer, ") scale(%d)\" fill=\"none\" shape-rendering=\"crispEdges\">\n", CELL_PIXELS);
  for (unsigned key = 0; key < BERTH_SVG_N_KEYS; key++) {
    write_key(grid, key);
  }
  berth_writer_text(writer, "</g>\n");
}

enum berth_code berth_svg_grid(
    const struct berth_svg_view *view, const struct berth_svg_panel *panel, const uint8_t *is_drawn,
    struct berth_error *err) {
  struct grid grid = {
      .view = view,
      .panel = panel,
      .n_columns = (uint32_t)((view->right - view->left) / CELL_PIXELS),
      .n_rows = (uint32_t)((panel->bottom - panel->top) / CELL_PIXELS)};
  size_t n_bytes = (size_t)BERTH_SVG_N_KEYS * grid.n_columns * grid.n_rows * sizeof *grid.covered;
  grid.covered = view->allocator->resize(view->allocator->ctx, NULL, 0, n_bytes);
  if (grid.covered == NULL) {
    return berth_fail_memory(err);
  }
  memset(grid.covered, 0, n_bytes);
  for (uint32_t i = 0; i < view->buffers->n; i++) {
    if (!is_drawn[i] && view->plan->pool[i] == panel->pool && view->buffers->size_bytes[i] != 0 &&
        view->plan->offset[i] != BERTH_NO_OFFSET) {
      grid.key = berth_svg_key(view, i);
      berth_svg_pieces(view, i, &grid, cover);
    }
  }
  write_grid(&grid);
  view->allocator->resize(view->allocator->ctx, grid.covered, n_bytes, 0);
  return BERTH_OK;
}
