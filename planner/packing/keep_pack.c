#include "packing/keep_pack.h"

#include <string.h>

#include "base/order.h"
#include "base/sort.h"
#include "packing/board.h"
#include "packing/exact/exact.h"
#include "packing/improve.h"
#include "packing/placement.h"
#include "packing/reduce.h"

enum {
  MOST_TAKEN = 1 << 16,
  MOST_TICKS = 1 << 23, /* of one packing */
  SHARE = 8             /* of the effort that is left, for the same */
};

/* Between two moments at which one of them begins or ends, all others are one thing: bytes that are taken. */
struct small {
  uint32_t n_moments;
  uint64_t *moment; /* rising */
  uint32_t n_taken; /* ranges, first as they come, then by moment and byte, merged */
  uint32_t *taken_at;
  uint32_t *taken_until;
  uint64_t *taken_begin;
  uint64_t *taken_end;
  struct berth_packing_instance instance; /* the lifted, then what is taken; steps are moments */
};

static bool find_moments(const struct berth_keep_lift *lift, struct small *small) {
  uint32_t n = 2 * lift->n_lifted;
  struct berth_sort_item *items = berth_arena_new(lift->arena, struct berth_sort_item, 2 * (size_t)n);
  small->moment = berth_arena_new(lift->arena, uint64_t, n);
  if (items == NULL || small->moment == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < lift->n_lifted; k++) {
    uint32_t i = lift->lifted[k];
    items[2 * k] = (struct berth_sort_item){.key = lift->instance->lower[i]};
    items[2 * k + 1] = (struct berth_sort_item){.key = lift->instance->upper[i]};
  }
  berth_sort_items(items, items + n, n);
  for (uint32_t k = 0; k < n; k++) {
    if (k == 0 || items[k].key != items[k - 1].key) {
      small->moment[small->n_moments++] = items[k].key;
    }
  }
  return true;
}

/* The first moment that is no earlier than the step. */
static uint32_t moment_of(const struct small *small, uint64_t step) {
  uint32_t low = 0;
  uint32_t high = small->n_moments;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    low = small->moment[middle] < step ? middle + 1 : low;
    high = small->moment[middle] < step ? high : middle;
  }
  return low;
}

/* The bytes of item i, from one step to another. False if there are too many ranges. */
static bool
take(const struct berth_keep_lift *lift, struct small *small, uint32_t i, uint64_t lower, uint64_t upper) {
  uint32_t end = moment_of(small, upper);
  uint32_t m = moment_of(small, lower + 1);
  for (m = m > 0 ? m - 1 : 0; m < end && m + 1 < small->n_moments; m++) {
    if (small->n_taken == MOST_TAKEN) {
      return false;
    }
    small->taken_at[small->n_taken] = m;
    small->taken_begin[small->n_taken] = lift->offset[i];
    small->taken_end[small->n_taken++] = lift->offset[i] + lift->instance->size[i];
  }
  return true;
}

/* Who is live at the same steps; and of a pair of which one is lifted, the other, as long as that lives. */
static bool take_all(const struct berth_keep_lift *lift, struct small *small) {
  const struct berth_packing_instance *instance = lift->instance;
  const struct berth_pairs *pairs = lift->pairs;
  bool ok = true;
  for (uint32_t k = 0; ok && k < lift->n_near; k++) {
    uint32_t i = lift->near[k];
    ok = lift->is_lifted[i] || take(lift, small, i, instance->lower[i], instance->upper[i]);
  }
  for (uint32_t k = 0; ok && k < lift->n_lifted; k++) {
    uint32_t lifted = lift->lifted[k];
    for (uint32_t e = 0; ok && e < berth_pairs_n(pairs, lifted); e++) {
      uint32_t i = pairs->other[pairs->begin[lifted] + e];
      if (lift->offset[i] != BERTH_NO_PLACE && !lift->is_lifted[i]) {
        ok = take(lift, small, i, instance->lower[lifted], instance->upper[lifted]);
      }
    }
  }
  return ok;
}

