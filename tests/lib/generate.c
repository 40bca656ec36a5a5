#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "rigid.h"
#include "sample.h"

static uint32_t between(struct berth_rng *rng, uint32_t least, uint32_t most) {
  return least + berth_rng_below(rng, most - least + 1);
}

static bool one_in(struct berth_rng *rng, uint32_t n) {
  return berth_rng_below(rng, n) == 0;
}

/* ---- Families. ---- */

static void add_uniform(struct sample *sample, struct berth_rng *rng, uint32_t n) {
  uint32_t n_steps = between(rng, 2, n + 2);
  uint32_t largest = one_in(rng, 4) ? 4 : 64;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t a = berth_rng_below(rng, n_steps);
    uint32_t b = berth_rng_below(rng, n_steps);
    sample_add(sample, between(rng, 1, largest), a < b ? a : b, (a < b ? b : a) + 1);
  }
}

static void add_forward(struct sample *sample, struct berth_rng *rng, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    int64_t upper = i + 2 + (one_in(rng, 5) ? between(rng, 1, 1 + n / 2) : 0);
    sample_add(sample, between(rng, 1, 64), i, upper);
  }
}

static void add_forward_backward(struct sample *sample, struct berth_rng *rng, uint32_t n) {
  uint32_t n_layers = n / 2 + 1;
  for (uint32_t i = 0; i < n_layers; i++) {
    sample_add(sample, between(rng, 1, 64), i, 2 * (int64_t)n_layers - i);
  }
  for (uint32_t i = 0; i < n - n_layers; i++) {
    int64_t step = 2 * (int64_t)n_layers - i - 1;
    sample_add(sample, between(rng, 1, 64), step, step + 2);
  }
}

static void add_equal(struct sample *sample, struct berth_rng *rng, uint32_t n) {
  add_uniform(sample, rng, n);
  for (uint32_t i = 0; i < n; i++) {
    sample->buffers[i].spec.size_bytes = one_in(rng, 3) ? 16 : 8;
  }
}

static void add_powers(struct sample *sample, struct berth_rng *rng, uint32_t n) {
  add_uniform(sample, rng, n);
  for (uint32_t i = 0; i < n; i++) {
    sample->buffers[i].spec.size_bytes = UINT64_C(1) << berth_rng_below(rng, 8);
  }
}

struct rectangle {
  uint32_t left, right, bottom, top; /* steps across, bytes up */
};

static void add_rectangle(struct sample *sample, struct rectangle r) {
  sample_add(sample, r.top - r.bottom, r.left, r.right);
}

/* Cuts side to side, about in n pieces, as long as there is anything to cut. */
static void cut_guillotine(struct sample *sample, struct berth_rng *rng, struct rectangle r, uint32_t n) {
  uint32_t width = r.right - r.left;
  uint32_t height = r.top - r.bottom;
  if (n <= 1 || (width < 2 && height < 2)) {
    add_rectangle(sample, r);
    return;
  }
  struct rectangle first = r;
  struct rectangle rest = r;
  bool across = height >= 2 && (width < 2 || one_in(rng, 2));
  if (across) {
    first.top = rest.bottom = r.bottom + between(rng, 1, height - 1);
  } else {
    first.right = rest.left = r.left + between(rng, 1, width - 1);
  }
  uint32_t n_first = between(rng, 1, n - 1);
  cut_guillotine(sample, rng, first, n_first);
  cut_guillotine(sample, rng, rest, n - n_first);
}

