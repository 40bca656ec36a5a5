#include "liveness/liveness.h"

#include <stdlib.h>

#include "base/rng.h"
#include "suite.h"

#define NONE UINT32_MAX
enum { MAX_VALUES = 8, MAX_OPERATORS = 6, MAX_LIST = 4 };

struct op {
  uint32_t inputs[MAX_LIST];
  uint32_t outputs[MAX_LIST];
};

struct value {
  uint8_t class_;
  uint8_t flags;
  int64_t lower; /* right */
  int64_t upper;
};

struct lists {
  uint32_t input_begin[MAX_OPERATORS + 1];
  uint32_t inputs[MAX_OPERATORS * MAX_LIST];
  uint32_t output_begin[MAX_OPERATORS + 1];
  uint32_t outputs[MAX_OPERATORS * MAX_LIST];
};

static uint32_t copy(const uint32_t *from, uint32_t *to, uint32_t at) {
  for (int i = 0; i < MAX_LIST && from[i] != NONE; i++) {
    to[at++] = from[i];
  }
  return at;
}

static void flatten(const struct op *ops, uint32_t n, struct lists *lists) {
  lists->input_begin[0] = lists->output_begin[0] = 0;
  for (uint32_t op = 0; op < n; op++) {
    lists->input_begin[op + 1] = copy(ops[op].inputs, lists->inputs, lists->input_begin[op]);
    lists->output_begin[op + 1] = copy(ops[op].outputs, lists->outputs, lists->output_begin[op]);
  }
}

static struct berth_graph view(const struct lists *lists, uint32_t n_operators) {
  return (struct berth_graph){
      .n_operators = n_operators,
      .input_begin = lists->input_begin,
      .inputs = lists->inputs,
      .output_begin = lists->output_begin,
      .outputs = lists->outputs,
  };
}

enum {
  T = BERTH_CLASS_TEMPORARY,
  C = BERTH_CLASS_CONSTANT,
  I = BERTH_CLASS_INPUT,
  O = BERTH_CLASS_OUTPUT,
  S = BERTH_CLASS_STATE
};
enum { HELD = BERTH_VALUE_HELD, EXTERNAL = BERTH_VALUE_EXTERNAL, ACCUMULATED = BERTH_VALUE_ACCUMULATED };

