#include <stdio.h>

#include "berth/canonical.h"
#include "problems.h"

static void buffer(
    struct berth_problem_builder *builder, uint64_t size, uint64_t alignment, int64_t lower, int64_t upper) {
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.size_bytes = size;
  spec.alignment = alignment;
  spec.lower = lower;
  spec.upper = upper;
  add(builder, &spec);
}

static enum berth_code group(
    struct berth_problem_builder *builder, enum berth_group_kind kind, uint32_t n, const uint32_t *members) {
  const struct berth_group_spec spec = {.kind = kind, .members = members, .n_members = n};
  return berth_problem_builder_add_group(builder, &spec, NULL);
}

#define GROUP(builder, kind, ...)                                                                            \
  ck_assert_int_eq(                                                                                          \
      group(                                                                                                 \
          builder, BERTH_GROUP_##kind, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),           \
          (const uint32_t[]){__VA_ARGS__}),                                                                  \
      BERTH_OK)

/* 5 bytes, then 8 that must be aligned, then one. */
START_TEST(distances_are_sums_of_aligned_sizes) {
  struct berth_problem_builder *builder = start();
  buffer(builder, 8, 8, 0, 4);
  buffer(builder, 5, 1, 0, 4);
  buffer(builder, 1, 2, 2, 3);
  buffer(builder, 0, 16, 0, 4); /* takes no part */
  GROUP(builder, CONTIGUOUS, 1, 3, 0, 2);
  struct berth_problem *problem = finish(builder);
  const struct berth_rigid *rigid = &berth_problem_buffers(problem)->rigid;
  ck_assert_uint_eq(rigid->n, 1);
  ck_assert_uint_eq(rigid->distance[1], 0);
  ck_assert_uint_eq(rigid->distance[0], 8);
  ck_assert_uint_eq(rigid->distance[2], 16);
  ck_assert_uint_eq(rigid->group[3], BERTH_NO_INDEX);
  ck_assert_uint_eq(rigid->alignment[0], 8);
  ck_assert_uint_eq(rigid->span_bytes[0], 17);
  ck_assert_uint_eq(rigid->members[0], 1);
  ck_assert_uint_eq(rigid->members[2], 2);
  ck_assert_uint_eq(berth_problem_groups(problem)->items[0].n_members, 4);
  berth_problem_unref(problem);
}
END_TEST

/* The aligned member is in the middle: the base lies below the lowest member. */
START_TEST(groups_with_a_common_member_are_one) {
  struct berth_problem_builder *builder = start();
  buffer(builder, 4, 1, 0, 2);
  buffer(builder, 4, 1, 0, 2);
  buffer(builder, 8, 8, 0, 2);
  buffer(builder, 6, 1, 5, 6);
  GROUP(builder, CONTIGUOUS, 0, 1); /* 1 is 4 above 0 */
  GROUP(builder, CONTIGUOUS, 1, 2); /* 2 is 8 above 1, which begins at a multiple of 8 */
  GROUP(builder, SHARED, 3, 0);
  struct berth_problem *problem = finish(builder);
  const struct berth_rigid *rigid = &berth_problem_buffers(problem)->rigid;
  ck_assert_uint_eq(rigid->n, 1);
  ck_assert_uint_eq(rigid->alignment[0], 8);
  ck_assert_uint_eq(rigid->distance[0], 4);
  ck_assert_uint_eq(rigid->distance[1], 8);
  ck_assert_uint_eq(rigid->distance[2], 16);
  ck_assert_uint_eq(rigid->distance[3], 4);
  ck_assert_uint_eq(rigid->storage[3], 0);
  ck_assert_uint_eq(rigid->storage[1], 1);
  ck_assert_uint_eq(rigid->span_bytes[0], 24);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(one_pin_pins_all) {
  struct berth_problem_builder *builder = start();
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  buffer(builder, 4, 1, 0, 2);
  spec.size_bytes = 4;
  spec.upper = 2;
  spec.pinned_offset = 20;
  add(builder, &spec);
  buffer(builder, 4, 1, 0, 2);
  GROUP(builder, CONTIGUOUS, 0, 1);
  struct berth_problem *problem = finish(builder);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->pinned_offset[0], 16);
  ck_assert_uint_eq(buffers->pinned_offset[1], 20);
  ck_assert_uint_eq(buffers->pinned_offset[2], BERTH_UNPINNED);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(pools_are_those_that_all_name) {
  struct berth_problem_builder *builder = start();
  struct berth_pool_spec pool = berth_pool_spec_default();
  for (uint32_t p = 0; p < 3; p++) {
    pool.kind = p == 2 ? BERTH_POOL_SLOTS : BERTH_POOL_BYTES;
    pool.alignment = UINT64_C(8) << p;
    ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  }
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.size_bytes = 3;
  spec.upper = 1;
  spec.pools = (const uint32_t[]){2, 1};
  spec.n_pools = 2;
  add(builder, &spec);
  spec.n_pools = 0;
  add(builder, &spec);
  GROUP(builder, CONTIGUOUS, 0, 1); /* not in slots */
  struct berth_problem *problem = finish(builder);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->pool_begin[2], 2);
  ck_assert_uint_eq(buffers->pools[0], 1);
  ck_assert_uint_eq(buffers->pools[1], 1);
  ck_assert_uint_eq(buffers->rigid.distance[1], 16); /* by the alignment of the pool that is left */
  berth_problem_unref(problem);
}
END_TEST

