/* One call: posted, come, answered, gone.
 *
 *   posted --came--> running --call_finish--> ended --finished--> freed
 *
 * Happy path of a unary call that is answered at once: one batch with metadata, message, status and the
 * client's close. A call that waits for a worker first asks for the client's close in a batch of its own, and
 * learns from it that the client left. Batches are started under the call's lock, by whichever thread has the
 * answer.
 *
 * References: one from the start until `finished`, one for each batch under way, one for each callback that
 * the core still owes, one for a place in the list of watchers. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "log/log.h"
#include "rpc/internal.h"

int64_t monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t call_deadline_ns(const struct call *call) {
  if (gpr_time_cmp(call->deadline, gpr_inf_future(call->deadline.clock_type)) == 0) {
    return BERTHD_NO_DEADLINE;
  }
  gpr_timespec left = gpr_convert_clock_type(call->deadline, GPR_TIMESPAN);
  int64_t left_ns;
  if (__builtin_mul_overflow(left.tv_sec, INT64_C(1000000000), &left_ns) ||
      __builtin_add_overflow(left_ns, left.tv_nsec, &left_ns) ||
      __builtin_add_overflow(left_ns, monotonic_ns(), &left_ns)) {
    return left.tv_sec < 0 ? 0
                           : BERTHD_NO_DEADLINE - 1; /* far, but it is one: the core cuts it to its limit */
  }
  return left_ns;
}

/* ---- Life ---- */

static void destroy(struct call *call) {
  struct berthd_rpc *counted = call->call != NULL ? call->rpc : NULL;
  if (call->call != NULL) {
    grpc_call_unref(call->call);
  }
  grpc_metadata_array_destroy(&call->metadata);
  if (call->method->path == NULL) {
    grpc_call_details_destroy(&call->details);
  }
  grpc_byte_buffer_destroy(call->payload);
  grpc_byte_buffer_destroy(call->incoming);
  grpc_byte_buffer_destroy(call->sending);
  if (call->has_next) {
    grpc_slice_unref(call->next);
  }
  if (call->has_reply) {
    reply_drop(&call->reply);
  }
  berthd_request_unref(call->request);
  variants_destroy(call->variants);
  berth_problem_unref(call->problem);
  berth_stable_unref(call->stable);
  pthread_mutex_destroy(&call->lock);
  free(call);
  if (counted != NULL) {
    rpc_close(counted); /* last: the server, and gRPC with it, may be gone from here on */
  }
}

struct call *call_ref(struct call *call) {
  atomic_fetch_add_explicit(&call->n_refs, 1, memory_order_relaxed);
  return call;
}

void call_unref(struct call *call) {
  if (atomic_fetch_sub_explicit(&call->n_refs, 1, memory_order_acq_rel) == 1) {
    destroy(call);
  }
}

/* Posts that could not be made when it was their time. */
static void post_what_failed(struct berthd_rpc *rpc) {
  for (size_t i = 0; i < N_METHODS; i++) {
    unsigned n = atomic_exchange(&rpc->n_unposted[i], 0);
    for (; n > 0; n--) {
      call_post(rpc, &METHODS[i]); /* one that fails again is counted again */
    }
  }
}

/* The end of the call tells whether the client is to blame, or was gone (on_finished). */
static void fail_without_payload(struct call *call) {
  struct berth_error err;
  berth_fail(
      &err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, BERTH_NO_INDEX, NULL,
      "the call has no message");
  call_fail(call, &err);
}

static void on_came(struct event *event, bool ok) {
  struct call *call = CONTAINER(event, struct call, came);
  if (!ok) { /* the server shuts down */
    call_unref(call);
    return;
  }
  struct berthd_rpc *rpc = call->rpc;
  rpc_open(rpc);
  if (!atomic_load_explicit(&rpc->draining, memory_order_relaxed)) {
    call_post(rpc, call->method);
    post_what_failed(rpc);
  }
  call->started_ns = monotonic_ns();
  call->id = atomic_fetch_add(&rpc->n_calls, 1) + 1;
  if (call->method->path == NULL) {
    call->deadline = call->details.deadline;
  }
  berthd_metrics_add(rpc->metrics, BERTHD_METRIC_CALL_STARTED, call->method->label, 0, 1);
  call->lacks_payload = call->method->has_payload && call->payload == NULL;
  if (call->lacks_payload) {
    fail_without_payload(call);
  } else {
    call->method->start(call);
  }
}

