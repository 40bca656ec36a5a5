#include "codec/places.h"

#include <string.h>

static enum berth_code
wrong_length(struct berth_error *err, const char *field, size_t n, uint32_t n_buffers) {
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_COLUMN_LENGTH, BERTH_NO_INDEX, field,
      "%s has %zu entries, but the problem has %u buffers", field, n, n_buffers);
}

static enum berth_code
check_pools(const struct berth_problem *problem, size_t n, const uint32_t *pool, struct berth_error *err) {
  uint32_t n_pools = berth_problem_pools(problem)->n;
  for (size_t i = 0; i < n; i++) {
    if (pool[i] >= n_pools) {
      return berth_fail(
          err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_POOL, (uint32_t)i, "buffer_pool",
          "buffer_pool[%zu]: there is no pool %u", i, pool[i]);
    }
  }
  return BERTH_OK;
}

static size_t bytes_of(size_t n, size_t size) { /* both are bounded by the message */
  return n > 0 ? n * size : 1;
}

static enum berth_code copy_column(
    const struct berth_allocator *allocator, const void *from, size_t n, size_t size, void *out_pointer,
    struct berth_error *err) {
  void *copy = allocator->resize(allocator->ctx, NULL, 0, bytes_of(n, size));
  if (copy == NULL) {
    return berth_fail_memory(err);
  }
  if (n > 0) {
    memcpy(copy, from, n * size);
  }
  memcpy(out_pointer, &copy, sizeof copy);
  return BERTH_OK;
}

enum berth_code berth_codec_take_places(
    const struct berth_allocator *allocator, const struct berth_problem *problem, size_t n_offsets,
    const uint64_t *offset, size_t n_pools, const uint32_t *pool, bool may_be_empty,
    struct berth_codec_places *out, struct berth_error *err) {
  uint32_t n = berth_problem_buffers(problem)->n;
  bool is_empty = may_be_empty && n_offsets == 0 && n_pools == 0;
  *out = (struct berth_codec_places){.offset = NULL};
  if (is_empty) {
    return BERTH_OK;
  }
  if (n_offsets != n) {
    return wrong_length(err, "buffer_offset", n_offsets, n);
  }
  if (n_pools != n && n_pools != 0) {
    return wrong_length(err, "buffer_pool", n_pools, n);
  }
  enum berth_code code = check_pools(problem, n_pools, pool, err);
  if (code == BERTH_OK) {
    code = copy_column(allocator, offset, n, sizeof *offset, &out->offset, err);
  }
  if (code == BERTH_OK && n_pools > 0) {
    code = copy_column(allocator, pool, n, sizeof *pool, &out->pool, err);
  }
  return code;
}

static void give_back(const struct berth_allocator *allocator, void *column, size_t n_bytes) {
  if (column != NULL) {
    allocator->resize(allocator->ctx, column, n_bytes, 0);
  }
}

void berth_codec_give_back_places(
    const struct berth_allocator *allocator, const struct berth_problem *problem,
    struct berth_codec_places *places) {
  size_t n = berth_problem_buffers(problem)->n;
  give_back(allocator, places->offset, bytes_of(n, sizeof *places->offset));
  give_back(allocator, places->pool, bytes_of(n, sizeof *places->pool));
  *places = (struct berth_codec_places){.offset = NULL};
}
