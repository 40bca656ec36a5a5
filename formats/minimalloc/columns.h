/* What each column of a file means: the header, and the cells under it. */
#ifndef MINIMALLOC_COLUMNS_H
#define MINIMALLOC_COLUMNS_H

#include "berth/buffer.h"
#include "minimalloc/rows.h"

enum berth_minimalloc_role {
  BERTH_MINIMALLOC_ID = 0,
  BERTH_MINIMALLOC_LOWER,
  BERTH_MINIMALLOC_UPPER,
  BERTH_MINIMALLOC_SIZE,
  BERTH_MINIMALLOC_ALIGNMENT,
  BERTH_MINIMALLOC_GAPS,
  BERTH_MINIMALLOC_OFFSET,
  BERTH_MINIMALLOC_HINT,
  BERTH_MINIMALLOC_N_ROLES
};

#define BERTH_MINIMALLOC_BIT(role) (1u << BERTH_MINIMALLOC_##role)

struct berth_minimalloc_columns {
  uint32_t n;
  int8_t place[BERTH_MINIMALLOC_N_ROLES];     /* of each role among the columns, -1 if there is none */
  const char *name[BERTH_MINIMALLOC_N_ROLES]; /* as the header has it */
  bool inclusive;                             /* `end`: upper bounds name the last step */
};

/* Reads the header. `required` is a set of BERTH_MINIMALLOC_BIT. */
enum berth_code berth_minimalloc_read_header(
    struct berth_minimalloc_text *text, unsigned required, struct berth_minimalloc_columns *columns,
    struct berth_error *err) BERTH_MUST_USE;

/* One file being read: where it stands, for errors. */
struct berth_minimalloc_cursor {
  struct berth_minimalloc_text text;
  struct berth_minimalloc_columns columns;
  struct berth_minimalloc_row row;
  uint32_t index; /* of the row among rows */
  struct berth_error *err;
  uint32_t clocks[2][BERTH_MAX_CLOCKS]; /* of the row's lifetime */
};

/* The next row with exactly one field a column. */
enum berth_code
berth_minimalloc_cursor_next(struct berth_minimalloc_cursor *cursor, bool *out_end) BERTH_MUST_USE;

static inline bool
berth_minimalloc_has(const struct berth_minimalloc_cursor *cursor, enum berth_minimalloc_role role) {
  return cursor->columns.place[role] >= 0;
}

static inline struct berth_minimalloc_field
berth_minimalloc_cell(const struct berth_minimalloc_cursor *cursor, enum berth_minimalloc_role role) {
  return cursor->row.fields[cursor->columns.place[role]];
}

/* Cells that are one number. */
enum berth_code berth_minimalloc_cell_u64(
    struct berth_minimalloc_cursor *cursor, enum berth_minimalloc_role role, uint64_t *out) BERTH_MUST_USE;
enum berth_code berth_minimalloc_cell_i64(
    struct berth_minimalloc_cursor *cursor, enum berth_minimalloc_role role, int64_t *out) BERTH_MUST_USE;

/* [lower, upper), whatever the header's convention, or clocks, which lie in the cursor. */
enum berth_code berth_minimalloc_cell_lifetime(
    struct berth_minimalloc_cursor *cursor, struct berth_buffer_spec *out) BERTH_MUST_USE;

/* Puts line and column of the role's cell (`at`, if given) on an error that was made. */
enum berth_code berth_minimalloc_blame(
    struct berth_minimalloc_cursor *cursor, enum berth_minimalloc_role role, const char *at);

#endif
