/* Who must stay, and whether they can. The judge says whether their places go together: what is not placed
 * is left out, and everything else is as in a plan. */
#include <stdio.h>
#include <string.h>

#include "base/merge.h"
#include "berth/verify.h"
#include "stable/internal.h"

/* ---- Who ---- */

static bool had_place(const struct berth_stable_columns *columns, uint32_t buffer) {
  return columns->offset[buffer] != BERTH_NO_OFFSET;
}

static enum berth_code mark_pools(
    const struct berth_problem *problem, const struct berth_stable_spec *spec,
    struct berth_stable_columns *columns, struct berth_error *err) {
  uint32_t n_pools = berth_problem_pools(problem)->n;
  for (uint32_t k = 0; k < spec->n_must_pools; k++) {
    if (spec->must_pools[k] >= n_pools) {
      return berth_fail(
          err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_POOL, k, "must_pools",
          "buffers of pool %u must keep their places, and the problem has %u pools", spec->must_pools[k],
          n_pools);
    }
    for (uint32_t i = 0; i < berth_problem_buffers(problem)->n; i++) {
      columns->must[i] |= had_place(columns, i) && columns->pool[i] == spec->must_pools[k];
    }
  }
  return BERTH_OK;
}

static int compare_texts(struct berth_text a, struct berth_text b) {
  uint32_t n = a.size < b.size ? a.size : b.size;
  int order = n != 0 ? memcmp(a.data, b.data, n) : 0;
  return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_rows(const void *ctx, uint32_t a, uint32_t b) {
  const struct berth_stable_row *rows = ctx;
  return compare_texts(rows[a].id, rows[b].id);
}

/* The first of the rows, by id, that is not below `id`. */
static uint32_t find_row(const struct berth_stable_spec *spec, const uint32_t *sorted, struct berth_text id) {
  uint32_t low = 0;
  uint32_t high = spec->n_rows;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (compare_texts(spec->rows[sorted[middle]].id, id) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* A value and a workspace may have one id: both are meant then. */
static bool mark_id(
    const struct berth_stable_spec *spec, const uint32_t *sorted, const uint32_t *matches,
    struct berth_text id, struct berth_stable_columns *columns) {
  bool is_found = false;
  for (uint32_t k = find_row(spec, sorted, id);
       k < spec->n_rows && compare_texts(spec->rows[sorted[k]].id, id) == 0; k++) {
    uint32_t buffer = matches[sorted[k]];
    if (buffer != BERTH_NO_INDEX && had_place(columns, buffer)) {
      columns->must[buffer] = 1;
      is_found = true;
    }
  }
  return is_found;
}

static enum berth_code mark_ids(
    const struct berth_stable_spec *spec, const uint32_t *matches, struct berth_arena *arena,
    struct berth_stable_columns *columns, struct berth_error *err) {
  if (spec->n_must_ids == 0) {
    return BERTH_OK;
  }
  uint32_t *sorted = berth_arena_new(arena, uint32_t, spec->n_rows);
  uint32_t *scratch = berth_arena_new(arena, uint32_t, spec->n_rows);
  if (sorted == NULL || scratch == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < spec->n_rows; i++) {
    sorted[i] = i;
  }
  berth_merge_sort(sorted, scratch, spec->n_rows, spec->rows, compare_rows);
  for (uint32_t k = 0; k < spec->n_must_ids; k++) {
    struct berth_text id = spec->must_ids[k];
    if (id.size == 0 || !mark_id(spec, sorted, matches, id, columns)) {
      return berth_fail(
          err, BERTH_INVALID_ARGUMENT, BERTH_REASON_UNKNOWN_ID, k, "must_ids",
          "\"%.*s\" must keep its place, and is no buffer that has one in the earlier plan",
          (int)(id.size < 64 ? id.size : 64), id.size > 0 ? id.data : "");
    }
  }
  return BERTH_OK;
}

static enum berth_code mark_buffers(
    const struct berth_problem *problem, const struct berth_stable_spec *spec,
    struct berth_stable_columns *columns, struct berth_error *err) {
  for (uint32_t k = 0; k < spec->n_must_buffers; k++) {
    uint32_t i = spec->must_buffers[k];
    if (i >= berth_problem_buffers(problem)->n || !had_place(columns, i)) {
      return berth_fail(
          err, BERTH_INVALID_ARGUMENT, BERTH_REASON_UNKNOWN_ID, k, "must_buffers",
          "buffer %u must keep its place, and is none that has one in the earlier plan", i);
    }
    columns->must[i] = 1;
  }
  return BERTH_OK;
}

enum berth_code berth_stable_choose(
    const struct berth_problem *problem, const struct berth_stable_spec *spec, const uint32_t *matches,
    struct berth_arena *arena, struct berth_stable_columns *columns, struct berth_error *err) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  for (uint32_t i = 0; i < buffers->n; i++) {
    bool is_meant = spec->must_all || (spec->must_classes >> buffers->class_[i] & 1) != 0;
    columns->must[i] = is_meant && had_place(columns, i);
  }
  enum berth_code code = mark_pools(problem, spec, columns, err);
  code = code != BERTH_OK ? code : mark_buffers(problem, spec, columns, err);
  return code != BERTH_OK ? code : mark_ids(spec, matches, arena, columns, err);
}

/* ---- Whether they can ---- */

struct label {
  char text[80];
};

static struct label label_of(const struct berth_problem *problem, uint32_t buffer) {
  struct label label;
  struct berth_text id = berth_problem_buffer_id(problem, buffer);
  if (id.size == 0) {
    snprintf(label.text, sizeof label.text, "buffer %u", buffer);
  } else {
    snprintf(label.text, sizeof label.text, "\"%.*s\"", (int)(id.size < 60 ? id.size : 60), id.data);
  }
  return label;
}

/* What the checks of a plan do not know: pools that are gone, limits, fronts. */
static enum berth_code check_alone(
    const struct berth_problem *problem, const struct berth_stable_columns *columns, uint32_t i,
    struct berth_error *err) {
  const struct berth_pools *pools = berth_problem_pools(problem);
  uint32_t pool = columns->pool[i];
  if (pool == BERTH_NO_INDEX) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_KEEP, i, "earlier",
        "%s must keep its place, and the pool that it was in is no more", label_of(problem, i).text);
  }
  if (pools->items[pool].persistence == BERTH_PERSISTENCE_FRONT) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_KEEP, i, "earlier",
        "%s must keep its place, but pool %u keeps constants and state at its front, where places are not "
        "the "
        "caller's choice",
        label_of(problem, i).text, pool);
  }
  uint64_t size = berth_problem_buffers(problem)->size_bytes[i];
  uint64_t limit = columns->limit_bytes[pool];
  if (size > 0 && (columns->offset[i] > limit || size > limit - columns->offset[i])) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_KEEP, i, "earlier",
        "%s of %llu bytes must keep its place at %llu, beyond the limit of %llu to pool %u",
        label_of(problem, i).text, (unsigned long long)size, (unsigned long long)columns->offset[i],
        (unsigned long long)limit, pool);
  }
  return BERTH_OK;
}

