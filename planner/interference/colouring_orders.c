#include "interference/colouring_orders.h"

#include <stddef.h>
#include <string.h>

#include "base/effort.h"
#include "base/order.h"
#include "base/rankset.h"
#include "interference/pairs.h"
#include "interference/picker.h"

/* Free slots, kept by the rank of their size among the sizes of the input: `next` chains slots of one rank.
 */
struct free_slots {
  struct berth_rankset ranks;
  uint32_t *head; /* a rank's first free slot, UINT32_MAX if none */
  uint32_t *next; /* of a slot */
};

struct sweep {
  const struct berth_colouring_input *input;
  const uint64_t *size_at; /* by rank, ascending */
  uint32_t *rank;          /* of a buffer's size */
  uint32_t *slot_rank;     /* a slot's size, as a rank */
  uint32_t *by_start;
  uint32_t *by_end;
  uint32_t *out_slot;
  uint32_t *barred; /* of a slot: i + 1 if a partner of buffer i, the last that looked, was given it */
  struct free_slots free;
  struct berth_pairs pairs;
  uint32_t n_slots;
};

static void release(struct free_slots *free, uint32_t rank, uint32_t slot) {
  free->next[slot] = free->head[rank];
  free->head[rank] = slot;
  berth_rankset_insert(&free->ranks, rank);
}

static void take(struct free_slots *free, uint32_t rank, uint32_t slot) {
  uint32_t *link = &free->head[rank];
  while (*link != slot) {
    link = &free->next[*link];
  }
  *link = free->next[slot];
  if (free->head[rank] == UINT32_MAX) {
    berth_rankset_remove(&free->ranks, rank);
  }
}

/* The slots that partners of buffer i were given earlier. */
static void bar_slots(struct sweep *sweep, uint32_t i) {
  for (uint32_t k = 0; k < berth_pairs_n(&sweep->pairs, i); k++) {
    uint32_t slot = sweep->out_slot[sweep->pairs.other[sweep->pairs.begin[i] + k]];
    if (slot != UINT32_MAX) {
      sweep->barred[slot] = i + 1;
    }
  }
}

static uint32_t free_slot_of_rank(const struct sweep *sweep, uint32_t i, uint32_t rank) {
  uint32_t slot = sweep->free.head[rank];
  while (slot != UINT32_MAX && sweep->barred[slot] == i + 1) {
    slot = sweep->free.next[slot];
  }
  return slot;
}

static uint32_t choose_slot(struct sweep *sweep, uint32_t i) {
  const struct berth_rankset *ranks = &sweep->free.ranks;
  uint32_t wanted = sweep->rank[i];
  bar_slots(sweep, i);
  uint32_t slot = free_slot_of_rank(sweep, i, wanted);
  for (uint32_t r = berth_rankset_after(ranks, wanted); slot == UINT32_MAX && r != BERTH_NO_RANK;
       r = berth_rankset_after(ranks, r)) {
    slot = free_slot_of_rank(sweep, i, r);
  }
  for (uint32_t r = berth_rankset_before(ranks, wanted); slot == UINT32_MAX && r != BERTH_NO_RANK;
       r = berth_rankset_before(ranks, r)) {
    slot = free_slot_of_rank(sweep, i, r);
  }
  return slot;
}

enum { POLL_BUFFERS = 1 << 13 };

static bool run_sweep(struct sweep *sweep, struct berth_effort *effort) {
  const struct berth_timeline *timeline = sweep->input->timeline;
  uint32_t n_ended = 0;
  for (uint32_t k = 0; k < timeline->n_buffers; k++) {
    uint32_t i = sweep->by_start[k];
    if (k % POLL_BUFFERS == POLL_BUFFERS - 1 && !berth_effort_poll(effort)) {
      return false;
    }
    if (sweep->input->size[i] == 0) {
      continue;
    }
    for (; timeline->upper[sweep->by_end[n_ended]] <= timeline->lower[i]; n_ended++) {
      uint32_t ended = sweep->by_end[n_ended];
      if (sweep->input->size[ended] > 0) {
        uint32_t slot = sweep->out_slot[ended];
        release(&sweep->free, sweep->slot_rank[slot], slot);
      }
    }
    uint32_t slot = choose_slot(sweep, i);
    if (slot == UINT32_MAX) {
      slot = sweep->n_slots++;
      sweep->slot_rank[slot] = sweep->rank[i];
    } else {
      take(&sweep->free, sweep->slot_rank[slot], slot);
      if (sweep->slot_rank[slot] < sweep->rank[i]) {
        sweep->slot_rank[slot] = sweep->rank[i];
      }
    }
    sweep->out_slot[i] = slot;
  }
  return true;
}

