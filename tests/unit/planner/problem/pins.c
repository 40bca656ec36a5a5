#include "problems.h"

/* A pinned buffer in few words; gaps are absences. */
struct pin {
  uint64_t offset;
  uint64_t size;
  int64_t lower;
  int64_t upper;
  struct berth_gap gap;
  uint32_t pool; /* 0: pool 0 alone, 1: pool 1 alone, 2: either */
};

static const uint32_t POOLS[][2] = {{0, 0}, {1, 0}, {0, 1}};

static enum berth_code build(const struct pin *pins, size_t n, bool conflict, struct berth_error *err) {
  struct berth_problem_builder *builder = start();
  struct berth_pool_spec pool = berth_pool_spec_default();
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  pool.alignment = 16;
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  for (size_t i = 0; i < n; i++) {
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    char id[2] = {(char)('a' + i), 0};
    spec.id = text(id);
    spec.pinned_offset = pins[i].offset;
    spec.size_bytes = pins[i].size;
    spec.lower = pins[i].lower;
    spec.upper = pins[i].upper;
    spec.pools = POOLS[pins[i].pool];
    spec.n_pools = pins[i].pool == 2 ? 2 : 1;
    spec.gaps = &pins[i].gap;
    spec.n_gaps = pins[i].gap.upper != 0;
    add(builder, &spec);
  }
  if (conflict) {
    ck_assert_int_eq(berth_problem_builder_add_conflict(builder, 0, 1, NULL), BERTH_OK);
  }
  struct berth_problem *problem = NULL;
  enum berth_code code = berth_problem_builder_finish(builder, &problem, err);
  berth_problem_unref(problem);
  berth_problem_builder_destroy(builder);
  return code;
}

START_TEST(pins_that_meet_are_refused_and_both_are_named) {
  static const struct {
    struct pin pins[2];
    bool conflict;
    bool good;
  } CASES[] = {
      {{{0, 10, 0, 5, {0}, 0}, {10, 10, 0, 5, {0}, 0}}, false, true}, /* they touch in bytes */
      {{{0, 10, 0, 5, {0}, 0}, {9, 10, 0, 5, {0}, 0}}, false, false},
      {{{9, 10, 0, 5, {0}, 0}, {0, 10, 0, 5, {0}, 0}}, false, false},
      {{{0, 10, 0, 5, {0}, 0}, {0, 10, 0, 5, {0}, 0}}, false, false},
      {{{0, 100, 0, 5, {0}, 0}, {50, 1, 2, 3, {0}, 0}}, false, false}, /* one within the other */
      {{{50, 1, 0, 5, {0}, 0}, {0, 100, 2, 3, {0}, 0}}, false, false},
      {{{0, 10, 0, 5, {0}, 0}, {0, 10, 5, 9, {0}, 0}}, false, true}, /* they touch in time */
      {{{0, 10, 5, 9, {0}, 0}, {0, 10, 0, 5, {0}, 0}}, false, true},
      {{{0, 10, 0, 5, {0}, 0}, {0, 10, 4, 9, {0}, 0}}, false, false},
      {{{0, 10, 0, 5, {0}, 0}, {0, 10, 4, 9, {0}, 0}}, true, false},
      {{{0, 10, 0, 5, {0}, 0}, {0, 10, 5, 9, {0}, 0}}, true, false}, /* never, whatever the lifetimes */
      {{{0, 10, 0, 5, {0}, 0}, {10, 10, 5, 9, {0}, 0}}, true, true},
      {{{0, 0, 0, 5, {0}, 0}, {0, 10, 0, 9, {0}, 0}}, true, true}, /* no bytes meet nothing */
      {{{4, 0, 0, 5, {0}, 0}, {0, 10, 0, 9, {0}, 0}}, true, true},
      {{{0, 10, 0, 9, {3, 6, 0, 0}, 0}, {0, 10, 3, 6, {0}, 0}}, false, true}, /* in its absence */
      {{{0, 10, 0, 9, {3, 6, 0, 0}, 0}, {0, 10, 3, 7, {0}, 0}}, false, false},
      {{{0, 10, 0, 9, {3, 6, 0, 0}, 0}, {0, 10, 2, 6, {0}, 0}}, false, false},
      {{{0, 10, 0, 9, {3, 6, 2, 4}, 0}, {4, 6, 3, 6, {0}, 0}}, false, true}, /* beside its window */
      {{{0, 10, 0, 9, {3, 6, 2, 4}, 0}, {3, 6, 3, 6, {0}, 0}}, false, false},
      {{{0, 10, 0, 5, {0}, 0}, {0, 10, 0, 5, {0}, 1}}, false, true},  /* pools apart */
      {{{0, 10, 0, 5, {0}, 0}, {0, 10, 0, 5, {0}, 2}}, false, true},  /* perhaps in the other pool */
      {{{8, 10, 0, 5, {0}, 0}, {8, 10, 0, 5, {0}, 2}}, false, false}, /* 8 is possible in pool 0 alone */
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_error err = {0};
    enum berth_code code = build(CASES[i].pins, 2, CASES[i].conflict, &err);
    ck_assert_msg((code == BERTH_OK) == CASES[i].good, "case %zu: %s", i, err.message);
    if (!CASES[i].good) {
      ck_assert_int_eq(err.reason, BERTH_REASON_BAD_PIN);
      ck_assert_uint_eq(err.index, 1);
      ck_assert_str_eq(err.field, "offset");
      ck_assert_ptr_nonnull(strstr(err.message, "buffer 1 (\"b\")"));
      ck_assert_ptr_nonnull(strstr(err.message, "buffer 0 (\"a\")"));
    }
  }
}
END_TEST

/* All pairs, the plain way, against the sweep. */
static bool meet(const struct pin *a, const struct pin *b) {
  return a->pool == b->pool && a->offset < b->offset + b->size && b->offset < a->offset + a->size &&
         a->lower < b->upper && b->lower < a->upper;
}

START_TEST(the_sweep_finds_what_all_pairs_find) {
  uint64_t state = 1;
  int n_good = 0;
  for (int round = 0; round < 3000; round++) {
    struct pin pins[6];
    bool good = true;
    for (int i = 0; i < 6; i++) {
      uint64_t numbers[5];
      for (int k = 0; k < 5; k++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        numbers[k] = state >> 40;
      }
      pins[i] = (struct pin){
          .offset = numbers[0] % 8 * 16, .size = 1 + numbers[1] % 32, .lower = (int64_t)(numbers[2] % 8)};
      pins[i].upper = pins[i].lower + 1 + (int64_t)(numbers[3] % 3);
      pins[i].pool = numbers[4] % 2;
      for (int k = 0; k < i; k++) {
        good = good && !meet(&pins[i], &pins[k]);
      }
    }
    n_good += good;
    ck_assert_int_eq(build(pins, 6, false, NULL) == BERTH_OK, good);
  }
  ck_assert_int_gt(n_good, 300);
  ck_assert_int_lt(n_good, 2700);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/pins",
      (const TTest *const[]){
          pins_that_meet_are_refused_and_both_are_named, the_sweep_finds_what_all_pairs_find, NULL});
}
