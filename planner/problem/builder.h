/* The builder inside. It fills a problem in place; finish hands that over. */
#ifndef PROBLEM_BUILDER_H
#define PROBLEM_BUILDER_H

#include "base/arena.h"
#include "problem/problem.h"
#include "symbols/extent.h"

enum berth_builder_form { BERTH_FORM_OPEN = 0, BERTH_FORM_BUFFERS, BERTH_FORM_GRAPH };

/* Bindings that were asked for, and what symbols and expressions can be: by the bindings, and within the
 * bounds alone, which is what decides where results may lie in place. */
struct berth_builder_symbols {
  struct berth_names binding_names;
  BERTH_VEC(struct berth_binding) bindings; /* names are in binding_names */
  BERTH_VEC(uint8_t) is_used;               /* of each binding */
  BERTH_VEC(struct berth_extent) symbol_bound;
  BERTH_VEC(struct berth_extent) symbol_stated;
  BERTH_VEC(struct berth_extent) bound;
  BERTH_VEC(struct berth_extent) stated;
  BERTH_VEC(uint32_t) endless;  /* of each expression: the first symbol that leaves it without a largest */
  BERTH_VEC(uint8_t) is_moving; /* of values: views whose place in their root a symbol moves */
  bool is_ranged;               /* some symbol is a range: sizes are the largest or the smallest */
};

struct berth_problem_builder {
  struct berth_allocator allocator;
  struct berth_error error; /* the first; BERTH_OK while there is none */
  enum berth_builder_form form;
  struct berth_problem *problem; /* NULL once it was handed over */
  uint64_t padded_bytes;         /* sum of sizes, each rounded up to the largest alignment that may bind it */
  uint64_t pin_end;              /* the highest end of a pinned buffer */
  uint64_t pool_alignment;       /* the largest of all pools */
  uint32_t n_external;           /* values that are not placed: external, or dynamic */
  uint32_t n_views;
  uint32_t n_live_windows; /* values that ask for them */
  uint32_t n_streams;      /* 1 + the highest stream so far */
  bool no_inplace;
  bool ids_may_repeat; /* of buffers */
  bool pools_closed;
  bool has_choices;                /* a pool spills, or is for constants and state alone */
  uint32_t choice_stamp;           /* of choice_mark */
  BERTH_VEC(uint32_t) choice_mark; /* of each pool: the last list that it was put in */
  BERTH_VEC(uint32_t) choice_list;
  BERTH_VEC(uint32_t)
  group_mark;                    /* of each row that groups were asked of: the last group + 1 that names it */
  BERTH_VEC(uint32_t) pool_mark; /* the last row + 1 that listed each pool */
  BERTH_VEC(uint32_t) region_depth;
  BERTH_VEC(uint32_t) last_child_end; /* of each region: where its last child so far ends */
  uint32_t last_root_end;             /* the same of those without a parent */
  struct berth_builder_symbols symbols;
  BERTH_VEC(uint64_t) workspace_size; /* of operators; BERTH_DYNAMIC_SIZE where it has no largest */
  BERTH_VEC(uint64_t) workspace_alignment;
};

/* Every public step enters (false when the builder has failed, is empty, or is of the other form) and
 * reports. */
bool berth_builder_enter(struct berth_problem_builder *builder, enum berth_builder_form form);
enum berth_code berth_builder_report(const struct berth_problem_builder *builder, struct berth_error *err);

/* What an error is about. */
struct berth_item {
  const char *kind; /* "buffer" */
  uint32_t index;
  struct berth_text id;
};

/* Writes the builder's error: `kind index ("id"): message`. `field` is the item's field. */
enum berth_code berth_builder_blame(
    struct berth_problem_builder *builder, struct berth_item item, enum berth_reason reason,
    const char *field, const char *format, ...) BERTH_PRINTF(5, 6);
enum berth_code berth_builder_limit(
    struct berth_problem_builder *builder, struct berth_item item, const char *field, const char *format, ...)
    BERTH_PRINTF(4, 5);

/* `kind index ("id")`, the id cut and clean. */
#define BERTH_LABEL_SIZE 128
void berth_builder_label(struct berth_item item, char *to, size_t capacity);
/* The buffer as an item of the caller's: a buffer, a value, or the operator of a workspace. */
struct berth_item berth_builder_item(const struct berth_problem_builder *builder, uint32_t buffer);

/* What a pin asks of a pool; offset + size must not overflow. */
struct berth_pin {
  uint64_t offset;
  uint64_t size;
  uint64_t alignment;
};
bool berth_builder_pin_suits(const struct berth_pool_spec *pool, const struct berth_pin *pin);

/* Makes the default pool if there is none, and checks what pools say of each other; called before the first
 * row. */
enum berth_code berth_builder_close_pools(struct berth_problem_builder *builder);

/* Constants and state. */
static inline bool berth_class_persists(uint8_t class_) {
  return class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE;
}
/* The pools that a row of this class may live in, as choice_list; there is room for every pool, twice. */
void berth_builder_list_choices(
    struct berth_problem_builder *builder, const uint32_t *named, uint32_t n_named, uint8_t class_);
/* Blames a row that names a pool which takes constants and state alone, and is neither, or finds no other. */
enum berth_code berth_builder_check_class(
    struct berth_problem_builder *builder, struct berth_item item, const char *field, const uint32_t *named,
    uint32_t n_named, uint8_t class_);
/* For the complete rows: where each may live, and that one of these pools promises the base that it asks for.
 */
