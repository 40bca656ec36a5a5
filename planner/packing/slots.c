#include "packing/slots.h"

#include <string.h>

#include "base/checked.h"
#include "base/order.h"
#include "base/rng.h"
#include "packing/slot_sizes.h"

enum { N_WORDS = BERTH_SLOTS_MOST / 64, N_REFUTED = 1 << 16 };

bool berth_slots_are_plain(const struct berth_packing_instance *instance) {
  return instance->pin == NULL && instance->gap_begin == NULL && instance->piece_begin == NULL &&
         instance->slices == NULL && instance->chains == NULL;
}

/* ---- By size ---- */

/* The buffers from the largest down, and the most of the first k + 1 that meet. */
struct ranking {
  uint32_t n;
  uint32_t *order;
  uint64_t *weight; /* of each of the order: its size, rounded up to the least alignment; then 0 */
  uint32_t *most;
  uint64_t most_padding;
};

/* The most live at one step, a maximum over a tree of sums. */
struct tree {
  uint32_t n_leaves; /* a power of two */
  uint32_t *more;    /* of all steps below a node, not counted further down */
  uint32_t *most;
};

static void add_life(struct tree *tree, uint32_t lower, uint32_t upper) {
  uint32_t l = lower + tree->n_leaves, r = upper + tree->n_leaves;
  for (uint32_t a = l, b = r; a < b; a /= 2, b /= 2) {
    if (a % 2 != 0) {
      tree->more[a]++;
      tree->most[a++]++;
    }
    if (b % 2 != 0) {
      tree->more[--b]++;
      tree->most[b]++;
    }
  }
  for (int side = 0; side < 2; side++) {
    for (uint32_t node = (side == 0 ? l : r - 1) / 2; node >= 1; node /= 2) {
      uint32_t left = tree->most[2 * node], right = tree->most[2 * node + 1];
      tree->most[node] = tree->more[node] + (left > right ? left : right);
    }
  }
}

static bool
rank(const struct berth_packing_instance *instance, struct berth_arena *arena, struct ranking *out) {
  uint32_t n = instance->n_buffers;
  struct tree tree = {.n_leaves = 1};
  while (tree.n_leaves < instance->n_steps) {
    tree.n_leaves *= 2;
  }
  *out = (struct ranking){
      .n = n,
      .order = berth_arena_new(arena, uint32_t, n),
      .weight = berth_arena_new(arena, uint64_t, (size_t)n + 1),
      .most = berth_arena_new(arena, uint32_t, n)};
  uint64_t *key = berth_arena_new(arena, uint64_t, n);
  tree.more = berth_arena_new_zeroed(arena, uint32_t, 2 * (size_t)tree.n_leaves);
  tree.most = berth_arena_new_zeroed(arena, uint32_t, 2 * (size_t)tree.n_leaves);
  if (!out->order || !out->weight || !out->most || !key || !tree.more || !tree.most) {
    return false;
  }
  uint64_t grain = n > 0 ? instance->alignment[0] : 1;
  for (uint32_t i = 0; i < n; i++) {
    grain = instance->alignment[i] < grain ? instance->alignment[i] : grain;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!berth_effort_poll_at(arena->effort, i)) {
      return false;
    }
    uint64_t padding = berth_align_up(instance->size[i], grain) - instance->size[i];
    out->most_padding = padding > out->most_padding ? padding : out->most_padding;
    key[i] = ~(instance->size[i] + padding);
  }
  berth_order_identity(n, out->order);
  if (!berth_order_by_key(arena, n, key, out->order)) {
    return false;
  }
  for (uint32_t k = 0; k < n; k++) {
    if (!berth_effort_poll_at(arena->effort, k)) {
      return false;
    }
    uint32_t i = out->order[k];
    out->weight[k] = ~key[i];
    add_life(&tree, instance->lower[i], instance->upper[i]);
    out->most[k] = tree.most[1];
  }
  out->weight[n] = 0;
  return true;
}

