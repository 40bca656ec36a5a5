/* The plans that the core has: got, listed, forgotten, measured. All of it is answered at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/stored.h"
#include "rpc/internal.h"

/* ---- GetPlan and BatchGetPlans ---- */

static enum berth_code find(
    struct berthd_rpc *rpc, struct berth_codec_plan *plan, struct berth_planid *id, struct berth_error *err) {
  plan->cached = true;
  enum berth_code code = berth_planid_parse(plan->plan_id, strlen(plan->plan_id), id, err);
  return code == BERTH_OK ? berthd_core_get(rpc->core, id, &plan->plan, &plan->solve_seconds, err) : code;
}

static enum berth_code
get(struct berthd_rpc *rpc, const uint8_t *bytes, size_t n_bytes, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  struct berth_codec_plan plan = {.plan = NULL};
  struct berth_planid id;
  struct berth_measured measured;
  enum berth_code code = berth_codec_decode_get(&rpc->codec, bytes, n_bytes, plan.plan_id, err);
  code = code == BERTH_OK ? find(rpc, &plan, &id, err) : code;
  if (code != BERTH_OK) {
    return code;
  }
  berthd_core_measured(rpc->core, &id, &measured);
  code = berth_codec_encode_got(&plan, &measured, NULL, sink, err);
  berth_plan_unref(plan.plan);
  return code;
}

void get_start(struct call *call) {
  answer_at_once(call, get);
}

/* What a reply would take, at least: it is held against the limit of a message before it is made. */
static enum berth_code find_all(
    struct berthd_rpc *rpc, const struct berth_codec_batch *batch, struct berth_codec_plan *plans,
    struct berth_error *err) {
  uint64_t n_bytes = 0;
  for (uint32_t i = 0; i < batch->n; i++) {
    struct berth_planid id;
    memcpy(plans[i].plan_id, batch->plan_ids[i], sizeof plans[i].plan_id);
    enum berth_code code = find(rpc, &plans[i], &id, err);
    if (code != BERTH_OK) {
      err->index = i;
      snprintf(err->field, sizeof err->field, "plan_ids[%u]", i);
      return code;
    }
    n_bytes += berth_plan_n_bytes(plans[i].plan);
    if (n_bytes > rpc->config.limits.message_bytes) {
      return berth_fail(
          err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, i, "plan_ids",
          "the plans together are larger than the limit of %llu bytes; ask for fewer",
          (unsigned long long)rpc->config.limits.message_bytes);
    }
  }
  return BERTH_OK;
}

static enum berth_code batch(
    struct berthd_rpc *rpc, const uint8_t *bytes, size_t n_bytes, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  struct berth_codec_batch request;
  enum berth_code code = berth_codec_decode_batch(&rpc->codec, bytes, n_bytes, &request, err);
  if (code != BERTH_OK) {
    return code;
  }
  struct berth_codec_plan *plans = calloc(request.n, sizeof *plans);
  code = plans != NULL ? find_all(rpc, &request, plans, err) : berth_fail_memory(err);
  if (code == BERTH_OK) {
    code = berth_codec_encode_batch_response(plans, request.n, NULL, sink, err);
  }
  for (uint32_t i = 0; plans != NULL && i < request.n; i++) {
    berth_plan_unref(plans[i].plan);
  }
  free(plans);
  berth_codec_batch_finish(&request);
  return code;
}

void batch_start(struct call *call) {
  answer_at_once(call, batch);
}

/* ---- ListPlans ---- */

static enum berth_code list(
    struct berthd_rpc *rpc, const uint8_t *bytes, size_t n_bytes, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  struct berth_codec_list request;
  enum berth_code code = berth_codec_decode_list(&rpc->codec, bytes, n_bytes, &request, err);
  if (code != BERTH_OK) {
    return code;
  }
  struct berth_stored_plan *plans = malloc(request.page_size * sizeof *plans);
  uint32_t n = 0;
  uint64_t next = 0;
  bool has_next = false;
  code = plans != NULL ? berthd_core_list(
                             rpc->core, request.has_after ? &request.after : NULL, request.page_size, plans,
                             &n, &next, &has_next, err)
                       : berth_fail_memory(err);
  if (code == BERTH_OK) {
    code = berth_codec_encode_list_response(plans, n, has_next ? &next : NULL, NULL, sink, err);
  }
  free(plans);
  return code;
}

void list_start(struct call *call) {
  answer_at_once(call, list);
}

/* ---- DeletePlan ---- */

static enum berth_code forget(
    struct berthd_rpc *rpc, const uint8_t *bytes, size_t n_bytes, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  char plan_id[BERTH_PLANID_HEX_SIZE];
  struct berth_planid id;
  enum berth_code code = berth_codec_decode_delete(&rpc->codec, bytes, n_bytes, plan_id, err);
  if (code == BERTH_OK) {
    code = berth_planid_parse(plan_id, strlen(plan_id), &id, err);
  }
  if (code == BERTH_OK) {
    code = berthd_core_delete(rpc->core, &id, err);
  }
  return code == BERTH_OK ? berth_codec_encode_delete_response(sink, err) : code;
}

void delete_start(struct call *call) {
  answer_at_once(call, forget);
}

/* ---- ReportMeasurement ---- */

static enum berth_code measure(
    struct berthd_rpc *rpc, const uint8_t *bytes, size_t n_bytes, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  char plan_id[BERTH_PLANID_HEX_SIZE];
  struct berth_planid id;
  struct berth_measurement measurement;
  struct berth_measured measured;
  enum berth_code code =
      berth_codec_decode_measurement_report(&rpc->codec, bytes, n_bytes, plan_id, &measurement, err);
  if (code == BERTH_OK) {
    code = berth_planid_parse(plan_id, strlen(plan_id), &id, err);
  }
  if (code == BERTH_OK) {
    code = berthd_core_measure(rpc->core, &id, &measurement, &measured, err);
  }
  if (code != BERTH_OK) {
    return code;
  }
  return berth_codec_encode_measurement_response(&measured.items[0], measured.n_all, sink, err);
}

void measure_start(struct call *call) {
  answer_at_once(call, measure);
}
