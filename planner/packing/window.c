#include "packing/window.h"

#include <string.h>

#include "base/checked.h"
#include "berth/problem.h"

bool berth_window_init(
    struct berth_window *window, const struct berth_packing_instance *instance,
    const struct berth_meetings *meetings, struct berth_effort *effort, struct berth_arena *arena) {
  uint32_t n = instance->n_buffers;
  *window = (struct berth_window){
      .instance = instance,
      .meetings = meetings,
      .effort = effort,
      .plan = berth_arena_new(arena, uint64_t, n),
      .members = berth_arena_new(arena, uint32_t, n),
      .others = berth_arena_new(arena, uint32_t, n),
      .upside = berth_arena_new(arena, uint32_t, n),
      .at = berth_arena_new(arena, uint64_t, n),
      .placed = berth_arena_new(arena, uint32_t, n),
      .grain = 1,
      .words = berth_arena_new(arena, uint64_t, 2 * (size_t)meetings->n_words),
      .items = berth_arena_new(arena, struct berth_sort_item, 2 * (size_t)n)};
  for (uint32_t i = 0; i < n; i++) {
    window->grain = instance->alignment[i] > window->grain ? instance->alignment[i] : window->grain;
  }
  return window->plan != NULL && window->members != NULL && window->others != NULL &&
         window->upside != NULL && window->at != NULL && window->placed != NULL && window->words != NULL &&
         window->items != NULL;
}

static void sort(struct berth_window *window, uint32_t *buffers, uint32_t n) {
  berth_sort_items(window->items, window->items + n, n);
  for (uint32_t k = 0; k < n; k++) {
    buffers[k] = window->items[k].index;
  }
}

static uint64_t end_of(const struct berth_window *window, const uint64_t *offset, uint32_t i) {
  return offset[i] + window->instance->size[i];
}

static void find_others(struct berth_window *window) {
  uint32_t n_words = window->meetings->n_words;
  uint64_t *met = window->words;
  uint64_t *own = window->words + n_words;
  memset(met, 0, 2 * (size_t)n_words * sizeof *met);
  for (uint32_t m = 0; m < window->n_members; m++) {
    uint32_t i = window->members[m];
    const uint64_t *row = berth_meetings_row(window->meetings, i);
    own[i / 64] |= UINT64_C(1) << (i % 64);
    for (uint32_t w = 0; w < n_words; w++) {
      met[w] |= row[w];
    }
  }
  window->n_others = 0;
  for (uint32_t w = 0; w < n_words; w++) {
    for (uint64_t bits = met[w] & ~own[w]; bits != 0; bits &= bits - 1) {
      window->others[window->n_others++] = w * 64 + (uint32_t)__builtin_ctzll(bits);
    }
  }
}

void berth_window_choose(struct berth_window *window, uint32_t first, uint32_t end) {
  const uint64_t *pin = window->instance->pin;
  window->n_members = 0;
  for (uint32_t i = first; i < end; i++) {
    if (pin == NULL || pin[i] == BERTH_UNPINNED) {
      window->members[window->n_members++] = i;
    }
  }
  find_others(window);
  window->height = 0;
  for (uint32_t k = 0; k < window->n_others; k++) {
    uint64_t top = end_of(window, window->plan, window->others[k]);
    window->height = top > window->height ? top : window->height;
    window->items[k] = (struct berth_sort_item){.key = ~top, .index = window->others[k]};
  }
  sort(window, window->upside, window->n_others);
  for (uint32_t k = 0; k < window->n_others; k++) {
    window->items[k] =
        (struct berth_sort_item){.key = window->plan[window->others[k]], .index = window->others[k]};
  }
  sort(window, window->others, window->n_others);
}

/* The least offset from `from` on that suits the buffer as the plan stands. */
static uint64_t align(const struct berth_window *window, uint32_t i, uint64_t from) {
  uint64_t alignment = window->instance->alignment[i];
  if (!window->is_flipped) {
    return berth_align_up(from, alignment);
  }
  uint64_t size = window->instance->size[i]; /* its far end is where it begins */
  return berth_align_up(from + size, alignment) - size;
}

/* Counts what it looks at. */
static uint64_t find(const struct berth_window *window, uint32_t i, uint64_t *n_looks) {
  const uint64_t *row = berth_meetings_row(window->meetings, i);
  const uint64_t *size = window->instance->size;
  uint64_t from = align(window, i, 0);
  uint32_t k = 0;
  for (; k < window->n_placed; k++) {
    uint32_t other = window->placed[k];
    if (!berth_meetings_has(row, other)) {
      continue;
    }
    if (window->at[other] >= from + size[i]) {
      break;
    }
    uint64_t end = window->at[other] + size[other];
    from = end > from ? align(window, i, end) : from;
  }
  *n_looks += k + 1;
  return from;
}

static void put(struct berth_window *window, uint32_t i, uint64_t offset) {
  uint32_t low = 0;
  uint32_t high = window->n_placed;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (window->at[window->placed[middle]] <= offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  memmove(&window->placed[low + 1], &window->placed[low], (window->n_placed - low) * sizeof *window->placed);
  window->placed[low] = i;
  window->n_placed++;
  window->at[i] = offset;
  uint64_t end = end_of(window, window->at, i);
  window->top = end > window->top ? end : window->top;
}

/* `items` has the members, and what to sort them by. */
static bool place_all(struct berth_window *window, uint64_t ceiling) {
  const uint32_t *others = window->is_flipped ? window->upside : window->others;
  sort(window, window->members, window->n_members);
  for (uint32_t k = 0; k < window->n_others; k++) {
    uint32_t other = others[k];
    window->at[other] =
        window->is_flipped ? window->flip - end_of(window, window->plan, other) : window->plan[other];
  }
  memcpy(window->placed, others, window->n_others * sizeof *others);
  window->n_placed = window->n_others;
  window->top = 0;
  uint64_t n_looks = 16 * (uint64_t)window->n_members; /* the sort's passes */
  for (uint32_t m = 0; m < window->n_members && window->top <= ceiling; m++) {
    put(window, window->members[m], find(window, window->members[m], &n_looks));
    if (!berth_effort_spend(window->effort, n_looks)) {
      return false;
    }
    n_looks = 0;
  }
  return window->top <= ceiling;
}

bool berth_window_place(struct berth_window *window, const uint64_t *key, uint64_t ceiling) {
  for (uint32_t m = 0; m < window->n_members; m++) {
    window->items[m] = (struct berth_sort_item){.key = key[window->members[m]], .index = window->members[m]};
  }
  window->is_flipped = false;
  return place_all(window, ceiling);
}

bool berth_window_flip(struct berth_window *window) {
  if (!window->is_flipped) {
    uint64_t height = window->top > window->height ? window->top : window->height;
    window->flip = berth_align_up(height, window->grain);
  }
  for (uint32_t m = 0; m < window->n_members; m++) {
    uint32_t i = window->members[m];
    window->items[m] = (struct berth_sort_item){.key = ~end_of(window, window->at, i), .index = i};
  }
  window->is_flipped = !window->is_flipped;
  return place_all(window, UINT64_MAX);
}
