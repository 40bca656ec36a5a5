#include "packing/reduce.h"

#include "random_instance.h"
#include "suite.h"

static struct random_instance random_one;

static uint32_t stack_height(const struct berth_reduction *reduction, uint32_t k) {
  return reduction->begin[k + 1] - reduction->begin[k];
}

/* Two of three equal lifetimes are chosen and become one; a step at which only the others begin goes. */
START_TEST(a_small_one) {
  static const uint32_t lower[] = {0, 1, 2, 2, 0, 3};
  static const uint32_t upper[] = {4, 4, 4, 4, 2, 4};
  static const uint64_t size[] = {10, 20, 30, 33, 50, 60};
  static const uint64_t alignment[] = {1, 1, 4, 4, 1, 1};
  static const uint32_t chosen[] = {0, 2, 3, 5};
  const struct berth_packing_instance instance = {
      .n_buffers = 6,
      .n_steps = 4,
      .lower = lower,
      .upper = upper,
      .size = size,
      .alignment = alignment,
      .capacity = BERTH_UNLIMITED};
  struct berth_arena arena;
  struct berth_reduction reduction;
  berth_arena_init(&arena, berth_allocator_libc());
  ck_assert(berth_packing_reduce(&instance, chosen, 4, true, &arena, &reduction));
  ck_assert(reduction.is_stacked);
  ck_assert_uint_eq(reduction.instance.n_buffers, 3);
  ck_assert_uint_eq(reduction.instance.n_steps, 3);
  ck_assert_uint_eq(reduction.instance.size[1], 32 + 33); /* the second one on a multiple of 4 */
  ck_assert_uint_eq(stack_height(&reduction, 1), 2);
  ck_assert_uint_eq(reduction.instance.lower[1], 1);
  ck_assert_uint_eq(reduction.instance.upper[1], 3);
  ck_assert_uint_eq(reduction.instance.lower[2], 2);
  ck_assert(berth_packing_reduce(&instance, chosen, 4, false, &arena, &reduction));
  ck_assert(!reduction.is_stacked);
  ck_assert_uint_eq(reduction.instance.n_buffers, 4);
  berth_arena_finish(&arena);
}
END_TEST

/* What is more than a lifetime stays apart, and as it is. */
START_TEST(what_is_not_stacked) {
  enum { N = 8 };
  static const uint32_t lower[N] = {0};
  static const uint32_t upper[N] = {4, 4, 4, 4, 4, 4, 4, 4};
  static const uint64_t size[N] = {8, 8, 8, 8, 8, 8, 8, 8};
  static const uint64_t alignment[N] = {1, 1, 1, 1, 1, 1, 1, 2};
  static const uint64_t pin[N] = {
      BERTH_UNPINNED, 64, BERTH_UNPINNED, BERTH_UNPINNED, BERTH_UNPINNED, BERTH_UNPINNED, BERTH_UNPINNED,
      BERTH_UNPINNED};
  static const uint32_t gap_begin[N + 1] = {0, 0, 0, 1, 1, 1, 1, 1, 1};
  static const struct berth_piece gaps[] = {{2, 3, 1, 5}};
  static const uint32_t conflicts[][2] = {{3, 4}, {3, 6}};
  static const uint32_t chosen[] = {0, 1, 2, 3, 4, 5, 7};
  const struct berth_packing_instance instance = {
      .n_buffers = N,
      .n_steps = 4,
      .lower = lower,
      .upper = upper,
      .size = size,
      .alignment = alignment,
      .pin = pin,
      .gap_begin = gap_begin,
      .gaps = gaps,
      .n_conflicts = 2,
      .conflicts = conflicts,
      .capacity = 1000};
  struct berth_arena arena;
  struct berth_reduction out;
  berth_arena_init(&arena, berth_allocator_libc());
  ck_assert(berth_packing_reduce(&instance, chosen, 7, true, &arena, &out));
  ck_assert_uint_eq(out.instance.capacity, 1000);
  ck_assert_uint_eq(out.instance.n_steps, 3);   /* 0, 2 and 3 */
  ck_assert_uint_eq(out.instance.n_buffers, 7); /* 0 and 5 are not side by side, 7 is aligned otherwise */
  ck_assert_uint_eq(out.instance.pin[1], 64);
  ck_assert_uint_eq(out.instance.gap_begin[3] - out.instance.gap_begin[2], 1);
  ck_assert_uint_eq(out.instance.gaps[0].lower, 1);
  ck_assert_uint_eq(out.instance.gaps[0].upper, 2);
  ck_assert_uint_eq(out.instance.gaps[0].window_upper, 5);
  ck_assert_uint_eq(out.instance.n_conflicts, 1); /* 6 is not chosen */
  ck_assert_uint_eq(out.instance.conflicts[0][0], 3);
  ck_assert_uint_eq(out.instance.conflicts[0][1], 4);
  berth_arena_finish(&arena);
}
END_TEST

