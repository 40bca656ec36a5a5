/* Mutation tests of the judge under a partial order, by problems: the plan of a spoilt problem, one in which
 * more is ordered or less is live, is shown as one of the original. What then corrupts the toy memory, in any
 * order that the original allows, the judge must refuse. */
#include <stdio.h>
#include <string.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "suite.h"
#include "toy.h"

enum { PROBLEMS = 30000, BUDGET = 20000, MAX_BUFFERS = TOY_MAX_VALUES + TOY_MAX_OPERATORS };

#define MUTATIONS(X)                                                                                         \
  X(WAIT, "a wait that is not there")                                                                        \
  X(STREAM, "an operator on another stream")                                                                 \
  X(ONE_STREAM, "all on one stream")                                                                         \
  X(VIEW, "a view one byte shorter")                                                                         \
  X(READER, "a reader forgotten")                                                                            \
  X(REGIONS, "regions forgotten")

enum mutation {
#define X(name, text) name,
  MUTATIONS(X)
#undef X
      N_MUTATIONS
};

static const char *const TEXTS[N_MUTATIONS] = {
#define X(name, text) text,
    MUTATIONS(X)
#undef X
};

static struct { uint32_t made, unsafe, in_place; } seen[N_MUTATIONS];

static bool forget_reader(struct toy_op *op) {
  bool named = op->n_inputs == 0;
  for (uint32_t i = 0; i < op->n_inplace; i++) {
    named = named || op->inplace[i].input == op->n_inputs - 1;
  }
  op->n_inputs -= !named;
  return !named;
}

static bool spoil(struct toy *toy, struct berth_rng *rng, enum mutation mutation) {
  uint32_t o = berth_rng_below(rng, toy->n_ops);
  struct toy_op *op = &toy->ops[o];
  struct toy_value *value = &toy->values[berth_rng_below(rng, toy->n_values)];
  switch (mutation) {
  case WAIT:
    if (o == 0 || op->n_waits == TOY_MAX_OPERATORS) {
      return false;
    }
    op->waits[op->n_waits++] = berth_rng_below(rng, o);
    return true;
  case STREAM:
    op->stream = toy->ops[berth_rng_below(rng, toy->n_ops)].stream;
    return true;
  case ONE_STREAM: /* but for the last, so that there still are streams */
    for (uint32_t k = 0; k + 1 < toy->n_ops; k++) {
      toy->ops[k].stream = 0;
    }
    toy->ops[toy->n_ops - 1].stream = 1;
    return true;
  case VIEW:
    if (value->spec.view_of == BERTH_NO_INDEX || value->spec.size_bytes < 2) {
      return false;
    }
    value->spec.size_bytes--;
    if (berth_rng_below(rng, 2) == 0) {
      value->spec.view_offset++;
    }
    return true;
  case READER:
    return forget_reader(op);
  default: {
    bool any = toy->n_regions != 0;
    toy->n_regions = 0;
    return any;
  }
  }
}

/* Whether a plan of the one is a table for the other, too. */
static bool is_comparable(const struct berth_problem *a, const struct berth_problem *b) {
  const struct berth_graph *one = berth_problem_graph(a);
  const struct berth_graph *other = berth_problem_graph(b);
  uint32_t n = berth_problem_buffers(a)->n;
  bool same = n == berth_problem_buffers(b)->n &&
              memcmp(
                  berth_problem_buffers(a)->size_bytes, berth_problem_buffers(b)->size_bytes,
                  n * sizeof(uint64_t)) == 0;
  for (uint32_t v = 0; v < one->n_values && same; v++) {
    same = one->value_buffer[v] == other->value_buffer[v];
  }
  return same;
}

static void try_mutant(
    uint32_t k, const struct toy *toy, const struct berth_problem *problem,
    const struct berth_problem *spoilt, enum mutation mutation) {
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = BUDGET;
  struct berth_plan *plan;
  struct berth_verdict verdict;
  ck_assert_int_eq(berth_solve(spoilt, &options, NULL, NULL, &plan, NULL), BERTH_OK);
  ck_assert_int_eq(
      berth_verify_offsets(problem, plan->pool, plan->offset, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
  bool right = toy_run(toy, problem, plan->offset) == TOY_RIGHT;
  ck_assert_msg(
      right || verdict.n_violations > 0, "graph %u: %s: corrupts memory, and is not seen", k,
      TEXTS[mutation]);
  seen[mutation].made++;
  seen[mutation].unsafe += !right;
  seen[mutation].in_place += !right && berth_problem_buffers(problem)->slice_begin != NULL;
  berth_plan_unref(plan);
}

START_TEST(what_a_spoilt_problem_allows_is_not_passed) {
  static struct toy toy;
  static struct toy spoilt_toy;
  struct campaign campaign = campaign_plan(PROBLEMS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    struct berth_problem *problem = toy_make(&toy, &rng);
    bool streams = problem != NULL && berth_problem_graph(problem)->operator_stream != NULL;
    for (enum mutation mutation = 0; streams && mutation < N_MUTATIONS; mutation++) {
      spoilt_toy = toy;
      for (uint32_t r = 0; r < toy.n_regions; r++) {
        bool carries = spoilt_toy.regions[r].carries == &toy.carried;
        spoilt_toy.regions[r].carries = carries ? &spoilt_toy.carried : spoilt_toy.regions[r].carries;
      }
      struct berth_problem *spoilt = spoil(&spoilt_toy, &rng, mutation) ? toy_build(&spoilt_toy, NULL) : NULL;
      if (spoilt != NULL && is_comparable(problem, spoilt)) {
        try_mutant(k, &toy, problem, spoilt, mutation);
      }
      berth_problem_unref(spoilt);
    }
    berth_problem_unref(problem);
  }
  for (enum mutation mutation = 0; mutation < N_MUTATIONS; mutation++) {
    printf(
        "%-38s %6u made %6u unsafe, %5u of them with slices of buffers, all killed\n", TEXTS[mutation],
        seen[mutation].made, seen[mutation].unsafe, seen[mutation].in_place);
    ck_assert_msg(
        campaign.end - campaign.first < 10000 || seen[mutation].in_place > 0, "%s: none was unsafe",
        TEXTS[mutation]);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/stream_mutants", (const TTest *const[]){what_a_spoilt_problem_allows_is_not_passed, NULL});
}