/* Five pieces around a core, each of which may be cut again. */
static void cut_pinwheel(struct sample *sample, struct berth_rng *rng, struct rectangle r, uint32_t n) {
  uint32_t width = r.right - r.left;
  uint32_t height = r.top - r.bottom;
  if (n < 5 || width < 3 || height < 3) {
    cut_guillotine(sample, rng, r, n);
    return;
  }
  uint32_t x1 = r.left + between(rng, 1, width - 2);
  uint32_t x2 = between(rng, x1 + 1, r.right - 1);
  uint32_t y1 = r.bottom + between(rng, 1, height - 2);
  uint32_t y2 = between(rng, y1 + 1, r.top - 1);
  const struct rectangle parts[5] = {
      {r.left, x2, r.bottom, y1}, {x2, r.right, r.bottom, y2},
      {x1, r.right, y2, r.top},   {r.left, x1, y1, r.top},
      {x1, x2, y1, y2},
  };
  for (int k = 0; k < 5; k++) {
    cut_pinwheel(sample, rng, parts[k], n / 5);
  }
}

static void add_cut(struct sample *sample, struct berth_rng *rng, uint32_t n, bool pinwheel) {
  uint32_t n_steps = between(rng, 3, n + 3);
  struct rectangle whole = {0, n_steps, 0, between(rng, 8, 128)};
  if (pinwheel) {
    cut_pinwheel(sample, rng, whole, n);
  } else {
    cut_guillotine(sample, rng, whole, n);
  }
  sample->optimum = whole.top;
}

/* Small buffers that stay are placed on large ones that go, each larger than the hole that the last left. */
static void add_trap(struct sample *sample, struct berth_rng *rng, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (i % 2 == 0) {
      sample_add(sample, 8 + 4 * (i / 2) + berth_rng_below(rng, 3), i, i + 1);
    } else {
      sample_add(sample, between(rng, 1, 3), i - 1, n + 1);
    }
  }
}

/* ---- A partial order ---- */

enum { MAX_STREAMS = 3 };

/* One operator: its clock has, for every stream, how many operators of it are done before this one ends. */
struct operator{
  uint32_t clock[MAX_STREAMS];
  uint32_t stream;
};

static void join(struct operator* to, const struct operator* from) {
  for (int s = 0; s < MAX_STREAMS; s++) {
    to->clock[s] = from->clock[s] > to->clock[s] ? from->clock[s] : to->clock[s];
  }
}

/* `a` ends before `b` begins, in every order that is allowed. */
static bool is_before(const struct operator* a, const struct operator* b) {
  return a->clock[a->stream] < b->clock[a->stream] + (a->stream != b->stream);
}

/* Operators in one allowed order, each on a stream. Operator i makes buffer i; its reader, if it is on
 * another stream, waits for it. Buffers meet unless one is read for the last time before the other is made:
 * the lifetimes say it for the order given, pairs for all others. */
static void add_streams(struct sample *sample, struct berth_rng *rng, uint32_t n) {
  struct operator* operators = calloc(n + 1, sizeof *operators);
  uint32_t *reader = malloc((n + 1) * sizeof *reader);
  uint32_t n_streams = between(rng, 2, MAX_STREAMS);
  uint32_t last[MAX_STREAMS];
  bool is_begun[MAX_STREAMS] = {false};
  SAMPLE_REQUIRE(operators != NULL && reader != NULL, "out of memory\n");
  for (uint32_t i = 0; i < n; i++) {
    uint32_t reach = one_in(rng, 6) ? n : 6;
    reader[i] = i + berth_rng_below(rng, reach < n - i ? reach : n - i);
  }
  for (uint32_t i = 0; i < n; i++) {
    struct operator* self = & operators[i];
    self->stream = berth_rng_below(rng, n_streams);
    if (is_begun[self->stream]) {
      join(self, &operators[last[self->stream]]);
    }
    for (uint32_t made = 0; made < i; made++) {
      if (reader[made] == i) {
        join(self, &operators[made]);
      }
    }
    self->clock[self->stream]++;
    is_begun[self->stream] = true;
    last[self->stream] = i;
    sample_add(sample, between(rng, 1, 64), i, (int64_t)reader[i] + 1);
  }
  for (uint32_t a = 0; a < n; a++) {
    for (uint32_t b = reader[a] + 1; b < n; b++) { /* apart in the order given */
      if (!is_before(&operators[reader[a]], &operators[b])) {
        sample_add_conflict(sample, a, b);
      }
    }
  }
  free(reader);
  free(operators);
}