static void on_closed(struct event *event, bool ok) {
  (void)ok; /* always succeeds */
  struct call *call = CONTAINER(event, struct call, closed);
  if (call->cancelled && call->request != NULL) {
    berthd_request_cancel(call->request);
  }
  if (call->on_closed != NULL) {
    call->on_closed(call);
  }
  call_unref(call);
}

/* A line a call: what failed, and at level debug all of them. */
static void log_call(const struct call *call, double seconds) {
  bool is_good = call->reply.code == BERTH_OK;
  if (!berthd_log_is_on(is_good ? BERTHD_LOG_DEBUG : BERTHD_LOG_INFO)) {
    return;
  }
  char text[256] = "";
  size_t n = is_good ? 0 : GRPC_SLICE_LENGTH(call->reply.text);
  n = n < sizeof text ? n : sizeof text - 1;
  memcpy(text, GRPC_SLICE_START_PTR(call->reply.text), n);
  const struct berthd_log_field fields[] = {
      BERTHD_U64("call", call->id),
      BERTHD_STR("method", call->method->path != NULL ? call->method->path : "unknown"),
      BERTHD_STR("code", berth_code_name(call->reply.code)),
      BERTHD_F64("seconds", seconds),
      BERTHD_STR("message", n > 0 ? text : NULL),
  };
  berthd_log_write(
      is_good ? BERTHD_LOG_DEBUG : BERTHD_LOG_INFO, "call.done", fields, sizeof fields / sizeof fields[0]);
}

static void on_finished(struct event *event, bool ok) {
  (void)ok; /* false: the client did not wait for the answer */
  struct call *call = CONTAINER(event, struct call, finished);
  double seconds = (double)(monotonic_ns() - call->started_ns) / 1e9;
  if (call->lacks_payload && call->cancelled) {
    call->reply.code = BERTH_CANCELLED; /* it left before its message came */
  } else if (call->lacks_payload) {
    berthd_metrics_add(call->rpc->metrics, BERTHD_METRIC_REJECTED, BERTHD_REJECTION_MALFORMED, 0, 1);
  }
  berthd_metrics_observe(
      call->rpc->metrics, BERTHD_METRIC_CALL_DURATION, call->method->label, (unsigned)call->reply.code,
      seconds);
  log_call(call, seconds);
  call_unref(call);
}

static void on_written(struct event *event, bool ok);

void call_post(struct berthd_rpc *rpc, const struct method *method) {
  size_t index = (size_t)(method - METHODS);
  struct call *call = calloc(1, sizeof *call);
  if (call == NULL || pthread_mutex_init(&call->lock, NULL) != 0) {
    free(call);
    atomic_fetch_add(&rpc->n_unposted[index], 1);
    BERTHD_LOG(
        ERROR, "rpc.post_failed", BERTHD_STR("method", method->path), BERTHD_STR("why", "out of memory"));
    return;
  }
  call->rpc = rpc;
  call->method = method;
  atomic_init(&call->n_refs, 1);
  event_arm(&call->closed, on_closed);
  event_arm(&call->finished, on_finished);
  event_arm(&call->written, on_written);
  grpc_metadata_array_init(&call->metadata);
  grpc_call_error error;
  event_arm(&call->came, on_came);
  if (method->path != NULL) {
    error = grpc_server_request_registered_call(
        rpc->server, rpc->registrations[index], &call->call, &call->deadline, &call->metadata,
        method->has_payload ? &call->payload : NULL, rpc->queue, rpc->queue, &call->came);
  } else {
    grpc_call_details_init(&call->details);
    event_arm(&call->came, on_came);
    error = grpc_server_request_call(
        rpc->server, &call->call, &call->details, &call->metadata, rpc->queue, rpc->queue, &call->came);
  }
  if (error != GRPC_CALL_OK) {
    BERTHD_LOG(
        ERROR, "rpc.post_failed", BERTHD_STR("method", method->path),
        BERTHD_STR("why", grpc_call_error_to_string(error)));
    call_unref(call);
  }
}

/* ---- Batches; the lock is held ---- */

static bool start(struct call *call, const grpc_op *ops, size_t n_ops, struct event *event) {
  call_ref(call);
  event_arm(event, atomic_load_explicit(&event->run, memory_order_relaxed));
  grpc_call_error error = grpc_call_start_batch(call->call, ops, n_ops, event, NULL);
  if (error == GRPC_CALL_OK) {
    return true;
  }
  BERTHD_LOG(ERROR, "rpc.batch_failed", BERTHD_STR("why", grpc_call_error_to_string(error)));
  atomic_fetch_sub(&call->n_refs, 1); /* the caller holds another */
  return false;
}

