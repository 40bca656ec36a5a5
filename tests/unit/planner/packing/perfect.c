#include "perfect.h"

#include "suite.h"

static void add(struct perfect *perfect, uint32_t lower, uint32_t upper, uint64_t size) {
  uint32_t b = perfect->instance.n_buffers++;
  perfect->lower[b] = lower;
  perfect->upper[b] = upper;
  perfect->size[b] = size;
}

static uint64_t area(const struct perfect *perfect, uint32_t b) {
  return (perfect->upper[b] - perfect->lower[b]) * perfect->size[b];
}

/* The largest of three. */
static uint32_t draw_piece(const struct perfect *perfect, struct berth_rng *rng) {
  uint32_t best = berth_rng_below(rng, perfect->instance.n_buffers);
  for (int k = 0; k < 2; k++) {
    uint32_t other = berth_rng_below(rng, perfect->instance.n_buffers);
    best = area(perfect, other) > area(perfect, best) ? other : best;
  }
  return best;
}

static uint64_t draw_size(struct berth_rng *rng, uint64_t below) {
  return 1 + berth_rng_next(rng) % (below - 1);
}

static void cut_wheel(struct perfect *perfect, struct berth_rng *rng, uint32_t b) {
  uint32_t lower = perfect->lower[b], upper = perfect->upper[b];
  uint64_t size = perfect->size[b], bottom = draw_size(rng, size - 1), top = draw_size(rng, size - bottom);
  uint32_t first = lower + 1 + berth_rng_below(rng, upper - lower - 2);
  uint32_t second = first + 1 + berth_rng_below(rng, upper - first - 1);
  perfect->upper[b] = second;
  perfect->size[b] = bottom;
  add(perfect, first, upper, top);
  add(perfect, lower, first, size - bottom);
  add(perfect, second, upper, size - top);
  add(perfect, first, second, size - bottom - top);
}

static void cut(struct perfect *perfect, struct berth_rng *rng, uint32_t b, uint32_t n_wheels) {
  uint32_t lower = perfect->lower[b], upper = perfect->upper[b];
  uint64_t size = perfect->size[b];
  if (berth_rng_below(rng, 10) < n_wheels && upper - lower >= 3 && size >= 3) {
    cut_wheel(perfect, rng, b);
  } else if (berth_rng_below(rng, 2) == 0 && upper - lower > 1) {
    perfect->upper[b] = lower + 1 + berth_rng_below(rng, upper - lower - 1);
    add(perfect, perfect->upper[b], upper, size);
  } else if (size > 1) {
    perfect->size[b] = draw_size(rng, size);
    add(perfect, lower, upper, size - perfect->size[b]);
  }
}

static void swap(struct perfect *perfect, uint32_t a, uint32_t b) {
  uint32_t lower = perfect->lower[a], upper = perfect->upper[a];
  uint64_t size = perfect->size[a];
  perfect->lower[a] = perfect->lower[b];
  perfect->upper[a] = perfect->upper[b];
  perfect->size[a] = perfect->size[b];
  perfect->lower[b] = lower;
  perfect->upper[b] = upper;
  perfect->size[b] = size;
}

void perfect_draw(
    struct perfect *perfect, struct berth_rng *rng, uint32_t n, uint32_t n_steps, uint64_t bytes,
    uint32_t n_wheels) {
  perfect->instance = (struct berth_packing_instance){
      .n_steps = n_steps,
      .lower = perfect->lower,
      .upper = perfect->upper,
      .size = perfect->size,
      .alignment = perfect->alignment,
      .capacity = BERTH_UNLIMITED};
  add(perfect, 0, n_steps, bytes);
  for (uint32_t k = 0; k < 4 * n && perfect->instance.n_buffers < n; k++) {
    cut(perfect, rng, draw_piece(perfect, rng), n_wheels);
  }
  for (uint32_t b = 0; b < perfect->instance.n_buffers; b++) {
    perfect->alignment[b] = 1;
    swap(perfect, b, berth_rng_below(rng, b + 1));
  }
}

void perfect_expect_plan(const struct perfect *perfect, uint64_t arena_bytes) {
  const uint64_t *offset = perfect->offset, *size = perfect->size;
  for (uint32_t a = 0; a < perfect->instance.n_buffers; a++) {
    ck_assert_uint_le(offset[a] + size[a], arena_bytes);
    for (uint32_t b = 0; b < a; b++) {
      bool meet = perfect->lower[a] < perfect->upper[b] && perfect->lower[b] < perfect->upper[a];
      bool overlap = offset[a] < offset[b] + size[b] && offset[b] < offset[a] + size[a];
      if (meet && overlap) { /* an assertion that holds costs a write to a file */
        ck_abort_msg("buffers %u and %u share bytes", a, b);
      }
    }
  }
}
