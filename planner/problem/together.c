/* A composition becomes a problem: its parts' buffers, in times that say who may meet whom. */
#include "berth/together.h"

#include <stdio.h>
#include <string.h>

#include "problem/builder.h"
#include "problem/names.h"
#include "problem/together.h"

enum { INDEX_SIZE = 12 };

struct composing {
  struct berth_together *together;
  struct berth_problem_builder *builder;
  uint32_t *clock_lower; /* of one buffer */
  uint32_t *clock_upper;
  struct berth_gap *gaps;
  uint32_t *members; /* of one group */
  char *id;          /* of one buffer */
};

/* ---- Times ---- */

/* Clocks of what lives through all parts. */
static void fill_all(const struct composing *composing, struct berth_buffer_spec *spec) {
  const struct berth_together_order *order = &composing->together->order;
  uint64_t longest = 1;
  for (uint32_t c = 0; c < order->n_chains; c++) {
    longest = order->end[c] > longest ? order->end[c] : longest;
    for (uint32_t k = order->component[c]; k < order->component[c + 1]; k++) {
      composing->clock_lower[k] = 0;
      composing->clock_upper[k] = (uint32_t)order->end[c];
    }
  }
  spec->lower = 0;
  spec->upper = (int64_t)longest;
}

/* Other chains stand at what is over when the part begins; its own goes on from there. */
static void fill_clocks(const struct composing *composing, uint32_t part, uint32_t k) {
  const struct berth_together *together = composing->together;
  const struct berth_together_order *order = &together->order;
  const struct berth_buffers *buffers = berth_problem_buffers(together->given->parts[part].problem);
  for (uint32_t c = 0; c < order->n_chains; c++) {
    bool own = c == order->chain[part];
    uint32_t at = (uint32_t)(own ? order->base[part] : order->before[(size_t)part * together->n + c]);
    for (uint32_t i = order->component[c]; i < order->component[c + 1]; i++) {
      composing->clock_lower[i] = composing->clock_upper[i] = at;
    }
  }
  uint32_t at = (uint32_t)order->base[part];
  uint32_t *lower = composing->clock_lower + order->component[order->chain[part]];
  uint32_t *upper = composing->clock_upper + order->component[order->chain[part]];
  if (buffers->n_clocks == 0) {
    lower[0] = at + (uint32_t)((uint64_t)buffers->lower[k] - (uint64_t)order->first[part]);
    upper[0] = at + (uint32_t)((uint64_t)buffers->upper[k] - (uint64_t)order->first[part]);
  }
  for (uint32_t i = 0; i < buffers->n_clocks; i++) {
    lower[i] = at + buffers->clock_lower[(size_t)k * buffers->n_clocks + i];
    upper[i] = at + buffers->clock_upper[(size_t)k * buffers->n_clocks + i];
  }
}

/* A step of the part, in those of the whole. */
static int64_t shift(const struct composing *composing, uint32_t part, int64_t step) {
  const struct berth_together_order *order = &composing->together->order;
  return (int64_t)(order->base[part] + ((uint64_t)step - (uint64_t)order->first[part]));
}

static void
fill_steps(const struct composing *composing, uint32_t part, uint32_t k, struct berth_buffer_spec *spec) {
  const struct berth_buffers *buffers =
      berth_problem_buffers(composing->together->given->parts[part].problem);
  spec->lower = shift(composing, part, buffers->lower[k]);
  spec->upper = shift(composing, part, buffers->upper[k]);
  if (buffers->gap_begin == NULL) {
    return;
  }
  spec->gaps = composing->gaps;
  spec->n_gaps = buffers->gap_begin[k + 1] - buffers->gap_begin[k];
  for (uint32_t i = 0; i < spec->n_gaps; i++) {
    const struct berth_gap *gap = &buffers->gaps[buffers->gap_begin[k] + i];
    composing->gaps[i] = *gap;
    composing->gaps[i].lower = shift(composing, part, gap->lower);
    composing->gaps[i].upper = shift(composing, part, gap->upper);
  }
}

static void
fill_time(const struct composing *composing, uint32_t buffer, uint32_t part, struct berth_buffer_spec *spec) {
  const struct berth_together *together = composing->together;
  bool is_total = together->order.n_components == 0;
  if (berth_together_stays(together, buffer)) {
    fill_all(composing, spec);
  } else if (is_total) {
    fill_steps(composing, part, together->own[buffer], spec);
  } else {
    fill_clocks(composing, part, together->own[buffer]);
  }
  if (!is_total) {
    spec->clock_lower = composing->clock_lower;
    spec->clock_upper = composing->clock_upper;
    spec->n_clocks = together->order.n_components;
  }
}