/* ---- Refusals ---- */

START_TEST(members_must_be_there_once_and_be_placed) {
  static const struct {
    uint32_t n;
    uint32_t members[3];
    enum berth_reason reason;
  } CASES[] = {
      {1, {0}, BERTH_REASON_BAD_GROUP},
      {0, {0}, BERTH_REASON_BAD_GROUP},
      {2, {0, 0}, BERTH_REASON_BAD_GROUP},
      {2, {0, 9}, BERTH_REASON_UNKNOWN_ID},
  };
  for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
    struct berth_problem_builder *builder = start();
    struct berth_error err;
    buffer(builder, 4, 1, 0, 2);
    const struct berth_group_spec spec = {.members = CASES[c].members, .n_members = CASES[c].n};
    ck_assert_int_eq(berth_problem_builder_add_group(builder, &spec, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_int_eq(err.reason, CASES[c].reason);
    ck_assert_str_eq(err.field, "group.members");
    ck_assert_uint_eq(err.index, 0);
    berth_problem_builder_destroy(builder);
  }
}
END_TEST

static struct berth_problem_builder *four(void) {
  struct berth_problem_builder *builder = start();
  for (int i = 0; i < 4; i++) {
    buffer(builder, 4, 1, 0, 2);
  }
  return builder;
}

START_TEST(groups_that_contradict_each_other) {
  struct berth_problem_builder *builder = four();
  GROUP(builder, CONTIGUOUS, 0, 1, 2);
  GROUP(builder, CONTIGUOUS, 2, 0);
  struct berth_error err = finish_fails(builder);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_GROUP);
  ck_assert_uint_eq(err.index, 1);
  ck_assert_str_eq(
      err.message, "group 1: it wants buffer 0 4 bytes after buffer 2, and earlier groups want -8");
}
END_TEST

START_TEST(members_that_meet_must_be_one_storage) {
  for (int disjoint = 0; disjoint < 2; disjoint++) { /* 3 is longer than 0, and so lies over 1 */
    struct berth_problem_builder *builder = start();
    buffer(builder, 4, 1, 0, 2);
    buffer(builder, 4, 1, 0, 2);
    buffer(builder, 4, 1, 0, 2);
    buffer(builder, 6, 1, disjoint ? 2 : 1, 3);
    GROUP(builder, CONTIGUOUS, 0, 1);
    GROUP(builder, SHARED, 0, 3);
    if (disjoint) {
      berth_problem_unref(finish(builder));
      continue;
    }
    struct berth_error err = finish_fails(builder);
    ck_assert_int_eq(err.reason, BERTH_REASON_BAD_GROUP);
    ck_assert_str_eq(err.message, "buffer 3: its groups put it over buffer 1, and their lifetimes meet too");
  }
}
END_TEST

START_TEST(what_must_share_may_not_be_kept_apart) {
  struct berth_problem_builder *builder = four();
  GROUP(builder, SHARED, 0, 1);
  ck_assert_int_eq(berth_problem_builder_add_conflict(builder, 0, 1, NULL), BERTH_OK);
  struct berth_error err = finish_fails(builder);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_GROUP);
  ck_assert_str_eq(err.message, "buffer 1: its groups put it over buffer 0, and they must not share bytes");
}
END_TEST

