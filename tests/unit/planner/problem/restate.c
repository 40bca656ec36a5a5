/* A problem stated once more: with other bindings it is the one that is built so, and what cannot be is
 * blamed. */
#include <stdlib.h>
#include <string.h>

#include "berth/canonical.h"
#include "berth/restate.h"
#include "campaign.h"
#include "graph.h"
#include "suite.h"
#include "symbolic.h"

enum { PROBLEMS = 500, OPERATORS = 9 };

struct form {
  uint8_t *bytes;
  size_t n;
};

static void keep(void *ctx, const void *bytes, size_t n_bytes) {
  struct form *form = ctx;
  form->bytes = realloc(form->bytes, form->n + n_bytes);
  ck_assert_ptr_nonnull(form->bytes);
  memcpy(form->bytes + form->n, bytes, n_bytes);
  form->n += n_bytes;
}

static void expect_same(uint32_t number, const struct berth_problem *a, const struct berth_problem *b) {
  const struct berth_problem *problems[2] = {a, b};
  struct form forms[2] = {{NULL, 0}, {NULL, 0}};
  ck_assert_uint_eq(berth_problem_buffers(a)->n, berth_problem_buffers(b)->n);
  for (int i = 0; i < 2; i++) {
    uint32_t *order = malloc((berth_problem_buffers(a)->n + (size_t)1) * sizeof *order);
    ck_assert_ptr_nonnull(order);
    ck_assert_int_eq(berth_problem_canonical_order(problems[i], NULL, order, NULL), BERTH_OK);
    ck_assert_int_eq(
        berth_problem_canonical_encode(problems[i], order, NULL, &forms[i], keep, NULL), BERTH_OK);
    free(order);
  }
  ck_assert_msg(
      forms[0].n == forms[1].n && memcmp(forms[0].bytes, forms[1].bytes, forms[0].n) == 0, "problem %u",
      number);
  free(forms[0].bytes);
  free(forms[1].bytes);
}

static struct berth_problem *
restate(const struct berth_problem *problem, const struct berth_bindings *bindings, bool forbid_inplace) {
  const struct berth_restatement as = {.bindings = bindings, .forbid_inplace = forbid_inplace};
  struct berth_problem *again = NULL;
  struct berth_error err = {.code = BERTH_OK};
  ck_assert_msg(berth_problem_restate(problem, &as, NULL, &again, &err) == BERTH_OK, "%s", err.message);
  return again;
}

START_TEST(other_bindings) {
  static struct symbolic symbolic;
  struct campaign campaign = campaign_plan(PROBLEMS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    struct berth_binding items[SYMBOLIC_MAX_SYMBOLS];
    symbolic_generate(&symbolic, &rng, OPERATORS);
    struct berth_bindings bindings = symbolic_bind(&symbolic, &rng, items);
    struct berth_problem *bounds = symbolic_build(&symbolic, NULL);
    struct berth_problem *bound = symbolic_build(&symbolic, &bindings);
    struct berth_problem *narrowed = restate(bounds, &bindings, false);
    struct berth_problem *same = restate(narrowed, NULL, false);
    const struct berth_bindings none = {.n = 0};
    struct berth_problem *widened = restate(bound, &none, false);
    expect_same(k, narrowed, bound);
    expect_same(k, same, bound);
    expect_same(k, widened, bounds);
    bindings.sizes = BERTH_SIZES_SMALLEST;
    struct berth_problem *smallest = restate(bounds, &bindings, false);
    ck_assert_int_eq(berth_problem_symbols(smallest)->sizes, BERTH_SIZES_SMALLEST);
    berth_problem_unref(bounds);
    berth_problem_unref(bound);
    berth_problem_unref(narrowed);
    berth_problem_unref(same);
    berth_problem_unref(widened);
    berth_problem_unref(smallest);
  }
}
END_TEST

START_TEST(without_results_in_place) {
  struct campaign campaign = campaign_plan(PROBLEMS);
  uint32_t n_used = 0;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    struct graph graph;
    graph_generate(&graph, &rng, 12, GRAPH_EVERYTHING);
    struct berth_problem *full = graph_build(&graph);
    graph.forbid_inplace = true;
    struct berth_problem *built = graph_build(&graph);
    struct berth_problem *without = restate(full, NULL, true);
    struct berth_problem *still = restate(without, NULL, false);
    n_used += berth_problem_buffers(full)->n != berth_problem_buffers(without)->n;
    ck_assert(berth_problem_permissions(full)->n == 0 || berth_problem_is_without_inplace(without));
    expect_same(k, without, built);
    expect_same(k, still, built);
    berth_problem_unref(full);
    berth_problem_unref(built);
    berth_problem_unref(without);
    berth_problem_unref(still);
  }
  ck_assert_uint_gt(n_used, 0);
}
END_TEST

START_TEST(what_does_not_suit_is_blamed) {
  static struct symbolic symbolic;
  struct berth_rng rng = {7};
  symbolic_generate(&symbolic, &rng, OPERATORS);
  struct berth_problem *bounds = symbolic_build(&symbolic, NULL);
  const struct berth_symbol *symbol = &berth_problem_symbols(bounds)->symbols[0];
  const struct berth_binding beyond = {symbol->name, symbol->lower, symbol->upper + 1};
  const struct berth_binding unknown = {{"nobody", 6}, 1, 1};
  const struct berth_bindings wrong[2] = {{.n = 1, .items = &beyond}, {.n = 1, .items = &unknown}};
  for (int i = 0; i < 2; i++) {
    const struct berth_restatement as = {.bindings = &wrong[i]};
    struct berth_problem *again = NULL;
    struct berth_error err = {.code = BERTH_OK};
    ck_assert_int_eq(berth_problem_restate(bounds, &as, NULL, &again, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_ptr_null(again);
    ck_assert_msg(err.reason == BERTH_REASON_BAD_SYMBOL, "%d: %s", i, err.message);
  }
  berth_problem_unref(bounds);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/restate",
      (const TTest *const[]){other_bindings, without_results_in_place, what_does_not_suit_is_blamed, NULL});
}