static uint64_t sum_of(const struct ranking *ranking) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < ranking->n; k++) {
    sum = berth_add_sat_u64(
        sum, berth_mul_sat_u64(ranking->most[k], ranking->weight[k] - ranking->weight[k + 1]));
  }
  return sum;
}

bool berth_slots_bound(
    const struct berth_packing_instance *instance, struct berth_arena *arena, uint64_t *out_bound) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct ranking ranking;
  bool ok = rank(instance, arena, &ranking);
  uint64_t sum = ok ? sum_of(&ranking) : 0;
  *out_bound = ok && sum > ranking.most_padding ? sum - ranking.most_padding : 0; /* of the last block */
  berth_arena_rewind(arena, mark);
  return ok;
}

/* ---- The search ---- */

/* The k-th largest buffer: the slots that it may still be tried in. */
struct node {
  uint32_t n_choices;
  uint32_t choice;
  uint32_t slot;
  uint64_t situation;       /* before it */
  uint64_t before[N_WORDS]; /* what its slot was barred to */
};

/* A situation that has led to nothing that costs less than the best: the same at no less cost does not. */
struct refuted {
  uint64_t situation;
  uint64_t cost;
};

struct search {
  const struct berth_packing_instance *instance;
  struct berth_effort *effort;
  struct ranking ranking;
  uint64_t (*meets)[N_WORDS];  /* of the k-th: a bit each of those that may not share a slot with it */
  uint64_t (*inside)[N_WORDS]; /* of each slot */
  uint64_t (*barred)[N_WORDS]; /* the same, of those that meet somebody inside */
  uint32_t most_slots;         /* more are never needed for what is to come */
  uint64_t *to_come;           /* [k][n_slots]: what slots opened from the k-th on cost at least */
  struct node *nodes;
  uint32_t *choices; /* [k][slot], the tightest first; n_slots is a new one */
  uint64_t *slack;
  uint32_t n_slots;
  uint64_t cost;
  uint64_t best;
  uint32_t *best_slot; /* of the k-th */
  uint32_t best_n_slots;
  struct refuted *refuted; /* N_REFUTED */
  uint64_t *salt;          /* of each word */
};

static uint64_t to_come(const struct search *search, uint32_t k, uint32_t n_slots) {
  return n_slots >= search->most_slots ? 0 : search->to_come[(size_t)k * search->most_slots + n_slots];
}

static void fill_to_come(struct search *search) {
  const struct ranking *ranking = &search->ranking;
  uint32_t most_slots = search->most_slots;
  memset(search->to_come + (size_t)ranking->n * most_slots, 0, most_slots * sizeof *search->to_come);
  for (uint32_t k = ranking->n; k-- > 0;) {
    uint64_t step = ranking->weight[k] - ranking->weight[k + 1];
    for (uint32_t s = 0; s < most_slots; s++) {
      uint64_t missing = ranking->most[k] > s ? ranking->most[k] - s : 0;
      search->to_come[(size_t)k * most_slots + s] =
          berth_add_sat_u64(to_come(search, k + 1, s), berth_mul_sat_u64(missing, step));
    }
  }
}

static void set_bit(uint64_t *words, uint32_t k) {
  words[k / 64] |= UINT64_C(1) << k % 64;
}

static bool fill_meets(struct search *search, struct berth_arena *arena) {
  const struct berth_packing_instance *in = search->instance;
  const uint32_t *order = search->ranking.order;
  uint32_t *place = berth_arena_new(arena, uint32_t, in->n_buffers);
  if (place == NULL) {
    return false;
  }
  memset(search->meets, 0, in->n_buffers * sizeof *search->meets);
  for (uint32_t k = 0; k < in->n_buffers; k++) {
    uint32_t a = order[k];
    place[a] = k;
    for (uint32_t m = 0; m < k; m++) {
      uint32_t b = order[m];
      if (in->lower[a] < in->upper[b] && in->lower[b] < in->upper[a]) {
        set_bit(search->meets[k], m);
        set_bit(search->meets[m], k);
      }
    }
  }
  for (uint32_t c = 0; c < in->n_conflicts; c++) {
    set_bit(search->meets[place[in->conflicts[c][0]]], place[in->conflicts[c][1]]);
    set_bit(search->meets[place[in->conflicts[c][1]]], place[in->conflicts[c][0]]);
  }
  return true;
}

