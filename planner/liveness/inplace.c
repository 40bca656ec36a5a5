#include "liveness/inplace.h"

#include "base/checked.h"
#include "base/sort.h"
#include "liveness/liveness.h"
#include "liveness/regions.h"

static void note_list(
    struct berth_inplace_result *result, const struct berth_graph *graph, const struct berth_clocks *clocks,
    uint32_t op, const uint32_t *begin, const uint32_t *values) {
  for (uint32_t i = begin[op]; i < begin[op + 1]; i++) {
    uint32_t root = berth_liveness_root(graph, values[i]);
    uint32_t first = result->first_op[root];
    if (first == BERTH_NO_INDEX) {
      result->first_op[root] = op;
    } else if (first != op && !berth_clocks_before(clocks, first, op)) {
      result->is_shared[root] = true;
    }
    berth_accesses_touch(&result->accesses, clocks, root, op);
    if (begin == graph->output_begin) {
      berth_accesses_touch(&result->writes, clocks, root, op);
    }
  }
}

static bool note_accesses(
    struct berth_inplace_result *result, struct berth_arena *arena, const struct berth_graph *graph,
    const struct berth_clocks *clocks) {
  result->first_op = berth_arena_new(arena, uint32_t, graph->n_values);
  result->is_shared = berth_arena_new_zeroed(arena, bool, graph->n_values);
  if (result->first_op == NULL || result->is_shared == NULL ||
      !berth_accesses_init(&result->accesses, arena, clocks, graph->n_values) ||
      !berth_accesses_init(&result->writes, arena, clocks, graph->n_values)) {
    return false;
  }
  for (uint32_t value = 0; value < graph->n_values; value++) {
    result->first_op[value] = BERTH_NO_INDEX;
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    note_list(result, graph, clocks, op, graph->input_begin, graph->inputs);
    note_list(result, graph, clocks, op, graph->output_begin, graph->outputs);
  }
  return true;
}

static bool
take(struct berth_inplace_result *result, struct berth_arena *arena, uint32_t n, uint32_t n_permissions) {
  *result = (struct berth_inplace_result){
      .storage = berth_arena_new(arena, uint32_t, n),
      .offset = berth_arena_new(arena, uint64_t, n),
      .extent = berth_arena_new(arena, uint64_t, n),
      .alignment = berth_arena_new(arena, uint64_t, n),
      .taken = berth_arena_new_zeroed(arena, bool, n),
      .upper = berth_arena_new(arena, int64_t, n),
      .parent = berth_arena_new(arena, uint32_t, n),
      .shift = berth_arena_new_zeroed(arena, uint64_t, n),
      .low = berth_arena_new_zeroed(arena, int64_t, n),
      .high = berth_arena_new(arena, int64_t, n),
      .placed = berth_arena_new_zeroed(arena, bool, n),
      .hosts = berth_arena_new_zeroed(arena, bool, n),
      .host = berth_arena_new(arena, uint32_t, n),
      .meets = berth_arena_new_zeroed(arena, bool, n_permissions),
      .last_write = berth_arena_new_zeroed(arena, uint32_t, n),
      .last_op = berth_arena_new_zeroed(arena, uint32_t, n),
      .n_touches = berth_arena_new(arena, uint32_t, n),
  };
  return result->storage != NULL && result->offset != NULL && result->extent != NULL &&
         result->alignment != NULL && result->taken != NULL && result->upper != NULL &&
         result->parent != NULL && result->shift != NULL && result->low != NULL && result->high != NULL &&
         result->placed != NULL && result->hosts != NULL && result->host != NULL && result->meets != NULL &&
         result->last_write != NULL && result->last_op != NULL && result->n_touches != NULL;
}

bool berth_inplace_result_init(
    struct berth_inplace_result *result, struct berth_arena *arena, const struct berth_inplace_input *input,
    uint32_t n_permissions) {
  const struct berth_graph *graph = input->graph;
  if (!take(result, arena, graph->n_values, n_permissions)) {
    return false;
  }
  for (uint32_t value = 0; value < graph->n_values; value++) {
    result->parent[value] = value;
    result->host[value] = value;
    result->upper[value] = input->upper[value];
    result->high[value] = (int64_t)graph->value_size_bytes[value];
    result->alignment[value] = graph->value_alignment[value];
  }
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    for (uint32_t i = graph->output_begin[op]; i < graph->output_begin[op + 1]; i++) {
      result->last_write[berth_liveness_root(graph, graph->outputs[i])] = op + 1;
    }
  }
  return input->clocks == NULL || note_accesses(result, arena, graph, input->clocks);
}