/* The same range at one moment after another is one that lasts. */
static bool join_moments(const struct berth_keep_lift *lift, struct small *small) {
  uint32_t n = small->n_taken;
  uint32_t *last_of = berth_arena_new(lift->arena, uint32_t, n); /* the range that each one goes on with */
  uint32_t *moment_at = berth_arena_new(lift->arena, uint32_t, n);
  uint64_t *first_byte = berth_arena_new(lift->arena, uint64_t, n);
  small->taken_until = berth_arena_new(lift->arena, uint32_t, n);
  if (last_of == NULL || moment_at == NULL || first_byte == NULL || small->taken_until == NULL) {
    return false;
  }
  memcpy(moment_at, small->taken_at, n * sizeof *moment_at);
  memcpy(first_byte, small->taken_begin, n * sizeof *first_byte);
  uint32_t before = 0; /* runs along the moment before */
  uint32_t n_joined = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t at = small->taken_at[k];
    uint64_t begin = small->taken_begin[k];
    uint64_t end = small->taken_end[k];
    while (before < k &&
           (moment_at[before] + 1 < at || (moment_at[before] + 1 == at && first_byte[before] < begin))) {
      before++;
    }
    bool goes_on = before < k && moment_at[before] + 1 == at && first_byte[before] == begin &&
                   small->taken_end[last_of[before]] == end;
    last_of[k] = goes_on ? last_of[before] : n_joined;
    if (!goes_on) {
      small->taken_at[n_joined] = at;
      small->taken_begin[n_joined] = begin;
      small->taken_end[n_joined++] = end;
    }
    small->taken_until[last_of[k]] = at + 1;
  }
  small->n_taken = n_joined;
  return true;
}

/* Ranges that touch or overlap at one moment become one. */
static bool merge_taken(const struct berth_keep_lift *lift, struct small *small) {
  uint32_t n = small->n_taken;
  struct berth_sort_item *items = berth_arena_new(lift->arena, struct berth_sort_item, 2 * (size_t)n);
  uint32_t *at = berth_arena_new(lift->arena, uint32_t, n);
  uint64_t *begin = berth_arena_new(lift->arena, uint64_t, n);
  uint64_t *end = berth_arena_new(lift->arena, uint64_t, n);
  if (items == NULL || at == NULL || begin == NULL || end == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < n; k++) {
    items[k] = (struct berth_sort_item){.key = small->taken_begin[k], .index = k};
  }
  berth_sort_items(items, items + n, n);
  for (uint32_t k = 0; k < n; k++) {
    items[k].key = small->taken_at[items[k].index];
  }
  berth_sort_items(items, items + n, n);
  uint32_t n_merged = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t from = items[k].index;
    uint32_t last = n_merged - 1;
    if (n_merged > 0 && at[last] == small->taken_at[from] && small->taken_begin[from] <= end[last]) {
      end[last] = small->taken_end[from] > end[last] ? small->taken_end[from] : end[last];
    } else {
      at[n_merged] = small->taken_at[from];
      begin[n_merged] = small->taken_begin[from];
      end[n_merged++] = small->taken_end[from];
    }
  }
  small->n_taken = n_merged;
  small->taken_at = at;
  small->taken_begin = begin;
  small->taken_end = end;
  return join_moments(lift, small);
}

