/* The canonical order and encoding.
 *
 * Order: three stable radix sorts (size, upper, lower) leave runs of buffers that agree in all three; a merge
 * sort settles each run by the rest. Conflicts are not part of the order, because to order buffers by whom
 * they conflict with is to solve graph isomorphism; they are encoded as pairs of canonical places. Equal
 * encodings are therefore always equal problems, and the order of rows cannot show unless buffers are equal
 * in everything but their conflicts.
 *
 * Encoding, little-endian: magic and version; numbers of pools, buffers, gaps, listed pools and conflicts;
 * then a column after the other in canonical order; then sections for what few problems have, each behind its
 * tag. Steps stay as given: a plan reports them. Clocks and groups, if there are
 * any, come next, then slices of buffers, and clusters of parts of a composition last. */
#include <string.h>

#include "base/effort.h"
#include "base/sort.h"
#include "base/vec.h"
#include "berth/sections.h"
#include "problem/problem.h"

enum { ENCODING_VERSION = 1, PIECE_BYTES = 4096 };

/* Begins the section on what pools ask and cost: "POOL". */
#define TERMS_TAG UINT32_C(0x4c4f4f50)

/* Begins the section on the slices of buffers: "SLIC". */
#define SLICES_TAG UINT32_C(0x43494C53)

/* Begins what is encoded of a graph: "FLOW". */
#define GRAPH_TAG UINT32_C(0x574f4c46)

/* Begins a section on the parts of a composition: "UNIT". */
#define UNITS_TAG UINT32_C(0x54494e55)

static const char MAGIC[8] = {'b', 'e', 'r', 't', 'h', 'p', 'r', 'b'};

#define COMPARE(a, b)                                                                                        \
  do {                                                                                                       \
    if ((a) != (b)) {                                                                                        \
      return (a) < (b) ? -1 : 1;                                                                             \
    }                                                                                                        \
  } while (0)

/* ---- Order ---- */

static int compare_pools(const struct berth_buffers *buffers, uint32_t a, uint32_t b) {
  const uint32_t *begin = buffers->pool_begin;
  uint32_t n_a = begin[a + 1] - begin[a];
  COMPARE(n_a, begin[b + 1] - begin[b]);
  for (uint32_t i = 0; i < n_a; i++) {
    COMPARE(buffers->pools[begin[a] + i], buffers->pools[begin[b] + i]);
  }
  return 0;
}

static int compare_gaps(const struct berth_buffers *buffers, uint32_t a, uint32_t b) {
  const uint32_t *begin = buffers->gap_begin;
  uint32_t n_a = begin[a + 1] - begin[a];
  COMPARE(n_a, begin[b + 1] - begin[b]);
  for (uint32_t i = 0; i < n_a; i++) {
    const struct berth_gap *left = &buffers->gaps[begin[a] + i];
    const struct berth_gap *right = &buffers->gaps[begin[b] + i];
    COMPARE(left->lower, right->lower);
    COMPARE(left->upper, right->upper);
    COMPARE(left->window_lower, right->window_lower);
    COMPARE(left->window_upper, right->window_upper);
  }
  return 0;
}

static int compare_ids(const struct berth_problem *problem, uint32_t a, uint32_t b) {
  struct berth_text left = berth_problem_buffer_id(problem, a);
  struct berth_text right = berth_problem_buffer_id(problem, b);
  uint32_t n = left.size < right.size ? left.size : right.size;
  int order = n != 0 ? memcmp(left.data, right.data, n) : 0;
  if (order != 0) {
    return order;
  }
  COMPARE(left.size, right.size);
  return 0;
}

static int compare_clocks(const struct berth_buffers *buffers, uint32_t a, uint32_t b) {
  size_t n = buffers->n_clocks;
  for (size_t c = 0; c < n; c++) {
    COMPARE(buffers->clock_lower[a * n + c], buffers->clock_lower[b * n + c]);
    COMPARE(buffers->clock_upper[a * n + c], buffers->clock_upper[b * n + c]);
  }
  return 0;
}

