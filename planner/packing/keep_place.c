#include "packing/keep_place.h"

#include "base/checked.h"
#include "base/order.h"
#include "base/sort.h"

/* A plan's top must stay where sums cannot wrap. */
static uint64_t highest(const struct berth_keep *keep, uint32_t i) {
  uint64_t most = UINT64_MAX >> 1;
  uint64_t capacity = keep->instance->capacity < most ? keep->instance->capacity : most;
  return keep->instance->size[i] <= capacity ? capacity - keep->instance->size[i] : BERTH_NO_PLACE;
}

bool berth_keep_pass_init(struct berth_keep_pass *pass, const struct berth_keep *keep, bool is_checked) {
  const struct berth_packing_instance *instance = keep->instance;
  uint32_t n = instance->n_buffers;
  *pass = (struct berth_keep_pass){
      .keep = keep,
      .is_checked = is_checked,
      .by_place = berth_arena_new(keep->arena, uint32_t, n),
      .lost = berth_arena_new(keep->arena, uint32_t, n)};
  uint64_t *key = berth_arena_new(keep->arena, uint64_t, n);
  if (pass->by_place == NULL || pass->lost == NULL || key == NULL ||
      !berth_pairs_init(&pass->pairs, keep->arena, n, instance->n_conflicts, instance->conflicts)) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    key[i] = berth_keep_place(keep, i);
    if (key[i] != BERTH_UNPINNED) {
      pass->by_place[pass->n_by_place++] = i;
    }
  }
  return berth_order_by_key(keep->arena, pass->n_by_place, key, pass->by_place) &&
         berth_board_init(&pass->board, instance, &pass->pairs, keep->arena);
}

static enum berth_code put(struct berth_keep_pass *pass, uint32_t i, uint64_t offset) {
  return berth_board_place(&pass->board, i, offset) ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

static bool spend(struct berth_keep_pass *pass, uint64_t before) {
  return berth_effort_spend(pass->keep->effort, pass->board.n_visited - before);
}

/* Pins whatever comes, then who stays: all of one kind in the order of their places. */
static enum berth_code put_those_who_stay(struct berth_keep_pass *pass, uint8_t *stays) {
  const struct berth_keep *keep = pass->keep;
  enum berth_code code = BERTH_OK;
  for (int pins = 1; pins >= 0; pins--) {
    for (uint32_t k = 0; k < pass->n_by_place && code == BERTH_OK; k++) {
      uint32_t i = pass->by_place[k];
      uint64_t before = pass->board.n_visited;
      if (berth_packing_is_pinned(keep->instance, i) != (pins == 1) || (pins == 0 && !stays[i])) {
        continue;
      }
      uint64_t limit = highest(keep, i);
      bool is_taken = limit == BERTH_NO_PLACE || berth_keep_place(keep, i) > limit ||
                      ((pins == 1 || !pass->is_checked) &&
                       !berth_board_is_free(&pass->board, i, berth_keep_place(keep, i)));
      if (pins == 0 && is_taken) {
        stays[i] = 0;
      } else if (is_taken) { /* pins that cannot be here together: there is no plan */
        pass->lost[pass->n_lost++] = i;
        return BERTH_OK;
      } else {
        code = put(pass, i, berth_keep_place(keep, i));
      }
      if (!spend(pass, before)) {
        return BERTH_RESOURCE_EXHAUSTED;
      }
    }
  }
  return code;
}

static enum berth_code put_one(struct berth_keep_pass *pass, uint32_t i) {
  const struct berth_keep *keep = pass->keep;
  uint64_t limit = highest(keep, i);
  bool is_back = keep->want[i] != BERTH_UNPINNED && berth_board_is_free(&pass->board, i, keep->want[i]);
  uint64_t offset = is_back ? keep->want[i] : BERTH_NO_PLACE;
  if (!is_back && limit != BERTH_NO_PLACE) {
    offset = berth_board_find(&pass->board, i, BERTH_BOARD_LOWEST, limit);
  }
  if (offset == BERTH_NO_PLACE) {
    pass->lost[pass->n_lost++] = i;
    return BERTH_OK;
  }
  return put(pass, i, offset);
}

enum berth_code berth_keep_pass_run(struct berth_keep_pass *pass, uint8_t *stays, const uint32_t *order) {
  berth_board_clear(&pass->board);
  pass->n_lost = 0;
  enum berth_code code = put_those_who_stay(pass, stays);
  pass->pins_meet = pass->n_lost > 0;
  for (uint32_t k = 0; !pass->pins_meet && k < pass->keep->instance->n_buffers && code == BERTH_OK; k++) {
    uint64_t before = pass->board.n_visited;
    if (pass->board.offset[order[k]] == BERTH_NO_PLACE) {
      code = put_one(pass, order[k]);
      if (!spend(pass, before)) {
        return BERTH_RESOURCE_EXHAUSTED;
      }
    }
  }
  return code;
}

/* ---- Who is in the way ---- */

struct push {
  struct berth_keep_pass *pass;
  uint32_t lost;
  const uint8_t *stays;
  uint32_t n;
  struct berth_sort_item *begins; /* of those in the way, by their first byte; then by their ends */
  struct berth_sort_item *ends;
};

static bool meets_in_time(const struct push *push, uint32_t i) {
  const struct berth_packing_instance *instance = push->pass->keep->instance;
  uint32_t lost = push->lost;
  if (instance->lower[i] < instance->upper[lost] && instance->lower[lost] < instance->upper[i]) {
    return true;
  }
  const struct berth_pairs *pairs = &push->pass->pairs;
  for (uint32_t e = 0; e < berth_pairs_n(pairs, lost); e++) {
    if (pairs->other[pairs->begin[lost] + e] == i) {
      return true;
    }
  }
  return instance->chains != NULL;
}

static bool is_in_the_way(const struct push *push, uint32_t i) {
  const struct berth_keep *keep = push->pass->keep;
  return i != push->lost &&
         (berth_packing_is_pinned(keep->instance, i) ||
          (keep->want[i] != BERTH_UNPINNED && push->stays[i])) &&
         meets_in_time(push, i);
}

static bool collect(struct push *push) {
  struct berth_keep_pass *pass = push->pass;
  struct berth_arena *arena = pass->keep->arena;
  push->begins = berth_arena_new(arena, struct berth_sort_item, pass->n_by_place);
  push->ends = berth_arena_new(arena, struct berth_sort_item, pass->n_by_place);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, pass->n_by_place);
  if (push->begins == NULL || push->ends == NULL || scratch == NULL) {
    return false;
  }
  for (uint32_t k = 0; k < pass->n_by_place; k++) {
    uint32_t i = pass->by_place[k];
    if (is_in_the_way(push, i)) {
      uint64_t begin = berth_keep_place(pass->keep, i);
      push->begins[push->n] = (struct berth_sort_item){.key = begin, .index = i};
      push->ends[push->n++] =
          (struct berth_sort_item){.key = begin + pass->keep->instance->size[i], .index = i};
    }
  }
  berth_sort_items(push->ends, scratch, push->n);
  return true;
}

