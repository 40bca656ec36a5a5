#include <string.h>

#include "base/arena.h"
#include "base/sort.h"
#include "berth/report.h"
#include "report/items.h"

const char *berth_change_name(enum berth_change change) {
  static const char *const NAMES[] = {
#define X(name, word) word,
      BERTH_CHANGES(X)
#undef X
  };
  return (unsigned)change < BERTH_N_CHANGES ? NAMES[change] : "unknown";
}

struct work {
  const struct berth_report_side *sides[2]; /* before, after */
  uint64_t *live[2];                        /* of each buffer at its side's first peak */
  const uint32_t *matches;                  /* of each buffer before */
  struct berth_comparison *comparison;
};

/* ---- The peaks, and what each buffer has in them ---- */

static enum berth_code find_peak(
    struct work *work, unsigned side, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct berth_problem *problem = work->sides[side]->problem;
  struct berth_span *spans = NULL;
  struct berth_contribution *items = NULL;
  uint32_t n_spans = 0;
  uint32_t n_items = 0;
  enum berth_code code =
      berth_report_peaks(problem, allocator, &spans, &n_spans, &work->comparison->peak_bytes[side], err);
  if (code == BERTH_OK && n_spans > 0) {
    work->comparison->peak_step[side] = spans[0].lower;
    code = berth_report_contributions(problem, spans[0].lower, allocator, &items, &n_items, err);
  }
  for (uint32_t i = 0; code == BERTH_OK && i < n_items; i++) {
    work->live[side][items[i].buffer] = items[i].live_bytes;
  }
  berth_report_free(allocator, spans);
  berth_report_free(allocator, items);
  return code;
}

/* ---- The rows ---- */

static bool equal_gaps(const struct berth_buffers *a, uint32_t i, const struct berth_buffers *b, uint32_t j) {
  uint32_t n = a->gap_begin != NULL ? a->gap_begin[i + 1] - a->gap_begin[i] : 0;
  uint32_t m = b->gap_begin != NULL ? b->gap_begin[j + 1] - b->gap_begin[j] : 0;
  if (n != m) {
    return false;
  }
  for (uint32_t k = 0; k < n; k++) {
    const struct berth_gap *x = &a->gaps[a->gap_begin[i] + k];
    const struct berth_gap *y = &b->gaps[b->gap_begin[j] + k];
    if (x->lower != y->lower || x->upper != y->upper || x->window_lower != y->window_lower ||
        x->window_upper != y->window_upper) {
      return false;
    }
  }
  return true;
}

static bool
equal_slices(const struct berth_buffers *a, uint32_t i, const struct berth_buffers *b, uint32_t j) {
  uint32_t n = a->slice_begin != NULL ? a->slice_begin[i + 1] - a->slice_begin[i] : 0;
  uint32_t m = b->slice_begin != NULL ? b->slice_begin[j + 1] - b->slice_begin[j] : 0;
  bool equal = n == m;
  for (uint32_t k = 0; equal && k < n; k++) {
    const struct berth_slice *x = &a->slices[a->slice_begin[i] + k];
    const struct berth_slice *y = &b->slices[b->slice_begin[j] + k];
    equal = x->lower == y->lower && x->upper == y->upper && x->window_lower == y->window_lower &&
            x->window_upper == y->window_upper;
  }
  return equal;
}

