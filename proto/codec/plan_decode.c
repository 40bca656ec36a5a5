/* Responses -> plan, for the client. A server is trusted no more than anybody else: columns must agree, and
 * figures must be numbers. */
#include <math.h>
#include <string.h>

#include "codec/internal.h"

enum berth_code berth_codec_refuse_answer(struct berth_error *err, const char *field, const char *what) {
  return berth_fail(
      err, BERTH_INTERNAL, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, field, "the server's answer: %s: %s",
      field, what);
}

static bool is_column(size_t n, uint32_t n_buffers, bool may_be_empty) {
  return n == n_buffers || (n == 0 && may_be_empty);
}

/* The number of buffers is that of the offsets, or of the slots where there is no plan. */
static enum berth_code check_plan(const Berth__V1__Plan *m, uint32_t n_buffers, struct berth_error *err) {
  bool has_offsets = m->status == BERTH__V1__PLAN_STATUS__PLAN_STATUS_OPTIMAL ||
                     m->status == BERTH__V1__PLAN_STATUS__PLAN_STATUS_FEASIBLE ||
                     m->status == BERTH__V1__PLAN_STATUS__PLAN_STATUS_CUT_SHORT;
  if (m->status == BERTH__V1__PLAN_STATUS__PLAN_STATUS_UNSPECIFIED) {
    return berth_codec_refuse_answer(err, "plan.status", "is missing");
  }
  if (!is_column(m->n_buffer_offset, n_buffers, !has_offsets)) {
    return berth_codec_refuse_answer(err, "plan.buffer_offset", "does not have one entry a buffer");
  }
  if (!is_column(m->n_buffer_pool, n_buffers, true)) {
    return berth_codec_refuse_answer(err, "plan.buffer_pool", "does not have one entry a buffer");
  }
  if (!is_column(m->n_buffer_slot, n_buffers, true)) {
    return berth_codec_refuse_answer(err, "plan.buffer_slot", "does not have one entry a buffer");
  }
  if (m->n_sync_waiter != m->n_sync_signaller || m->n_sync_waiter > UINT32_MAX) {
    return berth_codec_refuse_answer(err, "plan.sync_signaller", "does not have one entry a wait");
  }
  if (m->n_sync_waiter > 0 && m->sync == NULL) {
    return berth_codec_refuse_answer(err, "plan.sync", "is missing, and there are added waits");
  }
  if (strlen(m->plan_id) != BERTH_PLANID_HEX_SIZE - 1) {
    return berth_codec_refuse_answer(err, "plan.plan_id", "is not 64 characters long");
  }
  if (!isfinite(m->rho) || !isfinite(m->solve_seconds)) {
    return berth_codec_refuse_answer(err, "plan.rho", "a figure is not a number");
  }
  if (m->n_class_bytes > BERTH_N_CLASSES || m->n_culprits > BERTH_MAX_CULPRITS || m->n_pools == 0) {
    return berth_codec_refuse_answer(err, "plan.pools", "too many entries, or none");
  }
  for (size_t i = 0; i < m->n_pools; i++) {
    if (m->pools[i]->n_class_bytes > BERTH_N_CLASSES) {
      return berth_codec_refuse_answer(err, "plan.pools", "a pool has more classes than there are");
    }
  }
  for (size_t i = 0; i < m->n_buffer_pool; i++) {
    if (m->buffer_pool[i] >= m->n_pools) {
      return berth_codec_refuse_answer(err, "plan.buffer_pool", "an entry names no pool");
    }
  }
  return BERTH_OK;
}

