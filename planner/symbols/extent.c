#include "symbols/extent.h"

#include "base/checked.h"
#include "berth/status.h"

__extension__ typedef unsigned __int128 wide;

static struct berth_extent nothing(enum berth_extent_fault why) {
  return (struct berth_extent){.is_empty = true, .fault = why};
}

struct berth_extent berth_extent_of_range(uint64_t lower, uint64_t upper) {
  return (struct berth_extent){
      .lower = lower,
      .upper = upper,
      .fault = upper == BERTH_UNBOUNDED ? BERTH_EXTENT_UNBOUNDED : BERTH_EXTENT_OK};
}

/* What is known of neither is known of both; an overflow is the graver. */
static enum berth_extent_fault graver(struct berth_extent a, struct berth_extent b) {
  return a.fault > b.fault ? a.fault : b.fault;
}

/* An extent whose largest came from operands a and b; `overflows` if it did not fit though they are finite.
 */
static struct berth_extent
make(uint64_t lower, uint64_t upper, struct berth_extent a, struct berth_extent b, bool overflows) {
  enum berth_extent_fault fault = BERTH_EXTENT_OK;
  if (overflows || upper == UINT64_MAX) {
    fault = graver(a, b);
    fault = fault != BERTH_EXTENT_OK ? fault : BERTH_EXTENT_OVERFLOW;
    upper = UINT64_MAX;
  }
  return (struct berth_extent){.lower = lower, .upper = upper, .fault = fault};
}

static bool is_endless(struct berth_extent a) {
  return a.upper == UINT64_MAX;
}

static struct berth_extent add(struct berth_extent a, struct berth_extent b) {
  uint64_t lower;
  uint64_t upper;
  if (!berth_add_u64(a.lower, b.lower, &lower)) {
    return nothing(BERTH_EXTENT_OVERFLOW);
  }
  bool fits = !is_endless(a) && !is_endless(b) && berth_add_u64(a.upper, b.upper, &upper);
  return make(lower, fits ? upper : UINT64_MAX, a, b, !fits);
}

static struct berth_extent subtract(struct berth_extent a, struct berth_extent b) {
  if (a.upper < b.lower) {
    return nothing(BERTH_EXTENT_NEGATIVE);
  }
  uint64_t lower = a.lower > b.upper ? a.lower - b.upper : 0;
  struct berth_extent none = {0};
  return make(lower, is_endless(a) ? UINT64_MAX : a.upper - b.lower, a, none, is_endless(a));
}

static struct berth_extent multiply(struct berth_extent a, struct berth_extent b) {
  uint64_t lower;
  uint64_t upper;
  if (!berth_mul_u64(a.lower, b.lower, &lower)) {
    return nothing(BERTH_EXTENT_OVERFLOW);
  }
  if (a.upper == 0 || b.upper == 0) {
    return (struct berth_extent){0};
  }
  bool fits = !is_endless(a) && !is_endless(b) && berth_mul_u64(a.upper, b.upper, &upper);
  return make(lower, fits ? upper : UINT64_MAX, a, b, !fits);
}

static uint64_t ceil_divide(uint64_t a, uint64_t b) {
  return a / b + (a % b != 0);
}

static struct berth_extent floor_divide_extent(struct berth_extent a, struct berth_extent b) {
  uint64_t least = b.lower > 0 ? b.lower : 1;
  uint64_t lower = is_endless(b) ? 0 : a.lower / b.upper;
  struct berth_extent none = {0};
  return make(lower, is_endless(a) ? UINT64_MAX : a.upper / least, a, none, is_endless(a));
}

static struct berth_extent ceil_divide_extent(struct berth_extent a, struct berth_extent b) {
  uint64_t least = b.lower > 0 ? b.lower : 1;
  uint64_t lower = is_endless(b) ? a.lower != 0 : ceil_divide(a.lower, b.upper);
  struct berth_extent none = {0};
  return make(lower, is_endless(a) ? UINT64_MAX : ceil_divide(a.upper, least), a, none, is_endless(a));
}

static struct berth_extent modulo(struct berth_extent a, struct berth_extent b) {
  struct berth_extent none = {0};
  if (a.upper < b.lower) {
    return a;
  }
  bool one_round = b.lower == b.upper && !is_endless(a) && a.lower / b.lower == a.upper / b.lower;
  if (one_round) {
    return make(a.lower % b.lower, a.upper % b.lower, a, none, false);
  }
  if (is_endless(b)) {
    return make(0, a.upper, a, b, is_endless(a));
  }
  return make(0, a.upper < b.upper - 1 ? a.upper : b.upper - 1, a, b, false);
}

static struct berth_extent maximum(struct berth_extent a, struct berth_extent b) {
  return make(
      a.lower > b.lower ? a.lower : b.lower, a.upper > b.upper ? a.upper : b.upper, a, b,
      is_endless(a) || is_endless(b));
}

