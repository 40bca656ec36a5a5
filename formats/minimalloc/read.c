/* Header, then one buffer a row; problems that only the whole shows come from the builder's finish. Every
 * failure, the builder's too, is traced to the line and column of the cell behind it. */
#include <string.h>

#include "minimalloc/columns.h"
#include "minimalloc/minimalloc.h"

struct gaps {
  const struct berth_allocator *allocator;
  struct berth_gap *items;
  uint32_t n;
  uint32_t capacity;
};

struct reader {
  struct berth_minimalloc_cursor cursor;
  struct berth_problem_builder *builder;
  struct berth_minimalloc_scratch scratch;
  struct gaps gaps;
};

static void gaps_finish(struct gaps *gaps) {
  if (gaps->items != NULL) {
    gaps->allocator->resize(
        gaps->allocator->ctx, gaps->items, (size_t)gaps->capacity * sizeof *gaps->items, 0);
  }
}

static bool gaps_push(struct gaps *gaps, struct berth_gap gap) {
  if (gaps->n == gaps->capacity) {
    if (gaps->capacity > UINT32_MAX / 2) {
      return false;
    }
    uint32_t capacity = gaps->capacity == 0 ? 16 : gaps->capacity * 2;
    struct berth_gap *items = gaps->allocator->resize(
        gaps->allocator->ctx, gaps->items, (size_t)gaps->capacity * sizeof *items,
        (size_t)capacity * sizeof *items);
    if (items == NULL) {
      return false;
    }
    gaps->items = items;
    gaps->capacity = capacity;
  }
  gaps->items[gaps->n++] = gap;
  return true;
}

static bool skip_char(const char **at, const char *end, char c) {
  bool is_there = *at < end && **at == c;
  *at += is_there;
  return is_there;
}

/* lo-hi[@wlo:whi] */
static bool parse_gap(const char *at, const char *end, bool inclusive, struct berth_gap *gap) {
  *gap = (struct berth_gap){.lower = 0};
  bool ok = berth_minimalloc_i64(&at, end, &gap->lower) == BERTH_MINIMALLOC_NUMBER_OK &&
            skip_char(&at, end, '-') &&
            berth_minimalloc_i64(&at, end, &gap->upper) == BERTH_MINIMALLOC_NUMBER_OK &&
            !__builtin_add_overflow(gap->upper, (int64_t)inclusive, &gap->upper);
  if (ok && skip_char(&at, end, '@')) {
    ok = berth_minimalloc_u64(&at, end, &gap->window_lower) == BERTH_MINIMALLOC_NUMBER_OK &&
         skip_char(&at, end, ':') &&
         berth_minimalloc_u64(&at, end, &gap->window_upper) == BERTH_MINIMALLOC_NUMBER_OK;
  }
  return ok && at == end;
}

static enum berth_code read_gaps(struct reader *reader, struct berth_buffer_spec *spec) {
  struct berth_minimalloc_cursor *cursor = &reader->cursor;
  struct berth_minimalloc_field cell = berth_minimalloc_cell(cursor, BERTH_MINIMALLOC_GAPS);
  reader->gaps.n = 0;
  for (const char *c = cell.begin; c < cell.end;) {
    if (*c == ' ' || *c == '\t') {
      c++;
      continue;
    }
    struct berth_minimalloc_field one = {.begin = c, .end = c};
    while (one.end < cell.end && *one.end != ' ' && *one.end != '\t') {
      one.end++;
    }
    c = one.end;
    struct berth_gap gap;
    if (!parse_gap(one.begin, one.end, cursor->columns.inclusive, &gap)) {
      berth_fail(
          cursor->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_GAP, cursor->index, "gaps",
          "%s is not a gap; steps lo-hi, or lo-hi@wlo:whi with the bytes that stay live, is right",
          berth_minimalloc_excerpt(one).text);
      return berth_minimalloc_blame(cursor, BERTH_MINIMALLOC_GAPS, one.begin);
    }
    if (!gaps_push(&reader->gaps, gap)) {
      return berth_fail_memory(cursor->err);
    }
  }
  spec->gaps = reader->gaps.items;
  spec->n_gaps = reader->gaps.n;
  return BERTH_OK;
}

