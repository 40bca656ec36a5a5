/* Graphs with everything in them that decides who may share: views, permissions, donations, streams, regions.
 * Built, planned and judged with each request for memory refused. */
#include <stdio.h>

#include "berth/berth.h"
#include "nth.h"
#include "suite.h"
#include "symbolic.h"

enum { N_OPERATORS = 12 };

struct shape {
  bool streams;
  bool regions;
};

static enum berth_code add_values(struct berth_problem_builder *builder, struct berth_error *err) {
  enum berth_code code = BERTH_OK;
  for (uint32_t v = 0; v < 2 * N_OPERATORS + 1 && code == BERTH_OK; v++) {
    char id[8];
    struct berth_value_spec spec = berth_value_spec_default();
    spec.id = (struct berth_text){id, (uint32_t)snprintf(id, sizeof id, "v%u", v)};
    spec.size_bytes = 64 - v % 3;
    if (v == 0) { /* the caller's input, given up */
      spec.class_ = BERTH_CLASS_INPUT;
      spec.external = true;
      spec.donation = BERTH_DONATION_MAY_USE;
    } else if (v % 2 != 0) {
      spec.live_windows = true;
    } else { /* a part of the value before it */
      spec.view_of = v - 1;
      spec.size_bytes = 16;
      spec.view_offset = 16;
    }
    code = berth_problem_builder_add_value(builder, &spec, NULL, err);
  }
  return code;
}

/* Operator o reads what the one before it made, and writes value 2 o + 1. */
static enum berth_code
add_operators(struct berth_problem_builder *builder, const struct shape *shape, struct berth_error *err) {
  enum berth_code code = BERTH_OK;
  for (uint32_t o = 0; o < N_OPERATORS && code == BERTH_OK; o++) {
    struct berth_operator_spec spec = berth_operator_spec_default();
    uint32_t input = o == 0 ? 0 : 2 * o - 1;
    uint32_t output = 2 * o + 1;
    uint32_t wait = o - 1;
    spec.inputs = &input;
    spec.outputs = &output;
    spec.n_inputs = spec.n_outputs = 1;
    spec.workspace_bytes = o % 3 == 0 ? 8 : 0;
    spec.inplace = &(struct berth_inplace){
        .kind = o % 4 == 0   ? BERTH_INPLACE_OVER
                : o % 8 == 2 ? BERTH_INPLACE_INSIDE
                             : BERTH_INPLACE_BEHIND};
    spec.n_inplace = o % 2 == 0;
    spec.stream = shape->streams ? o % 3 : 0;
    spec.waits = &wait;
    spec.n_waits = o > 0;
    code = berth_problem_builder_add_operator(builder, &spec, NULL, err);
  }
  return code;
}

static enum berth_code
add_regions(struct berth_problem_builder *builder, const struct shape *shape, struct berth_error *err) {
  enum berth_code code = BERTH_OK;
  for (uint32_t r = 0; r < 2 && shape->regions && code == BERTH_OK; r++) {
    struct berth_region_spec spec = berth_region_spec_default();
    spec.parent = r == 0 ? BERTH_NO_INDEX : 0;
    spec.first_operator = 2 + r;
    spec.n_operators = 6 - r;
    spec.carries = &(uint32_t){1};
    spec.n_carries = 1;
    code = berth_problem_builder_add_region(builder, &spec, NULL, err);
  }
  return code;
}

static enum berth_code
judge(const struct berth_problem *problem, const struct berth_allocator *allocator, struct berth_error *err) {
  struct berth_plan *plan = NULL;
  struct berth_verdict verdict = {0};
  enum berth_code code = berth_solve(problem, NULL, NULL, allocator, &plan, err);
  if (code == BERTH_OK) {
    code = berth_verify(problem, plan, allocator, NULL, 0, &verdict, err);
  }
  ck_assert_uint_eq(verdict.n_violations, 0);
  berth_plan_unref(plan);
  return code;
}

static enum berth_code run(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  struct berth_problem_builder *builder = NULL;
  struct berth_problem *problem = NULL;
  enum berth_code code = berth_problem_builder_create(allocator, &builder, err);
  code = code != BERTH_OK ? code : add_values(builder, err);
  code = code != BERTH_OK ? code : add_operators(builder, ctx, err);
  code = code != BERTH_OK ? code : add_regions(builder, ctx, err);
  code = code != BERTH_OK ? code : berth_problem_builder_finish(builder, &problem, err);
  berth_problem_builder_destroy(builder);
  code = code != BERTH_OK ? code : judge(problem, allocator, err);
  berth_problem_unref(problem);
  return code;
}

