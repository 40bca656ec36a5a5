#include "verify/search.h"

#include <string.h>

#include "base/checked.h"
#include "verify/slices.h"

enum {
  MOST = BERTH_VERIFY_MOST_SEARCHED,
  MOST_SIDES = 96,
  MOST_NODES = 4096,
  MOST_ROUNDS = 4096,
  MOST_LOOKS = 1 << 24
};

/* `above` begins at least `bytes` after `below` begins. */
struct side {
  uint32_t below;
  uint32_t above;
  int64_t bytes;
};

struct search {
  const struct berth_verify_facts *facts;
  uint32_t n;
  uint64_t limit;
  uint64_t size[MOST];
  uint64_t alignment[MOST];
  uint64_t pin[MOST]; /* BERTH_UNPINNED: anywhere */
  const struct berth_verify_piece *pieces[MOST];
  uint32_t n_pieces[MOST];
  const uint32_t *last[MOST]; /* of the pieces, where there are streams: rows as in the order */
  const uint32_t *sure[MOST];
  bool whole[MOST][MOST]; /* never a byte in common */
  uint32_t n_sides;
  struct side sides[MOST_SIDES];
  uint32_t n_nodes;
  size_t n_looks; /* at pairs of pieces */
};

struct places {
  uint64_t offset[MOST];
};

/* ---- What is searched ---- */

static bool is_grouped(const struct berth_verify_facts *facts, uint32_t buffer) {
  const struct berth_graph *graph = berth_problem_graph(facts->problem);
  for (uint32_t g = 0; g < facts->groups->n; g++) {
    for (uint32_t k = 0; k < facts->groups->items[g].n_members; k++) {
      uint32_t member = facts->groups->items[g].members[k];
      if ((graph != NULL ? graph->value_buffer[member] : member) == buffer) {
        return true;
      }
    }
  }
  return false;
}

static bool
is_searched(const struct berth_verify_facts *facts, uint32_t pool, const uint32_t *buffers, uint32_t n) {
  const struct berth_pool_spec *spec = &facts->pools[pool];
  bool searched = n <= MOST && spec->kind == BERTH_POOL_BYTES && spec->persistence == BERTH_PERSISTENCE_MIXED;
  for (uint32_t k = 0; k < n && searched; k++) {
    searched = !is_grouped(facts, buffers[k]);
  }
  return searched;
}

/* Pieces are listed buffer by buffer. */
static void
find_pieces(struct search *search, const struct berth_verify_pieces *pieces, uint32_t k, uint32_t buffer) {
  uint32_t low = 0;
  uint32_t high = pieces->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    low = pieces->items[middle].buffer < buffer ? middle + 1 : low;
    high = pieces->items[middle].buffer < buffer ? high : middle;
  }
  search->pieces[k] = &pieces->items[low];
  while (low + search->n_pieces[k] < pieces->n && pieces->items[low + search->n_pieces[k]].buffer == buffer) {
    search->n_pieces[k]++;
  }
}

/* The pieces of a buffer that has slices are its slices. */
static void find_rows(struct search *search, uint32_t k, uint32_t buffer) {
  const struct berth_verify_order *order = search->facts->order;
  const struct berth_verify_slices *slices = search->facts->slices;
  bool has_slices = berth_verify_n_slices(slices, buffer) != 0;
  if (order != NULL) {
    size_t first = (has_slices ? (size_t)slices->begin[buffer] : buffer) * order->n_streams;
    search->last[k] = (has_slices ? slices->last : order->last) + first;
    search->sure[k] = (has_slices ? slices->sure : order->sure) + first;
  }
}

static void find_pairs(struct search *search, const uint32_t *buffers) {
  const struct berth_verify_facts *facts = search->facts;
  for (uint32_t c = 0; c < facts->n_conflicts; c++) {
    uint32_t at[2] = {MOST, MOST};
    for (uint32_t k = 0; k < search->n; k++) {
      at[0] = facts->conflicts[c][0] == buffers[k] ? k : at[0];
      at[1] = facts->conflicts[c][1] == buffers[k] ? k : at[1];
    }
    if (at[0] != MOST && at[1] != MOST) {
      search->whole[at[0]][at[1]] = search->whole[at[1]][at[0]] = true;
    }
  }
}