/* ---- How often the operator's lists touch each root ---- */

/* The root in which it lies by now, if inside any. */
static uint32_t host_of(const struct berth_inplace_result *result, uint32_t root) {
  while (result->host[root] != root) {
    result->host[root] = result->host[result->host[root]];
    root = result->host[root];
  }
  return root;
}

static void count_list(
    const struct berth_graph *graph, struct berth_inplace_result *result, uint32_t op, const uint32_t *begin,
    const uint32_t *values) {
  for (uint32_t i = begin[op]; i < begin[op + 1]; i++) {
    uint32_t root = host_of(result, berth_liveness_root(graph, values[i]));
    if (result->last_op[root] != op + 1) {
      result->last_op[root] = op + 1;
      result->n_touches[root] = 0;
    }
    result->n_touches[root]++;
  }
}

static void count_touches(const struct berth_graph *graph, struct berth_inplace_result *result, uint32_t op) {
  count_list(graph, result, op, graph->input_begin, graph->inputs);
  count_list(graph, result, op, graph->output_begin, graph->outputs);
}

/* ---- Storage: roots that lie in the storage of others ---- */

/* The root whose storage `root` shares, and its first byte there. Paths are halved to one step. */
static uint32_t find(const struct berth_inplace_result *result, uint32_t root, uint64_t *out_offset) {
  uint32_t storage = root;
  uint64_t offset = 0;
  for (; result->parent[storage] != storage; storage = result->parent[storage]) {
    offset += result->shift[storage];
  }
  *out_offset = offset;
  for (uint32_t at = root; at != storage;) {
    uint32_t next = result->parent[at];
    uint64_t shift = result->shift[at];
    result->parent[at] = storage;
    result->shift[at] = offset;
    offset -= shift;
    at = next;
  }
  return storage;
}

/* All that lies in storage `other` lies in `storage` now, `shift` after its beginning. */
static void
join(struct berth_inplace_result *result, uint32_t storage, uint32_t other, uint64_t shift, bool foreign) {
  result->parent[other] = storage;
  result->shift[other] = shift;
  if (foreign) {
    return; /* nothing in the caller's bytes goes beyond them */
  }
  int64_t low = (int64_t)shift + result->low[other];
  int64_t high = (int64_t)shift + result->high[other];
  result->low[storage] = low < result->low[storage] ? low : result->low[storage];
  result->high[storage] = high > result->high[storage] ? high : result->high[storage];
  if (result->alignment[other] > result->alignment[storage]) {
    result->alignment[storage] = result->alignment[other];
  }
}

/* The largest alignment of any pool: what is placed within storage must suit it, too. */
static uint64_t pool_alignment(const struct berth_inplace_input *input) {
  uint64_t alignment = 1;
  for (uint32_t p = 0; p < input->all_pools->n; p++) {
    uint64_t own = input->all_pools->items[p].alignment;
    alignment = own > alignment ? own : alignment;
  }
  return alignment;
}

/* Whole alignments before what would begin before the storage. */
static uint64_t room_before(int64_t low, uint64_t alignment, uint64_t of_pools) {
  return low < 0 ? berth_align_up((uint64_t)-low, alignment > of_pools ? alignment : of_pools) : 0;
}

static uint64_t place_in_root(const struct berth_graph *graph, uint32_t value) {
  return graph->value_view_offset != NULL ? graph->value_view_offset[value] : 0;
}

/* ---- Judgement ---- */

/* A permission, and where its values are. */
struct hearing {
  const struct berth_inplace_input *input;
  const struct berth_inplace_result *result;
  const struct berth_permission *permission;
  uint32_t from;        /* the operand's root */
  uint32_t to;          /* the result's root */
  uint32_t storage;     /* the operand's */
  uint64_t from_offset; /* of `from` in it */
  uint64_t offset;      /* of the operand in it */
};

