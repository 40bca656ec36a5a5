/* The judge works sizes out again: one that is not what its shape says is found, wherever it is stated. */
#include "berth/verify.h"
#include "suite.h"
#include "symbolic.h"

enum { PROBLEMS = 300 };

static enum berth_code judge(const struct berth_problem *problem) {
  static const uint64_t ANYWHERE[GRAPH_MAX_VALUES + GRAPH_MAX_OPERATORS];
  struct berth_verdict verdict;
  return berth_verify_offsets(problem, NULL, ANYWHERE, NULL, NULL, 0, &verdict, NULL);
}

/* As if the builder had come to another number. */
static void tamper(const uint64_t *number, const struct berth_problem *problem) {
  uint64_t *place = (uint64_t *)(uintptr_t)number;
  ++*place;
  ck_assert_int_eq(judge(problem), BERTH_INTERNAL);
  --*place;
  ck_assert_int_eq(judge(problem), BERTH_OK);
}

START_TEST(every_size_is_worked_out_again) {
  uint32_t n_values = 0;
  uint32_t n_workspaces = 0;
  struct berth_rng rng = {7};
  for (uint32_t k = 0; k < PROBLEMS; k++) {
    static struct symbolic symbolic;
    struct berth_binding items[SYMBOLIC_MAX_SYMBOLS];
    symbolic_generate(&symbolic, &rng, 6);
    struct berth_bindings bindings = symbolic_bind(&symbolic, &rng, items);
    struct berth_problem *problem = symbolic_build(&symbolic, &bindings);
    const struct berth_graph *graph = berth_problem_graph(problem);
    ck_assert_int_eq(judge(problem), BERTH_OK);
    const struct berth_symbols *symbols = berth_problem_symbols(problem);
    for (uint32_t i = 0; i < symbols->n_sized[BERTH_SIZED_SIZE]; i++) {
      tamper(&graph->value_size_bytes[symbols->sized[BERTH_SIZED_SIZE][i].item], problem);
      n_values++;
    }
    for (uint32_t i = 0; i < symbols->n_sized[BERTH_SIZED_WORKSPACE]; i++) {
      uint32_t buffer = graph->operator_workspace[symbols->sized[BERTH_SIZED_WORKSPACE][i].item];
      tamper(&berth_problem_buffers(problem)->size_bytes[buffer], problem);
      n_workspaces++;
    }
    berth_problem_unref(problem);
  }
  ck_assert_uint_gt(n_values, PROBLEMS);
  ck_assert_uint_gt(n_workspaces, PROBLEMS);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/verify/sizes", (const TTest *const[]){every_size_is_worked_out_again, NULL});
}
