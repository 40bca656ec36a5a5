/* Groups as the packer sees them, and what they come to in a solve. */
#include "packing/fold.h"

#include "packing/bound.h"
#include "packing/build.h"
#include "packing/pieces.h"
#include "suite.h"

static struct berth_arena arena;
static struct berth_packing_instance folded;
static uint32_t *item_of;
static uint32_t *lead;

/* Three buffers: 0 and 1 are a group, 2 is alone. */
struct three {
  int64_t lower[3];
  int64_t upper[3];
  uint64_t size[3];
  uint64_t distance[3];
  uint32_t storage[3];
  uint64_t span;
  uint32_t n_conflicts;
  uint32_t conflicts[1][2];
};

static void fold(const struct three *three) {
  static const uint64_t ALIGNMENT[] = {1, 1, 1};
  static const uint32_t GROUP[] = {0, 0, BERTH_NO_INDEX};
  static const uint32_t BEGIN[] = {0, 2};
  static const uint32_t MEMBERS[] = {0, 1};
  static const uint64_t BASE[] = {1};
  static const uint32_t IDS[] = {0, 1, 2};
  const struct berth_buffers buffers = {
      .n = 3,
      .lower = three->lower,
      .upper = three->upper,
      .size_bytes = three->size,
      .alignment = ALIGNMENT,
      .n_conflicts = three->n_conflicts,
      .conflicts = three->conflicts,
      .rigid = {
          .n = 1,
          .group = GROUP,
          .distance = three->distance,
          .storage = three->storage,
          .begin = BEGIN,
          .members = MEMBERS,
          .alignment = BASE,
          .span_bytes = &three->span}};
  struct berth_packing_instance plain;
  berth_arena_reset(&arena);
  ck_assert_int_eq(berth_packing_build(&buffers, IDS, 3, 1, BERTH_UNLIMITED, &arena, &plain, NULL), BERTH_OK);
  bool is_exact;
  ck_assert_int_eq(
      berth_packing_fold(&plain, &buffers, IDS, &arena, &folded, &item_of, &lead, &is_exact), BERTH_OK);
  ck_assert(is_exact);
}

static uint64_t load(void) {
  uint64_t *bytes = berth_arena_new(&arena, uint64_t, folded.n_steps);
  ck_assert_ptr_nonnull(bytes);
  uint32_t peak;
  ck_assert(berth_packing_load(&folded, NULL, bytes, &peak));
  return bytes[peak];
}

START_TEST(members_that_live_equally_long_are_one_plain_buffer) {
  fold(&(const struct three){{0, 0, 1}, {2, 2, 3}, {4, 6, 5}, {0, 4, 0}, {0, 1, 2}, 10, 0, {{0}}});
  ck_assert_uint_eq(folded.n_buffers, 2);
  ck_assert_ptr_null(folded.piece_begin);
  ck_assert_uint_eq(folded.size[0], 10);
  ck_assert_uint_eq(item_of[1], 0);
  ck_assert_uint_eq(item_of[2], 1);
  ck_assert_uint_eq(lead[1], 2);
  ck_assert_uint_eq(load(), 15);
}
END_TEST

START_TEST(others_keep_pieces_of_their_own) {
  fold(&(const struct three){{0, 2, 1}, {2, 4, 3}, {4, 6, 5}, {0, 4, 0}, {0, 1, 2}, 10, 0, {{0}}});
  ck_assert_uint_eq(folded.piece_begin[1], 2);
  ck_assert_uint_eq(folded.pieces[1].window_lower, 4);
  ck_assert_uint_eq(folded.pieces[1].window_upper, 10);
  ck_assert(!berth_pieces_listed(&folded, 1));
  ck_assert_uint_eq(load(), 11);
}
END_TEST

START_TEST(what_one_storage_holds_twice_counts_once) {
  fold(&(const struct three){{0, 1, 1}, {3, 4, 2}, {4, 6, 5}, {0, 0, 0}, {0, 0, 2}, 6, 0, {{0}}});
  ck_assert_uint_eq(folded.n_excess, 1);
  ck_assert_uint_eq(folded.excess[0].bytes, 4);
  ck_assert_uint_eq(load(), 11);
}
END_TEST

/* It binds the member, not the group: as a step at which both hold their bytes. */
START_TEST(a_pair_with_a_member_is_a_step) {
  fold(&(const struct three){{0, 0, 9}, {2, 2, 10}, {4, 6, 5}, {0, 4, 0}, {0, 1, 2}, 10, 1, {{1, 2}}});
  ck_assert_uint_eq(folded.n_conflicts, 0);
  ck_assert_uint_eq(folded.n_steps, 3);
  ck_assert(berth_pieces_listed(&folded, 0) && berth_pieces_listed(&folded, 1));
  const struct berth_piece *last = &folded.pieces[folded.piece_begin[1] - 1];
  ck_assert_uint_eq(last->lower, 2);
  ck_assert_uint_eq(last->window_lower, 4);
  ck_assert_uint_eq(folded.upper[0], 3);
  ck_assert_uint_eq(load(), 11); /* of that step: 6 and 5 */
}
END_TEST

int main(void) {
  berth_arena_init(&arena, NULL);
  int status = berth_suite_run(
      "packing/fold",
      (const TTest *const[]){
          members_that_live_equally_long_are_one_plain_buffer, others_keep_pieces_of_their_own,
          what_one_storage_holds_twice_counts_once, a_pair_with_a_member_is_a_step, NULL});
  berth_arena_finish(&arena);
  return status;
}