/* What lies over [at, at + size): more than all there is where that is a pin. */
struct load {
  uint64_t weight;
  uint32_t n_pins;
};

static void add(const struct push *push, uint32_t i, struct load *load, bool comes) {
  const struct berth_keep *keep = push->pass->keep;
  if (berth_packing_is_pinned(keep->instance, i)) {
    load->n_pins += comes ? 1 : UINT32_MAX;
  } else {
    load->weight += comes ? keep->weight[i] : 0 - keep->weight[i];
  }
}

/* Windows begin at 0 and where somebody ends. */
static uint64_t cheapest(const struct push *push) {
  const struct berth_packing_instance *instance = push->pass->keep->instance;
  uint64_t size = instance->size[push->lost];
  uint64_t limit = highest(push->pass->keep, push->lost);
  uint64_t best = BERTH_NO_PLACE;
  uint64_t best_weight = UINT64_MAX;
  uint32_t begun = 0;
  uint32_t ended = 0;
  struct load load = {0};
  for (uint32_t k = 0; k <= push->n && limit != BERTH_NO_PLACE; k++) {
    uint64_t at = k == 0 ? 0 : berth_align_up(push->ends[k - 1].key, instance->alignment[push->lost]);
    if (at > limit) {
      break;
    }
    for (; begun < push->n && push->begins[begun].key < at + size; begun++) {
      add(push, push->begins[begun].index, &load, true);
    }
    for (; ended < push->n && push->ends[ended].key <= at; ended++) {
      add(push, push->ends[ended].index, &load, false);
    }
    if (load.n_pins == 0 && load.weight < best_weight) {
      best = at;
      best_weight = load.weight;
    }
  }
  return best;
}

bool berth_keep_push(struct berth_keep_pass *pass, uint32_t lost, uint8_t *stays, enum berth_code *out_code) {
  struct berth_arena_mark mark = berth_arena_mark(pass->keep->arena);
  struct push push = {.pass = pass, .lost = lost, .stays = stays};
  *out_code = collect(&push) ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
  uint64_t at = *out_code == BERTH_OK ? cheapest(&push) : BERTH_NO_PLACE;
  uint64_t end = at + pass->keep->instance->size[lost];
  for (uint32_t k = 0; at != BERTH_NO_PLACE && k < push.n; k++) {
    uint32_t i = push.begins[k].index;
    uint64_t begin = push.begins[k].key;
    if (!berth_packing_is_pinned(pass->keep->instance, i) && begin < end &&
        at < begin + pass->keep->instance->size[i]) {
      stays[i] = 0;
    }
  }
  bool has_effort = berth_effort_spend(pass->keep->effort, pass->n_by_place);
  berth_arena_rewind(pass->keep->arena, mark);
  return at != BERTH_NO_PLACE && has_effort;
}
