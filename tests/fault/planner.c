/* Every public operation of the planner, with each of its requests for memory refused. */
#include <stdio.h>

#include "berth/berth.h"
#include "berth/canonical.h"
#include "graph.h"
#include "nth.h"
#include "sample.h"
#include "suite.h"

enum {
  FEATURES = SAMPLE_ALIGNED | SAMPLE_PINNED | SAMPLE_GAPS | SAMPLE_CONFLICTS | SAMPLE_POOLS | SAMPLE_ZEROS |
             SAMPLE_TERMS,
  GROUPED = (FEATURES & ~SAMPLE_TERMS) | SAMPLE_GROUPS
};

static void report(const char *name, uint64_t n_requests) {
  printf("%-40s %4llu requests\n", name, (unsigned long long)n_requests);
  ck_assert_uint_gt(n_requests, 0);
}

/* Named, so that the tables of ids take part. */
static void name_all(struct sample *sample, char (*names)[12]) {
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    int n = snprintf(names[i], sizeof names[i], "buffer%u", i);
    sample->buffers[i].spec.id = (struct berth_text){names[i], (uint32_t)n};
  }
}

/* ---- Building. ---- */

static enum berth_code
build_buffers(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  struct berth_problem *problem = NULL;
  enum berth_code code = sample_try_build(ctx, NULL, allocator, &problem, err);
  berth_problem_unref(problem);
  return code;
}

START_TEST(building_from_buffers) {
  static char names[600][12];
  for (uint32_t k = 0; k < 3; k++) {
    struct sample sample;
    sample_init(&sample);
    struct berth_rng rng = {k};
    sample_generate(
        &sample, &rng, SAMPLE_UNIFORM, k == 2 ? 500 : 20,
        k == 0   ? FEATURES | SAMPLE_SLOTS
        : k == 1 ? GROUPED
                 : FEATURES);
    name_all(&sample, names);
    report("build from buffers", nth_refused("build", build_buffers, &sample));
    sample_finish(&sample);
  }
}
END_TEST

static enum berth_code reserve(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  (void)ctx;
  struct berth_problem_builder *builder = NULL;
  enum berth_code code = berth_problem_builder_create(allocator, &builder, err);
  if (code == BERTH_OK) {
    code = berth_problem_builder_reserve(builder, 1000, err);
  }
  berth_problem_builder_destroy(builder);
  return code;
}

START_TEST(reserving) {
  report("reserve", nth_refused("reserve", reserve, NULL));
}
END_TEST

static enum berth_code
build_graph(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  struct berth_problem *problem = NULL;
  enum berth_code code = graph_try_build(ctx, allocator, &problem, err);
  berth_problem_unref(problem);
  return code;
}

START_TEST(building_from_a_graph) {
  for (uint32_t k = 0; k < 5; k++) {
    struct graph graph;
    struct berth_rng rng = {k};
    graph_generate(&graph, &rng, 4 * k, k % 2 == 0 ? GRAPH_VIEWS | GRAPH_IN_PLACE : GRAPH_EVERYTHING);
    report("build from a graph", nth_refused("graph", build_graph, &graph));
  }
}
END_TEST

/* ---- Planning. ---- */

struct solving {
  struct berth_problem *problem;
  struct berth_solve_options options;
};

static enum berth_code solve(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct solving *solving = ctx;
  struct berth_plan *plan = NULL;
  enum berth_code code = berth_solve(solving->problem, &solving->options, NULL, allocator, &plan, err);
  berth_plan_unref(plan);
  return code;
}

static void solve_all_ways(struct sample *sample, uint64_t budget) {
  struct solving solving = {.problem = sample_build(sample, NULL), .options = berth_solve_options_default()};
  solving.options.budget_ticks = budget;
  report("solve", nth_refused("solve", solve, &solving));
  solving.options.reuse = BERTH_REUSE_NONE;
  report("solve without reuse", nth_refused("solve without reuse", solve, &solving));
  solving.options = berth_solve_options_default();
  solving.options.budget_ticks = budget;
  solving.options.capacity_bytes = sample_load(sample) / 2;
  report("solve in too little", nth_refused("solve in too little", solve, &solving));
  berth_problem_unref(solving.problem);
}

