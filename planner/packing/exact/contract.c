#include "packing/exact/contract.h"

#include "packing/bound.h"

#define NONE UINT32_MAX

enum { MOST_SUMS = 128, MOST_LISTED = 64, MOST_SPLIT = 10, TERMS_ALONE = 5, LEAST_FULL = 2 };

/* Sums of few of the sizes that border on a step. */
struct berth_block_sums {
  uint64_t sums[MOST_SUMS];
  uint8_t n_terms[MOST_SUMS];
  uint32_t n;
};

/* Of a class of blocks: what ends where it begins, what starts where it ends, and what does so with it. */
struct berth_block_borders {
  struct berth_block_sums before;
  struct berth_block_sums beside_before;
  struct berth_block_sums after;
  struct berth_block_sums beside_after;
};

/* ---- Blocks ---- */

static void note_change(struct berth_contraction *contraction, const struct berth_block *block) {
  contraction->changed[block->lower] = contraction->changed[block->upper] = contraction->n_blocks;
}

static void list_block(struct berth_contraction *contraction, uint32_t index) {
  struct berth_block *block = &contraction->blocks[index];
  block->next_start = contraction->first_start[block->lower];
  contraction->first_start[block->lower] = index;
  block->next_end = contraction->first_end[block->upper];
  contraction->first_end[block->upper] = index;
  contraction->n_whole++;
}

static void
join(struct berth_contraction *contraction, struct berth_block whole, const uint32_t *parts, uint32_t n) {
  uint32_t index = contraction->n_blocks++;
  for (uint32_t k = 0; k < n; k++) {
    contraction->blocks[parts[k]].is_part = true;
    note_change(contraction, &contraction->blocks[parts[k]]);
    whole.parts[k] = parts[k];
  }
  contraction->n_whole -= n;
  contraction->blocks[index] = whole;
  list_block(contraction, index);
}

/* The next whole block of a list; parts are taken out on the way. */
static uint32_t next_start(struct berth_contraction *contraction, uint32_t *link) {
  while (*link != NONE && contraction->blocks[*link].is_part) {
    *link = contraction->blocks[*link].next_start;
  }
  return *link;
}

static uint32_t next_end(struct berth_contraction *contraction, uint32_t *link) {
  while (*link != NONE && contraction->blocks[*link].is_part) {
    *link = contraction->blocks[*link].next_end;
  }
  return *link;
}

static bool spend(struct berth_contraction *contraction, uint64_t ticks) {
  return berth_effort_spend(contraction->effort, ticks);
}

/* ---- Chains ---- */

/* A block of the size that starts at the step; NONE if there is none, or more than one. */
static uint32_t only_start_of(struct berth_contraction *contraction, uint32_t step, uint64_t size) {
  uint32_t found = NONE;
  for (uint32_t *link = &contraction->first_start[step]; next_start(contraction, link) != NONE;
       link = &contraction->blocks[*link].next_start) {
    if (contraction->blocks[*link].size == size) {
      if (found != NONE) {
        return NONE;
      }
      found = *link;
    }
  }
  return found;
}

static uint32_t only_end_of(struct berth_contraction *contraction, uint32_t step, uint64_t size) {
  uint32_t found = NONE;
  for (uint32_t *link = &contraction->first_end[step]; next_end(contraction, link) != NONE;
       link = &contraction->blocks[*link].next_end) {
    if (contraction->blocks[*link].size == size) {
      if (found != NONE) {
        return NONE;
      }
      found = *link;
    }
  }
  return found;
}

static bool join_chains(struct berth_contraction *contraction, uint32_t step) {
  bool has_joined = false;
  uint32_t n = 0;
  for (uint32_t *link = &contraction->first_end[step]; next_end(contraction, link) != NONE && n < MOST_LISTED;
       link = &contraction->blocks[*link].next_end) {
    uint32_t earlier = *link;
    const struct berth_block *a = &contraction->blocks[earlier];
    uint32_t later = only_start_of(contraction, step, a->size);
    n++;
    if (later != NONE && only_end_of(contraction, step, a->size) == earlier) {
      uint32_t parts[] = {earlier, later};
      struct berth_block whole = {
          a->lower, contraction->blocks[later].upper, a->size, BERTH_BLOCK_CHAIN, .is_part = false};
      join(contraction, whole, parts, 2);
      has_joined = true;
    }
  }
  return spend(contraction, 8 + 8 * (uint64_t)n * n) && has_joined;
}

/* ---- Stacks ---- */