/* ---- Features. ---- */

static void add_zeros(struct sample *sample, struct berth_rng *rng) {
  for (uint32_t k = between(rng, 1, 2); k > 0; k--) {
    const struct berth_buffer_spec *like = &sample->buffers[berth_rng_below(rng, sample->n_buffers)].spec;
    int64_t lower = like->lower;
    int64_t upper = like->upper;
    sample_add(sample, 0, lower, upper);
  }
}

static void align(struct sample *sample, struct berth_rng *rng) {
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    sample->buffers[i].spec.alignment = UINT64_C(1) << berth_rng_below(rng, 6);
  }
}

static void add_gaps(struct sample *sample, struct berth_rng *rng) {
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    struct sample_buffer *buffer = &sample->buffers[i];
    int64_t from = buffer->spec.lower;
    for (int g = 0; g < 2; g++) {
      int64_t left = buffer->spec.upper - from;
      if (buffer->spec.size_bytes == 0 || left < 2 || one_in(rng, 2)) {
        continue;
      }
      int64_t lower = from + berth_rng_below(rng, (uint32_t)left - 1);
      int64_t upper = lower + between(rng, 1, (uint32_t)(buffer->spec.upper - lower));
      uint64_t window_lower = berth_rng_below(rng, (uint32_t)buffer->spec.size_bytes);
      uint64_t window_upper =
          window_lower + berth_rng_below(rng, (uint32_t)(buffer->spec.size_bytes - window_lower) + 1);
      sample_add_gap(buffer, lower, upper, window_lower, window_upper);
      from = upper;
    }
  }
}

static void add_conflicts(struct sample *sample, struct berth_rng *rng) {
  for (uint32_t k = between(rng, 1, 1 + sample->n_buffers / 4); k > 0 && sample->n_buffers > 1; k--) {
    uint32_t a = berth_rng_below(rng, sample->n_buffers);
    uint32_t b = berth_rng_below(rng, sample->n_buffers);
    if (a != b && !oracle_in_conflict(sample, a, b)) {
      sample_add_conflict(sample, a, b);
    }
  }
}

static void add_pools(struct sample *sample, struct berth_rng *rng, bool several, bool slots) {
  static const char *const NAMES[SAMPLE_MAX_POOLS] = {"first", "second", "third"};
  sample->n_pools = several ? between(rng, 2, SAMPLE_MAX_POOLS) : 1;
  for (uint32_t p = 0; p < sample->n_pools; p++) {
    sample->pools[p] = berth_pool_spec_default();
    sample->pools[p].name = (struct berth_text){NAMES[p], p == 0 ? 5 : p == 1 ? 6 : 5};
    sample->pools[p].alignment = UINT64_C(1) << berth_rng_below(rng, 4);
  }
  if (slots) {
    sample->pools[berth_rng_below(rng, sample->n_pools)].kind = BERTH_POOL_SLOTS;
  }
  for (uint32_t i = 0; i < sample->n_buffers && several; i++) {
    struct sample_buffer *buffer = &sample->buffers[i];
    uint32_t first = berth_rng_below(rng, sample->n_pools);
    for (uint32_t k = berth_rng_below(rng, sample->n_pools + 1); k > 0; k--) {
      buffer->pools[buffer->spec.n_pools++] = (first + k) % sample->n_pools;
    }
  }
}

static bool persists(const struct sample_buffer *buffer) {
  return buffer->spec.class_ == BERTH_CLASS_CONSTANT || buffer->spec.class_ == BERTH_CLASS_STATE;
}

/* Nobody but constants and state may name a pool for them alone, and there is always another. */
static void name_no_closed_pool(struct sample *sample, struct sample_buffer *buffer) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < buffer->spec.n_pools; k++) {
    bool closed = sample->pools[buffer->pools[k]].persistence == BERTH_PERSISTENCE_ONLY;
    if (!closed || persists(buffer)) {
      buffer->pools[n++] = buffer->pools[k];
    }
  }
  buffer->spec.n_pools = n;
}

