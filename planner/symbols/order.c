/* Expressions are compared by their structure: x <= max(x, y), x / c <= x, sums and products term by term,
 * and in the end by the largest of one and the smallest of the other. Products are flattened into factors, of
 * which equal ones cancel. Every query has a budget of comparisons, so that no table makes it long. */
#include "symbols/order.h"

#include <stddef.h>

enum { BUDGET = 4096, MAX_FACTORS = 2 * BERTH_MAX_DIMENSIONS };

__extension__ typedef unsigned __int128 wide;

struct query {
  const struct berth_expressions *table;
  uint32_t budget;
};

static bool is_commutative(enum berth_operation operation) {
  return operation == BERTH_OPERATION_ADD || operation == BERTH_OPERATION_MULTIPLY ||
         operation == BERTH_OPERATION_MAXIMUM || operation == BERTH_OPERATION_MINIMUM;
}

static bool spend(struct query *query) {
  return query->budget != 0 && query->budget-- != 0;
}

/* ---- The same at every binding ---- */

static bool same(struct query *query, uint32_t a, uint32_t b) {
  const struct berth_expression *left = &query->table->items[a];
  const struct berth_expression *right = &query->table->items[b];
  if (!spend(query) || left->operation != right->operation || left->operation == BERTH_OPERATION_UNKNOWN) {
    return false;
  }
  if (a == b) {
    return true;
  }
  if (left->operation == BERTH_OPERATION_CONSTANT) {
    return left->value == right->value;
  }
  if (left->operation == BERTH_OPERATION_SYMBOL) {
    return left->left == right->left;
  }
  return (same(query, left->left, right->left) && same(query, left->right, right->right)) ||
         (is_commutative(left->operation) && same(query, left->left, right->right) &&
          same(query, left->right, right->left));
}

/* ---- Never larger ---- */

static bool at_most(struct query *query, uint32_t a, uint32_t b);

/* Of two of the same operation, operand by operand. */
static bool
by_operands(struct query *query, const struct berth_expression *a, const struct berth_expression *b) {
  switch (a->operation) {
  case BERTH_OPERATION_ADD:
  case BERTH_OPERATION_MULTIPLY:
    return (at_most(query, a->left, b->left) && at_most(query, a->right, b->right)) ||
           (at_most(query, a->left, b->right) && at_most(query, a->right, b->left));
  case BERTH_OPERATION_SUBTRACT:
  case BERTH_OPERATION_FLOOR_DIVIDE:
  case BERTH_OPERATION_CEIL_DIVIDE:
    return at_most(query, a->left, b->left) && at_most(query, b->right, a->right);
  case BERTH_OPERATION_ALIGN_UP:
    return at_most(query, a->left, b->left) && same(query, a->right, b->right);
  default:
    return false;
  }
}

/* What makes `a` no larger than one of its operands. */
static bool by_parts_of_left(struct query *query, const struct berth_expression *a, uint32_t b) {
  switch (a->operation) {
  case BERTH_OPERATION_MAXIMUM:
    return at_most(query, a->left, b) && at_most(query, a->right, b);
  case BERTH_OPERATION_MINIMUM:
    return at_most(query, a->left, b) || at_most(query, a->right, b);
  case BERTH_OPERATION_SUBTRACT:
  case BERTH_OPERATION_FLOOR_DIVIDE:
  case BERTH_OPERATION_CEIL_DIVIDE:
  case BERTH_OPERATION_MODULO:
    return at_most(query, a->left, b);
  default:
    return false;
  }
}

/* What makes `b` no smaller than one of its operands. */
static bool by_parts_of_right(struct query *query, uint32_t a, const struct berth_expression *b) {
  const struct berth_extent *extents = query->table->extents;
  switch (b->operation) {
  case BERTH_OPERATION_MAXIMUM:
  case BERTH_OPERATION_ADD:
    return at_most(query, a, b->left) || at_most(query, a, b->right);
  case BERTH_OPERATION_MINIMUM:
    return at_most(query, a, b->left) && at_most(query, a, b->right);
  case BERTH_OPERATION_MULTIPLY:
    return (extents[b->right].lower != 0 && at_most(query, a, b->left)) ||
           (extents[b->left].lower != 0 && at_most(query, a, b->right));
  case BERTH_OPERATION_ALIGN_UP:
    return at_most(query, a, b->left);
  default:
    return false;
  }
}