static int compare_slices(const struct berth_buffers *buffers, uint32_t a, uint32_t b) {
  const uint32_t *begin = buffers->slice_begin;
  size_t n = buffers->n_clocks;
  COMPARE(begin[a + 1] - begin[a], begin[b + 1] - begin[b]);
  for (size_t i = begin[a], j = begin[b]; i < begin[a + 1]; i++, j++) {
    COMPARE(buffers->slices[i].window_lower, buffers->slices[j].window_lower);
    COMPARE(buffers->slices[i].window_upper, buffers->slices[j].window_upper);
    COMPARE(buffers->slices[i].lower, buffers->slices[j].lower);
    COMPARE(buffers->slices[i].upper, buffers->slices[j].upper);
    for (size_t c = 0; c < n; c++) {
      COMPARE(buffers->slice_clock_lower[i * n + c], buffers->slice_clock_lower[j * n + c]);
      COMPARE(buffers->slice_clock_upper[i * n + c], buffers->slice_clock_upper[j * n + c]);
    }
  }
  return 0;
}

/* What groups say of each alone. */
static int compare_groups(const struct berth_rigid *rigid, uint32_t a, uint32_t b) {
  uint32_t group_a = rigid->group[a];
  uint32_t group_b = rigid->group[b];
  COMPARE(group_a != BERTH_NO_INDEX, group_b != BERTH_NO_INDEX);
  if (group_a == BERTH_NO_INDEX) {
    return 0;
  }
  COMPARE(rigid->distance[a], rigid->distance[b]);
  COMPARE(rigid->span_bytes[group_a], rigid->span_bytes[group_b]);
  COMPARE(
      rigid->begin[group_a + 1] - rigid->begin[group_a], rigid->begin[group_b + 1] - rigid->begin[group_b]);
  return 0;
}

/* Of two buffers with equal lifetimes and sizes. */
static int compare_rest(const struct berth_problem *problem, uint32_t a, uint32_t b) {
  const struct berth_buffers *buffers = &problem->buffers_view;
  COMPARE(buffers->alignment[a], buffers->alignment[b]);
  COMPARE(buffers->class_[a], buffers->class_[b]);
  if (buffers->accesses != NULL) {
    COMPARE(buffers->accesses[a], buffers->accesses[b]);
  }
  if (buffers->pinned_offset != NULL) {
    COMPARE(buffers->pinned_offset[a], buffers->pinned_offset[b]);
  }
  int order = buffers->pool_begin != NULL ? compare_pools(buffers, a, b) : 0;
  if (order == 0 && buffers->gap_begin != NULL) {
    order = compare_gaps(buffers, a, b);
  }
  if (order == 0 && buffers->rigid.n != 0) {
    order = compare_groups(&buffers->rigid, a, b);
  }
  if (order == 0) {
    order = compare_clocks(buffers, a, b);
  }
  if (order == 0 && buffers->slice_begin != NULL) {
    order = compare_slices(buffers, a, b);
  }
  if (order == 0) {
    order = compare_ids(problem, a, b);
  }
  if (order != 0) {
    return order;
  }
  COMPARE(a, b);
  return 0;
}

static bool sort_run(
    const struct berth_problem *problem, struct berth_effort *effort, uint32_t *items, uint32_t *scratch,
    size_t n) {
  uint32_t n_compared = 0;
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t begin = 0; begin + width < n; begin += 2 * width) {
      size_t middle = begin + width;
      size_t end = n - middle < width ? n : middle + width;
      if (!berth_effort_poll_at(effort, ++n_compared)) {
        return false;
      }
      if (compare_rest(problem, items[middle - 1], items[middle]) < 0) {
        continue;
      }
      memcpy(scratch, items + begin, width * sizeof *items);
      size_t a = 0;
      size_t b = middle;
      for (size_t to = begin; a < width; to++) {
        if (!berth_effort_poll_at(effort, ++n_compared)) {
          return false;
        }
        bool left = b == end || compare_rest(problem, scratch[a], items[b]) < 0;
        items[to] = left ? scratch[a++] : items[b++];
      }
    }
  }
  return true;
}

static bool same_run(const struct berth_buffers *buffers, uint32_t a, uint32_t b) {
  return buffers->lower[a] == buffers->lower[b] && buffers->upper[a] == buffers->upper[b] &&
         buffers->size_bytes[a] == buffers->size_bytes[b];
}