/* ---- Rows ---- */

static uint32_t part_of(const struct berth_together *together, uint32_t buffer) {
  uint32_t part = together->owner[buffer];
  return part != BERTH_NO_INDEX ? part : together->first_part[buffer];
}

/* Its own if it is shared, else behind its part's name. */
static struct berth_text id_of(const struct composing *composing, uint32_t buffer) {
  const struct berth_together *together = composing->together;
  const struct berth_named_problem *part = &together->given->parts[part_of(together, buffer)];
  struct berth_text id = berth_problem_buffer_id(part->problem, together->own[buffer]);
  char index[INDEX_SIZE];
  if (together->owner[buffer] == BERTH_NO_INDEX) {
    return id;
  }
  if (id.size == 0) {
    int n = snprintf(index, sizeof index, "%u", together->own[buffer]);
    id = (struct berth_text){.data = index, .size = (uint32_t)n};
  }
  memcpy(composing->id, part->name.data, part->name.size);
  composing->id[part->name.size] = '/';
  memcpy(composing->id + part->name.size + 1, id.data, id.size);
  return (struct berth_text){.data = composing->id, .size = part->name.size + 1 + id.size};
}

static enum berth_code add_buffer(const struct composing *composing, uint32_t buffer) {
  const struct berth_together *together = composing->together;
  uint32_t part = part_of(together, buffer);
  uint32_t k = together->own[buffer];
  const struct berth_buffers *buffers = berth_problem_buffers(together->given->parts[part].problem);
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.id = id_of(composing, buffer);
  spec.size_bytes = buffers->size_bytes[k];
  spec.alignment = buffers->alignment[k];
  spec.class_ = buffers->class_[k];
  spec.pinned_offset = buffers->pinned_offset != NULL ? buffers->pinned_offset[k] : BERTH_UNPINNED;
  spec.accesses = buffers->accesses != NULL ? buffers->accesses[k] : 1;
  if (buffers->pool_begin != NULL) {
    spec.pools = buffers->pools + buffers->pool_begin[k];
    spec.n_pools = buffers->pool_begin[k + 1] - buffers->pool_begin[k];
  }
  fill_time(composing, buffer, part, &spec);
  return berth_problem_builder_add_buffer(composing->builder, &spec, NULL, together->err);
}

static enum berth_code add_rows(const struct composing *composing) {
  const struct berth_together *together = composing->together;
  const struct berth_pools *pools = berth_problem_pools(together->given->parts[0].problem);
  enum berth_code code = BERTH_OK;
  for (uint32_t p = 0; p < pools->n && code == BERTH_OK; p++) {
    code = berth_problem_builder_add_pool(composing->builder, &pools->items[p], NULL, together->err);
  }
  if (code == BERTH_OK) {
    code = berth_problem_builder_reserve(composing->builder, together->n_buffers, together->err);
  }
  for (uint32_t buffer = 0; buffer < together->n_buffers && code == BERTH_OK; buffer++) {
    code = add_buffer(composing, buffer);
  }
  return code;
}

/* ---- What parts say of several buffers ---- */

static uint32_t whole_of(const struct composing *composing, uint32_t part, uint32_t k) {
  return composing->together->buffer[composing->together->buffer_begin[part] + k];
}

static enum berth_code add_conflicts(const struct composing *composing, uint32_t part) {
  const struct berth_together *together = composing->together;
  const struct berth_buffers *buffers = berth_problem_buffers(together->given->parts[part].problem);
  enum berth_code code = BERTH_OK;
  for (uint32_t i = 0; i < buffers->n_conflicts && code == BERTH_OK; i++) {
    code = berth_problem_builder_add_conflict(
        composing->builder, whole_of(composing, part, buffers->conflicts[i][0]),
        whole_of(composing, part, buffers->conflicts[i][1]), together->err);
  }
  return code;
}

static enum berth_code add_groups(const struct composing *composing, uint32_t part) {
  const struct berth_together *together = composing->together;
  const struct berth_problem *problem = together->given->parts[part].problem;
  const struct berth_groups *groups = berth_problem_groups(problem);
  const struct berth_graph *graph = berth_problem_graph(problem);
  enum berth_code code = BERTH_OK;
  for (uint32_t g = 0; g < groups->n && code == BERTH_OK; g++) {
    struct berth_group_spec spec = groups->items[g];
    for (uint32_t i = 0; i < spec.n_members; i++) {
      uint32_t member = spec.members[i];
      uint32_t k = graph != NULL ? graph->value_buffer[member] : member;
      composing->members[i] = whole_of(composing, part, k);
    }
    spec.members = composing->members;
    code = berth_problem_builder_add_group(composing->builder, &spec, together->err);
  }
  return code;
}

