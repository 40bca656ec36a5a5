/* With streams: a problem in which permissions are used rightly loses one wait that they need, and the judge
 * must refuse it. */
#include "berth/verify.h"
#include "graph.h"
#include "problem/problem.h"
#include "suite.h"

enum { A, B, C, D, E, F, N_VALUES };
enum { MAKE_A, READ_A, USE_A, OVER, MAKE_D, CONCAT, READ_E, READ_D, BEHIND, N_OPERATORS };

static const uint64_t SIZES[N_VALUES] = {8, 8, 8, 4, 8, 8};

static const struct graph_operator OPERATORS[N_OPERATORS] = {
    [MAKE_A] = {.n_outputs = 1, .outputs = {A}},
    [READ_A] = {.n_inputs = 1, .inputs = {A}, .stream = 1, .n_waits = 1, .waits = {MAKE_A}},
    [USE_A] = {.n_inputs = 1, .inputs = {A}, .n_outputs = 1, .outputs = {B}},
    [OVER] =
        {.n_inputs = 1,
         .inputs = {A},
         .n_outputs = 1,
         .outputs = {C},
         .n_waits = 1,
         .waits = {READ_A},
         .n_inplace = 1,
         .inplace = {{0, 0, BERTH_INPLACE_OVER, 0}}},
    [MAKE_D] = {.n_outputs = 1, .outputs = {D}, .stream = 1},
    [CONCAT] =
        {.n_inputs = 1,
         .inputs = {D},
         .n_outputs = 1,
         .outputs = {E},
         .n_waits = 1,
         .waits = {MAKE_D},
         .n_inplace = 1,
         .inplace = {{0, 0, BERTH_INPLACE_INSIDE, 4}}},
    [READ_E] = {.n_inputs = 1, .inputs = {E}, .stream = 1, .n_waits = 1, .waits = {CONCAT}},
    [READ_D] = {.n_inputs = 1, .inputs = {D}, .stream = 2, .n_waits = 1, .waits = {MAKE_D}},
    [BEHIND] =
        {.n_inputs = 1,
         .inputs = {E},
         .n_outputs = 1,
         .outputs = {F},
         .n_waits = 2,
         .waits = {READ_E, READ_D},
         .n_inplace = 1,
         .inplace = {{0, 0, BERTH_INPLACE_BEHIND, 4}}},
};

static struct berth_problem *build(void) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (uint32_t v = 0; v < N_VALUES; v++) {
    struct berth_value_spec spec = berth_value_spec_default();
    spec.size_bytes = SIZES[v];
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  }
  for (uint32_t op = 0; op < N_OPERATORS; op++) {
    ck_assert_int_eq(graph_add_operator(builder, &OPERATORS[op], NULL), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  for (uint32_t i = 0; i < permissions->n; i++) {
    ck_assert_int_eq(permissions->items[i].answer, BERTH_INPLACE_USED);
  }
  return problem;
}

/* Every buffer apart: what the places say is right. */
static bool passes(const struct berth_problem *problem) {
  uint64_t offset[N_VALUES];
  struct berth_verdict verdict;
  for (uint32_t b = 0; b < berth_problem_buffers(problem)->n; b++) {
    offset[b] = (uint64_t)b * 64;
  }
  enum berth_code code = berth_verify_offsets(problem, NULL, offset, NULL, NULL, 0, &verdict, NULL);
  return code == BERTH_OK && verdict.n_violations == 0;
}

START_TEST(every_wait_that_a_permission_needs_is_missed) {
  static const struct {
    uint32_t op;
    uint32_t wait;
  } NEEDED[] = {{OVER, 0}, {CONCAT, 0}, {BEHIND, 0}, {BEHIND, 1}};
  struct berth_problem *problem = build();
  ck_assert(passes(problem));
  for (size_t k = 0; k < sizeof NEEDED / sizeof NEEDED[0]; k++) {
    uint32_t *wait =
        &problem->columns.waits.items[problem->columns.wait_begin.items[NEEDED[k].op] + NEEDED[k].wait];
    uint32_t right = *wait;
    *wait = MAKE_A;
    ck_assert_msg(!passes(problem), "wait %u of operator %u is not missed", NEEDED[k].wait, NEEDED[k].op);
    *wait = right;
  }
  ck_assert(passes(problem));
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "verify/slices", (const TTest *const[]){every_wait_that_a_permission_needs_is_missed, NULL});
}
