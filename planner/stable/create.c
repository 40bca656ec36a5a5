#include "berth/stable.h"

#include <stdio.h>
#include <string.h>

#include "base/order.h"
#include "report/items.h"
#include "report/match.h"
#include "stable/internal.h"

const char *berth_stay_name(enum berth_stay stay) {
  static const char *const NAMES[] = {"kept", "moved", "new"};
  return (unsigned)stay <= BERTH_STAY_NEW ? NAMES[stay] : "unknown";
}

/* ---- Rows of a plan ---- */

static bool is_named(const struct berth_pools *pools, uint32_t pool, struct berth_text name) {
  char index[12];
  struct berth_text own = pools->items[pool].name;
  if (own.size == 0) {
    own = (struct berth_text){index, (uint32_t)snprintf(index, sizeof index, "%u", pool)};
  }
  return own.size == name.size && memcmp(own.data, name.data, name.size) == 0;
}

static uint32_t find_pool(const struct berth_pools *pools, struct berth_text name) {
  uint32_t pool = 0;
  while (pool < pools->n && !is_named(pools, pool, name)) {
    pool++;
  }
  return pool < pools->n ? pool : BERTH_NO_INDEX;
}

/* Which of the new pools each old one is. */
static void map_pools(const struct berth_pools *from, const struct berth_pools *to, uint32_t *out_map) {
  for (uint32_t p = 0; p < from->n; p++) {
    char index[12];
    struct berth_text name = from->items[p].name;
    if (name.size == 0) {
      name = (struct berth_text){index, (uint32_t)snprintf(index, sizeof index, "%u", p)};
    }
    out_map[p] = find_pool(to, name);
  }
}

static uint32_t pool_of(
    const struct berth_report_side *side, const struct berth_pools *pools, const uint32_t *map, uint32_t i) {
  if (side->pool_name != NULL) {
    return find_pool(pools, side->pool_name[i]);
  }
  return map[side->pool != NULL ? side->pool[i] : 0];
}

enum berth_code berth_stable_rows(
    const struct berth_report_side *earlier, const struct berth_problem *problem,
    const struct berth_allocator *allocator, struct berth_stable_row **out_rows, struct berth_error *err) {
  const struct berth_buffers *buffers = berth_problem_buffers(earlier->problem);
  const struct berth_pools *pools = berth_problem_pools(problem);
  const struct berth_pools *from = berth_problem_pools(earlier->problem);
  struct berth_stable_row *rows = berth_report_items(allocator, buffers->n, sizeof *rows);
  uint32_t *map = berth_report_items(allocator, from->n, sizeof *map);
  if (rows == NULL || map == NULL) {
    berth_report_free(allocator, rows);
    berth_report_free(allocator, map);
    return berth_fail_memory(err);
  }
  map_pools(from, pools, map);
  for (uint32_t i = 0; i < buffers->n; i++) {
    bool is_placed = earlier->offset != NULL && earlier->offset[i] != BERTH_NO_OFFSET;
    rows[i] = (struct berth_stable_row){
        .id = earlier->id != NULL ? earlier->id[i] : berth_problem_buffer_id(earlier->problem, i),
        .is_workspace = buffers->class_[i] == BERTH_CLASS_WORKSPACE,
        .pool = is_placed ? pool_of(earlier, pools, map, i) : BERTH_NO_INDEX,
        .offset = is_placed ? earlier->offset[i] : BERTH_NO_OFFSET,
        .size_bytes = buffers->size_bytes[i]};
  }
  berth_report_free(allocator, map);
  *out_rows = rows;
  return BERTH_OK;
}

/* ---- In terms of the problem ---- */