enum berth_code berth_builder_make_choices(struct berth_problem_builder *builder);
/* What pools say to a result of row `result` in the place of row `storage`: USED, POOLS or MISALIGNED. */
enum berth_inplace_answer
berth_builder_may_join(struct berth_problem_builder *builder, uint32_t storage, uint32_t result);

/* Validates and appends one row: a buffer, or a value in a buffer's clothes (`item` says which). An external
 * row takes no room. */
enum berth_code berth_builder_add_row(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec,
    bool external);
/* Keeps the buffer's clocks, if it has any; *out_row is the buffer with the lifetime that they make. */
enum berth_code berth_builder_add_clocks(
    struct berth_problem_builder *builder, struct berth_item item, const struct berth_buffer_spec *spec,
    struct berth_buffer_spec *out_row);
/* Keeps an id; blames the item where it is no text or there is no room. */
enum berth_code berth_builder_add_name(
    struct berth_problem_builder *builder, struct berth_names *names, struct berth_item item,
    struct berth_text id);
/* The part of it that a workspace needs too: alignment, and the sum of sizes. */
enum berth_code berth_builder_add_size(
    struct berth_problem_builder *builder, struct berth_item item, const char *field, uint64_t size,
    uint64_t alignment, uint64_t pool_alignment);
enum berth_code berth_builder_check_alignment(
    struct berth_problem_builder *builder, struct berth_item item, const char *field, uint64_t alignment);

/* A size that is not known yet, or not at all. */
#define BERTH_DYNAMIC_SIZE UINT64_MAX
/* Keeps the item's shape, if it has one, and makes a number of it; `size` if it has none. A size without a
 * largest is BERTH_DYNAMIC_SIZE, or blamed if `must_end`. */
enum berth_code berth_builder_resolve_size(
    struct berth_problem_builder *builder, struct berth_item item, enum berth_sized_field field,
    const struct berth_shape *shape, uint64_t size, bool must_end, uint64_t *out_size);
bool berth_builder_is_sized(
    const struct berth_problem_builder *builder, enum berth_sized_field field, uint32_t item);
enum berth_code berth_builder_check_symbols(struct berth_problem_builder *builder);
/* Answers of permissions that sizes decide, at whatever binding: BERTH_INPLACE_USED where they do not mind;
 * and the largest that each one's operand can be, UINT64_MAX if there is none. NULL if no size is an
 * expression. */
enum berth_code berth_builder_judge_sizes(
    struct berth_problem_builder *builder, struct berth_arena *arena, const uint8_t **out_answers,
    const uint64_t **out_most);
/* A result in place is no larger than its operand, even where the largest that is known of it is: what was
 * settled goes into the values' own column. */
void berth_builder_keep_caps(struct berth_problem_builder *builder);
/* Lists what is left to the dynamic arena. */
enum berth_code berth_builder_list_dynamic(struct berth_problem_builder *builder);
void berth_builder_finish_symbols(struct berth_problem_builder *builder);
/* Marks the values that are members of groups, one entry a value; empty without groups. */
bool berth_builder_mark_grouped(
    const struct berth_problem_builder *builder, struct berth_arena *arena, bool **out_grouped);
/* From groups to distances: the rows are buffers by now. */
enum berth_code berth_builder_settle_groups(struct berth_problem_builder *builder);
/* The end of it: members that meet. */
enum berth_code berth_builder_check_groups(struct berth_problem_builder *builder);

/* The parts of finish. */
enum berth_code berth_builder_check_ids(struct berth_problem_builder *builder);
enum berth_code berth_builder_sort_conflicts(struct berth_problem_builder *builder);
enum berth_code berth_builder_check_pins(struct berth_problem_builder *builder);
/* The row's alignment becomes at least this; the sum of sizes follows. */
enum berth_code berth_builder_raise_alignment(
    struct berth_problem_builder *builder, struct berth_item item, uint32_t row, uint64_t alignment);

/* The rows of values become buffers: views and results in place go into the rows of others, which `storage`
 * and `offset` (NULL if there are no permissions) say of every root; externals go. */
struct berth_inplace_result;
struct berth_windows;
enum berth_code berth_builder_rows_to_buffers(
    struct berth_problem_builder *builder, const struct berth_inplace_result *placed,
    const struct berth_windows *windows);
/* The part of it that gives rows the lifetimes, sizes and gaps of all that lies in them. */
enum berth_code berth_builder_join_storage(
    struct berth_problem_builder *builder, const struct berth_inplace_result *placed,
    const struct berth_windows *windows);
enum berth_code berth_builder_keep_values(struct berth_problem_builder *builder);
enum berth_code berth_builder_add_workspaces(struct berth_problem_builder *builder);

/* What liveness said of values: which are given and kept, and of roots with their views the lifetimes. */
struct berth_builder_lives {
  uint8_t *family; /* set of enum berth_liveness_family */
  int64_t *lower;  /* these two with several streams only */
  int64_t *upper;
};

/* The clocks of buffers and of their slices, by who touches them on which stream. */
enum berth_code berth_builder_make_clocks(
    struct berth_problem_builder *builder, const struct berth_graph *graph,
    const struct berth_builder_lives *lives);

/* Added waits in order, each once. */
enum berth_code berth_builder_sort_syncs(struct berth_problem_builder *builder);
/* Points regions at what they carry. */
void berth_builder_finish_regions(struct berth_problem_builder *builder);

/* Resolves every view to its root and the offset in it, and gives roots the alignment that their views need.
 */
enum berth_code berth_builder_resolve_views(struct berth_problem_builder *builder);
enum berth_code berth_builder_finish_graph(struct berth_problem_builder *builder);

#endif
