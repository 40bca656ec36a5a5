/* fit --instances: how many instances fit side by side, with no order between them.
 *
 * Buffers of two instances may be live together whatever they do, so no byte of one is another's: each has a
 * block of its own, and all blocks are one plan, shifted. Constants are the same in all and need not be there
 * twice. What is answered was placed and checked; that one more does not fit is proven by what all of them
 * hold when each is at its peak (or, where nothing is aligned, by the proven bound of one: what is left of an
 * arena without the others' bytes is an arena of one). */
#include <inttypes.h>
#include <stdlib.h>

#include "berth/report.h"
#include "text/units.h"
#include "verbs/internal.h"

struct side_by_side {
  struct berth_problem *problem; /* one reference */
  uint64_t capacity_bytes;
  uint64_t *offset;          /* of each buffer in the first instance */
  bool *is_shared;           /* each buffer */
  uint64_t shared_bytes;     /* before the first block */
  uint64_t shared_raw_bytes; /* of these, the buffers' */
  uint64_t instance_bytes;
  uint64_t stride_bytes;
  uint64_t bound_bytes; /* that each instance needs, proven */
  uint64_t n;
  bool is_proven; /* that one more does not fit */
};

static uint64_t round_up(uint64_t n, uint64_t alignment) {
  return (n + alignment - 1) / alignment * alignment; /* far below 2^64: sums stay below 2^63 */
}

static enum berth_code refuse(struct berth_error *err, const char *why) {
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, NULL,
      "instances cannot be put side by side: %s", why);
}

static enum berth_code
check_form(const struct berth_problem *problem, bool shares_constants, struct berth_error *err) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  if (berth_problem_pools(problem)->n > 1) {
    return refuse(err, "there are several pools");
  }
  for (uint32_t i = 0; buffers->pinned_offset != NULL && i < buffers->n; i++) {
    if (buffers->pinned_offset[i] != BERTH_UNPINNED) {
      return refuse(err, "a buffer is pinned, and two of them would lie in one place");
    }
  }
  return shares_constants && buffers->n_clocks > 0
             ? refuse(err, "constants are not taken apart from what runs on several streams")
             : BERTH_OK;
}

/* ---- Without the constants ---- */

/* The buffers that are, or are not, constants; to_whole[k] is which of the problem's the kth is. */
struct part {
  struct berth_problem *problem;
  uint32_t *to_whole;
};

static void part_finish(struct part *part) {
  berth_problem_unref(part->problem);
  free(part->to_whole);
}

static enum berth_code add_buffer(
    struct berth_problem_builder *builder, const struct berth_buffers *buffers, uint32_t i,
    struct berth_error *err) {
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.size_bytes = buffers->size_bytes[i];
  spec.alignment = buffers->alignment[i];
  spec.lower = buffers->lower[i];
  spec.upper = buffers->upper[i];
  spec.class_ = (enum berth_buffer_class)buffers->class_[i];
  if (buffers->gap_begin != NULL) {
    spec.gaps = buffers->gaps + buffers->gap_begin[i];
    spec.n_gaps = buffers->gap_begin[i + 1] - buffers->gap_begin[i];
  }
  return berth_problem_builder_add_buffer(builder, &spec, NULL, err);
}

static enum berth_code fill(
    struct berth_problem_builder *builder, const struct berth_problem *whole, bool constants,
    uint32_t *to_whole, uint32_t *place, struct berth_error *err) {
  const struct berth_buffers *buffers = berth_problem_buffers(whole);
  struct berth_pool_spec pool = berth_problem_pools(whole)->items[0];
  pool.capacity_bytes = BERTH_UNLIMITED;
  enum berth_code code = berth_problem_builder_add_pool(builder, &pool, NULL, err);
  uint32_t n = 0;
  for (uint32_t i = 0; code == BERTH_OK && i < buffers->n; i++) {
    place[i] = BERTH_NO_INDEX;
    if ((buffers->class_[i] == BERTH_CLASS_CONSTANT) == constants) {
      place[i] = n;
      to_whole[n++] = i;
      code = add_buffer(builder, buffers, i, err);
    }
  }
  for (uint32_t k = 0; code == BERTH_OK && k < buffers->n_conflicts; k++) {
    uint32_t a = place[buffers->conflicts[k][0]];
    uint32_t b = place[buffers->conflicts[k][1]];
    if (a != BERTH_NO_INDEX && b != BERTH_NO_INDEX) {
      code = berth_problem_builder_add_conflict(builder, a, b, err);
    }
  }
  return code;
}

