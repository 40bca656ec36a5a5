#include "verbs/places.h"

#include <stdlib.h>
#include <string.h>

#include "berth/report.h"
#include "berth/restate.h"
#include "minimalloc/minimalloc.h"
#include "verbs/compare.h"
#include "json/problem.h"

void berthctl_places_finish(struct berthctl_places *places) {
  free(places->offset);
  free(places->pool);
  *places = (struct berthctl_places){.offset = NULL};
}

static enum berth_code
unknown_pool(const struct berth_json_saved *saved, uint32_t i, struct berth_error *err) {
  char field[BERTH_FIELD_SIZE];
  snprintf(field, sizeof field, "buffers[%u].pool", i);
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_POOL, i, field, "%s: the problem has no pool \"%.*s\"",
      field, (int)(saved->pool[i].size < 64 ? saved->pool[i].size : 64), saved->pool[i].data);
}

/* By name; a pool without one goes by its index. */
static enum berth_code find_pool(
    const struct berth_problem *problem, const struct berth_json_saved *saved, uint32_t i, uint32_t *out_pool,
    struct berth_error *err) {
  const struct berth_pools *pools = berth_problem_pools(problem);
  struct berth_text name = saved->pool[i];
  for (uint32_t k = 0; k < pools->n; k++) {
    char index[12];
    int n = snprintf(index, sizeof index, "%u", k);
    struct berth_text own = pools->items[k].name;
    own = own.size > 0 ? own : (struct berth_text){index, (uint32_t)n};
    if (own.size == name.size && memcmp(own.data, name.data, name.size) == 0) {
      *out_pool = k;
      return BERTH_OK;
    }
  }
  return unknown_pool(saved, i, err);
}

static enum berth_code
foreign_buffer(const struct berth_json_saved *saved, uint32_t i, struct berth_error *err) {
  char field[BERTH_FIELD_SIZE];
  snprintf(field, sizeof field, "buffers[%u]", i);
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_UNKNOWN_ID, i, field,
      "%s: the problem has no buffer like this%s%.*s", field, saved->id[i].size > 0 ? ", " : "",
      (int)(saved->id[i].size < 64 ? saved->id[i].size : 64), saved->id[i].data);
}

static enum berth_code take_saved(
    const struct berth_problem *problem, const struct berth_json_saved *saved, struct berthctl_places *out,
    struct berth_error *err) {
  const struct berth_report_side from = berthctl_saved_side(saved);
  const struct berth_report_side to = {.problem = problem};
  uint32_t *matches;
  out->has_arena = saved->has_arena;
  out->stated_arena_bytes = saved->arena_bytes;
  enum berth_code code = berth_report_match(&from, &to, NULL, &matches, err);
  if (code != BERTH_OK) {
    return code;
  }
  for (uint32_t i = 0; code == BERTH_OK && i < saved->n_buffers; i++) {
    if (matches[i] == BERTH_NO_INDEX) {
      code = foreign_buffer(saved, i, err);
    } else if (saved->offset[i] != BERTH_NO_OFFSET) {
      out->offset[matches[i]] = saved->offset[i];
      code = find_pool(problem, saved, i, &out->pool[matches[i]], err);
    }
  }
  berth_report_free(NULL, matches);
  return code;
}

static enum berth_code
make_offsets(const struct berth_problem *problem, struct berthctl_places *out, struct berth_error *err) {
  uint32_t n = berth_problem_buffers(problem)->n;
  out->offset = malloc((n + (size_t)1) * sizeof *out->offset);
  if (out->offset == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < n; i++) {
    out->offset[i] = BERTH_NO_OFFSET;
  }
  return BERTH_OK;
}

static void replace(struct berth_problem **problem, struct berth_problem *by) {
  berth_problem_unref(*problem);
  *problem = by;
}

/* The plan says whether it is one without results in place, and which waits it needs beside the graph's. */
static enum berth_code
take_level(const struct berth_json_saved *saved, struct berth_problem **problem, struct berth_error *err) {
  struct berth_problem *level = NULL;
  enum berth_code code = berth_problem_at_level(*problem, saved->reuse, NULL, &level, err);
  if (code != BERTH_OK) {
    return code;
  }
  replace(problem, level);
  if (saved->n_syncs == 0) {
    return BERTH_OK;
  }
  if (berth_problem_graph(*problem) == NULL) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, "sync.waits",
        "the plan adds waits, and the problem is no graph");
  }
  const struct berth_restatement as = {.syncs = saved->syncs, .n_syncs = saved->n_syncs};
  code = berth_problem_restate(*problem, &as, NULL, &level, err);
  if (code == BERTH_OK) {
    replace(problem, level);
  }
  return code;
}

static enum berth_code read_json(
    const struct berthctl_input *input, struct berth_problem **problem, struct berthctl_places *out,
    struct berth_error *err) {
  struct berth_json_saved saved;
  enum berth_code code = berth_json_read_saved(input->bytes, input->n_bytes, NULL, &saved, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = take_level(&saved, problem, err);
  code = code != BERTH_OK ? code : make_offsets(*problem, out, err);
  if (code == BERTH_OK) {
    out->pool = calloc(berth_problem_buffers(*problem)->n + (size_t)1, sizeof *out->pool);
    code = out->pool != NULL ? take_saved(*problem, &saved, out, err) : berth_fail_memory(err);
  }
  berth_json_saved_finish(&saved);
  return code;
}

static enum berth_code read_places(
    const struct berthctl_input *input, struct berth_problem **problem, struct berthctl_places *out,
    struct berth_error *err) {
  if (berth_json_is_object(input->bytes, input->n_bytes)) {
    return read_json(input, problem, out, err);
  }
  enum berth_code code = make_offsets(*problem, out, err);
  return code != BERTH_OK
             ? code
             : berth_minimalloc_read_offsets(input->bytes, input->n_bytes, *problem, NULL, out->offset, err);
}

enum berthctl_exit berthctl_load_places(
    const struct berthctl_terminal *terminal, const char *path, struct berth_problem **problem,
    struct berthctl_places *out_places) {
  struct berth_error err = {.code = BERTH_OK};
  struct berthctl_input input;
  *out_places = (struct berthctl_places){.offset = NULL};
  enum berth_code code = berthctl_input_read(path, &input, &err);
  if (code == BERTH_OK) {
    code = read_places(&input, problem, out_places, &err);
    berthctl_input_finish(&input);
  }
  return code == BERTH_OK ? BERTHCTL_EXIT_OK : berthctl_error_say(terminal, path, &err);
}