static uint32_t *
match(const struct berth_problem *problem, const struct berth_stable_spec *spec, struct berth_arena *arena) {
  const struct berth_report_side side = {.problem = problem};
  if (spec->is_in_order) {
    uint32_t *identity = berth_arena_new(arena, uint32_t, spec->n_rows);
    if (identity != NULL) {
      berth_order_identity(spec->n_rows, identity);
    }
    return identity;
  }
  struct berth_match_key *rows = berth_arena_new(arena, struct berth_match_key, spec->n_rows);
  struct berth_match_key *buffers = berth_match_keys(&side, arena);
  uint32_t *matches = berth_arena_new(arena, uint32_t, spec->n_rows);
  if (rows == NULL || buffers == NULL || matches == NULL) {
    return NULL;
  }
  for (uint32_t i = 0; i < spec->n_rows; i++) {
    rows[i] = (struct berth_match_key){.id = spec->rows[i].id, .is_workspace = spec->rows[i].is_workspace};
  }
  uint32_t n = berth_problem_buffers(problem)->n;
  return berth_match(rows, spec->n_rows, buffers, n, arena, matches) ? matches : NULL;
}

static void fill(
    const struct berth_stable_spec *spec, const uint32_t *matches, uint32_t n_pools,
    struct berth_stable_columns *columns) {
  uint32_t n_gone = 0;
  for (uint32_t i = 0; i < spec->n_rows; i++) {
    const struct berth_stable_row *row = &spec->rows[i];
    if (matches[i] == BERTH_NO_INDEX) {
      columns->gone[n_gone++] = i;
    } else if (row->offset != BERTH_NO_OFFSET) {
      columns->offset[matches[i]] = row->offset;
      columns->pool[matches[i]] = row->pool < n_pools ? row->pool : BERTH_NO_INDEX;
    }
  }
}

static uint32_t count_gone(const struct berth_stable_spec *spec, const uint32_t *matches) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < spec->n_rows; i++) {
    n += matches[i] == BERTH_NO_INDEX;
  }
  return n;
}

static enum berth_code check_words(
    const struct berth_problem *problem, const struct berth_stable_spec *spec, struct berth_error *err) {
  uint32_t n = berth_problem_buffers(problem)->n;
  if (spec->is_in_order && spec->n_rows != n) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_COLUMN_LENGTH, BERTH_NO_INDEX, "rows",
        "the earlier plan has %u rows, one a buffer in their order, and the problem %u buffers", spec->n_rows,
        n);
  }
  bool is_good = (unsigned)spec->growth <= BERTH_GROWTH_LEAST &&
                 (unsigned)spec->keep_by <= BERTH_KEEP_BYTES && spec->must_classes >> BERTH_N_CLASSES == 0;
  return is_good ? BERTH_OK
                 : berth_fail(
                       err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "keep",
                       "what is to be kept of the earlier plan is asked for in no way that there is");
}

static enum berth_code create(
    const struct berth_problem *problem, const struct berth_stable_spec *spec,
    const struct berth_allocator *allocator, struct berth_arena *arena, struct berth_stable **out,
    struct berth_error *err) {
  struct berth_stable_columns columns;
  const uint32_t *matches = match(problem, spec, arena);
  *out = matches != NULL ? berth_stable_block(problem, count_gone(spec, matches), allocator, &columns) : NULL;
  if (*out == NULL) {
    return berth_fail_memory(err);
  }
  (*out)->keep_by = spec->keep_by;
  (*out)->is_least = spec->growth == BERTH_GROWTH_LEAST;
  fill(spec, matches, (*out)->n_pools, &columns);
  enum berth_code code = berth_stable_limit(problem, spec, &columns, err);
  code = code != BERTH_OK ? code : berth_stable_choose(problem, spec, matches, arena, &columns, err);
  return code != BERTH_OK ? code : berth_stable_check(problem, &columns, arena, err);
}

enum berth_code berth_stable_create(
    const struct berth_problem *problem, const struct berth_stable_spec *spec,
    const struct berth_allocator *allocator, const struct berth_stable **out_stable,
    struct berth_error *err) {
  struct berth_stable *stable = NULL;
  struct berth_arena arena;
  berth_arena_init(&arena, allocator);
  enum berth_code code = check_words(problem, spec, err);
  code = code != BERTH_OK ? code : create(problem, spec, allocator, &arena, &stable, err);
  berth_arena_finish(&arena);
  if (code != BERTH_OK) {
    berth_stable_unref(stable);
    stable = NULL;
  }
  *out_stable = stable;
  return code;
}
