#include "problem/gaps.h"

#include <string.h>

static enum berth_code check(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec,
    const struct berth_gap *gap) {
  int64_t upper = spec->upper == spec->lower ? spec->upper + 1 : spec->upper;
  if (gap->lower > gap->upper) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_GAP, "gaps", "a gap ends at %lld, before it begins at %lld",
        (long long)gap->upper, (long long)gap->lower);
  }
  if (gap->lower < spec->lower || gap->upper > upper) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_GAP, "gaps",
        "gap [%lld, %lld) lies outside the lifetime [%lld, %lld)", (long long)gap->lower,
        (long long)gap->upper, (long long)spec->lower, (long long)upper);
  }
  if (spec->shape != NULL && gap->window_lower != gap->window_upper) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_GAP, "gaps",
        "its size is an expression, so that a gap can only be without any bytes");
  }
  if (gap->window_lower > gap->window_upper || gap->window_upper > spec->size_bytes) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_GAP, "gaps",
        "window [%llu, %llu) of gap [%lld, %lld) is not within its %llu bytes",
        (unsigned long long)gap->window_lower, (unsigned long long)gap->window_upper, (long long)gap->lower,
        (long long)gap->upper, (unsigned long long)spec->size_bytes);
  }
  return BERTH_OK;
}

/* Bottom-up merge sort by the first step. */
static void sort_gaps(struct berth_gap *gaps, struct berth_gap *scratch, size_t n) {
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t begin = 0; begin < n; begin += 2 * width) {
      size_t middle = n - begin < width ? n : begin + width;
      size_t end = n - middle < width ? n : middle + width;
      size_t a = begin;
      size_t b = middle;
      for (size_t to = begin; to < end; to++) {
        bool left = b == end || (a < middle && gaps[a].lower <= gaps[b].lower);
        scratch[to] = left ? gaps[a++] : gaps[b++];
      }
    }
    memcpy(gaps, scratch, n * sizeof *gaps);
  }
}

static enum berth_code check_apart(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_gap *gaps, size_t n) {
  for (size_t i = 1; i < n; i++) {
    if (gaps[i].lower < gaps[i - 1].upper) {
      return berth_builder_blame(
          builder, item, BERTH_REASON_BAD_GAP, "gaps", "gaps [%lld, %lld) and [%lld, %lld) overlap",
          (long long)gaps[i - 1].lower, (long long)gaps[i - 1].upper, (long long)gaps[i].lower,
          (long long)gaps[i].upper);
    }
  }
  return BERTH_OK;
}

/* Drops gaps that hold the whole buffer and merges those that touch with one window; how many are left. */
static size_t merge(struct berth_gap *gaps, size_t n, uint64_t size) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    struct berth_gap *last = kept != 0 ? &gaps[kept - 1] : NULL;
    if (gaps[i].window_upper - gaps[i].window_lower == size) {
      continue;
    }
    if (last != NULL && gaps[i].lower == last->upper && gaps[i].window_lower == last->window_lower &&
        gaps[i].window_upper == last->window_upper) {
      last->upper = gaps[i].upper;
    } else {
      gaps[kept++] = gaps[i];
    }
  }
  return kept;
}

enum berth_code berth_builder_add_gaps(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec) {
  struct berth_rows *rows = &builder->problem->rows;
  if (spec->n_gaps > UINT32_MAX - rows->gaps.n) {
    return berth_builder_limit(builder, item, "gaps", "all gaps together pass 2^32 - 1");
  }
  if (!berth_vec_reserve(&builder->allocator, &rows->gaps, rows->gaps.n + 2 * (size_t)spec->n_gaps)) {
    return berth_fail_memory(&builder->error);
  }
  struct berth_gap *gaps = rows->gaps.items + rows->gaps.n;
  size_t n = 0;
  for (uint32_t i = 0; i < spec->n_gaps; i++) {
    const struct berth_gap *gap = &spec->gaps[i];
    enum berth_code code = check(builder, item, spec, gap);
    if (code != BERTH_OK) {
      return code;
    }
    if (gap->lower != gap->upper) {
      bool absent = gap->window_lower == gap->window_upper;
      gaps[n] = *gap;
      gaps[n].window_lower = absent ? 0 : gap->window_lower;
      gaps[n].window_upper = absent ? 0 : gap->window_upper;
      n++;
    }
  }
  sort_gaps(gaps, gaps + n, n);
  enum berth_code code = check_apart(builder, item, gaps, n);
  rows->gaps.n += code == BERTH_OK ? merge(gaps, n, spec->size_bytes) : 0;
  return code;
}
