/* The problem inside: columns that the builder filled and the problem took over. */
#ifndef PROBLEM_PROBLEM_H
#define PROBLEM_PROBLEM_H

#include <stdatomic.h>

#include "base/vec.h"
#include "berth/canonical.h"
#include "berth/plan.h"
#include "berth/problem.h"
#include "berth/together.h"

/* berth_problem_canonical_order for a solve: BERTH_CANCELLED if the hook of `effort` says stop. */
struct berth_effort;
enum berth_code berth_problem_order_until(
    const struct berth_problem *problem, const struct berth_allocator *allocator, struct berth_effort *effort,
    uint32_t *out_order, struct berth_error *err) BERTH_MUST_USE;

/* berth_plan_create for a solve. If the hook of `effort` (or NULL) says stop, columns are left as they are.
 */
struct berth_plan *berth_plan_create_until(
    const struct berth_allocator *allocator, uint32_t n_buffers, uint32_t n_pools,
    struct berth_effort *effort);

/* Ids of one kind of item: text of item i is blob[end[i - 1] .. end[i]). `end` is shorter than the number of
 * items when the last ones have no id, and empty when none has. */
struct berth_names {
  BERTH_VEC(char) blob;
  BERTH_VEC(uint32_t) end;
};

/* Rows in columns. `pin` is empty until one row is pinned, `gap_begin` and `pool_begin` (one entry more than
 * rows) until one row has any. */
struct berth_rows {
  BERTH_VEC(uint64_t) size;
  BERTH_VEC(uint64_t) alignment;
  BERTH_VEC(int64_t) lower;
  BERTH_VEC(int64_t) upper;
  BERTH_VEC(uint8_t) class_;
  BERTH_VEC(uint64_t) pin;
  BERTH_VEC(uint32_t) gap_begin;
  BERTH_VEC(struct berth_gap) gaps;
  BERTH_VEC(uint32_t) pool_begin;
  BERTH_VEC(uint32_t) pools;
  BERTH_VEC(uint32_t) choice_begin; /* these two are made when the rows are complete, where they are needed */
  BERTH_VEC(uint32_t) choices;
  BERTH_VEC(uint32_t) accesses; /* empty until one row has other than 1 */
};

typedef uint32_t berth_pair[2];

/* What belongs to the graph form alone. */
struct berth_graph_columns {
  BERTH_VEC(uint64_t)
  value_size; /* these three only where externals and views keep buffers and values apart: */
  BERTH_VEC(uint64_t) value_alignment; /* else the first buffers are the values */
  BERTH_VEC(uint8_t) value_class;
  BERTH_VEC(uint64_t) value_pin; /* these three, as in the rows, only where there are permissions */
  BERTH_VEC(uint32_t) value_pool_begin;
  BERTH_VEC(uint32_t) value_pools;
  BERTH_VEC(uint32_t) value_accesses; /* empty if all are 1 */
  BERTH_VEC(uint8_t) value_flags;
  BERTH_VEC(uint32_t) value_buffer;
  BERTH_VEC(uint64_t) value_offset; /* empty if all are 0 */
  BERTH_VEC(struct berth_permission) permissions;
  BERTH_VEC(uint32_t) view_of; /* as given, then of the root; these two are empty until there is a view */
  BERTH_VEC(uint64_t) view_offset;
  BERTH_VEC(uint32_t) buffer_item; /* value of each buffer, then operator of each workspace */
  BERTH_VEC(uint32_t) input_begin;
  BERTH_VEC(uint32_t) inputs;
  BERTH_VEC(uint32_t) output_begin;
  BERTH_VEC(uint32_t) outputs;
  BERTH_VEC(uint32_t) workspace;
  BERTH_VEC(uint32_t) stream; /* these three are kept if there is more than one stream */
  BERTH_VEC(uint32_t) wait_begin;
  BERTH_VEC(uint32_t) waits;
  BERTH_VEC(struct berth_sync) syncs;
  BERTH_VEC(struct berth_region_spec)
  regions; /* `carries` points into `carries` once the graph is complete */
  BERTH_VEC(uint32_t) carries;
};

/* What symbols.h speaks of. */
struct berth_symbol_columns {
  struct berth_names names;
  BERTH_VEC(struct berth_symbol) symbols; /* names are pointed into their blob by the view */
  BERTH_VEC(struct berth_binding) ranges;
  BERTH_VEC(struct berth_expression) expressions;
  BERTH_VEC(uint32_t) dimensions;
  BERTH_VEC(struct berth_sized) sized[BERTH_N_SIZED_FIELDS];
  BERTH_VEC(struct berth_dynamic_item) dynamic; /* `pools` is pointed into the next by the view */
  BERTH_VEC(uint32_t) dynamic_pools;
  enum berth_sizes sizes;
  bool is_strict;
};