/* The metadata goes out with the first batch that sends. */
static size_t add_metadata_op(struct call *call, grpc_op *ops) {
  if (call->metadata_sent) {
    return 0;
  }
  call->metadata_sent = true;
  ops[0] = (grpc_op){.op = GRPC_OP_SEND_INITIAL_METADATA};
  return 1;
}

static size_t add_message_op(struct call *call, grpc_op *ops, grpc_slice message) {
  grpc_byte_buffer_destroy(call->sending);
  call->sending = grpc_raw_byte_buffer_create(&message, 1);
  ops[0] = (grpc_op){.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = call->sending};
  return 1;
}

static void start_final(struct call *call) {
  grpc_op ops[4];
  struct reply *reply = &call->reply;
  size_t n = add_metadata_op(call, ops);
  if (reply->has_message) {
    n += add_message_op(call, ops + n, reply->message);
  }
  ops[n] = (grpc_op){.op = GRPC_OP_SEND_STATUS_FROM_SERVER};
  ops[n].data.send_status_from_server.status = (grpc_status_code)reply->code;
  ops[n].data.send_status_from_server.status_details = &reply->text;
  ops[n].data.send_status_from_server.trailing_metadata_count = reply->n_trailers;
  ops[n].data.send_status_from_server.trailing_metadata = reply->trailers;
  n++;
  if (!call->close_started) {
    call->close_started = true;
    ops[n] = (grpc_op){.op = GRPC_OP_RECV_CLOSE_ON_SERVER};
    ops[n].data.recv_close_on_server.cancelled = &call->cancelled;
    n++;
  }
  /* The batch takes over the reference that the call has from its start; the caller holds another. */
  start(call, ops, n, &call->finished);
  atomic_fetch_sub(&call->n_refs, 1);
}

static void start_write(struct call *call, grpc_slice message) {
  grpc_op ops[2];
  size_t n = add_metadata_op(call, ops);
  n += add_message_op(call, ops + n, message);
  call->writing = start(call, ops, n, &call->written);
  grpc_slice_unref(message); /* the byte buffer has its own reference */
}

static void on_written(struct event *event, bool ok) {
  struct call *call = CONTAINER(event, struct call, written);
  pthread_mutex_lock(&call->lock);
  call->writing = false;
  if (call->has_next && ok && (!call->ended || call->sends_next_last)) {
    call->has_next = false;
    start_write(call, call->next);
  }
  if (call->ended && call->has_reply && !call->writing) {
    start_final(call);
  }
  bool told = !call->ended && !call->writing && call->on_written != NULL;
  pthread_mutex_unlock(&call->lock);
  if (told) {
    call->on_written(call);
  }
  call_unref(call);
}

/* ---- What handlers do ---- */

void call_watch_close(struct call *call) {
  pthread_mutex_lock(&call->lock);
  if (!call->close_started) {
    call->close_started = true;
    grpc_op op = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER};
    op.data.recv_close_on_server.cancelled = &call->cancelled;
    start(call, &op, 1, &call->closed);
  }
  pthread_mutex_unlock(&call->lock);
}

void call_write(struct call *call, grpc_slice message) {
  pthread_mutex_lock(&call->lock);
  if (call->ended) {
    grpc_slice_unref(message);
  } else if (call->writing) {
    if (call->has_next) {
      grpc_slice_unref(call->next);
    }
    call->next = message;
    call->has_next = true;
  } else {
    start_write(call, message);
  }
  pthread_mutex_unlock(&call->lock);
}

void call_finish(struct call *call, struct reply *reply) {
  pthread_mutex_lock(&call->lock);
  if (call->ended) {
    pthread_mutex_unlock(&call->lock);
    reply_drop(reply);
    return;
  }
  call->ended = true;
  call->reply = *reply;
  call->has_reply = true;
  if (!call->writing) {
    call_ref(call);
    start_final(call);
    pthread_mutex_unlock(&call->lock);
    call_unref(call);
    return;
  }
  pthread_mutex_unlock(&call->lock);
}

void call_fail(struct call *call, const struct berth_error *err) {
  struct reply reply;
  reply_error(&reply, err, 0, NULL, 0);
  call_finish(call, &reply);
}