static void add_terms(struct sample *sample, struct berth_rng *rng, bool front) {
  if (sample->n_pools == 0) {
    sample->n_pools = 1;
    sample->pools[0] = berth_pool_spec_default();
  }
  bool costs = one_in(rng, 2);
  for (uint32_t p = 0; p < sample->n_pools; p++) {
    struct berth_pool_spec *pool = &sample->pools[p];
    pool->base_alignment = p > 0 && one_in(rng, 3) ? pool->alignment << berth_rng_below(rng, 3) : 0;
    pool->cost_per_byte = costs ? berth_rng_below(rng, 5) : 0;
    pool->n_spill_to = 0;
    for (uint32_t other = 0; other < sample->n_pools; other++) {
      if (other != p && one_in(rng, 3)) {
        sample->spills[p][pool->n_spill_to++] = other;
      }
    }
    if (p > 0 && one_in(rng, 3)) {
      pool->persistence = BERTH_PERSISTENCE_ONLY;
    } else if (front && pool->kind == BERTH_POOL_BYTES && one_in(rng, 2)) {
      pool->persistence = BERTH_PERSISTENCE_FRONT;
    }
  }
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    struct sample_buffer *buffer = &sample->buffers[i];
    buffer->spec.class_ = (enum berth_buffer_class)berth_rng_below(rng, BERTH_N_CLASSES);
    if (persists(buffer) && buffer->spec.n_gaps > 0) {
      buffer->spec.class_ = BERTH_CLASS_TEMPORARY;
    }
    buffer->spec.accesses = one_in(rng, 3) ? berth_rng_below(rng, 4) : 1;
    name_no_closed_pool(sample, buffer);
    bool based = buffer->spec.n_pools > 0;
    for (uint32_t k = 0; k < buffer->spec.n_pools; k++) {
      based = based && sample->pools[buffer->pools[k]].base_alignment != 0;
    }
    if (based) { /* the first promises any alignment */
      buffer->pools[0] = 0;
      buffer->spec.n_pools = 1;
    }
  }
}

/* Spans along two or three lines, some of one line alone; few enough to be ordered often. */
static void add_clocks(struct sample *sample, struct berth_rng *rng) {
  uint32_t n_clocks = between(rng, 2, SAMPLE_MAX_CLOCKS);
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    struct sample_buffer *buffer = &sample->buffers[i];
    uint32_t line = berth_rng_below(rng, n_clocks);
    uint32_t begin = berth_rng_below(rng, 8);
    buffer->spec.n_clocks = n_clocks;
    for (uint32_t c = 0; c < n_clocks; c++) {
      bool waits = c == line || one_in(rng, 2);
      buffer->clock_lower[c] = waits ? begin : 0;
      buffer->clock_upper[c] = buffer->clock_lower[c] + (waits ? berth_rng_below(rng, 4) : 0);
    }
    buffer->clock_upper[line] = begin + 1 + berth_rng_below(rng, 3);
    sample_sum_clocks(buffer);
  }
}

static bool is_accepted(const struct sample *sample) {
  struct berth_problem *problem = NULL;
  bool accepted = sample_try_build(sample, NULL, NULL, &problem, NULL) == BERTH_OK;
  berth_problem_unref(problem);
  return accepted;
}

/* Where pins are to come, all groups are in one pool. */
static void gather_groups(struct sample *sample) {
  uint32_t pool = 0;
  while (pool + 1 < sample->n_pools && sample->pools[pool].kind == BERTH_POOL_SLOTS) {
    pool++;
  }
  for (uint32_t g = 0; g < sample->n_groups && sample->n_pools > 0; g++) {
    for (uint32_t k = 0; k < sample->groups[g].n_members; k++) {
      struct sample_buffer *member = &sample->buffers[sample->groups[g].members[k]];
      member->spec.n_pools = 1;
      member->pools[0] = pool;
    }
  }
}