static void add_sum(struct berth_block_sums *sums, uint64_t sum, uint32_t n_terms) {
  if (sums->n < MOST_SUMS) {
    sums->n_terms[sums->n] = (uint8_t)n_terms;
    sums->sums[sums->n++] = sum;
  }
}

/* The sums of one size, of two, and so on as far as there is room. */
static void fill_sums(struct berth_block_sums *sums, const uint64_t *sizes, uint32_t n_sizes) {
  uint32_t first_of[MOST_SUMS]; /* the sizes that may still be added begin here */
  sums->n = 0;
  for (uint32_t k = 0; k < n_sizes && sums->n < MOST_SUMS; k++) {
    first_of[sums->n] = k + 1;
    add_sum(sums, sizes[k], 1);
  }
  for (uint32_t s = 0; s < sums->n; s++) {
    for (uint32_t k = first_of[s]; k < n_sizes && sums->n < MOST_SUMS; k++) {
      first_of[sums->n] = k + 1;
      add_sum(sums, sums->sums[s] + sizes[k], sums->n_terms[s] + UINT32_C(1));
    }
  }
}

/* The fewest terms that make the sum; a sum that no border has has more than all. */
static uint32_t terms_of(const struct berth_block_sums *sums, uint64_t sum) {
  for (uint32_t k = 0; k < sums->n; k++) {
    if (sums->sums[k] == sum) {
      return sums->n_terms[k];
    }
  }
  return MOST_SUMS;
}

/* Sums of what starts at `from`, or ends there, but for blocks of one lifetime. */
static void sum_starts(
    struct berth_contraction *contraction, uint32_t from, uint32_t upper, struct berth_block_sums *out) {
  uint64_t sizes[MOST_LISTED];
  uint32_t n = 0;
  for (uint32_t *link = &contraction->first_start[from];
       next_start(contraction, link) != NONE && n < MOST_LISTED;
       link = &contraction->blocks[*link].next_start) {
    if (contraction->blocks[*link].upper != upper) {
      sizes[n++] = contraction->blocks[*link].size;
    }
  }
  fill_sums(out, sizes, n);
}

static void
sum_ends(struct berth_contraction *contraction, uint32_t at, uint32_t lower, struct berth_block_sums *out) {
  uint64_t sizes[MOST_LISTED];
  uint32_t n = 0;
  for (uint32_t *link = &contraction->first_end[at]; next_end(contraction, link) != NONE && n < MOST_LISTED;
       link = &contraction->blocks[*link].next_end) {
    if (contraction->blocks[*link].lower != lower) {
      sizes[n++] = contraction->blocks[*link].size;
    }
  }
  fill_sums(out, sizes, n);
}

/* What borders on a class of blocks of one lifetime, and what is beside it at the border. */
static void find_borders(struct berth_contraction *contraction, uint32_t lower, uint32_t upper) {
  sum_ends(contraction, lower, NONE, &contraction->borders->before);
  sum_starts(contraction, lower, upper, &contraction->borders->beside_before);
  sum_starts(contraction, upper, NONE, &contraction->borders->after);
  sum_ends(contraction, upper, lower, &contraction->borders->beside_after);
}

/* The fewest terms of one border that make the size. */
static uint32_t border_of(const struct berth_contraction *contraction, uint64_t size) {
  uint32_t before = terms_of(&contraction->borders->before, size);
  uint32_t after = terms_of(&contraction->borders->after, size);
  return before < after ? before : after;
}

/* The same together with what is beside it. */
static uint32_t border_with(
    const struct berth_block_sums *border, const struct berth_block_sums *beside, uint64_t size,
    uint32_t fewest) {
  for (uint32_t k = 0; k < beside->n && beside->n_terms[k] < fewest; k++) {
    uint32_t n_terms = beside->n_terms[k] + terms_of(border, size + beside->sums[k]);
    fewest = n_terms < fewest ? n_terms : fewest;
  }
  return fewest;
}

static uint32_t border_of_class(const struct berth_contraction *contraction, uint64_t size) {
  const struct berth_block_borders *borders = contraction->borders;
  uint32_t fewest = border_of(contraction, size);
  fewest = border_with(&borders->before, &borders->beside_before, size, fewest);
  return border_with(&borders->after, &borders->beside_after, size, fewest);
}

static void stack(struct berth_contraction *contraction, const uint32_t *class_, uint64_t set) {
  uint32_t below = NONE;
  for (uint32_t k = 0; k < MOST_LISTED && set >> k != 0; k++) {
    if (!(set >> k & 1)) {
      continue;
    }
    if (below != NONE) {
      const struct berth_block *a = &contraction->blocks[below], *b = &contraction->blocks[class_[k]];
      struct berth_block whole = {a->lower, a->upper, a->size + b->size, BERTH_BLOCK_STACK, .is_part = false};
      uint32_t parts[] = {below, class_[k]};
      join(contraction, whole, parts, 2);
      below = contraction->n_blocks - 1;
    } else {
      below = class_[k];
    }
  }
}

