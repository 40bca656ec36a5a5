/* The symbols of a problem, or of all parts of a composition: one name is one symbol. */
#ifndef PROBLEM_BINDINGS_H
#define PROBLEM_BINDINGS_H

#include <string.h>

#include "base/vec.h"
#include "berth/problem.h"

struct berth_binding_list {
  BERTH_VEC(struct berth_binding) all;
};

/* The problem itself, or the parts of a composition. */
uint32_t berth_bindings_n_leaves(const struct berth_problem *problem);
const struct berth_problem *berth_bindings_leaf(const struct berth_problem *problem, uint32_t leaf);

static inline bool berth_bindings_same_name(struct berth_text a, struct berth_text b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}
/* The entry of this name, or NULL. */
struct berth_binding *berth_bindings_find(const struct berth_binding_list *list, struct berth_text name);
enum berth_code berth_bindings_add(
    struct berth_binding_list *list, const struct berth_binding *binding,
    const struct berth_allocator *allocator, struct berth_error *err) BERTH_MUST_USE;

/* Adds what the problem has bound to less than the bounds, but for names that are on the list already. Texts
 * are the problem's. BAD_SYMBOL where parts have one name bound in several ways. */
enum berth_code berth_bindings_gather(
    const struct berth_problem *problem, const struct berth_allocator *allocator,
    struct berth_binding_list *list, struct berth_error *err) BERTH_MUST_USE;

/* These bindings, with the problem's own sizes and strictness. */
struct berth_bindings
berth_bindings_like(const struct berth_problem *problem, const struct berth_binding_list *list);

#endif
