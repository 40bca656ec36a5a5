/* Problems there and back: what is decoded is what was encoded, field by field. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/v1/plan_service.pb-c.h"
#include "graph.h"
#include "message.h"
#include "sample.h"
#include "suite.h"
#include "symbolic.h"

static struct berth_problem *there_and_back(const struct berth_problem *problem) {
  const struct berth_solve_options options = berth_solve_options_default();
  struct message message = {0};
  struct berth_codec_compute request;
  struct berth_error err;
  const struct berth_codec_sink sink = sink_of(&message);
  ck_assert_int_eq(berth_codec_encode_compute(problem, &options, true, NULL, &sink, &err), BERTH_OK);
  enum berth_code code = berth_codec_decode_compute(plain_codec(), message.bytes, message.n, &request, &err);
  ck_assert_msg(code == BERTH_OK, "%s: %s", err.field, err.message);
  ck_assert(request.validate_only);
  ck_assert_uint_eq(request.options.budget_ticks, options.budget_ticks);
  ck_assert_uint_eq(request.options.strategies, options.strategies);
  message_finish(&message);
  return request.problem;
}

static void same_text(struct berth_text a, struct berth_text b) {
  ck_assert_uint_eq(a.size, b.size);
  if (a.size > 0) {
    ck_assert_mem_eq(a.data, b.data, a.size);
  }
}

static void same_pools(const struct berth_problem *a, const struct berth_problem *b) {
  const struct berth_pools *pools_a = berth_problem_pools(a);
  const struct berth_pools *pools_b = berth_problem_pools(b);
  ck_assert_uint_eq(pools_a->n, pools_b->n);
  for (uint32_t i = 0; i < pools_a->n; i++) {
    same_text(pools_a->items[i].name, pools_b->items[i].name);
    ck_assert_uint_eq(pools_a->items[i].capacity_bytes, pools_b->items[i].capacity_bytes);
    ck_assert_uint_eq(pools_a->items[i].alignment, pools_b->items[i].alignment);
    ck_assert_uint_eq(pools_a->items[i].max_block_bytes, pools_b->items[i].max_block_bytes);
    ck_assert_int_eq(pools_a->items[i].kind, pools_b->items[i].kind);
    ck_assert_uint_eq(pools_a->items[i].base_alignment, pools_b->items[i].base_alignment);
    ck_assert_uint_eq(pools_a->items[i].cost_per_byte, pools_b->items[i].cost_per_byte);
    ck_assert_int_eq(pools_a->items[i].persistence, pools_b->items[i].persistence);
    ck_assert_uint_eq(pools_a->items[i].n_spill_to, pools_b->items[i].n_spill_to);
    for (uint32_t k = 0; k < pools_a->items[i].n_spill_to; k++) {
      ck_assert_uint_eq(pools_a->items[i].spill_to[k], pools_b->items[i].spill_to[k]);
    }
  }
}

static void same_ranges(uint32_t n, const uint32_t *begin_a, const uint32_t *begin_b) {
  ck_assert_int_eq(begin_a != NULL && begin_a[n] > 0, begin_b != NULL && begin_b[n] > 0);
  if (begin_a != NULL && begin_b != NULL) {
    ck_assert_mem_eq(begin_a, begin_b, ((size_t)n + 1) * sizeof *begin_a);
  }
}

static void same_lists(const struct berth_buffers *a, const struct berth_buffers *b) {
  same_ranges(a->n, a->gap_begin, b->gap_begin);
  for (uint32_t i = 0; a->gap_begin != NULL && i < a->gap_begin[a->n]; i++) {
    ck_assert_int_eq(a->gaps[i].lower, b->gaps[i].lower);
    ck_assert_int_eq(a->gaps[i].upper, b->gaps[i].upper);
    ck_assert_uint_eq(a->gaps[i].window_lower, b->gaps[i].window_lower);
    ck_assert_uint_eq(a->gaps[i].window_upper, b->gaps[i].window_upper);
  }
  same_ranges(a->n, a->pool_begin, b->pool_begin);
  for (uint32_t i = 0; a->pool_begin != NULL && i < a->pool_begin[a->n]; i++) {
    ck_assert_uint_eq(a->pools[i], b->pools[i]);
  }
  ck_assert_uint_eq(a->n_conflicts, b->n_conflicts);
  for (uint32_t i = 0; i < a->n_conflicts; i++) {
    ck_assert_uint_eq(a->conflicts[i][0], b->conflicts[i][0]);
    ck_assert_uint_eq(a->conflicts[i][1], b->conflicts[i][1]);
  }
}

static void same_problem(const struct berth_problem *a, const struct berth_problem *b) {
  const struct berth_buffers *buffers_a = berth_problem_buffers(a);
  const struct berth_buffers *buffers_b = berth_problem_buffers(b);
  same_pools(a, b);
  ck_assert_uint_eq(buffers_a->n, buffers_b->n);
  for (uint32_t i = 0; i < buffers_a->n; i++) {
    ck_assert_uint_eq(buffers_a->size_bytes[i], buffers_b->size_bytes[i]);
    ck_assert_uint_eq(buffers_a->alignment[i], buffers_b->alignment[i]);
    ck_assert_int_eq(buffers_a->lower[i], buffers_b->lower[i]);
    ck_assert_int_eq(buffers_a->upper[i], buffers_b->upper[i]);
    ck_assert_int_eq(buffers_a->class_[i], buffers_b->class_[i]);
    uint64_t pin_a = buffers_a->pinned_offset != NULL ? buffers_a->pinned_offset[i] : BERTH_UNPINNED;
    uint64_t pin_b = buffers_b->pinned_offset != NULL ? buffers_b->pinned_offset[i] : BERTH_UNPINNED;
    ck_assert_uint_eq(pin_a, pin_b);
    same_text(berth_problem_buffer_id(a, i), berth_problem_buffer_id(b, i));
    ck_assert_uint_eq(
        buffers_a->accesses != NULL ? buffers_a->accesses[i] : 1,
        buffers_b->accesses != NULL ? buffers_b->accesses[i] : 1);
  }
  same_lists(buffers_a, buffers_b);
  ck_assert_uint_eq(buffers_a->n_clocks, buffers_b->n_clocks);
  for (size_t k = 0; k < (size_t)buffers_a->n * buffers_a->n_clocks; k++) {
    ck_assert_uint_eq(buffers_a->clock_lower[k], buffers_b->clock_lower[k]);
    ck_assert_uint_eq(buffers_a->clock_upper[k], buffers_b->clock_upper[k]);
  }
}

/* Clocks take the place of lower and upper. */
START_TEST(test_clocks) {
  static const uint32_t LOWER[][3] = {{0, 0, 0}, {1, 0, 7}, {0, 2, 2}};
  static const uint32_t UPPER[][3] = {{1, 0, 7}, {1, 9, 7}, {0, 2, 2}};
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (uint32_t i = 0; i < 3; i++) {
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    spec.size_bytes = 8;
    spec.n_clocks = 3;
    spec.clock_lower = LOWER[i];
    spec.clock_upper = UPPER[i];
    ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, NULL, NULL), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_add_conflict(builder, 0, 1, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  struct berth_problem *again = there_and_back(problem);
  same_problem(problem, again);
  berth_problem_unref(again);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(test_random_buffers) {
  struct berth_rng rng = {20261129};
  struct sample sample;
  sample_init(&sample);
  for (int round = 0; round < 1000; round++) {
    uint32_t features = (uint32_t)berth_rng_next(&rng) & 0x3ff;
    sample_generate_any(&sample, &rng, 1, 60, features);
    char ids[60][16];
    bool named = berth_rng_below(&rng, 2) == 0;
    for (uint32_t i = 0; named && i < sample.n_buffers && i < 60; i++) {
      if (berth_rng_below(&rng, 4) > 0) { /* some have none */
        int n = snprintf(ids[i], sizeof ids[i], "b\xc3\xa4%u", i);
        sample.buffers[i].spec.id = (struct berth_text){ids[i], (uint32_t)n};
      }
      if ((features & (SAMPLE_TERMS | SAMPLE_FRONT)) == 0) {
        sample.buffers[i].spec.class_ = (enum berth_buffer_class)berth_rng_below(&rng, BERTH_N_CLASSES);
      }
    }
    struct berth_problem *problem = sample_build(&sample, NULL);
    struct berth_problem *again = there_and_back(problem);
    same_problem(problem, again);
    berth_problem_unref(again);
    berth_problem_unref(problem);
  }
  sample_finish(&sample);
}
END_TEST

START_TEST(test_random_graphs) {
  struct berth_rng rng = {4};
  for (int round = 0; round < 500; round++) {
    struct graph graph;
    graph_generate(&graph, &rng, 1 + berth_rng_below(&rng, 20), GRAPH_EVERYTHING);
    struct berth_problem *problem = graph_build(&graph);
    struct berth_problem *again = there_and_back(problem);
    ck_assert_ptr_nonnull(berth_problem_graph(again));
    ck_assert_uint_eq(berth_problem_graph(problem)->n_values, berth_problem_graph(again)->n_values);
    ck_assert_uint_eq(berth_problem_graph(problem)->n_operators, berth_problem_graph(again)->n_operators);
    for (uint32_t i = 0; i < berth_problem_graph(again)->n_operators; i++) {
      same_text(berth_problem_operator_id(problem, i), berth_problem_operator_id(again, i));
    }
    same_problem(problem, again);
    berth_problem_unref(again);
    berth_problem_unref(problem);
  }
}
END_TEST

static void same_columns(const struct berth_symbols *a, const struct berth_symbols *b) {
  ck_assert(a->sizes == b->sizes && a->strict == b->strict);
  ck_assert_uint_eq(a->n_symbols, b->n_symbols);
  for (uint32_t i = 0; i < a->n_symbols; i++) {
    same_text(a->symbols[i].name, b->symbols[i].name);
    ck_assert(
        a->symbols[i].lower == b->symbols[i].lower && a->symbols[i].upper == b->symbols[i].upper &&
        a->ranges[i].lower == b->ranges[i].lower && a->ranges[i].upper == b->ranges[i].upper);
  }
  ck_assert_uint_eq(a->n_expressions, b->n_expressions);
  for (uint32_t i = 0; i < a->n_expressions; i++) {
    ck_assert(
        a->expressions[i].operation == b->expressions[i].operation &&
        a->expressions[i].left == b->expressions[i].left &&
        a->expressions[i].value == b->expressions[i].value);
  }
  for (int field = 0; field < BERTH_N_SIZED_FIELDS; field++) {
    ck_assert_uint_eq(a->n_sized[field], b->n_sized[field]);
    for (uint32_t i = 0; i < a->n_sized[field]; i++) {
      const struct berth_sized *x = &a->sized[field][i];
      const struct berth_sized *y = &b->sized[field][i];
      ck_assert(x->item == y->item && x->n == y->n && x->element_bits == y->element_bits);
      ck_assert_mem_eq(a->dimensions + x->begin, b->dimensions + y->begin, x->n * sizeof(uint32_t));
    }
  }
}

START_TEST(test_random_symbols) {
  struct berth_rng rng = {5};
  for (int round = 0; round < 400; round++) {
    static struct symbolic symbolic;
    struct berth_binding items[SYMBOLIC_MAX_SYMBOLS];
    symbolic_generate(&symbolic, &rng, 1 + berth_rng_below(&rng, 12));
    struct berth_bindings bindings = symbolic_bind(&symbolic, &rng, items);
    bindings.n = berth_rng_below(&rng, bindings.n + 1);
    bindings.sizes = (enum berth_sizes)(round % 2);
    struct berth_problem *problem = symbolic_build(&symbolic, &bindings);
    struct berth_problem *again = there_and_back(problem);
    same_columns(berth_problem_symbols(problem), berth_problem_symbols(again));
    same_problem(problem, again);
    berth_problem_unref(again);
    berth_problem_unref(problem);
  }
}
END_TEST

/* relu(x) may overwrite x; a view of it is read; two permissions, of which one is refused. */
static struct berth_problem *graph_with_permissions(bool forbid) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  struct berth_error err;
  uint32_t index;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, &err), BERTH_OK);
  if (forbid) {
    berth_problem_builder_forbid_inplace(builder);
  }
  for (uint32_t v = 0; v < 5; v++) {
    struct berth_value_spec value = berth_value_spec_default();
    value.size_bytes = v == 2 ? 16 : 64;
    value.class_ = v == 0 ? BERTH_CLASS_INPUT : v == 4 ? BERTH_CLASS_OUTPUT : BERTH_CLASS_TEMPORARY;
    if (v == 2) { /* 16 bytes of value 1 */
      value.view_of = 1;
      value.view_offset = 32;
    }
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, &index, &err), BERTH_OK);
  }
  static const uint32_t INPUTS[][2] = {{0, 0}, {2, 1}, {3, 3}};
  static const uint32_t OUTPUTS[] = {1, 3, 4};
  static const struct berth_inplace FIRST[] = {{.input = 0, .output = 0}};
  static const struct berth_inplace SECOND[] = {{.input = 1, .output = 0}};
  for (uint32_t o = 0; o < 3; o++) {
    struct berth_operator_spec op = berth_operator_spec_default();
    op.inputs = INPUTS[o];
    op.n_inputs = o == 1 ? 2 : 1;
    op.outputs = &OUTPUTS[o];
    op.n_outputs = 1;
    op.inplace = o == 2 ? FIRST : SECOND;
    op.n_inplace = o > 0;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, &index, &err), BERTH_OK);
  }
  enum berth_code code = berth_problem_builder_finish(builder, &problem, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  berth_problem_builder_destroy(builder);
  return problem;
}