/* Those that contradict each other are dropped again. */
static void add_groups(struct sample *sample, struct berth_rng *rng, bool one_pool) {
  uint32_t order[RIGID_MAX_BUFFERS];
  struct sample_buffer before[RIGID_MAX_BUFFERS];
  if (sample->n_buffers < 2 || sample->n_buffers > RIGID_MAX_BUFFERS) {
    return;
  }
  for (uint32_t n = between(rng, 1, SAMPLE_MAX_GROUPS); n > 0; n--) {
    struct sample_group *group = &sample->groups[sample->n_groups++];
    *group = (struct sample_group){
        .kind = one_in(rng, 2) ? BERTH_GROUP_CONTIGUOUS : BERTH_GROUP_SHARED,
        .n_members = between(rng, 2, sample->n_buffers < SAMPLE_MAX_MEMBERS ? 2 : SAMPLE_MAX_MEMBERS)};
    sample_shuffle(rng, order, sample->n_buffers);
    for (uint32_t k = 0; k < group->n_members; k++) {
      group->members[k] = order[k];
    }
    memcpy(before, sample->buffers, sample->n_buffers * sizeof *before);
    if (one_pool) {
      gather_groups(sample);
    }
    if (!is_accepted(sample)) {
      sample->n_groups--;
      memcpy(sample->buffers, before, sample->n_buffers * sizeof *before);
    }
  }
}

/* The least offset of i, and of its group around it, above all that is placed and that they meet. */
static uint64_t least_above(
    const struct sample *sample, const struct rigid *rigid, uint32_t i, uint64_t least, uint64_t alignment,
    const bool *placed, const uint64_t *offset) {
  uint32_t n = sample->n_buffers;
  uint64_t distance = sample->n_groups > 0 ? rigid->distance[i] : 0;
  alignment = sample->n_groups > 0 && rigid->alignment[i] > alignment ? rigid->alignment[i] : alignment;
  uint64_t base = least > distance ? least - distance : 0;
  for (uint32_t m = 0; m < n; m++) {
    if (m != i && (sample->n_groups == 0 || rigid->group[m] != rigid->group[i])) {
      continue;
    }
    uint64_t of_m = sample->n_groups > 0 ? rigid->distance[m] : 0;
    for (uint32_t j = 0; j < n; j++) {
      uint64_t end = placed[j] ? offset[j] + sample->buffers[j].spec.size_bytes : 0;
      bool meet = placed[j] && (oracle_meet(sample, m, j) || oracle_in_conflict(sample, m, j) ||
                                persists(&sample->buffers[m]) || persists(&sample->buffers[j]));
      base = meet && end > base + of_m ? end - of_m : base;
    }
  }
  return (base + alignment - 1) / alignment * alignment + distance;
}

/* Stacks the buffers, and groups whole, in a random order with some slack: a valid plan, from which some pins
 * are taken. */
static void pin_some(struct sample *sample, struct berth_rng *rng) {
  uint32_t n = sample->n_buffers;
  uint32_t *order = malloc(sizeof *order * (n + 1));
  uint64_t *offset = malloc(sizeof *offset * (n + 1));
  bool *placed = calloc(n + 1, sizeof *placed);
  struct rigid rigid;
  SAMPLE_REQUIRE(order != NULL && offset != NULL && placed != NULL, "out of memory\n");
  if (sample->n_groups > 0) {
    rigid_make(&rigid, sample);
  }
  sample_shuffle(rng, order, n);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = order[k];
    uint32_t pool = sample->buffers[i].spec.n_pools > 0 ? sample->buffers[i].pools[0] : 0;
    uint64_t least = one_in(rng, 3) ? berth_rng_below(rng, 20) : 0;
    if (!placed[i]) {
      uint64_t alignment = sample_alignment(sample, i, pool);
      offset[i] = least_above(sample, &rigid, i, least, alignment, placed, offset);
    }
    for (uint32_t m = 0; m < n && !placed[i] && sample->n_groups > 0; m++) {
      if (m != i && rigid.group[m] == rigid.group[i]) {
        placed[m] = true;
        offset[m] = offset[i] - rigid.distance[i] + rigid.distance[m];
      }
    }
    placed[i] = true;
    bool slots = sample->n_pools > 0 && sample->pools[pool].kind == BERTH_POOL_SLOTS;
    bool front = sample->n_pools > 0 && sample->pools[pool].persistence == BERTH_PERSISTENCE_FRONT;
    bool base = sample->n_pools > 0 && sample->pools[pool].base_alignment != 0;
    if (!slots && !front && !base && oracle_home(sample, i, pool) != BERTH_NO_INDEX && one_in(rng, 3)) {
      sample->buffers[i].spec.pinned_offset = offset[i];
      sample->buffers[i].spec.n_pools = sample->n_pools > 0;
      sample->buffers[i].pools[0] = pool;
    }
  }
  free(placed);
  free(offset);
  free(order);
}

