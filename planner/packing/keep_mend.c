#include "packing/keep_mend.h"

#include <string.h>

#include "base/checked.h"
#include "base/order.h"
#include "base/sort.h"
#include "packing/keep_pack.h"

enum {
  MOST_ROUNDS = 16,
  MOST_FORCED = 256,
  STEADY_ROUNDS = 4, /* before steps are added */
  TRIES = 5,         /* windows of one round */
  MOST_WINDOWS = 64, /* that are looked at for them */
  MOST_LIFTED = 1 << 10,
  BLOCK = 64 /* items by their starts, of which the latest end is known */
};

struct mend {
  const struct berth_keep_pass *pass;
  const struct berth_packing_instance *instance;
  struct berth_arena *arena;
  uint64_t *offset;
  uint32_t lost;
  uint64_t room;  /* the bytes that are cleared, */
  uint64_t at;    /* from here on, */
  uint64_t lower; /* and in which steps */
  uint64_t upper;
  uint8_t *is_lifted;
  uint32_t n_lifted;
  uint32_t *lifted;
  bool is_hopeless;               /* what is lifted out is too much already */
  struct berth_sort_item *begins; /* of those in the way, by their first byte; then by their ends */
  struct berth_sort_item *ends;
  struct berth_sort_item *scratch;
  uint32_t n;
  struct berth_sort_item *events; /* with scratch behind them */
  uint32_t n_windows;             /* by what is under them; .index: of `ends`, plus 1; 0: at byte 0 */
  struct berth_sort_item *windows;
  uint32_t *by_start;
  uint32_t *latest; /* end, of each block of them */
  uint32_t *near;   /* who is live in some steps */
  uint32_t *queue;  /* who is lost */
  uint32_t n_queued;
  uint32_t n_forced;
  uint8_t *is_forced; /* of each item */
};

static bool is_fixed(const struct mend *mend, uint32_t i) {
  return berth_packing_is_pinned(mend->instance, i) || mend->is_forced[i];
}

static bool is_placed(const struct mend *mend, uint32_t i) {
  return mend->offset[i] != BERTH_NO_PLACE;
}

static bool is_live_in(const struct mend *mend, uint32_t i, uint64_t lower, uint64_t upper) {
  return mend->instance->lower[i] < upper && lower < mend->instance->upper[i];
}

static uint64_t worth(const struct mend *mend, uint32_t i) {
  const struct berth_keep *keep = mend->pass->keep;
  return mend->offset[i] == keep->want[i] ? keep->weight[i] : 0;
}

/* ---- Who is lifted out ---- */

static void widen(struct mend *mend, uint32_t round) {
  const struct berth_packing_instance *instance = mend->instance;
  uint64_t size = instance->size[mend->lost];
  uint64_t most = instance->capacity < UINT64_MAX >> 1 ? instance->capacity : UINT64_MAX >> 1;
  uint64_t life = (uint64_t)instance->upper[mend->lost] - instance->lower[mend->lost];
  uint64_t steps = round > STEADY_ROUNDS ? (life << (round - STEADY_ROUNDS)) / 2 : 0;
  mend->room = size > most >> round ? most : size << round;
  mend->lower = instance->lower[mend->lost] > steps ? instance->lower[mend->lost] - steps : 0;
  mend->upper = instance->upper[mend->lost] + steps;
}

/* Items with a place that are live in the steps, into `near`. */
static uint32_t find_near(struct mend *mend, uint64_t lower, uint64_t upper) {
  const struct berth_packing_instance *instance = mend->instance;
  uint32_t n = 0;
  uint32_t n_looks = 0;
  for (uint32_t first = 0; first < instance->n_buffers && instance->lower[mend->by_start[first]] < upper;
       first += BLOCK) {
    bool is_any = mend->latest[first / BLOCK] > lower;
    for (uint32_t k = first; is_any && k < first + BLOCK && k < instance->n_buffers; k++) {
      uint32_t i = mend->by_start[k];
      mend->near[n] = i;
      n += is_placed(mend, i) && is_live_in(mend, i, lower, upper);
      n_looks++;
    }
    n_looks++;
  }
  mend->is_hopeless |= !berth_effort_spend(mend->pass->keep->effort, n_looks);
  return n;
}