static bool is_blank(struct berth_minimalloc_field cell) {
  cell = berth_minimalloc_trim(cell);
  return cell.begin == cell.end;
}

static enum berth_code read_optional(struct reader *reader, struct berth_buffer_spec *spec) {
  struct berth_minimalloc_cursor *cursor = &reader->cursor;
  enum berth_code code = BERTH_OK;
  if (berth_minimalloc_has(cursor, BERTH_MINIMALLOC_ALIGNMENT)) {
    code = berth_minimalloc_cell_u64(cursor, BERTH_MINIMALLOC_ALIGNMENT, &spec->alignment);
  }
  if (code == BERTH_OK && berth_minimalloc_has(cursor, BERTH_MINIMALLOC_GAPS)) {
    code = read_gaps(reader, spec);
  }
  if (code == BERTH_OK && berth_minimalloc_has(cursor, BERTH_MINIMALLOC_OFFSET) &&
      !is_blank(berth_minimalloc_cell(cursor, BERTH_MINIMALLOC_OFFSET))) {
    code = berth_minimalloc_cell_u64(cursor, BERTH_MINIMALLOC_OFFSET, &spec->pinned_offset);
    if (code == BERTH_OK && spec->pinned_offset == BERTH_UNPINNED) {
      berth_fail(
          cursor->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_PIN, cursor->index, "offset",
          "offset is over the limit of 2^63 - 1 bytes");
      code = berth_minimalloc_blame(cursor, BERTH_MINIMALLOC_OFFSET, NULL);
    }
  }
  if (code == BERTH_OK && berth_minimalloc_has(cursor, BERTH_MINIMALLOC_HINT) &&
      !is_blank(berth_minimalloc_cell(cursor, BERTH_MINIMALLOC_HINT))) {
    int64_t hint;
    code = berth_minimalloc_cell_i64(cursor, BERTH_MINIMALLOC_HINT, &hint);
  }
  return code;
}

/* The column that an error of the builder is about: its field is in the builder's words. */
static enum berth_minimalloc_role role_of_field(const char *field) {
  static const struct {
    const char *word;
    enum berth_minimalloc_role role;
  } WORDS[] = {
      {"id", BERTH_MINIMALLOC_ID},           {"size", BERTH_MINIMALLOC_SIZE},
      {"lower", BERTH_MINIMALLOC_LOWER},     {"upper", BERTH_MINIMALLOC_UPPER},
      {"align", BERTH_MINIMALLOC_ALIGNMENT}, {"gap", BERTH_MINIMALLOC_GAPS},
      {"offset", BERTH_MINIMALLOC_OFFSET},   {"pin", BERTH_MINIMALLOC_OFFSET},
  };
  const char *last = strrchr(field, '.'); /* "buffers[7].gaps[1]" is about gaps */
  const char *word = last != NULL ? last + 1 : field;
  for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
    if (strncmp(word, WORDS[i].word, strlen(WORDS[i].word)) == 0) {
      return WORDS[i].role;
    }
  }
  return BERTH_MINIMALLOC_N_ROLES;
}

static enum berth_code add_row(struct reader *reader) {
  struct berth_minimalloc_cursor *cursor = &reader->cursor;
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  size_t id_size;
  enum berth_code code = berth_minimalloc_cell_lifetime(cursor, &spec);
  if (code == BERTH_OK) {
    code = berth_minimalloc_cell_u64(cursor, BERTH_MINIMALLOC_SIZE, &spec.size_bytes);
  }
  if (code == BERTH_OK) {
    code = read_optional(reader, &spec);
  }
  if (code == BERTH_OK) {
    code = berth_minimalloc_unquote(
        &reader->scratch, berth_minimalloc_cell(cursor, BERTH_MINIMALLOC_ID), &spec.id.data, &id_size,
        cursor->err);
  }
  if (code != BERTH_OK) {
    return code;
  }
  if (id_size > UINT32_MAX) {
    berth_fail(
        cursor->err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, cursor->index, "id",
        "the id is longer than 2^32 - 1 bytes");
    return berth_minimalloc_blame(cursor, BERTH_MINIMALLOC_ID, NULL);
  }
  spec.id.size = (uint32_t)id_size;
  uint32_t buffer;
  code = berth_problem_builder_add_buffer(reader->builder, &spec, &buffer, cursor->err);
  return code == BERTH_OK || cursor->err->index == BERTH_NO_INDEX
             ? code
             : berth_minimalloc_blame(cursor, role_of_field(cursor->err->field), NULL);
}

