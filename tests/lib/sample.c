#include "sample.h"

#include <stdlib.h>
#include <string.h>

#include "rigid.h"
#include "suite.h"

void sample_init(struct sample *sample) {
  *sample = (struct sample){.optimum = BERTH_UNLIMITED};
}

void sample_finish(struct sample *sample) {
  free(sample->buffers);
  free(sample->conflicts);
  sample_init(sample);
}

void sample_clear(struct sample *sample) {
  sample->n_buffers = sample->n_pools = sample->n_conflicts = sample->n_groups = 0;
  sample->optimum = BERTH_UNLIMITED;
}

static void *grown(void *items, uint32_t *capacity, uint32_t n, size_t item_size) {
  if (n < *capacity) {
    return items;
  }
  *capacity = n < 8 ? 16 : 2 * n;
  void *moved = realloc(items, *capacity * item_size);
  SAMPLE_REQUIRE(moved != NULL, "out of memory\n");
  return moved;
}

struct sample_buffer *sample_add(struct sample *sample, uint64_t size, int64_t lower, int64_t upper) {
  sample->buffers =
      grown(sample->buffers, &sample->buffer_capacity, sample->n_buffers, sizeof *sample->buffers);
  struct sample_buffer *buffer = &sample->buffers[sample->n_buffers++];
  *buffer = (struct sample_buffer){.spec = berth_buffer_spec_default()};
  buffer->spec.size_bytes = size;
  buffer->spec.lower = lower;
  buffer->spec.upper = upper;
  return buffer;
}

void sample_add_gap(
    struct sample_buffer *buffer, int64_t lower, int64_t upper, uint64_t window_lower,
    uint64_t window_upper) {
  SAMPLE_REQUIRE(buffer->spec.n_gaps < SAMPLE_MAX_GAPS, "too many gaps\n");
  buffer->gaps[buffer->spec.n_gaps++] = (struct berth_gap){lower, upper, window_lower, window_upper};
}

void sample_add_conflict(struct sample *sample, uint32_t a, uint32_t b) {
  sample->conflicts =
      grown(sample->conflicts, &sample->conflict_capacity, sample->n_conflicts, sizeof *sample->conflicts);
  sample->conflicts[sample->n_conflicts][0] = a;
  sample->conflicts[sample->n_conflicts++][1] = b;
}

void sample_copy(struct sample *to, const struct sample *from) {
  sample_clear(to);
  for (uint32_t i = 0; i < from->n_buffers; i++) {
    *sample_add(to, 0, 0, 1) = from->buffers[i];
  }
  for (uint32_t k = 0; k < from->n_conflicts; k++) {
    sample_add_conflict(to, from->conflicts[k][0], from->conflicts[k][1]);
  }
  to->n_pools = from->n_pools;
  memcpy(to->pools, from->pools, sizeof to->pools);
  memcpy(to->spills, from->spills, sizeof to->spills);
  to->n_groups = from->n_groups;
  memcpy(to->groups, from->groups, sizeof to->groups);
  to->optimum = from->optimum;
}

void sample_sum_clocks(struct sample_buffer *buffer) {
  buffer->spec.lower = buffer->spec.upper = 0;
  for (uint32_t c = 0; c < buffer->spec.n_clocks; c++) {
    buffer->spec.lower += buffer->clock_lower[c];
    buffer->spec.upper += buffer->clock_upper[c];
  }
}

static enum berth_code add_buffers(
    const struct sample *sample, const uint32_t *order, struct berth_problem_builder *builder,
    struct berth_error *err) {
  for (uint32_t k = 0; k < sample->n_buffers; k++) {
    const struct sample_buffer *buffer = &sample->buffers[order != NULL ? order[k] : k];
    struct berth_buffer_spec spec = buffer->spec;
    spec.gaps = spec.n_gaps > 0 ? buffer->gaps : NULL;
    spec.pools = spec.n_pools > 0 ? buffer->pools : NULL;
    spec.clock_lower = spec.n_clocks > 0 ? buffer->clock_lower : NULL;
    spec.clock_upper = spec.n_clocks > 0 ? buffer->clock_upper : NULL;
    enum berth_code code = berth_problem_builder_add_buffer(builder, &spec, NULL, err);
    if (code != BERTH_OK) {
      return code;
    }
  }
  return BERTH_OK;
}

static enum berth_code add_groups(
    const struct sample *sample, const uint32_t *place, struct berth_problem_builder *builder,
    struct berth_error *err) {
  for (uint32_t g = 0; g < sample->n_groups; g++) {
    uint32_t members[SAMPLE_MAX_MEMBERS];
    for (uint32_t k = 0; k < sample->groups[g].n_members; k++) {
      members[k] = place[sample->groups[g].members[k]];
    }
    const struct berth_group_spec spec = {
        .kind = sample->groups[g].kind, .members = members, .n_members = sample->groups[g].n_members};
    enum berth_code code = berth_problem_builder_add_group(builder, &spec, err);
    if (code != BERTH_OK) {
      return code;
    }
  }
  return BERTH_OK;
}