static bool is_pinned(const struct berth_inplace_input *input, uint32_t value) {
  return value < input->n_pins && input->pin[value] != BERTH_UNPINNED;
}

static bool is_too_large(const struct berth_inplace_input *input, uint32_t value, uint64_t n_bytes) {
  uint32_t begin = input->pool_begin != NULL ? input->pool_begin[value] : 0;
  uint32_t end = input->pool_begin != NULL ? input->pool_begin[value + 1] : 0;
  uint32_t n = begin == end ? input->all_pools->n : end - begin;
  if (n_bytes > (uint64_t)INT64_MAX) {
    return true;
  }
  for (uint32_t i = 0; i < n; i++) {
    const struct berth_pool_spec *pool = &input->all_pools->items[begin == end ? i : input->pools[begin + i]];
    if (n_bytes > pool->max_block_bytes || n_bytes > pool->capacity_bytes) {
      return true;
    }
  }
  return false;
}

static bool is_foreign(const struct berth_graph *graph, uint32_t root) {
  return (graph->value_flags[root] & (BERTH_VALUE_EXTERNAL | BERTH_VALUE_DYNAMIC)) != 0;
}

/* With streams: everyone else is done with the operand (of one inside: has written it), and touches the
 * result, under any name, later. */
static bool is_ordered(const struct hearing *it) {
  const struct berth_inplace_input *input = it->input;
  if (input->clocks == NULL) {
    return true;
  }
  bool inside = it->permission->kind == BERTH_INPLACE_INSIDE;
  return !it->result->is_shared[it->to] &&
         berth_accesses_within(
             berth_accesses_last(inside ? &it->result->writes : &it->result->accesses, it->from),
             berth_clock_of(input->clocks, it->permission->op), input->clocks->n_streams);
}

/* Who touches what lies inside touches what is around it. */
static void inherit(struct berth_accesses *accesses, uint32_t thing, uint32_t from) {
  size_t n = accesses->n_streams;
  for (size_t s = 0; s < n; s++) {
    uint32_t last = accesses->last[from * n + s];
    uint32_t *own = &accesses->last[thing * n + s];
    *own = last > *own ? last : *own;
  }
}

static bool is_around_loop(const struct hearing *it) {
  const struct berth_inplace_input *input = it->input;
  return input->innermost != NULL && berth_regions_go_round(
                                         input->graph, input->innermost, it->permission->op,
                                         input->lower[it->from], it->result->upper[it->from]);
}

static bool is_new(const struct hearing *it) {
  return it->to == it->permission->result && it->input->lower[it->to] == (int64_t)it->permission->op &&
         (it->input->family[it->to] & BERTH_FAMILY_GIVEN) == 0;
}

/* The operator's lists name the operand's root, and the result's if it is one, once: another entry has no
 * permission to be written before the operand is read. */
static bool is_named_once(const struct hearing *it) {
  return it->result->n_touches[it->from] == 1 &&
         (it->to != it->permission->result || it->result->n_touches[it->to] == 1);
}

/* Whose bytes they are, and when: the same for all kinds. */
static enum berth_inplace_answer judge_times(const struct hearing *it) {
  const struct berth_graph *graph = it->input->graph;
  bool inside = it->permission->kind == BERTH_INPLACE_INSIDE;
  bool donated = (graph->value_flags[it->from] & BERTH_VALUE_DONATED) != 0;
  donated = donated && it->permission->kind == BERTH_INPLACE_OVER;
  if ((is_foreign(graph, it->from) && !donated) || is_foreign(graph, it->to)) {
    return BERTH_INPLACE_FOREIGN;
  }
  if ((it->input->family[it->from] & (BERTH_FAMILY_KEPT | BERTH_FAMILY_CONSTANT)) != 0) {
    return BERTH_INPLACE_KEPT;
  }
  if (it->result->host[it->from] != it->from) {
    return BERTH_INPLACE_OPERAND_TAKEN;
  }
  if (inside && it->from != it->permission->operand) {
    return BERTH_INPLACE_IS_VIEW;
  }
  bool later = !inside && it->result->upper[it->from] != (int64_t)it->permission->op + 1;
  if (later || is_around_loop(it)) {
    return BERTH_INPLACE_READ_LATER;
  }
  if (!is_named_once(it)) {
    return BERTH_INPLACE_SAME_ROOT;
  }
  return is_new(it) ? BERTH_INPLACE_USED : BERTH_INPLACE_NOT_NEW;
}