static void list_those_in_the_way(struct mend *mend) {
  const struct berth_pairs *pairs = &mend->pass->pairs;
  mend->n = find_near(mend, mend->lower, mend->upper);
  for (uint32_t e = 0; e < berth_pairs_n(pairs, mend->lost); e++) {
    uint32_t i = pairs->other[pairs->begin[mend->lost] + e];
    if (is_placed(mend, i) && !is_live_in(mend, i, mend->lower, mend->upper)) {
      mend->near[mend->n++] = i;
    }
  }
  for (uint32_t k = 0; k < mend->n; k++) {
    uint32_t i = mend->near[k];
    mend->begins[k] = (struct berth_sort_item){.key = mend->offset[i], .index = i};
    mend->ends[k] = (struct berth_sort_item){.key = mend->offset[i] + mend->instance->size[i], .index = i};
  }
  berth_sort_items(mend->begins, mend->scratch, mend->n);
  berth_sort_items(mend->ends, mend->scratch, mend->n);
}

/* The bytes of item i that are in the window. */
static uint64_t bytes_in(const struct mend *mend, uint32_t i, uint64_t at) {
  uint64_t begin = mend->offset[i];
  uint64_t end = begin + mend->instance->size[i];
  begin = begin > at ? begin : at;
  end = end < at + mend->room ? end : at + mend->room;
  return begin < end ? end - begin : 0;
}

/* What is in the window at the step at which it is most, of the first n of `begins`. */
static uint64_t most_in(const struct mend *mend, uint64_t at, uint32_t n) {
  struct berth_sort_item *events = mend->events;
  uint32_t n_events = 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = mend->begins[k].index;
    if (bytes_in(mend, i, at) != 0) {
      events[n_events++] =
          (struct berth_sort_item){.key = 2 * (uint64_t)mend->instance->lower[i] + 1, .index = i};
      events[n_events++] =
          (struct berth_sort_item){.key = 2 * (uint64_t)mend->instance->upper[i], .index = i};
    }
  }
  berth_sort_items(events, events + 2 * (size_t)mend->instance->n_buffers, n_events);
  uint64_t sum = 0;
  uint64_t most = 0;
  for (uint32_t k = 0; k < n_events; k++) {
    uint64_t bytes = bytes_in(mend, events[k].index, at);
    sum = events[k].key % 2 != 0 ? sum + bytes : sum - bytes;
    most = sum > most ? sum : most;
  }
  return most;
}

/* Windows begin at 0 and where somebody ends; not those with pins, and only some where there are many. Unless
 * they are as small as can be, what is under one must leave as many bytes as are needed. */
static void list_windows(struct mend *mend) {
  uint64_t capacity = mend->instance->capacity;
  uint32_t stride = mend->n / MOST_WINDOWS + 1;
  uint64_t size = mend->instance->size[mend->lost];
  uint64_t sum = 0;
  uint64_t n_looks = 0;
  uint32_t n_pins = 0;
  uint32_t begun = 0;
  uint32_t ended = 0;
  mend->n_windows = 0;
  for (uint32_t k = 0; k <= mend->n; k++) {
    uint64_t at = k == 0 ? 0 : mend->ends[k - 1].key;
    if (at > capacity || mend->room > capacity - at) {
      break;
    }
    for (; begun < mend->n && mend->begins[begun].key < at + mend->room; begun++) {
      sum += worth(mend, mend->begins[begun].index);
      n_pins += berth_packing_is_pinned(mend->instance, mend->begins[begun].index);
    }
    for (; ended < mend->n && mend->ends[ended].key <= at; ended++) {
      sum -= worth(mend, mend->ends[ended].index);
      n_pins -= berth_packing_is_pinned(mend->instance, mend->ends[ended].index);
    }
    if (n_pins == 0 && k % stride == 0) {
      n_looks += begun;
      if (mend->room == size || most_in(mend, at, begun) <= mend->room - size) {
        mend->windows[mend->n_windows++] = (struct berth_sort_item){.key = sum, .index = k};
      }
    }
  }
  berth_sort_items(mend->windows, mend->scratch, mend->n_windows);
  mend->is_hopeless |= !berth_effort_spend(mend->pass->keep->effort, n_looks);
}

static void lift_one(struct mend *mend, uint32_t i) {
  mend->is_lifted[i] = 1;
  mend->lifted[mend->n_lifted++] = i;
}

static void lift(struct mend *mend) {
  mend->n_lifted = 0;
  lift_one(mend, mend->lost);
  for (uint32_t k = 0; k < mend->n; k++) {
    uint32_t i = mend->begins[k].index;
    uint64_t end = mend->begins[k].key + mend->instance->size[i];
    if (!berth_packing_is_pinned(mend->instance, i) && mend->begins[k].key < mend->at + mend->room &&
        mend->at < end) {
      lift_one(mend, i);
    }
  }
}

static void put_down(struct mend *mend) {
  for (uint32_t k = 0; k < mend->n_lifted; k++) {
    mend->is_lifted[mend->lifted[k]] = 0;
  }
}