START_TEST(alignments_that_cannot_all_hold) {
  struct berth_problem_builder *builder = start();
  buffer(builder, 4, 8, 0, 2);
  buffer(builder, 4, 1, 0, 2);
  buffer(builder, 4, 1, 3, 4);
  buffer(builder, 4, 8, 3, 4);
  GROUP(builder, CONTIGUOUS, 0, 1); /* 1 is at 4 modulo 8 */
  GROUP(builder, SHARED, 1, 2);
  GROUP(builder, SHARED, 2, 3); /* and at 0 */
  struct berth_error err = finish_fails(builder);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_GROUP);
  ck_assert_str_eq(err.field, "alignment");
}
END_TEST

START_TEST(pins_that_disagree) {
  static const struct {
    uint64_t first;
    uint64_t second;
    bool good;
  } CASES[] = {{8, 12, true}, {8, 13, false}, {BERTH_UNPINNED, 3, false}, {BERTH_UNPINNED, 4, true}};
  for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
    struct berth_problem_builder *builder = start();
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    spec.size_bytes = 4;
    spec.upper = 1;
    spec.pinned_offset = CASES[c].first;
    add(builder, &spec);
    spec.pinned_offset = CASES[c].second;
    add(builder, &spec);
    GROUP(builder, CONTIGUOUS, 0, 1);
    if (CASES[c].good) {
      berth_problem_unref(finish(builder));
    } else {
      ck_assert_int_eq(finish_fails(builder).reason, BERTH_REASON_BAD_PIN);
    }
  }
}
END_TEST

START_TEST(no_pool_in_common) {
  struct berth_problem_builder *builder = start();
  struct berth_pool_spec pool = berth_pool_spec_default();
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  for (uint32_t p = 0; p < 2; p++) {
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    spec.size_bytes = 4;
    spec.upper = 1;
    spec.pools = &p;
    spec.n_pools = 1;
    add(builder, &spec);
  }
  GROUP(builder, SHARED, 0, 1);
  struct berth_error err = finish_fails(builder);
  ck_assert_int_eq(err.reason, BERTH_REASON_BAD_POOL);
  ck_assert_uint_eq(err.index, 1);
}
END_TEST

START_TEST(distances_do_not_overflow) {
  struct berth_problem_builder *builder = start();
  buffer(builder, 1, UINT64_C(1) << 61, 0, 2);
  buffer(builder, 1, UINT64_C(1) << 61, 0, 2);
  buffer(builder, 1, 1, 0, 2);
  GROUP(builder, CONTIGUOUS, 0, 1, 2);
  ck_assert_int_eq(finish_fails(builder).reason, BERTH_REASON_SIZE_OVERFLOW);
}
END_TEST

/* ---- Graphs ---- */

static void value(struct berth_problem_builder *builder, struct berth_value_spec spec) {
  spec.size_bytes = 8;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
}

START_TEST(views_and_externals_have_no_place_to_choose) {
  struct berth_problem_builder *builder = start();
  struct berth_value_spec spec = berth_value_spec_default();
  spec.class_ = BERTH_CLASS_INPUT;
  value(builder, spec);
  spec.view_of = 0;
  spec.class_ = BERTH_CLASS_TEMPORARY;
  value(builder, spec);
  ck_assert_int_eq(group(builder, BERTH_GROUP_SHARED, 2, (const uint32_t[]){0, 1}), BERTH_INVALID_ARGUMENT);
  berth_problem_builder_destroy(builder);
  builder = start();
  spec = berth_value_spec_default();
  spec.class_ = BERTH_CLASS_INPUT;
  value(builder, spec);
  spec.external = true;
  value(builder, spec);
  ck_assert_int_eq(group(builder, BERTH_GROUP_SHARED, 2, (const uint32_t[]){0, 1}), BERTH_INVALID_ARGUMENT);
  berth_problem_builder_destroy(builder);
}
END_TEST