/* On streams, with waits that are there already and others that may be added. */
static enum berth_code
run_syncs(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  struct berth_problem_builder *builder = NULL;
  struct berth_problem *problem = NULL;
  struct berth_problem *of = NULL;
  struct berth_plan *plan = NULL;
  struct berth_verdict verdict = {0};
  struct berth_solve_options options = berth_solve_options_default();
  uint32_t *n_syncs = ctx;
  options.budget_ticks = 20000;
  options.sync.cost_bytes = 1;
  enum berth_code code = berth_problem_builder_create(allocator, &builder, err);
  for (uint32_t t = 0; t < 4 && code == BERTH_OK; t++) {
    struct berth_value_spec value = berth_value_spec_default();
    value.size_bytes = 64 + t;
    code = berth_problem_builder_add_value(builder, &value, NULL, err);
    struct berth_operator_spec op = berth_operator_spec_default();
    op.outputs = &t;
    op.n_outputs = 1;
    op.stream = t;
    code = code != BERTH_OK ? code : berth_problem_builder_add_operator(builder, &op, NULL, err);
  }
  const struct berth_sync sync = {.waiter = 3, .signaller = 0};
  code = code != BERTH_OK ? code : berth_problem_builder_add_sync(builder, &sync, err);
  code = code != BERTH_OK ? code : berth_problem_builder_finish(builder, &problem, err);
  berth_problem_builder_destroy(builder);
  code = code != BERTH_OK ? code : berth_solve_levels(problem, &options, NULL, allocator, &of, &plan, err);
  if (code == BERTH_OK) {
    *n_syncs = plan->n_syncs;
    code = berth_verify(of, plan, allocator, NULL, 0, &verdict, err);
  }
  ck_assert_uint_eq(verdict.n_violations, 0);
  berth_plan_unref(plan);
  berth_problem_unref(of);
  berth_problem_unref(problem);
  return code;
}

START_TEST(waits_that_are_added) {
  uint32_t n_syncs = 0;
  ck_assert_uint_gt(nth_refused("syncs", run_syncs, &n_syncs), 50);
  ck_assert_uint_gt(n_syncs, 0);
}
END_TEST

START_TEST(graphs_of_every_shape) {
  static struct shape shapes[] = {{false, false}, {true, false}, {false, true}, {true, true}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    uint64_t n = nth_refused("model", run, &shapes[i]);
    printf("shape %zu: %llu requests\n", i, (unsigned long long)n);
    ck_assert_uint_gt(n, 20);
  }
}
END_TEST

/* Buffers of a partial order, most of which have bytes that others may not take. */
static enum berth_code
run_clocks(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  (void)ctx;
  struct berth_problem_builder *builder = NULL;
  struct berth_problem *problem = NULL;
  enum berth_code code = berth_problem_builder_create(allocator, &builder, err);
  for (uint32_t i = 0; i < 40 && code == BERTH_OK; i++) {
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    uint32_t lower[3] = {i % 3 == 0 ? i : i / 4, i % 3 == 1 ? i : i / 5, i % 3 == 2 ? i : i / 6};
    uint32_t upper[3] = {lower[0] + 1 + i % 4, lower[1], lower[2] + i % 2};
    spec.size_bytes = 8 + i % 7;
    spec.clock_lower = lower;
    spec.clock_upper = upper;
    spec.n_clocks = 3;
    code = berth_problem_builder_add_buffer(builder, &spec, NULL, err);
  }
  code = code != BERTH_OK ? code : berth_problem_builder_finish(builder, &problem, err);
  berth_problem_builder_destroy(builder);
  code = code != BERTH_OK ? code : judge(problem, allocator, err);
  berth_problem_unref(problem);
  return code;
}

START_TEST(buffers_with_clocks) {
  ck_assert_uint_gt(nth_refused("clocks", run_clocks, NULL), 20);
}
END_TEST

