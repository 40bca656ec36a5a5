#include "symbols/order.h"

#include "berth/status.h"
#include "campaign.h"
#include "suite.h"
#include "symbolic.h"

enum { TABLES = 4000, POINTS = 24, PARTS = 12, MAX_BOUND = 12 };

struct table {
  uint32_t n;
  struct berth_expression items[SYMBOLIC_MAX_EXPRESSIONS];
  struct berth_extent extents[SYMBOLIC_MAX_EXPRESSIONS];
};

static uint32_t
add(struct table *table, enum berth_operation operation, uint32_t left, uint32_t right, uint64_t value) {
  struct berth_extent symbols[2] = {berth_extent_of_range(1, MAX_BOUND), berth_extent_of_range(0, MAX_BOUND)};
  uint32_t index = table->n++;
  table->items[index] =
      (struct berth_expression){.operation = operation, .left = left, .right = right, .value = value};
  table->extents[index] = berth_extent_of(&table->items[index], symbols, table->extents);
  return index;
}

/* ---- What it says is so ---- */

START_TEST(a_proof_holds_at_every_binding) {
  uint32_t n_proven = 0;
  for (uint32_t k = 0; k < TABLES; k++) {
    struct berth_rng rng = campaign_seed(k);
    struct table table = {.n = 0};
    struct berth_extent symbols[2] = {
        berth_extent_of_range(1, MAX_BOUND), berth_extent_of_range(0, MAX_BOUND)};
    while (table.n < PARTS) {
      symbolic_add_expression(table.items, &table.n, 2, &rng, k % 2 == 0);
      table.extents[table.n - 1] = berth_extent_of(&table.items[table.n - 1], symbols, table.extents);
    }
    struct berth_expressions all = {table.items, table.extents};
    uint32_t dimensions[2][2];
    for (int i = 0; i < 4; i++) {
      dimensions[i / 2][i % 2] = (uint32_t)berth_rng_below(&rng, table.n);
    }
    struct berth_shape shapes[2] = {
        {dimensions[0], 1 + k % 2, 8u << berth_rng_below(&rng, 3)},
        {dimensions[1], 2 - k % 3 / 2, 8u << berth_rng_below(&rng, 3)}};
    struct berth_sized_term terms[2] = {
        {.shape = k % 7 != 0 ? &shapes[0] : NULL, .bytes = 9}, {.shape = &shapes[1]}};
    bool sizes = berth_size_at_most(&all, terms[0], terms[1]);
    for (uint32_t point = 0; point < POINTS; point++) {
      uint64_t at[2] = {1 + berth_rng_below(&rng, MAX_BOUND), berth_rng_below(&rng, MAX_BOUND + 1)};
      struct symbolic symbolic = {.n_expressions = table.n};
      for (uint32_t i = 0; i < table.n; i++) {
        symbolic.expressions[i] = table.items[i];
      }
      uint64_t bytes[2];
      bool are_numbers = true;
      for (int i = 0; i < 2; i++) {
        struct symbolic_shape shape = {.is_plain = terms[i].shape == NULL};
        shape.n_dimensions = shapes[i].n_dimensions;
        shape.element_bits = shapes[i].element_bits;
        shape.dimensions[0] = dimensions[i][0];
        shape.dimensions[1] = dimensions[i][1];
        are_numbers = are_numbers && symbolic_bytes(&symbolic, &shape, 9, at, &bytes[i]);
      }
      ck_assert_msg(!sizes || !are_numbers || bytes[0] <= bytes[1], "table %u", k);
      for (uint32_t a = 0; a < table.n; a += 3) {
        uint64_t x;
        uint64_t y;
        bool numbers =
            symbolic_value(table.items, a, at, &x) && symbolic_value(table.items, table.n - 1, at, &y);
        ck_assert_msg(
            !numbers || x <= y || !berth_expression_at_most(&all, a, table.n - 1), "table %u, %u", k, a);
      }
    }
    n_proven += sizes;
  }
  ck_assert_uint_gt(n_proven, TABLES / 20);
}
END_TEST