static bool at_most(struct query *query, uint32_t a, uint32_t b) {
  const struct berth_expression *left = &query->table->items[a];
  const struct berth_expression *right = &query->table->items[b];
  struct berth_extent of_a = query->table->extents[a];
  struct berth_extent of_b = query->table->extents[b];
  if (!spend(query) || of_a.is_empty || of_b.is_empty) {
    return false;
  }
  if (of_a.upper != UINT64_MAX && of_a.upper <= of_b.lower) {
    return true;
  }
  return same(query, a, b) || (left->operation == right->operation && by_operands(query, left, right)) ||
         by_parts_of_left(query, left, b) || by_parts_of_right(query, a, right);
}

bool berth_expression_at_most(const struct berth_expressions *table, uint32_t a, uint32_t b) {
  struct query query = {.table = table, .budget = BUDGET};
  return at_most(&query, a, b);
}

/* ---- Products ---- */

struct factors {
  uint32_t n;
  uint32_t items[MAX_FACTORS];
  wide plain; /* the product of the constants, in bits */
};

static bool times(wide *product, uint64_t factor) {
  wide most = ~(wide)0;
  if (factor != 0 && *product > most / factor) {
    return false;
  }
  *product *= factor;
  return true;
}

/* The last in, first out: a product becomes its two operands, until none is left. */
static bool flatten(const struct query *query, struct berth_sized_term term, struct factors *out) {
  *out = (struct factors){.plain = (wide)term.bytes * 8};
  if (term.shape == NULL) {
    return true;
  }
  out->plain = term.shape->element_bits;
  if (term.shape->n_dimensions > MAX_FACTORS) {
    return false;
  }
  for (uint32_t i = 0; i < term.shape->n_dimensions; i++) {
    out->items[out->n++] = term.shape->dimensions[i];
  }
  for (uint32_t i = 0; i < out->n;) {
    const struct berth_expression *factor = &query->table->items[out->items[i]];
    if (factor->operation == BERTH_OPERATION_CONSTANT) {
      if (!times(&out->plain, factor->value)) {
        return false;
      }
      out->items[i] = out->items[--out->n];
    } else if (factor->operation == BERTH_OPERATION_MULTIPLY && out->n < MAX_FACTORS) {
      out->items[i] = factor->left;
      out->items[out->n++] = factor->right;
    } else {
      i++;
    }
  }
  return true;
}

/* Takes out the pairs of factors of which a's is no larger. */
static void cancel(
    struct query *query, struct factors *a, struct factors *b,
    bool (*holds)(struct query *, uint32_t, uint32_t)) {
  for (uint32_t i = 0; i < a->n;) {
    uint32_t j = 0;
    while (j < b->n && !holds(query, a->items[i], b->items[j])) {
      j++;
    }
    if (j == b->n) {
      i++;
      continue;
    }
    a->items[i] = a->items[--a->n];
    b->items[j] = b->items[--b->n];
  }
}

bool berth_size_at_most(
    const struct berth_expressions *table, struct berth_sized_term a, struct berth_sized_term b) {
  struct query query = {.table = table, .budget = BUDGET};
  struct factors left;
  struct factors right;
  if (!flatten(&query, a, &left) || !flatten(&query, b, &right)) {
    return false;
  }
  cancel(&query, &left, &right, same);
  cancel(&query, &left, &right, at_most);
  for (uint32_t i = 0; i < left.n; i++) {
    struct berth_extent extent = table->extents[left.items[i]];
    if (extent.is_empty || extent.upper == UINT64_MAX || !times(&left.plain, extent.upper)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < right.n; i++) {
    struct berth_extent extent = table->extents[right.items[i]];
    if (extent.is_empty || !times(&right.plain, extent.lower)) {
      return false;
    }
  }
  return left.plain <= right.plain;
}
