/* Mutation tests of the judge, by problems: the plan of a spoilt problem, one in which more is ordered, less
 * is live, or less is asked of places, is shown as one of the original. What then corrupts the toy memory, in
 * any order and at any size that the original allows, or lies where it must not, the judge must refuse. */
#include <stdio.h>
#include <string.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "campaign.h"
#include "suite.h"
#include "toy.h"

enum { PROBLEMS = 30000, BUDGET = 20000 };

#define MUTATIONS(X)                                                                                         \
  X(WAIT, "a wait that is not there")                                                                        \
  X(STREAM, "an operator on another stream")                                                                 \
  X(ONE_STREAM, "all on one stream")                                                                         \
  X(VIEW, "a view one byte shorter")                                                                         \
  X(READER, "a reader forgotten")                                                                            \
  X(REGIONS, "regions forgotten")                                                                            \
  X(LEFT_STORAGE, "a group of one storage forgotten")                                                        \
  X(ROW, "a group back to back forgotten")                                                                   \
  X(JOINED, "two that are not one storage put into a group")                                                 \
  X(POOLS, "pools forgotten")                                                                                \
  X(POOL, "a pool that promises more")                                                                       \
  X(NAMED, "a value that may live in another pool")                                                          \
  X(SYMBOL, "a symbol that never is as large")                                                               \
  X(SIZE, "a size that does not rise")

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

static struct { uint32_t made, unsafe, with_slices, with_streams; } seen[N_MUTATIONS];

static bool forget_reader(struct toy_op *op) {
  bool named = op->n_inputs == 0;
  for (uint32_t i = 0; i < op->n_inplace; i++) {
    named = named || op->inplace[i].input == op->n_inputs - 1;
  }
  op->n_inputs -= !named;
  return !named;
}

static bool forget_group(struct toy *toy, enum berth_group_kind kind) {
  for (uint32_t g = 0; g < toy->n_groups; g++) {
    if (toy->groups[g].kind == kind) {
      toy->groups[g] = toy->groups[--toy->n_groups];
      return true;
    }
  }
  return false;
}

static bool join(struct toy *toy, struct berth_rng *rng) {
  uint32_t a = toy->values[berth_rng_below(rng, toy->n_values)].root;
  uint32_t b = toy->values[berth_rng_below(rng, toy->n_values)].root;
  bool may = a != b && toy->n_groups < TOY_MAX_GROUPS && (toy->terms & TOY_GROUPS) != 0;
  if (may) {
    toy->groups[toy->n_groups++] =
        (struct toy_group){.kind = BERTH_GROUP_SHARED, .n_members = 2, .members = {a, b}};
  }
  return may;
}

static void forget_pools(struct toy *toy) {
  toy->n_pools = 0;
  for (uint32_t v = 0; v < toy->n_values; v++) {
    toy->values[v].pool = BERTH_NO_INDEX;
  }
}

/* One of the things that a pool says. */
static void promise(struct berth_pool_spec *pool, struct berth_rng *rng) {
  switch (berth_rng_below(rng, 6)) {
  case 0:
    pool->alignment = 1;
    break;
  case 1:
    pool->base_alignment = 8;
    break;
  case 2:
    pool->capacity_bytes = BERTH_UNLIMITED;
    break;
  case 3:
    pool->max_block_bytes = BERTH_UNLIMITED;
    break;
  case 4:
    pool->kind = BERTH_POOL_BYTES;
    break;
  default:
    pool->persistence = BERTH_PERSISTENCE_MIXED;
    break;
  }
}

/* What is said beside operators. */
static bool spoil_terms(struct toy *toy, struct berth_rng *rng, enum mutation mutation) {
  struct toy_value *value = &toy->values[berth_rng_below(rng, toy->n_values)];
  bool any = true;
  switch (mutation) {
  case LEFT_STORAGE:
    return forget_group(toy, BERTH_GROUP_SHARED);
  case ROW:
    return forget_group(toy, BERTH_GROUP_CONTIGUOUS);
  case JOINED:
    return join(toy, rng);
  case POOLS:
    any = toy->n_pools == 1; /* of two, places in the second would be nowhere */
    forget_pools(toy);
    return any;
  case POOL:
    if (toy->n_pools != 0) {
      promise(&toy->pools[berth_rng_below(rng, toy->n_pools)], rng);
    }
    return toy->n_pools != 0;
  case NAMED:
    any = value->pool != BERTH_NO_INDEX;
    value->pool = any ? 1 - value->pool : value->pool;
    return any;
  case SYMBOL:
    toy->most_n = 1;
    return toy->has_symbol;
  default:
    any = value->sizing == TOY_RISING && value->base != 0;
    value->sizing = any ? TOY_PLAIN : value->sizing;
    value->spec.size_bytes = any ? value->base : value->spec.size_bytes;
    return any;
  }
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
  case REGIONS: {
    bool any = toy->n_regions != 0;
    toy->n_regions = 0;
    return any;
  }
  default:
    return spoil_terms(toy, rng, mutation);
  }
}

/* Whether a plan of the one is a table for the other, too; sizes may differ. */
static bool is_comparable(const struct berth_problem *a, const struct berth_problem *b) {
  const struct berth_graph *one = berth_problem_graph(a);
  const struct berth_graph *other = berth_problem_graph(b);
  bool same = berth_problem_buffers(a)->n == berth_problem_buffers(b)->n;
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
  if (plan->offset == NULL) {
    berth_plan_unref(plan);
    return;
  }
  ck_assert_int_eq(
      berth_verify_offsets(problem, plan->pool, plan->offset, NULL, NULL, 0, &verdict, NULL), BERTH_OK);
  bool right = toy_run(toy, problem, (struct toy_places){plan->pool, plan->offset}) == TOY_RIGHT;
  ck_assert_msg(
      right || verdict.n_violations > 0, "graph %u: %s: corrupts memory, and is not seen", k,
      TEXTS[mutation]);
  seen[mutation].made++;
  seen[mutation].unsafe += !right;
  seen[mutation].with_slices += !right && berth_problem_buffers(problem)->slice_begin != NULL;
  seen[mutation].with_streams += !right && berth_problem_graph(problem)->operator_stream != NULL;
  berth_plan_unref(plan);
}

START_TEST(what_a_spoilt_problem_allows_is_not_passed) {
  static struct toy toy;
  static struct toy spoilt_toy;
  struct campaign campaign = campaign_plan(PROBLEMS);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    toy.terms = k % 2 == 0 ? 0 : 1 + berth_rng_below(&rng, 7);
    struct berth_problem *problem = toy_make(&toy, &rng);
    bool streams = problem != NULL && berth_problem_graph(problem)->operator_stream != NULL;
    enum mutation first = streams ? 0 : VIEW;
    for (enum mutation mutation = first; problem != NULL && mutation < N_MUTATIONS; mutation++) {
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
        "%-44s %6u made %6u unsafe, %5u of them with streams and %5u with slices of buffers, all killed\n",
        TEXTS[mutation], seen[mutation].made, seen[mutation].unsafe, seen[mutation].with_streams,
        seen[mutation].with_slices);
    bool few = campaign.end - campaign.first < 10000;
    bool has_met = seen[mutation].unsafe > 0 && (mutation >= LEFT_STORAGE || seen[mutation].with_slices > 0);
    ck_assert_msg(few || has_met, "%s: none was unsafe", TEXTS[mutation]);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "property/toy_mutants", (const TTest *const[]){what_a_spoilt_problem_allows_is_not_passed, NULL});
}