/* The response says where each value is, and what came of each permission. */
static void check_answers(const struct berth_problem *problem) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  struct berth_plan *plan = berth_plan_create(NULL, berth_problem_buffers(problem)->n, 1);
  const struct berth_codec_plan response = {.plan = plan};
  struct message message = {0};
  struct berth_error err;
  const struct berth_codec_sink sink = sink_of(&message);
  ck_assert_int_eq(berth_codec_encode_compute_response(&response, problem, NULL, &sink, &err), BERTH_OK);
  Berth__V1__ComputePlanResponse *got =
      berth__v1__compute_plan_response__unpack(NULL, message.n, message.bytes);
  ck_assert_ptr_nonnull(got);
  ck_assert_uint_eq(got->n_value_buffer, graph->n_values);
  ck_assert_mem_eq(got->value_buffer, graph->value_buffer, graph->n_values * sizeof *graph->value_buffer);
  ck_assert_uint_eq(got->n_value_offset, graph->value_offset != NULL ? graph->n_values : 0);
  ck_assert_uint_eq(got->n_inplace_answer, permissions->n);
  for (uint32_t i = 0; i < permissions->n; i++) {
    char name[64];
    snprintf(name, sizeof name, "INPLACE_ANSWER_%s", berth_inplace_answer_name(permissions->items[i].answer));
    ck_assert_str_eq(
        protobuf_c_enum_descriptor_get_value(&berth__v1__inplace_answer__descriptor, got->inplace_answer[i])
            ->name,
        name);
  }
  berth__v1__compute_plan_response__free_unpacked(got, NULL);
  message_finish(&message);
  berth_plan_unref(plan);
}

