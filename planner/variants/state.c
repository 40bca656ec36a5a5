/* Which symbols are bound to what: at the bounds, and of a variant. */
#include "berth/largest.h"
#include "berth/restate.h"
#include "berth/variants.h"
#include "problem/bindings.h"

static enum berth_code restate_with(
    const struct berth_problem *problem, const struct berth_binding_list *list,
    const struct berth_allocator *allocator, struct berth_problem **out_problem, struct berth_error *err) {
  struct berth_bindings bindings = berth_bindings_like(problem, list);
  const struct berth_restatement as = {.bindings = &bindings};
  return berth_problem_restate(problem, &as, allocator, out_problem, err);
}

/* ---- The bounds ---- */

static bool is_endless(const struct berth_problem *problem, struct berth_text name) {
  for (uint32_t leaf = 0; leaf < berth_bindings_n_leaves(problem); leaf++) {
    const struct berth_problem *part = berth_bindings_leaf(problem, leaf);
    uint32_t symbol = berth_problem_find_symbol(part, name);
    if (symbol != BERTH_NO_INDEX && berth_problem_symbols(part)->symbols[symbol].upper == BERTH_UNBOUNDED) {
      return true;
    }
  }
  return false;
}

static void widen(struct berth_binding *range, const struct berth_binding *by) {
  range->lower = by->lower < range->lower ? by->lower : range->lower;
  range->upper = by->upper > range->upper ? by->upper : range->upper;
}

static const struct berth_binding *find_in(const struct berth_bindings *bindings, struct berth_text name) {
  for (uint32_t i = 0; i < bindings->n; i++) {
    if (berth_bindings_same_name(bindings->items[i].symbol, name)) {
      return &bindings->items[i];
    }
  }
  return NULL;
}

/* All that the variants make of a symbol without an upper bound. False if one of them leaves it open. */
static bool cover(
    const struct berth_binding *stated, const struct berth_bindings *variants, uint32_t n_variants,
    struct berth_binding *out) {
  bool has_any = false;
  for (uint32_t v = 0; v < n_variants || (v == 0 && n_variants == 0); v++) {
    const struct berth_binding *own = n_variants > 0 ? find_in(&variants[v], stated->symbol) : NULL;
    own = own != NULL ? own : stated;
    if (own->upper == BERTH_UNBOUNDED) {
      return false;
    }
    if (has_any) {
      widen(out, own);
    } else {
      *out = (struct berth_binding){stated->symbol, own->lower, own->upper};
    }
    has_any = true;
  }
  return true;
}

static enum berth_code cover_endless(
    const struct berth_problem *problem, const struct berth_problem *part,
    const struct berth_bindings *variants, uint32_t n_variants, const struct berth_allocator *allocator,
    struct berth_binding_list *list, struct berth_error *err) {
  const struct berth_symbols *symbols = berth_problem_symbols(part);
  enum berth_code code = BERTH_OK;
  for (uint32_t i = 0; code == BERTH_OK && symbols != NULL && i < symbols->n_symbols; i++) {
    struct berth_binding stated = symbols->ranges[i];
    struct berth_binding covered;
    stated.symbol = symbols->symbols[i].name;
    bool is_open = is_endless(problem, stated.symbol) && berth_bindings_find(list, stated.symbol) == NULL;
    if (is_open && cover(&stated, variants, n_variants, &covered)) {
      code = berth_bindings_add(list, &covered, allocator, err);
    }
  }
  return code;
}

enum berth_code berth_variant_bounds(
    const struct berth_problem *problem, const struct berth_bindings *variants, uint32_t n_variants,
    const struct berth_allocator *allocator, struct berth_problem **out_problem, struct berth_error *err) {
  const struct berth_allocator *from = allocator != NULL ? allocator : berth_allocator_libc();
  struct berth_binding_list list = {0};
  enum berth_code code = BERTH_OK;
  *out_problem = NULL;
  for (uint32_t leaf = 0; code == BERTH_OK && leaf < berth_bindings_n_leaves(problem); leaf++) {
    const struct berth_problem *part = berth_bindings_leaf(problem, leaf);
    code = cover_endless(problem, part, variants, n_variants, from, &list, err);
  }
  code = code != BERTH_OK ? code : restate_with(problem, &list, allocator, out_problem, err);
  berth_vec_finish(from, &list.all);
  return code;
}

bool berth_problem_is_bound(const struct berth_problem *problem) {
  for (uint32_t leaf = 0; leaf < berth_bindings_n_leaves(problem); leaf++) {
    const struct berth_symbols *symbols = berth_problem_symbols(berth_bindings_leaf(problem, leaf));
    for (uint32_t i = 0; symbols != NULL && i < symbols->n_symbols; i++) {
      const struct berth_symbol *symbol = &symbols->symbols[i];
      const struct berth_binding *range = &symbols->ranges[i];
      bool is_less = range->lower != symbol->lower || range->upper != symbol->upper;
      if (is_less && symbol->upper != BERTH_UNBOUNDED) {
        return true;
      }
    }
  }
  return false;
}

/* ---- A variant ---- */

enum berth_code berth_variant_state(
    const struct berth_problem *problem, const struct berth_bindings *variant,
    const struct berth_allocator *allocator, struct berth_problem **out_problem, struct berth_error *err) {
  const struct berth_allocator *from = allocator != NULL ? allocator : berth_allocator_libc();
  struct berth_binding_list list = {0};
  enum berth_code code = BERTH_OK;
  *out_problem = NULL;
  for (uint32_t i = 0; code == BERTH_OK && i < variant->n; i++) {
    code = berth_bindings_add(&list, &variant->items[i], from, err);
  }
  code = code != BERTH_OK ? code : berth_bindings_gather(problem, from, &list, err);
  code = code != BERTH_OK ? code : restate_with(problem, &list, allocator, out_problem, err);
  berth_vec_finish(from, &list.all);
  return code;
}
