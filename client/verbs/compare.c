#include "verbs/compare.h"

#include <stdlib.h>
#include <string.h>

#include "berth/report.h"

struct key {
  struct berth_text id;
  bool is_workspace;
  uint32_t number; /* of one without an id, among those */
  uint32_t buffer;
};

static int compare_keys(const struct key *x, const struct key *y) {
  if (x->is_workspace != y->is_workspace) {
    return x->is_workspace ? 1 : -1;
  }
  uint32_t n = x->id.size < y->id.size ? x->id.size : y->id.size;
  int order = n != 0 ? memcmp(x->id.data, y->id.data, n) : 0;
  order = order != 0 ? order : (x->id.size > y->id.size) - (x->id.size < y->id.size);
  return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static int compare_keys_in_order(const void *a, const void *b) {
  const struct key *x = a;
  const struct key *y = b;
  int order = compare_keys(x, y);
  return order != 0 ? order : (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

/* Sorted. NULL if memory ran out. */
static struct key *list_keys(const struct berth_json_saved *saved) {
  struct key *keys = malloc((saved->n_buffers + (size_t)1) * sizeof *keys);
  const struct berth_buffers *buffers = berth_problem_buffers(saved->problem);
  uint32_t n_unnamed = 0;
  for (uint32_t i = 0; keys != NULL && i < saved->n_buffers; i++) {
    keys[i] = (struct key){
        .id = saved->buffers[i].id,
        .is_workspace = buffers->class_[i] == BERTH_CLASS_WORKSPACE,
        .number = saved->buffers[i].id.size == 0 ? n_unnamed++ : 0,
        .buffer = i};
  }
  if (keys != NULL) {
    qsort(keys, saved->n_buffers, sizeof *keys, compare_keys_in_order);
  }
  return keys;
}

/* ---- The peaks, and what each buffer has in them ---- */

static enum berth_code find_peak(struct berthctl_side *side, uint64_t *live, struct berth_error *err) {
  struct berth_timeline_point *points = NULL;
  struct berth_contribution *items = NULL;
  uint32_t n_points = 0;
  uint32_t n_items = 0;
  const struct berth_problem *problem = side->saved->problem;
  enum berth_code code = berth_report_timeline(problem, NULL, BERTH_NO_INDEX, NULL, &points, &n_points, err);
  for (uint32_t i = 0; code == BERTH_OK && i < n_points; i++) {
    if (points[i].live_bytes > side->peak_bytes) {
      side->peak_bytes = points[i].live_bytes;
      side->peak_step = points[i].step;
    }
  }
  if (code == BERTH_OK) {
    code = berth_report_contributions(problem, side->peak_step, NULL, &items, &n_items, err);
  }
  for (uint32_t i = 0; code == BERTH_OK && i < n_items; i++) {
    live[items[i].buffer] = items[i].live_bytes;
  }
  berth_report_free(NULL, points);
  berth_report_free(NULL, items);
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

static unsigned changes_of(
    const struct berth_json_saved *before, uint32_t i, const struct berth_json_saved *after, uint32_t j) {
  const struct berth_buffers *a = berth_problem_buffers(before->problem);
  const struct berth_buffers *b = berth_problem_buffers(after->problem);
  const struct berth_json_saved_buffer *x = &before->buffers[i];
  const struct berth_json_saved_buffer *y = &after->buffers[j];
  bool same_pool = x->pool.size == y->pool.size &&
                   (x->pool.size == 0 || memcmp(x->pool.data, y->pool.data, x->pool.size) == 0);
  bool same_life = a->lower[i] == b->lower[j] && a->upper[i] == b->upper[j] && equal_gaps(a, i, b, j);
  return (a->size_bytes[i] != b->size_bytes[j] ? BERTHCTL_CHANGE_RESIZED : 0U) |
         (same_life ? 0U : BERTHCTL_CHANGE_RETIMED) |
         (x->offset == y->offset && same_pool ? 0U : BERTHCTL_CHANGE_MOVED);
}

struct work {
  struct key *keys[2];
  uint64_t *live[2];
};

static void
add_row(struct berthctl_comparison *comparison, const struct work *work, uint32_t before, uint32_t after) {
  struct berthctl_difference row = {.before = before, .after = after};
  uint64_t bytes_before = before != BERTH_NO_INDEX ? work->live[0][before] : 0;
  uint64_t bytes_after = after != BERTH_NO_INDEX ? work->live[1][after] : 0;
  row.peak_bytes = (int64_t)bytes_after - (int64_t)bytes_before;
  if (before == BERTH_NO_INDEX) {
    row.changes = BERTHCTL_CHANGE_ADDED;
  } else if (after == BERTH_NO_INDEX) {
    row.changes = BERTHCTL_CHANGE_REMOVED;
  } else {
    row.changes = changes_of(comparison->before.saved, before, comparison->after.saved, after);
  }
  for (unsigned i = 0; i < BERTHCTL_N_CHANGES; i++) {
    comparison->n_changed[i] += row.changes >> i & 1;
  }
  if (row.changes != 0 || row.peak_bytes != 0) {
    comparison->rows[comparison->n_rows++] = row;
  }
}

static void merge(struct berthctl_comparison *comparison, const struct work *work) {
  uint32_t n_before = comparison->before.saved->n_buffers;
  uint32_t n_after = comparison->after.saved->n_buffers;
  uint32_t i = 0;
  uint32_t j = 0;
  while (i < n_before || j < n_after) {
    int order = i == n_before ? 1 : j == n_after ? -1 : compare_keys(&work->keys[0][i], &work->keys[1][j]);
    uint32_t before = order <= 0 ? work->keys[0][i++].buffer : BERTH_NO_INDEX;
    uint32_t after = order >= 0 ? work->keys[1][j++].buffer : BERTH_NO_INDEX;
    add_row(comparison, work, before, after);
  }
}

static uint64_t magnitude(int64_t n) {
  return n < 0 ? (uint64_t)-n : (uint64_t)n;
}

static int compare_rows(const void *a, const void *b) {
  const struct berthctl_difference *x = a;
  const struct berthctl_difference *y = b;
  uint64_t m = magnitude(x->peak_bytes);
  uint64_t n = magnitude(y->peak_bytes);
  if (m != n) {
    return m > n ? -1 : 1;
  }
  if (x->before != y->before) {
    return x->before < y->before ? -1 : 1;
  }
  return (x->after > y->after) - (x->after < y->after);
}

static enum berth_code
compare(struct berthctl_comparison *comparison, struct work *work, struct berth_error *err) {
  const struct berth_json_saved *before = comparison->before.saved;
  const struct berth_json_saved *after = comparison->after.saved;
  work->keys[0] = list_keys(before);
  work->keys[1] = list_keys(after);
  work->live[0] = calloc(before->n_buffers + (size_t)1, sizeof(uint64_t));
  work->live[1] = calloc(after->n_buffers + (size_t)1, sizeof(uint64_t));
  comparison->rows = malloc(((size_t)before->n_buffers + after->n_buffers + 1) * sizeof *comparison->rows);
  if (work->keys[0] == NULL || work->keys[1] == NULL || work->live[0] == NULL || work->live[1] == NULL ||
      comparison->rows == NULL) {
    return berth_fail_memory(err);
  }
  enum berth_code code = find_peak(&comparison->before, work->live[0], err);
  code = code != BERTH_OK ? code : find_peak(&comparison->after, work->live[1], err);
  if (code == BERTH_OK) {
    merge(comparison, work);
    qsort(comparison->rows, comparison->n_rows, sizeof *comparison->rows, compare_rows);
  }
  return code;
}

enum berth_code berthctl_compare(
    const struct berth_json_saved *before, const struct berth_json_saved *after,
    struct berthctl_comparison *out_comparison, struct berth_error *err) {
  struct work work = {.keys = {NULL}};
  *out_comparison = (struct berthctl_comparison){.before.saved = before, .after.saved = after};
  enum berth_code code = compare(out_comparison, &work, err);
  for (unsigned i = 0; i < 2; i++) {
    free(work.keys[i]);
    free(work.live[i]);
  }
  return code;
}

void berthctl_comparison_finish(struct berthctl_comparison *comparison) {
  free(comparison->rows);
  comparison->rows = NULL;
}
