/* Where a row may live: the pools that it names, and those that they spill to. */
#include <string.h>

#include "problem/builder.h"

static void put(struct berth_problem_builder *builder, uint32_t pool, bool persists) {
  const struct berth_pool_spec *spec = &builder->problem->pools.items[pool];
  bool closed = spec->persistence == BERTH_PERSISTENCE_ONLY && !persists;
  if (!closed && builder->choice_mark.items[pool] != builder->choice_stamp) {
    builder->choice_mark.items[pool] = builder->choice_stamp;
    builder->choice_list.items[builder->choice_list.n++] = pool;
  }
}

/* First the pools for constants and state alone, which take nobody else. */
static void put_every(struct berth_problem_builder *builder, bool persists) {
  uint32_t n = (uint32_t)builder->problem->pools.n;
  for (uint32_t pool = 0; persists && pool < n; pool++) {
    if (builder->problem->pools.items[pool].persistence == BERTH_PERSISTENCE_ONLY) {
      put(builder, pool, persists);
    }
  }
  for (uint32_t pool = 0; pool < n; pool++) {
    put(builder, pool, persists);
  }
}

void berth_builder_list_choices(
    struct berth_problem_builder *builder, const uint32_t *named, uint32_t n_named, uint8_t class_) {
  bool persists = berth_class_persists(class_);
  builder->choice_stamp++;
  builder->choice_list.n = 0;
  if (n_named == 0) {
    put_every(builder, persists);
    return;
  }
  for (uint32_t i = 0; i < n_named; i++) {
    put(builder, named[i], persists);
  }
  for (size_t k = 0; k < builder->choice_list.n; k++) {
    const struct berth_pool_spec *spec = &builder->problem->pools.items[builder->choice_list.items[k]];
    for (uint32_t i = 0; i < spec->n_spill_to; i++) {
      put(builder, spec->spill_to[i], persists);
    }
  }
}

enum berth_code berth_builder_check_class(
    struct berth_problem_builder *builder, struct berth_item item, const char *field, const uint32_t *named,
    uint32_t n_named, uint8_t class_) {
  if (!builder->has_choices || berth_class_persists(class_)) {
    return BERTH_OK;
  }
  for (uint32_t i = 0; i < n_named; i++) {
    if (builder->problem->pools.items[named[i]].persistence == BERTH_PERSISTENCE_ONLY) {
      return berth_builder_blame(
          builder, item, BERTH_REASON_BAD_POOL, field, "pool %u is for constants and state alone", named[i]);
    }
  }
  berth_builder_list_choices(builder, named, n_named, class_);
  return builder->choice_list.n != 0 ? BERTH_OK
                                     : berth_builder_blame(
                                           builder, item, BERTH_REASON_BAD_POOL, field,
                                           "every pool is for constants and state alone");
}

/* ---- Complete rows ---- */

struct named {
  const uint32_t *items;
  uint32_t n;
};

static struct named named_by(const struct berth_rows *rows, uint32_t row) {
  if (rows->pool_begin.n == 0) {
    return (struct named){.n = 0};
  }
  const uint32_t *begin = rows->pool_begin.items + row;
  return (struct named){.items = rows->pools.items + begin[0], .n = begin[1] - begin[0]};
}

static bool same_names(struct named a, struct named b) {
  return a.n == b.n && (a.n == 0 || memcmp(a.items, b.items, a.n * sizeof *a.items) == 0);
}

static bool promises(const struct berth_pool_spec *pool, uint64_t alignment) {
  return pool->base_alignment == 0 || pool->base_alignment >= alignment;
}

/* What a group settled is complete already. */
static bool is_grouped(const struct berth_problem_builder *builder, uint32_t row) {
  const struct berth_group_columns *groups = &builder->problem->groups;
  return groups->group.n != 0 && groups->group.items[row] != BERTH_NO_INDEX;
}

static void list_as_named(struct berth_problem_builder *builder, struct named named) {
  memcpy(builder->choice_list.items, named.items, named.n * sizeof *named.items);
  builder->choice_list.n = named.n;
}

static enum berth_code list_row(struct berth_problem_builder *builder, uint32_t row) {
  struct berth_rows *rows = &builder->problem->rows;
  uint32_t *begin = rows->choice_begin.items;
  struct named named = named_by(rows, row);
  bool as_before =
      row != 0 && !is_grouped(builder, row) && !is_grouped(builder, row - 1) &&
      same_names(named, named_by(rows, row - 1)) &&
      berth_class_persists(rows->class_.items[row]) == berth_class_persists(rows->class_.items[row - 1]);
  if (is_grouped(builder, row)) {
    list_as_named(builder, named);
  } else if (!as_before) {
    berth_builder_list_choices(builder, named.items, named.n, rows->class_.items[row]);
  }
  size_t n = builder->choice_list.n;
  if (n > UINT32_MAX - rows->choices.n) {
    return berth_builder_limit(
        builder, berth_builder_item(builder, row), "pools",
        "all lists of pools together pass 2^32 - 1 entries");
  }
  if (!berth_vec_reserve(&builder->allocator, &rows->choices, rows->choices.n + n)) {
    return berth_fail_memory(&builder->error);
  }
  memcpy(rows->choices.items + rows->choices.n, builder->choice_list.items, n * sizeof(uint32_t));
  rows->choices.n += n;
  begin[row + 1] = (uint32_t)rows->choices.n;
  return BERTH_OK;
}