/* Groups as they were given, and what they come to (berth_rigid). */
struct berth_group_columns {
  BERTH_VEC(struct berth_group_spec) specs; /* `members` points into `items` once the problem is complete */
  BERTH_VEC(uint32_t) items;
  BERTH_VEC(uint32_t) group;
  BERTH_VEC(uint64_t) distance;
  BERTH_VEC(uint32_t) storage;
  BERTH_VEC(uint32_t) begin;
  BERTH_VEC(uint32_t) members;
  BERTH_VEC(uint64_t) alignment;
  BERTH_VEC(uint64_t) span;
  bool
      has_stated_pools; /* the lists of pools in the rows are those of the groups: as stated, they are here */
  BERTH_VEC(uint32_t) stated_pool_begin;
  BERTH_VEC(uint32_t) stated_pools;
};

/* What berth_parts (together.h) speaks of. */
struct berth_u32s {
  union {
    uint32_t *items;
    void *raw;
  };
  size_t n;
  size_t capacity;
};
struct berth_composed_columns {
  BERTH_VEC(struct berth_named_problem) items; /* names are pointed into `names` by the view */
  struct berth_names names;
  struct berth_u32s buffer_begin;
  struct berth_u32s buffer;
  struct berth_u32s part_of;
  struct berth_u32s set_end;
  struct berth_u32s set_parts;
  BERTH_VEC(uint8_t) at_once;
  BERTH_VEC(int64_t) step_of;
  struct berth_u32s cluster; /* of each part: parts of different clusters may all run at once */
  uint32_t n_clusters;
  uint32_t n_shared;
};

struct berth_problem {
  atomic_uint n_refs;
  struct berth_allocator allocator;
  struct berth_rows rows;
  struct berth_names names; /* of buffers, or of values */
  struct berth_names operator_names;
  BERTH_VEC(berth_pair) conflicts;
  uint32_t n_clocks; /* as in berth_buffers; the columns are empty where it is 0 */
  BERTH_VEC(uint32_t) clock_lower;
  BERTH_VEC(uint32_t) clock_upper;
  BERTH_VEC(uint32_t) slice_begin; /* these four as in berth_buffers; empty if every buffer is whole */
  BERTH_VEC(struct berth_slice) slices;
  BERTH_VEC(uint32_t) slice_clock_lower;
  BERTH_VEC(uint32_t) slice_clock_upper;
  BERTH_VEC(struct berth_pool_spec) pools;
  struct berth_names pool_names;
  BERTH_VEC(uint32_t)
  spills; /* of all pools, one after the other; `spill_to` points here once they are complete */
  struct berth_graph_columns columns;
  struct berth_symbol_columns symbols;
  struct berth_group_columns groups;
  struct berth_composed_columns composed;
  uint32_t n_value_buffers; /* the buffers after these are workspaces */
  /* The public views of the above. */
  bool is_graph;
  struct berth_buffers buffers_view;
  struct berth_pools pools_view;
  struct berth_graph graph_view;
  struct berth_permissions permissions_view;
  struct berth_symbols symbols_view;
  struct berth_groups groups_view;
  struct berth_composed composed_view;
};

/* Frees what the problem holds, not the problem. */
void berth_problem_finish(struct berth_problem *problem);
/* The graph's view alone, once its columns are complete. */
void berth_problem_view_graph(struct berth_problem *problem);
void berth_problem_finish_symbols(struct berth_problem *problem);
void berth_problem_view_symbols(struct berth_problem *problem);
void berth_problem_finish_parts(struct berth_problem *problem);
void berth_problem_view_parts(struct berth_problem *problem);
/* Fills the views; pool names are pointed into their blob. */
void berth_problem_make_views(struct berth_problem *problem);

/* How the buffers of a composition fall apart: by parts, or by clusters of parts that are ordered, directly
 * or by way of others. */
enum berth_unit { BERTH_UNIT_CLUSTER, BERTH_UNIT_PART };

/* Parts that may run at once: all of different clusters, and with `inside` some of one. Without it there is
 * one cluster. False for what is no composition. */
bool berth_problem_any_at_once(const struct berth_problem *problem, bool *out_inside);
/* Of each buffer its unit from 1, as they appear in canonical order; 0 for what lives through all parts. Of
 * each unit a part. False if memory ran out. */
bool berth_problem_number_units(
    const struct berth_problem *problem, enum berth_unit unit, const uint32_t *order,
    const struct berth_allocator *allocator, uint32_t *out_numbers, uint32_t out_part[BERTH_MAX_PARTS],
    uint32_t *out_n);

struct berth_text berth_names_get(const struct berth_names *names, uint32_t item);

#endif