static void fill_figures(const Berth__V1__Plan *m, struct berth_plan *plan) {
  plan->status = (enum berth_plan_status)(m->status - 1);
  plan->arena_bytes = m->arena_bytes;
  plan->lower_bound_bytes = m->lower_bound_bytes;
  plan->naive_bytes = m->naive_bytes;
  plan->peak_bytes = m->peak_bytes;
  plan->reuse_bytes = m->reuse_bytes;
  plan->ticks = m->effort_ticks;
  plan->reuse = berth_codec_reuse_from_message(m->reuse);
  plan->spill_cost = m->spill_cost;
  plan->spill_cost_bound = m->spill_cost_bound;
  plan->short_by_bytes = m->short_by_bytes;
  if (m->stability != NULL) {
    plan->stability = (struct berth_stability){
        .is_asked = 1,
        .n_before = m->stability->before_count,
        .n_kept = m->stability->kept_count,
        .n_must = m->stability->must_count,
        .before_bytes = m->stability->before_bytes,
        .kept_bytes = m->stability->kept_bytes,
        .kept_bound = m->stability->kept_bound};
  }
  if (m->sync != NULL) {
    plan->sync = (struct berth_sync_result){
        .is_asked = 1,
        .cost_bytes = m->sync->cost_bytes,
        .without_bytes = m->sync->without_bytes,
        .bound_bytes = m->sync->bound_bytes};
  }
  for (size_t i = 0; i < m->n_class_bytes; i++) {
    plan->class_bytes[i] = m->class_bytes[i];
  }
  if (m->culprits_proof != BERTH__V1__CULPRITS_PROOF__CULPRITS_PROOF_UNSPECIFIED) {
    plan->culprits_proof = (enum berth_culprits_proof)(m->culprits_proof - 1);
  }
  plan->n_culprits = (uint32_t)m->n_culprits;
  for (size_t i = 0; i < m->n_culprits; i++) {
    plan->culprits[i] = m->culprits[i];
  }
  struct berth_pool_result *pools = berth_plan_pools_mut(plan);
  for (size_t i = 0; i < m->n_pools; i++) {
    pools[i] = (struct berth_pool_result){
        .arena_bytes = m->pools[i]->arena_bytes,
        .lower_bound_bytes = m->pools[i]->lower_bound_bytes,
        .peak_bytes = m->pools[i]->peak_bytes,
        .base_alignment = m->pools[i]->base_alignment,
        .peak_step = m->pools[i]->peak_step,
        .persistent_bytes = m->pools[i]->persistent_bytes,
    };
    for (size_t c = 0; c < m->pools[i]->n_class_bytes; c++) {
      pools[i].class_bytes[c] = m->pools[i]->class_bytes[c];
    }
  }
}

static void fill_columns(const Berth__V1__Plan *m, struct berth_plan *plan) {
  struct berth_sync *syncs = berth_plan_syncs_mut(plan);
  for (uint32_t i = 0; i < plan->n_syncs; i++) {
    syncs[i] = (struct berth_sync){.waiter = m->sync_waiter[i], .signaller = m->sync_signaller[i]};
  }
  if (m->n_buffer_offset > 0) {
    memcpy(berth_plan_offset_mut(plan), m->buffer_offset, m->n_buffer_offset * sizeof *m->buffer_offset);
  }
  if (m->n_buffer_pool > 0) {
    memcpy(berth_plan_pool_mut(plan), m->buffer_pool, m->n_buffer_pool * sizeof *m->buffer_pool);
  }
  if (m->n_buffer_slot > 0) {
    memcpy(berth_plan_slot_mut(plan), m->buffer_slot, m->n_buffer_slot * sizeof *m->buffer_slot);
  } else {
    plan->slot = NULL;
  }
  if (plan->status == BERTH_PLAN_INFEASIBLE || plan->status == BERTH_PLAN_UNKNOWN) {
    plan->offset = NULL;
    plan->pool = NULL;
  }
}

static enum berth_code plan_from_message(
    const struct berth_codec *codec, const Berth__V1__Plan *m, uint32_t n_buffers,
    struct berth_codec_plan *out, struct berth_error *err) {
  if (n_buffers == BERTH_NO_INDEX) {
    size_t n = m->n_buffer_offset > 0 ? m->n_buffer_offset : m->n_buffer_slot;
    n_buffers = n < BERTH_MAX_BUFFERS ? (uint32_t)n : BERTH_MAX_BUFFERS;
  }
  enum berth_code code = check_plan(m, n_buffers, err);
  if (code != BERTH_OK) {
    return code;
  }
  struct berth_plan *plan =
      berth_plan_create_synced(codec->allocator, n_buffers, (uint32_t)m->n_pools, (uint32_t)m->n_sync_waiter);
  if (plan == NULL) {
    return berth_fail_memory(err);
  }
  fill_figures(m, plan);
  fill_columns(m, plan);
  out->plan = plan;
  memcpy(out->plan_id, m->plan_id, BERTH_PLANID_HEX_SIZE);
  out->solve_seconds = m->solve_seconds;
  return BERTH_OK;
}