static bool sort_runs(
    const struct berth_problem *problem, struct berth_effort *effort, uint32_t *order, uint32_t *scratch) {
  const struct berth_buffers *buffers = &problem->buffers_view;
  uint32_t n_runs = 0;
  for (uint32_t begin = 0, end; begin < buffers->n; begin = end) {
    end = begin + 1;
    if (!berth_effort_poll_at(effort, n_runs++)) {
      return false;
    }
    while (end < buffers->n && same_run(buffers, order[begin], order[end])) {
      end++;
    }
    if (end - begin > 1 && !sort_run(problem, effort, order + begin, scratch, end - begin)) {
      return false;
    }
  }
  return true;
}

static bool sort_by_time_and_size(
    const struct berth_buffers *buffers, struct berth_sort_item *keyed, struct berth_sort_item *scratch,
    struct berth_effort *effort) {
  for (uint32_t i = 0; i < buffers->n; i++) {
    keyed[i] = (struct berth_sort_item){.key = buffers->size_bytes[i], .index = i};
    if (!berth_effort_poll_at(effort, i)) {
      return false;
    }
  }
  if (!berth_sort_items_until(keyed, scratch, buffers->n, effort)) {
    return false;
  }
  for (uint32_t i = 0; i < buffers->n; i++) {
    keyed[i].key = berth_sort_key_i64(buffers->upper[keyed[i].index]);
    if (!berth_effort_poll_at(effort, i)) {
      return false;
    }
  }
  if (!berth_sort_items_until(keyed, scratch, buffers->n, effort)) {
    return false;
  }
  for (uint32_t i = 0; i < buffers->n; i++) {
    keyed[i].key = berth_sort_key_i64(buffers->lower[keyed[i].index]);
    if (!berth_effort_poll_at(effort, i)) {
      return false;
    }
  }
  return berth_sort_items_until(keyed, scratch, buffers->n, effort);
}

enum berth_code berth_problem_order_until(
    const struct berth_problem *problem, const struct berth_allocator *allocator, struct berth_effort *effort,
    uint32_t *out_order, struct berth_error *err) {
  allocator = allocator != NULL ? allocator : berth_allocator_libc();
  const struct berth_buffers *buffers = &problem->buffers_view;
  BERTH_VEC(struct berth_sort_item) keyed = {0};
  if (buffers->n == 0) { /* NULL + 0 is undefined */
    return BERTH_OK;
  }
  if (!berth_vec_reserve(allocator, &keyed, 2 * (size_t)buffers->n)) {
    return berth_fail_memory(err);
  }
  bool ok = sort_by_time_and_size(buffers, keyed.items, keyed.items + buffers->n, effort);
  if (ok) {
    for (uint32_t i = 0; i < buffers->n; i++) {
      out_order[i] = keyed.items[i].index;
    }
    ok = sort_runs(problem, effort, out_order, keyed.raw);
  }
  berth_vec_finish(allocator, &keyed);
  return ok ? BERTH_OK
            : berth_fail(
                  err, BERTH_CANCELLED, BERTH_REASON_CANCELLED, BERTH_NO_INDEX, NULL,
                  "stopped before there was a plan");
}

enum berth_code berth_problem_canonical_order(
    const struct berth_problem *problem, const struct berth_allocator *allocator, uint32_t *out_order,
    struct berth_error *err) {
  return berth_problem_order_until(problem, allocator, NULL, out_order, err);
}

/* ---- Encoding ---- */

struct encoder {
  void *ctx;
  void (*write)(void *ctx, const void *bytes, size_t n_bytes);
  void (*begin)(void *ctx, enum berth_section section); /* or NULL */
  size_t n;
  unsigned char piece[PIECE_BYTES];
};

static void flush(struct encoder *encoder) {
  if (encoder->n != 0) {
    encoder->write(encoder->ctx, encoder->piece, encoder->n);
    encoder->n = 0;
  }
}

static void put(struct encoder *encoder, uint64_t number, unsigned n_bytes) {
  if (encoder->n + n_bytes > PIECE_BYTES) {
    flush(encoder);
  }
  for (unsigned i = 0; i < n_bytes; i++) {
    encoder->piece[encoder->n++] = (unsigned char)(number >> (8 * i));
  }
}

static void enter(struct encoder *encoder, enum berth_section section) {
  if (encoder->begin != NULL) {
    flush(encoder);
    encoder->begin(encoder->ctx, section);
  }
}