/* ---- One window, one round ---- */

static enum berth_code pack_lifted(struct mend *mend, bool *out_fits) {
  uint64_t lower = UINT64_MAX;
  uint64_t upper = 0;
  for (uint32_t k = 0; k < mend->n_lifted; k++) {
    uint32_t i = mend->lifted[k];
    lower = mend->instance->lower[i] < lower ? mend->instance->lower[i] : lower;
    upper = mend->instance->upper[i] > upper ? mend->instance->upper[i] : upper;
  }
  const struct berth_keep_lift lift = {
      .instance = mend->instance,
      .pairs = &mend->pass->pairs,
      .want = mend->pass->keep->want,
      .offset = mend->offset,
      .is_lifted = mend->is_lifted,
      .n_lifted = mend->n_lifted,
      .lifted = mend->lifted,
      .n_near = find_near(mend, lower, upper),
      .near = mend->near,
      .arena = mend->arena,
      .effort = mend->pass->keep->effort};
  bool is_too_large = false;
  enum berth_code code = berth_keep_pack(&lift, out_fits, &is_too_large);
  mend->is_hopeless |= is_too_large;
  return code;
}

static enum berth_code try_window(struct mend *mend, uint32_t window, bool *out_fits) {
  uint32_t end = mend->windows[window].index;
  mend->at = end == 0 ? 0 : mend->ends[end - 1].key;
  lift(mend);
  enum berth_code code = BERTH_OK;
  mend->is_hopeless |= mend->n_lifted > MOST_LIFTED;
  if (!mend->is_hopeless) {
    code = pack_lifted(mend, out_fits);
  }
  put_down(mend);
  return code;
}

static enum berth_code try_round(struct mend *mend, uint32_t round, bool *out_fits) {
  enum berth_code code = BERTH_OK;
  widen(mend, round);
  list_those_in_the_way(mend);
  list_windows(mend);
  for (uint32_t k = 0;
       k < TRIES && k < mend->n_windows && !mend->is_hopeless && code == BERTH_OK && !*out_fits; k++) {
    code = try_window(mend, k, out_fits);
  }
  return code;
}

/* ---- Where that does not help ---- */

/* Who is lost lies where they weigh the least who are in its way; these are lost now. What lives long is in
 * the way of few at each step, and most steps have room for them elsewhere. Whoever was so placed is not lost
 * again. */
static bool force(struct mend *mend) {
  const struct berth_packing_instance *instance = mend->instance;
  uint64_t size = instance->size[mend->lost];
  uint64_t best = UINT64_MAX;
  uint64_t sum = 0;
  uint32_t n_fixed = 0;
  uint32_t begun = 0;
  uint32_t ended = 0;
  if (mend->n_forced++ == MOST_FORCED || mend->is_forced[mend->lost]) {
    return false;
  }
  widen(mend, 0);
  list_those_in_the_way(mend);
  for (uint32_t k = 0; k <= mend->n; k++) {
    uint64_t at = k == 0 ? 0 : berth_align_up(mend->ends[k - 1].key, instance->alignment[mend->lost]);
    if (at > instance->capacity || size > instance->capacity - at) {
      break;
    }
    for (; begun < mend->n && mend->begins[begun].key < at + size; begun++) {
      sum += worth(mend, mend->begins[begun].index) + 1;
      n_fixed += is_fixed(mend, mend->begins[begun].index);
    }
    for (; ended < mend->n && mend->ends[ended].key <= at; ended++) {
      sum -= worth(mend, mend->ends[ended].index) + 1;
      n_fixed -= is_fixed(mend, mend->ends[ended].index);
    }
    mend->at = n_fixed == 0 && sum < best ? at : mend->at;
    best = n_fixed == 0 && sum < best ? sum : best;
  }
  if (best == UINT64_MAX) {
    return false;
  }
  for (uint32_t k = 0; k < mend->n; k++) {
    uint32_t i = mend->begins[k].index;
    if (mend->offset[i] < mend->at + size && mend->at < mend->offset[i] + instance->size[i]) {
      mend->offset[i] = BERTH_NO_PLACE;
      mend->queue[mend->n_queued++ % instance->n_buffers] = i;
    }
  }
  mend->offset[mend->lost] = mend->at;
  mend->is_forced[mend->lost] = 1;
  return true;
}

/* ---- One who is lost ---- */