enum berth_code berth_codec_plan_from_response(
    const struct berth_codec *codec, const Berth__V1__ComputePlanResponse *m, uint32_t n_buffers,
    struct berth_codec_plan *out, struct berth_error *err) {
  out->cached = m->cached;
  return m->plan != NULL ? plan_from_message(codec, m->plan, n_buffers, out, err) : BERTH_OK;
}

enum berth_code berth_codec_unpack_answer(
    const struct berth_codec *codec, const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
    size_t n_bytes, struct berth_codec_memory *memory, ProtobufCMessage **out, struct berth_error *err) {
  enum berth_code code = berth_codec_unpack(codec, descriptor, true, bytes, n_bytes, memory, out, err);
  if (code == BERTH_INVALID_ARGUMENT) {
    code = BERTH_INTERNAL;
    if (err != NULL) {
      err->code = code;
    }
  }
  return code;
}

enum berth_code berth_codec_decode_compute_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, uint32_t n_buffers,
    struct berth_codec_plan *out, struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_codec_plan){0};
  enum berth_code code = berth_codec_unpack_answer(
      codec, &berth__v1__compute_plan_response__descriptor, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = berth_codec_plan_from_response(
      codec, (const Berth__V1__ComputePlanResponse *)message, n_buffers, out, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}

enum berth_code berth_codec_decode_plan(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, uint32_t n_buffers,
    struct berth_codec_plan *out, struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_codec_plan){0};
  enum berth_code code =
      berth_codec_unpack_answer(codec, &berth__v1__plan__descriptor, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = plan_from_message(codec, (const Berth__V1__Plan *)message, n_buffers, out, err);
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}

enum berth_code berth_codec_decode_get_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_plan *out,
    struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_codec_plan){0};
  enum berth_code code = berth_codec_unpack_answer(
      codec, &berth__v1__get_plan_response__descriptor, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  const Berth__V1__Plan *plan = ((const Berth__V1__GetPlanResponse *)message)->plan;
  code = plan != NULL ? plan_from_message(codec, plan, BERTH_NO_INDEX, out, err)
                      : berth_codec_refuse_answer(err, "plan", "is missing");
  out->cached = true;
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}

static enum berth_code
progress_from_message(const Berth__V1__Progress *m, struct berth_codec_event *out, struct berth_error *err) {
  if (!isfinite(m->elapsed_seconds)) {
    return berth_codec_refuse_answer(err, "progress.elapsed_seconds", "is not a number");
  }
  out->progress = (struct berth_progress){
      .arena_bytes = m->arena_bytes == 0 ? BERTH_UNLIMITED : m->arena_bytes,
      .lower_bound_bytes = m->lower_bound_bytes,
      .ticks = m->effort_ticks,
  };
  out->elapsed_seconds = m->elapsed_seconds;
  return BERTH_OK;
}

enum berth_code berth_codec_decode_stream_response(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, uint32_t n_buffers,
    struct berth_codec_event *out, struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_codec_event){0};
  enum berth_code code = berth_codec_unpack_answer(
      codec, &berth__v1__stream_plan_response__descriptor, bytes, n_bytes, &memory, &message, err);
  if (code != BERTH_OK) {
    return code;
  }
  const Berth__V1__StreamPlanResponse *response = (const Berth__V1__StreamPlanResponse *)message;
  switch (response->event_case) {
  case BERTH__V1__STREAM_PLAN_RESPONSE__EVENT_PROGRESS:
    code = progress_from_message(response->progress, out, err);
    break;
  case BERTH__V1__STREAM_PLAN_RESPONSE__EVENT_RESULT:
    out->is_result = true;
    code = berth_codec_plan_from_response(codec, response->result, n_buffers, &out->result, err);
    break;
  default:
    code = berth_codec_refuse_answer(err, "event", "is neither progress nor a result");
    break;
  }
  protobuf_c_message_free_unpacked(message, &memory.base);
  return code;
}
