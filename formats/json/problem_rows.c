/* Pools, buffers and conflicts. */
#include "json/plan.h"
#include "json/reader.h"

enum {
  POOL_NAME,
  POOL_CAPACITY,
  POOL_ALIGNMENT,
  POOL_MAX_BLOCK,
  POOL_KIND,
  POOL_BASE_ALIGNMENT,
  POOL_COST,
  POOL_SPILL_TO,
  POOL_PERSISTENCE
};
enum { ID, SIZE, ALIGNMENT, LOWER, UPPER, CLASS, OFFSET, POOLS, GAPS, SHAPE, BITS, TYPE, ACCESSES };
static const struct berth_json_shape_keys SHAPE_KEYS = {SIZE, SHAPE, BITS, TYPE};

static const char *kind_word(unsigned kind) {
  return kind == BERTH_POOL_BYTES ? "bytes" : "slots";
}

const char *berth_json_persistence_name(unsigned persistence) {
  static const char *const WORDS[] = {"mixed", "front", "only"};
  return WORDS[persistence];
}

/* ---- Pools ---- */

static void read_pool(struct berth_json_reader *reader, const char *at) {
  struct berth_pool_spec spec = berth_pool_spec_default();
  struct berth_json_object object;
  unsigned kind = BERTH_POOL_BYTES;
  unsigned persistence = BERTH_PERSISTENCE_MIXED;
  if (!berth_json_open_object(reader, at, BERTH_JSON_POOL_KEYS, BERTH_JSON_N_POOL_KEYS, &object)) {
    return;
  }
  berth_json_take_id(&object, POOL_NAME, &spec.name);
  berth_json_take_u64(&object, POOL_CAPACITY, &spec.capacity_bytes);
  berth_json_take_u64(&object, POOL_ALIGNMENT, &spec.alignment);
  berth_json_take_u64(&object, POOL_MAX_BLOCK, &spec.max_block_bytes);
  berth_json_take_word(&object, POOL_KIND, kind_word, 2, &kind);
  berth_json_take_u64(&object, POOL_BASE_ALIGNMENT, &spec.base_alignment);
  berth_json_take_u32(&object, POOL_COST, &spec.cost_per_byte);
  berth_json_take_references(
      &object, POOL_SPILL_TO, BERTH_JSON_POOLS, &reader->pools, &spec.spill_to, &spec.n_spill_to);
  berth_json_take_word(
      &object, POOL_PERSISTENCE, berth_json_persistence_name, BERTH_PERSISTENCE_ONLY + 1, &persistence);
  spec.kind = (enum berth_pool_kind)kind;
  spec.persistence = (enum berth_persistence)persistence;
  if (reader->code == BERTH_OK) {
    berth_json_heed(&object, berth_problem_builder_add_pool(reader->builder, &spec, NULL, reader->err));
  }
}

void berth_json_read_pools(struct berth_json_reader *reader) {
  berth_json_each(reader, BERTH_JSON_POOLS, "pools", read_pool);
}

/* ---- Buffers ---- */

static void read_window(struct berth_json_object *object, unsigned key, struct berth_gap *gap) {
  struct berth_json_reader *reader = object->reader;
  const char *at = object->at[key];
  if (at == NULL || reader->code != BERTH_OK) {
    return;
  }
  reader->path.part = object->keys[key];
  uint64_t bytes[2];
  if (!berth_json_is_array(reader, at, "two numbers")) {
    return;
  }
  struct berth_json_iterator elements = berth_json_scan_enter(at);
  const char *name;
  const char *element;
  uint32_t n = 0;
  for (; n < 3 && berth_json_scan_next(&elements, &name, &element); n++) {
    reader->path.place = n;
    if (n < 2 && !berth_json_read_u64(reader, element, &bytes[n])) {
      return;
    }
  }
  reader->path.place = BERTH_NO_INDEX;
  if (n != 2) {
    berth_json_refuse(
        reader, at, BERTH_REASON_BAD_GAP,
        "is not two numbers; the first and the end of the live bytes are right");
    return;
  }
  gap->window_lower = bytes[0];
  gap->window_upper = bytes[1];
  reader->path.part = NULL;
}

static void read_gap(struct berth_json_reader *reader, const char *at, struct berth_gap *gap) {
  static const char *const KEYS[] = {"lower", "upper", "window"};
  struct berth_json_object object;
  *gap = (struct berth_gap){.lower = 0};
  if (!berth_json_open_object(reader, at, KEYS, 3, &object)) {
    return;
  }
  berth_json_require(&object, 0);
  berth_json_require(&object, 1);
  berth_json_take_i64(&object, 0, &gap->lower);
  berth_json_take_i64(&object, 1, &gap->upper);
  read_window(&object, 2, gap);
}

void berth_json_take_gaps(struct berth_json_object *object, unsigned key, struct berth_buffer_spec *spec) {
  struct berth_json_reader *reader = object->reader;
  const char *at = object->at[key];
  if (at == NULL || reader->code != BERTH_OK) {
    return;
  }
  reader->path.field = object->keys[key];
  if (!berth_json_is_array(reader, at, "gaps")) {
    return;
  }
  struct berth_json_iterator elements = berth_json_scan_enter(at);
  const char *name;
  uint32_t n = 0;
  for (; n < UINT32_MAX && berth_json_scan_next(&elements, &name, &at); n++) {
    struct berth_gap *gaps = berth_json_room(reader, &reader->pairs, (size_t)n + 1, sizeof *gaps);
    reader->path.entry = n;
    if (gaps != NULL) {
      read_gap(reader, at, &gaps[n]);
    }
    if (reader->code != BERTH_OK) {
      return;
    }
  }
  spec->gaps = reader->pairs.items;
  spec->n_gaps = n;
  reader->path.field = NULL;
  reader->path.entry = BERTH_NO_INDEX;
}