static const struct {
  const char *what;
  uint32_t n_values;
  struct value values[MAX_VALUES];
  uint32_t n_operators;
  struct op ops[MAX_OPERATORS];
} CASES[] = {
    {"a chain: from the producer until after the last reader",
     4,
     {{I, 0, 0, 1}, {T, 0, 0, 2}, {T, 0, 1, 3}, {O, 0, 2, 3}},
     3,
     {{{0, NONE}, {1, NONE}}, {{1, NONE}, {2, NONE}}, {{2, NONE}, {3, NONE}}}},
    {"a value that nobody reads lives while its producer runs (report 1)",
     4,
     {{I, EXTERNAL, 0, 1}, {T, 0, 0, 2}, {T, 0, 0, 1}, {O, 0, 1, 2}},
     2,
     {{{0, NONE}, {1, 2, NONE}}, {{1, NONE}, {3, NONE}}}},
    {"an input lives from the first step, to its last reader",
     3,
     {{I, 0, 0, 3}, {T, 0, 0, 2}, {T, 0, 2, 3}},
     3,
     {{{NONE}, {1, NONE}}, {{1, NONE}, {NONE}}, {{0, NONE}, {2, NONE}}}},
    {"an input that nobody reads lives at the first step",
     2,
     {{I, 0, 0, 1}, {T, 0, 1, 2}},
     2,
     {{{NONE}, {NONE}}, {{NONE}, {1, NONE}}}},
    {"an output lives to the last step, also when it is read",
     2,
     {{O, 0, 0, 4}, {T, 0, 1, 2}},
     4,
     {{{NONE}, {0, NONE}}, {{0, NONE}, {1, NONE}}, {{NONE}, {NONE}}, {{NONE}, {NONE}}}},
    {"an input that is handed out again is held (report 8)",
     2,
     {{I, HELD, 0, 2}, {O, 0, 0, 2}},
     2,
     {{{0, NONE}, {1, NONE}}, {{NONE}, {NONE}}}},
    {"constants and state live always (reports 9 and 16)",
     4,
     {{C, 0, 0, 3}, {S, 0, 0, 3}, {S, 0, 0, 3}, {T, 0, 2, 3}},
     3,
     {{{0, 1, NONE}, {NONE}}, {{NONE}, {1, NONE}}, {{1, NONE}, {3, NONE}}}},
    {"state may be written again and again, and before it is read",
     1,
     {{S, 0, 0, 2}},
     2,
     {{{NONE}, {0, NONE}}, {{0, NONE}, {0, NONE}}}},
    {"held keeps a temporary to the end",
     2,
     {{T, HELD, 0, 3}, {T, 0, 1, 2}},
     3,
     {{{NONE}, {0, NONE}}, {{NONE}, {1, NONE}}, {{NONE}, {NONE}}}},
    {"several producers: from the earliest to the latest that touches it",
     3,
     {{T, ACCUMULATED, 1, 5}, {T, 0, 0, 1}, {T, 0, 4, 5}},
     6,
     {{{NONE}, {1, NONE}},
      {{NONE}, {0, NONE}},
      {{0, NONE}, {NONE}},
      {{0, NONE}, {0, NONE}},
      {{NONE}, {0, 2, NONE}},
      {{NONE}, {NONE}}}},
    {"an accumulated input may be written",
     1,
     {{I, ACCUMULATED, 0, 2}},
     2,
     {{{0, NONE}, {NONE}}, {{NONE}, {0, NONE}}}},
    {"an operand may be listed twice",
     2,
     {{T, 0, 0, 2}, {T, 0, 1, 2}},
     2,
     {{{NONE}, {0, NONE}}, {{0, 0, NONE}, {1, NONE}}}},
    {"without operators there is one step", 3, {{I, 0, 0, 1}, {C, 0, 0, 1}, {S, 0, 0, 1}}, 0, {{{0}, {0}}}},
    {"an external temporary may be read without being written",
     1,
     {{T, EXTERNAL, 0, 1}},
     1,
     {{{0, NONE}, {NONE}}}},
};

START_TEST(lifetimes_by_the_book) {
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    struct lists lists;
    uint8_t class_[MAX_VALUES];
    uint8_t flags[MAX_VALUES];
    int64_t lower[MAX_VALUES];
    int64_t upper[MAX_VALUES];
    uint8_t family[MAX_VALUES] = {0};
    flatten(CASES[i].ops, CASES[i].n_operators, &lists);
    for (uint32_t v = 0; v < CASES[i].n_values; v++) {
      class_[v] = CASES[i].values[v].class_;
      flags[v] = CASES[i].values[v].flags;
    }
    struct berth_graph graph = view(&lists, CASES[i].n_operators);
    graph.n_values = CASES[i].n_values;
    graph.value_class = class_;
    graph.value_flags = flags;
    struct berth_liveness_finding found =
        berth_liveness_derive(&graph, NULL, berth_allocator_libc(), lower, upper, family);
    ck_assert_msg(found.fault == BERTH_LIVENESS_OK, "%s: fault %d", CASES[i].what, found.fault);
    for (uint32_t v = 0; v < CASES[i].n_values; v++) {
      ck_assert_msg(
          lower[v] == CASES[i].values[v].lower && upper[v] == CASES[i].values[v].upper,
          "%s: value %u has [%d, %d)", CASES[i].what, v, (int)lower[v], (int)upper[v]);
    }
  }
}
END_TEST

/* [min over producers, max over all that touch it], and the ends for what is given or kept, counted plainly.
 */