/* An error of the whole names a buffer: goes back to its row. */
static enum berth_code blame_buffer(struct reader *reader, const char *text, size_t n_bytes) {
  struct berth_minimalloc_cursor *cursor = &reader->cursor;
  struct berth_error found = *cursor->err;
  if (found.index == BERTH_NO_INDEX) {
    return found.code;
  }
  bool at_end = false;
  berth_minimalloc_text_init(&cursor->text, text, n_bytes);
  enum berth_code code = berth_minimalloc_read_header(&cursor->text, 0, &cursor->columns, cursor->err);
  for (uint32_t i = 0; code == BERTH_OK && !at_end && i <= found.index; i++) {
    code = berth_minimalloc_cursor_next(cursor, &at_end);
  }
  *cursor->err = found;
  return at_end ? found.code : berth_minimalloc_blame(cursor, role_of_field(found.field), NULL);
}

/* Room for every line that is long enough to be a row, so that blank lines cost nothing. */
static enum berth_code reserve(struct reader *reader) {
  const struct berth_minimalloc_text *text = &reader->cursor.text;
  enum { MIN_ROW_BYTES = 6 }; /* ",0,1,1" */
  size_t n_rows = 0;
  for (const char *line = text->at; line < text->end;) {
    const char *line_end = memchr(line, '\n', (size_t)(text->end - line));
    line_end = line_end != NULL ? line_end : text->end;
    n_rows += line_end - line >= MIN_ROW_BYTES;
    line = line_end + (line_end < text->end);
  }
  return berth_problem_builder_reserve(
      reader->builder, (uint32_t)(n_rows < BERTH_MAX_BUFFERS ? n_rows : BERTH_MAX_BUFFERS),
      reader->cursor.err);
}

static enum berth_code
read_all(struct reader *reader, const char *text, size_t n_bytes, struct berth_problem **out_problem) {
  struct berth_minimalloc_cursor *cursor = &reader->cursor;
  const unsigned required = BERTH_MINIMALLOC_BIT(ID) | BERTH_MINIMALLOC_BIT(LOWER) |
                            BERTH_MINIMALLOC_BIT(UPPER) | BERTH_MINIMALLOC_BIT(SIZE);
  bool at_end = false;
  berth_minimalloc_text_init(&cursor->text, text, n_bytes);
  enum berth_code code = berth_minimalloc_read_header(&cursor->text, required, &cursor->columns, cursor->err);
  if (code == BERTH_OK) {
    code = reserve(reader);
  }
  while (code == BERTH_OK) {
    code = berth_minimalloc_cursor_next(cursor, &at_end);
    if (code != BERTH_OK || at_end) {
      break;
    }
    code = add_row(reader);
    cursor->index++;
  }
  if (code != BERTH_OK) {
    return code;
  }
  code = berth_problem_builder_finish(reader->builder, out_problem, cursor->err);
  return code == BERTH_OK ? code : blame_buffer(reader, text, n_bytes);
}

enum berth_code berth_minimalloc_read(
    const char *text, size_t n_bytes, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_error *err) {
  struct berth_error unseen;
  allocator = allocator != NULL ? allocator : berth_allocator_libc();
  struct reader reader = {
      .cursor.err = err != NULL ? err : &unseen,
      .scratch.allocator = allocator,
      .gaps.allocator = allocator,
  };
  enum berth_code code = berth_problem_builder_create(allocator, &reader.builder, reader.cursor.err);
  if (code == BERTH_OK) {
    code = read_all(&reader, text, n_bytes, out_problem);
  }
  berth_problem_builder_destroy(reader.builder);
  berth_minimalloc_scratch_finish(&reader.scratch);
  gaps_finish(&reader.gaps);
  return code;
}