/* The operand is not written any more, and the result by nobody else. */
static bool is_written_once(const struct hearing *it) {
  uint32_t op = it->permission->op;
  return it->result->last_write[it->from] <= op && it->result->last_write[it->to] == op + 1;
}

static enum berth_inplace_answer judge_fit(const struct hearing *it, bool meets) {
  const struct berth_graph *graph = it->input->graph;
  const struct berth_permission *permission = it->permission;
  uint64_t operand = graph->value_size_bytes[permission->operand];
  uint64_t result = graph->value_size_bytes[permission->result];
  switch (permission->kind) {
  case BERTH_INPLACE_INSIDE:
    if (!is_written_once(it)) {
      return BERTH_INPLACE_REWRITTEN;
    }
    if (operand > result || permission->bytes > result - operand) {
      return BERTH_INPLACE_BEYOND;
    }
    return meets ? BERTH_INPLACE_PLACES_MEET : BERTH_INPLACE_USED;
  case BERTH_INPLACE_BEHIND:
    return permission->bytes >= result ? BERTH_INPLACE_APART : BERTH_INPLACE_USED;
  default:
    return result > operand && it->input->by_size == NULL ? BERTH_INPLACE_TOO_LARGE : BERTH_INPLACE_USED;
  }
}

/* ---- Places ---- */

static enum berth_inplace_answer judge_over(const struct hearing *it, uint64_t *out_shift) {
  uint64_t alignment = it->input->graph->value_alignment[it->to];
  bool foreign = is_foreign(it->input->graph, it->storage);
  bool too_lax = foreign && alignment > it->input->graph->value_alignment[it->storage];
  *out_shift = it->offset;
  return too_lax || (it->offset & (alignment - 1)) != 0 ? BERTH_INPLACE_MISALIGNED : BERTH_INPLACE_USED;
}

static enum berth_inplace_answer judge_behind(const struct hearing *it, uint64_t *out_shift) {
  uint64_t alignment = it->input->graph->value_alignment[it->to];
  uint64_t of_pools = pool_alignment(it->input);
  uint64_t size = it->input->graph->value_size_bytes[it->to];
  alignment = alignment > of_pools ? alignment : of_pools;
  uint64_t shift = (it->offset - it->permission->bytes) & ~(alignment - 1); /* modulo 2^64, and so is this */
  if (it->offset - shift >= size) {
    return BERTH_INPLACE_APART;
  }
  int64_t low = (int64_t)shift < it->result->low[it->storage] ? (int64_t)shift : it->result->low[it->storage];
  int64_t high = (int64_t)shift + (int64_t)size;
  high = high > it->result->high[it->storage] ? high : it->result->high[it->storage];
  uint64_t of_storage = it->result->alignment[it->storage];
  alignment = alignment > of_storage ? alignment : of_storage;
  *out_shift = shift;
  return is_too_large(it->input, it->to, room_before(low, alignment, of_pools) + (uint64_t)high)
             ? BERTH_INPLACE_BLOCK
             : BERTH_INPLACE_USED;
}

static enum berth_inplace_answer judge_inside(const struct hearing *it, uint64_t *out_shift) {
  const struct berth_inplace_result *result = it->result;
  uint64_t shift = it->permission->bytes - it->from_offset;
  uint64_t alignment = result->alignment[it->storage];
  uint64_t of_pools = pool_alignment(it->input);
  int64_t begin = (int64_t)it->from_offset;
  int64_t end = begin + (int64_t)it->input->graph->value_size_bytes[it->from];
  alignment = alignment > of_pools ? alignment : of_pools;
  if (result->low[it->storage] < begin || result->high[it->storage] > end) {
    return BERTH_INPLACE_WIDER;
  }
  *out_shift = shift;
  return (shift & (alignment - 1)) != 0 ? BERTH_INPLACE_MISALIGNED : BERTH_INPLACE_USED;
}

/* What pins, pools, alignments and other permissions say. `out_shift`: of the result in the operand's
 * storage, or of that storage in the result's. */