static uint64_t
size_of(const struct berth_contraction *contraction, const uint32_t *class_, uint32_t n, uint64_t set) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < n; k++) {
    sum += set >> k & 1 ? contraction->blocks[class_[k]].size : 0;
  }
  return sum;
}

/* Of blocks with equal lives those that sum to what borders on them, by an equation of the fewest terms. All
 * of them count as two: a cut leaves whole classes. `is_alone`: nothing else starts, or ends, with them. */
static bool
join_class(struct berth_contraction *contraction, const uint32_t *class_, uint32_t n, bool is_alone) {
  uint32_t lower = contraction->blocks[class_[0]].lower, upper = contraction->blocks[class_[0]].upper;
  uint64_t best = n == MOST_LISTED ? UINT64_MAX : (UINT64_C(1) << n) - 1;
  uint64_t all = size_of(contraction, class_, n, best);
  find_borders(contraction, lower, upper);
  uint32_t fewest = 2 + border_of_class(contraction, all);
  if ((lower == 0 && upper == contraction->instance->n_steps) || all == contraction->load) {
    fewest = BERTH_CONTRACTION_FEWEST_TERMS;
  } else if (is_alone && fewest > TERMS_ALONE) {
    fewest = TERMS_ALONE;
  }
  uint32_t n_split = n < MOST_SPLIT ? n : MOST_SPLIT;
  for (uint32_t set = 3; set < UINT32_C(1) << n_split; set++) {
    uint32_t count = (uint32_t)__builtin_popcount(set);
    if (count >= 2 && count < fewest) {
      uint64_t size = size_of(contraction, class_, n_split, set);
      uint32_t n_terms = count + border_of(contraction, size);
      best = n_terms < fewest ? set : best;
      fewest = n_terms < fewest ? n_terms : fewest;
    }
  }
  bool has_joined = fewest <= contraction->most_terms;
  if (has_joined) {
    stack(contraction, class_, best);
  }
  return spend(contraction, (UINT64_C(16) << n_split) + 4 * MOST_SUMS) && has_joined;
}

/* Whether nothing ends at the step but what begins at `lower`. */
static bool is_only_end(struct berth_contraction *contraction, uint32_t step, uint32_t lower) {
  for (uint32_t *link = &contraction->first_end[step]; next_end(contraction, link) != NONE;
       link = &contraction->blocks[*link].next_end) {
    if (contraction->blocks[*link].lower != lower) {
      return false;
    }
  }
  return true;
}

/* Whether blocks with these ends have been looked at since anything changed there. */
static bool is_known(const struct berth_contraction *contraction, uint32_t lower, uint32_t upper) {
  struct berth_block_visit visit = contraction->visits[lower];
  return contraction->most_terms <= visit.most_terms && contraction->changed[lower] <= visit.n_blocks &&
         contraction->changed[upper] <= visit.n_blocks;
}

static bool join_stacks(struct berth_contraction *contraction, uint32_t step) {
  uint32_t starts[MOST_LISTED], n = 0;
  for (uint32_t *link = &contraction->first_start[step];
       next_start(contraction, link) != NONE && n < MOST_LISTED;
       link = &contraction->blocks[*link].next_start) {
    starts[n++] = *link;
  }
  bool has_joined = false;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t class_[MOST_LISTED], n_class = 0;
    uint32_t upper = contraction->blocks[starts[i]].upper;
    bool is_first = true;
    for (uint32_t k = 0; k < n; k++) {
      if (contraction->blocks[starts[k]].upper == upper) {
        is_first &= k >= i;
        class_[n_class++] = starts[k];
      }
    }
    if (is_first && n_class > 1 && !is_known(contraction, step, upper)) {
      bool is_alone = n_class == n || is_only_end(contraction, upper, step);
      has_joined |= join_class(contraction, class_, n_class, is_alone);
    }
  }
  return spend(contraction, 8 + (uint64_t)n * n) && has_joined;
}

/* ---- Wheels ---- */

/* A whole block with these ends and this size, or NONE. */
static uint32_t
find_block(struct berth_contraction *contraction, uint32_t lower, uint32_t upper, uint64_t size) {
  for (uint32_t *link = &contraction->first_start[lower]; next_start(contraction, link) != NONE;
       link = &contraction->blocks[*link].next_start) {
    if (contraction->blocks[*link].upper == upper && contraction->blocks[*link].size == size) {
      return *link;
    }
  }
  return NONE;
}