static void put_pools(struct encoder *encoder, const struct berth_pools *pools) {
  for (uint32_t i = 0; i < pools->n; i++) {
    put(encoder, pools->items[i].capacity_bytes, 8);
    put(encoder, pools->items[i].alignment, 8);
    put(encoder, pools->items[i].max_block_bytes, 8);
    put(encoder, pools->items[i].kind, 1);
  }
}

static void put_plain(struct encoder *encoder, const struct berth_buffers *buffers, const uint32_t *order) {
  enter(encoder, BERTH_SECTION_LIFETIMES);
  for (uint32_t i = 0; i < buffers->n; i++) {
    put(encoder, (uint64_t)buffers->lower[order[i]], 8);
  }
  for (uint32_t i = 0; i < buffers->n; i++) {
    put(encoder, (uint64_t)buffers->upper[order[i]], 8);
  }
  enter(encoder, BERTH_SECTION_SIZES);
  for (uint32_t i = 0; i < buffers->n; i++) {
    put(encoder, buffers->size_bytes[order[i]], 8);
  }
  enter(encoder, BERTH_SECTION_ALIGNMENTS);
  for (uint32_t i = 0; i < buffers->n; i++) {
    put(encoder, (uint64_t)__builtin_ctzll(buffers->alignment[order[i]]), 1);
    put(encoder, buffers->class_[order[i]], 1);
  }
  enter(encoder, BERTH_SECTION_PINS);
  for (uint32_t i = 0; buffers->pinned_offset != NULL && i < buffers->n; i++) {
    put(encoder, buffers->pinned_offset[order[i]], 8);
  }
}

static void put_lists(struct encoder *encoder, const struct berth_buffers *buffers, const uint32_t *order) {
  enter(encoder, BERTH_SECTION_CHOICES);
  for (uint32_t k = 0; buffers->pool_begin != NULL && k < buffers->n; k++) {
    const uint32_t *begin = buffers->pool_begin + order[k];
    put(encoder, begin[1] - begin[0], 4);
    for (uint32_t i = begin[0]; i < begin[1]; i++) {
      put(encoder, buffers->pools[i], 4);
    }
  }
  enter(encoder, BERTH_SECTION_GAPS);
  for (uint32_t k = 0; buffers->gap_begin != NULL && k < buffers->n; k++) {
    const uint32_t *begin = buffers->gap_begin + order[k];
    put(encoder, begin[1] - begin[0], 4);
    for (uint32_t i = begin[0]; i < begin[1]; i++) {
      put(encoder, (uint64_t)buffers->gaps[i].lower, 8);
      put(encoder, (uint64_t)buffers->gaps[i].upper, 8);
      put(encoder, buffers->gaps[i].window_lower, 8);
      put(encoder, buffers->gaps[i].window_upper, 8);
    }
  }
}

static void put_clocks(struct encoder *encoder, const struct berth_buffers *buffers, const uint32_t *order) {
  size_t n = buffers->n_clocks;
  if (n == 0) {
    return;
  }
  put(encoder, n, 4);
  for (uint32_t k = 0; k < buffers->n; k++) {
    for (size_t c = 0; c < n; c++) {
      put(encoder, buffers->clock_lower[order[k] * n + c], 4);
      put(encoder, buffers->clock_upper[order[k] * n + c], 4);
    }
  }
}

static void put_slices(struct encoder *encoder, const struct berth_buffers *buffers, const uint32_t *order) {
  size_t n = buffers->n_clocks;
  if (buffers->slice_begin == NULL) {
    return;
  }
  put(encoder, SLICES_TAG, 4);
  for (uint32_t k = 0; k < buffers->n; k++) {
    const uint32_t *begin = buffers->slice_begin + order[k];
    put(encoder, begin[1] - begin[0], 4);
    for (size_t i = begin[0]; i < begin[1]; i++) {
      put(encoder, buffers->slices[i].window_lower, 8);
      put(encoder, buffers->slices[i].window_upper, 8);
      put(encoder, (uint64_t)buffers->slices[i].lower, 8);
      put(encoder, (uint64_t)buffers->slices[i].upper, 8);
      for (size_t c = 0; c < n; c++) {
        put(encoder, buffers->slice_clock_lower[i * n + c], 4);
        put(encoder, buffers->slice_clock_upper[i * n + c], 4);
      }
    }
  }
}