/* Those from the k-th on that fit into no slot and all meet need one each. */
static uint64_t cost_of_homeless(const struct search *search, uint32_t k) {
  uint64_t homeless[N_WORDS], cost = 0;
  uint32_t n_words = (search->ranking.n + 63) / 64;
  for (uint32_t w = k / 64; w < n_words; w++) {
    homeless[w] = w == k / 64 ? UINT64_MAX << k % 64 : UINT64_MAX;
    for (uint32_t s = 0; s < search->n_slots; s++) {
      homeless[w] &= search->barred[s][w];
    }
  }
  for (uint32_t w = k / 64; w < n_words; w++) {
    while (homeless[w] != 0) {
      uint32_t m = 64 * w + (uint32_t)__builtin_ctzll(homeless[w]);
      cost += search->ranking.weight[m];
      for (uint32_t v = w; v < n_words; v++) {
        homeless[v] &= search->meets[m][v];
      }
    }
  }
  return cost;
}

/* For those from the k-th on it counts only whom each slot is barred to, whatever the slot's name. */
static uint64_t situation_of(const struct search *search, uint32_t k) {
  uint32_t n_words = (search->ranking.n + 63) / 64;
  uint64_t sum = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
  for (uint32_t s = 0; s < search->n_slots; s++) {
    uint64_t hash = 1;
    for (uint32_t w = k / 64; w < n_words; w++) {
      uint64_t bits = search->barred[s][w] & (w == k / 64 ? UINT64_MAX << k % 64 : UINT64_MAX);
      hash = (hash ^ bits) * search->salt[w];
      hash ^= hash >> 29;
    }
    sum += hash * UINT64_C(0xd6e8feb86659fd93);
  }
  return sum;
}

static bool is_refuted(const struct search *search, uint64_t situation) {
  const struct refuted *refuted = &search->refuted[situation % N_REFUTED];
  return situation != 0 && refuted->situation == situation && search->cost >= refuted->cost;
}

/* How long the slot is free around the k-th buffer; UINT64_MAX if it is not. */
static uint64_t slack_of(const struct search *search, uint32_t k, uint32_t slot) {
  const struct berth_packing_instance *in = search->instance;
  uint32_t i = search->ranking.order[k];
  uint32_t before = 0, after = in->n_steps;
  if ((search->barred[slot][k / 64] >> k % 64 & 1) != 0) {
    return UINT64_MAX;
  }
  for (uint32_t w = 0; w <= k / 64; w++) {
    for (uint64_t bits = search->inside[slot][w]; bits != 0; bits &= bits - 1) {
      uint32_t other = search->ranking.order[64 * w + (uint32_t)__builtin_ctzll(bits)];
      if (in->upper[other] <= in->lower[i]) {
        before = in->upper[other] > before ? in->upper[other] : before;
      } else {
        after = in->lower[other] < after ? in->lower[other] : after;
      }
    }
  }
  return (uint64_t)after - before;
}

/* Whether it is equal to the one before it: then it goes into a later slot. */
static bool is_twin(const struct search *search, uint32_t k) {
  const struct berth_packing_instance *in = search->instance;
  const uint32_t *order = search->ranking.order;
  return k > 0 && in->n_conflicts == 0 && in->lower[order[k]] == in->lower[order[k - 1]] &&
         in->upper[order[k]] == in->upper[order[k - 1]] &&
         search->ranking.weight[k] == search->ranking.weight[k - 1];
}