/* ---- What it must see ---- */

START_TEST(plain_cases_are_seen) {
  struct table table = {.n = 0};
  uint32_t n = add(&table, BERTH_OPERATION_SYMBOL, 0, 0, 0);
  uint32_t m = add(&table, BERTH_OPERATION_SYMBOL, 1, 0, 0);
  uint32_t two = add(&table, BERTH_OPERATION_CONSTANT, 0, 0, 2);
  uint32_t four = add(&table, BERTH_OPERATION_CONSTANT, 0, 0, 4);
  uint32_t nm = add(&table, BERTH_OPERATION_MULTIPLY, n, m, 0);
  uint32_t mn4 =
      add(&table, BERTH_OPERATION_MULTIPLY, add(&table, BERTH_OPERATION_MULTIPLY, m, four, 0), n, 0);
  uint32_t half = add(&table, BERTH_OPERATION_CEIL_DIVIDE, n, two, 0);
  uint32_t more = add(&table, BERTH_OPERATION_ADD, n, m, 0);
  uint32_t aligned = add(&table, BERTH_OPERATION_ALIGN_UP, n, four, 0);
  uint32_t most = add(&table, BERTH_OPERATION_MAXIMUM, m, n, 0);
  struct berth_expressions all = {table.items, table.extents};
  ck_assert(berth_expression_at_most(&all, half, n));
  ck_assert(berth_expression_at_most(&all, n, more));
  ck_assert(berth_expression_at_most(&all, n, aligned));
  ck_assert(berth_expression_at_most(&all, n, most));
  ck_assert(berth_expression_at_most(&all, m, nm));  /* n >= 1 */
  ck_assert(!berth_expression_at_most(&all, n, nm)); /* m may be 0 */
  ck_assert(!berth_expression_at_most(&all, n, m));
  /* 8-bit [4 n m] and 32-bit [n, m] are the same, and 16-bit [n, m] is less. */
  uint32_t both[] = {n, m};
  struct berth_shape flat = {&mn4, 1, 8};
  struct berth_shape wide = {both, 2, 32};
  struct berth_shape narrow = {both, 2, 16};
  ck_assert(berth_size_at_most(
      &all, (struct berth_sized_term){.shape = &flat}, (struct berth_sized_term){.shape = &wide}));
  ck_assert(berth_size_at_most(
      &all, (struct berth_sized_term){.shape = &wide}, (struct berth_sized_term){.shape = &flat}));
  ck_assert(berth_size_at_most(
      &all, (struct berth_sized_term){.shape = &narrow}, (struct berth_sized_term){.shape = &flat}));
  ck_assert(!berth_size_at_most(
      &all, (struct berth_sized_term){.shape = &wide}, (struct berth_sized_term){.shape = &narrow}));
  ck_assert(berth_size_at_most(
      &all, (struct berth_sized_term){.shape = &wide}, (struct berth_sized_term){.bytes = 4 * 12 * 12}));
  ck_assert(!berth_size_at_most(
      &all, (struct berth_sized_term){.shape = &wide}, (struct berth_sized_term){.bytes = 4 * 12 * 12 - 1}));
}
END_TEST

/* Two towers of sums of themselves: without a budget this takes 2^40 comparisons. */
START_TEST(a_query_ends) {
  struct table table = {.n = 0};
  uint32_t a = add(&table, BERTH_OPERATION_SYMBOL, 0, 0, 0);
  uint32_t b = add(&table, BERTH_OPERATION_SYMBOL, 1, 0, 0);
  for (int i = 0; i < 20; i++) {
    a = add(&table, BERTH_OPERATION_MAXIMUM, a, a, 0);
    b = add(&table, BERTH_OPERATION_MINIMUM, b, b, 0);
  }
  struct berth_expressions all = {table.items, table.extents};
  ck_assert(!berth_expression_at_most(&all, a, b));
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/symbols/order",
      (const TTest *const[]){a_proof_holds_at_every_binding, plain_cases_are_seen, a_query_ends, NULL});
}