/* A step, or the components of a clock. */
static void take_time(
    struct berth_json_object *object, unsigned key, struct berth_json_block *block, int64_t *out_step,
    const uint32_t **out_clock, uint32_t *out_n) {
  struct berth_json_reader *reader = object->reader;
  const char *at = object->at[key];
  *out_n = 0;
  if (at == NULL || *at != '[' || reader->code != BERTH_OK) {
    berth_json_take_i64(object, key, out_step);
    return;
  }
  reader->path.field = object->keys[key];
  struct berth_json_iterator elements = berth_json_scan_enter(at);
  const char *name;
  const char *element;
  uint32_t n = 0;
  for (; n <= BERTH_MAX_CLOCKS && berth_json_scan_next(&elements, &name, &element); n++) {
    uint64_t number;
    uint32_t *clock = berth_json_room(reader, block, (size_t)n + 1, sizeof *clock);
    reader->path.entry = n;
    if (clock == NULL || !berth_json_read_u64(reader, element, &number)) {
      return;
    }
    clock[n] = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX; /* the builder says what is too much */
  }
  reader->path.entry = BERTH_NO_INDEX;
  if (n == 0) {
    berth_json_refuse(
        reader, at, BERTH_REASON_BAD_LIFETIME, "is empty; a step or the components of a clock are right");
    return;
  }
  *out_clock = block->items;
  *out_n = n;
  reader->path.field = NULL;
}

static void take_lifetime(struct berth_json_object *object, struct berth_buffer_spec *spec) {
  struct berth_json_reader *reader = object->reader;
  uint32_t n_upper;
  take_time(object, LOWER, &reader->inputs, &spec->lower, &spec->clock_lower, &spec->n_clocks);
  take_time(object, UPPER, &reader->outputs, &spec->upper, &spec->clock_upper, &n_upper);
  if (reader->code == BERTH_OK && n_upper != spec->n_clocks) {
    reader->path.field = object->keys[UPPER];
    berth_json_refuse(
        reader, object->at[UPPER], BERTH_REASON_BAD_LIFETIME,
        "has %u components and \"lower\" has %u; as many are right (a step has none)", n_upper,
        spec->n_clocks);
  }
}

static void read_buffer(struct berth_json_reader *reader, const char *at) {
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  struct berth_json_object object;
  unsigned class_ = BERTH_CLASS_TEMPORARY;
  if (!berth_json_open_object(reader, at, BERTH_JSON_BUFFER_KEYS, BERTH_JSON_N_BUFFER_KEYS, &object)) {
    return;
  }
  struct berth_shape shape;
  berth_json_require(&object, LOWER);
  berth_json_require(&object, UPPER);
  berth_json_take_id(&object, ID, &spec.id);
  berth_json_take_shape(&object, &SHAPE_KEYS, &spec.size_bytes, &shape, &spec.shape);
  berth_json_take_u64(&object, ALIGNMENT, &spec.alignment);
  take_lifetime(&object, &spec);
  berth_json_take_word(&object, CLASS, berth_json_class_name, BERTH_N_CLASSES, &class_);
  berth_json_take_pin(&object, OFFSET, &spec.pinned_offset);
  berth_json_take_references(&object, POOLS, BERTH_JSON_POOLS, &reader->pools, &spec.pools, &spec.n_pools);
  berth_json_take_gaps(&object, GAPS, &spec);
  berth_json_take_u32(&object, ACCESSES, &spec.accesses);
  spec.class_ = (enum berth_buffer_class)class_;
  if (reader->code == BERTH_OK) {
    berth_json_heed(&object, berth_problem_builder_add_buffer(reader->builder, &spec, NULL, reader->err));
  }
}

void berth_json_read_buffers(struct berth_json_reader *reader) {
  uint32_t n = reader->lists[BERTH_JSON_BUFFERS].n;
  if (reader->code == BERTH_OK && n != 0) {
    n = n < BERTH_MAX_BUFFERS ? n : BERTH_MAX_BUFFERS;
    berth_json_heed_finish(reader, berth_problem_builder_reserve(reader->builder, n, reader->err));
  }
  berth_json_each(reader, BERTH_JSON_BUFFERS, "buffers", read_buffer);
}

/* ---- Conflicts ---- */

static void read_conflict(struct berth_json_reader *reader, const char *at) {
  uint32_t pair[2] = {0, 0};
  if (!berth_json_is_array(reader, at, "two buffers")) {
    return;
  }
  struct berth_json_iterator elements = berth_json_scan_enter(at);
  const char *name;
  const char *element;
  uint32_t n = 0;
  for (; n < 2 && berth_json_scan_next(&elements, &name, &element); n++) {
    reader->path.entry = n;
    if (!berth_json_read_reference(reader, element, BERTH_JSON_BUFFERS, &pair[n])) {
      return;
    }
  }
  reader->path.entry = BERTH_NO_INDEX;
  if (n != 2 || berth_json_scan_next(&elements, &name, &element)) {
    berth_json_refuse(reader, at, BERTH_REASON_MALFORMED, "is not a pair; an array of two buffers is right");
    return;
  }
  struct berth_json_object object = {.reader = reader, .begin = at};
  berth_json_heed(
      &object, berth_problem_builder_add_conflict(reader->builder, pair[0], pair[1], reader->err));
}

void berth_json_read_conflicts(struct berth_json_reader *reader) {
  berth_json_each(reader, BERTH_JSON_CONFLICTS, "conflicts", read_conflict);
}