static enum berth_code
take_part(const struct berth_problem *whole, bool constants, struct part *out, struct berth_error *err) {
  size_t n = berth_problem_buffers(whole)->n + (size_t)1;
  struct berth_problem_builder *builder = NULL;
  uint32_t *place = malloc(n * sizeof *place);
  *out = (struct part){.to_whole = malloc(n * sizeof *out->to_whole)};
  enum berth_code code = place != NULL && out->to_whole != NULL
                             ? berth_problem_builder_create(NULL, &builder, err)
                             : berth_fail_memory(err);
  if (code == BERTH_OK) {
    code = fill(builder, whole, constants, out->to_whole, place, err);
  }
  if (code == BERTH_OK) {
    code = berth_problem_builder_finish(builder, &out->problem, err);
  }
  berth_problem_builder_destroy(builder);
  free(place);
  return code;
}

/* ---- Placing ---- */

static enum berthctl_exit plan_part(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem, struct berthctl_planned *out_planned) {
  struct berth_solve_options solve = berthctl_solve_options(options);
  solve.capacity_bytes = BERTH_UNLIMITED;
  return berthctl_compute_with(options, terminal, problem, &solve, out_planned);
}

static bool is_aligned(const struct berth_problem *problem) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  bool is_any = berth_problem_pools(problem)->items[0].alignment > 1;
  for (uint32_t i = 0; !is_any && i < buffers->n; i++) {
    is_any = buffers->alignment[i] > 1;
  }
  return is_any;
}

/* Takes the offsets of a part that begins at `base`; `to_whole` NULL: of the whole. */
static void take_offsets(
    struct side_by_side *side, const struct berth_plan *plan, const uint32_t *to_whole, uint64_t base,
    bool shared) {
  for (uint32_t k = 0; k < plan->n_buffers; k++) {
    uint32_t i = to_whole != NULL ? to_whole[k] : k;
    side->offset[i] = base + plan->offset[k];
    side->is_shared[i] = shared;
  }
}

static void
take_instance(struct side_by_side *side, const struct berth_problem *unit, const struct berth_plan *plan) {
  uint64_t alignment = plan->pools[0].base_alignment > 0 ? plan->pools[0].base_alignment : 1;
  side->instance_bytes = plan->arena_bytes;
  side->stride_bytes = round_up(plan->arena_bytes, alignment);
  side->bound_bytes = is_aligned(unit) ? plan->peak_bytes : plan->lower_bound_bytes;
  side->shared_bytes = round_up(side->shared_bytes, alignment);
}

/* The plan may be of the problem without results in place, which has more buffers. */
static bool take_problem(struct side_by_side *side, struct berth_problem *problem) {
  size_t n = berth_problem_buffers(problem)->n + (size_t)1;
  if (problem == side->problem) {
    return true;
  }
  berth_problem_unref(side->problem);
  side->problem = berth_problem_ref(problem);
  free(side->offset);
  free(side->is_shared);
  side->offset = malloc(n * sizeof *side->offset);
  side->is_shared = calloc(n, sizeof *side->is_shared);
  return side->offset != NULL && side->is_shared != NULL;
}

static enum berthctl_exit place_whole(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct side_by_side *side) {
  struct berthctl_planned planned = {.plan = NULL};
  enum berthctl_exit status = plan_part(options, terminal, side->problem, &planned);
  if (status == BERTHCTL_EXIT_OK && planned.plan->offset == NULL) {
    struct berth_error err;
    berth_fail(
        &err, BERTH_FAILED_PRECONDITION, BERTH_REASON_DOES_NOT_FIT, BERTH_NO_INDEX, NULL,
        "no plan of one instance within its own pool was found");
    status = berthctl_error_say(terminal, options->arguments[0], &err);
  } else if (status == BERTHCTL_EXIT_OK && !take_problem(side, planned.problem)) {
    struct berth_error err;
    berth_fail_memory(&err);
    status = berthctl_error_say(terminal, NULL, &err);
  } else if (status == BERTHCTL_EXIT_OK) {
    take_instance(side, side->problem, planned.plan);
    take_offsets(side, planned.plan, NULL, 0, false);
    bool is_below = planned.plan->reuse != berthctl_solve_options(options).reuse;
    side->bound_bytes = is_below ? 0 : side->bound_bytes; /* with results in place one might need less */
  }
  berthctl_planned_finish(&planned);
  return status;
}