START_TEST(solving_small_and_large) {
  for (uint32_t k = 0; k < 8; k++) {
    struct sample sample;
    sample_init(&sample);
    struct berth_rng rng = {100 + k};
    uint32_t features = (k % 2 ? FEATURES : 0) | (k % 4 == 3 ? SAMPLE_SLOTS : 0);
    if (k % 3 == 1) {
      features = GROUPED;
    }
    sample_generate(&sample, &rng, (enum sample_family)k, k < 4 ? 12 : 1500, features);
    solve_all_ways(&sample, k < 4 ? 300000 : 2000000);
    sample_finish(&sample);
  }
}
END_TEST

/* ---- Keeping an earlier plan. ---- */

struct keeping {
  struct berth_problem *problem;
  struct berth_plan *before;
  enum berth_growth growth;
};

static enum berth_code keep(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct keeping *keeping = ctx;
  const struct berth_report_side side = {
      .problem = keeping->problem, .offset = keeping->before->offset, .pool = keeping->before->pool};
  struct berth_stable_row *rows = NULL;
  const struct berth_stable *stable = NULL;
  struct berth_plan *plan = NULL;
  enum berth_code code = berth_stable_rows(&side, keeping->problem, allocator, &rows, err);
  if (code == BERTH_OK) {
    const struct berth_stable_spec spec = {
        .rows = rows,
        .n_rows = berth_problem_buffers(keeping->problem)->n,
        .growth = keeping->growth,
        .must_classes = 1u << BERTH_CLASS_INPUT};
    code = berth_stable_create(keeping->problem, &spec, allocator, &stable, err);
  }
  if (code == BERTH_OK) {
    struct berth_solve_options options = berth_solve_options_default();
    options.budget_ticks = 200000;
    options.stable = stable;
    code = berth_solve(keeping->problem, &options, NULL, allocator, &plan, err);
  }
  berth_plan_unref(plan);
  berth_stable_unref(stable);
  berth_report_free(allocator, rows);
  return code;
}

START_TEST(keeping_an_earlier_plan) {
  for (uint32_t k = 0; k < 4; k++) {
    struct sample sample;
    sample_init(&sample);
    struct berth_rng rng = {300 + k};
    uint32_t features = k == 1 ? SAMPLE_SLOTS : k == 2 ? GROUPED : SAMPLE_ALIGNED | SAMPLE_CONFLICTS;
    sample_generate(&sample, &rng, SAMPLE_UNIFORM, k == 3 ? 500 : 12, features);
    struct keeping keeping = {
        .problem = sample_build(&sample, NULL), .growth = k % 2 ? BERTH_GROWTH_BYTES : BERTH_GROWTH_LEAST};
    ck_assert_int_eq(berth_solve(keeping.problem, NULL, NULL, NULL, &keeping.before, NULL), BERTH_OK);
    report("keep an earlier plan", nth_refused("keep an earlier plan", keep, &keeping));
    berth_plan_unref(keeping.before);
    berth_problem_unref(keeping.problem);
    sample_finish(&sample);
  }
}
END_TEST

/* ---- Judging, reporting, encoding. ---- */

struct planned {
  struct sample sample;
  struct berth_problem *problem;
  struct berth_plan *plan;
};

static struct planned plan_one(uint32_t n, uint32_t features) {
  struct planned planned;
  sample_init(&planned.sample);
  struct berth_rng rng = {5};
  sample_generate(&planned.sample, &rng, SAMPLE_UNIFORM, n, features);
  planned.problem = sample_build(&planned.sample, NULL);
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = 100000;
  ck_assert_int_eq(berth_solve(planned.problem, &options, NULL, NULL, &planned.plan, NULL), BERTH_OK);
  return planned;
}

static void planned_finish(struct planned *planned) {
  berth_plan_unref(planned->plan);
  berth_problem_unref(planned->problem);
  sample_finish(&planned->sample);
}

static enum berth_code verify(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct planned *planned = ctx;
  struct berth_verdict verdict;
  enum berth_code code = berth_verify(planned->problem, planned->plan, allocator, NULL, 0, &verdict, err);
  ck_assert(code != BERTH_OK || verdict.n_violations == 0);
  return code;
}

static enum berth_code
verify_offsets(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct planned *planned = ctx;
  struct berth_verdict verdict;
  enum berth_code code = berth_verify_offsets(
      planned->problem, planned->plan->pool, planned->plan->offset, allocator, NULL, 0, &verdict, err);
  ck_assert(code != BERTH_OK || verdict.n_violations == 0);
  return code;
}

