#include "output/table.h"

#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>
#include <string.h>

static void drop(struct berthctl_table *table) {
  scols_unref_table(table->table);
  table->table = NULL;
}

void berthctl_table_init(
    struct berthctl_table *table, const struct berthctl_terminal *terminal,
    const struct berthctl_column *columns, unsigned n_columns) {
  table->table = scols_new_table();
  if (table->table == NULL) {
    return;
  }
  scols_table_enable_colors(table->table, terminal->color);
  scols_table_set_termforce(table->table, SCOLS_TERMFORCE_ALWAYS);
  scols_table_set_termwidth(table->table, terminal->width);
  scols_table_set_column_separator(table->table, "  ");
  for (unsigned i = 0; i < n_columns; i++) {
    int flags = (columns[i].is_right ? SCOLS_FL_RIGHT : 0) | (columns[i].is_flexible ? SCOLS_FL_TRUNC : 0);
    struct libscols_column *column =
        scols_table_new_column(table->table, columns[i].name, columns[i].is_flexible ? 0.3 : 0, flags);
    if (column == NULL) {
      drop(table);
      return;
    }
    if (terminal->color) {
      scols_cell_set_color(scols_column_get_header(column), "bold");
    }
  }
}

void berthctl_table_row(struct berthctl_table *table, const char *const *cells, unsigned n_cells) {
  struct libscols_line *line = table->table != NULL ? scols_table_new_line(table->table, NULL) : NULL;
  if (line == NULL) {
    drop(table);
    return;
  }
  for (unsigned i = 0; i < n_cells; i++) {
    if (scols_line_set_data(line, i, cells[i]) != 0) {
      drop(table);
      return;
    }
  }
}

bool berthctl_table_finish(struct berthctl_table *table) {
  bool is_printed = table->table != NULL && scols_print_table(table->table) == 0;
  drop(table);
  return is_printed;
}

void berthctl_buffer_name(
    const struct berth_problem *problem, uint32_t buffer, char *out_text, size_t capacity) {
  struct berth_text id = {.size = 0};
  if (problem != NULL) {
    id = berth_problem_buffer_id(problem, buffer);
  }
  berthctl_text_name(id, buffer, out_text, capacity);
}

void berthctl_text_name(struct berth_text id, uint32_t index, char *out_text, size_t capacity) {
  if (id.size == 0) {
    snprintf(out_text, capacity, "#%u", index);
    return;
  }
  size_t n = id.size < capacity ? id.size : capacity - 1;
  while (n < id.size && n > 0 && ((unsigned char)id.data[n] & 0xc0) == 0x80) {
    n--; /* never half a UTF-8 sequence */
  }
  memcpy(out_text, id.data, n);
  out_text[n] = '\0';
  for (size_t i = 0; i < n; i++) {
    if ((unsigned char)out_text[i] < 0x20 || out_text[i] == 0x7f) {
      out_text[i] = '?';
    }
  }
}

struct ranked {
  uint64_t value;
  uint32_t index;
};

static int compare_ranked(const void *a, const void *b) {
  const struct ranked *x = a;
  const struct ranked *y = b;
  if (x->value != y->value) {
    return x->value > y->value ? -1 : 1;
  }
  return (x->index > y->index) - (x->index < y->index);
}

uint32_t *berthctl_largest(const uint64_t *values, uint32_t n, uint32_t n_wanted, bool keep_order) {
  struct ranked *ranked = malloc((n + (size_t)1) * sizeof *ranked);
  uint32_t *indices = malloc((n + (size_t)1) * sizeof *indices);
  if (ranked == NULL || indices == NULL) {
    free(ranked);
    free(indices);
    return NULL;
  }
  for (uint32_t i = 0; i < n; i++) {
    ranked[i] = (struct ranked){.value = values[i], .index = i};
  }
  if (n_wanted < n || !keep_order) {
    qsort(ranked, n, sizeof *ranked, compare_ranked);
  }
  for (uint32_t i = 0; i < n; i++) {
    indices[i] = ranked[i].index;
  }
  free(ranked);
  return indices;
}