/* ---- The search ---- */

/* Piece i of a comes before piece j of b. */
static bool precedes(const struct search *search, uint32_t a, uint32_t i, uint32_t b, uint32_t j) {
  const struct berth_verify_order *order = search->facts->order;
  return berth_verify_order_within(
      order, search->last[a] + (size_t)i * order->n_streams, search->sure[b] + (size_t)j * order->n_streams);
}

static bool is_at_once(const struct search *search, uint32_t a, uint32_t i, uint32_t b, uint32_t j) {
  const struct berth_verify_piece *p = &search->pieces[a][i];
  const struct berth_verify_piece *q = &search->pieces[b][j];
  return (p->lower < q->upper && q->lower < p->upper) ||
         (search->facts->order != NULL && !precedes(search, a, i, b, j) && !precedes(search, b, j, a, i));
}

/* How a and b get out of each other's way: b above a, and a above b. */
static bool
find_clash(struct search *search, const struct places *places, uint32_t a, uint32_t b, struct side ways[2]) {
  uint64_t at_a = places->offset[a];
  uint64_t at_b = places->offset[b];
  if (at_a >= at_b + search->size[b] || at_b >= at_a + search->size[a]) {
    return false;
  }
  if (search->whole[a][b]) {
    ways[0] = (struct side){a, b, (int64_t)search->size[a]};
    ways[1] = (struct side){b, a, (int64_t)search->size[b]};
    return true;
  }
  search->n_looks += (size_t)search->n_pieces[a] * search->n_pieces[b];
  for (uint32_t i = 0; i < search->n_pieces[a]; i++) {
    const struct berth_verify_piece *p = &search->pieces[a][i];
    for (uint32_t j = 0; j < search->n_pieces[b]; j++) {
      const struct berth_verify_piece *q = &search->pieces[b][j];
      if (at_a + p->window_lower < at_b + q->window_upper &&
          at_b + q->window_lower < at_a + p->window_upper && is_at_once(search, a, i, b, j)) {
        ways[0] = (struct side){a, b, (int64_t)p->window_upper - (int64_t)q->window_lower};
        ways[1] = (struct side){b, a, (int64_t)q->window_upper - (int64_t)p->window_lower};
        return true;
      }
    }
  }
  return false;
}

/* Sides that go round, each time higher: nothing keeps to them, aligned or not. Rising would only see that at
 * the limit. */
static bool goes_round(const struct search *search) {
  int64_t level[MOST] = {0};
  bool more = true;
  for (uint32_t round = 0; round <= search->n && more; round++) {
    more = false;
    for (uint32_t s = 0; s < search->n_sides; s++) {
      const struct side *side = &search->sides[s];
      int64_t least = level[side->below] + side->bytes;
      if (level[side->above] < least) {
        level[side->above] = least;
        more = true;
      }
      if (least > (int64_t)search->limit) {
        return true;
      }
    }
  }
  return more;
}

/* The least places that keep to all sides; none if somebody ends beyond the limit, or rises from its pin. */
static enum berth_verify_answer rise(const struct search *search, struct places *places) {
  if (goes_round(search)) {
    return BERTH_VERIFY_DOES_NOT_FIT;
  }
  for (uint32_t round = 0; round < MOST_ROUNDS; round++) {
    bool more = false;
    for (uint32_t s = 0; s < search->n_sides; s++) {
      const struct side *side = &search->sides[s];
      int64_t least = (int64_t)places->offset[side->below] + side->bytes;
      if ((int64_t)places->offset[side->above] >= least) {
        continue;
      }
      uint64_t offset = berth_align_up((uint64_t)least, search->alignment[side->above]);
      if (search->pin[side->above] != BERTH_UNPINNED || offset > search->limit ||
          search->size[side->above] > search->limit - offset) {
        return BERTH_VERIFY_DOES_NOT_FIT;
      }
      places->offset[side->above] = offset;
      more = true;
    }
    if (!more) {
      return BERTH_VERIFY_FITS;
    }
  }
  return BERTH_VERIFY_UNDECIDED;
}

