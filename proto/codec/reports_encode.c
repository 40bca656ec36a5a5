/* Reports -> responses. */
#include <string.h>

#include "codec/internal.h"
#include "codec/reports.h"
#include "codec/scratch.h"

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

/* ---- Explain ---- */

static bool put_contributions(
    const struct berth_codec_peak *peak, uint32_t most, struct berth_codec_scratch *scratch,
    Berth__V1__Peak *out) {
  uint32_t n = least(peak->n_items, most);
  out->n_contribution_buffer = out->n_contribution_bytes = n;
  out->contribution_buffer = berth_codec_scratch_take(scratch, n, sizeof *out->contribution_buffer);
  out->contribution_bytes = berth_codec_scratch_take(scratch, n, sizeof *out->contribution_bytes);
  if (out->contribution_buffer == NULL || out->contribution_bytes == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < peak->n_items; i++) {
    out->live_bytes += peak->items[i].live_bytes;
    if (i < n) {
      out->contribution_buffer[i] = peak->items[i].buffer;
      out->contribution_bytes[i] = peak->items[i].live_bytes;
    } else {
      out->other_contribution_bytes += peak->items[i].live_bytes;
    }
  }
  return true;
}

static bool put_makers(
    const struct berth_breakdown *breakdown, uint32_t most, struct berth_codec_scratch *scratch,
    Berth__V1__Peak *out) {
  uint32_t n = least(breakdown->n_makers, most);
  out->n_maker_operator = out->n_maker_bytes = n;
  out->maker_operator = berth_codec_scratch_take(scratch, n, sizeof *out->maker_operator);
  out->maker_bytes = berth_codec_scratch_take(scratch, n, sizeof *out->maker_bytes);
  if (out->maker_operator == NULL || out->maker_bytes == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < breakdown->n_makers; i++) {
    if (i < n) {
      out->maker_operator[i] = breakdown->makers[i].op;
      out->maker_bytes[i] = breakdown->makers[i].bytes;
    } else {
      out->other_maker_bytes += breakdown->makers[i].bytes;
    }
  }
  return true;
}

static bool put_peaks(
    const struct berth_codec_explained *explained, struct berth_codec_scratch *scratch,
    Berth__V1__ExplainPlanResponse *out) {
  Berth__V1__Peak *peaks = berth_codec_scratch_take(scratch, explained->n_peaks, sizeof *peaks);
  out->peaks = berth_codec_scratch_take(scratch, explained->n_peaks, sizeof *out->peaks);
  bool is_good = peaks != NULL && out->peaks != NULL;
  for (uint32_t i = 0; is_good && i < explained->n_peaks; i++) {
    const struct berth_codec_peak *peak = &explained->peaks[i];
    berth__v1__peak__init(&peaks[i]);
    out->peaks[i] = &peaks[i];
    peaks[i].first_step = peak->span.lower;
    peaks[i].end_step = peak->span.upper;
    peaks[i].n_class_bytes = BERTH_N_CLASSES;
    peaks[i].class_bytes = UNCONST(uint64_t, peak->breakdown.class_bytes);
    is_good = put_contributions(peak, explained->max_contributions, scratch, &peaks[i]) &&
              put_makers(&peak->breakdown, explained->max_contributions, scratch, &peaks[i]);
  }
  out->n_peaks = explained->n_peaks;
  return is_good;
}

static bool put_pools(
    const struct berth_codec_explained *explained, struct berth_codec_scratch *scratch,
    Berth__V1__ExplainPlanResponse *out) {
  Berth__V1__PoolUse *pools = berth_codec_scratch_take(scratch, explained->n_pools, sizeof *pools);
  out->pools = berth_codec_scratch_take(scratch, explained->n_pools, sizeof *out->pools);
  bool is_good = pools != NULL && out->pools != NULL;
  for (uint32_t i = 0; is_good && i < explained->n_pools; i++) {
    const struct berth_codec_pool_use *pool = &explained->pools[i];
    berth__v1__pool_use__init(&pools[i]);
    out->pools[i] = &pools[i];
    pools[i].name = berth_codec_scratch_take(scratch, (size_t)pool->name.size + 1, 1);
    is_good = pools[i].name != NULL;
    if (is_good && pool->name.size > 0) {
      memcpy(pools[i].name, pool->name.data, pool->name.size);
    }
    if (is_good) {
      pools[i].name[pool->name.size] = '\0';
    }
    pools[i].arena_bytes = pool->arena_bytes;
    pools[i].peak_bytes = pool->peak_bytes;
    pools[i].peak_step = pool->peak_step;
    pools[i].fragmentation_bytes =
        pool->arena_bytes > pool->peak_bytes ? pool->arena_bytes - pool->peak_bytes : 0;
  }
  out->n_pools = explained->n_pools;
  return is_good;
}

static bool put_timeline(
    const struct berth_codec_explained *explained, struct berth_codec_scratch *scratch,
    Berth__V1__ExplainPlanResponse *out) {
  uint32_t n = explained->n_points;
  out->n_timeline_step = out->n_timeline_live_bytes = n;
  out->timeline_step = berth_codec_scratch_take(scratch, n, sizeof *out->timeline_step);
  out->timeline_live_bytes = berth_codec_scratch_take(scratch, n, sizeof *out->timeline_live_bytes);
  if (out->timeline_step == NULL || out->timeline_live_bytes == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    out->timeline_step[i] = explained->points[i].step;
    out->timeline_live_bytes[i] = explained->points[i].live_bytes;
  }
  out->timeline_point_count = explained->n_all_points;
  return true;
}