/* The protocol's words for answers are the planner's. */
START_TEST(test_answers_have_names) {
  for (int i = 0; i < BERTH_N_INPLACE_ANSWERS; i++) {
    const ProtobufCEnumValue *value =
        protobuf_c_enum_descriptor_get_value(&berth__v1__inplace_answer__descriptor, i + 1);
    ck_assert_msg(value != NULL, "%s", berth_inplace_answer_name((enum berth_inplace_answer)i));
    ck_assert_str_eq(
        value->name + strlen("INPLACE_ANSWER_"), berth_inplace_answer_name((enum berth_inplace_answer)i));
  }
}
END_TEST

START_TEST(test_views_and_permissions) {
  for (int forbid = 0; forbid < 2; forbid++) {
    struct berth_problem *problem = graph_with_permissions(forbid);
    struct berth_solve_options options = berth_solve_options_default();
    options.reuse = forbid ? BERTH_REUSE_NO_INPLACE : BERTH_REUSE_FULL;
    struct message message = {0};
    struct berth_codec_compute request;
    struct berth_error err;
    const struct berth_codec_sink sink = sink_of(&message);
    ck_assert_int_eq(berth_codec_encode_compute(problem, &options, false, NULL, &sink, &err), BERTH_OK);
    ck_assert_int_eq(
        berth_codec_decode_compute(plain_codec(), message.bytes, message.n, &request, &err), BERTH_OK);
    same_problem(problem, request.problem);
    const struct berth_permissions *a = berth_problem_permissions(problem);
    const struct berth_permissions *b = berth_problem_permissions(request.problem);
    ck_assert_uint_eq(a->n, 2);
    ck_assert_uint_eq(b->n, 2);
    for (uint32_t i = 0; i < 2; i++) {
      ck_assert_uint_eq(a->items[i].op, b->items[i].op);
      ck_assert_uint_eq(a->items[i].operand, b->items[i].operand);
      ck_assert_uint_eq(a->items[i].result, b->items[i].result);
      ck_assert_int_eq(a->items[i].answer, b->items[i].answer);
      ck_assert_int_eq(a->items[i].answer == BERTH_INPLACE_RESTRICTED, forbid);
    }
    check_answers(request.problem);
    struct berth_value_spec view = berth_problem_value(request.problem, 2);
    ck_assert_uint_eq(view.view_of, 1);
    ck_assert_uint_eq(view.view_offset, 32);
    berth_codec_compute_finish(&request);
    message_finish(&message);
    berth_problem_unref(problem);
  }
}
END_TEST