static enum berth_code refuse(
    const struct berth_violation *violation, const struct berth_stable_columns *columns,
    struct berth_error *err) {
  bool is_pinned_only = !columns->must[violation->buffer_a] && violation->buffer_b != BERTH_NO_INDEX;
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_KEEP,
      is_pinned_only ? violation->buffer_b : violation->buffer_a, "earlier",
      "places that must be kept are not possible: %s", violation->message);
}

/* Those who are pinned have their places, too. In which pool is told only where there is one. */
static uint64_t
place_of(const struct berth_problem *problem, const struct berth_stable_columns *columns, uint32_t i) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  bool is_pinned = buffers->pinned_offset != NULL && buffers->pinned_offset[i] != BERTH_UNPINNED;
  if (columns->must[i]) {
    return columns->offset[i];
  }
  return is_pinned && berth_problem_pools(problem)->n == 1 ? buffers->pinned_offset[i] : BERTH_NO_OFFSET;
}

enum berth_code berth_stable_check(
    const struct berth_problem *problem, const struct berth_stable_columns *columns,
    struct berth_arena *arena, struct berth_error *err) {
  uint32_t n = berth_problem_buffers(problem)->n;
  uint64_t *offset = berth_arena_new(arena, uint64_t, n);
  uint32_t *pool = berth_arena_new(arena, uint32_t, n);
  if (offset == NULL || pool == NULL) {
    return berth_fail_memory(err);
  }
  bool has_musts = false;
  for (uint32_t i = 0; i < n; i++) {
    enum berth_code code = columns->must[i] ? check_alone(problem, columns, i, err) : BERTH_OK;
    if (code != BERTH_OK) {
      return code;
    }
    has_musts |= columns->must[i] != 0;
    offset[i] = place_of(problem, columns, i);
    pool[i] = columns->must[i] ? columns->pool[i] : 0;
  }
  struct berth_violation violation;
  struct berth_verdict verdict = {0};
  enum berth_code code =
      has_musts ? berth_verify_some(problem, pool, offset, arena->allocator, &violation, 1, &verdict, err)
                : BERTH_OK;
  return code == BERTH_OK && verdict.n_violations > 0 ? refuse(&violation, columns, err) : code;
}