static struct berth_extent minimum(struct berth_extent a, struct berth_extent b) {
  return make(
      a.lower < b.lower ? a.lower : b.lower, a.upper < b.upper ? a.upper : b.upper, a, b,
      is_endless(a) && is_endless(b));
}

/* Rounded up to a multiple of one number it is exact; of several, it passes `a` by less than the largest. */
static struct berth_extent align_up(struct berth_extent a, struct berth_extent b) {
  uint64_t least = b.lower > 0 ? b.lower : 1;
  uint64_t lower = a.lower == 0 ? 0 : a.lower > least ? a.lower : least;
  uint64_t upper = UINT64_MAX;
  bool fits = !is_endless(a) && !is_endless(b);
  if (least == b.upper) {
    if (!berth_mul_u64(ceil_divide(a.lower, least), least, &lower)) {
      return nothing(BERTH_EXTENT_OVERFLOW);
    }
    fits = fits && berth_mul_u64(ceil_divide(a.upper, least), least, &upper);
  } else {
    fits = fits && berth_add_u64(a.upper, b.upper - 1, &upper);
  }
  if (a.upper == 0) {
    return (struct berth_extent){0};
  }
  return make(lower, fits ? upper : UINT64_MAX, a, b, !fits);
}

static bool divides(enum berth_operation operation) {
  return operation == BERTH_OPERATION_FLOOR_DIVIDE || operation == BERTH_OPERATION_CEIL_DIVIDE ||
         operation == BERTH_OPERATION_MODULO || operation == BERTH_OPERATION_ALIGN_UP;
}

struct berth_extent berth_extent_of(
    const struct berth_expression *expression, const struct berth_extent *symbols,
    const struct berth_extent *earlier) {
  switch (expression->operation) {
  case BERTH_OPERATION_CONSTANT:
    return (struct berth_extent){.lower = expression->value, .upper = expression->value};
  case BERTH_OPERATION_SYMBOL:
    return symbols[expression->left];
  case BERTH_OPERATION_UNKNOWN:
    return (struct berth_extent){.upper = UINT64_MAX, .fault = BERTH_EXTENT_UNKNOWN};
  default:
    break;
  }
  struct berth_extent a = earlier[expression->left];
  struct berth_extent b = earlier[expression->right];
  if (a.is_empty || b.is_empty) {
    return nothing(a.is_empty ? a.fault : b.fault);
  }
  if (divides(expression->operation) && b.upper == 0) {
    return nothing(BERTH_EXTENT_ZERO_DIVISOR);
  }
  switch (expression->operation) {
  case BERTH_OPERATION_ADD:
    return add(a, b);
  case BERTH_OPERATION_SUBTRACT:
    return subtract(a, b);
  case BERTH_OPERATION_MULTIPLY:
    return multiply(a, b);
  case BERTH_OPERATION_FLOOR_DIVIDE:
    return floor_divide_extent(a, b);
  case BERTH_OPERATION_CEIL_DIVIDE:
    return ceil_divide_extent(a, b);
  case BERTH_OPERATION_MODULO:
    return modulo(a, b);
  case BERTH_OPERATION_MAXIMUM:
    return maximum(a, b);
  case BERTH_OPERATION_MINIMUM:
    return minimum(a, b);
  default:
    return align_up(a, b);
  }
}

/* Bits to bytes. False if it passes 2^64. */
static bool to_bytes(uint64_t elements, uint32_t bits, uint64_t *out) {
  wide bytes = ((wide)elements * bits + 7) / 8;
  *out = (uint64_t)bytes;
  return bytes < UINT64_MAX;
}

struct berth_extent berth_extent_of_shape(
    const struct berth_shape *shape, const struct berth_extent *expressions, uint32_t *out_dimension) {
  struct berth_extent elements = {.lower = 1, .upper = 1};
  bool may_be_none = false; /* a dimension is, or can be, 0 */
  bool is_none = false;
  *out_dimension = BERTH_NO_INDEX;
  for (uint32_t i = 0; i < shape->n_dimensions; i++) {
    struct berth_extent one = expressions[shape->dimensions[i]];
    if (one.is_empty || one.fault != BERTH_EXTENT_OK) {
      *out_dimension = i;
      return one;
    }
    may_be_none = may_be_none || one.lower == 0;
    is_none = is_none || one.upper == 0;
  }
  if (is_none) {
    return (struct berth_extent){0};
  }
  for (uint32_t i = 0; i < shape->n_dimensions; i++) {
    struct berth_extent one = expressions[shape->dimensions[i]];
    one.lower = may_be_none ? 0 : one.lower;
    elements = multiply(elements, one);
    if (elements.is_empty) {
      return elements;
    }
  }
  uint64_t lower;
  uint64_t upper;
  if (!to_bytes(elements.lower, shape->element_bits, &lower)) {
    return nothing(BERTH_EXTENT_OVERFLOW);
  }
  bool fits = !is_endless(elements) && to_bytes(elements.upper, shape->element_bits, &upper);
  return make(lower, fits ? upper : UINT64_MAX, elements, (struct berth_extent){0}, !fits);
}