/* A root with live windows, an operand inside a result, and a result behind that. */
START_TEST(test_windows_and_kinds) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  struct berth_error err;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, &err), BERTH_OK);
  for (uint32_t v = 0; v < 3; v++) {
    struct berth_value_spec value = berth_value_spec_default();
    value.size_bytes = v == 0 ? 32 : 64;
    value.live_windows = v == 0;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, NULL, &err), BERTH_OK);
  }
  static const uint32_t VALUES[] = {0, 1, 2};
  static const struct berth_inplace KINDS[] = {
      {0, 0, BERTH_INPLACE_INSIDE, 32}, {0, 0, BERTH_INPLACE_BEHIND, 7}};
  for (uint32_t o = 0; o < 3; o++) {
    struct berth_operator_spec op = berth_operator_spec_default();
    op.inputs = &VALUES[o > 0 ? o - 1 : 0];
    op.n_inputs = o > 0;
    op.outputs = &VALUES[o];
    op.n_outputs = 1;
    op.inplace = o > 0 ? &KINDS[o - 1] : NULL;
    op.n_inplace = o > 0;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, &err), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, &err), BERTH_OK);
  berth_problem_builder_destroy(builder);
  struct berth_problem *again = there_and_back(problem);
  same_problem(problem, again);
  const struct berth_permissions *permissions = berth_problem_permissions(again);
  for (uint32_t i = 0; i < 2; i++) {
    ck_assert_int_eq(permissions->items[i].kind, KINDS[i].kind);
    ck_assert_uint_eq(permissions->items[i].bytes, KINDS[i].bytes);
    ck_assert_int_eq(permissions->items[i].answer, BERTH_INPLACE_USED);
  }
  for (uint32_t v = 0; v < 3; v++) {
    ck_assert_int_eq(berth_problem_value(again, v).live_windows, v == 0);
  }
  check_answers(again);
  berth_problem_unref(again);
  berth_problem_unref(problem);
}
END_TEST