START_TEST(random_graphs_agree_with_the_formula) {
  struct berth_rng rng = {.state = 7};
  int n_good = 0;
  for (int round = 0; round < 20000; round++) {
    struct lists lists;
    struct op ops[MAX_OPERATORS];
    uint8_t class_[MAX_VALUES];
    uint8_t flags[MAX_VALUES];
    int64_t lower[MAX_VALUES];
    int64_t upper[MAX_VALUES];
    uint8_t family[MAX_VALUES] = {0};
    uint32_t n_values = 1 + berth_rng_below(&rng, MAX_VALUES);
    uint32_t n_operators = 1 + berth_rng_below(&rng, MAX_OPERATORS);
    for (uint32_t v = 0; v < n_values; v++) {
      class_[v] = (uint8_t)berth_rng_below(&rng, 5);
      flags[v] = (uint8_t)(ACCUMULATED | (berth_rng_below(&rng, 4) == 0 ? HELD : 0));
    }
    for (uint32_t op = 0; op < n_operators; op++) {
      uint32_t first = berth_rng_below(&rng, n_values);
      for (int k = 0; k < MAX_LIST; k++) {
        bool reads = op != 0 && k < (int)berth_rng_below(&rng, MAX_LIST);
        ops[op].inputs[k] = reads ? berth_rng_below(&rng, n_values) : NONE;
        bool writes = k < 2 && k < (int)n_values && class_[(first + k) % n_values] != C;
        ops[op].outputs[k] = writes ? (first + k) % n_values : NONE;
      }
    }
    flatten(ops, n_operators, &lists);
    struct berth_graph graph = view(&lists, n_operators);
    graph.n_values = n_values;
    graph.value_class = class_;
    graph.value_flags = flags;
    struct berth_liveness_finding found =
        berth_liveness_derive(&graph, NULL, berth_allocator_libc(), lower, upper, family);
    if (found.fault != BERTH_LIVENESS_OK) {
      continue;
    }
    n_good++;
    for (uint32_t v = 0; v < n_values; v++) {
      bool given = class_[v] == I || class_[v] == C || class_[v] == S;
      bool kept = class_[v] == O || class_[v] == C || class_[v] == S || (flags[v] & HELD) != 0;
      int64_t first = INT64_MAX;
      int64_t last = -1;
      for (uint32_t op = 0; op < n_operators; op++) {
        for (uint32_t i = lists.input_begin[op]; i < lists.input_begin[op + 1]; i++) {
          last = lists.inputs[i] == v ? op : last;
        }
        for (uint32_t i = lists.output_begin[op]; i < lists.output_begin[op + 1]; i++) {
          last = lists.outputs[i] == v ? op : last;
          first = lists.outputs[i] == v && first == INT64_MAX ? op : first;
        }
      }
      ck_assert_int_eq(lower[v], given ? 0 : first);
      ck_assert_int_eq(upper[v], kept ? n_operators : last < 0 ? 1 : last + 1);
      ck_assert_int_lt(lower[v], upper[v]);
    }
  }
  ck_assert_int_gt(n_good, 1000);
}
END_TEST

static void *refuse(void *ctx, void *ptr, size_t old_size, size_t new_size) {
  (void)ctx;
  (void)ptr;
  (void)old_size;
  (void)new_size;
  return NULL;
}

START_TEST(without_memory_it_says_so) {
  struct berth_allocator allocator = {.resize = refuse};
  struct lists lists = {0};
  struct berth_graph graph = view(&lists, 0);
  int64_t lower;
  int64_t upper;
  uint8_t family;
  ck_assert_int_eq(
      berth_liveness_derive(&graph, NULL, &allocator, &lower, &upper, &family).fault,
      BERTH_LIVENESS_OUT_OF_MEMORY);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "liveness",
      (const TTest *const[]){
          lifetimes_by_the_book, random_graphs_agree_with_the_formula, without_memory_it_says_so, NULL});
}
