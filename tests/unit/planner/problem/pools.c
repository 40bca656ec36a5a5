#include "problems.h"

static struct berth_error refused(const struct berth_pool_spec *specs, uint32_t n) {
  struct berth_problem_builder *builder = start();
  for (uint32_t i = 0; i < n; i++) {
    struct berth_error err;
    if (berth_problem_builder_add_pool(builder, &specs[i], NULL, &err) != BERTH_OK) {
      berth_problem_builder_destroy(builder);
      return err;
    }
  }
  return finish_fails(builder);
}

START_TEST(what_no_pool_can_be) {
  const uint32_t first = 0;
  const uint32_t second = 1;
  const uint32_t both[] = {1, 1};
  const uint32_t third = 2;
  const struct {
    struct berth_pool_spec spec;
    enum berth_reason reason;
    const char *field;
  } CASES[] = {
      {{.alignment = 1, .base_alignment = 3}, BERTH_REASON_BAD_ALIGNMENT, "pool.base_alignment"},
      {{.alignment = 32, .base_alignment = 16}, BERTH_REASON_BAD_ALIGNMENT, "pool.base_alignment"},
      {{.alignment = 1, .base_alignment = UINT64_C(1) << 63},
       BERTH_REASON_BAD_ALIGNMENT,
       "pool.base_alignment"},
      {{.alignment = 1, .persistence = 3}, BERTH_REASON_BAD_POOL, "pool.persistence"},
      {{.alignment = 1, .persistence = BERTH_PERSISTENCE_FRONT, .kind = BERTH_POOL_SLOTS},
       BERTH_REASON_BAD_POOL,
       "pool.persistence"},
      {{.alignment = 1, .spill_to = &first, .n_spill_to = 1},
       BERTH_REASON_BAD_POOL,
       "pool.spill_to"}, /* itself */
      {{.alignment = 1, .spill_to = both, .n_spill_to = 2}, BERTH_REASON_BAD_POOL, "pool.spill_to"},
      {{.alignment = 1, .spill_to = &third, .n_spill_to = 1}, BERTH_REASON_UNKNOWN_ID, "pool.spill_to"},
      {{.alignment = 1, .spill_to = &second, .n_spill_to = 1},
       BERTH_REASON_NONE,
       ""}, /* it comes later: fine */
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct berth_pool_spec specs[2] = {CASES[i].spec, berth_pool_spec_default()};
    specs[0].capacity_bytes = specs[0].max_block_bytes = BERTH_UNLIMITED;
    if (CASES[i].reason == BERTH_REASON_NONE) {
      struct berth_problem_builder *builder = start();
      ck_assert_int_eq(berth_problem_builder_add_pool(builder, &specs[0], NULL, NULL), BERTH_OK);
      ck_assert_int_eq(berth_problem_builder_add_pool(builder, &specs[1], NULL, NULL), BERTH_OK);
      struct berth_problem *problem = finish(builder);
      ck_assert_uint_eq(berth_problem_pools(problem)->items[0].spill_to[0], 1);
      ck_assert_uint_eq(berth_problem_pools(problem)->items[1].n_spill_to, 0);
      berth_problem_unref(problem);
      continue;
    }
    struct berth_error err = refused(specs, 2);
    ck_assert_msg(err.reason == CASES[i].reason, "case %zu: %s", i, err.message);
    ck_assert_str_eq(err.field, CASES[i].field);
    ck_assert_uint_eq(err.index, 0);
  }
}
END_TEST

START_TEST(spills_have_a_limit) {
  static uint32_t many[BERTH_MAX_POOLS];
  struct berth_problem_builder *builder = start();
  struct berth_error err = {.code = BERTH_OK};
  uint32_t n = 0;
  for (uint32_t p = 0; p < BERTH_MAX_POOLS; p++) {
    many[p] = p;
  }
  enum berth_code code = BERTH_OK;
  for (; code == BERTH_OK; n++) {
    struct berth_pool_spec spec = berth_pool_spec_default();
    spec.spill_to = many;
    spec.n_spill_to = BERTH_MAX_POOLS;
    code = berth_problem_builder_add_pool(builder, &spec, NULL, &err);
  }
  ck_assert_uint_eq(n, BERTH_MAX_SPILLS / BERTH_MAX_POOLS + 1);
  ck_assert_int_eq(code, BERTH_RESOURCE_EXHAUSTED);
  ck_assert_str_eq(err.field, "pool.spill_to");
  berth_problem_builder_destroy(builder);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/problem/pools", (const TTest *const[]){what_no_pool_can_be, spills_have_a_limit, NULL});
}
