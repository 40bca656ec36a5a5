#include "rigid.h"

#include "oracle.h"
#include "suite.h"

/* Everyone whom groups tie to i, itself too; members without bytes tie nobody. With `shared_only`, only those
 * that are one storage with it. Returns whether anyone stands in a row. */
static bool reach(const struct sample *sample, uint32_t i, bool shared_only, bool *out_reached) {
  bool row = false;
  for (uint32_t k = 0; k < RIGID_MAX_BUFFERS; k++) {
    out_reached[k] = k == i;
  }
  for (bool more = sample->buffers[i].spec.size_bytes > 0; more;) {
    more = false;
    for (uint32_t g = 0; g < sample->n_groups; g++) {
      const struct sample_group *group = &sample->groups[g];
      bool touched = false;
      uint32_t n_sized = 0;
      for (uint32_t k = 0; k < group->n_members; k++) {
        bool sized = sample->buffers[group->members[k]].spec.size_bytes > 0;
        touched |= sized && out_reached[group->members[k]];
        n_sized += sized;
      }
      bool counts = touched && n_sized > 1 && (!shared_only || group->kind == BERTH_GROUP_SHARED);
      row |= counts && group->kind == BERTH_GROUP_CONTIGUOUS;
      for (uint32_t k = 0; k < group->n_members && counts; k++) {
        uint32_t member = group->members[k];
        bool is_new = !out_reached[member] && sample->buffers[member].spec.size_bytes > 0;
        more |= is_new;
        out_reached[member] |= is_new;
      }
    }
  }
  return row;
}

/* What the pool says to a group of which `reached` are the members. */
static bool suits(const struct sample *sample, uint32_t p, const bool *reached, bool row) {
  const struct berth_pool_spec *pool = &sample->pools[p];
  bool based = true;
  bool any_persists = false;
  bool all_persist = true;
  for (uint32_t j = 0; j < sample->n_buffers; j++) {
    enum berth_buffer_class class_ = sample->buffers[j].spec.class_;
    bool persists = class_ == BERTH_CLASS_CONSTANT || class_ == BERTH_CLASS_STATE;
    based &=
        !reached[j] || pool->base_alignment == 0 || sample->buffers[j].spec.alignment <= pool->base_alignment;
    any_persists |= reached[j] && persists;
    all_persist &= !reached[j] || persists;
  }
  bool mixes = any_persists && !all_persist;
  return based && !(row && pool->kind == BERTH_POOL_SLOTS) &&
         !(mixes && pool->persistence != BERTH_PERSISTENCE_MIXED);
}

uint32_t rigid_pools(const struct sample *sample, uint32_t i) {
  bool reached[RIGID_MAX_BUFFERS] = {false};
  bool row = sample->n_groups > 0 && reach(sample, i, false, reached);
  uint32_t n_pools = sample->n_pools > 0 ? sample->n_pools : 1;
  uint32_t n_reached = 0;
  uint32_t all = 0;
  for (uint32_t j = 0; j < sample->n_buffers; j++) {
    n_reached += sample->n_groups > 0 && reached[j];
  }
  for (uint32_t p = 0; p < n_pools; p++) {
    bool right = oracle_home(sample, i, p) != BERTH_NO_INDEX;
    for (uint32_t j = 0; j < sample->n_buffers && n_reached > 1; j++) {
      right &= !reached[j] || oracle_home(sample, j, p) != BERTH_NO_INDEX;
    }
    right &= n_reached < 2 || sample->n_pools == 0 || suits(sample, p, reached, row);
    all |= (uint32_t)right << p;
  }
  return all;
}

/* Naming every pool, in order, is no wish, unless there are others to be named by them. */
static bool has_wish(const struct sample *sample, uint32_t j) {
  bool all = sample->buffers[j].spec.n_pools == sample->n_pools;
  for (uint32_t p = 0; p < sample->n_pools && all; p++) {
    all = sample->pools[p].n_spill_to == 0 && sample->pools[p].persistence != BERTH_PERSISTENCE_ONLY &&
          sample->buffers[j].pools[p] == p;
  }
  return sample->buffers[j].spec.n_pools > 0 && !all;
}

uint32_t rigid_homes(const struct sample *sample, uint32_t i, uint32_t *list) {
  bool reached[RIGID_MAX_BUFFERS] = {false};
  uint64_t places[SAMPLE_MAX_POOLS] = {0};
  uint32_t n_reached = 0;
  reach(sample, i, false, reached);
  bool any_wish = false;
  for (uint32_t j = 0; j < sample->n_buffers; j++) {
    any_wish |= reached[j] && has_wish(sample, j);
  }
  for (uint32_t j = 0; j < sample->n_buffers; j++) {
    n_reached += reached[j];
    for (uint32_t p = 0; p < sample->n_pools && reached[j] && has_wish(sample, j) == any_wish; p++) {
      uint32_t place = oracle_home(sample, j, p);
      places[p] += place != BERTH_NO_INDEX ? place : 0;
    }
  }
  if (n_reached < 2) {
    return oracle_homes(sample, i, list);
  }
  uint32_t pools = rigid_pools(sample, i);
  uint32_t n = 0;
  for (uint32_t p = 0; p < (sample->n_pools > 0 ? sample->n_pools : 1); p++) {
    uint32_t at = n;
    for (; at > 0 && (pools >> p & 1) != 0 && places[list[at - 1]] > places[p]; at--) {
      list[at] = list[at - 1];
    }
    list[at] = (pools >> p & 1) != 0 ? p : list[at];
    n += pools >> p & 1;
  }
  return n;
}

