#include "minimalloc/columns.h"

#include <stdio.h>
#include <string.h>

#define KNOWN_COLUMNS "id|buffer|buffer_id, lower|begin|start, upper|end, size, alignment, gaps, offset, hint"

static const struct {
  const char *name;
  enum berth_minimalloc_role role;
} NAMES[] = {
    {"id", BERTH_MINIMALLOC_ID},        {"buffer", BERTH_MINIMALLOC_ID},
    {"buffer_id", BERTH_MINIMALLOC_ID}, {"lower", BERTH_MINIMALLOC_LOWER},
    {"begin", BERTH_MINIMALLOC_LOWER},  {"start", BERTH_MINIMALLOC_LOWER},
    {"upper", BERTH_MINIMALLOC_UPPER},  {"end", BERTH_MINIMALLOC_UPPER},
    {"size", BERTH_MINIMALLOC_SIZE},    {"alignment", BERTH_MINIMALLOC_ALIGNMENT},
    {"gaps", BERTH_MINIMALLOC_GAPS},    {"offset", BERTH_MINIMALLOC_OFFSET},
    {"hint", BERTH_MINIMALLOC_HINT},
};
enum { N_NAMES = sizeof NAMES / sizeof NAMES[0] };

static const char *const ROLE_NAMES[] = {"id",        "lower", "upper",  "size",
                                         "alignment", "gaps",  "offset", "hint"};

static uint32_t find_name(struct berth_minimalloc_field field) {
  size_t n = (size_t)(field.end - field.begin);
  uint32_t i = 0;
  while (i < N_NAMES && !(strlen(NAMES[i].name) == n && memcmp(NAMES[i].name, field.begin, n) == 0)) {
    i++;
  }
  return i;
}

static enum berth_code add_column(
    struct berth_minimalloc_columns *columns, const struct berth_minimalloc_text *text,
    const struct berth_minimalloc_row *row, uint32_t place, struct berth_error *err) {
  struct berth_minimalloc_field field = berth_minimalloc_trim(row->fields[place]);
  uint32_t i = find_name(field);
  if (i == N_NAMES) {
    berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, "header",
        "unknown column %s; known are " KNOWN_COLUMNS, berth_minimalloc_excerpt(field).text);
    return berth_minimalloc_place(err, text, row, field.begin);
  }
  enum berth_minimalloc_role role = NAMES[i].role;
  if (columns->place[role] >= 0) {
    berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, NAMES[i].name,
        "column '%s' says the same as '%s' before it; keep one", NAMES[i].name, columns->name[role]);
    return berth_minimalloc_place(err, text, row, field.begin);
  }
  columns->place[role] = (int8_t)place;
  columns->name[role] = NAMES[i].name;
  columns->inclusive = columns->inclusive || strcmp(NAMES[i].name, "end") == 0;
  return BERTH_OK;
}

static enum berth_code check_required(
    const struct berth_minimalloc_columns *columns, unsigned required,
    const struct berth_minimalloc_text *text, const struct berth_minimalloc_row *row,
    struct berth_error *err) {
  for (unsigned role = 0; role < BERTH_MINIMALLOC_N_ROLES; role++) {
    if ((required >> role & 1) != 0 && columns->place[role] < 0) {
      berth_fail(
          err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, BERTH_NO_INDEX, ROLE_NAMES[role],
          "the header has no column '%s'; known are " KNOWN_COLUMNS, ROLE_NAMES[role]);
      return berth_minimalloc_place(err, text, row, row->begin);
    }
  }
  return BERTH_OK;
}

static bool looks_like_utf16(const struct berth_minimalloc_text *text) {
  return text->end - text->begin >= 2 &&
         (memcmp(text->begin, "\xff\xfe", 2) == 0 || memcmp(text->begin, "\xfe\xff", 2) == 0);
}

