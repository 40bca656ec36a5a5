#include "packing/slot_sizes.h"

#include <string.h>

#include "base/order.h"

enum {
  MOST_SLOTS = 12,
  MOST_EXTRA = 3,
  MOST_VECTORS = 1 << 14,
  MOST_STATES = 1 << 15,
  MOST_AT_ONCE = 1 << 10
};

/* Sizes of slots, none larger than the one before. */
struct vector {
  uint64_t sum;
  uint32_t n;
  uint32_t next; /* of those with the same hash, + 1 */
  uint64_t size[MOST_SLOTS];
};

/* Who is in each slot after the k-th buffer by start: buffer + 1, or 0. */
struct state {
  uint16_t in[MOST_SLOTS];
  uint16_t slot; /* that the k-th went to, or one of its size */
  uint32_t parent;
};

struct search {
  struct berth_slot_sizes *out;
  struct berth_effort *effort;
  uint32_t *by_start;
  struct vector *vectors; /* all that came up */
  uint32_t n_vectors;
  uint32_t *by_hash; /* the last one of each, + 1 */
  uint32_t *heap;    /* those to be looked at, the least sum first */
  uint32_t n_heap;
  struct state *states;
  uint32_t *first_state; /* of each level, and the end */
  uint64_t left_out;     /* no sum that is left out, for too many slots, is smaller */
  bool is_cut;
};

/* ---- Sums in order ---- */

static uint32_t hash_of(const struct vector *vector) {
  uint64_t hash = vector->n;
  for (uint32_t j = 0; j < vector->n; j++) {
    hash = (hash ^ vector->size[j]) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 32;
  }
  return (uint32_t)(hash % MOST_VECTORS);
}

static bool is_known(const struct search *search, const struct vector *vector, uint32_t hash) {
  for (uint32_t k = search->by_hash[hash]; k != 0; k = search->vectors[k - 1].next) {
    const struct vector *other = &search->vectors[k - 1];
    if (other->n == vector->n && memcmp(other->size, vector->size, sizeof other->size) == 0) {
      return true;
    }
  }
  return false;
}

static void push(struct search *search, const struct vector *vector) {
  uint32_t hash = hash_of(vector);
  if (is_known(search, vector, hash)) {
    return;
  }
  if (search->n_vectors == MOST_VECTORS) {
    search->is_cut = true;
    return;
  }
  uint32_t index = search->n_vectors++, k = search->n_heap++;
  search->vectors[index] = *vector;
  search->vectors[index].next = search->by_hash[hash];
  search->by_hash[hash] = index + 1;
  for (; k > 0 && search->vectors[search->heap[(k - 1) / 2]].sum > vector->sum; k = (k - 1) / 2) {
    search->heap[k] = search->heap[(k - 1) / 2];
  }
  search->heap[k] = index;
}

static uint64_t sum_at(const struct search *search, uint32_t k) {
  return search->vectors[search->heap[k]].sum;
}

static struct vector pop(struct search *search) {
  uint32_t top = search->heap[0], last = search->heap[--search->n_heap], k = 0;
  for (uint32_t child = 1; child < search->n_heap; child = 2 * k + 1) {
    child += child + 1 < search->n_heap && sum_at(search, child + 1) < sum_at(search, child);
    if (sum_at(search, child) >= search->vectors[last].sum) {
      break;
    }
    search->heap[k] = search->heap[child];
    k = child;
  }
  search->heap[k] = last;
  return search->vectors[top];
}

/* The buffers by start that a refutation at the k-th is about: since nobody was live. */
static uint32_t begin_of_reason(const struct search *search, uint32_t k) {
  const struct berth_slot_sizes *out = search->out;
  uint32_t reach = 0, begin = 0;
  for (uint32_t m = 0; m <= k; m++) {
    uint32_t b = search->by_start[m];
    begin = out->lower[b] >= reach ? m : begin;
    reach = out->upper[b] > reach ? out->upper[b] : reach;
  }
  return begin;
}