static enum berth_code check_base(struct berth_problem_builder *builder, uint32_t row) {
  const struct berth_rows *rows = &builder->problem->rows;
  struct named named = named_by(rows, row);
  if (rows->choice_begin.n != 0) {
    const uint32_t *begin = rows->choice_begin.items + row;
    named = (struct named){.items = rows->choices.items + begin[0], .n = begin[1] - begin[0]};
  }
  bool every = named.n == 0;
  uint32_t n = every ? (uint32_t)builder->problem->pools.n : named.n;
  uint64_t alignment = rows->alignment.items[row];
  uint64_t most = 0;
  for (uint32_t i = 0; i < n; i++) {
    const struct berth_pool_spec *pool = &builder->problem->pools.items[every ? i : named.items[i]];
    if (promises(pool, alignment)) {
      return BERTH_OK;
    }
    most = pool->base_alignment > most ? pool->base_alignment : most;
  }
  struct berth_item item = berth_builder_item(builder, row);
  bool workspace = strcmp(item.kind, "operator") == 0;
  return berth_builder_blame(
      builder, item, BERTH_REASON_BAD_ALIGNMENT, workspace ? "workspace_alignment" : "alignment",
      "alignment %llu cannot be promised: the base address of every pool it may live in is aligned to %llu "
      "at most",
      (unsigned long long)alignment, (unsigned long long)most);
}

/* A column that says nothing is none. */
static void drop_accesses(struct berth_problem_builder *builder) {
  struct berth_rows *rows = &builder->problem->rows;
  for (size_t row = 0; row < rows->accesses.n; row++) {
    if (rows->accesses.items[row] != 1) {
      return;
    }
  }
  berth_vec_finish(&builder->allocator, &rows->accesses);
}

enum berth_code berth_builder_make_choices(struct berth_problem_builder *builder) {
  struct berth_rows *rows = &builder->problem->rows;
  uint32_t n = (uint32_t)rows->size.n;
  bool has_bases = false;
  drop_accesses(builder);
  for (size_t pool = 0; pool < builder->problem->pools.n; pool++) {
    has_bases |= builder->problem->pools.items[pool].base_alignment != 0;
  }
  if (builder->has_choices) {
    if (!berth_vec_reserve(&builder->allocator, &rows->choice_begin, (size_t)n + 1)) {
      return berth_fail_memory(&builder->error);
    }
    rows->choice_begin.items[0] = 0;
    rows->choice_begin.n = (size_t)n + 1;
  }
  for (uint32_t row = 0; row < n; row++) {
    enum berth_code code = builder->has_choices ? list_row(builder, row) : BERTH_OK;
    code = code == BERTH_OK && has_bases ? check_base(builder, row) : code;
    if (code != BERTH_OK) {
      return code;
    }
  }
  return BERTH_OK;
}

/* ---- Results in place ---- */

/* Wherever the storage may lie, the result may lie, at its own alignment. */
enum berth_inplace_answer
berth_builder_may_join(struct berth_problem_builder *builder, uint32_t storage, uint32_t result) {
  const struct berth_problem *problem = builder->problem;
  const struct berth_rows *rows = &problem->rows;
  struct named of_storage = named_by(rows, storage);
  struct named of_result = named_by(rows, result);
  size_t n_pools = problem->pools.n;
  uint32_t *first = builder->choice_list.items + n_pools; /* the second half */
  berth_builder_list_choices(builder, of_storage.items, of_storage.n, rows->class_.items[storage]);
  size_t n = builder->choice_list.n;
  memcpy(first, builder->choice_list.items, n * sizeof *first);
  berth_builder_list_choices(builder, of_result.items, of_result.n, rows->class_.items[result]);
  bool suits = true;
  for (size_t k = 0; k < n; k++) {
    const struct berth_pool_spec *spec = &problem->pools.items[first[k]];
    if (builder->choice_mark.items[first[k]] != builder->choice_stamp) {
      return BERTH_INPLACE_POOLS;
    }
    suits = suits && (!promises(spec, rows->alignment.items[storage]) ||
                      promises(spec, rows->alignment.items[result]));
  }
  return suits ? BERTH_INPLACE_USED : BERTH_INPLACE_MISALIGNED;
}
