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

/* Two operators of two streams, the second of which may read what the first reads. */
static struct berth_problem *two_streams(bool reads, bool waits, bool syncs) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  static const uint32_t VALUES[] = {0, 1, 2};
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (uint32_t v = 0; v < 3; v++) {
    struct berth_value_spec spec = berth_value_spec_default();
    spec.size_bytes = 8;
    spec.class_ = v == 0 ? BERTH_CLASS_STATE : BERTH_CLASS_OUTPUT;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  }
  for (uint32_t op = 0; op < 2; op++) {
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.inputs = VALUES;
    spec.n_inputs = op == 0 || reads;
    spec.outputs = &VALUES[op + 1];
    spec.n_outputs = 1;
    spec.stream = op;
    spec.waits = VALUES;
    spec.n_waits = op == 1 && waits;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &spec, NULL, NULL), BERTH_OK);
  }
  const struct berth_sync sync = {.waiter = 1, .signaller = 0};
  ck_assert_int_eq(syncs ? berth_problem_builder_add_sync(builder, &sync, NULL) : BERTH_OK, BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

/* Who uses a state does not change its lifetime, so that plans without added waits do not ask. */
START_TEST(where_waits_may_be_added_the_graph_counts) {
  struct berth_solve_options plain = berth_solve_options_default();
  struct berth_solve_options asked = plain;
  asked.sync.cost_bytes = 8;
  struct berth_solve_options others[3] = {asked, asked, asked};
  others[0].sync.cost_bytes = 9;
  others[1].sync.max_syncs = 4;
  others[2].sync.max_syncs = 0; /* not asked after all */
  struct berth_planid id = id_of(two_streams(false, false, false), &asked);
  ck_assert_str_ne(id.hex, id_of(two_streams(false, false, false), &plain).hex);
  ck_assert_str_ne(id.hex, id_of(two_streams(false, false, false), &others[0]).hex);
  ck_assert_str_ne(id.hex, id_of(two_streams(false, false, false), &others[1]).hex);
  ck_assert_str_eq(
      id_of(two_streams(false, false, false), &plain).hex,
      id_of(two_streams(false, false, false), &others[2]).hex);
  ck_assert_str_eq(
      id_of(two_streams(false, false, false), &plain).hex,
      id_of(two_streams(true, false, false), &plain).hex);
  ck_assert_str_ne(id.hex, id_of(two_streams(true, false, false), &asked).hex);
  ck_assert_str_eq(
      id_of(two_streams(true, true, false), &plain).hex, id_of(two_streams(true, false, true), &plain).hex);
  ck_assert_str_ne(
      id_of(two_streams(true, true, false), &asked).hex, id_of(two_streams(true, false, true), &asked).hex);
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
                           order_and_names_are_left_out_and_nothing_else, every_option_counts,
                           where_waits_may_be_added_the_graph_counts, it_is_sha256, reading_an_id, NULL});
}