static bool has_terms(const struct berth_pools *pools, const struct berth_buffers *buffers) {
  bool any = buffers->accesses != NULL;
  for (uint32_t i = 0; i < pools->n; i++) {
    const struct berth_pool_spec *pool = &pools->items[i];
    any |= pool->base_alignment != 0 || pool->cost_per_byte != 0 || pool->n_spill_to != 0 ||
           pool->persistence != BERTH_PERSISTENCE_MIXED;
  }
  return any;
}

/* What pools ask and cost, where any does. */
static void put_terms(
    struct encoder *encoder, const struct berth_pools *pools, const struct berth_buffers *buffers,
    const uint32_t *order) {
  if (!has_terms(pools, buffers)) {
    return;
  }
  put(encoder, TERMS_TAG, 4);
  for (uint32_t i = 0; i < pools->n; i++) {
    const struct berth_pool_spec *pool = &pools->items[i];
    put(encoder, pool->base_alignment, 8);
    put(encoder, pool->cost_per_byte, 4);
    put(encoder, pool->persistence, 1);
    put(encoder, pool->n_spill_to, 4);
    for (uint32_t k = 0; k < pool->n_spill_to; k++) {
      put(encoder, pool->spill_to[k], 4);
    }
  }
  put(encoder, buffers->accesses != NULL, 1);
  for (uint32_t k = 0; buffers->accesses != NULL && k < buffers->n; k++) {
    put(encoder, buffers->accesses[order[k]], 4);
  }
}

/* Conflicts as sorted pairs of canonical places. */
static bool make_pairs(
    const struct berth_buffers *buffers, const uint32_t *order, const struct berth_allocator *allocator,
    struct berth_sort_item *pairs) {
  BERTH_VEC(uint32_t) place = {0};
  if (!berth_vec_reserve(allocator, &place, buffers->n)) {
    return false;
  }
  for (uint32_t k = 0; k < buffers->n; k++) {
    place.items[order[k]] = k;
  }
  for (uint32_t i = 0; i < buffers->n_conflicts; i++) {
    uint32_t a = place.items[buffers->conflicts[i][0]];
    uint32_t b = place.items[buffers->conflicts[i][1]];
    pairs[i] = (struct berth_sort_item){.key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a)};
  }
  berth_vec_finish(allocator, &place);
  berth_sort_items(pairs, pairs + buffers->n_conflicts, buffers->n_conflicts);
  return true;
}

/* The group of each buffer, numbered from 1 as they appear, its distance, and the first buffer of its
 * storage. */
static bool put_groups(
    struct encoder *encoder, const struct berth_rigid *rigid, uint32_t n, const uint32_t *order,
    const struct berth_allocator *allocator) {
  BERTH_VEC(uint32_t) number = {0}; /* of each group */
  BERTH_VEC(uint32_t) place = {0};  /* of the first buffer of each storage, plus 1 */
  bool ok = berth_vec_reserve(allocator, &number, rigid->n) && berth_vec_reserve(allocator, &place, n);
  if (ok) {
    memset(number.items, 0, rigid->n * sizeof *number.items);
    memset(place.items, 0, n * sizeof *place.items);
  }
  uint32_t n_seen = 0;
  for (uint32_t k = 0; ok && k < n; k++) {
    uint32_t group = rigid->group[order[k]];
    uint32_t storage = rigid->storage[order[k]];
    place.items[storage] = place.items[storage] != 0 ? place.items[storage] : k + 1;
    if (group != BERTH_NO_INDEX && number.items[group] == 0) {
      number.items[group] = ++n_seen;
    }
    put(encoder, group != BERTH_NO_INDEX ? number.items[group] : 0, 4);
    put(encoder, rigid->distance[order[k]], 8);
    put(encoder, place.items[storage], 4);
  }
  berth_vec_finish(allocator, &number);
  berth_vec_finish(allocator, &place);
  return ok;
}

/* Which buffers are of one cluster of parts, and of one part. What parts are to each other is in times and
 * conflicts already; that they are parts makes plans start elsewhere. */
