/* Groups on their way to distances: what the files of it share. */
#ifndef PROBLEM_GROUPS_SETTLE_H
#define PROBLEM_GROUPS_SETTLE_H

#include "problem/builder.h"

struct berth_settle {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  struct berth_rows *rows;
  struct berth_group_columns *groups;
  struct berth_arena arena;
  uint32_t n;         /* buffers */
  uint32_t *parent;   /* of each buffer in its tree */
  int64_t *shift;     /* of each buffer from its parent */
  uint32_t *n_below;  /* of each root: members of its tree */
  bool *in_a_row;     /* of each root: it has a contiguous group */
  uint32_t *storage;  /* of each buffer: another of the same storage with a lesser index, or itself */
  uint64_t *key;      /* scratch */
  uint64_t sum_bytes; /* of all groups as stated: what distances stay below */
};

static inline struct berth_item berth_settle_item(size_t group) {
  return (struct berth_item){.kind = "group", .index = (uint32_t)group};
}

struct berth_settle_label {
  char text[BERTH_LABEL_SIZE];
};

static inline struct berth_settle_label
berth_settle_label_of(const struct berth_settle *settle, uint32_t buffer) {
  struct berth_settle_label label;
  berth_builder_label(berth_builder_item(settle->builder, buffer), label.text, sizeof label.text);
  return label;
}

/* Once they are listed. */
static inline uint32_t berth_settle_n_groups(const struct berth_settle *settle) {
  return (uint32_t)settle->groups->begin.n - 1;
}

/* ---- groups_settle.c ---- */

/* BERTH_NO_INDEX: it takes no part. */
uint32_t berth_settle_buffer(const struct berth_settle *settle, uint32_t item);
/* The root of the buffer's tree, and the buffer's distance from it. */
uint32_t berth_settle_find(struct berth_settle *settle, uint32_t buffer, int64_t *out_distance);
/* `b` lies at `distance` from `a`; false if another distance is known, which is then *out_known. */
bool berth_settle_join(
    struct berth_settle *settle, uint32_t a, uint32_t b, int64_t distance, int64_t *out_known);
/* The least buffer of the same storage. */
uint32_t berth_settle_storage(struct berth_settle *settle, uint32_t buffer);
/* Members of trees of more than one, tree by tree, in the order of the first of each; within one by `key`,
 * then by storage, then by index. The group of each is `groups->group`. */
enum berth_code berth_settle_list_members(struct berth_settle *settle) BERTH_MUST_USE;

/* ---- groups_pools.c ---- */

/* One list of pools for each group, in which it may lie as a whole. */
enum berth_code berth_settle_pools(struct berth_settle *settle) BERTH_MUST_USE;

/* ---- groups_places.c ---- */

/* Joins the members at their distances. */
enum berth_code berth_settle_distances(struct berth_settle *settle) BERTH_MUST_USE;
/* Of each group the members' distances from its lowest one, one alignment of its base, and one pin. */
enum berth_code berth_settle_places(struct berth_settle *settle) BERTH_MUST_USE;

#endif
