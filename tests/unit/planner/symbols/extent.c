#include "symbols/extent.h"

#include "berth/status.h"
#include "campaign.h"
#include "suite.h"
#include "symbolic.h"

#define NONE UINT64_MAX

/* ---- Edges, by hand ---- */

static const struct {
  enum berth_operation operation;
  uint64_t a[2];
  uint64_t b[2];
  uint64_t is[2];
  enum berth_extent_fault fault;
  bool is_empty;
} EDGES[] = {
    {BERTH_OPERATION_ADD, {1, 2}, {3, 4}, {4, 6}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_ADD, {1, 2}, {3, NONE}, {4, NONE}, BERTH_EXTENT_UNBOUNDED, false},
    {BERTH_OPERATION_ADD, {1, 2}, {3, NONE - 1}, {4, NONE}, BERTH_EXTENT_OVERFLOW, false},
    {BERTH_OPERATION_ADD, {NONE - 1, NONE - 1}, {2, 2}, {0, 0}, BERTH_EXTENT_OVERFLOW, true},
    {BERTH_OPERATION_SUBTRACT, {5, 9}, {2, 3}, {2, 7}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_SUBTRACT, {0, 9}, {2, NONE}, {0, 7}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_SUBTRACT, {0, 1}, {2, 3}, {0, 0}, BERTH_EXTENT_NEGATIVE, true},
    {BERTH_OPERATION_SUBTRACT, {5, NONE}, {2, 3}, {2, NONE}, BERTH_EXTENT_UNBOUNDED, false},
    {BERTH_OPERATION_MULTIPLY, {2, 3}, {4, 5}, {8, 15}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_MULTIPLY, {0, 0}, {4, NONE}, {0, 0}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_MULTIPLY,
     {2, UINT64_C(1) << 33},
     {1, UINT64_C(1) << 33},
     {2, NONE},
     BERTH_EXTENT_OVERFLOW,
     false},
    {BERTH_OPERATION_MULTIPLY,
     {UINT64_C(1) << 32, UINT64_C(1) << 32},
     {UINT64_C(1) << 32, UINT64_C(1) << 32},
     {0, 0},
     BERTH_EXTENT_OVERFLOW,
     true},
    {BERTH_OPERATION_FLOOR_DIVIDE, {7, 9}, {0, 2}, {3, 9}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_FLOOR_DIVIDE, {7, 9}, {0, 0}, {0, 0}, BERTH_EXTENT_ZERO_DIVISOR, true},
    {BERTH_OPERATION_FLOOR_DIVIDE, {7, 9}, {2, NONE}, {0, 4}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_CEIL_DIVIDE, {7, 9}, {2, NONE}, {1, 5}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_CEIL_DIVIDE, {0, NONE - 1}, {1, 2}, {0, NONE - 1}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_MODULO, {0, NONE}, {8, 8}, {0, 7}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_MODULO, {17, 18}, {8, 8}, {1, 2}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_MODULO, {1, 5}, {6, NONE}, {1, 5}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_MAXIMUM, {1, 5}, {3, NONE}, {3, NONE}, BERTH_EXTENT_UNBOUNDED, false},
    {BERTH_OPERATION_MINIMUM, {1, 5}, {3, NONE}, {1, 5}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_ALIGN_UP, {1, 65}, {64, 64}, {64, 128}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_ALIGN_UP, {0, 0}, {1, 64}, {0, 0}, BERTH_EXTENT_OK, false},
    {BERTH_OPERATION_ALIGN_UP, {1, NONE - 1}, {64, 64}, {64, NONE}, BERTH_EXTENT_OVERFLOW, false},
};

START_TEST(edges_are_as_stated) {
  for (size_t i = 0; i < sizeof EDGES / sizeof EDGES[0]; i++) {
    struct berth_extent earlier[2] = {
        berth_extent_of_range(EDGES[i].a[0], EDGES[i].a[1]),
        berth_extent_of_range(EDGES[i].b[0], EDGES[i].b[1])};
    struct berth_expression expression = {.operation = EDGES[i].operation, .left = 0, .right = 1};
    struct berth_extent is = berth_extent_of(&expression, NULL, earlier);
    ck_assert_msg(
        is.is_empty == EDGES[i].is_empty && is.fault == EDGES[i].fault &&
            (is.is_empty || (is.lower == EDGES[i].is[0] && is.upper == EDGES[i].is[1])),
        "edge %zu: %llu to %llu, fault %d", i, (unsigned long long)is.lower, (unsigned long long)is.upper,
        (int)is.fault);
  }
}
END_TEST

/* ---- Every operation over every small box, point by point ---- */

enum { SIDE = 6 };

static void check_box(enum berth_operation operation, const uint64_t a[2], const uint64_t b[2]) {
  struct berth_extent earlier[2] = {berth_extent_of_range(a[0], a[1]), berth_extent_of_range(b[0], b[1])};
  struct berth_expression table[3] = {
      {.operation = BERTH_OPERATION_SYMBOL, .left = 0},
      {.operation = BERTH_OPERATION_SYMBOL, .left = 1},
      {.operation = operation, .left = 0, .right = 1}};
  struct berth_extent is = berth_extent_of(&table[2], NULL, earlier);
  bool is_point = a[0] == a[1] && b[0] == b[1];
  bool any = false;
  for (uint64_t x = a[0]; x <= a[1]; x++) {
    for (uint64_t y = b[0]; y <= b[1]; y++) {
      uint64_t at[2] = {x, y};
      uint64_t value;
      if (symbolic_value(table, 2, at, &value)) {
        any = true;
        ck_assert(!is.is_empty && is.lower <= value && value <= is.upper);
        ck_assert(!is_point || (is.lower == value && is.upper == value));
      }
    }
  }
  ck_assert(any || is.is_empty);
}