static bool put_units(
    struct encoder *encoder, const struct berth_problem *problem, enum berth_unit unit, const uint32_t *order,
    const struct berth_allocator *allocator) {
  uint32_t n = problem->buffers_view.n;
  BERTH_VEC(uint32_t) number = {0};
  uint32_t part[BERTH_MAX_PARTS];
  uint32_t n_units;
  bool inside;
  if (!berth_problem_any_at_once(problem, &inside)) {
    return true;
  }
  bool ok = berth_vec_reserve(allocator, &number, n) &&
            berth_problem_number_units(problem, unit, order, allocator, number.items, part, &n_units);
  if (ok) {
    put(encoder, UNITS_TAG, 4);
  }
  for (uint32_t k = 0; ok && k < n; k++) {
    put(encoder, number.items[order[k]], 4);
  }
  berth_vec_finish(allocator, &number);
  return ok;
}

enum berth_code berth_problem_canonical_sections(
    const struct berth_problem *problem, const uint32_t *order, const struct berth_allocator *allocator,
    void *ctx, void (*write)(void *ctx, const void *bytes, size_t n_bytes),
    void (*begin)(void *ctx, enum berth_section section), struct berth_error *err) {
  allocator = allocator != NULL ? allocator : berth_allocator_libc();
  const struct berth_buffers *buffers = &problem->buffers_view;
  BERTH_VEC(struct berth_sort_item) pairs = {0};
  if (buffers->n_conflicts != 0 && (!berth_vec_reserve(allocator, &pairs, 2 * (size_t)buffers->n_conflicts) ||
                                    !make_pairs(buffers, order, allocator, pairs.items))) {
    berth_vec_finish(allocator, &pairs);
    return berth_fail_memory(err);
  }
  struct encoder encoder = {.ctx = ctx, .write = write, .begin = begin};
  enter(&encoder, BERTH_SECTION_COUNTS);
  write(ctx, MAGIC, sizeof MAGIC);
  put(&encoder, ENCODING_VERSION, 4);
  put(&encoder, problem->pools_view.n, 4);
  put(&encoder, buffers->n, 4);
  put(&encoder,
      (buffers->pinned_offset != NULL) + 2U * (buffers->pool_begin != NULL) +
          4U * (buffers->gap_begin != NULL) + 8U * (buffers->n_clocks != 0) + 256U * (buffers->rigid.n != 0),
      4);
  put(&encoder, buffers->n_conflicts, 4);
  enter(&encoder, BERTH_SECTION_POOLS);
  put_pools(&encoder, &problem->pools_view);
  put_plain(&encoder, buffers, order);
  put_lists(&encoder, buffers, order);
  enter(&encoder, BERTH_SECTION_CONFLICTS);
  for (uint32_t i = 0; i < buffers->n_conflicts; i++) {
    put(&encoder, pairs.items[i].key, 8);
  }
  enter(&encoder, BERTH_SECTION_TERMS);
  put_terms(&encoder, &problem->pools_view, buffers, order);
  enter(&encoder, BERTH_SECTION_CLOCKS);
  put_clocks(&encoder, buffers, order);
  enter(&encoder, BERTH_SECTION_GROUPS);
  bool ok = buffers->rigid.n == 0 || put_groups(&encoder, &buffers->rigid, buffers->n, order, allocator);
  enter(&encoder, BERTH_SECTION_SLICES);
  put_slices(&encoder, buffers, order);
  enter(&encoder, BERTH_SECTION_PARTS);
  ok = ok && put_units(&encoder, problem, BERTH_UNIT_CLUSTER, order, allocator) &&
       put_units(&encoder, problem, BERTH_UNIT_PART, order, allocator);
  flush(&encoder);
  berth_vec_finish(allocator, &pairs);
  return ok ? BERTH_OK : berth_fail_memory(err);
}

enum berth_code berth_problem_canonical_encode(
    const struct berth_problem *problem, const uint32_t *order, const struct berth_allocator *allocator,
    void *ctx, void (*write)(void *ctx, const void *bytes, size_t n_bytes), struct berth_error *err) {
  return berth_problem_canonical_sections(problem, order, allocator, ctx, write, NULL, err);
}

/* ---- A graph, where waits may be added ---- */

static void put_list(struct encoder *encoder, const uint32_t *begin, const uint32_t *items, uint32_t op) {
  put(encoder, begin[op + 1] - begin[op], 4);
  for (uint32_t i = begin[op]; i < begin[op + 1]; i++) {
    put(encoder, items[i], 4);
  }
}

