/* Parts on the wire: there and back, what is refused and how the field is called, and what a plan says of
 * them. */
#include "berth/together.h"

#include <stdlib.h>
#include <string.h>

#include "berth/v1/plan_service.pb-c.h"
#include "message.h"
#include "suite.h"

static struct berth_codec codec = {.allocator = NULL};

static struct berth_text text(const char *s) {
  return (struct berth_text){.data = s, .size = (uint32_t)strlen(s)};
}

static struct berth_problem *graph(uint64_t size) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (int v = 0; v < 3; v++) {
    struct berth_value_spec spec = berth_value_spec_default();
    spec.id = text((const char *const[]){"state", "in", "out"}[v]);
    spec.class_ =
        (const enum berth_buffer_class[]){BERTH_CLASS_STATE, BERTH_CLASS_INPUT, BERTH_CLASS_OUTPUT}[v];
    spec.size_bytes = v == 0 ? 100 : size;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &spec, NULL, NULL), BERTH_OK);
  }
  struct berth_operator_spec op = berth_operator_spec_default();
  op.inputs = (const uint32_t[]){0, 1};
  op.n_inputs = 2;
  op.outputs = (const uint32_t[]){2};
  op.n_outputs = 1;
  op.inplace = &(struct berth_inplace){.input = 1, .output = 0};
  op.n_inplace = 1;
  ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

static struct berth_problem *compose(bool at_once) {
  struct berth_named_problem parts[2] = {{text("a"), graph(10)}, {text("b"), graph(20)}};
  const struct berth_text shared = text("state");
  const struct berth_composition composition = {
      .parts = parts,
      .n_parts = 2,
      .set_end = (const uint32_t[]){2},
      .set_parts = (const uint32_t[]){0, 1},
      .n_sets = at_once,
      .shared = &shared,
      .n_shared = 1};
  struct berth_problem *problem;
  ck_assert_int_eq(berth_problem_compose(&composition, NULL, &problem, NULL), BERTH_OK);
  berth_problem_unref(parts[0].problem);
  berth_problem_unref(parts[1].problem);
  return problem;
}

static struct message encode(const struct berth_problem *problem) {
  const struct berth_solve_options options = berth_solve_options_default();
  struct message message = {0};
  const struct berth_codec_sink sink = sink_of(&message);
  ck_assert_int_eq(berth_codec_encode_compute(problem, &options, false, NULL, &sink, NULL), BERTH_OK);
  return message;
}

/* The bytes again: they say all there is. */
START_TEST(test_there_and_back) {
  codec.limits = berth_codec_limits_default();
  for (int at_once = 0; at_once < 2; at_once++) {
    struct berth_problem *problem = compose(at_once == 1);
    struct message first = encode(problem);
    struct berth_codec_compute request;
    struct berth_error err;
    enum berth_code code = berth_codec_decode_compute(&codec, first.bytes, first.n, &request, &err);
    ck_assert_msg(code == BERTH_OK, "%s: %s", err.field, err.message);
    struct message second = encode(request.problem);
    ck_assert_uint_eq(first.n, second.n);
    ck_assert_mem_eq(first.bytes, second.bytes, first.n);
    const struct berth_composed *parts = berth_problem_composed(request.problem);
    ck_assert_uint_eq(parts->n, 2);
    ck_assert_uint_eq(parts->n_shared, 1);
    ck_assert_int_eq(berth_composed_at_once(parts, 0, 1), at_once);
    message_finish(&first);
    message_finish(&second);
    berth_codec_compute_finish(&request);
    berth_problem_unref(problem);
  }
}
END_TEST

/* ---- Hand-made requests ---- */

static Berth__V1__Problem problems[3];
static Berth__V1__Part part_messages[2];
static Berth__V1__Part *part_list[2] = {&part_messages[0], &part_messages[1]};
static uint64_t sizes[2][1] = {{4}, {4}};
static int64_t lower[1] = {0};
static int64_t upper[1] = {1};
static char names[2][4] = {"a", "b"};

static Berth__V1__Problem *fresh(void) {
  for (int p = 0; p < 2; p++) {
    berth__v1__problem__init(&problems[p]);
    berth__v1__part__init(&part_messages[p]);
    sizes[p][0] = 4;
    problems[p].n_buffer_size_bytes = problems[p].n_buffer_lower = problems[p].n_buffer_upper = 1;
    problems[p].buffer_size_bytes = sizes[p];
    problems[p].buffer_lower = lower;
    problems[p].buffer_upper = upper;
    part_messages[p].name = names[p];
    part_messages[p].problem = &problems[p];
  }
  berth__v1__problem__init(&problems[2]);
  problems[2].n_parts = 2;
  problems[2].parts = part_list;
  return &problems[2];
}

static void expect(const char *field, const char *message, enum berth_reason reason) {
  Berth__V1__ComputePlanRequest request = BERTH__V1__COMPUTE_PLAN_REQUEST__INIT;
  request.problem = &problems[2];
  size_t n = berth__v1__compute_plan_request__get_packed_size(&request);
  uint8_t *bytes = malloc(n + 1);
  ck_assert_ptr_nonnull(bytes);
  berth__v1__compute_plan_request__pack(&request, bytes);
  struct berth_codec_compute out;
  struct berth_error err = {0};
  enum berth_code code = berth_codec_decode_compute(&codec, bytes, n, &out, &err);
  ck_assert_int_eq(code == BERTH_OK, reason == BERTH_REASON_NONE);
  ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
  ck_assert_str_eq(err.field, field);
  ck_assert_int_eq(err.reason, reason);
  berth_codec_compute_finish(&out);
  free(bytes);
}

