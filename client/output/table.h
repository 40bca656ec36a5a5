/* Tables that fit the terminal, by libsmartcols. */
#ifndef OUTPUT_TABLE_H
#define OUTPUT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/problem.h"
#include "output/terminal.h"

struct libscols_table;

struct berthctl_column {
  const char *name;
  bool is_right;    /* numbers */
  bool is_flexible; /* cut where the terminal is too narrow */
};

struct berthctl_table {
  struct libscols_table *table; /* NULL once memory ran out */
};

void berthctl_table_init(
    struct berthctl_table *table, const struct berthctl_terminal *terminal,
    const struct berthctl_column *columns, unsigned n_columns);
/* One text a column; copied. */
void berthctl_table_row(struct berthctl_table *table, const char *const *cells, unsigned n_cells);
/* Prints the table to standard output; false if memory ran out. */
bool berthctl_table_finish(struct berthctl_table *table);

/* The buffer's id, or "#7" of one without, for a cell; cut to `capacity`. */
void berthctl_buffer_name(
    const struct berth_problem *problem, uint32_t buffer, char *out_text, size_t capacity);

/* Likewise of any id: "#7" for the index 7 where it is empty. */
void berthctl_text_name(struct berth_text id, uint32_t index, char *out_text, size_t capacity);

/* Indices of the n_wanted largest of n values, largest first, ties by index; all of them in their order if
 * n_wanted >= n and `keep_order`. The caller frees; NULL if memory ran out. */
uint32_t *berthctl_largest(const uint64_t *values, uint32_t n, uint32_t n_wanted, bool keep_order);

#endif