/* A donated input, and two operators on streams of their own of which one waits. */
START_TEST(test_streams_and_donations) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  struct berth_error err;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, &err), BERTH_OK);
  for (uint32_t v = 0; v < 3; v++) {
    struct berth_value_spec value = berth_value_spec_default();
    value.size_bytes = 64;
    value.class_ = v == 0 ? BERTH_CLASS_INPUT : BERTH_CLASS_TEMPORARY;
    value.external = v == 0;
    value.donation = v == 0 ? BERTH_DONATION_MUST_USE : BERTH_DONATION_NONE;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, NULL, &err), BERTH_OK);
  }
  static const uint32_t VALUES[] = {0, 1, 2};
  static const struct berth_inplace FIRST = {.input = 0, .output = 0};
  static const uint32_t WAITS[] = {0};
  for (uint32_t o = 0; o < 2; o++) {
    struct berth_operator_spec op = berth_operator_spec_default();
    op.inputs = &VALUES[o];
    op.outputs = &VALUES[o + 1];
    op.n_inputs = op.n_outputs = 1;
    op.inplace = &FIRST;
    op.n_inplace = o == 0;
    op.stream = 3 * o;
    op.waits = WAITS;
    op.n_waits = o;
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, &err), BERTH_OK);
  }
  const struct berth_sync sync = {.waiter = 1, .signaller = 0};
  ck_assert_int_eq(berth_problem_builder_add_sync(builder, &sync, &err), BERTH_OK);
  enum berth_code code = berth_problem_builder_finish(builder, &problem, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  berth_problem_builder_destroy(builder);
  struct berth_problem *again = there_and_back(problem);
  same_problem(problem, again);
  const struct berth_graph *graph = berth_problem_graph(again);
  ck_assert_uint_eq(graph->n_syncs, 1);
  ck_assert_mem_eq(graph->syncs, &sync, sizeof sync);
  ck_assert_mem_eq(graph->operator_stream, ((uint32_t[]){0, 3}), 8);
  ck_assert_mem_eq(graph->wait_begin, ((uint32_t[]){0, 0, 1}), 12);
  ck_assert_uint_eq(graph->waits[0], 0);
  ck_assert_int_eq(berth_problem_value(again, 0).donation, BERTH_DONATION_MUST_USE);
  ck_assert_int_eq(berth_problem_value(again, 1).donation, BERTH_DONATION_NONE);
  ck_assert_int_eq(berth_problem_permissions(again)->items[0].answer, BERTH_INPLACE_USED);
  berth_problem_unref(again);
  berth_problem_unref(problem);
}
END_TEST