/* What lives through all parts meets everybody as it is. */
static enum berth_code add_pairs(const struct composing *composing, uint32_t a, uint32_t b) {
  const struct berth_together *together = composing->together;
  enum berth_code code = BERTH_OK;
  for (uint32_t i = together->buffer_begin[a]; i < together->buffer_begin[a + 1]; i++) {
    for (uint32_t k = together->buffer_begin[b]; k < together->buffer_begin[b + 1] && code == BERTH_OK; k++) {
      uint32_t left = together->buffer[i];
      uint32_t right = together->buffer[k];
      if (!berth_together_stays(together, left) && !berth_together_stays(together, right)) {
        code = berth_problem_builder_add_conflict(composing->builder, left, right, together->err);
      }
    }
  }
  return code;
}

static enum berth_code add_all_pairs(const struct composing *composing) {
  const struct berth_together *together = composing->together;
  enum berth_code code = BERTH_OK;
  for (uint32_t a = 0; a < together->n && together->order.has_pairs; a++) {
    for (uint32_t b = a + 1; b < together->n && code == BERTH_OK; b++) {
      if (together->at_once[(size_t)a * together->n + b] != 0) {
        code = add_pairs(composing, a, b);
      }
    }
  }
  return code;
}

/* One storage of several buffers, of which one must stay, would have to stay whole. */
static enum berth_code check_storages(const struct composing *composing, uint32_t part) {
  const struct berth_together *together = composing->together;
  const struct berth_buffers *buffers = berth_problem_buffers(together->given->parts[part].problem);
  for (uint32_t k = 0; buffers->rigid.n != 0 && k < buffers->n; k++) {
    uint32_t first = buffers->rigid.storage[k];
    uint32_t stays = berth_together_stays(together, whole_of(composing, part, k));
    if (first != k && (stays || berth_together_stays(together, whole_of(composing, part, first)))) {
      return berth_fail(
          together->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_GROUP, part, "parts",
          "part %u: buffers %u and %u are one storage, and one of them lives through all parts", part, first,
          k);
    }
  }
  return BERTH_OK;
}

/* Room for every id. */
static size_t longest_id(const struct berth_together *together) {
  size_t longest = INDEX_SIZE;
  size_t longest_name = 0;
  for (uint32_t p = 0; p < together->n; p++) {
    const struct berth_named_problem *part = &together->given->parts[p];
    uint32_t n = berth_problem_buffers(part->problem)->n;
    longest_name = part->name.size > longest_name ? part->name.size : longest_name;
    for (uint32_t k = 0; k < n; k++) {
      uint32_t size = berth_problem_buffer_id(part->problem, k).size;
      longest = size > longest ? size : longest;
    }
  }
  return longest_name + 1 + longest;
}

static bool take_scratch(struct composing *composing) {
  const struct berth_together *together = composing->together;
  struct berth_arena *arena = together->arena;
  uint32_t most_gaps = 0;
  uint32_t most_members = 0;
  for (uint32_t p = 0; p < together->n; p++) {
    const struct berth_problem *problem = together->given->parts[p].problem;
    const struct berth_buffers *buffers = berth_problem_buffers(problem);
    const struct berth_groups *groups = berth_problem_groups(problem);
    for (uint32_t k = 0; buffers->gap_begin != NULL && k < buffers->n; k++) {
      uint32_t n = buffers->gap_begin[k + 1] - buffers->gap_begin[k];
      most_gaps = n > most_gaps ? n : most_gaps;
    }
    for (uint32_t g = 0; g < groups->n; g++) {
      uint32_t n = groups->items[g].n_members;
      most_members = n > most_members ? n : most_members;
    }
  }
  uint32_t n_components = together->order.component[together->order.n_chains];
  composing->clock_lower = berth_arena_new(arena, uint32_t, n_components);
  composing->clock_upper = berth_arena_new(arena, uint32_t, n_components);
  composing->gaps = berth_arena_new(arena, struct berth_gap, most_gaps);
  composing->members = berth_arena_new(arena, uint32_t, most_members);
  composing->id = berth_arena_new(arena, char, longest_id(together));
  return composing->clock_lower != NULL && composing->clock_upper != NULL && composing->gaps != NULL &&
         composing->members != NULL && composing->id != NULL;
}