static bool equal_texts(struct berth_text a, struct berth_text b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Nothing where the buffer is not placed. */
static struct berth_text pool_name(const struct berth_report_side *side, uint32_t buffer) {
  if (side->offset == NULL) {
    return (struct berth_text){.size = 0};
  }
  if (side->pool_name != NULL) {
    return side->pool_name[buffer];
  }
  uint32_t pool = side->pool != NULL ? side->pool[buffer] : 0;
  return berth_problem_pools(side->problem)->items[pool].name;
}

static uint64_t offset_of(const struct berth_report_side *side, uint32_t buffer) {
  return side->offset != NULL ? side->offset[buffer] : BERTH_NO_OFFSET;
}

static unsigned bit(bool is_set, enum berth_change change) {
  return is_set ? 1U << change : 0U;
}

static unsigned changes_of(
    const struct berth_report_side *before, uint32_t i, const struct berth_report_side *after, uint32_t j) {
  const struct berth_buffers *a = berth_problem_buffers(before->problem);
  const struct berth_buffers *b = berth_problem_buffers(after->problem);
  bool same_place =
      offset_of(before, i) == offset_of(after, j) && equal_texts(pool_name(before, i), pool_name(after, j));
  bool same_life = a->lower[i] == b->lower[j] && a->upper[i] == b->upper[j] && equal_gaps(a, i, b, j) &&
                   equal_slices(a, i, b, j);
  return bit(a->size_bytes[i] != b->size_bytes[j], BERTH_CHANGE_RESIZED) |
         bit(!same_life, BERTH_CHANGE_RETIMED) | bit(!same_place, BERTH_CHANGE_MOVED);
}

static void add_row(const struct work *work, struct berth_difference *rows, uint32_t before, uint32_t after) {
  struct berth_comparison *comparison = work->comparison;
  struct berth_difference row = {.before = before, .after = after};
  uint64_t bytes_before = before != BERTH_NO_INDEX ? work->live[0][before] : 0;
  uint64_t bytes_after = after != BERTH_NO_INDEX ? work->live[1][after] : 0;
  row.peak_bytes = (int64_t)bytes_after - (int64_t)bytes_before;
  if (before == BERTH_NO_INDEX) {
    row.changes = bit(true, BERTH_CHANGE_ADDED);
  } else if (after == BERTH_NO_INDEX) {
    row.changes = bit(true, BERTH_CHANGE_REMOVED);
  } else {
    row.changes = changes_of(work->sides[0], before, work->sides[1], after);
  }
  for (unsigned i = 0; i < BERTH_N_CHANGES; i++) {
    comparison->n_changed[i] += row.changes >> i & 1;
  }
  if (row.changes != 0 || row.peak_bytes != 0) {
    rows[comparison->n_rows++] = row;
  }
}

/* By the buffers before, then those that were added. */
static bool list_rows(const struct work *work, struct berth_arena *arena, struct berth_difference *rows) {
  uint32_t n_before = berth_problem_buffers(work->sides[0]->problem)->n;
  uint32_t n_after = berth_problem_buffers(work->sides[1]->problem)->n;
  bool *is_matched = berth_arena_new_zeroed(arena, bool, n_after);
  if (is_matched == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n_before; i++) {
    add_row(work, rows, i, work->matches[i]);
    if (work->matches[i] != BERTH_NO_INDEX) {
      is_matched[work->matches[i]] = true;
    }
  }
  for (uint32_t j = 0; j < n_after; j++) {
    if (!is_matched[j]) {
      add_row(work, rows, BERTH_NO_INDEX, j);
    }
  }
  return true;
}

static uint64_t magnitude(int64_t n) {
  return n < 0 ? (uint64_t)-n : (uint64_t)n;
}

/* Largest effect first; the sort is stable, and the rows come in order of their buffers. */
static enum berth_code hand_out_rows(
    struct berth_comparison *comparison, const struct berth_difference *rows, struct berth_arena *arena,
    const struct berth_allocator *allocator, struct berth_error *err) {
  uint32_t n = comparison->n_rows;
  struct berth_sort_item *order = berth_arena_new(arena, struct berth_sort_item, n);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, n);
  comparison->rows = berth_report_items(allocator, n, sizeof *comparison->rows);
  if (order == NULL || scratch == NULL || comparison->rows == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t k = 0; k < n; k++) {
    order[k] = (struct berth_sort_item){.key = UINT64_MAX - magnitude(rows[k].peak_bytes), .index = k};
  }
  berth_sort_items(order, scratch, n);
  for (uint32_t k = 0; k < n; k++) {
    comparison->rows[k] = rows[order[k].index];
  }
  return BERTH_OK;
}

static enum berth_code compare(
    struct work *work, struct berth_arena *arena, const struct berth_allocator *allocator,
    struct berth_error *err) {
  size_t n_before = berth_problem_buffers(work->sides[0]->problem)->n;
  size_t n_after = berth_problem_buffers(work->sides[1]->problem)->n;
  work->live[0] = berth_arena_new_zeroed(arena, uint64_t, n_before);
  work->live[1] = berth_arena_new_zeroed(arena, uint64_t, n_after);
  struct berth_difference *rows = berth_arena_new(arena, struct berth_difference, n_before + n_after);
  if (work->live[0] == NULL || work->live[1] == NULL || rows == NULL) {
    return berth_fail_memory(err);
  }
  enum berth_code code = find_peak(work, 0, allocator, err);
  code = code == BERTH_OK ? find_peak(work, 1, allocator, err) : code;
  if (code == BERTH_OK && !list_rows(work, arena, rows)) {
    code = berth_fail_memory(err);
  }
  return code == BERTH_OK ? hand_out_rows(work->comparison, rows, arena, allocator, err) : code;
}

enum berth_code berth_report_compare(
    const struct berth_report_side *before, const struct berth_report_side *after,
    const struct berth_allocator *allocator, struct berth_comparison *out_comparison,
    struct berth_error *err) {
  *out_comparison = (struct berth_comparison){.n_rows = 0};
  uint32_t *matches;
  enum berth_code code = berth_report_match(before, after, allocator, &matches, err);
  if (code != BERTH_OK) {
    return code;
  }
  struct work work = {.sides = {before, after}, .matches = matches, .comparison = out_comparison};
  struct berth_arena arena;
  berth_arena_init(&arena, allocator);
  code = compare(&work, &arena, allocator, err);
  berth_arena_finish(&arena);
  berth_report_free(allocator, matches);
  if (code != BERTH_OK) {
    berth_report_free(allocator, out_comparison->rows);
    *out_comparison = (struct berth_comparison){.n_rows = 0};
  }
  return code;
}