static enum berthctl_exit place_parts(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct side_by_side *side) {
  struct part constants = {.problem = NULL};
  struct part rest = {.problem = NULL};
  struct berthctl_planned planned[2] = {{.plan = NULL}, {.plan = NULL}};
  struct berth_error err = {.code = BERTH_OK};
  enum berthctl_exit status = BERTHCTL_EXIT_OK;
  if (take_part(side->problem, true, &constants, &err) != BERTH_OK ||
      take_part(side->problem, false, &rest, &err) != BERTH_OK) {
    status = berthctl_error_say(terminal, options->arguments[0], &err);
  }
  if (status == BERTHCTL_EXIT_OK) {
    status = plan_part(options, terminal, constants.problem, &planned[0]);
  }
  if (status == BERTHCTL_EXIT_OK) {
    status = plan_part(options, terminal, rest.problem, &planned[1]);
  }
  if (status == BERTHCTL_EXIT_OK) {
    side->shared_bytes = planned[0].plan->arena_bytes;
    side->shared_raw_bytes = planned[0].plan->peak_bytes;
    take_instance(side, rest.problem, planned[1].plan);
    take_offsets(side, planned[0].plan, constants.to_whole, 0, true);
    take_offsets(side, planned[1].plan, rest.to_whole, side->shared_bytes, false);
  }
  berthctl_planned_finish(&planned[0]);
  berthctl_planned_finish(&planned[1]);
  part_finish(&constants);
  part_finish(&rest);
  return status;
}

/* ---- Counting ---- */

static void count(struct side_by_side *side) {
  uint64_t first = side->shared_bytes + side->instance_bytes;
  side->n = first <= side->capacity_bytes ? 1 + (side->capacity_bytes - first) / side->stride_bytes : 0;
  uint64_t needed;
  side->is_proven = __builtin_mul_overflow(side->n + 1, side->bound_bytes, &needed) ||
                    __builtin_add_overflow(needed, side->shared_raw_bytes, &needed) ||
                    needed > side->capacity_bytes;
}

static uint64_t total_bytes(const struct side_by_side *side) {
  return side->n == 0 ? 0 : side->shared_bytes + (side->n - 1) * side->stride_bytes + side->instance_bytes;
}

/* The judge looks at an instance, with the constants where all have them, by the whole problem. */
static enum berth_code
check_instance(const struct side_by_side *side, uint64_t instance, struct berth_error *err) {
  uint32_t n = berth_problem_buffers(side->problem)->n;
  uint64_t *offset = malloc((n + (size_t)1) * sizeof *offset);
  if (offset == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < n; i++) {
    offset[i] = side->offset[i] + (side->is_shared[i] ? 0 : instance * side->stride_bytes);
  }
  struct berth_violation violation;
  struct berth_verdict verdict;
  enum berth_code code =
      berth_verify_offsets(side->problem, NULL, offset, NULL, &violation, 1, &verdict, err);
  free(offset);
  if (code == BERTH_OK && verdict.n_violations > 0) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_VERIFICATION_FAILED, BERTH_NO_INDEX, NULL,
        "instances cannot be put side by side like this: %s", violation.message);
  }
  return code;
}

static enum berth_code check_ends(const struct side_by_side *side, struct berth_error *err) {
  enum berth_code code = side->n > 0 ? check_instance(side, 0, err) : BERTH_OK;
  return code == BERTH_OK && side->n > 1 ? check_instance(side, side->n - 1, err) : code;
}

/* ---- Showing ---- */

