/* The plans that a daemon has, over the channel. */
#include "codec/stored.h"
#include "engine/engine.h"
#include "rpc/rpc.h"

static struct berthctl_rpc_call watched_call(struct berthctl_watch *watch) {
  return (struct berthctl_rpc_call){
      .timeout_ns = watch->timeout_ns, .ctx = watch, .should_stop = berthctl_watch_interrupted};
}

enum berth_code berthctl_remote_list(
    const char *server, uint32_t page_size, struct berthctl_watch *watch, struct berth_stored_plan *out_plans,
    uint32_t *out_n_plans, char token[BERTH_PAGE_TOKEN_SIZE], struct berth_error *err) {
  struct berthctl_rpc *rpc = NULL;
  enum berth_code code = berthctl_rpc_open(server, &rpc, err);
  *out_n_plans = 0;
  if (code == BERTH_OK) {
    struct berthctl_rpc_call call = watched_call(watch);
    code = berthctl_rpc_list(rpc, page_size, &call, out_plans, out_n_plans, token, err);
  }
  berthctl_rpc_close(rpc);
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
    struct berth_measurement *measurement, uint64_t *out_n_measurements, struct berth_error *err) {
  struct berthctl_rpc *rpc = NULL;
  enum berth_code code = berthctl_rpc_open(server, &rpc, err);
  if (code == BERTH_OK) {
    struct berthctl_rpc_call call = watched_call(watch);
    code = berthctl_rpc_measure(rpc, plan_id, &call, measurement, out_n_measurements, err);
  }
  berthctl_rpc_close(rpc);
  return code;
}
