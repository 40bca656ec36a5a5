/* A graph of operators as a test holds it, and what it means, step by step: the slow way, on its own. */
#ifndef TESTS_GRAPH_H
#define TESTS_GRAPH_H

#include "sample.h"

enum { GRAPH_MAX_VALUES = 40, GRAPH_MAX_OPERATORS = 24, GRAPH_MAX_OPERANDS = 4, GRAPH_MAX_REGIONS = 12 };

struct graph_value {
  uint64_t size;
  uint64_t alignment;
  enum berth_buffer_class class_;
  bool held;
  bool external;
  bool accumulated;
  uint32_t view_of; /* BERTH_NO_INDEX: its own root */
  uint64_t view_offset;
  bool live_windows;
  uint64_t pin;
  uint32_t pool; /* BERTH_NO_INDEX: any */
};

struct graph_operator {
  uint32_t n_inputs;
  uint32_t inputs[GRAPH_MAX_OPERANDS];
  uint32_t n_outputs;
  uint32_t outputs[GRAPH_MAX_OPERANDS];
  uint64_t workspace;
  uint32_t n_inplace;
  struct berth_inplace inplace[2];
  uint32_t stream;
  uint32_t n_waits;
  uint32_t waits[GRAPH_MAX_OPERATORS];
};

struct graph_region {
  enum berth_region_kind kind;
  uint32_t parent; /* BERTH_NO_INDEX: none */
  uint32_t first;
  uint32_t n;
  uint32_t min_trips;
  uint32_t carried; /* BERTH_NO_INDEX: nothing */
};

struct graph {
  uint32_t n_values;
  struct graph_value values[GRAPH_MAX_VALUES];
  uint32_t n_operators;
  struct graph_operator operators[GRAPH_MAX_OPERATORS];
  uint32_t n_regions;
  struct graph_region regions[GRAPH_MAX_REGIONS];
  uint32_t n_pools; /* 0: the problem's own */
  bool forbid_inplace;
};

enum graph_features {
  GRAPH_VIEWS = 1 << 0,
  GRAPH_IN_PLACE = 1 << 1,
  GRAPH_PINS = 1 << 2, /* may contradict each other: then the builder refuses */
  GRAPH_POOLS = 1 << 3,
  GRAPH_KINDS = 1 << 5,   /* live windows, and with GRAPH_IN_PLACE operands inside and results behind */
  GRAPH_STREAMS = 1 << 4, /* operators wait for whoever touched what they write, or wrote what they read */
  GRAPH_REGIONS = 1 << 6, /* loops, choices with branches, and calls, beside and in each other */
  GRAPH_EVERYTHING = GRAPH_VIEWS | GRAPH_IN_PLACE | GRAPH_POOLS | GRAPH_KINDS | GRAPH_STREAMS | GRAPH_REGIONS
};

enum berth_code graph_add_operator(
    struct berth_problem_builder *builder, const struct graph_operator *operator_, struct berth_error *err);

/* A valid one, of about n_operators. What graph_live, graph_ran and graph_flatten say is of graphs without
 * regions. */
void graph_generate(struct graph *graph, struct berth_rng *rng, uint32_t n_operators, uint32_t features);
uint32_t graph_root(const struct graph *graph, uint32_t v);
/* Where v begins in its root. */
uint64_t graph_offset(const struct graph *graph, uint32_t v);
struct berth_problem *graph_build(const struct graph *graph);
enum berth_code graph_try_build(
    const struct graph *graph, const struct berth_allocator *allocator, struct berth_problem **out_problem,
    struct berth_error *err) BERTH_MUST_USE;

/* The set of operators that have run for sure when `op` begins: by streams and waits, closed step by step. */
uint32_t graph_ran(const struct graph *graph, uint32_t op);

/* Whether root `v`, for itself or a view of it, must keep its bytes at `step`, from the definition: some
 * operator up to here, or the outside, gave it to us, and some operator from here on, or the outside, still
 * touches it. */
bool graph_live(const struct graph *graph, uint32_t v, uint32_t step);

/* The same problem as buffers, in the same order, with lifetimes by graph_live; of a graph without features.
 */
void graph_flatten(const struct graph *graph, struct sample *sample);

#endif