static enum berth_code find_room(struct mend *mend, bool *out_fits) {
  enum berth_code code = BERTH_OK;
  mend->is_hopeless = false;
  *out_fits = false;
  for (uint32_t round = 0; round < MOST_ROUNDS && !mend->is_hopeless && code == BERTH_OK && !*out_fits;
       round++) {
    code = try_round(mend, round, out_fits);
  }
  *out_fits = *out_fits || (code == BERTH_OK && force(mend));
  return code;
}

/* By their starts, and how long each block of them lasts. */
static bool index_starts(struct mend *mend) {
  const struct berth_packing_instance *instance = mend->instance;
  uint32_t n = instance->n_buffers;
  bool ok = berth_order_all(mend->arena, n, instance->lower, mend->by_start);
  for (uint32_t k = 0; ok && k < n; k++) {
    uint32_t *latest = &mend->latest[k / BLOCK];
    uint32_t upper = instance->upper[mend->by_start[k]];
    *latest = k % BLOCK == 0 || upper > *latest ? upper : *latest;
  }
  return ok;
}

/* What lives longest first. */
static void queue_lost(struct mend *mend) {
  const struct berth_packing_instance *instance = mend->instance;
  mend->n_queued = mend->pass->n_lost;
  for (uint32_t k = 0; k < mend->n_queued; k++) {
    uint32_t i = mend->pass->lost[k];
    mend->ends[k] =
        (struct berth_sort_item){.key = UINT32_MAX - (instance->upper[i] - instance->lower[i]), .index = i};
  }
  berth_sort_items(mend->ends, mend->scratch, mend->n_queued);
  for (uint32_t k = 0; k < mend->n_queued; k++) {
    mend->queue[k] = mend->ends[k].index;
  }
}

static bool init(struct mend *mend, const struct berth_keep_pass *pass, uint64_t *offset) {
  struct berth_arena *arena = pass->keep->arena;
  uint32_t n = pass->keep->instance->n_buffers;
  *mend = (struct mend){
      .pass = pass,
      .instance = pass->keep->instance,
      .arena = arena,
      .offset = offset,
      .is_lifted = berth_arena_new_zeroed(arena, uint8_t, n),
      .is_forced = berth_arena_new_zeroed(arena, uint8_t, n),
      .lifted = berth_arena_new(arena, uint32_t, (size_t)n + 1),
      .begins = berth_arena_new(arena, struct berth_sort_item, n),
      .ends = berth_arena_new(arena, struct berth_sort_item, n),
      .scratch = berth_arena_new(arena, struct berth_sort_item, (size_t)n + 1),
      .events = berth_arena_new(arena, struct berth_sort_item, 4 * (size_t)n),
      .windows = berth_arena_new(arena, struct berth_sort_item, (size_t)n + 1),
      .by_start = berth_arena_new(arena, uint32_t, n),
      .latest = berth_arena_new(arena, uint32_t, (size_t)n / BLOCK + 1),
      .near = berth_arena_new(arena, uint32_t, (size_t)n + 1),
      .queue = berth_arena_new(arena, uint32_t, n)};
  memcpy(offset, pass->board.offset, n * sizeof *offset);
  bool ok = mend->is_lifted != NULL && mend->lifted != NULL && mend->is_forced != NULL &&
            mend->begins != NULL && mend->ends != NULL && mend->scratch != NULL && mend->events != NULL &&
            mend->windows != NULL && mend->by_start != NULL && mend->latest != NULL && mend->near != NULL &&
            mend->queue != NULL && index_starts(mend);
  if (ok) {
    queue_lost(mend);
  }
  return ok;
}

enum berth_code berth_keep_mend(
    const struct berth_keep_pass *pass, uint64_t *out_offset, uint64_t *out_top, bool *out_is_mended) {
  struct berth_arena_mark mark = berth_arena_mark(pass->keep->arena);
  struct mend mend;
  enum berth_code code = init(&mend, pass, out_offset) ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
  *out_is_mended = code == BERTH_OK;
  struct berth_effort *effort = pass->keep->effort;
  uint64_t limit = effort->limit;
  for (uint32_t k = 0; *out_is_mended && k < mend.n_queued; k++) {
    uint64_t left = limit > effort->ticks ? limit - effort->ticks : 0;
    mend.lost = mend.queue[k % mend.instance->n_buffers];
    berth_effort_set_limit(effort, effort->ticks + left / (mend.n_queued - k + 2));
    code = is_placed(&mend, mend.lost) ? BERTH_OK : find_room(&mend, out_is_mended);
    berth_effort_set_limit(effort, limit);
    *out_is_mended = *out_is_mended && code == BERTH_OK;
  }
  *out_top = *out_is_mended ? berth_packing_top(mend.instance, out_offset) : 0;
  berth_arena_rewind(pass->keep->arena, mark);
  return code;
}