static void write_offsets(struct berth_json *json, const struct side_by_side *side) {
  berth_json_open(json, "buffers", '[');
  for (uint32_t i = 0; i < berth_problem_buffers(side->problem)->n; i++) {
    struct berth_text id = berth_problem_buffer_id(side->problem, i);
    berth_json_open(json, NULL, '{');
    if (id.size != 0) {
      berth_json_text(json, "id", id);
    } else {
      berth_json_null(json, "id");
    }
    berth_json_u64(json, "offset", side->offset[i]);
    berth_json_bool(json, "shared", side->is_shared[i]);
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

static void write_json(const struct side_by_side *side) {
  struct berthctl_object object;
  berthctl_object_open(&object);
  berth_json_u64(&object.json, "instances", side->n);
  berth_json_bool(&object.json, "proven", side->is_proven);
  berth_json_u64(&object.json, "capacity_bytes", side->capacity_bytes);
  berth_json_u64(&object.json, "total_bytes", total_bytes(side));
  berth_json_u64(&object.json, "shared_bytes", side->shared_bytes);
  berth_json_u64(&object.json, "instance_bytes", side->instance_bytes);
  berth_json_u64(&object.json, "stride_bytes", side->stride_bytes);
  berth_json_u64(&object.json, "instance_bound_bytes", side->bound_bytes);
  write_offsets(&object.json, side);
  berthctl_object_close(&object);
}

static void print_text(const struct side_by_side *side, const struct berthctl_terminal *terminal) {
  printf(
      "%s%s%s instance%s fit in %s (%s bytes)%s\n",
      berthctl_style(terminal->color, side->n > 0 ? BERTHCTL_STYLE_GOOD : BERTHCTL_STYLE_BAD),
      berth_units_grouped(side->n).text, berthctl_unstyle(terminal->color), side->n == 1 ? "" : "s",
      berth_units_bytes(side->capacity_bytes).text, berth_units_grouped(side->capacity_bytes).text,
      side->is_proven ? "; one more does not, proven" : "; whether one more could is not proven");
  if (side->shared_raw_bytes > 0) {
    printf("  constants, once %20s bytes\n", berth_units_grouped(side->shared_bytes).text);
  }
  printf("  each instance   %20s bytes\n", berth_units_grouped(side->instance_bytes).text);
  printf("  all of them     %20s bytes\n", berth_units_grouped(total_bytes(side)).text);
}

static enum berthctl_exit place_and_count(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct side_by_side *side) {
  struct berth_error err = {.code = BERTH_OK};
  bool shares = options->is_set[BERTHCTL_OPTION_SHARE_CONSTANTS];
  if (check_form(side->problem, shares, &err) != BERTH_OK) {
    return berthctl_error_say(terminal, options->arguments[0], &err);
  }
  enum berthctl_exit status =
      shares ? place_parts(options, terminal, side) : place_whole(options, terminal, side);
  if (status != BERTHCTL_EXIT_OK) {
    return status;
  }
  enum berth_code code =
      side->stride_bytes > 0 ? BERTH_OK : refuse(&err, "one takes no bytes, and any number of them fit");
  if (code == BERTH_OK) {
    count(side);
    code = check_ends(side, &err);
  }
  return code == BERTH_OK ? status : berthctl_error_say(terminal, options->arguments[0], &err);
}

enum berthctl_exit berthctl_fit_instances(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_problem *problem) {
  size_t n = berth_problem_buffers(problem)->n + (size_t)1;
  uint64_t own = berth_problem_pools(problem)->items[0].capacity_bytes;
  uint64_t asked = options->number[BERTHCTL_OPTION_CAPACITY];
  struct side_by_side side = {
      .problem = berth_problem_ref(problem),
      .capacity_bytes = own < asked ? own : asked,
      .offset = malloc(n * sizeof *side.offset),
      .is_shared = calloc(n, sizeof *side.is_shared)};
  enum berthctl_exit status;
  if (side.offset == NULL || side.is_shared == NULL) {
    struct berth_error err;
    berth_fail_memory(&err);
    status = berthctl_error_say(terminal, NULL, &err);
  } else {
    status = place_and_count(options, terminal, &side);
  }
  if (status == BERTHCTL_EXIT_OK && options->is_set[BERTHCTL_OPTION_JSON]) {
    write_json(&side);
  } else if (status == BERTHCTL_EXIT_OK && !options->is_set[BERTHCTL_OPTION_QUIET]) {
    print_text(&side, terminal);
  }
  status = status == BERTHCTL_EXIT_OK && side.n == 0 ? BERTHCTL_EXIT_NO_FIT : status;
  free(side.offset);
  free(side.is_shared);
  berth_problem_unref(side.problem);
  return status;
}
