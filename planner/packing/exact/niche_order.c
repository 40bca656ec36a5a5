#include "packing/exact/niche_order.h"

#include <string.h>

enum berth_code
berth_niche_order_init(struct berth_niche_order *order, uint32_t n_buffers, struct berth_arena *arena) {
  order->key = berth_arena_new(arena, double, n_buffers);
  order->order = berth_arena_new(arena, uint32_t, n_buffers);
  order->items = berth_arena_new(arena, struct berth_sort_item, n_buffers);
  order->scratch = berth_arena_new(arena, struct berth_sort_item, n_buffers);
  bool has_all = order->key && order->order && order->items && order->scratch;
  return has_all ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

enum { MOST_STRETCHES = 4, ONE = 4 /* exponents are in quarters */ };

/* Exponents for the buffers whose lives have their middle here; between two bends they change linearly. */
struct bend {
  double middle;
  uint32_t life;
  uint32_t trouble;
};

struct bends {
  uint32_t n;
  struct bend bends[MOST_STRETCHES + 1];
};

struct life {
  double n_sections;
  double fullest;
  double trouble;
};

static int64_t load_of(const struct berth_niche_model *model, uint32_t section) {
  int64_t load = 0;
  for (uint32_t k = model->member_begin[section]; k < model->member_begin[section + 1]; k++) {
    load += model->size[model->members[k]];
  }
  return load;
}

static struct life life_of(const struct berth_niche_search *search, uint32_t buffer, const int64_t *load) {
  const struct berth_niche_model *model = search->state.model;
  struct life life = {0};
  for (uint32_t r = model->run_begin[buffer]; r < model->run_begin[buffer + 1]; r++) {
    life.n_sections += model->runs[r].upper - model->runs[r].lower;
    for (uint32_t s = model->runs[r].lower; s < model->runs[r].upper; s++) {
      life.fullest = (double)load[s] > life.fullest ? (double)load[s] : life.fullest;
      life.trouble += search->weight[s];
    }
  }
  return life;
}

/* By Newton's steps: the same on every machine, and without libm. */
static double root_of(double x) {
  double root = x > 1 ? x : 1;
  for (int k = 0; k < 24; k++) {
    root = (root + x / root) / 2;
  }
  return root;
}

static double power_of(double x, uint32_t n_quarters) {
  if (n_quarters % ONE != 0) {
    double half = root_of(x);
    double quarter = n_quarters % 2 != 0 ? root_of(half) : 1;
    x = (n_quarters / ONE != 0 ? x : 1) * (n_quarters & 2 ? half : 1) * quarter;
  } else {
    x = n_quarters == 0 ? 1 : x;
  }
  return x;
}

/* What suits one stretch of time is what another fails on: by size here (0), by bulk (2) or area (4) there.
 */
static void draw_bends(struct bends *bends, uint32_t n_sections, struct berth_rng *rng) {
  bends->n = 2 + berth_rng_below(rng, MOST_STRETCHES);
  for (uint32_t k = 0; k < bends->n; k++) {
    struct bend bend = {
        .middle = k == 0 ? 0 : (double)berth_rng_below(rng, n_sections + 1),
        .life = ONE / 2 * berth_rng_below(rng, 3),
        .trouble = berth_rng_below(rng, 4) == 0 ? ONE : 0};
    uint32_t slot = k;
    for (; slot > 0 && bends->bends[slot - 1].middle > bend.middle; slot--) {
      bends->bends[slot] = bends->bends[slot - 1];
    }
    bends->bends[slot] = bend;
  }
}

static uint32_t between(uint32_t left, uint32_t right, double share) {
  return (uint32_t)((1 - share) * left + share * right + 0.5);
}

static double bent_key_of(const struct bends *bends, struct life life, double size, double middle) {
  const struct bend *left = bends->bends, *last = &bends->bends[bends->n - 1];
  while (left < last && left[1].middle <= middle) {
    left++;
  }
  const struct bend *right = left < last ? left + 1 : left;
  double share = right > left ? (middle - left->middle) / (right->middle - left->middle) : 0;
  return size * power_of(life.n_sections, between(left->life, right->life, share)) *
         power_of(1 + life.trouble, between(left->trouble, right->trouble, share));
}

static double key_of(struct life life, double size, enum berth_niche_by by) {
  double area = life.n_sections * size;
  switch (by) {
  case BERTH_NICHE_BY_SIZE:
    return size * 1e4 + life.n_sections;
  case BERTH_NICHE_BY_AREA:
    return area;
  case BERTH_NICHE_BY_BULK:
    return size * root_of(life.n_sections);
  case BERTH_NICHE_BY_LOAD:
    return life.fullest * 1e6 + area;
  case BERTH_NICHE_BY_PEAK:
    return life.fullest * 1e6 + life.n_sections;
  case BERTH_NICHE_BY_TROUBLE:
    return area * (1 + life.trouble);
  default:
    return life.n_sections * 1e9 + area;
  }
}

void berth_niche_order_key(
    double *key, const struct berth_niche_search *search, enum berth_niche_by by, double noise,
    struct berth_rng *rng) {
  const struct berth_niche_model *model = search->state.model;
  /* The state is free between runs, so its rests may hold the loads. */
  int64_t *load = search->state.rest;
  for (uint32_t s = 0; s < model->n_sections; s++) {
    load[s] = load_of(model, s);
  }
  struct bends bends;
  if (by == BERTH_NICHE_BY_STRETCH) {
    draw_bends(&bends, model->n_sections, rng);
  }
  for (uint32_t b = 0; b < model->n_buffers; b++) {
    struct life life = life_of(search, b, load);
    double size = (double)model->size[b], middle = ((double)model->lower[b] + model->upper[b]) / 2;
    key[b] = by == BERTH_NICHE_BY_STRETCH ? bent_key_of(&bends, life, size, middle) : key_of(life, size, by);
    if (noise > 0) {
      double unit = (double)(berth_rng_next(rng) >> 11) * 0x1p-53;
      key[b] *= 1 + noise * (unit - 0.5);
    }
  }
}

void berth_niche_order_apply(struct berth_niche_order *order, struct berth_niche_search *search) {
  uint32_t n = search->state.model->n_buffers;
  for (uint32_t b = 0; b < n; b++) {
    uint64_t bits; /* of doubles >= 0, which sort like their bits */
    memcpy(&bits, &order->key[b], sizeof bits);
    order->items[b] = (struct berth_sort_item){.key = ~bits, .index = b};
  }
  berth_sort_items(order->items, order->scratch, n);
  for (uint32_t b = 0; b < n; b++) {
    order->order[b] = order->items[b].index;
  }
  berth_niche_state_rank(&search->state, order->order);
}