enum berth_code berth_minimalloc_read_header(
    struct berth_minimalloc_text *text, unsigned required, struct berth_minimalloc_columns *columns,
    struct berth_error *err) {
  *columns = (struct berth_minimalloc_columns){.n = 0};
  memset(columns->place, -1, sizeof columns->place);
  struct berth_minimalloc_row row = {.begin = text->begin, .line = 1};
  if (looks_like_utf16(text)) {
    berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_TEXT, BERTH_NO_INDEX, "header",
        "the text is UTF-16; save it as UTF-8");
    return berth_minimalloc_place(err, text, &row, text->begin);
  }
  bool at_end = false;
  enum berth_code code = berth_minimalloc_next_row(text, BERTH_MINIMALLOC_MAX_FIELDS, &row, &at_end, err);
  if (code == BERTH_OK && at_end) {
    berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, BERTH_NO_INDEX, "header",
        "there is no text; a header is right, such as id,lower,upper,size");
    row = (struct berth_minimalloc_row){.begin = text->begin, .line = 1};
    return berth_minimalloc_place(err, text, &row, text->begin);
  }
  columns->n = row.n_fields;
  for (uint32_t i = 0; code == BERTH_OK && i < row.n_fields; i++) {
    code = add_column(columns, text, &row, i, err);
  }
  return code != BERTH_OK ? code : check_required(columns, required, text, &row, err);
}

enum berth_code berth_minimalloc_cursor_next(struct berth_minimalloc_cursor *cursor, bool *out_end) {
  struct berth_minimalloc_row *row = &cursor->row;
  enum berth_code code =
      berth_minimalloc_next_row(&cursor->text, cursor->columns.n, row, out_end, cursor->err);
  if (code != BERTH_OK || *out_end || row->n_fields == cursor->columns.n) {
    return code;
  }
  unsigned missing = 0;
  while (cursor->columns.place[missing] != (int8_t)row->n_fields) {
    missing++;
  }
  berth_fail(
      cursor->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_COLUMN_LENGTH, cursor->index,
      cursor->columns.name[missing], "the row ends after %u of %u fields; '%s' is next", row->n_fields,
      cursor->columns.n, cursor->columns.name[missing]);
  return berth_minimalloc_place(cursor->err, &cursor->text, row, row->fields[row->n_fields - 1].end);
}

enum berth_code berth_minimalloc_blame(
    struct berth_minimalloc_cursor *cursor, enum berth_minimalloc_role role, const char *at) {
  if (at == NULL) {
    int place = role < BERTH_MINIMALLOC_N_ROLES ? cursor->columns.place[role] : -1;
    at = place >= 0 ? cursor->row.fields[place].begin : cursor->row.begin;
  }
  return berth_minimalloc_place(cursor->err, &cursor->text, &cursor->row, at);
}

static enum berth_code fail_number(
    struct berth_minimalloc_cursor *cursor, enum berth_minimalloc_role role,
    struct berth_minimalloc_field cell, const char *right) {
  struct berth_minimalloc_excerpt excerpt = berth_minimalloc_excerpt(cell);
  const char *name = cursor->columns.name[role];
  if (cell.begin == cell.end) {
    berth_fail(
        cursor->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, cursor->index, name,
        "%s is empty; %s is right", name, right);
  } else {
    berth_fail(
        cursor->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_NUMBER, cursor->index, name,
        "%s is %s; %s is right", name, excerpt.text, right);
  }
  return berth_minimalloc_blame(cursor, role, cell.begin);
}

enum berth_code berth_minimalloc_cell_u64(
    struct berth_minimalloc_cursor *cursor, enum berth_minimalloc_role role, uint64_t *out) {
  struct berth_minimalloc_field cell = berth_minimalloc_trim(berth_minimalloc_cell(cursor, role));
  const char *at = cell.begin;
  if (berth_minimalloc_u64(&at, cell.end, out) == BERTH_MINIMALLOC_NUMBER_OK && at == cell.end) {
    return BERTH_OK;
  }
  return fail_number(cursor, role, cell, "a whole number of bytes from 0 to 2^63 - 1");
}

enum berth_code berth_minimalloc_cell_i64(
    struct berth_minimalloc_cursor *cursor, enum berth_minimalloc_role role, int64_t *out) {
  struct berth_minimalloc_field cell = berth_minimalloc_trim(berth_minimalloc_cell(cursor, role));
  const char *at = cell.begin;
  if (berth_minimalloc_i64(&at, cell.end, out) == BERTH_MINIMALLOC_NUMBER_OK && at == cell.end) {
    return BERTH_OK;
  }
  return fail_number(cursor, role, cell, "a whole number from -2^63 to 2^63 - 1");
}

/* ---- Lifetimes ---- */