/* A loop that carries a value, with a call in it. */
START_TEST(test_regions) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  struct berth_error err;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, &err), BERTH_OK);
  struct berth_value_spec value = berth_value_spec_default();
  value.size_bytes = 64;
  value.class_ = BERTH_CLASS_INPUT;
  ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, NULL, &err), BERTH_OK);
  struct berth_operator_spec op = berth_operator_spec_default();
  for (uint32_t o = 0; o < 4; o++) {
    ck_assert_int_eq(berth_problem_builder_add_operator(builder, &op, NULL, &err), BERTH_OK);
  }
  struct berth_region_spec region = berth_region_spec_default();
  region.first_operator = 1;
  region.n_operators = 3;
  region.min_trips = 2;
  region.carries = &(uint32_t){0};
  region.n_carries = 1;
  ck_assert_int_eq(berth_problem_builder_add_region(builder, &region, NULL, &err), BERTH_OK);
  region = berth_region_spec_default();
  region.kind = BERTH_REGION_CALL;
  region.parent = 0;
  region.first_operator = 2;
  region.n_operators = 1;
  ck_assert_int_eq(berth_problem_builder_add_region(builder, &region, NULL, &err), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, &err), BERTH_OK);
  berth_problem_builder_destroy(builder);
  struct berth_problem *again = there_and_back(problem);
  same_problem(problem, again);
  const struct berth_graph *graph = berth_problem_graph(again);
  ck_assert_uint_eq(graph->n_regions, 2);
  ck_assert_int_eq(graph->regions[0].kind, BERTH_REGION_LOOP);
  ck_assert_uint_eq(graph->regions[0].parent, BERTH_NO_INDEX);
  ck_assert_uint_eq(graph->regions[0].first_operator, 1);
  ck_assert_uint_eq(graph->regions[0].n_operators, 3);
  ck_assert_uint_eq(graph->regions[0].min_trips, 2);
  ck_assert_uint_eq(graph->regions[0].n_carries, 1);
  ck_assert_uint_eq(graph->regions[0].carries[0], 0);
  ck_assert_int_eq(graph->regions[1].kind, BERTH_REGION_CALL);
  ck_assert_uint_eq(graph->regions[1].parent, 0);
  ck_assert_uint_eq(graph->regions[1].n_carries, 0);
  ck_assert_int_eq(berth_problem_buffers(again)->upper[0], 4);
  berth_problem_unref(again);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(test_62185_buffers) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  struct berth_error err;
  struct berth_rng rng = {62185};
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, &err), BERTH_OK);
  for (uint32_t i = 0; i < 62185; i++) {
    struct berth_buffer_spec spec = berth_buffer_spec_default();
    char id[16];
    spec.id = (struct berth_text){id, (uint32_t)snprintf(id, sizeof id, "t%u", i)};
    spec.size_bytes = berth_rng_below(&rng, 1u << 24);
    spec.lower = berth_rng_below(&rng, 100000);
    spec.upper = spec.lower + 1 + berth_rng_below(&rng, 1000);
    uint32_t index;
    ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, &index, &err), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, &err), BERTH_OK);
  berth_problem_builder_destroy(builder);
  struct berth_problem *again = there_and_back(problem);
  same_problem(problem, again);
  berth_problem_unref(again);
  berth_problem_unref(problem);
}
END_TEST