static enum berth_verify_answer descend(struct search *search, const struct places *places) {
  struct side ways[2];
  bool clash = false;
  if (search->n_nodes++ == MOST_NODES || search->n_looks > MOST_LOOKS) {
    return BERTH_VERIFY_UNDECIDED;
  }
  for (uint32_t a = 0; a < search->n && !clash; a++) {
    for (uint32_t b = a + 1; b < search->n && !clash; b++) {
      clash = find_clash(search, places, a, b, ways);
    }
  }
  if (!clash) {
    return BERTH_VERIFY_FITS;
  }
  if (search->n_sides == MOST_SIDES) {
    return BERTH_VERIFY_UNDECIDED;
  }
  enum berth_verify_answer answer = BERTH_VERIFY_DOES_NOT_FIT;
  for (int way = 0; way < 2 && answer == BERTH_VERIFY_DOES_NOT_FIT; way++) {
    struct places risen = *places;
    search->sides[search->n_sides++] = ways[way];
    answer = rise(search, &risen);
    answer = answer == BERTH_VERIFY_FITS ? descend(search, &risen) : answer;
    search->n_sides--;
  }
  return answer;
}

/* Who fits at all fits behind the last pin, one after the other. */
static uint64_t
most_needed(const struct berth_verify_facts *facts, uint32_t pool, const uint32_t *buffers, uint32_t n) {
  uint64_t sum = 0;
  uint64_t pins_end = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint64_t size = facts->size[buffers[k]];
    uint64_t pin = facts->pin != NULL ? facts->pin[buffers[k]] : BERTH_UNPINNED;
    uint64_t end = pin != BERTH_UNPINNED ? berth_add_sat_u64(pin, size) : 0;
    pins_end = end > pins_end ? end : pins_end;
    sum = berth_add_sat_u64(sum, size);
    sum = berth_add_sat_u64(sum, berth_verify_alignment(facts, buffers[k], pool) - 1);
  }
  return berth_add_sat_u64(sum, pins_end);
}

enum berth_verify_answer berth_verify_search(
    const struct berth_verify_facts *facts, const struct berth_verify_pieces *pieces, uint32_t pool,
    const uint32_t *buffers, uint32_t n, uint64_t limit) {
  struct search search = {.facts = facts, .n = n};
  struct places places = {.offset = {0}};
  uint64_t most = n <= MOST ? most_needed(facts, pool, buffers, n) : UINT64_MAX;
  limit = limit < most ? limit : most;
  search.limit = limit;
  if (most > INT64_MAX / 2 || !is_searched(facts, pool, buffers, n)) {
    return BERTH_VERIFY_UNDECIDED;
  }
  for (uint32_t k = 0; k < n; k++) {
    search.size[k] = facts->size[buffers[k]];
    search.alignment[k] = berth_verify_alignment(facts, buffers[k], pool);
    search.pin[k] = facts->pin != NULL ? facts->pin[buffers[k]] : BERTH_UNPINNED;
    places.offset[k] = search.pin[k] != BERTH_UNPINNED ? search.pin[k] : 0;
    if (places.offset[k] > limit || search.size[k] > limit - places.offset[k] ||
        (places.offset[k] & (search.alignment[k] - 1)) != 0) {
      return BERTH_VERIFY_DOES_NOT_FIT;
    }
    find_pieces(&search, pieces, k, buffers[k]);
    find_rows(&search, k, buffers[k]);
  }
  find_pairs(&search, buffers);
  return descend(&search, &places);
}