static void open_node(struct search *search, uint32_t k) {
  struct node *node = &search->nodes[k];
  uint32_t *choices = search->choices + (size_t)k * search->ranking.n;
  bool has_order = is_twin(search, k); /* and its situation is not all that it depends on */
  *node = (struct node){.situation = has_order ? 0 : situation_of(search, k)};
  for (uint32_t s = has_order ? search->nodes[k - 1].slot + 1 : 0; s < search->n_slots; s++) {
    uint64_t slack = slack_of(search, k, s);
    if (slack == UINT64_MAX) {
      continue;
    }
    uint32_t at = node->n_choices++;
    for (; at > 0 && search->slack[at - 1] > slack; at--) {
      search->slack[at] = search->slack[at - 1];
      choices[at] = choices[at - 1];
    }
    search->slack[at] = slack;
    choices[at] = s;
  }
  choices[node->n_choices++] = search->n_slots;
}

static void enter(struct search *search, uint32_t k, uint32_t slot) {
  search->nodes[k].slot = slot;
  if (slot == search->n_slots) {
    memset(search->inside[slot], 0, sizeof search->inside[slot]);
    memset(search->barred[slot], 0, sizeof search->barred[slot]);
    search->cost += search->ranking.weight[k];
    search->n_slots++;
  }
  set_bit(search->inside[slot], k);
  memcpy(search->nodes[k].before, search->barred[slot], sizeof search->nodes[k].before);
  for (uint32_t w = 0; w < N_WORDS; w++) {
    search->barred[slot][w] |= search->meets[k][w];
  }
}

static void leave(struct search *search, uint32_t k) {
  uint32_t slot = search->nodes[k].slot;
  search->inside[slot][k / 64] &= ~(UINT64_C(1) << k % 64);
  memcpy(search->barred[slot], search->nodes[k].before, sizeof search->nodes[k].before);
  bool is_first = true;
  for (uint32_t w = 0; w < N_WORDS; w++) {
    is_first &= search->inside[slot][w] == 0;
  }
  if (is_first) {
    search->cost -= search->ranking.weight[k];
    search->n_slots--;
  }
}

static void keep(struct search *search) {
  search->best = search->cost;
  search->best_n_slots = search->n_slots;
  for (uint32_t k = 0; k < search->ranking.n; k++) {
    search->best_slot[k] = search->nodes[k].slot;
  }
}

/* Whether nothing from the k-th on can lead to less than the best. */
static bool is_hopeless(const struct search *search, uint32_t k) {
  uint64_t more = to_come(search, k, search->n_slots);
  if (berth_add_sat_u64(search->cost, more) >= search->best) {
    return true;
  }
  return k < search->ranking.n &&
         berth_add_sat_u64(search->cost, cost_of_homeless(search, k)) >= search->best;
}

/* Depth first; false if effort was spent before all was looked at. */
static bool descend(struct search *search, uint64_t bound) {
  uint32_t n = search->ranking.n, k = 0;
  open_node(search, 0);
  for (;;) {
    struct node *node = &search->nodes[k];
    if (node->choice == node->n_choices) {
      search->refuted[node->situation % N_REFUTED] = (struct refuted){node->situation, search->cost};
      if (k-- == 0) {
        return true;
      }
      leave(search, k);
      continue;
    }
    if (!berth_effort_spend(search->effort, 32 + (uint64_t)search->n_slots)) {
      return false;
    }
    enter(search, k, search->choices[(size_t)k * n + node->choice++]);
    if (is_hopeless(search, k + 1)) {
      leave(search, k);
    } else if (k + 1 < n) {
      open_node(search, ++k);
      if (is_refuted(search, search->nodes[k].situation)) {
        search->nodes[k].n_choices = 0;
      }
    } else {
      keep(search);
      leave(search, k);
      if (search->best <= bound) {
        return true;
      }
    }
  }
}