uint64_t rigid_strictest(const struct sample *sample, uint32_t i) {
  uint64_t alignment = sample->buffers[i].spec.alignment;
  uint32_t pools = rigid_pools(sample, i);
  for (uint32_t p = 0; p < sample->n_pools; p++) {
    bool counts = (pools >> p & 1) != 0 && sample->pools[p].alignment > alignment;
    alignment = counts ? sample->pools[p].alignment : alignment;
  }
  return alignment;
}

static uint64_t up(uint64_t n, uint64_t alignment) {
  return (n + alignment - 1) / alignment * alignment;
}

/* Distances of a stated group's members from its first one that has bytes; -1 for those without. */
static void state(const struct sample *sample, const struct sample_group *group, int64_t *distance) {
  uint64_t at = 0;
  bool first = true;
  uint32_t last = 0;
  for (uint32_t k = 0; k < group->n_members; k++) {
    uint32_t i = group->members[k];
    distance[k] = -1;
    if (sample->buffers[i].spec.size_bytes == 0) {
      continue;
    }
    if (!first && group->kind == BERTH_GROUP_CONTIGUOUS) {
      at = up(at + sample->buffers[last].spec.size_bytes, rigid_strictest(sample, i));
    }
    distance[k] = (int64_t)at;
    first = false;
    last = i;
  }
}

/* Joins what the group joins; returns whether that was news. */
static bool
join(const struct sample_group *group, const int64_t *stated, uint32_t n, uint32_t *of, int64_t *at) {
  uint32_t first = 0;
  while (first < group->n_members && stated[first] < 0) {
    first++;
  }
  for (uint32_t k = first + 1; k < group->n_members; k++) {
    uint32_t a = group->members[first];
    uint32_t b = group->members[k];
    if (stated[k] < 0 || of[a] == of[b]) {
      continue;
    }
    uint32_t from = of[b];
    int64_t shift = at[a] + stated[k] - at[b];
    for (uint32_t i = 0; i < n; i++) {
      if (of[i] == from) {
        of[i] = of[a];
        at[i] += shift;
      }
    }
    return true;
  }
  return false;
}

/* The base: the first place at or below the lowest member from which all alignments hold. */
static void settle(
    struct rigid *rigid, const struct sample *sample, uint32_t root, const uint32_t *of, const int64_t *at) {
  uint32_t n = sample->n_buffers;
  int64_t lowest = INT64_MAX;
  uint64_t strictest = 1;
  uint32_t least = n;
  for (uint32_t i = 0; i < n; i++) {
    if (of[i] == root) {
      lowest = at[i] < lowest ? at[i] : lowest;
      strictest = rigid_strictest(sample, i) > strictest ? rigid_strictest(sample, i) : strictest;
      least = i < least ? i : least;
    }
  }
  uint64_t phase = 0;
  for (bool holds = false; !holds;) {
    holds = true;
    for (uint32_t i = 0; i < n && holds; i++) {
      holds = of[i] != root || (phase + (uint64_t)(at[i] - lowest)) % rigid_strictest(sample, i) == 0;
    }
    phase += !holds;
    ck_assert_uint_lt(phase, strictest);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (of[i] == root) {
      rigid->group[i] = least;
      rigid->distance[i] = phase + (uint64_t)(at[i] - lowest);
      rigid->alignment[i] = strictest;
    }
  }
}

void rigid_make(struct rigid *rigid, const struct sample *sample) {
  uint32_t of[RIGID_MAX_BUFFERS];
  int64_t at[RIGID_MAX_BUFFERS] = {0};
  uint32_t n = sample->n_buffers;
  ck_assert_uint_le(n, RIGID_MAX_BUFFERS);
  for (uint32_t i = 0; i < n; i++) {
    of[i] = i;
  }
  for (uint32_t g = 0; g < sample->n_groups;) {
    int64_t stated[SAMPLE_MAX_MEMBERS];
    state(sample, &sample->groups[g], stated);
    g = join(&sample->groups[g], stated, n, of, at) ? 0 : g + 1;
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t n_mates = 0;
    for (uint32_t j = 0; j < n; j++) {
      n_mates += of[j] == of[i];
    }
    if (n_mates > 1) {
      settle(rigid, sample, of[i], of, at);
    } else {
      rigid->group[i] = i;
      rigid->distance[i] = 0;
      rigid->alignment[i] = 1;
    }
  }
}

bool rigid_one_storage(const struct sample *sample, uint32_t a, uint32_t b) {
  if (a == b || sample->n_groups == 0) {
    return a == b;
  }
  bool reached[RIGID_MAX_BUFFERS];
  reach(sample, a, true, reached);
  return reached[b];
}
