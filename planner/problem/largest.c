#include "berth/largest.h"

#include "berth/restate.h"
#include "problem/bindings.h"

struct finding {
  const struct berth_problem *problem;
  const struct berth_allocator *allocator;
  berth_largest_plan_fn *plan;
  void *ctx;
  struct berth_binding_list bindings; /* the symbol's is the first */
  struct berth_binding_list tops;     /* the same, every other symbol at the most that it can be */
  struct berth_largest *out;
  struct berth_error *err;
};

/* ---- Symbols ---- */

uint32_t berth_problem_find_symbol(const struct berth_problem *problem, struct berth_text name) {
  const struct berth_symbols *symbols = berth_problem_symbols(problem);
  for (uint32_t i = 0; symbols != NULL && i < symbols->n_symbols; i++) {
    if (berth_bindings_same_name(symbols->symbols[i].name, name)) {
      return i;
    }
  }
  return BERTH_NO_INDEX;
}

static void narrow(struct berth_binding *to, uint64_t lower, uint64_t upper) {
  to->lower = lower > to->lower ? lower : to->lower;
  to->upper = upper < to->upper ? upper : to->upper;
}

bool berth_problem_symbol_range(
    const struct berth_problem *problem, struct berth_text name, struct berth_symbol *out_bounds,
    struct berth_binding *out_range) {
  struct berth_binding bounds = {.lower = 0, .upper = BERTH_UNBOUNDED};
  *out_range = bounds;
  bool is_found = false;
  for (uint32_t leaf = 0; leaf < berth_bindings_n_leaves(problem); leaf++) {
    const struct berth_problem *part = berth_bindings_leaf(problem, leaf);
    uint32_t i = berth_problem_find_symbol(part, name);
    if (i == BERTH_NO_INDEX) {
      continue;
    }
    const struct berth_symbols *symbols = berth_problem_symbols(part);
    narrow(&bounds, symbols->symbols[i].lower, symbols->symbols[i].upper);
    narrow(out_range, symbols->ranges[i].lower, symbols->ranges[i].upper);
    out_range->symbol = symbols->symbols[i].name;
    is_found = true;
  }
  *out_bounds =
      (struct berth_symbol){.name = out_range->symbol, .lower = bounds.lower, .upper = bounds.upper};
  return is_found;
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

/* What cannot be stated at a number has no plan there. Of a stretch that says nothing of the numbers in it,
 * since a group, say, must begin alike at all of them; but sizes that are too large at their smallest are. */
static enum berth_fit_answer
answer_unstated(const struct berth_fit_question *question, const struct berth_error *err) {
  bool is_one = question->lower == question->upper;
  bool is_too_large = question->sizes == BERTH_SIZES_SMALLEST && err->reason == BERTH_REASON_SIZE_OVERFLOW;
  return is_one || is_too_large ? BERTH_FIT_NO : BERTH_FIT_UNKNOWN;
}

static enum berth_code
ask(struct finding *finding, const struct berth_fit_question *question, struct berth_largest_point *out) {
  struct berth_binding_list *list =
      question->sizes == BERTH_SIZES_SMALLEST ? &finding->tops : &finding->bindings;
  list->all.items[0].lower = question->lower;
  list->all.items[0].upper = question->upper;
  struct berth_bindings bindings = berth_bindings_like(finding->problem, list);
  bindings.sizes = question->sizes;
  bindings.strict = false;
  const struct berth_restatement as = {.bindings = &bindings};
  struct berth_problem *problem = NULL;
  struct berth_plan *plan = NULL;
  *out = (struct berth_largest_point){.is_asked = true, .n = question->upper, .bytes = UINT64_MAX};
  enum berth_code code =
      berth_problem_restate(finding->problem, &as, finding->allocator, &problem, finding->err);
  if (code != BERTH_OK && finding->err->reason != BERTH_REASON_OUT_OF_MEMORY) {
    out->answer = answer_unstated(question, finding->err);
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
  struct berth_largest_point point;
  enum berth_code code = ask(finding, &question, &point);
  *out = code == BERTH_OK ? point : *out;
  return code;
}

/* That a number fits means that it does with all that other symbols may be. So where it does not fit with
 * them at one point, it does not; and where sizes grow, the most that they can be is the point that says
 * most. */
static enum berth_code find_tops(struct finding *finding) {
  enum berth_code code = BERTH_OK;
  for (size_t i = 0; code == BERTH_OK && i < finding->bindings.all.n; i++) {
    struct berth_binding top = finding->bindings.all.items[i];
    top.lower = i > 0 ? top.upper : top.lower;
    code = berth_bindings_add(&finding->tops, &top, finding->allocator, finding->err);
  }
  for (uint32_t leaf = 0; leaf < berth_bindings_n_leaves(finding->problem); leaf++) {
    const struct berth_symbols *symbols = berth_problem_symbols(berth_bindings_leaf(finding->problem, leaf));
    for (uint32_t i = 0; code == BERTH_OK && symbols != NULL && i < symbols->n_symbols; i++) {
      struct berth_symbol bounds;
      struct berth_binding top;
      (void)berth_problem_symbol_range(finding->problem, symbols->symbols[i].name, &bounds, &top);
      bool is_open = berth_bindings_find(&finding->tops, top.symbol) == NULL;
      bool has_top = top.upper != BERTH_UNBOUNDED && top.lower <= top.upper;
      top.lower = top.upper;
      code = is_open && has_top ? berth_bindings_add(&finding->tops, &top, finding->allocator, finding->err)
                                : code;
    }
  }
  return code;
}

/* ---- All of them ---- */

static enum berth_code search_all(struct finding *finding) {
  struct berth_fit_search *search = &finding->out->search;
  struct berth_fit_question question;
  enum berth_code code = BERTH_OK;
  while (code == BERTH_OK && berth_fit_next(search, &question)) {
    struct berth_largest_point point;
    code = ask(finding, &question, &point);
    if (code == BERTH_OK) {
      berth_fit_tell(search, point.answer);
    }
  }
  berth_fit_stop(search);
  if (code == BERTH_OK && search->has_largest) {
    code = ask_point(finding, search->largest, &finding->out->at);
  }
  if (code == BERTH_OK && search->has_largest && search->largest < search->last) {
    code = ask_point(finding, search->largest + 1, &finding->out->above);
  }
  finding->out->is_stopped = code == BERTH_CANCELLED || code == BERTH_DEADLINE_EXCEEDED;
  return code;
}

static enum berth_code check(
    const struct berth_problem *problem, const struct berth_largest_question *question,
    struct berth_text *out_name, struct berth_error *err) {
  struct berth_symbol bounds;
  struct berth_binding range;
  if (!berth_problem_symbol_range(problem, question->symbol, &bounds, &range)) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_SYMBOL, BERTH_NO_INDEX, "symbol",
        "symbol is \"%.*s\"; the problem has no symbol of this name",
        (int)(question->symbol.size < 64 ? question->symbol.size : 64), question->symbol.data);
  }
  *out_name = range.symbol;
  bool is_right = question->first <= question->last && question->first >= bounds.lower &&
                  question->last <= bounds.upper && question->last != BERTH_UNBOUNDED;
  return is_right ? BERTH_OK
                  : berth_fail(
                        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_SYMBOL, BERTH_NO_INDEX, "first",
                        "the range from first, %llu, to last, %llu, is not one within the symbol's bounds",
                        (unsigned long long)question->first, (unsigned long long)question->last);
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
  struct berth_binding asked = {0};
  *out = (struct berth_largest){.n_plans = 0};
  enum berth_code code = check(problem, question, &asked.symbol, finding.err);
  code =
      code != BERTH_OK ? code : berth_bindings_add(&finding.bindings, &asked, finding.allocator, finding.err);
  code = code != BERTH_OK ? code
                          : berth_bindings_gather(problem, finding.allocator, &finding.bindings, finding.err);
  code = code != BERTH_OK ? code : find_tops(&finding);
  if (code == BERTH_OK) {
    berth_fit_init(&out->search, question->first, question->last, question->max_plans);
    code = search_all(&finding);
  }
  berth_vec_finish(finding.allocator, &finding.bindings.all);
  berth_vec_finish(finding.allocator, &finding.tops.all);
  return code;
}