START_TEST(who_is_in_a_group_is_not_written_in_place) {
  struct berth_problem_builder *builder = start();
  struct berth_value_spec spec = berth_value_spec_default();
  spec.class_ = BERTH_CLASS_INPUT;
  value(builder, spec);
  value(builder, spec);
  spec.class_ = BERTH_CLASS_OUTPUT;
  value(builder, spec);
  const struct berth_inplace inplace = {.input = 0};
  struct berth_operator_spec op = berth_operator_spec_default();
  op.inputs = (const uint32_t[]){0};
  op.n_inputs = 1;
  op.outputs = (const uint32_t[]){2};
  op.n_outputs = 1;
  op.inplace = &inplace;
  op.n_inplace = 1;
  ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, NULL), BERTH_OK);
  GROUP(builder, CONTIGUOUS, 1, 0);
  struct berth_problem *problem = finish(builder);
  ck_assert_int_eq(berth_problem_permissions(problem)->items[0].answer, BERTH_INPLACE_GROUPED);
  ck_assert_uint_eq(berth_problem_buffers(problem)->rigid.distance[0], 8);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(members_on_different_streams) {
  struct berth_problem_builder *builder = start();
  struct berth_value_spec spec = berth_value_spec_default();
  spec.class_ = BERTH_CLASS_INPUT;
  value(builder, spec);
  value(builder, spec);
  for (uint32_t stream = 0; stream < 2; stream++) {
    struct berth_operator_spec op = berth_operator_spec_default();
    op.inputs = &stream;
    op.n_inputs = 1;
    op.stream = stream;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, NULL), BERTH_OK);
  }
  GROUP(builder, CONTIGUOUS, 0, 1);
  struct berth_problem *problem = finish(builder);
  ck_assert_uint_eq(berth_problem_buffers(problem)->n_clocks, 2);
  ck_assert_uint_eq(berth_problem_buffers(problem)->rigid.distance[1], 8);
  berth_problem_unref(problem);
}
END_TEST

/* ---- Partial orders ---- */

static void span(struct berth_problem_builder *builder, uint64_t size, uint32_t line, uint32_t lower) {
  uint32_t clock_lower[2] = {0, 0};
  uint32_t clock_upper[2] = {0, 0};
  clock_lower[line] = lower;
  clock_upper[line] = lower + 1;
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.size_bytes = size;
  spec.clock_lower = clock_lower;
  spec.clock_upper = clock_upper;
  spec.n_clocks = 2;
  add(builder, &spec);
}

/* 0 and 1 are ordered, 2 is on a line of its own. */
static struct berth_problem_builder *start_lines(void) {
  struct berth_problem_builder *builder = start();
  span(builder, 8, 0, 0);
  span(builder, 4, 0, 1);
  span(builder, 4, 1, 0);
  return builder;
}

START_TEST(members_that_overlap_must_be_ordered) {
  struct berth_problem_builder *builder = start_lines();
  span(builder, 8, 0, 5);
  GROUP(builder, SHARED, 0, 3);     /* one storage */
  GROUP(builder, CONTIGUOUS, 1, 0); /* beside it */
  berth_problem_unref(finish(builder));
  for (uint32_t other = 1; other < 3; other++) { /* over 0, where 3 puts it: 1 is ordered, 2 is not */
    builder = start_lines();
    span(builder, 4, 0, 6);
    span(builder, 4, 0, 7);
    GROUP(builder, CONTIGUOUS, 3, 0);
    GROUP(builder, SHARED, 3, 4);
    GROUP(builder, CONTIGUOUS, 4, other);
    if (other == 1) {
      berth_problem_unref(finish(builder));
      continue;
    }
    struct berth_error err = finish_fails(builder);
    ck_assert_int_eq(err.reason, BERTH_REASON_BAD_GROUP);
    ck_assert_uint_eq(err.index, 2);
  }
}
END_TEST

START_TEST(one_storage_needs_no_order) {
  struct berth_problem_builder *builder = start_lines();
  GROUP(builder, SHARED, 0, 2);
  berth_problem_unref(finish(builder));
}
END_TEST

/* ---- Symbols ---- */

/* n is in 1 to 64, or what it is bound to: the members have n bytes, 8, and n. */
static struct berth_problem_builder *start_sized(uint64_t bound, bool last_first) {
  struct berth_problem_builder *builder = start();
  struct berth_binding binding = {text("n"), bound, bound};
  struct berth_bindings bindings = {.n = 1, .items = &binding};
  if (bound != 0) {
    ck_assert_int_eq(berth_problem_builder_bind(builder, &bindings, NULL), BERTH_OK);
  }
  struct berth_symbol symbol = {text("n"), 1, 64};
  ck_assert_int_eq(berth_problem_builder_add_symbol(builder, &symbol, NULL, NULL), BERTH_OK);
  struct berth_expression expression = {.operation = BERTH_OPERATION_SYMBOL};
  uint32_t n;
  ck_assert_int_eq(berth_problem_builder_add_expression(builder, &expression, &n, NULL), BERTH_OK);
  struct berth_shape shape = {.dimensions = &n, .n_dimensions = 1, .element_bits = 8};
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.upper = 1;
  spec.shape = &shape;
  add(builder, &spec);
  buffer(builder, 8, 1, 0, 1);
  spec.alignment = last_first ? 64 : 1;
  add(builder, &spec);
  return builder;
}

