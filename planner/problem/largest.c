#include "berth/largest.h"

#include <string.h>

#include "base/vec.h"
#include "berth/restate.h"

struct finding {
  const struct berth_problem *problem;
  const struct berth_allocator *allocator;
  berth_largest_plan_fn *plan;
  void *ctx;
  BERTH_VEC(struct berth_binding) items; /* the symbol's is the last */
  struct berth_largest *out;
  struct berth_error *err;
};

uint32_t berth_problem_find_symbol(const struct berth_problem *problem, struct berth_text name) {
  const struct berth_symbols *symbols = berth_problem_symbols(problem);
  for (uint32_t i = 0; symbols != NULL && i < symbols->n_symbols; i++) {
    struct berth_text own = symbols->symbols[i].name;
    if (own.size == name.size && memcmp(own.data, name.data, name.size) == 0) {
      return i;
    }
  }
  return BERTH_NO_INDEX;
}

/* ---- One question ---- */

static struct berth_largest_point point_of(uint64_t n, const struct berth_plan *plan) {
  struct berth_largest_point point = {.is_asked = true, .n = n};
  point.answer = plan->offset != NULL                    ? BERTH_FIT_YES
                 : plan->status == BERTH_PLAN_INFEASIBLE ? BERTH_FIT_NO
                                                         : BERTH_FIT_UNKNOWN;
  point.bytes = point.answer == BERTH_FIT_YES ? plan->arena_bytes : plan->lower_bound_bytes;
  return point;
}

/* What does not come to a number is not a plan: too large, at the largest sizes of a stretch. */
static bool
is_too_large(const struct berth_fit_question *question, enum berth_code code, const struct berth_error *err) {
  bool is_stretch = question->lower != question->upper && question->sizes == BERTH_SIZES_LARGEST;
  return code != BERTH_OK && err->reason != BERTH_REASON_OUT_OF_MEMORY &&
         (err->reason == BERTH_REASON_SIZE_OVERFLOW || is_stretch);
}

static enum berth_code
ask(struct finding *finding, const struct berth_fit_question *question, struct berth_largest_point *out) {
  struct berth_binding *symbol = &finding->items.items[finding->items.n - 1];
  symbol->lower = question->lower;
  symbol->upper = question->upper;
  const struct berth_bindings bindings = {
      .n = (uint32_t)finding->items.n, .items = finding->items.items, .sizes = question->sizes};
  const struct berth_restatement as = {.bindings = &bindings};
  struct berth_problem *problem = NULL;
  struct berth_plan *plan = NULL;
  *out = (struct berth_largest_point){
      .is_asked = true, .n = question->upper, .answer = BERTH_FIT_NO, .bytes = UINT64_MAX};
  enum berth_code code =
      berth_problem_restate(finding->problem, &as, finding->allocator, &problem, finding->err);
  if (is_too_large(question, code, finding->err)) {
    return BERTH_OK;
  }
  if (code == BERTH_OK) {
    finding->out->n_plans++;
    code = finding->plan(finding->ctx, problem, &plan, finding->err);
  }
  if (code == BERTH_OK) {
    *out = point_of(question->upper, plan);
  }
  berth_plan_unref(plan);
  berth_problem_unref(problem);
  return code;
}

/* By itself, and not within a stretch. */
static enum berth_code ask_point(struct finding *finding, uint64_t n, struct berth_largest_point *out) {
  const struct berth_fit_question question = {.lower = n, .upper = n, .sizes = BERTH_SIZES_LARGEST};
  return ask(finding, &question, out);
}

/* ---- All of them ---- */

static enum berth_code search_all(struct finding *finding) {
  struct berth_fit_search *search = &finding->out->search;
  struct berth_fit_question question;
  enum berth_code code = BERTH_OK;
  while (code == BERTH_OK && berth_fit_next(search, &question)) {
    struct berth_largest_point point;
    code = ask(finding, &question, &point);
    berth_fit_tell(search, point.answer);
  }
  if (code == BERTH_OK && search->has_largest) {
    code = ask_point(finding, search->largest, &finding->out->at);
  }
  if (code == BERTH_OK && search->has_largest && search->largest < search->last) {
    code = ask_point(finding, search->largest + 1, &finding->out->above);
  }
  return code;
}

static enum berth_code check(
    const struct berth_problem *problem, const struct berth_largest_question *question, uint32_t *out_symbol,
    struct berth_error *err) {
  *out_symbol = berth_problem_find_symbol(problem, question->symbol);
  if (*out_symbol == BERTH_NO_INDEX) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_SYMBOL, BERTH_NO_INDEX, "symbol",
        "symbol is \"%.*s\"; the problem has no symbol of this name",
        (int)(question->symbol.size < 64 ? question->symbol.size : 64), question->symbol.data);
  }
  const struct berth_symbol *symbol = &berth_problem_symbols(problem)->symbols[*out_symbol];
  bool is_right = question->first <= question->last && question->first >= symbol->lower &&
                  question->last <= symbol->upper && question->last != BERTH_UNBOUNDED;
  return is_right ? BERTH_OK
                  : berth_fail(
                        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_SYMBOL, *out_symbol, "first",
                        "the range from first, %llu, to last, %llu, is not one within the symbol's bounds",
                        (unsigned long long)question->first, (unsigned long long)question->last);
}

/* What is bound stays so; of what ranges over its bounds there is nothing to say. */
static bool bind_others(struct finding *finding, uint32_t but) {
  const struct berth_symbols *symbols = berth_problem_symbols(finding->problem);
  if (!berth_vec_reserve(finding->allocator, &finding->items, symbols->n_symbols)) {
    return false;
  }
  for (uint32_t i = 0; i < symbols->n_symbols; i++) {
    if (i != but && symbols->ranges[i].upper != BERTH_UNBOUNDED) {
      finding->items.items[finding->items.n] = symbols->ranges[i];
      finding->items.items[finding->items.n++].symbol = symbols->symbols[i].name;
    }
  }
  finding->items.items[finding->items.n++] = (struct berth_binding){.symbol = symbols->symbols[but].name};
  return true;
}

enum berth_code berth_find_largest(
    const struct berth_problem *problem, const struct berth_largest_question *question,
    berth_largest_plan_fn *plan, void *ctx, const struct berth_allocator *allocator,
    struct berth_largest *out, struct berth_error *err) {
  struct berth_error unseen;
  struct finding finding = {
      .problem = problem,
      .allocator = allocator != NULL ? allocator : berth_allocator_libc(),
      .plan = plan,
      .ctx = ctx,
      .out = out,
      .err = err != NULL ? err : &unseen};
  uint32_t symbol;
  *out = (struct berth_largest){.n_plans = 0};
  enum berth_code code = check(problem, question, &symbol, finding.err);
  if (code == BERTH_OK && !bind_others(&finding, symbol)) {
    code = berth_fail_memory(finding.err);
  }
  if (code == BERTH_OK) {
    berth_fit_init(&out->search, question->first, question->last, question->max_plans);
    code = search_all(&finding);
  }
  berth_vec_finish(finding.allocator, &finding.items);
  return code;
}