static bool begin(struct search *search, struct berth_arena *arena) {
  uint32_t n = search->instance->n_buffers;
  if (!rank(search->instance, arena, &search->ranking)) {
    return false;
  }
  search->most_slots = search->ranking.most[n - 1];
  search->meets = berth_arena_take(arena, n, sizeof *search->meets);
  search->inside = berth_arena_take(arena, (size_t)n + 1, sizeof *search->inside);
  search->barred = berth_arena_take(arena, (size_t)n + 1, sizeof *search->barred);
  search->refuted = berth_arena_new_zeroed(arena, struct refuted, N_REFUTED);
  search->salt = berth_arena_new(arena, uint64_t, N_WORDS);
  search->to_come = berth_arena_new(arena, uint64_t, ((size_t)n + 1) * search->most_slots);
  search->nodes = berth_arena_new(arena, struct node, n);
  search->choices = berth_arena_new(arena, uint32_t, (size_t)n * n + 1);
  search->slack = berth_arena_new(arena, uint64_t, (size_t)n + 1);
  search->best_slot = berth_arena_new(arena, uint32_t, n);
  bool ok = search->meets && search->inside && search->barred && search->refuted && search->salt &&
            search->to_come && search->nodes && search->choices && search->slack && search->best_slot &&
            fill_meets(search, arena);
  if (ok) {
    fill_to_come(search);
    struct berth_rng rng = {.state = 3};
    for (uint32_t w = 0; w < N_WORDS; w++) {
      search->salt[w] = berth_rng_next(&rng) | 1;
    }
  }
  return ok;
}

/* By sizes, for half of the effort; what is found then is best. */
static bool try_sizes(struct search *search, struct berth_arena *arena, uint64_t *bound) {
  const struct berth_packing_instance *in = search->instance;
  const struct ranking *ranking = &search->ranking;
  uint32_t n = ranking->n;
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint32_t *lower = berth_arena_new(arena, uint32_t, n), *upper = berth_arena_new(arena, uint32_t, n);
  if (lower == NULL || upper == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < n; k++) {
    lower[k] = in->lower[ranking->order[k]];
    upper[k] = in->upper[ranking->order[k]];
  }
  struct berth_slot_sizes sizes = {
      .n = n,
      .lower = lower,
      .upper = upper,
      .weight = ranking->weight,
      .most = ranking->most,
      .bound = *bound,
      .slot = search->best_slot};
  struct berth_effort *effort = search->effort;
  uint64_t limit = effort->limit, left = limit > effort->ticks ? limit - effort->ticks : 0;
  berth_effort_set_limit(effort, effort->ticks + left / 2);
  bool ok = berth_slot_sizes_search(&sizes, arena, effort);
  berth_effort_set_limit(effort, limit);
  *bound = sizes.bound;
  if (sizes.is_found) {
    search->best = sizes.bound;
    search->best_n_slots = sizes.n_slots;
  }
  berth_arena_rewind(arena, mark);
  return ok;
}

enum berth_code berth_slots_search(
    const struct berth_packing_instance *instance, struct berth_arena *arena, struct berth_effort *effort,
    struct berth_slots_found *out) {
  *out = (struct berth_slots_found){0};
  uint32_t n = instance->n_buffers;
  if (n == 0 || n > BERTH_SLOTS_MOST || !berth_slots_are_plain(instance)) {
    return BERTH_OK;
  }
  out->slot = berth_arena_new(arena, uint32_t, n);
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct search search = {.instance = instance, .effort = effort, .best = UINT64_MAX};
  bool ok = out->slot != NULL && begin(&search, arena);
  uint64_t padding = search.ranking.most_padding;
  uint64_t bound = ok ? sum_of(&search.ranking) : 0;
  ok = ok && (instance->n_conflicts != 0 || try_sizes(&search, arena, &bound));
  if (ok) {
    bool is_complete = search.best <= bound || descend(&search, bound);
    bool is_found = search.best != UINT64_MAX;
    for (uint32_t k = 0; is_found && k < n; k++) {
      out->slot[search.ranking.order[k]] = search.best_slot[k];
    }
    out->n_slots = search.best_n_slots;
    out->slot = is_found ? out->slot : NULL;
    bound = is_complete && is_found ? search.best : bound;
    out->bound = bound > padding ? bound - padding : 0;
  }
  berth_arena_rewind(arena, mark);
  return ok ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}
