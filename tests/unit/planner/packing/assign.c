#include "packing/assign.h"

#include "suite.h"

/* Three pools: a small one, one of small blocks, a large one. */
static struct berth_packing_pool pools[3];
static uint32_t choice[4];
static const int64_t LOWER[] = {0, 0, 0, 0};
static const int64_t UPPER[] = {1, 1, 1, 1};
static const uint64_t SIZE[] = {60, 60, 10, 0};
static const uint64_t ALIGNMENT[] = {1, 1, 1, 1};
static const uint32_t POOL_BEGIN[] = {0, 0, 2, 3, 3};
static const uint32_t POOLS[] = {1, 0, 1};
static const uint32_t ORDER[] = {0, 1, 2, 3};
static struct berth_buffers buffers;
static struct berth_assignment assignment;

static void begin(void) {
  buffers = (struct berth_buffers){
      .n = 4,
      .lower = LOWER,
      .upper = UPPER,
      .size_bytes = SIZE,
      .alignment = ALIGNMENT,
      .pool_begin = POOL_BEGIN,
      .pools = POOLS};
  pools[0] = (struct berth_packing_pool){.alignment = 1, .capacity = 100, .max_block = BERTH_UNLIMITED};
  pools[1] = (struct berth_packing_pool){.alignment = 1, .capacity = BERTH_UNLIMITED, .max_block = 50};
  pools[2] =
      (struct berth_packing_pool){.alignment = 1, .capacity = BERTH_UNLIMITED, .max_block = BERTH_UNLIMITED};
  assignment = (struct berth_assignment){.buffers = &buffers, .n_pools = 3, .pools = pools, .choice = choice};
}

START_TEST(the_first_pool_that_can_hold_it) {
  uint32_t homeless;
  begin();
  ck_assert(berth_assign_first(&assignment, ORDER, NULL, &homeless));
  ck_assert_uint_eq(homeless, BERTH_NO_INDEX);
  ck_assert_uint_eq(berth_assigned_pool(&assignment, 0), 0); /* any pool */
  ck_assert_uint_eq(berth_assigned_pool(&assignment, 1), 0); /* too large a block for pool 1 */
  ck_assert_uint_eq(berth_assigned_pool(&assignment, 2), 1);
  ck_assert(!assignment.spilled);
  ck_assert(berth_may_be_in(&assignment, 1, 1));
  ck_assert(!berth_may_be_in(&assignment, 1, 2));
}
END_TEST

START_TEST(nobody_takes_a_giant) {
  uint32_t homeless;
  begin();
  pools[2].capacity = 59;
  pools[0].capacity = 59;
  ck_assert(berth_assign_first(&assignment, ORDER, NULL, &homeless));
  ck_assert_uint_eq(homeless, 0);
}
END_TEST

START_TEST(only_who_can_move_is_moved) {
  uint32_t homeless;
  uint32_t n_moved;
  struct berth_arena arena;
  struct berth_effort effort;
  begin();
  berth_arena_init(&arena, NULL);
  berth_effort_init(&effort, UINT64_MAX, NULL, NULL);
  ck_assert(berth_assign_first(&assignment, ORDER, NULL, &homeless));
  ck_assert(berth_assign_members(&assignment, ORDER, &arena));
  ck_assert_uint_eq(pools[0].n_members, 2);
  ck_assert_uint_eq(pools[1].n_members, 1);
  ck_assert_uint_eq(pools[2].n_members, 0);
  ck_assert_int_eq(berth_packing_pool_prepare(&pools[0], &buffers, true, &arena), BERTH_OK);
  ck_assert(pools[0].infeasible);
  ck_assert_int_eq(berth_assign_spill(&assignment, 0, &arena, &effort, &n_moved), BERTH_OK);
  ck_assert_uint_eq(n_moved, 1);
  ck_assert(assignment.spilled);
  ck_assert_uint_eq(berth_assigned_pool(&assignment, 0), 2); /* skips pool 1, whose blocks are too small */
  ck_assert_uint_eq(berth_assigned_pool(&assignment, 1), 0); /* can go nowhere else */
  berth_arena_finish(&arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/assign",
      (const TTest *const[]){
          the_first_pool_that_can_hold_it, nobody_takes_a_giant, only_who_can_move_is_moved, NULL});
}