static enum berth_code build(struct composing *composing, struct berth_problem **out_problem) {
  struct berth_together *together = composing->together;
  if (!take_scratch(composing)) {
    return berth_fail_memory(together->err);
  }
  enum berth_code code = BERTH_OK;
  for (uint32_t p = 0; p < together->n && code == BERTH_OK; p++) {
    code = check_storages(composing, p);
  }
  code = code != BERTH_OK ? code : add_rows(composing);
  for (uint32_t p = 0; p < together->n && code == BERTH_OK; p++) {
    code = add_conflicts(composing, p);
    code = code != BERTH_OK ? code : add_groups(composing, p);
  }
  code = code != BERTH_OK ? code : add_all_pairs(composing);
  return code != BERTH_OK ? code
                          : berth_problem_builder_finish(composing->builder, out_problem, together->err);
}

/* ---- What is kept of the composition ---- */

static bool
keep_list(const struct berth_allocator *allocator, struct berth_u32s *to, const uint32_t *items, size_t n) {
  if (!berth_vec_reserve(allocator, to, n)) {
    return false;
  }
  if (n != 0) {
    memcpy(to->items, items, n * sizeof *items);
  }
  to->n = n;
  return true;
}

static bool keep_parts(struct berth_problem *whole, const struct berth_together *together) {
  const struct berth_allocator *allocator = &whole->allocator;
  struct berth_composed_columns *parts = &whole->composed;
  uint32_t n = together->n;
  const struct berth_composition *given = together->given;
  uint32_t n_members = given->n_sets != 0 ? given->set_end[given->n_sets - 1] : 0;
  size_t n_pairs = (size_t)n * n;
  if (!berth_vec_reserve(allocator, &parts->items, n) ||
      !berth_vec_reserve(allocator, &parts->at_once, n_pairs) ||
      !berth_vec_reserve(allocator, &parts->step_of, n) ||
      !keep_list(allocator, &parts->cluster, together->order.cluster, n) ||
      !keep_list(allocator, &parts->buffer_begin, together->buffer_begin, (size_t)n + 1) ||
      !keep_list(allocator, &parts->buffer, together->buffer, together->buffer_begin[n]) ||
      !keep_list(allocator, &parts->part_of, together->owner, together->n_buffers) ||
      !keep_list(allocator, &parts->set_end, given->set_end, given->n_sets) ||
      !keep_list(allocator, &parts->set_parts, given->set_parts, n_members)) {
    return false;
  }
  memcpy(parts->at_once.items, together->at_once, n_pairs);
  parts->at_once.n = n_pairs;
  for (uint32_t p = 0; p < n; p++) {
    if (berth_names_add(allocator, &parts->names, p, given->parts[p].name) != BERTH_NAMES_OK) {
      return false;
    }
    parts->items.items[parts->items.n++] =
        (struct berth_named_problem){.problem = berth_problem_ref(given->parts[p].problem)};
    parts->step_of.items[parts->step_of.n++] =
        (int64_t)(together->order.base[p] - (uint64_t)together->order.first[p]);
  }
  parts->n_shared = given->n_shared;
  parts->n_clusters = together->order.n_clusters;
  return true;
}

/* The builder's words are about buffers of the whole: its message names the buffer, and here is the part. */
static enum berth_code blame_part(const struct berth_together *together, enum berth_code code) {
  struct berth_error *err = together->err;
  if (code != BERTH_OK && strcmp(err->field, "parts") != 0) {
    bool is_buffer = err->index < together->n_buffers && strchr(err->field, '.') == NULL;
    err->index = is_buffer ? part_of(together, err->index) : BERTH_NO_INDEX;
    snprintf(err->field, sizeof err->field, "parts");
  }
  return code;
}