/* The bottom begins with the left one and ends with the middle; the top begins with the middle and ends with
 * the right one. */
static bool
join_wheel(struct berth_contraction *contraction, uint32_t bottom, uint32_t middle, uint32_t top) {
  const struct berth_block *blocks = contraction->blocks;
  const struct berth_block *a = &blocks[bottom], *e = &blocks[middle], *c = &blocks[top];
  uint32_t left = find_block(contraction, a->lower, e->lower, e->size + c->size);
  uint32_t right = find_block(contraction, e->upper, c->upper, a->size + e->size);
  if (left == NONE || right == NONE) {
    return false;
  }
  struct berth_block whole = {
      a->lower, c->upper, a->size + e->size + c->size, BERTH_BLOCK_WHEEL, .is_part = false};
  uint32_t parts[] = {bottom, right, top, left, middle};
  join(contraction, whole, parts, 5);
  return true;
}

static void join_wheels(struct berth_contraction *contraction, uint32_t middle) {
  const struct berth_block *e = &contraction->blocks[middle];
  uint32_t bottoms[MOST_LISTED], n = 0, n_pairs = 0;
  if (e->lower == 0 || e->upper == contraction->instance->n_steps) {
    return;
  }
  for (uint32_t *link = &contraction->first_end[e->upper];
       next_end(contraction, link) != NONE && n < MOST_LISTED; link = &contraction->blocks[*link].next_end) {
    if (contraction->blocks[*link].lower < e->lower) {
      bottoms[n++] = *link;
    }
  }
  for (uint32_t *link = &contraction->first_start[e->lower]; next_start(contraction, link) != NONE;
       link = &contraction->blocks[*link].next_start) {
    uint32_t top = *link;
    for (uint32_t k = 0; k < n && contraction->blocks[top].upper > e->upper; k++) {
      n_pairs++;
      if (join_wheel(contraction, bottoms[k], middle, top)) {
        return;
      }
    }
  }
  spend(contraction, 8 + 16 * (uint64_t)n_pairs);
}

/* ---- All of it ---- */

static bool join_once(struct berth_contraction *contraction) {
  bool has_joined = false;
  for (uint32_t step = 0; step < contraction->instance->n_steps; step++) {
    struct berth_block_visit visit = {contraction->n_blocks, contraction->most_terms};
    bool is_inner = step > 0 && contraction->is_full[step - 1] && contraction->is_full[step];
    if (is_inner && contraction->changed[step] > contraction->visits[step].n_blocks) {
      has_joined |= join_chains(contraction, step);
    }
    has_joined |= join_stacks(contraction, step);
    contraction->visits[step] = visit;
  }
  uint32_t n_blocks = contraction->n_blocks;
  for (uint32_t b = 0; !has_joined && b < n_blocks; b++) {
    if (!contraction->blocks[b].is_part) {
      join_wheels(contraction, b);
    }
  }
  return has_joined || contraction->n_blocks > n_blocks;
}

void berth_contraction_join(struct berth_contraction *contraction, uint32_t most_terms) {
  contraction->most_terms = BERTH_CONTRACTION_FEWEST_TERMS;
  while (contraction->most_terms <= most_terms && contraction->effort->state == BERTH_EFFORT_RUNNING) {
    bool has_joined = join_once(contraction);
    contraction->most_terms = has_joined ? BERTH_CONTRACTION_FEWEST_TERMS : contraction->most_terms + 1;
  }
}

static bool is_plain(const struct berth_packing_instance *instance, struct berth_effort *effort) {
  bool ok = instance->pin == NULL && instance->gap_begin == NULL && instance->piece_begin == NULL &&
            instance->n_conflicts == 0 && instance->chains == NULL;
  for (uint32_t b = 0; ok && b < instance->n_buffers; b++) {
    ok = instance->size[b] % instance->alignment[b] == 0 &&
         instance->alignment[b] == instance->alignment[0] && berth_effort_poll_at(effort, b);
  }
  return ok;
}