START_TEST(what_lies_where_is_the_same_for_all_bindings) {
  struct berth_problem_builder *builder = start_sized(0, false);
  GROUP(builder, CONTIGUOUS, 1, 0); /* only the last one varies */
  GROUP(builder, SHARED, 0, 2);
  berth_problem_unref(finish(builder));
  builder = start_sized(0, false);
  GROUP(builder, CONTIGUOUS, 0, 1);
  ck_assert_int_eq(finish_fails(builder).reason, BERTH_REASON_BAD_GROUP);
  builder = start_sized(0, true); /* up to the next 64, whatever n is */
  GROUP(builder, CONTIGUOUS, 0, 2);
  struct berth_problem *problem = finish(builder);
  ck_assert_uint_eq(berth_problem_buffers(problem)->rigid.distance[2], 64);
  berth_problem_unref(problem);
  builder = start_sized(12, false);
  GROUP(builder, CONTIGUOUS, 0, 1);
  problem = finish(builder);
  ck_assert_uint_eq(berth_problem_buffers(problem)->rigid.distance[1], 12);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(what_has_no_largest_size_has_no_place_in_a_group) {
  struct berth_problem_builder *builder = start();
  struct berth_symbol symbol = {text("n"), 1, BERTH_UNBOUNDED};
  ck_assert_int_eq(berth_problem_builder_add_symbol(builder, &symbol, NULL, NULL), BERTH_OK);
  struct berth_expression expression = {.operation = BERTH_OPERATION_SYMBOL};
  uint32_t n;
  ck_assert_int_eq(berth_problem_builder_add_expression(builder, &expression, &n, NULL), BERTH_OK);
  struct berth_value_spec spec = berth_value_spec_default();
  spec.class_ = BERTH_CLASS_INPUT;
  value(builder, spec);
  spec.size_bytes = 0;
  spec.shape = &(struct berth_shape){.dimensions = &n, .n_dimensions = 1, .element_bits = 8};
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  GROUP(builder, SHARED, 0, 1);
  ck_assert_int_eq(finish_fails(builder).reason, BERTH_REASON_BAD_GROUP);
}
END_TEST

/* ---- What pools ask ---- */

static void pool(struct berth_problem_builder *builder, struct berth_pool_spec spec, const char *name) {
  spec.name = text(name);
  spec.capacity_bytes = BERTH_UNLIMITED;
  spec.max_block_bytes = BERTH_UNLIMITED;
  spec.alignment = 1;
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &spec, NULL, NULL), BERTH_OK);
}

/* a spills to b, b to c: members that name a and b may lie in b and in c. */
START_TEST(pools_are_those_that_all_may_spill_to) {
  struct berth_problem_builder *builder = start();
  static const uint32_t TO[] = {0, 1, 2};
  pool(builder, (struct berth_pool_spec){.spill_to = TO + 1, .n_spill_to = 1}, "a");
  pool(builder, (struct berth_pool_spec){.spill_to = TO + 2, .n_spill_to = 1}, "b");
  pool(builder, (struct berth_pool_spec){.base_alignment = 4}, "c");
  for (uint32_t i = 0; i < 2; i++) {
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    spec.size_bytes = 8;
    spec.upper = 2;
    spec.pools = &TO[i];
    spec.n_pools = 1;
    spec.alignment = i == 0 ? 1 : 8; /* c does not promise so much */
    add(builder, &spec);
  }
  GROUP(builder, CONTIGUOUS, 0, 1);
  struct berth_problem *problem = finish(builder);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->choice_begin[1], 1);
  ck_assert_uint_eq(buffers->choice_begin[2], 2);
  ck_assert_uint_eq(buffers->choices[0], 1);
  uint32_t n;
  ck_assert_uint_eq(berth_problem_stated_pools(problem, 0, &n)[0], 0);
  ck_assert_uint_eq(n, 1);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(what_persists_is_kept_apart_from_the_group_too) {
  for (int mixed = 0; mixed < 2; mixed++) {
    struct berth_problem_builder *builder = start();
    pool(builder, (struct berth_pool_spec){.persistence = BERTH_PERSISTENCE_FRONT}, "front");
    for (uint32_t i = 0; i < 4; i++) {
      struct berth_buffer_spec spec = berth_buffer_spec_default();
      spec.size_bytes = 8;
      spec.lower = i;
      spec.upper = i + 1;
      spec.class_ = mixed != 0 && i == 1 ? BERTH_CLASS_TEMPORARY : BERTH_CLASS_CONSTANT;
      add(builder, &spec);
    }
    if (mixed != 0) { /* no pool would do */
      GROUP(builder, CONTIGUOUS, 0, 1);
      ck_assert_int_eq(finish_fails(builder).reason, BERTH_REASON_BAD_POOL);
    } else { /* 3 over 1, once 1 is done */
      GROUP(builder, CONTIGUOUS, 0, 1);
      GROUP(builder, SHARED, 0, 2);
      GROUP(builder, CONTIGUOUS, 2, 3);
      ck_assert_int_eq(finish_fails(builder).reason, BERTH_REASON_BAD_GROUP);
    }
  }
}
END_TEST