/* Conflicts and groups. */
static enum berth_code add_relations(
    const struct sample *sample, const uint32_t *order, struct berth_problem_builder *builder,
    struct berth_error *err) {
  uint32_t *place =
      malloc(sizeof *place * (sample->n_buffers + 1)); /* where each buffer of the sample went */
  SAMPLE_REQUIRE(place != NULL, "out of memory\n");
  for (uint32_t k = 0; k < sample->n_buffers; k++) {
    place[order != NULL ? order[k] : k] = k;
  }
  enum berth_code code = BERTH_OK;
  for (uint32_t k = 0; k < sample->n_conflicts && code == BERTH_OK; k++) {
    code = berth_problem_builder_add_conflict(
        builder, place[sample->conflicts[k][0]], place[sample->conflicts[k][1]], err);
  }
  code = code == BERTH_OK ? add_groups(sample, place, builder, err) : code;
  free(place);
  return code;
}

enum berth_code sample_try_build(
    const struct sample *sample, const uint32_t *order, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_error *err) {
  struct berth_problem_builder *builder = NULL;
  enum berth_code code = berth_problem_builder_create(allocator, &builder, err);
  for (uint32_t p = 0; p < sample->n_pools && code == BERTH_OK; p++) {
    struct berth_pool_spec spec = sample->pools[p];
    spec.spill_to = spec.n_spill_to > 0 ? sample->spills[p] : NULL;
    code = berth_problem_builder_add_pool(builder, &spec, NULL, err);
  }
  if (code == BERTH_OK) {
    code = add_buffers(sample, order, builder, err);
  }
  if (code == BERTH_OK && sample->n_conflicts + sample->n_groups > 0) {
    code = add_relations(sample, order, builder, err);
  }
  if (code == BERTH_OK) {
    code = berth_problem_builder_finish(builder, out_problem, err);
  }
  berth_problem_builder_destroy(builder);
  return code;
}

struct berth_problem *sample_build(const struct sample *sample, const uint32_t *order) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {0};
  enum berth_code code = sample_try_build(sample, order, NULL, &problem, &err);
  SAMPLE_REQUIRE(code == BERTH_OK, "%s: %s\n", berth_code_name(code), err.message);
  return problem;
}

bool sample_window(
    const struct sample_buffer *buffer, int64_t step, uint64_t *out_lower, uint64_t *out_upper) {
  const struct berth_buffer_spec *spec = &buffer->spec;
  int64_t upper = spec->upper > spec->lower ? spec->upper : spec->lower + 1;
  if (step < spec->lower || step >= upper || spec->size_bytes == 0) {
    return false;
  }
  *out_lower = 0;
  *out_upper = spec->size_bytes;
  for (uint32_t g = 0; g < spec->n_gaps; g++) {
    if (buffer->gaps[g].lower <= step && step < buffer->gaps[g].upper) {
      *out_lower = buffer->gaps[g].window_lower;
      *out_upper = buffer->gaps[g].window_upper;
    }
  }
  return *out_lower < *out_upper;
}

uint64_t sample_naive(const struct sample *sample) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    sum += sample->buffers[i].spec.size_bytes;
  }
  return sum;
}

/* The bytes of buffer i at `step` that no buffer before it in its storage holds: byte by byte if there are
 * any.
 */
static uint64_t fresh_bytes(const struct sample *sample, uint32_t i, int64_t step) {
  uint64_t from;
  uint64_t to;
  if (!sample_window(&sample->buffers[i], step, &from, &to)) {
    return 0;
  }
  uint64_t n = to - from;
  uint32_t before[RIGID_MAX_BUFFERS];
  uint32_t n_before = 0;
  for (uint32_t j = 0; j < i && sample->n_groups > 0; j++) {
    if (rigid_one_storage(sample, i, j)) {
      before[n_before++] = j;
    }
  }
  for (uint64_t byte = from; byte < to && n_before > 0; byte++) {
    bool held = false;
    for (uint32_t k = 0; k < n_before; k++) {
      uint64_t others_from;
      uint64_t others_to;
      held |= sample_window(&sample->buffers[before[k]], step, &others_from, &others_to) &&
              others_from <= byte && byte < others_to;
    }
    n -= held;
  }
  return n;
}

uint64_t sample_live(const struct sample *sample, const uint32_t *pool_of, uint32_t pool, int64_t step) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    sum += pool == BERTH_NO_INDEX || pool_of[i] == pool ? fresh_bytes(sample, i, step) : 0;
  }
  return sum;
}

static uint64_t live_bytes(const struct sample *sample, int64_t step) {
  return sample_live(sample, NULL, BERTH_NO_INDEX, step);
}

/* What is live changes only where a lifetime or a gap begins or a gap ends. */
uint64_t sample_load(const struct sample *sample) {
  uint64_t load = 0;
  for (uint32_t i = 0; i < sample->n_buffers; i++) {
    const struct sample_buffer *buffer = &sample->buffers[i];
    uint64_t live = live_bytes(sample, buffer->spec.lower);
    load = live > load ? live : load;
    for (uint32_t g = 0; g < buffer->spec.n_gaps; g++) {
      uint64_t in_gap = live_bytes(sample, buffer->gaps[g].lower);
      uint64_t after = live_bytes(sample, buffer->gaps[g].upper);
      load = in_gap > load ? in_gap : load;
      load = after > load ? after : load;
    }
  }
  return load;
}

uint64_t sample_alignment(const struct sample *sample, uint32_t buffer, uint32_t pool) {
  uint64_t of_buffer = sample->buffers[buffer].spec.alignment;
  uint64_t of_pool = sample->n_pools > 0 ? sample->pools[pool].alignment : 1;
  return of_buffer > of_pool ? of_buffer : of_pool;
}
