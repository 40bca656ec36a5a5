#include "planid/planid.h"

#include <string.h>

#include "suite.h"

static struct berth_problem *make(bool swapped, bool named, uint64_t size) {
  struct berth_problem_builder *builder;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (int i = 0; i < 2; i++) {
    bool first = (i == 0) != swapped;
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    spec.size_bytes = first ? size : 64;
    spec.lower = first ? 0 : 2;
    spec.upper = 5;
    if (named) {
      spec.id = (struct berth_text){i == 0 ? "one" : "two", 3};
    }
    ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, NULL, NULL), BERTH_OK);
  }
  struct berth_problem *problem;
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

static struct berth_planid id_of(struct berth_problem *problem, const struct berth_solve_options *options) {
  struct berth_planid id;
  ck_assert_int_eq(berth_planid_compute(problem, options, &id, NULL), BERTH_OK);
  ck_assert_uint_eq(strspn(id.hex, "0123456789abcdef"), 64);
  ck_assert_int_eq(id.hex[64], '\0');
  berth_problem_unref(problem);
  return id;
}

START_TEST(order_and_names_are_left_out_and_nothing_else) {
  struct berth_solve_options options = berth_solve_options_default();
  struct berth_planid id = id_of(make(false, false, 128), &options);
  ck_assert_str_eq(id.hex, id_of(make(true, false, 128), &options).hex);
  ck_assert_str_eq(id.hex, id_of(make(true, true, 128), &options).hex);
  ck_assert_str_ne(id.hex, id_of(make(false, false, 129), &options).hex);
}
END_TEST

START_TEST(every_option_counts) {
  struct berth_solve_options base = berth_solve_options_default();
  struct berth_planid id = id_of(make(false, false, 128), &base);
  struct berth_solve_options other[4] = {base, base, base, base};
  other[0].budget_ticks++;
  other[1].capacity_bytes = 4096;
  other[2].strategies ^= 1;
  other[3].reuse = BERTH_REUSE_NONE;
  for (int i = 0; i < 4; i++) {
    struct berth_planid changed = id_of(make(false, false, 128), &other[i]);
    ck_assert_str_ne(id.hex, changed.hex);
    for (int k = 0; k < i; k++) {
      ck_assert_str_ne(changed.hex, id_of(make(false, false, 128), &other[k]).hex);
    }
  }
}
END_TEST

START_TEST(it_is_sha256) {
  struct berth_planid id;
  ck_assert_int_eq(berth_planid_of_bytes("abc", 3, &id, NULL), BERTH_OK);
  ck_assert_str_eq(id.hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  ck_assert_uint_eq(id.bytes[0], 0xba);
}
END_TEST

START_TEST(reading_an_id) {
  struct berth_planid id, again;
  ck_assert_int_eq(berth_planid_of_bytes("abc", 3, &id, NULL), BERTH_OK);
  ck_assert_int_eq(berth_planid_parse(id.hex, 64, &again, NULL), BERTH_OK);
  ck_assert_mem_eq(id.bytes, again.bytes, sizeof id.bytes);
  char upper[65];
  memcpy(upper, id.hex, 65);
  upper[1] = 'A';
  ck_assert_int_eq(berth_planid_parse(upper, 64, &again, NULL), BERTH_OK);
  ck_assert_str_eq(id.hex, again.hex); /* written in one way */
  struct berth_error err;
  ck_assert_int_eq(berth_planid_parse(id.hex, 63, &again, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(err.field, "plan_id");
  upper[63] = 'g';
  ck_assert_int_eq(berth_planid_parse(upper, 64, &again, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(berth_planid_parse("", 0, &again, &err), BERTH_INVALID_ARGUMENT);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planid/planid", (const TTest *const[]){
                           order_and_names_are_left_out_and_nothing_else, every_option_counts, it_is_sha256,
                           reading_an_id, NULL});
}