static void put_operators(struct encoder *encoder, const struct berth_graph *graph, const uint32_t *place) {
  for (uint32_t op = 0; op < graph->n_operators; op++) {
    uint32_t workspace = graph->operator_workspace[op];
    put(encoder, graph->operator_stream[op], 4);
    put_list(encoder, graph->wait_begin, graph->waits, op);
    put_list(encoder, graph->input_begin, graph->inputs, op);
    put_list(encoder, graph->output_begin, graph->outputs, op);
    put(encoder, workspace != BERTH_NO_INDEX ? place[workspace] : BERTH_NO_INDEX, 4);
  }
  put(encoder, graph->n_syncs, 4);
  for (uint32_t i = 0; i < graph->n_syncs; i++) {
    put(encoder, graph->syncs[i].waiter, 4);
    put(encoder, graph->syncs[i].signaller, 4);
  }
}

static void put_values(struct encoder *encoder, const struct berth_graph *graph, const uint32_t *place) {
  for (uint32_t v = 0; v < graph->n_values; v++) {
    uint32_t buffer = graph->value_buffer[v];
    put(encoder, graph->value_size_bytes[v], 8);
    put(encoder, graph->value_class[v], 1);
    put(encoder, graph->value_flags[v], 1);
    put(encoder, buffer != BERTH_NO_INDEX ? place[buffer] : BERTH_NO_INDEX, 4);
    put(encoder, graph->value_offset != NULL ? graph->value_offset[v] : 0, 8);
    put(encoder, graph->value_root != NULL ? graph->value_root[v] : v, 4);
    put(encoder, graph->value_root != NULL ? graph->value_view_offset[v] : 0, 8);
  }
}

static void put_regions(struct encoder *encoder, const struct berth_graph *graph) {
  put(encoder, graph->n_regions, 4);
  for (uint32_t r = 0; r < graph->n_regions; r++) {
    const struct berth_region_spec *region = &graph->regions[r];
    put(encoder, region->kind, 1);
    put(encoder, region->parent, 4);
    put(encoder, region->first_operator, 4);
    put(encoder, region->n_operators, 4);
    put(encoder, region->min_trips, 4);
    put(encoder, region->n_carries, 4);
    for (uint32_t i = 0; i < region->n_carries; i++) {
      put(encoder, region->carries[i], 4);
    }
  }
}

/* As they are answered: added waits do not change that. */
static void put_permissions(struct encoder *encoder, const struct berth_permissions *permissions) {
  put(encoder, permissions->n, 4);
  for (uint32_t i = 0; i < permissions->n; i++) {
    const struct berth_permission *permission = &permissions->items[i];
    put(encoder, permission->op, 4);
    put(encoder, permission->operand, 4);
    put(encoder, permission->result, 4);
    put(encoder, permission->kind, 1);
    put(encoder, permission->bytes, 8);
    put(encoder, permission->answer, 1);
  }
}

enum berth_code berth_problem_canonical_encode_graph(
    const struct berth_problem *problem, const uint32_t *order, const struct berth_allocator *allocator,
    void *ctx, void (*write)(void *ctx, const void *bytes, size_t n_bytes), struct berth_error *err) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  BERTH_VEC(uint32_t) place = {0};
  allocator = allocator != NULL ? allocator : berth_allocator_libc();
  if (graph == NULL || graph->operator_stream == NULL) {
    return BERTH_OK;
  }
  if (!berth_vec_reserve(allocator, &place, problem->buffers_view.n)) {
    return berth_fail_memory(err);
  }
  for (uint32_t k = 0; k < problem->buffers_view.n; k++) {
    place.items[order[k]] = k;
  }
  struct encoder encoder = {.ctx = ctx, .write = write};
  put(&encoder, GRAPH_TAG, 4);
  put(&encoder, graph->n_operators, 4);
  put(&encoder, graph->n_values, 4);
  put_operators(&encoder, graph, place.items);
  put_values(&encoder, graph, place.items);
  put_regions(&encoder, graph);
  put_permissions(&encoder, &problem->permissions_view);
  flush(&encoder);
  berth_vec_finish(allocator, &place);
  return BERTH_OK;
}