/* Pairs of two who are lifted. */
static bool list_pairs(const struct berth_keep_lift *lift, struct small *small) {
  const struct berth_pairs *pairs = lift->pairs;
  size_t most = 0;
  for (uint32_t k = 0; k < lift->n_lifted; k++) {
    most += berth_pairs_n(pairs, lift->lifted[k]);
  }
  uint32_t *place = berth_arena_new(lift->arena, uint32_t, most > 0 ? lift->instance->n_buffers : 0);
  uint32_t(*conflicts)[2] = berth_arena_take(lift->arena, most, sizeof *conflicts);
  uint32_t n = 0;
  if (place == NULL || conflicts == NULL) {
    return false;
  }
  for (uint32_t k = 0; most > 0 && k < lift->n_lifted; k++) {
    place[lift->lifted[k]] = k;
  }
  for (uint32_t k = 0; k < lift->n_lifted; k++) {
    for (uint32_t e = 0; e < berth_pairs_n(pairs, lift->lifted[k]); e++) {
      uint32_t other = pairs->other[pairs->begin[lift->lifted[k]] + e];
      if (lift->is_lifted[other] && place[other] > k) {
        conflicts[n][0] = k;
        conflicts[n++][1] = place[other];
      }
    }
  }
  small->instance.n_conflicts = n;
  small->instance.conflicts = (const uint32_t(*)[2])conflicts;
  return true;
}

static bool fill(const struct berth_keep_lift *lift, struct small *small) {
  const struct berth_packing_instance *from = lift->instance;
  uint32_t n = lift->n_lifted + small->n_taken;
  uint32_t *lower = berth_arena_new(lift->arena, uint32_t, n);
  uint32_t *upper = berth_arena_new(lift->arena, uint32_t, n);
  uint64_t *size = berth_arena_new(lift->arena, uint64_t, n);
  uint64_t *alignment = berth_arena_new(lift->arena, uint64_t, n);
  uint64_t *pin = berth_arena_new(lift->arena, uint64_t, n);
  if (lower == NULL || upper == NULL || size == NULL || alignment == NULL || pin == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = k < lift->n_lifted ? lift->lifted[k] : 0;
    uint32_t taken = k < lift->n_lifted ? 0 : k - lift->n_lifted;
    bool is_lifted = k < lift->n_lifted;
    lower[k] = is_lifted ? moment_of(small, from->lower[i]) : small->taken_at[taken];
    upper[k] = is_lifted ? moment_of(small, from->upper[i]) : small->taken_until[taken];
    size[k] = is_lifted ? from->size[i] : small->taken_end[taken] - small->taken_begin[taken];
    alignment[k] = is_lifted ? from->alignment[i] : 1;
    pin[k] = is_lifted ? BERTH_UNPINNED : small->taken_begin[taken];
  }
  small->instance = (struct berth_packing_instance){
      .n_buffers = n,
      .n_steps = small->n_moments,
      .lower = lower,
      .upper = upper,
      .size = size,
      .alignment = alignment,
      .pin = pin,
      .capacity = from->capacity};
  return list_pairs(lift, small);
}

/* *out_ok is false if it would be too large. */
static bool make(const struct berth_keep_lift *lift, struct small *small, bool *out_ok) {
  *small = (struct small){
      .taken_at = berth_arena_new(lift->arena, uint32_t, MOST_TAKEN),
      .taken_begin = berth_arena_new(lift->arena, uint64_t, MOST_TAKEN),
      .taken_end = berth_arena_new(lift->arena, uint64_t, MOST_TAKEN)};
  if (small->taken_at == NULL || small->taken_begin == NULL || small->taken_end == NULL ||
      !find_moments(lift, small)) {
    return false;
  }
  *out_ok = take_all(lift, small);
  return !*out_ok || (merge_taken(lift, small) && fill(lift, small));
}

/* ---- Packing them ---- */