/* The least size of a buffer of the reason that is larger; 0 if there is none. */
static uint64_t next_size(const struct search *search, uint32_t begin, uint32_t end, uint64_t size) {
  uint64_t least = 0;
  for (uint32_t m = begin; m < end; m++) {
    uint64_t weight = search->out->weight[search->by_start[m]];
    least = weight > size && (least == 0 || weight < least) ? weight : least;
  }
  return least;
}

/* Nothing changes before some slot is large enough for one more of those that the refutation is about. */
static void
push_raised(struct search *search, const struct vector *vector, uint32_t refuted, uint32_t most_slots) {
  uint32_t begin = begin_of_reason(search, refuted);
  for (uint32_t j = 0; j <= vector->n; j++) {
    struct vector raised = *vector;
    uint64_t before = j < vector->n ? vector->size[j] : 0;
    uint64_t size = next_size(search, begin, refuted + 1, before);
    if (size == 0) {
      continue;
    }
    if (j == most_slots) {
      uint64_t sum = vector->sum + size;
      search->left_out = sum < search->left_out ? sum : search->left_out;
      continue;
    }
    raised.sum += size - before;
    raised.n = j < vector->n ? vector->n : j + 1;
    raised.size[j] = size;
    for (uint32_t i = j; i > 0 && raised.size[i] > raised.size[i - 1]; i--) {
      raised.size[i] = raised.size[i - 1];
      raised.size[i - 1] = size;
    }
    push(search, &raised);
  }
}

/* ---- Whether they fit ---- */

/* Slots of one size have no names: those inside are in order. */
static void sort_equal(const struct vector *vector, struct state *state) {
  for (uint32_t j = 1; j < vector->n; j++) {
    for (uint32_t i = j; i > 0 && vector->size[i] == vector->size[i - 1] && state->in[i] < state->in[i - 1];
         i--) {
      uint16_t other = state->in[i];
      state->in[i] = state->in[i - 1];
      state->in[i - 1] = other;
    }
  }
}

static bool is_new(const struct search *search, const struct state *state, uint32_t from, uint32_t to) {
  for (uint32_t k = from; k < to; k++) {
    if (memcmp(search->states[k].in, state->in, sizeof state->in) == 0) {
      return false;
    }
  }
  return true;
}

/* The states after the k-th by start, from those before it; false when there is no room or effort. */
static bool step(struct search *search, const struct vector *vector, uint32_t k, uint32_t from, uint32_t to) {
  const struct berth_slot_sizes *out = search->out;
  uint32_t b = search->by_start[k], n = to;
  for (uint32_t parent = from; parent < to; parent++) {
    struct state freed = search->states[parent];
    for (uint32_t j = 0; j < vector->n; j++) {
      freed.in[j] = freed.in[j] != 0 && out->upper[freed.in[j] - 1] > out->lower[b] ? freed.in[j] : 0;
    }
    for (uint32_t j = 0; j < vector->n && vector->size[j] >= out->weight[b]; j++) {
      if (freed.in[j] != 0) {
        continue;
      }
      struct state next = freed;
      next.in[j] = (uint16_t)(b + 1);
      next.slot = (uint16_t)j;
      next.parent = parent;
      sort_equal(vector, &next);
      if (!is_new(search, &next, to, n)) {
        continue;
      }
      if (n == MOST_STATES || n - to == MOST_AT_ONCE) {
        return false;
      }
      search->states[n++] = next;
    }
    if (!berth_effort_spend(search->effort, 8 + vector->n + (n - to))) {
      return false;
    }
  }
  search->first_state[k + 2] = n;
  return true;
}

/* Which way it was. Slots of one size have changed names on the way: any that is free is as good. */
static void trace(struct search *search, const struct vector *vector, uint32_t last) {
  struct berth_slot_sizes *out = search->out;
  uint32_t *path = search->first_state; /* no longer needed: the state of each level */
  for (uint32_t k = out->n; k-- > 0; last = search->states[last].parent) {
    path[k] = last;
  }
  uint32_t free_from[MOST_SLOTS] = {0};
  for (uint32_t k = 0; k < out->n; k++) {
    uint32_t b = search->by_start[k], slot = 0;
    while (vector->size[slot] != vector->size[search->states[path[k]].slot] ||
           free_from[slot] > out->lower[b]) {
      slot++;
    }
    free_from[slot] = out->upper[b];
    out->slot[b] = slot;
  }
}