static bool put_operators(
    const struct berth_codec_explained *explained, struct berth_codec_scratch *scratch,
    Berth__V1__ExplainPlanResponse *out) {
  uint32_t n = explained->n_operators;
  uint64_t *columns = berth_codec_scratch_take(scratch, 4 * (size_t)n, sizeof *columns);
  if (columns == NULL) {
    return false;
  }
  out->n_operator_live_bytes = out->n_operator_workspace_bytes = n;
  out->n_operator_input_bytes = out->n_operator_output_bytes = n;
  out->operator_live_bytes = columns;
  out->operator_workspace_bytes = columns + n;
  out->operator_input_bytes = columns + 2 * (size_t)n;
  out->operator_output_bytes = columns + 3 * (size_t)n;
  for (uint32_t i = 0; i < n; i++) {
    out->operator_live_bytes[i] = explained->operators[i].live_bytes;
    out->operator_workspace_bytes[i] = explained->operators[i].workspace_bytes;
    out->operator_input_bytes[i] = explained->operators[i].input_bytes;
    out->operator_output_bytes[i] = explained->operators[i].output_bytes;
  }
  return true;
}

enum berth_code berth_codec_encode_explained(
    const struct berth_codec_explained *explained, const struct berth_allocator *allocator,
    const struct berth_codec_sink *sink, struct berth_error *err) {
  Berth__V1__ExplainPlanResponse response = BERTH__V1__EXPLAIN_PLAN_RESPONSE__INIT;
  struct berth_codec_scratch scratch;
  berth_codec_scratch_init(&scratch, allocator);
  response.peak_bytes = explained->peak_bytes;
  response.peak_count = explained->n_all_peaks;
  bool is_good = put_peaks(explained, &scratch, &response) && put_pools(explained, &scratch, &response) &&
                 put_timeline(explained, &scratch, &response) &&
                 put_operators(explained, &scratch, &response);
  enum berth_code code = is_good ? berth_codec_pack(&response.base, sink, err) : berth_fail_memory(err);
  berth_codec_scratch_finish(&scratch);
  return code;
}

/* ---- Diff ---- */

static bool put_differences(
    const struct berth_comparison *comparison, uint32_t most, struct berth_codec_scratch *scratch,
    Berth__V1__DiffPlansResponse *out) {
  uint32_t n = least(comparison->n_rows, most);
  out->n_difference_before = out->n_difference_after = n;
  out->n_difference_changes = out->n_difference_peak_bytes = n;
  out->difference_before = berth_codec_scratch_take(scratch, n, sizeof *out->difference_before);
  out->difference_after = berth_codec_scratch_take(scratch, n, sizeof *out->difference_after);
  out->difference_changes = berth_codec_scratch_take(scratch, n, sizeof *out->difference_changes);
  out->difference_peak_bytes = berth_codec_scratch_take(scratch, n, sizeof *out->difference_peak_bytes);
  if (out->difference_before == NULL || out->difference_after == NULL || out->difference_changes == NULL ||
      out->difference_peak_bytes == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < comparison->n_rows; i++) {
    const struct berth_difference *row = &comparison->rows[i];
    if (i < n) {
      out->difference_before[i] = row->before;
      out->difference_after[i] = row->after;
      out->difference_changes[i] = row->changes;
      out->difference_peak_bytes[i] = row->peak_bytes;
    } else {
      out->other_peak_bytes += row->peak_bytes;
    }
  }
  return true;
}

enum berth_code berth_codec_encode_comparison(
    const struct berth_comparison *comparison, const uint64_t arena_bytes[2], uint32_t max_differences,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink, struct berth_error *err) {
  Berth__V1__DiffPlansResponse response = BERTH__V1__DIFF_PLANS_RESPONSE__INIT;
  struct berth_codec_scratch scratch;
  berth_codec_scratch_init(&scratch, allocator);
  response.before_arena_bytes = arena_bytes[0];
  response.after_arena_bytes = arena_bytes[1];
  response.before_peak_bytes = comparison->peak_bytes[0];
  response.after_peak_bytes = comparison->peak_bytes[1];
  response.before_peak_step = comparison->peak_step[0];
  response.after_peak_step = comparison->peak_step[1];
  response.added_count = comparison->n_changed[BERTH_CHANGE_ADDED];
  response.removed_count = comparison->n_changed[BERTH_CHANGE_REMOVED];
  response.resized_count = comparison->n_changed[BERTH_CHANGE_RESIZED];
  response.retimed_count = comparison->n_changed[BERTH_CHANGE_RETIMED];
  response.moved_count = comparison->n_changed[BERTH_CHANGE_MOVED];
  response.difference_count = comparison->n_rows;
  enum berth_code code = put_differences(comparison, max_differences, &scratch, &response)
                             ? berth_codec_pack(&response.base, sink, err)
                             : berth_fail_memory(err);
  berth_codec_scratch_finish(&scratch);
  return code;
}