static bool is_clock(const struct berth_minimalloc_cursor *cursor, enum berth_minimalloc_role role) {
  struct berth_minimalloc_field cell = berth_minimalloc_cell(cursor, role);
  return memchr(cell.begin, ':', (size_t)(cell.end - cell.begin)) != NULL;
}

/* Numbers between colons. */
static enum berth_code read_clock(
    struct berth_minimalloc_cursor *cursor, enum berth_minimalloc_role role, uint32_t *out_clock,
    uint32_t *out_n) {
  struct berth_minimalloc_field cell = berth_minimalloc_trim(berth_minimalloc_cell(cursor, role));
  const char *at = cell.begin;
  for (*out_n = 0; *out_n < BERTH_MAX_CLOCKS; at++) {
    uint64_t number;
    if (berth_minimalloc_u64(&at, cell.end, &number) != BERTH_MINIMALLOC_NUMBER_OK ||
        number > BERTH_MAX_CLOCK) {
      break;
    }
    out_clock[(*out_n)++] = (uint32_t)number;
    if (at == cell.end) {
      return BERTH_OK;
    }
    if (*at != ':') {
      break;
    }
  }
  return fail_number(
      cursor, role, cell,
      "a vector clock of up to 1024 whole numbers from 0 to 2^30, with colons between them,");
}

static enum berth_code read_clocks(struct berth_minimalloc_cursor *cursor, struct berth_buffer_spec *out) {
  uint32_t n_upper = 0;
  enum berth_code code = read_clock(cursor, BERTH_MINIMALLOC_LOWER, cursor->clocks[0], &out->n_clocks);
  if (code == BERTH_OK) {
    code = read_clock(cursor, BERTH_MINIMALLOC_UPPER, cursor->clocks[1], &n_upper);
  }
  if (code != BERTH_OK) {
    return code;
  }
  out->clock_lower = cursor->clocks[0];
  out->clock_upper = cursor->clocks[1];
  const char *name = cursor->columns.name[BERTH_MINIMALLOC_UPPER];
  if (cursor->columns.inclusive || n_upper != out->n_clocks) {
    berth_fail(
        cursor->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_LIFETIME, cursor->index, name,
        cursor->columns.inclusive ? "%s is a last step, which clocks do not have; call the column 'upper'"
                                  : "%s has %u components, and there are %u where the lifetime begins",
        name, n_upper, out->n_clocks);
    return berth_minimalloc_blame(cursor, BERTH_MINIMALLOC_UPPER, NULL);
  }
  return BERTH_OK;
}

static enum berth_code read_steps(struct berth_minimalloc_cursor *cursor, struct berth_buffer_spec *out) {
  enum berth_code code = berth_minimalloc_cell_i64(cursor, BERTH_MINIMALLOC_LOWER, &out->lower);
  if (code == BERTH_OK) {
    code = berth_minimalloc_cell_i64(cursor, BERTH_MINIMALLOC_UPPER, &out->upper);
  }
  if (code != BERTH_OK) {
    return code;
  }
  if (out->upper < out->lower) {
    berth_fail(
        cursor->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_LIFETIME, cursor->index,
        cursor->columns.name[BERTH_MINIMALLOC_UPPER],
        "the lifetime ends (%s %lld) before it begins (%s %lld)",
        cursor->columns.name[BERTH_MINIMALLOC_UPPER], (long long)out->upper,
        cursor->columns.name[BERTH_MINIMALLOC_LOWER], (long long)out->lower);
    return berth_minimalloc_blame(cursor, BERTH_MINIMALLOC_UPPER, NULL);
  }
  if (cursor->columns.inclusive && __builtin_add_overflow(out->upper, 1, &out->upper)) {
    struct berth_minimalloc_field cell =
        berth_minimalloc_trim(berth_minimalloc_cell(cursor, BERTH_MINIMALLOC_UPPER));
    return fail_number(cursor, BERTH_MINIMALLOC_UPPER, cell, "a last step of at most 2^63 - 2");
  }
  return BERTH_OK;
}

enum berth_code
berth_minimalloc_cell_lifetime(struct berth_minimalloc_cursor *cursor, struct berth_buffer_spec *out) {
  out->n_clocks = 0;
  bool clocks = is_clock(cursor, BERTH_MINIMALLOC_LOWER) || is_clock(cursor, BERTH_MINIMALLOC_UPPER);
  return clocks ? read_clocks(cursor, out) : read_steps(cursor, out);
}
