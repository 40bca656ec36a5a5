/* The member "stability" of a plan. */
#include "json/emit.h"
#include "json/plan.h"

static void
write_pool(struct berth_json *json, const struct berth_problem *problem, const char *key, uint32_t pool) {
  if (pool == BERTH_NO_INDEX) {
    berth_json_null(json, key);
  } else {
    berth_json_write_pool_name(json, key, problem, pool);
  }
}

static void write_id(struct berth_json *json, struct berth_text id) {
  if (id.size != 0) {
    berth_json_text(json, "id", id);
  } else {
    berth_json_null(json, "id");
  }
}

static void
write_row(struct berth_json *json, const struct berth_json_plan *input, uint32_t i, bool was_there) {
  const struct berth_stable *stable = input->stable;
  const struct berth_plan *plan = input->plan;
  berth_json_open(json, NULL, '{');
  berth_json_u64(json, "index", i);
  write_id(json, berth_problem_buffer_id(input->problem, i));
  berth_json_u64(json, "size", berth_problem_buffers(input->problem)->size_bytes[i]);
  if (was_there) {
    write_pool(json, input->problem, "pool_before", stable->pool[i]);
    berth_json_u64(json, "offset_before", stable->offset[i]);
  }
  write_pool(json, input->problem, "pool", plan->pool[i]);
  berth_json_u64(json, "offset", plan->offset[i]);
  berth_json_close(json, '}');
}

static void write_rows(
    struct berth_json *json, const struct berth_json_plan *input, const char *key, enum berth_stay stay) {
  const struct berth_plan *plan = input->plan;
  berth_json_open(json, key, '[');
  for (uint32_t i = 0; i < plan->n_buffers && !json->writer->failed; i++) {
    if (berth_stay_of(input->stable, plan->pool, plan->offset, i) == stay) {
      write_row(json, input, i, stay != BERTH_STAY_NEW);
    }
  }
  berth_json_close(json, ']');
}

static void write_gone(struct berth_json *json, const struct berth_json_plan *input) {
  berth_json_open(json, "gone_buffers", '[');
  for (uint32_t k = 0; k < input->stable->n_gone; k++) {
    berth_json_open(json, NULL, '{');
    berth_json_u64(json, "index_before", input->stable->gone[k]);
    if (input->gone_ids != NULL) {
      write_id(json, input->gone_ids[k]);
    }
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

void berth_json_write_stability(struct berth_json *json, const struct berth_json_plan *input) {
  const struct berth_stability *figures = &input->plan->stability;
  if (!figures->is_asked) {
    return;
  }
  berth_json_open(json, "stability", '{');
  berth_json_u64(json, "before", figures->n_before);
  berth_json_u64(json, "kept", figures->n_kept);
  berth_json_u64(json, "moved", figures->n_before - figures->n_kept);
  berth_json_u64(json, "must", figures->n_must);
  berth_json_u64(json, "before_bytes", figures->before_bytes);
  berth_json_u64(json, "kept_bytes", figures->kept_bytes);
  berth_json_u64(json, "kept_bound", figures->kept_bound);
  if (input->stable != NULL) {
    uint64_t arena_before = 0;
    for (uint32_t p = 0; p < input->stable->n_pools; p++) {
      arena_before += input->stable->arena_bytes[p];
    }
    berth_json_string(json, "kept_by", input->stable->keep_by == BERTH_KEEP_BYTES ? "bytes" : "buffers");
    berth_json_u64(json, "arena_bytes_before", arena_before);
    berth_json_u64(json, "gone", input->stable->n_gone);
  }
  if (input->stable != NULL && input->problem != NULL && input->plan->offset != NULL) {
    write_rows(json, input, "moved_buffers", BERTH_STAY_MOVED);
    write_rows(json, input, "new_buffers", BERTH_STAY_NEW);
    write_gone(json, input);
  }
  berth_json_close(json, '}');
}