/* Pieces keep who they belong to, and when. */
START_TEST(pieces_are_kept) {
  static const uint32_t lower[] = {0, 1, 3}, upper[] = {5, 6, 6};
  static const uint64_t size[] = {9, 8, 7}, alignment[] = {1, 1, 1};
  static const uint32_t piece_begin[] = {0, 1, 1, 3}, chosen[] = {1, 2};
  static const struct berth_piece pieces[] = {{0, 5, 0, 2}, {3, 4, 1, 2}, {3, 6, 4, 7}};
  const struct berth_packing_instance instance = {
      .n_buffers = 3,
      .n_steps = 6,
      .lower = lower,
      .upper = upper,
      .size = size,
      .alignment = alignment,
      .piece_begin = piece_begin,
      .pieces = pieces,
      .capacity = BERTH_UNLIMITED};
  struct berth_arena arena;
  struct berth_reduction out;
  berth_arena_init(&arena, berth_allocator_libc());
  ck_assert(berth_packing_reduce(&instance, chosen, 2, true, &arena, &out));
  ck_assert_uint_eq(out.instance.n_steps, 3); /* 1, 3 and 4 */
  ck_assert_uint_eq(out.instance.piece_begin[1], 0);
  ck_assert_uint_eq(out.instance.piece_begin[2], 2);
  ck_assert_uint_eq(out.instance.pieces[0].lower, 1);
  ck_assert_uint_eq(out.instance.pieces[0].upper, 2);
  ck_assert_uint_eq(out.instance.pieces[1].upper, 3);
  ck_assert_uint_eq(out.instance.pieces[1].window_lower, 4);
  ck_assert_uint_eq(out.instance.pieces[1].window_upper, 7);
  berth_arena_finish(&arena);
}
END_TEST

/* Members are there once each, in their stack's lifetime; who meets whom is as it was. */
START_TEST(meetings_are_kept) {
  struct berth_rng rng = {.state = 3};
  static uint32_t chosen[300];
  static bool seen[300];
  for (int round = 0; round < 200; round++) {
    random_instance_init(&random_one, &rng, 300, 1 + berth_rng_below(&rng, 40), round % 2 == 0);
    const struct berth_packing_instance *from = &random_one.instance;
    uint32_t n = 0;
    for (uint32_t i = 0; i < 300; i++) {
      seen[i] = berth_rng_below(&rng, 3) == 0;
      chosen[n] = i;
      n += !seen[i];
    }
    struct berth_reduction to;
    ck_assert(berth_packing_reduce(from, chosen, n, true, &random_one.arena, &to));
    ck_assert_uint_eq(to.begin[to.instance.n_buffers], n);
    for (uint32_t a = 0; a < to.instance.n_buffers; a++) {
      uint64_t sum = 0;
      uint32_t i = to.members[to.begin[a]];
      for (uint32_t m = to.begin[a]; m < to.begin[a + 1]; m++) {
        ck_assert(!seen[to.members[m]]);
        seen[to.members[m]] = true;
        sum += from->size[to.members[m]];
        ck_assert_uint_eq(from->lower[to.members[m]], from->lower[i]);
        ck_assert_uint_eq(from->upper[to.members[m]], from->upper[i]);
        ck_assert_uint_eq(from->alignment[to.members[m]], to.instance.alignment[a]);
      }
      ck_assert_uint_ge(to.instance.size[a], sum);
      for (uint32_t b = 0; b < a; b++) {
        uint32_t j = to.members[to.begin[b]];
        bool meet = from->lower[i] < from->upper[j] && from->lower[j] < from->upper[i];
        bool still =
            to.instance.lower[a] < to.instance.upper[b] && to.instance.lower[b] < to.instance.upper[a];
        ck_assert(meet == still);
        ck_assert(
            from->lower[i] != from->lower[j] || from->upper[i] != from->upper[j] ||
            from->alignment[i] != from->alignment[j]);
      }
    }
    random_instance_finish(&random_one);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/reduce",
      (const TTest *const[]){a_small_one, what_is_not_stacked, pieces_are_kept, meetings_are_kept, NULL});
}
