/* Which symbols are bound to what, in one problem and in the parts of a composition. */
#include "berth/largest.h"
#include "berth/together.h"
#include "berth/variants.h"
#include "suite.h"

#include <string.h>

#define TEXT(text) ((struct berth_text){(text), sizeof(text) - 1})

/* Two buffers of n and m bytes at once, and n * k where a third symbol is given. */
static struct berth_problem *two(const struct berth_symbol *symbols, const struct berth_bindings *bindings) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_bind(builder, bindings, NULL), BERTH_OK);
  struct berth_pool_spec pool = berth_pool_spec_default();
  for (uint32_t i = 0; i < 2; i++) {
    const struct berth_expression expression = {.operation = BERTH_OPERATION_SYMBOL, .left = i};
    ck_assert_int_eq(berth_problem_builder_add_symbol(builder, &symbols[i], NULL, NULL), BERTH_OK);
    ck_assert_int_eq(berth_problem_builder_add_expression(builder, &expression, NULL, NULL), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  for (uint32_t i = 0; i < 2; i++) {
    const struct berth_shape shape = {.dimensions = &i, .n_dimensions = 1, .element_bits = 8};
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    spec.shape = &shape;
    spec.lower = 0;
    spec.upper = 1;
    ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, NULL, NULL), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

static const struct berth_symbol BOUNDED[] = {{{"n", 1}, 1, 8}, {{"m", 1}, 2, 4}};
static const struct berth_symbol ENDLESS[] = {{{"n", 1}, 1, BERTH_UNBOUNDED}, {{"m", 1}, 2, 4}};

static void expect_sizes(struct berth_problem *problem, uint64_t first, uint64_t second) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->size_bytes[0], first);
  ck_assert_uint_eq(buffers->size_bytes[1], second);
  berth_problem_unref(problem);
}

START_TEST(a_variant_keeps_what_it_does_not_bind) {
  const struct berth_binding as_given[] = {{{"m", 1}, 3, 3}};
  const struct berth_bindings given = {.n = 1, .items = as_given};
  const struct berth_binding n[] = {{{"n", 1}, 5, 5}};
  const struct berth_bindings variant = {.n = 1, .items = n};
  const struct berth_bindings none = {.n = 0};
  struct berth_problem *problem = two(BOUNDED, &given);
  struct berth_problem *stated;
  ck_assert(berth_problem_is_bound(problem));
  ck_assert_int_eq(berth_variant_state(problem, &variant, NULL, &stated, NULL), BERTH_OK);
  expect_sizes(stated, 5, 3);
  ck_assert_int_eq(berth_variant_state(problem, &none, NULL, &stated, NULL), BERTH_OK);
  expect_sizes(stated, 8, 3);
  ck_assert_int_eq(berth_variant_bounds(problem, &variant, 1, NULL, &stated, NULL), BERTH_OK);
  ck_assert(!berth_problem_is_bound(stated));
  expect_sizes(stated, 8, 4);
  const struct berth_binding wrong[] = {{{"n", 1}, 9, 9}, {{"k", 1}, 1, 1}};
  for (size_t i = 0; i < 2; i++) {
    const struct berth_bindings beyond = {.n = 1, .items = &wrong[i]};
    struct berth_error err;
    ck_assert_int_eq(berth_variant_state(problem, &beyond, NULL, &stated, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_int_eq(err.reason, BERTH_REASON_BAD_SYMBOL);
    ck_assert_ptr_null(stated);
  }
  berth_problem_unref(problem);
}
END_TEST

START_TEST(without_an_upper_bound_it_is_what_the_variants_make_of_it) {
  const struct berth_binding items[] = {{{"n", 1}, 5, 5}, {{"n", 1}, 2, 11}, {{"n", 1}, 7, 7}};
  const struct berth_bindings given = {.n = 1, .items = &items[2]};
  const struct berth_bindings variants[] = {
      {.n = 1, .items = &items[0]}, {.n = 1, .items = &items[1]}, {.n = 0}};
  struct berth_problem *problem = two(ENDLESS, &given);
  struct berth_problem *bounds;
  ck_assert_int_eq(berth_variant_bounds(problem, variants, 1, NULL, &bounds, NULL), BERTH_OK);
  expect_sizes(bounds, 5, 4);
  ck_assert_int_eq(berth_variant_bounds(problem, variants, 3, NULL, &bounds, NULL), BERTH_OK);
  ck_assert_uint_eq(berth_problem_symbols(bounds)->ranges[0].lower, 2);
  expect_sizes(bounds, 11, 4);
  ck_assert_int_eq(berth_variant_bounds(problem, NULL, 0, NULL, &bounds, NULL), BERTH_OK);
  expect_sizes(bounds, 7, 4);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(of_a_composition_it_is_every_part) {
  static const struct berth_symbol OTHER[] = {{{"n", 1}, 3, 20}, {{"k", 1}, 0, 9}};
  struct berth_problem *parts[] = {two(BOUNDED, NULL), two(OTHER, NULL)};
  const struct berth_named_problem named[] = {{TEXT("a"), parts[0]}, {TEXT("b"), parts[1]}};
  const struct berth_composition composition = {.parts = named, .n_parts = 2};
  const struct berth_binding items[] = {{{"n", 1}, 5, 5}, {{"k", 1}, 1, 1}};
  const struct berth_bindings variant = {.n = 2, .items = items};
  struct berth_problem *whole;
  struct berth_problem *stated;
  struct berth_symbol bounds;
  struct berth_binding range;
  ck_assert_int_eq(berth_problem_compose(&composition, NULL, &whole, NULL), BERTH_OK);
  ck_assert(berth_problem_symbol_range(whole, TEXT("n"), &bounds, &range));
  ck_assert(bounds.lower == 3 && bounds.upper == 8); /* what both allow */
  ck_assert(!berth_problem_symbol_range(whole, TEXT("x"), &bounds, &range));
  ck_assert_int_eq(berth_variant_state(whole, &variant, NULL, &stated, NULL), BERTH_OK);
  const uint64_t *sizes = berth_problem_buffers(stated)->size_bytes;
  ck_assert(sizes[0] == 5 && sizes[1] == 4 && sizes[2] == 5 && sizes[3] == 1);
  ck_assert(berth_problem_is_bound(stated) && !berth_problem_is_bound(whole));
  struct berth_problem *back;
  ck_assert_int_eq(berth_variant_bounds(stated, NULL, 0, NULL, &back, NULL), BERTH_OK);
  sizes = berth_problem_buffers(back)->size_bytes;
  ck_assert(sizes[0] == 8 && sizes[2] == 20 && sizes[3] == 9);
  berth_problem_unref(back);
  berth_problem_unref(stated);
  berth_problem_unref(whole);
  berth_problem_unref(parts[0]);
  berth_problem_unref(parts[1]);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/variants/state",
      (const TTest *const[]){
          a_variant_keeps_what_it_does_not_bind, without_an_upper_bound_it_is_what_the_variants_make_of_it,
          of_a_composition_it_is_every_part, NULL});
}
