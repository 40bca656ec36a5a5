#include "berth/verify.h"
#include "suite.h"

static struct berth_problem_builder *builder;

static void begin(void) {
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
}

static uint32_t value(uint64_t size, enum berth_buffer_class class_) {
  struct berth_value_spec spec = berth_value_spec_default();
  spec.size_bytes = size;
  spec.class_ = class_;
  uint32_t index;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, &index, NULL), BERTH_OK);
  return index;
}

struct ids {
  uint32_t n;
  uint32_t items[3];
};

static void op(struct ids inputs, struct ids outputs, uint64_t workspace) {
  struct berth_operator_spec spec = berth_operator_spec_default();
  spec.inputs = inputs.items;
  spec.n_inputs = inputs.n;
  spec.outputs = outputs.items;
  spec.n_outputs = outputs.n;
  spec.workspace_bytes = workspace;
  struct berth_error err = {0};
  enum berth_code code = berth_problem_builder_add_operator(builder, &spec, NULL, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
}

/* Whether the places are right, by the judge. */
static bool good(const uint64_t *offset) {
  struct berth_problem *problem;
  struct berth_error err = {0};
  enum berth_code code = berth_problem_builder_finish(builder, &problem, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  berth_problem_builder_destroy(builder);
  struct berth_verdict verdict;
  code = berth_verify_offsets(problem, NULL, offset, NULL, NULL, 0, &verdict, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  berth_problem_unref(problem);
  return verdict.n_violations == 0;
}

#define NONE ((struct ids){0})
#define ONE(a) ((struct ids){1, {a}})
#define TWO(a, b) ((struct ids){2, {a, b}})

/* Report 1: op1 writes Y and U, nobody reads U; op2 reads Y and writes Z. */
static void unread_output(void) {
  begin();
  uint32_t x = value(64, BERTH_CLASS_INPUT);
  uint32_t y = value(64, BERTH_CLASS_TEMPORARY);
  uint32_t u = value(64, BERTH_CLASS_TEMPORARY);
  uint32_t z = value(64, BERTH_CLASS_OUTPUT);
  op(ONE(x), TWO(y, u), 0);
  op(ONE(y), ONE(z), 0);
}

START_TEST(an_output_that_nobody_reads_lives_while_it_is_written) {
  unread_output();
  ck_assert(!good((const uint64_t[]){128, 0, 0, 64}));
  unread_output();
  ck_assert(good((const uint64_t[]){128, 0, 64, 64}));
  unread_output(); /* U may not take X's place: both are live at op1 */
  ck_assert(!good((const uint64_t[]){128, 0, 128, 64}));
  unread_output(); /* Z may: X is read for the last time at op1 */
  ck_assert(good((const uint64_t[]){128, 0, 64, 128}));
}
END_TEST

/* Report 17: workspace is live at its operator, with its inputs and outputs. */
static void workspace(void) {
  begin();
  uint32_t a = value(100, BERTH_CLASS_TEMPORARY);
  uint32_t b = value(100, BERTH_CLASS_TEMPORARY);
  uint32_t c = value(250, BERTH_CLASS_OUTPUT);
  op(NONE, ONE(a), 0);
  op(ONE(a), ONE(b), 500);
  op(ONE(b), ONE(c), 0);
}

START_TEST(workspace_is_apart_from_what_its_operator_touches) {
  workspace();
  ck_assert(good((const uint64_t[]){500, 600, 0, 0}));
  workspace();
  ck_assert(!good((const uint64_t[]){499, 600, 0, 0}));
  workspace();
  ck_assert(!good((const uint64_t[]){600, 499, 0, 0}));
}
END_TEST

/* What is read once, and then something of the same size made. */
static void read_once(enum berth_buffer_class class_) {
  begin();
  uint32_t s = value(10, class_);
  uint32_t a = value(10, BERTH_CLASS_TEMPORARY);
  uint32_t b = value(10, BERTH_CLASS_TEMPORARY);
  uint32_t c = value(10, BERTH_CLASS_OUTPUT);
  op(ONE(s), ONE(a), 0);
  op(ONE(a), ONE(b), 0);
  op(ONE(b), ONE(c), 0);
}

START_TEST(constants_and_state_outlive_their_last_reader) {
  const uint64_t late[] = {0, 10, 0, 10};
  read_once(BERTH_CLASS_INPUT);
  ck_assert(good(late));
  read_once(BERTH_CLASS_CONSTANT);
  ck_assert(!good(late));
  read_once(BERTH_CLASS_CONSTANT);
  ck_assert(good((const uint64_t[]){0, 10, 20, 10}));
}
END_TEST

/* The class decides about the time before the first touch, too: `v` is touched by the last operator alone. */
static void touched_last(enum berth_buffer_class class_, bool written) {
  begin();
  uint32_t v = value(10, class_);
  uint32_t a = value(10, BERTH_CLASS_TEMPORARY);
  uint32_t b = value(10, BERTH_CLASS_OUTPUT);
  op(NONE, ONE(a), 0);
  op(ONE(a), ONE(b), 0);
  if (written) {
    op(NONE, ONE(v), 0);
  } else {
    op(ONE(v), NONE, 0);
  }
}

START_TEST(inputs_live_from_the_first_step_and_outputs_to_the_last) {
  const uint64_t on_a[] = {0, 0, 10};
  touched_last(BERTH_CLASS_INPUT, false);
  ck_assert(!good(on_a));
  touched_last(BERTH_CLASS_STATE, true);
  ck_assert(!good(on_a));
  touched_last(BERTH_CLASS_TEMPORARY, true);
  ck_assert(good(on_a));
  touched_last(BERTH_CLASS_TEMPORARY, true);
  ck_assert(!good((const uint64_t[]){10, 0, 10}));
}
END_TEST

START_TEST(held_values_live_to_the_last_step) {
  for (int held = 0; held < 2; held++) {
    begin();
    struct berth_value_spec spec = berth_value_spec_default();
    spec.size_bytes = 10;
    spec.held = held == 1;
    uint32_t h;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, &h, NULL), BERTH_OK);
    uint32_t a = value(10, BERTH_CLASS_TEMPORARY);
    uint32_t b = value(10, BERTH_CLASS_TEMPORARY);
    op(NONE, ONE(h), 0);
    op(ONE(h), ONE(a), 0);
    op(ONE(a), ONE(b), 0);
    ck_assert(good((const uint64_t[]){0, 10, 0}) == (held == 0));
  }
}
END_TEST

/* Several writers: live from the earliest to the latest that touches it. */
START_TEST(accumulated_values_live_from_their_first_writer) {
  for (int apart = 0; apart < 2; apart++) {
    begin();
    struct berth_value_spec spec = berth_value_spec_default();
    spec.size_bytes = 10;
    spec.accumulated = true;
    uint32_t sum;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, &sum, NULL), BERTH_OK);
    uint32_t t = value(10, BERTH_CLASS_TEMPORARY);
    uint32_t o = value(10, BERTH_CLASS_OUTPUT);
    op(NONE, ONE(sum), 0);
    op(NONE, ONE(t), 0);
    op(ONE(t), ONE(sum), 0);
    op(ONE(sum), ONE(o), 0);
    ck_assert(good((const uint64_t[]){0, apart == 1 ? 10 : 0, 20}) == (apart == 1));
  }
}
END_TEST

