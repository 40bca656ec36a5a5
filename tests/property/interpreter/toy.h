/* A small graph with anything in it, and what comes of it when it is run on a toy memory by a plan.
 *
 * The parts: make.c makes graphs, terms.c what is said of them beside operators (pools, groups, symbols), and
 * whether places keep to it; run.c runs one in a given order, orders.c tries every order. */
#ifndef INTERPRETER_TOY_H
#define INTERPRETER_TOY_H

#include "base/rng.h"
#include "berth/problem.h"

enum {
  TOY_MAX_VALUES = 10,
  TOY_MAX_OPERATORS = 8,
  TOY_MAX_BUFFERS = TOY_MAX_VALUES + TOY_MAX_OPERATORS,
  TOY_MAX_LIST = 3,
  TOY_MAX_SIZE = 8,
  TOY_STATE_SIZE = 4,
  TOY_MAX_POOLS = 2,
  TOY_MAX_MEMBERS = 3,
  TOY_MAX_GROUPS = 2,
  TOY_MAX_N = 4 /* the symbol's upper bound */
};

/* What toys may have; all but operators, values, views, permissions, streams and regions, which every one
 * may. */
enum toy_terms { TOY_POOLS = 1, TOY_GROUPS = 2, TOY_SYMBOLS = 4 };

/* A size that the symbol n decides: base + n, or base - n. */
enum toy_sizing { TOY_PLAIN, TOY_RISING, TOY_FALLING };

struct toy_value {
  struct berth_value_spec spec; /* size_bytes: with the symbol as large as it can be for this value, */
  enum toy_sizing sizing;
  uint64_t base;
  uint32_t pool; /* BERTH_NO_INDEX: any */
  uint32_t root;
  uint64_t offset;  /* in the root */
  uint32_t storage; /* a root: itself, or the first that is one storage with it by a group */
};

struct toy_group {
  enum berth_group_kind kind;
  uint32_t n_members;
  uint32_t members[TOY_MAX_MEMBERS];
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
  bool has_state;   /* asked for: value 0 is the state "s", of TOY_STATE_SIZE bytes */
  uint32_t terms;   /* asked for */
  uint32_t n_pools; /* 0: the problem's own */
  struct berth_pool_spec pools[TOY_MAX_POOLS];
  uint32_t n_groups;
  struct toy_group groups[TOY_MAX_GROUPS];
  bool has_symbol; /* some size rises or falls with it */
  uint64_t most_n; /* its upper bound */
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

/* Pools, groups and sizes, for values and operators that are there. */
void toy_make_pools(struct toy *toy, struct berth_rng *rng);
void toy_make_groups(struct toy *toy, struct berth_rng *rng);
void toy_make_sizes(struct toy *toy, struct berth_rng *rng);
enum berth_code
toy_state_pools(const struct toy *toy, struct berth_problem_builder *builder, struct berth_error *err);
enum berth_code
toy_state_symbols(const struct toy *toy, struct berth_problem_builder *builder, struct berth_error *err);
enum berth_code
toy_state_groups(const struct toy *toy, struct berth_problem_builder *builder, struct berth_error *err);
/* What roots are one storage, from the groups. */
void toy_find_storages(struct toy *toy);
/* The same toy where the symbol is n. */
void toy_bind(const struct toy *toy, uint64_t n, struct toy *out);

/* Where buffers are. */
struct toy_places {
  const uint32_t *pool; /* NULL: all in the first */
  const uint64_t *offset;
};

/* Whether every value lies where its pools, its alignment and its groups allow, at an address that the pool's
 * base alone makes sure of. */
bool toy_lies_right(const struct toy *toy, const struct berth_problem *problem, struct toy_places places);

/* Whether the operators find what they would find alone when they run in this order, again and again. */
bool toy_runs_in(
    const struct toy *toy, const struct berth_problem *problem, struct toy_places places,
    const uint32_t *order, uint32_t n_order);

/* The same for loops of none to three trips, every choice of branches, every order (up to a number), and
 * every number that the symbol can be; and whether all lies right. */
enum toy_outcome {
  TOY_RIGHT,
  TOY_WRONG,
  TOY_WRONG_IN_ANOTHER_ORDER,
  TOY_WRONG_AT_ANOTHER_SIZE,
  TOY_LIES_WRONG
};
enum toy_outcome
toy_run(const struct toy *toy, const struct berth_problem *problem, struct toy_places places);

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