static enum berth_code
run_symbolic(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct symbolic *symbolic = ctx;
  struct berth_problem *problem = NULL;
  struct berth_binding items[] = {
      {symbolic->symbols[0].name, symbolic->symbols[0].lower, symbolic->symbols[0].lower}};
  struct berth_bindings bindings = {.n = 1, .items = items};
  enum berth_code code = symbolic_try_build(symbolic, &bindings, allocator, &problem, err);
  code = code != BERTH_OK ? code : judge(problem, allocator, err);
  struct berth_problem *again = NULL;
  const struct berth_restatement as = {.forbid_inplace = true};
  code = code != BERTH_OK ? code : berth_problem_restate(problem, &as, allocator, &again, err);
  berth_problem_unref(again);
  berth_problem_unref(problem);
  return code;
}

START_TEST(sizes_by_expressions) {
  static struct symbolic symbolic;
  struct berth_rng rng = {12};
  symbolic_generate(&symbolic, &rng, N_OPERATORS);
  ck_assert_uint_gt(nth_refused("symbols", run_symbolic, &symbolic), 20);
  symbolic.symbols[symbolic.n_symbols - 1].upper = BERTH_UNBOUNDED;
  ck_assert_uint_gt(nth_refused("dynamic", run_symbolic, &symbolic), 20);
}
END_TEST

/* Two of the graphs and some buffers, with a set that leaves the third to come after, and what they share. */
static enum berth_code make_small(
    const struct berth_allocator *allocator, uint32_t n, struct berth_problem **out,
    struct berth_error *err) {
  struct berth_problem_builder *builder = NULL;
  enum berth_code code = berth_problem_builder_create(allocator, &builder, err);
  for (uint32_t i = 0; i < n && code == BERTH_OK; i++) {
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    spec.id = i == 0 ? (struct berth_text){"kept", 4} : (struct berth_text){NULL, 0};
    spec.class_ = i == 0 ? BERTH_CLASS_STATE : BERTH_CLASS_TEMPORARY;
    spec.size_bytes = i == 0 ? 32 : 8 + i % 5;
    spec.lower = i;
    spec.upper = i + 3;
    code = berth_problem_builder_add_buffer(builder, &spec, NULL, err);
  }
  code = code != BERTH_OK ? code : berth_problem_builder_finish(builder, out, err);
  berth_problem_builder_destroy(builder);
  return code;
}

static enum berth_code
run_together(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  uint32_t n_sets = *(const uint32_t *)ctx;
  struct berth_named_problem parts[3] = {{{"a", 1}, NULL}, {{"b", 1}, NULL}, {{"c", 1}, NULL}};
  const struct berth_text shared = {"kept", 4};
  const struct berth_composition composition = {
      .parts = parts,
      .n_parts = 3,
      .set_end = (const uint32_t[]){2, 4, 6},
      .set_parts = (const uint32_t[]){0, 1, 1, 2, 0, 2},
      .n_sets = n_sets,
      .shared = &shared,
      .n_shared = 1};
  struct berth_problem *problem = NULL;
  enum berth_code code = BERTH_OK;
  for (uint32_t p = 0; p < 3 && code == BERTH_OK; p++) {
    code = make_small(allocator, 6 + p, &parts[p].problem, err);
  }
  code = code != BERTH_OK ? code : berth_problem_compose(&composition, allocator, &problem, err);
  code = code != BERTH_OK ? code : judge(problem, allocator, err);
  struct berth_problem *again = NULL;
  const struct berth_restatement as = {.forbid_inplace = true};
  code = code != BERTH_OK ? code : berth_problem_restate(problem, &as, allocator, &again, err);
  struct berth_part_row *rows = NULL;
  uint32_t n_rows;
  code = code != BERTH_OK ? code : berth_report_parts(problem, NULL, allocator, &rows, &n_rows, err);
  berth_report_free(allocator, rows);
  berth_problem_unref(again);
  berth_problem_unref(problem);
  for (uint32_t p = 0; p < 3; p++) {
    berth_problem_unref(parts[p].problem);
  }
  return code;
}

START_TEST(parts_in_one_arena) {
  for (uint32_t n_sets = 0; n_sets <= 3; n_sets++) {
    ck_assert_uint_gt(nth_refused("together", run_together, &n_sets), 40);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "fault/model", (const TTest *const[]){
                         graphs_of_every_shape, waits_that_are_added, buffers_with_clocks,
                         sizes_by_expressions, parts_in_one_arena, NULL});
}
