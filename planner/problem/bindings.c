#include "problem/bindings.h"

#include "berth/together.h"

uint32_t berth_bindings_n_leaves(const struct berth_problem *problem) {
  const struct berth_composed *parts = berth_problem_composed(problem);
  return parts != NULL ? parts->n : 1;
}

const struct berth_problem *berth_bindings_leaf(const struct berth_problem *problem, uint32_t leaf) {
  const struct berth_composed *parts = berth_problem_composed(problem);
  return parts != NULL ? parts->items[leaf].problem : problem;
}

struct berth_binding *berth_bindings_find(const struct berth_binding_list *list, struct berth_text name) {
  for (size_t i = 0; i < list->all.n; i++) {
    if (berth_bindings_same_name(list->all.items[i].symbol, name)) {
      return &list->all.items[i];
    }
  }
  return NULL;
}

enum berth_code berth_bindings_add(
    struct berth_binding_list *list, const struct berth_binding *binding,
    const struct berth_allocator *allocator, struct berth_error *err) {
  if (!berth_vec_reserve(allocator, &list->all, list->all.n + 1)) {
    return berth_fail_memory(err);
  }
  list->all.items[list->all.n++] = *binding;
  return BERTH_OK;
}

/* Of the first `n_given` entries nothing is to be said. */
static enum berth_code gather_one(
    const struct berth_binding *range, size_t n_given, const struct berth_allocator *allocator,
    struct berth_binding_list *list, struct berth_error *err) {
  const struct berth_binding *known = berth_bindings_find(list, range->symbol);
  if (known == NULL) {
    return berth_bindings_add(list, range, allocator, err);
  }
  bool is_given = (size_t)(known - list->all.items) < n_given;
  bool agrees = known->lower == range->lower && known->upper == range->upper;
  return is_given || agrees
             ? BERTH_OK
             : berth_fail(
                   err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_SYMBOL, BERTH_NO_INDEX, "symbol",
                   "parts have the symbol \"%.*s\" bound in several ways",
                   (int)(range->symbol.size < 64 ? range->symbol.size : 64), range->symbol.data);
}

enum berth_code berth_bindings_gather(
    const struct berth_problem *problem, const struct berth_allocator *allocator,
    struct berth_binding_list *list, struct berth_error *err) {
  size_t n_given = list->all.n;
  enum berth_code code = BERTH_OK;
  for (uint32_t leaf = 0; leaf < berth_bindings_n_leaves(problem); leaf++) {
    const struct berth_symbols *symbols = berth_problem_symbols(berth_bindings_leaf(problem, leaf));
    for (uint32_t i = 0; code == BERTH_OK && symbols != NULL && i < symbols->n_symbols; i++) {
      struct berth_binding range = symbols->ranges[i];
      range.symbol = symbols->symbols[i].name;
      bool is_bound = range.lower != symbols->symbols[i].lower || range.upper != symbols->symbols[i].upper;
      code = is_bound ? gather_one(&range, n_given, allocator, list, err) : code;
    }
  }
  return code;
}

struct berth_bindings
berth_bindings_like(const struct berth_problem *problem, const struct berth_binding_list *list) {
  struct berth_bindings out = {.n = (uint32_t)list->all.n, .items = list->all.items};
  for (uint32_t leaf = 0; leaf < berth_bindings_n_leaves(problem); leaf++) {
    const struct berth_symbols *symbols = berth_problem_symbols(berth_bindings_leaf(problem, leaf));
    if (symbols != NULL) {
      out.sizes = symbols->sizes;
      out.strict = out.strict || symbols->strict;
    }
  }
  return out;
}
