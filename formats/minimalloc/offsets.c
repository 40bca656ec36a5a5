/* Rows in the problem's order are matched one by one; the first that is not makes an index of all ids. */
#include <stdlib.h>
#include <string.h>

#include "minimalloc/columns.h"
#include "minimalloc/minimalloc.h"

struct entry {
  struct berth_text id;
  uint32_t buffer;
};

struct matcher {
  struct berth_minimalloc_cursor cursor;
  struct berth_minimalloc_scratch scratch;
  const struct berth_allocator *allocator;
  const struct berth_problem *problem;
  const struct berth_buffers *buffers;
  struct entry *by_id; /* sorted; NULL until needed */
  uint8_t *is_given;   /* a buffer has had its row */
  uint64_t *offset;
};

static int compare_text(struct berth_text a, struct berth_text b) {
  uint32_t n = a.size < b.size ? a.size : b.size;
  int order = n != 0 ? memcmp(a.data, b.data, n) : 0;
  return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_entries(const void *a, const void *b) {
  return compare_text(((const struct entry *)a)->id, ((const struct entry *)b)->id);
}

static bool make_index(struct matcher *matcher) {
  size_t n_bytes = matcher->buffers->n * sizeof *matcher->by_id;
  matcher->by_id = matcher->allocator->resize(matcher->allocator->ctx, NULL, 0, n_bytes);
  if (matcher->by_id == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < matcher->buffers->n; i++) {
    matcher->by_id[i] = (struct entry){.id = berth_problem_buffer_id(matcher->problem, i), .buffer = i};
  }
  qsort(matcher->by_id, matcher->buffers->n, sizeof *matcher->by_id, compare_entries);
  return true;
}

static enum berth_code fail_here(struct matcher *matcher, enum berth_minimalloc_role role) {
  matcher->cursor.err->index = matcher->cursor.index;
  return berth_minimalloc_blame(&matcher->cursor, role, NULL);
}

static enum berth_code find_buffer(struct matcher *matcher, struct berth_text id, uint32_t *out_buffer) {
  struct berth_minimalloc_cursor *cursor = &matcher->cursor;
  bool in_order = cursor->index < matcher->buffers->n &&
                  compare_text(berth_problem_buffer_id(matcher->problem, cursor->index), id) == 0;
  if (in_order) {
    *out_buffer = cursor->index;
    return BERTH_OK;
  }
  if (matcher->by_id == NULL && matcher->buffers->n != 0 && !make_index(matcher)) {
    return berth_fail_memory(cursor->err);
  }
  struct entry wanted = {.id = id};
  const struct entry *found =
      id.size == 0 || matcher->buffers->n == 0
          ? NULL
          : bsearch(&wanted, matcher->by_id, matcher->buffers->n, sizeof wanted, compare_entries);
  if (found == NULL) {
    struct berth_minimalloc_field cell = berth_minimalloc_cell(cursor, BERTH_MINIMALLOC_ID);
    berth_fail(
        cursor->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_UNKNOWN_ID, BERTH_NO_INDEX,
        cursor->columns.name[BERTH_MINIMALLOC_ID], "the problem has no buffer %s here",
        berth_minimalloc_excerpt(cell).text);
    return fail_here(matcher, BERTH_MINIMALLOC_ID);
  }
  *out_buffer = found->buffer;
  return BERTH_OK;
}

static enum berth_code
fail_other_problem(struct matcher *matcher, enum berth_minimalloc_role role, uint32_t buffer) {
  struct berth_minimalloc_cursor *cursor = &matcher->cursor;
  const char *name = cursor->columns.name[role];
  berth_fail(
      cursor->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, name,
      "%s %s is not that of buffer %u in the problem; this plan was made for another one", name,
      berth_minimalloc_excerpt(berth_minimalloc_cell(cursor, role)).text, buffer);
  return fail_here(matcher, role);
}

static bool
begins_same(const struct berth_buffers *buffers, uint32_t buffer, const struct berth_buffer_spec *life) {
  size_t n = life->n_clocks;
  return n == buffers->n_clocks &&
         (n != 0 ? memcmp(life->clock_lower, buffers->clock_lower + buffer * n, n * sizeof(uint32_t)) == 0
                 : life->lower == buffers->lower[buffer]);
}

/* What ends where it begins is read as one step, as by the builder. */
static bool
ends_same(const struct berth_buffers *buffers, uint32_t buffer, const struct berth_buffer_spec *life) {
  size_t n = life->n_clocks;
  if (n == 0) {
    bool is_empty = life->lower == life->upper && life->upper != INT64_MAX;
    return life->upper + is_empty == buffers->upper[buffer];
  }
  bool is_empty = memcmp(life->clock_lower, life->clock_upper, n * sizeof(uint32_t)) == 0;
  for (size_t c = 0; c < n; c++) {
    if (life->clock_upper[c] + is_empty != buffers->clock_upper[buffer * n + c]) {
      return false;
    }
  }
  return true;
}

/* What a plan repeats of its problem must be the same there. */
static enum berth_code check_same(struct matcher *matcher, uint32_t buffer) {
  struct berth_minimalloc_cursor *cursor = &matcher->cursor;
  const struct berth_buffers *buffers = matcher->buffers;
  enum berth_code code = BERTH_OK;
  if (berth_minimalloc_has(cursor, BERTH_MINIMALLOC_LOWER) &&
      berth_minimalloc_has(cursor, BERTH_MINIMALLOC_UPPER)) {
    struct berth_buffer_spec life;
    code = berth_minimalloc_cell_lifetime(cursor, &life);
    if (code == BERTH_OK && !begins_same(buffers, buffer, &life)) {
      return fail_other_problem(matcher, BERTH_MINIMALLOC_LOWER, buffer);
    }
    if (code == BERTH_OK && !ends_same(buffers, buffer, &life)) {
      return fail_other_problem(matcher, BERTH_MINIMALLOC_UPPER, buffer);
    }
  }
  uint64_t n;
  if (code == BERTH_OK && berth_minimalloc_has(cursor, BERTH_MINIMALLOC_SIZE)) {
    code = berth_minimalloc_cell_u64(cursor, BERTH_MINIMALLOC_SIZE, &n);
    if (code == BERTH_OK && n != buffers->size_bytes[buffer]) {
      return fail_other_problem(matcher, BERTH_MINIMALLOC_SIZE, buffer);
    }
  }
  if (code == BERTH_OK && berth_minimalloc_has(cursor, BERTH_MINIMALLOC_ALIGNMENT)) {
    code = berth_minimalloc_cell_u64(cursor, BERTH_MINIMALLOC_ALIGNMENT, &n);
    if (code == BERTH_OK && n != buffers->alignment[buffer]) {
      return fail_other_problem(matcher, BERTH_MINIMALLOC_ALIGNMENT, buffer);
    }
  }
  return code;
}

static enum berth_code match_row(struct matcher *matcher) {
  struct berth_minimalloc_cursor *cursor = &matcher->cursor;
  struct berth_text id;
  size_t id_size;
  uint32_t buffer = 0;
  enum berth_code code = berth_minimalloc_unquote(
      &matcher->scratch, berth_minimalloc_cell(cursor, BERTH_MINIMALLOC_ID), &id.data, &id_size, cursor->err);
  if (code != BERTH_OK) {
    return code;
  }
  id.size = id_size < UINT32_MAX ? (uint32_t)id_size : UINT32_MAX;
  code = find_buffer(matcher, id, &buffer);
  if (code == BERTH_OK && matcher->is_given[buffer]) {
    berth_fail(
        cursor->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_DUPLICATE_ID, BERTH_NO_INDEX,
        cursor->columns.name[BERTH_MINIMALLOC_ID], "a second row for buffer %s; one a buffer is right",
        berth_minimalloc_excerpt(berth_minimalloc_cell(cursor, BERTH_MINIMALLOC_ID)).text);
    code = fail_here(matcher, BERTH_MINIMALLOC_ID);
  }
  if (code == BERTH_OK) {
    matcher->is_given[buffer] = 1;
    code = check_same(matcher, buffer);
  }
  struct berth_minimalloc_field cell =
      berth_minimalloc_trim(berth_minimalloc_cell(cursor, BERTH_MINIMALLOC_OFFSET));
  return code == BERTH_OK && cell.begin != cell.end
             ? berth_minimalloc_cell_u64(cursor, BERTH_MINIMALLOC_OFFSET, &matcher->offset[buffer])
             : code;
}

static enum berth_code match_all(struct matcher *matcher, const char *text, size_t n_bytes) {
  struct berth_minimalloc_cursor *cursor = &matcher->cursor;
  const unsigned required = BERTH_MINIMALLOC_BIT(ID) | BERTH_MINIMALLOC_BIT(OFFSET);
  bool at_end = false;
  berth_minimalloc_text_init(&cursor->text, text, n_bytes);
  enum berth_code code = berth_minimalloc_read_header(&cursor->text, required, &cursor->columns, cursor->err);
  while (code == BERTH_OK) {
    code = berth_minimalloc_cursor_next(cursor, &at_end);
    if (code != BERTH_OK || at_end) {
      break;
    }
    code = match_row(matcher);
    cursor->index++;
  }
  return code;
}

enum berth_code berth_minimalloc_read_offsets(
    const char *text, size_t n_bytes, const struct berth_problem *problem,
    const struct berth_allocator *allocator, uint64_t *out_offset, struct berth_error *err) {
  struct berth_error unseen;
  allocator = allocator != NULL ? allocator : berth_allocator_libc();
  struct matcher matcher = {
      .cursor.err = err != NULL ? err : &unseen,
      .scratch.allocator = allocator,
      .allocator = allocator,
      .problem = problem,
      .buffers = berth_problem_buffers(problem),
      .offset = out_offset,
  };
  size_t n = matcher.buffers->n;
  matcher.is_given = allocator->resize(allocator->ctx, NULL, 0, n + 1);
  if (matcher.is_given == NULL) {
    return berth_fail_memory(err);
  }
  memset(matcher.is_given, 0, n + 1);
  for (size_t i = 0; i < n; i++) {
    out_offset[i] = BERTH_NO_OFFSET;
  }
  enum berth_code code = match_all(&matcher, text, n_bytes);
  allocator->resize(allocator->ctx, matcher.is_given, n + 1, 0);
  if (matcher.by_id != NULL) {
    allocator->resize(allocator->ctx, matcher.by_id, n * sizeof *matcher.by_id, 0);
  }
  berth_minimalloc_scratch_finish(&matcher.scratch);
  return code;
}
