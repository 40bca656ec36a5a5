#include "packing/placement.h"

#include "suite.h"

static const uint32_t LOWER[] = {0, 0, 2, 1};
static const uint32_t UPPER[] = {1, 3, 4, 2};
static const uint64_t SIZE[] = {8, 4, 8, 2};
static const uint64_t ALIGNMENT[] = {1, 1, 1, 1};
static struct berth_packing_instance instance;
static struct berth_arena arena;
static struct berth_effort effort;
static struct berth_packing_search search;
static uint64_t offset[4];

static void begin(void) {
  instance = (struct berth_packing_instance){
      .n_buffers = 4,
      .n_steps = 4,
      .lower = LOWER,
      .upper = UPPER,
      .size = SIZE,
      .alignment = ALIGNMENT,
      .capacity = BERTH_UNLIMITED};
  berth_arena_init(&arena, NULL);
  berth_effort_init(&effort, UINT64_MAX, NULL, NULL);
  search = (struct berth_packing_search){
      .instance = &instance,
      .arena = &arena,
      .effort = &effort,
      .switches = UINT32_MAX,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = offset};
}

static void expect_order(const enum berth_placement_key *keys, const uint32_t *expected) {
  uint32_t order[4];
  ck_assert(berth_placement_order(&instance, keys, &arena, order));
  ck_assert_mem_eq(order, expected, sizeof order);
}

START_TEST(orders_by_one_key_after_another) {
  begin();
  expect_order((const enum berth_placement_key[]){BERTH_PLACEMENT_END}, (const uint32_t[]){0, 1, 2, 3});
  expect_order(
      (const enum berth_placement_key[]){BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_LIFE, BERTH_PLACEMENT_END},
      (const uint32_t[]){2, 0, 1, 3});
  expect_order(
      (const enum berth_placement_key[]){BERTH_PLACEMENT_LIFE, BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_END},
      (const uint32_t[]){1, 2, 0, 3});
  expect_order(
      (const enum berth_placement_key[]){BERTH_PLACEMENT_START, BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_END},
      (const uint32_t[]){0, 1, 3, 2});
  expect_order(/* the load is 12, 6, 12, 8 */
               (const enum berth_placement_key[]){
                   BERTH_PLACEMENT_LOAD, BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_END},
               (const uint32_t[]){0, 2, 1, 3});
  expect_order(
      (const enum berth_placement_key[]){BERTH_PLACEMENT_FINISH, BERTH_PLACEMENT_END},
      (const uint32_t[]){2, 1, 3, 0});
  berth_arena_finish(&arena);
}
END_TEST

static bool pass(const uint32_t *order) {
  struct berth_pairs pairs = {0};
  struct berth_board board;
  enum berth_code code = BERTH_OK;
  ck_assert(berth_board_init(&board, &instance, &pairs, &arena));
  bool better = berth_placement_pass(&search, &board, order, BERTH_BOARD_LOWEST, &code);
  ck_assert_int_eq(code, BERTH_OK);
  return better;
}

START_TEST(a_pass_counts_only_if_it_is_better) {
  begin();
  ck_assert(pass((const uint32_t[]){3, 1, 0, 2}));
  ck_assert_uint_eq(search.best_arena, 14);
  ck_assert(!pass((const uint32_t[]){3, 1, 0, 2}));
  ck_assert(pass((const uint32_t[]){1, 0, 2, 3}));
  ck_assert_uint_eq(search.best_arena, 12);
  const uint64_t expected[] = {4, 0, 4, 4};
  ck_assert_mem_eq(offset, expected, sizeof expected);
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(capacity_and_effort_end_a_pass) {
  begin();
  instance.capacity = 13;
  ck_assert(!pass((const uint32_t[]){3, 1, 0, 2}));
  ck_assert_uint_eq(search.best_arena, BERTH_UNLIMITED);
  berth_effort_init(&effort, 2, NULL, NULL);
  ck_assert(!pass((const uint32_t[]){1, 0, 2, 3}));
  ck_assert_uint_eq(search.best_arena, BERTH_UNLIMITED);
  ck_assert_int_eq(effort.state, BERTH_EFFORT_BUDGET_SPENT);
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(pins_come_first) {
  static const uint64_t PIN[] = {BERTH_UNPINNED, BERTH_UNPINNED, BERTH_UNPINNED, 3};
  begin();
  instance.pin = PIN;
  ck_assert(pass((const uint32_t[]){1, 0, 2, 3}));
  const uint64_t expected[] = {9, 5, 9, 3};
  ck_assert_mem_eq(offset, expected, sizeof expected);
  berth_arena_finish(&arena);
}
END_TEST

START_TEST(the_portfolio_finds_the_optimum_here) {
  begin();
  search.lower_bound = 12;
  ck_assert_int_eq(berth_packing_placement.run(&search), BERTH_OK);
  ck_assert_uint_eq(search.best_arena, 12);
  berth_arena_finish(&arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/placement",
      (const TTest *const[]){
          orders_by_one_key_after_another, a_pass_counts_only_if_it_is_better, capacity_and_effort_end_a_pass,
          pins_come_first, the_portfolio_finds_the_optimum_here, NULL});
}