START_TEST(external_values_have_no_place_and_disturb_none) {
  begin();
  struct berth_value_spec spec = berth_value_spec_default();
  spec.size_bytes = 1000;
  spec.class_ = BERTH_CLASS_CONSTANT;
  spec.external = true;
  uint32_t w;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, &w, NULL), BERTH_OK);
  uint32_t a = value(10, BERTH_CLASS_TEMPORARY);
  uint32_t b = value(10, BERTH_CLASS_OUTPUT);
  op(ONE(w), ONE(a), 0);
  op(TWO(w, a), ONE(b), 0);
  ck_assert(good((const uint64_t[]){0, 10}));
}
END_TEST

static uint32_t
view(uint32_t of, uint64_t offset, uint64_t size, uint64_t alignment, enum berth_buffer_class class_) {
  struct berth_value_spec spec = berth_value_spec_default();
  spec.size_bytes = size;
  spec.view_of = of;
  spec.view_offset = offset;
  spec.alignment = alignment;
  spec.class_ = class_;
  uint32_t index;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, &index, NULL), BERTH_OK);
  return index;
}

/* Reports 4 and 6: P is not needed any more, but a view of it is read or handed out at the end. */
START_TEST(a_view_keeps_its_root) {
  for (int round = 0; round < 4; round++) {
    bool output = round >= 2;
    begin();
    uint32_t p = value(400, BERTH_CLASS_TEMPORARY);
    uint32_t v = view(p, 100, 100, 1, output ? BERTH_CLASS_OUTPUT : BERTH_CLASS_TEMPORARY);
    uint32_t q = value(400, BERTH_CLASS_TEMPORARY);
    op(NONE, ONE(p), 0);
    op(NONE, NONE, 0);
    op(NONE, ONE(q), 0);
    op(output ? ONE(q) : TWO(v, q), NONE, 0);
    bool apart = round % 2 == 0;
    ck_assert(good((const uint64_t[]){0, apart ? 400 : 0}) == apart);
  }
}
END_TEST

START_TEST(a_view_binds_where_its_root_begins) {
  for (uint64_t offset = 0; offset <= 64; offset += 8) {
    begin();
    uint32_t p = value(64, BERTH_CLASS_TEMPORARY);
    view(p, 32, 8, 32, BERTH_CLASS_TEMPORARY);
    op(NONE, ONE(p), 0);
    ck_assert(good(&offset) == (offset % 32 == 0));
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "verify/lifetimes",
      (const TTest *const[]){
          an_output_that_nobody_reads_lives_while_it_is_written,
          workspace_is_apart_from_what_its_operator_touches, constants_and_state_outlive_their_last_reader,
          inputs_live_from_the_first_step_and_outputs_to_the_last, held_values_live_to_the_last_step,
          accumulated_values_live_from_their_first_writer, external_values_have_no_place_and_disturb_none,
          a_view_keeps_its_root, a_view_binds_where_its_root_begins, NULL});
}