static enum berth_code timeline(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct planned *planned = ctx;
  struct berth_timeline_point *points = NULL;
  uint32_t n;
  enum berth_code code =
      berth_report_timeline(planned->problem, planned->plan, 0, allocator, &points, &n, err);
  berth_report_free(allocator, points);
  return code;
}

static enum berth_code
contributions(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct planned *planned = ctx;
  struct berth_contribution *items = NULL;
  uint32_t n;
  enum berth_code code = berth_report_contributions(planned->problem, 3, allocator, &items, &n, err);
  berth_report_free(allocator, items);
  return code;
}

static enum berth_code peaks(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct planned *planned = ctx;
  struct berth_span *spans = NULL;
  uint32_t n;
  uint64_t bytes;
  enum berth_code code = berth_report_peaks(planned->problem, allocator, &spans, &n, &bytes, err);
  berth_report_free(allocator, spans);
  return code;
}

static enum berth_code
comparison(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct planned *planned = ctx;
  const struct berth_report_side before = {.problem = planned->problem};
  const struct berth_report_side after = {
      .problem = planned->problem, .offset = planned->plan->offset, .pool = planned->plan->pool};
  struct berth_comparison compared;
  enum berth_code code = berth_report_compare(&before, &after, allocator, &compared, err);
  ck_assert_int_eq(code == BERTH_OK, compared.n_rows > 0);
  berth_report_free(allocator, compared.rows);
  return code;
}

static enum berth_code
operators(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct planned *planned = ctx;
  struct berth_contribution *items;
  struct berth_operator_row *rows = NULL;
  struct berth_breakdown breakdown = {.makers = NULL};
  uint32_t n;
  enum berth_code code = berth_report_contributions(planned->problem, 3, NULL, &items, &n, err);
  if (code == BERTH_OK) {
    code = berth_report_breakdown(planned->problem, items, n, allocator, &breakdown, err);
  }
  if (code == BERTH_OK) {
    code = berth_report_operators(planned->problem, allocator, &rows, &n, err);
  }
  berth_report_free(NULL, items);
  berth_report_free(allocator, rows);
  berth_report_free(allocator, breakdown.makers);
  return code;
}

static void ignore(void *ctx, const void *bytes, size_t n_bytes) {
  (void)ctx;
  (void)bytes;
  (void)n_bytes;
}

static enum berth_code encode(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct planned *planned = ctx;
  static uint32_t order[2000];
  ck_assert_uint_le(berth_problem_buffers(planned->problem)->n, 2000);
  enum berth_code code = berth_problem_canonical_order(planned->problem, allocator, order, err);
  if (code == BERTH_OK) {
    code = berth_problem_canonical_encode(planned->problem, order, allocator, NULL, ignore, err);
  }
  return code;
}

START_TEST(judging_reporting_and_encoding) {
  for (int k = 0; k < 3; k++) {
    struct planned planned = plan_one(k == 2 ? 1500 : 20, k == 0 ? 0 : FEATURES | SAMPLE_SLOTS);
    report("verify", nth_refused("verify", verify, &planned));
    report("verify offsets", nth_refused("verify offsets", verify_offsets, &planned));
    report("timeline", nth_refused("timeline", timeline, &planned));
    report("contributions", nth_refused("contributions", contributions, &planned));
    report("peaks", nth_refused("peaks", peaks, &planned));
    report("comparison", nth_refused("comparison", comparison, &planned));
    report("canonical form", nth_refused("canonical form", encode, &planned));
    planned_finish(&planned);
  }
}
END_TEST

START_TEST(judging_a_graph) {
  struct graph graph;
  struct berth_rng rng = {3};
  graph_generate(&graph, &rng, 12, GRAPH_VIEWS | GRAPH_IN_PLACE);
  struct planned planned = {.problem = graph_build(&graph)};
  ck_assert_int_eq(berth_solve(planned.problem, NULL, NULL, NULL, &planned.plan, NULL), BERTH_OK);
  report("verify a graph", nth_refused("verify a graph", verify, &planned));
  report("operators", nth_refused("operators", operators, &planned));
  berth_plan_unref(planned.plan);
  berth_problem_unref(planned.problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "fault/planner", (const TTest *const[]){
                           building_from_buffers, reserving, building_from_a_graph, solving_small_and_large,
                           keeping_an_earlier_plan, judging_reporting_and_encoding, judging_a_graph, NULL});
}
