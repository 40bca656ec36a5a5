#include "verify/search.h"

#include <string.h>

#include "base/checked.h"
#include "verify/order.h"
#include "verify/slices.h"

enum { MOST = BERTH_VERIFY_MOST_SEARCHED, MOST_SIDES = 96, MOST_NODES = 4096 };

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
  bool whole[MOST][MOST]; /* never a byte in common */
  uint32_t n_sides;
  struct side sides[MOST_SIDES];
  uint32_t n_nodes;
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

/* With streams, what nobody touches is given or kept, and for how long its bytes are needed is a matter of
 * opinion: the planner may take longer than the judge. */
static bool is_touched(const struct berth_verify_facts *facts, uint32_t buffer) {
  bool touched = facts->order == NULL;
  for (uint32_t s = 0; !touched && s < facts->order->n_streams; s++) {
    touched = facts->order->last[(size_t)buffer * facts->order->n_streams + s] != 0;
  }
  return touched;
}

static bool
is_searched(const struct berth_verify_facts *facts, uint32_t pool, const uint32_t *buffers, uint32_t n) {
  const struct berth_pool_spec *spec = &facts->pools[pool];
  bool searched = n <= MOST && spec->kind == BERTH_POOL_BYTES && spec->persistence == BERTH_PERSISTENCE_MIXED;
  for (uint32_t k = 0; k < n && searched; k++) {
    searched = !is_grouped(facts, buffers[k]) && berth_verify_n_slices(facts->slices, buffers[k]) == 0 &&
               is_touched(facts, buffers[k]);
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

static void find_pairs(struct search *search, const uint32_t *buffers) {
  const struct berth_verify_facts *facts = search->facts;
  for (uint32_t a = 0; a < search->n && facts->order != NULL; a++) {
    for (uint32_t b = 0; b < search->n; b++) {
      search->whole[a][b] = a != b && !berth_verify_may_follow(facts->order, buffers[a], buffers[b]) &&
                            !berth_verify_may_follow(facts->order, buffers[b], buffers[a]);
    }
  }
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

/* How a and b get out of each other's way: b above a, and a above b. */
static bool find_clash(
    const struct search *search, const struct places *places, uint32_t a, uint32_t b, struct side ways[2]) {
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
  for (uint32_t i = 0; i < search->n_pieces[a]; i++) {
    const struct berth_verify_piece *p = &search->pieces[a][i];
    for (uint32_t j = 0; j < search->n_pieces[b]; j++) {
      const struct berth_verify_piece *q = &search->pieces[b][j];
      bool at_once = p->lower < q->upper && q->lower < p->upper;
      if (at_once && at_a + p->window_lower < at_b + q->window_upper &&
          at_b + q->window_lower < at_a + p->window_upper) {
        ways[0] = (struct side){a, b, (int64_t)p->window_upper - (int64_t)q->window_lower};
        ways[1] = (struct side){b, a, (int64_t)q->window_upper - (int64_t)p->window_lower};
        return true;
      }
    }
  }
  return false;
}

/* The least places that keep to all sides; false if somebody ends beyond the limit, or rises from its pin. */
static bool rise(const struct search *search, struct places *places) {
  for (bool more = true; more;) {
    more = false;
    for (uint32_t s = 0; s < search->n_sides; s++) {
      const struct side *side = &search->sides[s];
      int64_t least = (int64_t)places->offset[side->below] + side->bytes;
      if ((int64_t)places->offset[side->above] >= least) {
        continue;
      }
      uint64_t offset = berth_align_up((uint64_t)least, search->alignment[side->above]);
      if (search->pin[side->above] != BERTH_UNPINNED || offset > search->limit ||
          search->size[side->above] > search->limit - offset) {
        return false;
      }
      places->offset[side->above] = offset;
      more = true;
    }
  }
  return true;
}

static enum berth_verify_answer descend(struct search *search, const struct places *places) {
  struct side ways[2];
  bool clash = false;
  if (search->n_nodes++ == MOST_NODES) {
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
    answer = rise(search, &risen) ? descend(search, &risen) : answer;
    search->n_sides--;
  }
  return answer;
}

enum berth_verify_answer berth_verify_search(
    const struct berth_verify_facts *facts, const struct berth_verify_pieces *pieces, uint32_t pool,
    const uint32_t *buffers, uint32_t n, uint64_t limit) {
  struct search search = {.facts = facts, .n = n, .limit = limit};
  struct places places = {.offset = {0}};
  if (!is_searched(facts, pool, buffers, n)) {
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
  }
  find_pairs(&search, buffers);
  return descend(&search, &places);
}
