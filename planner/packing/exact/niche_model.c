#include "packing/exact/niche_model.h"

#include <string.h>

#include "base/checked.h"
#include "base/effort.h"
#include "packing/exact/niche_stretches.h"

enum { MAX_MEETINGS = 1 << 23, POLL_BUFFERS = 64 };

/* The steps to keep, as section numbers: step s belongs to section step_section[s]; a dropped step's live set
 * is inside that of the section after it (or before it), so a stretch [lower, upper) of steps becomes the
 * sections first_from[lower] .. first_from[upper]. */
struct sweep {
  uint8_t *starts; /* some piece starts at the step */
  uint8_t *ends;   /* some piece ends where the step ends */
  uint32_t *first_from;
};

static uint64_t gcd(uint64_t a, uint64_t b) {
  while (b != 0) {
    uint64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

static void choose_unit(struct berth_niche_model *model, const struct berth_niche_stretches *stretches) {
  const struct berth_packing_instance *in = model->instance;
  uint64_t divisor = 0, smallest = UINT64_MAX, largest = 1;
  for (uint32_t b = 0; b < in->n_buffers; b++) {
    divisor = gcd(divisor, in->size[b]);
    smallest = in->alignment[b] < smallest ? in->alignment[b] : smallest;
    largest = in->alignment[b] > largest ? in->alignment[b] : largest;
    if (berth_packing_is_pinned(in, b)) {
      model->has_pins = true;
      divisor = gcd(divisor, in->pin[b]);
    }
  }
  for (uint32_t k = 0; model->has_windows && k < stretches->begin[in->n_buffers]; k++) {
    divisor = gcd(gcd(divisor, stretches->items[k].window_lower), stretches->items[k].window_upper);
  }
  bool is_vacuous = divisor % largest == 0;
  model->unit = is_vacuous ? divisor : model->has_windows ? gcd(divisor, smallest) : smallest;
}

static void fill_sizes(struct berth_niche_model *model) {
  const struct berth_packing_instance *in = model->instance;
  for (uint32_t b = 0; b < in->n_buffers; b++) {
    model->size[b] = (int64_t)(in->size[b] / model->unit + (in->size[b] % model->unit != 0));
    model->mask[b] = in->alignment[b] > model->unit ? (int64_t)(in->alignment[b] / model->unit) - 1 : 0;
    model->has_masks |= model->mask[b] != 0;
    bool is_pinned = berth_packing_is_pinned(in, b);
    model->pin[b] = is_pinned ? (int64_t)(in->pin[b] / model->unit) : -1;
  }
}

static void number_sections(struct berth_niche_model *model, struct sweep *sweep) {
  uint32_t n_steps = model->instance->n_steps, n = 0;
  bool has_start = false;
  for (uint32_t s = 0; s < n_steps; s++) {
    has_start |= sweep->starts[s];
    sweep->first_from[s] = n;
    if (has_start && sweep->ends[s]) {
      n++;
      has_start = false;
    }
  }
  sweep->first_from[n_steps] = n;
  model->n_time_sections = n;
  model->n_sections = n + model->instance->n_conflicts;
}

static void mark_borders(const struct berth_niche_stretches *stretches, uint32_t n, struct sweep *sweep) {
  for (uint32_t k = 0; k < stretches->begin[n]; k++) {
    sweep->starts[stretches->items[k].lower] = 1;
    sweep->ends[stretches->items[k].upper - 1] = 1;
  }
}

static bool fill_runs(
    struct berth_niche_model *model, const struct berth_niche_stretches *stretches, const struct sweep *sweep,
    struct berth_effort *effort, uint32_t *cursor) {
  const struct berth_packing_instance *in = model->instance;
  for (uint32_t b = 0; b < in->n_buffers; b++) {
    cursor[b] = model->run_begin[b];
    for (uint32_t k = stretches->begin[b]; k < stretches->begin[b + 1]; k++) {
      const struct berth_piece *piece = &stretches->items[k];
      bool is_whole = piece->window_lower == 0 && piece->window_upper == in->size[b];
      model->runs[cursor[b]++] = (struct berth_niche_run){
          .lower = sweep->first_from[piece->lower],
          .upper = sweep->first_from[piece->upper],
          .bottom = (int64_t)(piece->window_lower / model->unit),
          .top = is_whole ? model->size[b] : (int64_t)(piece->window_upper / model->unit)};
    }
  }
  for (uint32_t c = 0; c < in->n_conflicts; c++) {
    uint32_t section = model->n_time_sections + c;
    if (!berth_effort_poll_at(effort, c)) {
      return false;
    }
    for (int side = 0; side < 2; side++) {
      uint32_t b = in->conflicts[c][side];
      model->runs[cursor[b]++] = (struct berth_niche_run){section, section + 1, 0, model->size[b]};
    }
  }
  return true;
}

static enum berth_code build_runs(
    struct berth_niche_model *model, const struct berth_niche_stretches *stretches,
    struct berth_arena *arena) {
  const struct berth_packing_instance *in = model->instance;
  struct sweep sweep = {
      .starts = berth_arena_new_zeroed(arena, uint8_t, (size_t)in->n_steps + 1),
      .ends = berth_arena_new_zeroed(arena, uint8_t, (size_t)in->n_steps + 1),
      .first_from = berth_arena_new(arena, uint32_t, (size_t)in->n_steps + 1)};
  uint32_t *n_partners = berth_arena_new_zeroed(arena, uint32_t, in->n_buffers);
  model->run_begin = berth_arena_new(arena, uint32_t, (size_t)in->n_buffers + 1);
  if (!sweep.starts || !sweep.ends || !sweep.first_from || !n_partners || !model->run_begin) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  for (uint32_t c = 0; c < in->n_conflicts; c++) {
    if (!berth_effort_poll_at(arena->effort, c)) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
    n_partners[in->conflicts[c][0]]++;
    n_partners[in->conflicts[c][1]]++;
  }
  uint32_t n_runs = 0;
  for (uint32_t b = 0; b < in->n_buffers; b++) {
    model->run_begin[b] = n_runs;
    n_runs += stretches->begin[b + 1] - stretches->begin[b] + n_partners[b];
  }
  model->run_begin[in->n_buffers] = n_runs;
  model->runs = berth_arena_new(arena, struct berth_niche_run, n_runs);
  if (!model->runs) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  mark_borders(stretches, in->n_buffers, &sweep);
  number_sections(model, &sweep);
  return fill_runs(model, stretches, &sweep, arena->effort, n_partners) ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

static void fill_hulls(struct berth_niche_model *model) {
  model->is_plain = !model->has_windows;
  for (uint32_t b = 0; b < model->n_buffers; b++) {
    uint32_t first = model->run_begin[b], last = model->run_begin[b + 1];
    model->is_plain &= last - first == 1;
    model->lower[b] = first < last ? model->runs[first].lower : 0;
    model->upper[b] = first < last ? model->runs[last - 1].upper : 0;
  }
}

/* A byte that all runs hold; where there is none, one that most of them hold nearly. */
static bool fill_references(struct berth_niche_model *model, struct berth_arena *arena) {
  model->is_ordered = !model->has_holes;
  if (!model->has_windows) {
    return true;
  }
  model->reference = berth_arena_new(arena, int64_t, model->n_buffers);
  model->least_top = berth_arena_new(arena, int64_t, model->n_buffers);
  model->most_bottom = berth_arena_new(arena, int64_t, model->n_buffers);
  if (!model->reference || !model->least_top || !model->most_bottom) {
    return false;
  }
  for (uint32_t b = 0; b < model->n_buffers; b++) {
    int64_t most_bottom = 0, least_top = model->size[b];
    for (uint32_t r = model->run_begin[b]; r < model->run_begin[b + 1]; r++) {
      most_bottom = model->runs[r].bottom > most_bottom ? model->runs[r].bottom : most_bottom;
      least_top = model->runs[r].top < least_top ? model->runs[r].top : least_top;
    }
    model->most_bottom[b] = most_bottom;
    model->least_top[b] = least_top;
    model->is_ordered &= most_bottom < least_top;
    model->reference[b] = most_bottom < least_top ? most_bottom : (most_bottom + least_top) / 2;
  }
  return true;
}

static enum berth_code list_members(struct berth_niche_model *model, struct berth_arena *arena) {
  model->member_begin = berth_arena_new_zeroed(arena, uint32_t, (size_t)model->n_sections + 2);
  if (!model->member_begin) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  uint32_t *end = model->member_begin + 1;
  for (uint32_t r = 0; r < model->run_begin[model->n_buffers]; r++) {
    for (uint32_t s = model->runs[r].lower; s < model->runs[r].upper; s++) {
      end[s + 1]++;
    }
    if (r % POLL_BUFFERS == 0 && !berth_effort_poll(arena->effort)) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
  }
  for (uint32_t s = 0; s < model->n_sections; s++) {
    end[s + 1] += end[s];
  }
  model->members = berth_arena_new(arena, uint32_t, end[model->n_sections]);
  model->bottom = model->has_windows ? berth_arena_new(arena, int64_t, end[model->n_sections]) : NULL;
  if (!model->members || (model->has_windows && !model->bottom)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  for (uint32_t b = 0; b < model->n_buffers; b++) {
    for (uint32_t r = model->run_begin[b]; r < model->run_begin[b + 1]; r++) {
      for (uint32_t s = model->runs[r].lower; s < model->runs[r].upper; s++) {
        if (model->bottom != NULL) {
          model->bottom[end[s]] = model->runs[r].bottom;
        }
        model->members[end[s]++] = b;
      }
    }
    if (b % POLL_BUFFERS == 0 && !berth_effort_poll(arena->effort)) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
  }
  return BERTH_OK;
}

/* The buffers by the sections in which a run of theirs begins. */
struct beginnings {
  uint32_t *begin; /* n_sections + 1 */
  uint32_t *buffers;
  uint32_t *seen; /* the last buffer that each was listed for */
};

static bool
list_beginnings(const struct berth_niche_model *model, struct berth_arena *arena, struct beginnings *out) {
  uint32_t n_runs = model->run_begin[model->n_buffers];
  out->begin = berth_arena_new_zeroed(arena, uint32_t, (size_t)model->n_sections + 2);
  out->buffers = berth_arena_new(arena, uint32_t, n_runs);
  out->seen = berth_arena_new_zeroed(arena, uint32_t, model->n_buffers);
  if (!out->begin || !out->buffers || !out->seen) {
    return false;
  }
  uint32_t *end = out->begin + 1;
  for (uint32_t r = 0; r < n_runs; r++) {
    end[model->runs[r].lower + 1]++;
  }
  for (uint32_t s = 0; s < model->n_sections; s++) {
    end[s + 1] += end[s];
  }
  for (uint32_t b = 0; b < model->n_buffers; b++) {
    for (uint32_t r = model->run_begin[b]; r < model->run_begin[b + 1]; r++) {
      out->buffers[end[model->runs[r].lower]++] = b;
    }
  }
  return true;
}

static uint32_t
list_unseen(const uint32_t *buffers, uint32_t n, uint32_t b, uint32_t *seen, uint32_t *out_meets) {
  uint32_t n_new = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (seen[buffers[k]] != b + 1) {
      seen[buffers[k]] = b + 1;
      if (out_meets != NULL) {
        out_meets[n_new] = buffers[k];
      }
      n_new++;
    }
  }
  return n_new;
}

/* Appends the buffers that meet b, each once: the members of the section in which a run begins, and those
 * that begin later in it. */
static uint32_t list_meetings_of(
    const struct berth_niche_model *model, uint32_t b, const struct beginnings *beginnings,
    uint32_t *out_meets) {
  uint32_t n = 0;
  beginnings->seen[b] = b + 1;
  for (uint32_t r = model->run_begin[b]; r < model->run_begin[b + 1]; r++) {
    uint32_t first = model->runs[r].lower;
    uint32_t from = model->member_begin[first];
    n += list_unseen(
        model->members + from, model->member_begin[first + 1] - from, b, beginnings->seen,
        out_meets != NULL ? out_meets + n : NULL);
    from = beginnings->begin[first + 1];
    n += list_unseen(
        beginnings->buffers + from, beginnings->begin[model->runs[r].upper] - from, b, beginnings->seen,
        out_meets != NULL ? out_meets + n : NULL);
  }
  return n;
}

static bool poll(struct berth_arena *arena, uint32_t b) {
  return b % POLL_BUFFERS != 0 || berth_effort_poll(arena->effort);
}

static enum berth_code
list_meetings(struct berth_niche_model *model, struct berth_arena *arena, bool *out_usable) {
  uint32_t n = model->n_buffers;
  struct beginnings beginnings;
  model->meet_begin = berth_arena_new(arena, uint32_t, (size_t)n + 1);
  if (!model->meet_begin || !list_beginnings(model, arena, &beginnings)) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  uint64_t total = 0;
  for (uint32_t b = 0; b < n; b++) {
    if (!poll(arena, b)) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
    model->meet_begin[b] = (uint32_t)total;
    total += list_meetings_of(model, b, &beginnings, NULL);
    if (total > MAX_MEETINGS) {
      *out_usable = false;
      return BERTH_OK;
    }
  }
  model->meet_begin[n] = (uint32_t)total;
  model->meets = berth_arena_new(arena, uint32_t, total);
  if (!model->meets) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  memset(beginnings.seen, 0, n * sizeof *beginnings.seen);
  for (uint32_t b = 0; b < n; b++) {
    if (!poll(arena, b)) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
    list_meetings_of(model, b, &beginnings, model->meets + model->meet_begin[b]);
  }
  return BERTH_OK;
}

static bool is_small_enough(const struct berth_niche_model *model) {
  uint64_t n_members = 0;
  for (uint32_t r = 0; r < model->run_begin[model->n_buffers]; r++) {
    n_members += model->runs[r].upper - model->runs[r].lower;
  }
  return n_members <= MAX_MEETINGS;
}

/* The same of the instance itself, at least, before anything is made of it. */
static bool may_be_small_enough(const struct berth_packing_instance *instance) {
  const uint32_t *gap_begin = instance->gap_begin;
  uint64_t n_members = 0;
  for (uint32_t b = 0; b < instance->n_buffers && instance->piece_begin == NULL; b++) {
    uint64_t life = instance->upper[b] - instance->lower[b], absent = 0;
    for (uint32_t g = gap_begin != NULL ? gap_begin[b] : 0; gap_begin != NULL && g < gap_begin[b + 1]; g++) {
      absent += instance->gaps[g].upper - instance->gaps[g].lower;
    }
    n_members += life > absent ? life - absent : 0;
  }
  return n_members <= MAX_MEETINGS;
}

enum berth_code berth_niche_model_init(
    struct berth_niche_model *model, const struct berth_packing_instance *instance, struct berth_arena *arena,
    bool *out_usable) {
  size_t n = instance->n_buffers;
  *model = (struct berth_niche_model){.instance = instance, .n_buffers = instance->n_buffers};
  *out_usable = instance->n_buffers > 0 && may_be_small_enough(instance);
  if (!*out_usable) {
    return BERTH_OK;
  }
  model->lower = berth_arena_new(arena, uint32_t, n);
  model->upper = berth_arena_new(arena, uint32_t, n);
  model->size = berth_arena_new(arena, int64_t, n);
  model->mask = berth_arena_new(arena, int64_t, n);
  model->pin = berth_arena_new(arena, int64_t, n);
  if (!model->lower || !model->upper || !model->size || !model->mask || !model->pin) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  struct berth_niche_stretches stretches;
  enum berth_code code = berth_niche_list_stretches(instance, arena, &stretches, out_usable);
  if (code != BERTH_OK || !*out_usable) {
    return code;
  }
  model->has_windows = stretches.has_windows || stretches.has_holes;
  model->has_holes = stretches.has_holes;
  choose_unit(model, &stretches);
  fill_sizes(model);
  code = build_runs(model, &stretches, arena);
  if (code != BERTH_OK) {
    return code;
  }
  fill_hulls(model);
  *out_usable = is_small_enough(model);
  if (!*out_usable) {
    return BERTH_OK;
  }
  code = list_members(model, arena);
  if (code == BERTH_OK && !fill_references(model, arena)) {
    code = BERTH_RESOURCE_EXHAUSTED;
  }
  return code == BERTH_OK ? list_meetings(model, arena, out_usable) : code;
}

uint64_t berth_niche_model_load(const struct berth_niche_model *model) {
  uint64_t most = 0;
  for (uint32_t s = 0; s < model->n_sections && !model->has_windows; s++) {
    uint64_t load = 0;
    for (uint32_t k = model->member_begin[s]; k < model->member_begin[s + 1]; k++) {
      load += model->instance->size[model->members[k]];
    }
    most = load > most ? load : most;
  }
  return most;
}

uint64_t berth_niche_model_next_capacity(const struct berth_niche_model *model, uint64_t capacity) {
  uint64_t least = model->unit;
  for (uint32_t b = 0; b < model->n_buffers; b++) {
    uint64_t size = model->instance->size[b];
    uint64_t over = capacity >= size ? (capacity - size) % model->unit
                                     : (model->unit - (size - capacity) % model->unit) % model->unit;
    least = model->unit - over < least ? model->unit - over : least;
  }
  return capacity + least;
}
