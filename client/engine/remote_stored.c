/* The plans that a daemon has, over the channel. */
#include <stdlib.h>
#include <string.h>

#include "codec/stored.h"
#include "engine/engine.h"
#include "rpc/rpc.h"

_Static_assert((int)BERTHCTL_MAX_PAGE == (int)BERTH_PAGE_SIZE_MOST, "a page is as long as it may be");
_Static_assert((int)BERTHCTL_TOKEN_SIZE == (int)BERTH_PAGE_TOKEN_SIZE, "tokens are as long as they come");
_Static_assert((int)BERTHCTL_SOURCE_SIZE == (int)BERTH_MEASUREMENT_SOURCE_SIZE, "and so are sources");

static struct berthctl_rpc_call watched_call(struct berthctl_watch *watch) {
  return (struct berthctl_rpc_call){
      .timeout_ns = watch->timeout_ns, .ctx = watch, .should_stop = berthctl_watch_interrupted};
}

static void take_summary(const struct berth_codec_summary *from, struct berthctl_stored_plan *to) {
  *to = (struct berthctl_stored_plan){
      .status = from->status,
      .n_buffers = from->n_buffers,
      .arena_bytes = from->arena_bytes,
      .lower_bound_bytes = from->lower_bound_bytes,
      .peak_bytes = from->peak_bytes,
      .naive_bytes = from->naive_bytes,
      .solve_seconds = from->solve_seconds,
      .stored_bytes = from->stored_bytes,
      .n_measurements = from->n_measurements,
      .highest_ratio = from->highest_ratio};
  memcpy(to->plan_id, from->plan_id, sizeof to->plan_id);
}

enum berth_code berthctl_remote_list(
    const char *server, uint32_t page_size, struct berthctl_watch *watch,
    struct berthctl_stored_plan *out_plans, uint32_t *out_n_plans, char token[BERTHCTL_TOKEN_SIZE],
    struct berth_error *err) {
  struct berthctl_rpc *rpc = NULL;
  struct berth_codec_summary *summaries = malloc(BERTH_PAGE_SIZE_MOST * sizeof *summaries);
  enum berth_code code = summaries != NULL ? berthctl_rpc_open(server, &rpc, err) : berth_fail_memory(err);
  *out_n_plans = 0;
  if (code == BERTH_OK) {
    struct berthctl_rpc_call call = watched_call(watch);
    code = berthctl_rpc_list(rpc, page_size, &call, summaries, out_n_plans, token, err);
  }
  for (uint32_t i = 0; code == BERTH_OK && i < *out_n_plans; i++) {
    take_summary(&summaries[i], &out_plans[i]);
  }
  berthctl_rpc_close(rpc);
  free(summaries);
  return code;
}

enum berth_code berthctl_remote_delete(
    const char *server, const char *plan_id, struct berthctl_watch *watch, struct berth_error *err) {
  struct berthctl_rpc *rpc = NULL;
  enum berth_code code = berthctl_rpc_open(server, &rpc, err);
  if (code == BERTH_OK) {
    struct berthctl_rpc_call call = watched_call(watch);
    code = berthctl_rpc_delete(rpc, plan_id, &call, err);
  }
  berthctl_rpc_close(rpc);
  return code;
}

enum berth_code berthctl_remote_measure(
    const char *server, const char *plan_id, struct berthctl_watch *watch,
    struct berthctl_measurement *measurement, uint64_t *out_n_measurements, struct berth_error *err) {
  struct berthctl_rpc *rpc = NULL;
  struct berth_codec_measurement sent = {
      .pool = measurement->pool, .measured_bytes = measurement->measured_bytes};
  memcpy(sent.source, measurement->source, sizeof sent.source);
  enum berth_code code = berthctl_rpc_open(server, &rpc, err);
  if (code == BERTH_OK) {
    struct berthctl_rpc_call call = watched_call(watch);
    code = berthctl_rpc_measure(rpc, plan_id, &call, &sent, out_n_measurements, err);
  }
  if (code == BERTH_OK) {
    measurement->planned_bytes = sent.planned_bytes;
    measurement->ratio = sent.ratio;
  }
  berthctl_rpc_close(rpc);
  return code;
}