static bool fill_blocks(struct berth_contraction *contraction) {
  const struct berth_packing_instance *instance = contraction->instance;
  struct berth_effort *effort = contraction->effort;
  size_t n_bytes = ((size_t)instance->n_steps + 1) * sizeof(uint32_t);
  if (!berth_effort_fill(effort, contraction->first_start, 0xff, n_bytes) ||
      !berth_effort_fill(effort, contraction->first_end, 0xff, n_bytes)) {
    return false;
  }
  for (uint32_t b = 0; b < instance->n_buffers; b++) {
    if (!berth_effort_poll_at(effort, b)) {
      return false;
    }
    contraction->blocks[b] = (struct berth_block){
        .lower = instance->lower[b], .upper = instance->upper[b], .size = instance->size[b]};
    list_block(contraction, b);
  }
  contraction->n_blocks = instance->n_buffers;
  for (uint32_t step = 0; step <= instance->n_steps; step++) {
    contraction->changed[step] = contraction->n_blocks;
    contraction->visits[step] = (struct berth_block_visit){0};
    if (!berth_effort_poll_at(effort, step)) {
      return false;
    }
  }
  return true;
}

enum berth_code berth_contraction_init(
    struct berth_contraction *contraction, const struct berth_packing_instance *instance,
    struct berth_arena *arena, struct berth_effort *effort, bool *out_usable) {
  size_t n = instance->n_buffers, n_steps = instance->n_steps;
  *contraction = (struct berth_contraction){.instance = instance, .effort = effort};
  *out_usable = n > 1 && is_plain(instance, effort);
  if (!*out_usable) {
    return BERTH_OK;
  }
  uint64_t *load = berth_arena_new(arena, uint64_t, n_steps);
  contraction->is_full = berth_arena_new(arena, uint8_t, n_steps);
  uint32_t peak;
  if (!load || !contraction->is_full || !berth_packing_load(instance, effort, load, &peak)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  contraction->load = load[peak];
  uint32_t n_full = 0;
  for (size_t s = 0; s < n_steps; s++) {
    if (!berth_effort_poll_at(effort, (uint32_t)s)) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
    contraction->is_full[s] = load[s] == contraction->load;
    n_full += contraction->is_full[s];
  }
  *out_usable = LEAST_FULL * (size_t)n_full >= n_steps && berth_effort_spend(effort, 4 * n + n_steps);
  if (!*out_usable) {
    return BERTH_OK;
  }
  contraction->blocks = berth_arena_new(arena, struct berth_block, 2 * n);
  contraction->first_start = berth_arena_new(arena, uint32_t, n_steps + 1);
  contraction->first_end = berth_arena_new(arena, uint32_t, n_steps + 1);
  contraction->changed = berth_arena_new(arena, uint32_t, n_steps + 1);
  contraction->visits = berth_arena_new(arena, struct berth_block_visit, n_steps + 1);
  contraction->borders = berth_arena_new(arena, struct berth_block_borders, 1);
  if (!contraction->blocks || !contraction->first_start || !contraction->first_end || !contraction->changed ||
      !contraction->visits || !contraction->borders) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  return fill_blocks(contraction) ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

bool berth_contraction_rest(
    const struct berth_contraction *contraction, struct berth_arena *arena, uint32_t **out_members,
    struct berth_packing_instance *out) {
  uint32_t n = contraction->n_whole, k = 0;
  uint32_t *members = berth_arena_new(arena, uint32_t, n);
  uint32_t *lower = berth_arena_new(arena, uint32_t, n), *upper = berth_arena_new(arena, uint32_t, n);
  uint64_t *size = berth_arena_new(arena, uint64_t, n), *alignment = berth_arena_new(arena, uint64_t, n);
  if (!members || !lower || !upper || !size || !alignment) {
    return false;
  }
  for (uint32_t b = 0; b < contraction->n_blocks; b++) {
    const struct berth_block *block = &contraction->blocks[b];
    if (!block->is_part) {
      members[k] = b;
      lower[k] = block->lower;
      upper[k] = block->upper;
      size[k] = block->size;
      alignment[k++] = contraction->instance->alignment[0];
    }
  }
  *out = *contraction->instance;
  out->n_buffers = n;
  out->lower = lower;
  out->upper = upper;
  out->size = size;
  out->alignment = alignment;
  out->capacity = contraction->load;
  *out_members = members;
  return true;
}

void berth_contraction_expand(const struct berth_contraction *contraction, uint64_t *offset) {
  for (uint32_t b = contraction->n_blocks; b-- > contraction->instance->n_buffers;) {
    const struct berth_block *blocks = contraction->blocks, *block = &blocks[b];
    const uint32_t *parts = block->parts;
    offset[parts[0]] = offset[parts[1]] = offset[b];
    if (block->kind == BERTH_BLOCK_STACK) {
      offset[parts[1]] += blocks[parts[0]].size;
    } else if (block->kind == BERTH_BLOCK_WHEEL) {
      offset[parts[3]] = offset[parts[4]] = offset[b] + blocks[parts[0]].size;
      offset[parts[2]] = offset[parts[4]] + blocks[parts[4]].size;
    }
  }
}
