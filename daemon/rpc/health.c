/* grpc.health.v1.Health: Check, and Watch with every change.
 *
 * A watcher is in the list from its start until its client leaves or the server drains. A change is written
 * to all of them; call_write keeps only the newest for one that is slow. */
#include <string.h>

#include "codec/memory.h"
#include "grpc/health/v1/health.pb-c.h"
#include "rpc/internal.h"

enum service { SERVICE_ALL, SERVICE_PLAN, SERVICE_UNKNOWN };

static enum service service_of(const char *name) {
  if (name[0] == '\0') {
    return SERVICE_ALL;
  }
  return strcmp(name, "berth.v1.PlanService") == 0 ? SERVICE_PLAN : SERVICE_UNKNOWN;
}

static Grpc__Health__V1__HealthCheckResponse__ServingStatus status_of(bool serving, enum service service) {
  if (service == SERVICE_UNKNOWN) {
    return GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN;
  }
  return serving ? GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING
                 : GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING;
}

static bool status_message(bool serving, enum service service, grpc_slice *out) {
  Grpc__Health__V1__HealthCheckResponse response = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
  response.status = status_of(serving, service);
  return pack_small(&response.base, out);
}

static enum berth_code read_service(struct call *call, enum service *out_service, struct berth_error *err) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  enum berth_code code = unpack_small(
      &grpc__health__v1__health_check_request__descriptor, call->payload, &memory, &message, err);
  if (code == BERTH_OK) {
    *out_service = service_of(((const Grpc__Health__V1__HealthCheckRequest *)message)->service);
    protobuf_c_message_free_unpacked(message, &memory.base);
  }
  return code;
}

void health_init(struct health *health) {
  *health = (struct health){0};
  pthread_mutex_init(&health->lock, NULL);
}

void health_finish(struct health *health) {
  pthread_mutex_destroy(&health->lock);
}

/* ---- Check ---- */

void health_check_start(struct call *call) {
  struct health *health = &call->rpc->health;
  struct berth_error err;
  struct reply reply;
  grpc_slice message;
  enum service service;
  enum berth_code code = read_service(call, &service, &err);
  if (code == BERTH_OK && service == SERVICE_UNKNOWN) {
    code = berth_fail(
        &err, BERTH_NOT_FOUND, BERTH_REASON_UNKNOWN_ID, BERTH_NO_INDEX, "service", "no such service is here");
  }
  pthread_mutex_lock(&health->lock);
  bool serving = health->serving;
  pthread_mutex_unlock(&health->lock);
  if (code == BERTH_OK && !status_message(serving, service, &message)) {
    code = berth_fail_memory(&err);
  }
  if (code == BERTH_OK) {
    reply_message(&reply, message);
  } else {
    reply_error(&reply, &err, 0, NULL, 0);
  }
  call_finish(call, &reply);
}

/* ---- Watch ---- */

static void link_watcher(struct health *health, struct call *call) {
  call->watching = true;
  call->watch_previous = NULL;
  call->watch_next = health->watchers;
  if (health->watchers != NULL) {
    health->watchers->watch_previous = call;
  }
  health->watchers = call_ref(call);
}

/* True if it was in the list, and then the caller has the list's reference. */
static bool unlink_watcher(struct health *health, struct call *call) {
  if (!call->watching) {
    return false;
  }
  call->watching = false;
  *(call->watch_previous != NULL ? &call->watch_previous->watch_next : &health->watchers) = call->watch_next;
  if (call->watch_next != NULL) {
    call->watch_next->watch_previous = call->watch_previous;
  }
  return true;
}

static void end_watch(struct call *call) {
  struct berth_error err;
  berth_fail(
      &err, BERTH_UNAVAILABLE, BERTH_REASON_DRAINING, BERTH_NO_INDEX, NULL, "the server is shutting down");
  call_fail(call, &err);
}

bool endless_leave(struct call *call) {
  struct health *health = &call->rpc->health;
  pthread_mutex_lock(&health->lock);
  bool was_in = unlink_watcher(health, call);
  pthread_mutex_unlock(&health->lock);
  return was_in;
}

static void tell(const struct health *health, struct call *call) {
  grpc_slice message;
  if (status_message(health->serving, (enum service)call->watched_service, &message)) {
    call_write(call, message);
  }
}

bool endless_join(struct call *call) {
  struct health *health = &call->rpc->health;
  pthread_mutex_lock(&health->lock);
  bool closing = health->closing;
  if (!closing) {
    link_watcher(health, call);
    if (call->method->label == BERTHD_METHOD_HEALTH_WATCH) {
      tell(health, call);
    }
  }
  pthread_mutex_unlock(&health->lock);
  if (closing) {
    end_watch(call);
  }
  return !closing;
}

static void on_watcher_gone(struct call *call) {
  if (endless_leave(call)) {
    struct berth_error err;
    berth_fail(
        &err, BERTH_CANCELLED, BERTH_REASON_CANCELLED, BERTH_NO_INDEX, NULL, "the client ended its watch");
    call_fail(call, &err);
    call_unref(call);
  }
}

void health_watch_start(struct call *call) {
  struct berth_error err;
  enum service service;
  if (read_service(call, &service, &err) != BERTH_OK) {
    call_fail(call, &err);
    return;
  }
  call->watched_service = service;
  call->sends_next_last = true; /* that the server does not serve any more is what a watch is for */
  call->on_closed = on_watcher_gone;
  call_ref(call);
  if (endless_join(call)) {
    call_watch_close(call);
  }
  call_unref(call);
}

/* ---- Changes ---- */

void health_set(struct berthd_rpc *rpc, bool serving) {
  struct health *health = &rpc->health;
  pthread_mutex_lock(&health->lock);
  if (health->serving != serving) {
    health->serving = serving;
    for (struct call *call = health->watchers; call != NULL; call = call->watch_next) {
      bool told =
          call->method->label == BERTHD_METHOD_HEALTH_WATCH && call->watched_service != SERVICE_UNKNOWN;
      if (told) {
        tell(health, call);
      }
    }
  }
  pthread_mutex_unlock(&health->lock);
}

void health_close(struct berthd_rpc *rpc) {
  struct health *health = &rpc->health;
  health_set(rpc, false);
  pthread_mutex_lock(&health->lock);
  health->closing = true;
  while (health->watchers != NULL) {
    struct call *call = health->watchers;
    unlink_watcher(health, call);
    end_watch(call);
    call_unref(call);
  }
  pthread_mutex_unlock(&health->lock);
}