enum berth_code berth_problem_compose(
    const struct berth_composition *composition, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_error *err) {
  allocator = allocator != NULL ? allocator : berth_allocator_libc();
  struct berth_error unseen;
  struct berth_arena arena;
  berth_arena_init(&arena, allocator);
  struct berth_together together = {
      .given = composition, .arena = &arena, .err = err != NULL ? err : &unseen, .n = composition->n_parts};
  struct composing composing = {.together = &together};
  struct berth_problem *whole = NULL;
  enum berth_code code = berth_together_check(&together);
  code = code != BERTH_OK ? code : berth_together_arrange(&together);
  code = code != BERTH_OK ? code : berth_problem_builder_create(allocator, &composing.builder, together.err);
  if (code == BERTH_OK) {
    composing.builder->ids_may_repeat = true; /* a value's and an operator's, as in a graph */
  }
  code = code != BERTH_OK ? code : blame_part(&together, build(&composing, &whole));
  if (code == BERTH_OK && !keep_parts(whole, &together)) {
    berth_problem_unref(whole);
    whole = NULL;
    code = berth_fail_memory(together.err);
  }
  if (code == BERTH_OK) {
    berth_problem_view_parts(whole);
    *out_problem = whole;
  }
  berth_problem_builder_destroy(composing.builder);
  berth_arena_finish(&arena);
  return code;
}

/* ---- The view ---- */

void berth_problem_finish_parts(struct berth_problem *problem) {
  const struct berth_allocator *allocator = &problem->allocator;
  struct berth_composed_columns *parts = &problem->composed;
  for (size_t p = 0; p < parts->items.n; p++) {
    berth_problem_unref(parts->items.items[p].problem);
  }
  berth_vec_finish(allocator, &parts->items);
  berth_names_finish(allocator, &parts->names);
  berth_vec_finish(allocator, &parts->buffer_begin);
  berth_vec_finish(allocator, &parts->buffer);
  berth_vec_finish(allocator, &parts->part_of);
  berth_vec_finish(allocator, &parts->set_end);
  berth_vec_finish(allocator, &parts->set_parts);
  berth_vec_finish(allocator, &parts->at_once);
  berth_vec_finish(allocator, &parts->step_of);
  berth_vec_finish(allocator, &parts->cluster);
}

void berth_problem_view_parts(struct berth_problem *problem) {
  struct berth_composed_columns *parts = &problem->composed;
  for (uint32_t p = 0; p < parts->items.n; p++) {
    parts->items.items[p].name = berth_names_get(&parts->names, p);
  }
  problem->composed_view = (struct berth_composed){
      .n = (uint32_t)parts->items.n,
      .items = parts->items.items,
      .buffer_begin = parts->buffer_begin.items,
      .buffer = parts->buffer.items,
      .part_of = parts->part_of.items,
      .n_shared = parts->n_shared,
      .n_sets = (uint32_t)parts->set_end.n,
      .set_end = parts->set_end.items,
      .set_parts = parts->set_parts.items,
      .at_once = parts->at_once.items,
      .step_of = problem->n_clocks == 0 ? parts->step_of.items : NULL};
}

const struct berth_composed *berth_problem_composed(const struct berth_problem *problem) {
  return problem->composed_view.n != 0 ? &problem->composed_view : NULL;
}

bool berth_problem_any_at_once(const struct berth_problem *problem, bool *out_inside) {
  const struct berth_composed_columns *parts = &problem->composed;
  bool any = false;
  *out_inside = false;
  for (size_t a = 0; a < parts->items.n; a++) {
    for (size_t b = 0; b < a; b++) {
      bool at_once = parts->at_once.items[a * parts->items.n + b] != 0;
      any |= at_once;
      *out_inside |= at_once && parts->cluster.items[a] == parts->cluster.items[b];
    }
  }
  return any;
}

bool berth_problem_number_units(
    const struct berth_problem *problem, enum berth_unit unit, const uint32_t *order,
    const struct berth_allocator *allocator, uint32_t *out_numbers, uint32_t out_part[BERTH_MAX_PARTS],
    uint32_t *out_n) {
  const struct berth_buffers *buffers = &problem->buffers_view;
  const struct berth_composed_columns *parts = &problem->composed;
  BERTH_VEC(uint32_t) number = {0}; /* of each cluster, or part */
  if (!berth_vec_reserve(allocator, &number, parts->items.n)) {
    return false;
  }
  memset(number.items, 0, parts->items.n * sizeof *number.items);
  *out_n = 0;
  for (uint32_t k = 0; k < buffers->n; k++) {
    uint32_t buffer = order[k];
    uint32_t part = parts->part_of.items[buffer];
    out_numbers[buffer] = 0;
    if (part == BERTH_NO_INDEX || berth_class_persists(buffers->class_[buffer])) {
      continue;
    }
    uint32_t *own = &number.items[unit == BERTH_UNIT_PART ? part : parts->cluster.items[part]];
    if (*own == 0) {
      out_part[*out_n] = part;
      *own = ++*out_n;
    }
    out_numbers[buffer] = *own;
  }
  berth_vec_finish(allocator, &number);
  return true;
}
