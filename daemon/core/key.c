#include <stdlib.h>
#include <string.h>

#include "berth/canonical.h"
#include "core/internal.h"

struct sink {
  uint8_t *bytes;
  size_t n;
  size_t capacity;
  bool failed;
};

static void sink_write(void *ctx, const void *bytes, size_t n_bytes) {
  struct sink *sink = ctx;
  if (sink->failed) {
    return;
  }
  if (n_bytes > sink->capacity - sink->n) {
    size_t capacity = 2 * sink->capacity + n_bytes + 256;
    uint8_t *grown = realloc(sink->bytes, capacity);
    if (grown == NULL) {
      sink->failed = true;
      return;
    }
    sink->bytes = grown;
    sink->capacity = capacity;
  }
  memcpy(sink->bytes + sink->n, bytes, n_bytes);
  sink->n += n_bytes;
}

enum berth_code berthd_order_create(
    const struct berth_problem *problem, const struct berth_allocator *allocator,
    struct berthd_order **out_order, struct berth_error *err) {
  uint32_t n = berth_problem_buffers(problem)->n;
  struct berthd_order *order = malloc(sizeof *order + (size_t)n * sizeof order->items[0]);
  *out_order = order;
  if (order == NULL) {
    return berth_fail_memory(err);
  }
  atomic_init(&order->n_refs, 1);
  order->n = n;
  enum berth_code code = berth_problem_canonical_order(problem, allocator, order->items, err);
  order->is_identity = code == BERTH_OK;
  for (uint32_t k = 0; k < n && order->is_identity; k++) {
    order->is_identity = order->items[k] == k;
  }
  return code;
}

struct berthd_order *berthd_order_ref(struct berthd_order *order) {
  atomic_fetch_add_explicit(&order->n_refs, 1, memory_order_relaxed);
  return order;
}

void berthd_order_unref(struct berthd_order *order) {
  if (order != NULL && atomic_fetch_sub_explicit(&order->n_refs, 1, memory_order_acq_rel) == 1) {
    free(order);
  }
}

bool berthd_order_equals(const struct berthd_order *a, const struct berthd_order *b) {
  return a == b || (a->n == b->n && memcmp(a->items, b->items, (size_t)a->n * sizeof a->items[0]) == 0);
}

enum berth_code berthd_key_init(
    struct berthd_key *key, const struct berth_problem *problem, const struct berth_solve_options *options,
    struct berth_error *err) {
  *key = (struct berthd_key){0};
  struct sink sink = {0};
  enum berth_code code = berthd_order_create(problem, NULL, &key->order, err);
  if (code == BERTH_OK) {
    code = berth_planid_encode_map(
        problem, key->order->items, options, &sink, sink_write, &key->digests.map, err);
  }
  if (code == BERTH_OK && sink.failed) {
    code = berth_fail_memory(err);
  }
  if (code == BERTH_OK) {
    code = berth_planid_of_bytes(sink.bytes, sink.n, &key->id, err);
  }
  key->bytes = sink.bytes;
  key->n_bytes = sink.n;
  if (code != BERTH_OK) {
    berthd_key_finish(key);
  }
  return code;
}

void berthd_key_finish(struct berthd_key *key) {
  free(key->bytes);
  berthd_order_unref(key->order);
  *key = (struct berthd_key){0};
}