/* Ranks of the sizes, and the buffers by start (larger first) and by end. */
static bool prepare(struct sweep *sweep, struct berth_arena *arena) {
  const struct berth_timeline *timeline = sweep->input->timeline;
  uint32_t n = timeline->n_buffers;
  uint64_t *key = berth_arena_new(arena, uint64_t, n);
  uint64_t *size_at = berth_arena_new(arena, uint64_t, n);
  sweep->rank = berth_arena_new(arena, uint32_t, n);
  sweep->barred = berth_arena_new_zeroed(arena, uint32_t, n);
  sweep->slot_rank = berth_arena_new(arena, uint32_t, n);
  sweep->by_start = berth_arena_new(arena, uint32_t, n);
  sweep->by_end = berth_arena_new(arena, uint32_t, n);
  sweep->free.head = berth_arena_new(arena, uint32_t, n);
  sweep->free.next = berth_arena_new(arena, uint32_t, n);
  if (key == NULL || size_at == NULL || sweep->rank == NULL || sweep->barred == NULL ||
      sweep->slot_rank == NULL || sweep->by_start == NULL || sweep->by_end == NULL ||
      sweep->free.head == NULL || sweep->free.next == NULL ||
      !berth_rankset_init(&sweep->free.ranks, arena, n) ||
      !berth_pairs_init(&sweep->pairs, arena, n, sweep->input->n_conflicts, sweep->input->conflicts)) {
    return false;
  }
  if (!berth_effort_fill(arena->effort, sweep->out_slot, 0xff, n * sizeof *sweep->out_slot) ||
      !berth_effort_fill(arena->effort, sweep->free.head, 0xff, n * sizeof *sweep->free.head)) {
    return false;
  }
  sweep->size_at = size_at;
  berth_order_identity(n, sweep->by_end);
  if (!berth_order_by_key(arena, n, sweep->input->size, sweep->by_end)) {
    return false;
  }
  uint32_t n_ranks = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (!berth_effort_poll_at(arena->effort, k)) {
      return false;
    }
    uint32_t i = sweep->by_end[k];
    if (n_ranks == 0 || size_at[n_ranks - 1] != sweep->input->size[i]) {
      size_at[n_ranks++] = sweep->input->size[i];
    }
    sweep->rank[i] = n_ranks - 1;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!berth_effort_poll_at(arena->effort, i)) {
      return false;
    }
    key[i] = (uint64_t)timeline->lower[i] << 32 | (n_ranks - sweep->rank[i]);
  }
  berth_order_identity(n, sweep->by_start);
  if (!berth_order_by_key(arena, n, key, sweep->by_start)) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    if (!berth_effort_poll_at(arena->effort, i)) {
      return false;
    }
    key[i] = timeline->upper[i];
  }
  berth_order_identity(n, sweep->by_end);
  return berth_order_by_key(arena, n, key, sweep->by_end);
}

bool berth_slots_by_start(
    const struct berth_colouring_input *input, struct berth_arena *arena, uint32_t *out_slot,
    struct berth_slots *out) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  struct sweep sweep = {.input = input, .out_slot = out_slot};
  *out = (struct berth_slots){.finished = true};
  bool ok = prepare(&sweep, arena) && run_sweep(&sweep, arena->effort);
  if (ok) {
    out->n = sweep.n_slots;
    for (uint32_t s = 0; s < sweep.n_slots; s++) {
      out->total_bytes += sweep.size_at[sweep.slot_rank[s]];
    }
  }
  berth_arena_rewind(arena, mark);
  return ok;
}

struct span {
  uint32_t from;
  uint32_t to;
};

/* One slot: takes the best buffer of every free span until none fits. Returns the slot's size, 0 if empty. */
static uint64_t fill_slot(
    const struct berth_colouring_input *input, struct berth_picker *picker, struct span *spans, uint32_t slot,
    uint32_t *out_slot, uint32_t *n_left) {
  const struct berth_timeline *timeline = input->timeline;
  uint64_t size = 0;
  uint32_t n_spans = 1;
  spans[0] = (struct span){0, timeline->n_steps};
  while (n_spans > 0) {
    struct span span = spans[--n_spans];
    uint32_t i = span.from < span.to ? berth_picker_best(picker, span.from, span.to) : UINT32_MAX;
    if (i == UINT32_MAX) {
      continue;
    }
    berth_picker_remove(picker, i);
    out_slot[i] = slot;
    size = input->size[i] > size ? input->size[i] : size;
    --*n_left;
    spans[n_spans++] = (struct span){timeline->upper[i], span.to};
    spans[n_spans++] = (struct span){span.from, timeline->lower[i]};
  }
  return size;
}

bool berth_slots_ranked(
    const struct berth_colouring_input *input, const uint32_t *order, struct berth_arena *arena,
    struct berth_effort *effort, uint32_t *out_slot, struct berth_slots *out) {
  const struct berth_timeline *timeline = input->timeline;
  uint32_t n = timeline->n_buffers;
  struct berth_arena_mark mark = berth_arena_mark(arena);
  *out = (struct berth_slots){.finished = true};
  struct berth_picker picker;
  struct span *spans = berth_arena_new(arena, struct span, (size_t)n + 2);
  bool ok = spans != NULL && berth_picker_init(&picker, arena, n, timeline->lower, timeline->upper, order);
  uint32_t n_left = n;
  for (uint32_t i = 0; ok && i < n; i++) {
    if (input->size[i] == 0) {
      berth_picker_remove(&picker, i);
      n_left--;
    }
  }
  while (ok && n_left > 0 && out->finished) {
    uint64_t before = picker.n_visited;
    out->total_bytes += fill_slot(input, &picker, spans, out->n++, out_slot, &n_left);
    out->finished = berth_effort_spend(effort, picker.n_visited - before);
  }
  berth_arena_rewind(arena, mark);
  return ok;
}