START_TEST(test_what_is_refused) {
  static char v[] = "v";
  static char *shared[] = {v};
  static uint32_t ends[] = {2, 1};
  static uint32_t members[] = {0, 7};
  codec.limits = berth_codec_limits_default();
  (void)fresh();
  expect("", "", BERTH_REASON_NONE);
  fresh()->together = BERTH__V1__TOGETHER__TOGETHER_ADD;
  expect("", "", BERTH_REASON_NONE);
  fresh()->n_shared = 1;
  problems[2].shared = shared;
  expect("problem.shared[0]", "no part has a buffer \"v\"", BERTH_REASON_UNKNOWN_ID);
  fresh()->n_together_end = 1;
  problems[2].together_end = ends;
  problems[2].n_together_part = 2;
  problems[2].together_part = members;
  expect("problem.together_end[0]", "set 0 names part 7", BERTH_REASON_UNKNOWN_ID);
  problems[2].together = BERTH__V1__TOGETHER__TOGETHER_ADD;
  expect("problem.together_end[0]", "sets are named, and", BERTH_REASON_MALFORMED);
  fresh()->n_together_end = 1;
  problems[2].together_end = ends;
  expect("problem.together_end", "", BERTH_REASON_COLUMN_LENGTH);
  (void)fresh();
  part_messages[1].name = names[0];
  expect("problem.parts[1].name", "same name", BERTH_REASON_DUPLICATE_ID);
  (void)fresh();
  part_messages[1].problem = NULL;
  expect("problem.parts[1].problem", "no problem", BERTH_REASON_MISSING_FIELD);
  (void)fresh();
  sizes[1][0] = UINT64_MAX;
  expect("problem.parts[1].problem.buffer_size_bytes[0]", "passes 2^63", BERTH_REASON_SIZE_OVERFLOW);
  (void)fresh();
  problems[1].n_parts = 1;
  problems[1].parts = part_list;
  part_messages[0].problem = NULL;
  problems[1].n_buffer_size_bytes = problems[1].n_buffer_lower = problems[1].n_buffer_upper = 0;
  part_messages[1].problem = &problems[1];
  part_list[0] = &part_messages[1];
  problems[1].n_parts = 0;
  problems[1].n_shared = 1;
  problems[1].shared = shared;
  problems[2].n_parts = 1;
  expect("problem.parts[0].problem.parts", "one part at least", BERTH_REASON_MISSING_FIELD);
  part_list[0] = &part_messages[0];
  fresh()->n_buffer_size_bytes = 1;
  problems[2].buffer_size_bytes = sizes[0];
  expect("problem", "both parts and", BERTH_REASON_MALFORMED);
  (void)fresh();
  codec.limits.buffers = 1;
  expect("problem.parts", "in all parts", BERTH_REASON_LIMIT_EXCEEDED);
}
END_TEST

START_TEST(test_a_plan_says_where_parts_are) {
  codec.limits = berth_codec_limits_default();
  struct berth_problem *problem = compose(false);
  struct berth_plan *plan = NULL;
  ck_assert_int_eq(berth_solve(problem, NULL, NULL, NULL, &plan, NULL), BERTH_OK);
  const struct berth_codec_plan response = {.plan = plan};
  struct message message = {0};
  const struct berth_codec_sink sink = sink_of(&message);
  ck_assert_int_eq(berth_codec_encode_compute_response(&response, problem, NULL, &sink, NULL), BERTH_OK);
  Berth__V1__ComputePlanResponse *got =
      berth__v1__compute_plan_response__unpack(NULL, message.n, message.bytes);
  ck_assert_ptr_nonnull(got);
  ck_assert_uint_eq(got->plan->n_parts, 2);
  const Berth__V1__PartResult *b = got->plan->parts[1];
  ck_assert_str_eq(b->name, "b");
  ck_assert_uint_eq(b->peak_bytes, 120); /* the output lies over the input */
  ck_assert_uint_eq(b->naive_bytes, 120);
  ck_assert_uint_eq(b->arena_bytes, 120);
  ck_assert_uint_eq(b->n_buffer, 2);
  ck_assert_uint_eq(b->buffer[0], 0); /* the state, as in part a */
  ck_assert_uint_eq(got->plan->parts[0]->buffer[0], 0);
  ck_assert_uint_eq(b->n_value_buffer, 3);
  ck_assert_uint_eq(b->value_buffer[1], b->value_buffer[2]);
  ck_assert_uint_eq(b->n_inplace_answer, 1);
  ck_assert_uint_eq(b->inplace_answer[0], BERTH__V1__INPLACE_ANSWER__INPLACE_ANSWER_USED);
  berth__v1__compute_plan_response__free_unpacked(got, NULL);
  message_finish(&message);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "codec/together",
      (const TTest *const[]){
          test_there_and_back, test_what_is_refused, test_a_plan_says_where_parts_are, NULL});
}