static enum berth_inplace_answer judge_place(const struct hearing *it, uint64_t *out_shift) {
  const struct berth_inplace_input *input = it->input;
  bool inside = it->permission->kind == BERTH_INPLACE_INSIDE;
  if (it->result->placed[it->to]) {
    return BERTH_INPLACE_RESULT_PLACED;
  }
  if (it->result->taken[it->from]) {
    return BERTH_INPLACE_OPERAND_TAKEN;
  }
  if (!inside && it->result->hosts[it->to]) {
    return BERTH_INPLACE_HOSTS;
  }
  if (is_pinned(input, it->storage) || is_pinned(input, it->from) || is_pinned(input, it->to)) {
    return BERTH_INPLACE_PINNED;
  }
  const bool *grouped = input->grouped;
  if (grouped != NULL && (grouped[it->storage] || grouped[it->from] || grouped[it->to])) {
    return BERTH_INPLACE_GROUPED;
  }
  bool foreign = is_foreign(input->graph, it->storage);
  if (foreign && it->permission->kind != BERTH_INPLACE_OVER) {
    return BERTH_INPLACE_FOREIGN;
  }
  if (!foreign) {
    enum berth_inplace_answer answer = inside ? input->may_join(input->ctx, it->to, it->storage)
                                              : input->may_join(input->ctx, it->storage, it->to);
    if (answer != BERTH_INPLACE_USED) {
      return answer;
    }
  }
  return inside                                         ? judge_inside(it, out_shift)
         : it->permission->kind == BERTH_INPLACE_BEHIND ? judge_behind(it, out_shift)
                                                        : judge_over(it, out_shift);
}

/* ---- Settling ---- */

/* Sizes may be the largest that is known of expressions: the result is proven to be no larger all the same.
 */
static void cap(const struct hearing *it, struct berth_inplace_result *result) {
  uint64_t most = it->input->sizes[it->permission->operand];
  if (it->input->sizes[it->to] > most) {
    it->input->sizes[it->to] = most;
    result->high[it->to] = (int64_t)most;
  }
}

static void settle_one(
    struct berth_inplace_result *result, const struct berth_inplace_input *input,
    struct berth_permission *permission, uint8_t by_size, bool meets) {
  const struct berth_graph *graph = input->graph;
  struct hearing it = {
      .input = input,
      .result = result,
      .permission = permission,
      .from = berth_liveness_root(graph, permission->operand),
      .to = berth_liveness_root(graph, permission->result)};
  it.storage = find(result, it.from, &it.from_offset);
  it.offset = it.from_offset + place_in_root(graph, permission->operand);
  uint64_t shift = 0;
  bool over = permission->kind == BERTH_INPLACE_OVER;
  permission->answer = judge_times(&it);
  if (permission->answer == BERTH_INPLACE_USED) {
    permission->answer = !is_ordered(&it)                ? BERTH_INPLACE_NOT_ORDERED
                         : by_size != BERTH_INPLACE_USED ? (enum berth_inplace_answer)by_size
                                                         : judge_fit(&it, meets);
  }
  if (permission->answer == BERTH_INPLACE_USED) {
    permission->answer = judge_place(&it, &shift);
  }
  if (permission->answer != BERTH_INPLACE_USED) {
    return;
  }
  result->taken[it.from] = true;
  if (permission->kind != BERTH_INPLACE_INSIDE) {
    result->placed[it.to] = true;
    if (over && input->by_size != NULL) {
      cap(&it, result);
    }
    join(result, it.storage, it.to, shift, is_foreign(graph, it.storage));
    return;
  }
  if (input->clocks != NULL) {
    inherit(&result->accesses, it.to, it.from);
  }
  result->hosts[it.to] = true;
  result->host[it.from] = it.to;
  join(result, it.to, it.storage, shift, false);
  if (result->upper[it.from] > result->upper[it.to]) {
    result->upper[it.to] = result->upper[it.from];
  }
  result->upper[it.from] = (int64_t)permission->op + 1;
}

/* One permission, given twice. */
static bool is_twin(const struct berth_permission *a, const struct berth_permission *b) {
  return a->op == b->op && a->operand == b->operand && a->result == b->result && a->bytes == b->bytes;
}

