/* A small graph with anything in it, and what comes of it when it is run on a toy memory by a plan.
 *
 * The parts: make.c makes graphs, run.c runs one in a given order, orders.c tries every order. */
#ifndef INTERPRETER_TOY_H
#define INTERPRETER_TOY_H

#include "base/rng.h"
#include "berth/problem.h"

enum { TOY_MAX_VALUES = 10, TOY_MAX_OPERATORS = 8, TOY_MAX_LIST = 3, TOY_MAX_SIZE = 8, TOY_STATE_SIZE = 4 };

struct toy_value {
  struct berth_value_spec spec;
  uint32_t root;
  uint64_t offset; /* in the root */
};

struct toy_op {
  uint32_t n_inputs;
  uint32_t inputs[TOY_MAX_LIST];
  uint32_t n_outputs;
  uint32_t outputs[TOY_MAX_LIST];
  uint64_t workspace;
  uint32_t n_inplace;
  struct berth_inplace inplace[2];
  uint32_t stream;
  uint32_t n_waits;
  uint32_t waits[TOY_MAX_OPERATORS];
};

struct toy {
  bool has_state; /* asked for: value 0 is the state "s", of TOY_STATE_SIZE bytes */
  uint32_t n_regions;
  struct berth_region_spec regions[4];
  uint32_t carried;
  uint32_t n_values;
  struct toy_value values[TOY_MAX_VALUES];
  uint32_t n_ops;
  struct toy_op ops[TOY_MAX_OPERATORS];
};

/* A random one; NULL if it is no valid toy. */
struct berth_problem *toy_make(struct toy *toy, struct berth_rng *rng);
/* NULL, and why, if it is none. */
struct berth_problem *toy_build(const struct toy *toy, struct berth_error *err);

/* Whether the operators find what they would find alone when they run in this order, again and again. */
bool toy_runs_in(
    const struct toy *toy, const struct berth_problem *problem, const uint64_t *offset, const uint32_t *order,
    uint32_t n_order);

/* The same for loops of none to three trips, every choice of branches, and every order (up to a number). */
enum toy_outcome { TOY_RIGHT, TOY_WRONG, TOY_WRONG_IN_ANOTHER_ORDER };
enum toy_outcome toy_run(const struct toy *toy, const struct berth_problem *problem, const uint64_t *offset);

/* Two toys in one memory, each run again and again in the order of its list: one after the other, or, at
 * once, a step of the one and a step of the other as it comes. What they share is value 0 of both. */
struct toy_pair {
  const struct toy *toy[2];
  const struct berth_problem *part[2];
  const uint64_t *offset[2]; /* of each one's buffers */
  bool at_once;
  bool shares;
};
bool toy_runs_together(const struct toy_pair *pair, struct berth_rng *rng);

#endif