START_TEST(what_an_operation_can_be_lies_within) {
  for (int operation = BERTH_OPERATION_ADD; operation < BERTH_N_OPERATIONS; operation++) {
    for (unsigned box = 0; box < SIDE * SIDE * SIDE * SIDE; box++) {
      uint64_t a[2] = {box % SIDE, box / SIDE % SIDE};
      uint64_t b[2] = {box / (SIDE * SIDE) % SIDE, box / (SIDE * SIDE * SIDE)};
      if (a[0] <= a[1] && b[0] <= b[1]) {
        check_box((enum berth_operation)operation, a, b);
      }
    }
  }
}
END_TEST

/* ---- Whole tables ---- */

enum { TABLES = 3000, POINTS = 20, PARTS = 12 };

START_TEST(tables_are_sound_and_exact_at_points) {
  for (uint32_t k = 0; k < TABLES; k++) {
    struct berth_rng rng = campaign_seed(k);
    struct berth_expression table[SYMBOLIC_MAX_EXPRESSIONS];
    struct berth_extent wide[PARTS];
    struct berth_extent exact[PARTS];
    struct berth_extent symbols[2];
    uint64_t lower[2];
    uint32_t n = 0;
    while (n < PARTS) {
      symbolic_add_expression(table, &n, 2, &rng, k % 3 == 0);
    }
    for (int i = 0; i < 2; i++) {
      lower[i] = berth_rng_below(&rng, 5);
      symbols[i] = berth_extent_of_range(lower[i], lower[i] + berth_rng_below(&rng, 6));
    }
    for (uint32_t i = 0; i < n; i++) {
      wide[i] = berth_extent_of(&table[i], symbols, wide);
    }
    for (uint32_t point = 0; point < POINTS; point++) {
      uint64_t at[2];
      struct berth_extent bound[2];
      for (int i = 0; i < 2; i++) {
        at[i] = lower[i] + berth_rng_below(&rng, (uint32_t)(symbols[i].upper - lower[i] + 1));
        bound[i] = berth_extent_of_range(at[i], at[i]);
      }
      for (uint32_t i = 0; i < n; i++) {
        uint64_t value;
        exact[i] = berth_extent_of(&table[i], bound, exact);
        if (!symbolic_value(table, i, at, &value)) {
          ck_assert(exact[i].is_empty);
          continue;
        }
        ck_assert_msg(
            exact[i].lower == value && exact[i].upper == value && wide[i].lower <= value &&
                value <= wide[i].upper,
            "table %u, expression %u", k, i);
      }
    }
  }
}
END_TEST

/* ---- Shapes ---- */

START_TEST(shapes_round_up_once_on_the_total) {
  static const struct {
    uint32_t bits;
    uint64_t dimensions[3];
    uint32_t n;
    uint64_t bytes;
  } SHAPES[] = {
      {4, {3, 3}, 2, 5},
      {1, {33}, 1, 5},
      {1, {7}, 1, 1},
      {32, {65536, 65536}, 2, UINT64_C(17179869184)},
      {32, {0}, 1, 0},
      {16, {0}, 0, 2},
      {8, {7}, 1, 7},
      {32, {UINT64_C(1) << 40, 0, UINT64_C(1) << 40}, 3, 0},
      {1, {UINT64_C(1) << 62}, 1, UINT64_C(1) << 59},
      {64, {UINT64_C(1) << 58}, 1, UINT64_C(1) << 61}};
  for (size_t i = 0; i < sizeof SHAPES / sizeof SHAPES[0]; i++) {
    static const uint32_t PLACES[] = {0, 1, 2};
    struct berth_extent extents[3];
    uint32_t dimension;
    for (uint32_t d = 0; d < SHAPES[i].n; d++) {
      extents[d] = berth_extent_of_range(SHAPES[i].dimensions[d], SHAPES[i].dimensions[d]);
    }
    struct berth_shape shape = {PLACES, SHAPES[i].n, SHAPES[i].bits};
    struct berth_extent is = berth_extent_of_shape(&shape, extents, &dimension);
    ck_assert(!is.is_empty && is.fault == BERTH_EXTENT_OK);
    ck_assert_uint_eq(is.lower, SHAPES[i].bytes);
    ck_assert_uint_eq(is.upper, SHAPES[i].bytes);
  }
}
END_TEST

START_TEST(a_zero_does_not_hide_what_is_wrong) {
  static const uint32_t PLACES[] = {0, 1};
  struct berth_extent extents[2] = {berth_extent_of_range(0, 0), berth_extent_of_range(1, NONE)};
  struct berth_shape shape = {PLACES, 2, 8};
  uint32_t dimension;
  struct berth_extent is = berth_extent_of_shape(&shape, extents, &dimension);
  ck_assert_int_eq(is.fault, BERTH_EXTENT_UNBOUNDED);
  ck_assert_uint_eq(dimension, 1);
  extents[0] = extents[1] = berth_extent_of_range(UINT64_C(1) << 32, UINT64_C(1) << 32);
  is = berth_extent_of_shape(&shape, extents, &dimension);
  ck_assert(is.is_empty && is.fault == BERTH_EXTENT_OVERFLOW);
  ck_assert_uint_eq(dimension, BERTH_NO_INDEX);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/symbols/extent",
      (const TTest *const[]){
          edges_are_as_stated, what_an_operation_can_be_lies_within, tables_are_sound_and_exact_at_points,
          shapes_round_up_once_on_the_total, a_zero_does_not_hide_what_is_wrong, NULL});
}