/* The operator copies there at every binding, whether or not the permission can be used. */
static uint64_t
most_copied(const struct berth_inplace_input *input, const struct berth_permission *permissions, uint32_t i) {
  return input->most != NULL ? input->most[i] : input->graph->value_size_bytes[permissions[i].operand];
}

/* Marks permissions of one operator that would have two operands in the same bytes of one result: by where
 * they begin, each meets the one of those before it that reaches furthest, or none. What is given twice does
 * not meet itself, and meets what its twin meets. */
static void mark_meeting(
    const struct berth_inplace_input *input, const struct berth_permission *permissions,
    const struct berth_sort_item *sorted, size_t n, bool *meets) {
  uint32_t furthest = 0;
  uint64_t end = 0;
  for (size_t k = 0; k < n; k++) {
    const struct berth_permission *it = &permissions[sorted[k].index];
    if (k > 0 && is_twin(&permissions[sorted[k - 1].index], it)) {
      continue;
    }
    bool other = k == 0 || permissions[sorted[k - 1].index].result != it->result ||
                 permissions[sorted[k - 1].index].op != it->op;
    uint64_t own_end = berth_add_sat_u64(it->bytes, most_copied(input, permissions, sorted[k].index));
    if (!other && it->bytes < end) {
      meets[furthest] = meets[sorted[k].index] = true;
    }
    if (other || own_end > end) {
      furthest = sorted[k].index;
      end = own_end;
    }
  }
  for (size_t k = 1; k < n; k++) {
    if (is_twin(&permissions[sorted[k - 1].index], &permissions[sorted[k].index])) {
      meets[sorted[k].index] = meets[sorted[k - 1].index];
    }
  }
}

static bool find_meeting(
    const struct berth_inplace_input *input, struct berth_arena *arena,
    const struct berth_permission *permissions, uint32_t n, bool *meets) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct berth_sort_item *items = berth_arena_new(arena, struct berth_sort_item, n);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, n);
  if (items == NULL || scratch == NULL) {
    return false;
  }
  size_t n_items = 0;
  for (uint32_t i = 0; i < n; i++) {
    bool counts = permissions[i].kind == BERTH_INPLACE_INSIDE && most_copied(input, permissions, i) != 0;
    if (counts) {
      items[n_items++] = (struct berth_sort_item){.key = permissions[i].operand, .index = i};
    }
  }
  berth_sort_items(items, scratch, n_items);
  for (size_t k = 0; k < n_items; k++) {
    items[k].key = permissions[items[k].index].bytes;
  }
  berth_sort_items(items, scratch, n_items);
  for (size_t k = 0; k < n_items; k++) {
    const struct berth_permission *it = &permissions[items[k].index];
    items[k].key = (uint64_t)it->op << 32 | it->result;
  }
  berth_sort_items(items, scratch, n_items);
  mark_meeting(input, permissions, items, n_items, meets);
  berth_arena_rewind(arena, mark);
  return true;
}

/* Storage begins with its first byte now, and a view lies where its root does. */
static void name_places(const struct berth_inplace_input *input, struct berth_inplace_result *result) {
  const struct berth_graph *graph = input->graph;
  uint64_t of_pools = pool_alignment(input);
  for (uint32_t value = 0; value < graph->n_values; value++) {
    uint64_t offset;
    uint32_t storage = find(result, berth_liveness_root(graph, value), &offset);
    uint64_t before = room_before(result->low[storage], result->alignment[storage], of_pools);
    result->storage[value] = storage;
    result->offset[value] = before + offset + place_in_root(graph, value);
    result->extent[storage] = before + (uint64_t)result->high[storage];
  }
}

bool berth_inplace_settle(
    const struct berth_inplace_input *input, struct berth_arena *arena, struct berth_permission *permissions,
    uint32_t n, struct berth_inplace_result *result) {
  if (!find_meeting(input, arena, permissions, n, result->meets)) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (i == 0 || permissions[i - 1].op != permissions[i].op) {
      count_touches(input->graph, result, permissions[i].op);
    }
    uint8_t by_size = input->by_size != NULL ? input->by_size[i] : BERTH_INPLACE_USED;
    settle_one(result, input, &permissions[i], by_size, result->meets[i]);
  }
  name_places(input, result);
  return true;
}