void sample_shuffle(struct berth_rng *rng, uint32_t *order, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    uint32_t other = berth_rng_below(rng, k + 1);
    order[k] = order[other];
    order[other] = k;
  }
}

void sample_generate(
    struct sample *sample, struct berth_rng *rng, enum sample_family family, uint32_t n, uint32_t features) {
  sample_clear(sample);
  switch (family) {
  case SAMPLE_FORWARD:
    add_forward(sample, rng, n);
    break;
  case SAMPLE_FORWARD_BACKWARD:
    add_forward_backward(sample, rng, n);
    break;
  case SAMPLE_EQUAL:
    add_equal(sample, rng, n);
    break;
  case SAMPLE_POWERS:
    add_powers(sample, rng, n);
    break;
  case SAMPLE_GUILLOTINE:
  case SAMPLE_PINWHEEL:
    add_cut(sample, rng, n, family == SAMPLE_PINWHEEL);
    break;
  case SAMPLE_TRAP:
    add_trap(sample, rng, n);
    break;
  case SAMPLE_STREAMS:
    add_streams(sample, rng, n);
    break;
  case SAMPLE_UNIFORM:
  case SAMPLE_N_FAMILIES:
    add_uniform(sample, rng, n);
    break;
  }
  if ((features & SAMPLE_ZEROS) != 0) {
    add_zeros(sample, rng);
  }
  if ((features & SAMPLE_ALIGNED) != 0) {
    align(sample, rng);
  }
  if ((features & SAMPLE_CLOCKS) != 0) {
    add_clocks(sample, rng);
  } else if ((features & SAMPLE_GAPS) != 0) {
    add_gaps(sample, rng);
  }
  if ((features & SAMPLE_CONFLICTS) != 0) {
    add_conflicts(sample, rng);
  }
  if ((features & (SAMPLE_POOLS | SAMPLE_SLOTS)) != 0) {
    add_pools(sample, rng, (features & SAMPLE_POOLS) != 0, (features & SAMPLE_SLOTS) != 0);
  }
  if ((features & (SAMPLE_TERMS | SAMPLE_FRONT)) != 0) {
    add_terms(sample, rng, (features & SAMPLE_FRONT) != 0);
  }
  if ((features & SAMPLE_GROUPS) != 0) {
    add_groups(sample, rng, (features & SAMPLE_PINNED) != 0);
  }
  if ((features & SAMPLE_PINNED) != 0) {
    pin_some(sample, rng);
  }
  if ((features & ~(uint32_t)SAMPLE_ZEROS) != 0) {
    sample->optimum = BERTH_UNLIMITED;
  }
}

void sample_generate_any(
    struct sample *sample, struct berth_rng *rng, uint32_t least, uint32_t most, uint32_t features) {
  enum sample_family family = (enum sample_family)berth_rng_below(rng, SAMPLE_STREAMS);
  uint32_t n = between(rng, least, most);
  sample_generate(sample, rng, family, n, features);
}