static enum berth_code pack(struct berth_packing_search *search) {
  struct berth_effort *effort = search->effort;
  uint64_t limit = effort->limit;
  uint64_t left = limit > effort->ticks ? limit - effort->ticks : 0;
  uint64_t most = left / SHARE < MOST_TICKS ? left / SHARE : MOST_TICKS;
  uint64_t limit_of_all = effort->ticks + most;
  berth_effort_set_limit(effort, limit_of_all);
  enum berth_code code = berth_packing_placement.run(search);
  if (code == BERTH_OK && !berth_packing_done(search) && effort->state == BERTH_EFFORT_RUNNING) {
    berth_effort_set_limit(effort, effort->ticks + most / 3);
    code = berth_packing_improve.run(search);
    berth_effort_set_limit(effort, limit_of_all);
  }
  if (code == BERTH_OK && !berth_packing_done(search) && effort->state == BERTH_EFFORT_RUNNING) {
    code = berth_packing_exact.run(search);
  }
  berth_effort_set_limit(effort, limit);
  bool is_spent = code == BERTH_RESOURCE_EXHAUSTED && effort->state == BERTH_EFFORT_STOPPED;
  return is_spent ? BERTH_OK : code;
}

static bool may_meet(const struct berth_packing_instance *instance, uint32_t a, uint32_t b) {
  bool meets = instance->lower[a] < instance->upper[b] && instance->lower[b] < instance->upper[a];
  for (uint32_t c = 0; !meets && c < instance->n_conflicts; c++) {
    meets = (instance->conflicts[c][0] == a && instance->conflicts[c][1] == b) ||
            (instance->conflicts[c][0] == b && instance->conflicts[c][1] == a);
  }
  return meets;
}

/* Whoever of them can, goes back to where it was. */
static void go_back(const struct berth_keep_lift *lift, const struct small *small, uint64_t *offset) {
  const struct berth_packing_instance *instance = &small->instance;
  for (uint32_t k = 0; k < lift->n_lifted; k++) {
    uint64_t want = lift->want[lift->lifted[k]];
    bool is_free = want != BERTH_UNPINNED && want != offset[k];
    for (uint32_t other = 0; is_free && other < instance->n_buffers; other++) {
      is_free = other == k || offset[other] >= want + instance->size[k] ||
                want >= offset[other] + instance->size[other] || !may_meet(instance, k, other);
    }
    offset[k] = is_free ? want : offset[k];
  }
}

static enum berth_code
pack_small(const struct berth_keep_lift *lift, const struct small *small, bool *out_fits) {
  struct berth_reduction packed;
  uint32_t n = small->instance.n_buffers;
  uint32_t *all = berth_arena_new(lift->arena, uint32_t, n);
  uint64_t *offset = berth_arena_new(lift->arena, uint64_t, n);
  uint64_t *found = berth_arena_new(lift->arena, uint64_t, n);
  if (all == NULL || offset == NULL || found == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  berth_order_identity(n, all);
  if (!berth_packing_reduce(&small->instance, all, n, false, lift->arena, &packed)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  struct berth_packing_search search = {
      .instance = &packed.instance,
      .arena = lift->arena,
      .effort = lift->effort,
      .switches = UINT32_MAX,
      .best_arena = BERTH_UNLIMITED,
      .best_offset = found,
      .any_fit = true};
  enum berth_code code = pack(&search);
  *out_fits = code == BERTH_OK && search.best_arena != BERTH_UNLIMITED;
  if (*out_fits) {
    for (uint32_t k = 0; k < n; k++) {
      offset[packed.members[packed.begin[k]]] = found[k];
    }
    go_back(lift, small, offset);
    for (uint32_t k = 0; k < lift->n_lifted; k++) {
      lift->offset[lift->lifted[k]] = offset[k];
    }
  }
  return code;
}

enum berth_code berth_keep_pack(const struct berth_keep_lift *lift, bool *out_fits, bool *out_is_too_large) {
  struct small small;
  struct berth_arena_mark mark = berth_arena_mark(lift->arena);
  bool is_made = false;
  *out_fits = *out_is_too_large = false;
  enum berth_code code = make(lift, &small, &is_made) ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
  if (code == BERTH_OK) {
    *out_is_too_large = !is_made;
    code = is_made ? pack_small(lift, &small, out_fits) : BERTH_OK;
  }
  berth_arena_rewind(lift->arena, mark);
  return code;
}