/* ---- The canonical form ---- */

static void hash(void *ctx, const void *bytes, size_t n_bytes) {
  uint64_t *sum = ctx;
  for (size_t i = 0; i < n_bytes; i++) {
    *sum = (*sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
  }
}

static uint64_t key_of(struct berth_problem *problem) {
  uint32_t order[8];
  uint64_t key = UINT64_C(14695981039346656037);
  ck_assert_int_eq(berth_problem_canonical_order(problem, NULL, order, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_canonical_encode(problem, order, NULL, &key, hash, NULL), BERTH_OK);
  berth_problem_unref(problem);
  return key;
}

static uint64_t key_with(uint32_t n, enum berth_group_kind kind, const uint32_t *members, bool reversed) {
  struct berth_problem_builder *builder = start();
  for (uint64_t i = 0; i < 4; i++) {
    buffer(builder, 4 + (reversed ? 3 - i : i), 1, 0, 2);
  }
  if (n != 0) {
    ck_assert_int_eq(group(builder, kind, n, members), BERTH_OK);
  }
  return key_of(finish(builder));
}

START_TEST(the_key_knows_groups_and_not_how_they_are_stated) {
  uint64_t without = key_with(0, BERTH_GROUP_SHARED, NULL, false);
  uint64_t in_a_row = key_with(2, BERTH_GROUP_CONTIGUOUS, (const uint32_t[]){0, 1}, false);
  ck_assert_uint_ne(in_a_row, without);
  ck_assert_uint_ne(key_with(2, BERTH_GROUP_CONTIGUOUS, (const uint32_t[]){1, 0}, false), in_a_row);
  ck_assert_uint_ne(key_with(2, BERTH_GROUP_SHARED, (const uint32_t[]){0, 1}, false), in_a_row);
  ck_assert_uint_eq(key_with(2, BERTH_GROUP_CONTIGUOUS, (const uint32_t[]){3, 2}, true), in_a_row);
  ck_assert_uint_eq(
      key_with(2, BERTH_GROUP_SHARED, (const uint32_t[]){0, 1}, false),
      key_with(2, BERTH_GROUP_SHARED, (const uint32_t[]){1, 0}, false));
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/groups", (const TTest *const[]){
                            distances_are_sums_of_aligned_sizes,
                            groups_with_a_common_member_are_one,
                            one_pin_pins_all,
                            pools_are_those_that_all_name,
                            members_must_be_there_once_and_be_placed,
                            groups_that_contradict_each_other,
                            members_that_meet_must_be_one_storage,
                            what_must_share_may_not_be_kept_apart,
                            alignments_that_cannot_all_hold,
                            pins_that_disagree,
                            no_pool_in_common,
                            distances_do_not_overflow,
                            views_and_externals_have_no_place_to_choose,
                            who_is_in_a_group_is_not_written_in_place,
                            members_on_different_streams,
                            members_that_overlap_must_be_ordered,
                            one_storage_needs_no_order,
                            what_lies_where_is_the_same_for_all_bindings,
                            what_has_no_largest_size_has_no_place_in_a_group,
                            pools_are_those_that_all_may_spill_to,
                            what_persists_is_kept_apart_from_the_group_too,
                            the_key_knows_groups_and_not_how_they_are_stated,
                            NULL});
}