/* Compute and stream requests share their fields. */
START_TEST(test_stream_reads_compute) {
  struct berth_rng rng = {9};
  struct sample sample;
  struct message message = {0};
  struct berth_codec_compute request;
  struct berth_error err;
  struct berth_solve_options options = berth_solve_options_default();
  options.strategies = 1u << BERTH_STRATEGY_PLACEMENT;
  options.reuse = BERTH_REUSE_NO_INPLACE;
  options.capacity_bytes = 1000000;
  options.budget_ticks = 123;
  sample_init(&sample);
  sample_generate_any(&sample, &rng, 5, 10, 0);
  struct berth_problem *problem = sample_build(&sample, NULL);
  const struct berth_codec_sink sink = sink_of(&message);
  ck_assert_int_eq(berth_codec_encode_compute(problem, &options, false, NULL, &sink, &err), BERTH_OK);
  ck_assert_int_eq(
      berth_codec_decode_stream(plain_codec(), message.bytes, message.n, &request, &err), BERTH_OK);
  same_problem(problem, request.problem);
  ck_assert_uint_eq(request.options.strategies, options.strategies);
  ck_assert_int_eq(request.options.reuse, options.reuse);
  ck_assert_uint_eq(request.options.capacity_bytes, options.capacity_bytes);
  ck_assert_uint_eq(request.options.budget_ticks, options.budget_ticks);
  berth_codec_compute_finish(&request);
  message_finish(&message);
  berth_problem_unref(problem);
  sample_finish(&sample);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "codec/problem",
      (const TTest *const[]){
          test_clocks, test_random_buffers, test_random_graphs, test_random_symbols, test_answers_have_names,
          test_views_and_permissions, test_streams_and_donations, test_windows_and_kinds, test_regions,
          test_62185_buffers, test_stream_reads_compute, NULL});
}