enum verdict { FITS, REFUTED, UNDECIDED };

/* *out_refuted: the first by start that nobody has room for. */
static enum verdict sweep(struct search *search, const struct vector *vector, uint32_t *out_refuted) {
  const struct berth_slot_sizes *out = search->out;
  memset(&search->states[0], 0, sizeof search->states[0]);
  search->first_state[0] = 0;
  search->first_state[1] = 1;
  for (uint32_t k = 0; k < out->n; k++) {
    uint32_t from = search->first_state[k], to = search->first_state[k + 1];
    if (!step(search, vector, k, from, to)) {
      return UNDECIDED;
    }
    if (search->first_state[k + 2] == to) {
      *out_refuted = k;
      return REFUTED;
    }
  }
  trace(search, vector, search->first_state[out->n]);
  return FITS;
}

/* ---- The search ---- */

/* The j-th slot is at least as large as the least of the largest j + 1 that meet. */
static struct vector least_sizes(const struct berth_slot_sizes *out) {
  struct vector vector = {0};
  for (uint32_t k = 0; k < out->n; k++) {
    for (; vector.n < out->most[k]; vector.n++) {
      vector.size[vector.n] = out->weight[k];
      vector.sum += out->weight[k];
    }
  }
  return vector;
}

static bool begin(struct search *search, struct berth_arena *arena) {
  const struct berth_slot_sizes *out = search->out;
  search->by_start = berth_arena_new(arena, uint32_t, out->n);
  search->vectors = berth_arena_new(arena, struct vector, MOST_VECTORS);
  search->by_hash = berth_arena_new_zeroed(arena, uint32_t, MOST_VECTORS);
  search->heap = berth_arena_new(arena, uint32_t, MOST_VECTORS);
  search->states = berth_arena_new(arena, struct state, MOST_STATES);
  search->first_state = berth_arena_new(arena, uint32_t, (size_t)out->n + 2);
  uint64_t *key = berth_arena_new(arena, uint64_t, out->n);
  if (!search->by_start || !search->vectors || !search->by_hash || !search->heap || !search->states ||
      !search->first_state || !key) {
    return false;
  }
  for (uint32_t k = 0; k < out->n; k++) {
    key[k] = out->lower[k];
  }
  berth_order_identity(out->n, search->by_start);
  return berth_order_by_key(arena, out->n, key, search->by_start);
}

bool berth_slot_sizes_search(
    struct berth_slot_sizes *sizes, struct berth_arena *arena, struct berth_effort *effort) {
  uint32_t n_least = sizes->most[sizes->n - 1];
  sizes->is_found = false;
  if (n_least > MOST_SLOTS - MOST_EXTRA) {
    return true;
  }
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct search search = {.out = sizes, .effort = effort, .left_out = UINT64_MAX};
  bool ok = begin(&search, arena);
  struct vector first = least_sizes(sizes);
  if (ok) {
    push(&search, &first);
  }
  while (ok && search.n_heap > 0 && !search.is_cut && !sizes->is_found) {
    struct vector vector = pop(&search);
    uint64_t least = vector.sum < search.left_out ? vector.sum : search.left_out;
    sizes->bound = least > sizes->bound ? least : sizes->bound;
    uint32_t refuted = 0;
    enum verdict verdict = vector.sum <= search.left_out ? sweep(&search, &vector, &refuted) : UNDECIDED;
    sizes->is_found = verdict == FITS;
    sizes->n_slots = vector.n;
    search.is_cut = verdict == UNDECIDED;
    if (verdict == REFUTED) {
      push_raised(&search, &vector, refuted, n_least + MOST_EXTRA);
    }
  }
  berth_arena_rewind(arena, mark);
  return ok;
}
