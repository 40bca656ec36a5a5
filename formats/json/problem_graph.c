/* Values, operators, regions and added waits. */
#include <inttypes.h>

#include "json/plan.h"
#include "json/reader.h"

enum {
  ID,
  SIZE,
  ALIGNMENT,
  CLASS,
  OFFSET,
  POOLS,
  HELD,
  EXTERNAL,
  ACCUMULATED,
  VIEW_OF,
  VIEW_OFFSET,
  DONATION,
  LIVE_WINDOWS,
  SHAPE,
  BITS,
  TYPE,
  ACCESSES
};
static const struct berth_json_shape_keys SHAPE_KEYS = {SIZE, SHAPE, BITS, TYPE};
enum { KIND, PARENT, FIRST_OPERATOR, N_OPERATORS, MIN_TRIPS, CARRIES };
enum { WAITER, SIGNALLER };
enum { OP_ID, INPUTS, OUTPUTS, WORKSPACE, WORKSPACE_ALIGNMENT, INPLACE, STREAM, WAITS };

const char *berth_json_donation_name(unsigned donation) {
  static const char *const WORDS[] = {"none", "may_use", "must_use"};
  return WORDS[donation];
}

const char *berth_json_region_name(unsigned kind) {
  static const char *const WORDS[] = {"loop", "choice", "branch", "call"};
  return WORDS[kind];
}

static void read_value(struct berth_json_reader *reader, const char *at) {
  struct berth_value_spec spec = berth_value_spec_default();
  struct berth_json_object object;
  unsigned class_ = BERTH_CLASS_TEMPORARY;
  unsigned donation = BERTH_DONATION_NONE;
  if (!berth_json_open_object(reader, at, BERTH_JSON_VALUE_KEYS, BERTH_JSON_N_VALUE_KEYS, &object)) {
    return;
  }
  struct berth_shape shape;
  struct berth_shape place;
  berth_json_take_id(&object, ID, &spec.id);
  berth_json_take_shape(&object, &SHAPE_KEYS, &spec.size_bytes, &shape, &spec.shape);
  berth_json_take_u64(&object, ALIGNMENT, &spec.alignment);
  berth_json_take_word(&object, CLASS, berth_json_class_name, BERTH_N_CLASSES, &class_);
  berth_json_take_pin(&object, OFFSET, &spec.pinned_offset);
  berth_json_take_references(&object, POOLS, BERTH_JSON_POOLS, &reader->pools, &spec.pools, &spec.n_pools);
  berth_json_take_bool(&object, HELD, &spec.held);
  berth_json_take_bool(&object, EXTERNAL, &spec.external);
  berth_json_take_bool(&object, ACCUMULATED, &spec.accumulated);
  berth_json_take_reference(&object, VIEW_OF, BERTH_JSON_VALUES, &spec.view_of);
  berth_json_take_size(
      &object, VIEW_OFFSET, BERTH_SIZED_VIEW_OFFSET, &spec.view_offset, &place, &spec.view_offset_shape);
  berth_json_take_u32(&object, ACCESSES, &spec.accesses);
  berth_json_take_word(&object, DONATION, berth_json_donation_name, BERTH_DONATION_MUST_USE + 1, &donation);
  berth_json_take_bool(&object, LIVE_WINDOWS, &spec.live_windows);
  spec.class_ = (enum berth_buffer_class)class_;
  spec.donation = (enum berth_donation)donation;
  if (object.at[VIEW_OFFSET] != NULL && object.at[VIEW_OF] == NULL) {
    berth_json_refuse(
        reader, object.at[VIEW_OFFSET], BERTH_REASON_BAD_VIEW, "\"view_offset\" needs \"view_of\"");
  }
  if (reader->code == BERTH_OK) {
    berth_json_heed(&object, berth_problem_builder_add_value(reader->builder, &spec, NULL, reader->err));
  }
}

void berth_json_read_values(struct berth_json_reader *reader) {
  berth_json_each(reader, BERTH_JSON_VALUES, "values", read_value);
}

/* An operand: an id is searched among the operator's own, a number is a place in its list. */
static void take_operand(
    struct berth_json_object *object, unsigned key, const char *list, const uint32_t *values, uint32_t n,
    uint32_t *out) {
  struct berth_json_reader *reader = object->reader;
  const char *at = object->at[key];
  uint32_t value;
  berth_json_require(object, key);
  if (reader->code != BERTH_OK) {
    return;
  }
  if (*at != '"') {
    uint64_t place = 0;
    berth_json_take_u64(object, key, &place);
    reader->path.part = object->keys[key];
    if (place >= n) {
      berth_json_refuse(
          reader, at, BERTH_REASON_UNKNOWN_ID, "is place %" PRIu64 "; the operator has %" PRIu32 " %s", place,
          n, list);
    }
    *out = (uint32_t)place;
  } else {
    reader->path.part = object->keys[key];
    if (!berth_json_read_reference(reader, at, BERTH_JSON_VALUES, &value)) {
      return;
    }
    for (*out = 0; *out < n && values[*out] != value; ++*out) {
    }
    if (*out == n) {
      berth_json_refuse(reader, at, BERTH_REASON_UNKNOWN_ID, "names a value that is none of the %s", list);
    }
  }
  if (reader->code == BERTH_OK) {
    reader->path.part = NULL;
  }
}

static void read_permission(
    struct berth_json_reader *reader, const char *at, const struct berth_operator_spec *spec,
    struct berth_inplace *out) {
  static const char *const KEYS[] = {"input", "output", "inside_at", "behind_by"};
  enum { INPUT, OUTPUT, INSIDE_AT, BEHIND_BY, N_KEYS };
  struct berth_json_object object;
  *out = (struct berth_inplace){.kind = BERTH_INPLACE_OVER};
  if (!berth_json_open_object(reader, at, KEYS, N_KEYS, &object)) {
    return;
  }
  take_operand(&object, INPUT, "inputs", spec->inputs, spec->n_inputs, &out->input);
  take_operand(&object, OUTPUT, "outputs", spec->outputs, spec->n_outputs, &out->output);
  if (object.at[INSIDE_AT] != NULL && object.at[BEHIND_BY] != NULL && reader->code == BERTH_OK) {
    berth_json_refuse(
        reader, object.at[BEHIND_BY], BERTH_REASON_MALFORMED,
        "has both \"inside_at\" and \"behind_by\"; a permission is one of them");
  }
  out->kind = object.at[INSIDE_AT] != NULL   ? BERTH_INPLACE_INSIDE
              : object.at[BEHIND_BY] != NULL ? BERTH_INPLACE_BEHIND
                                             : BERTH_INPLACE_OVER;
  berth_json_take_u64(&object, INSIDE_AT, &out->bytes);
  berth_json_take_u64(&object, BEHIND_BY, &out->bytes);
}

static void read_inplace(struct berth_json_object *object, struct berth_operator_spec *spec) {
  struct berth_json_reader *reader = object->reader;
  const char *at = object->at[INPLACE];
  if (at == NULL || reader->code != BERTH_OK) {
    return;
  }
  reader->path.field = object->keys[INPLACE];
  if (!berth_json_is_array(reader, at, "permissions")) {
    return;
  }
  struct berth_json_iterator elements = berth_json_scan_enter(at);
  const char *name;
  uint32_t n = 0;
  for (; n < UINT32_MAX && berth_json_scan_next(&elements, &name, &at); n++) {
    struct berth_inplace *pairs = berth_json_room(reader, &reader->pairs, (size_t)n + 1, sizeof *pairs);
    reader->path.entry = n;
    if (pairs != NULL) {
      read_permission(reader, at, spec, &pairs[n]);
    }
    if (reader->code != BERTH_OK) {
      return;
    }
  }
  spec->inplace = reader->pairs.items;
  spec->n_inplace = n;
  reader->path.field = NULL;
  reader->path.entry = BERTH_NO_INDEX;
}

static void read_operator(struct berth_json_reader *reader, const char *at) {
  struct berth_operator_spec spec = berth_operator_spec_default();
  struct berth_json_object object;
  if (!berth_json_open_object(reader, at, BERTH_JSON_OPERATOR_KEYS, BERTH_JSON_N_OPERATOR_KEYS, &object)) {
    return;
  }
  struct berth_shape workspace;
  berth_json_take_id(&object, OP_ID, &spec.id);
  berth_json_take_references(
      &object, INPUTS, BERTH_JSON_VALUES, &reader->inputs, &spec.inputs, &spec.n_inputs);
  berth_json_take_references(
      &object, OUTPUTS, BERTH_JSON_VALUES, &reader->outputs, &spec.outputs, &spec.n_outputs);
  berth_json_take_size(
      &object, WORKSPACE, BERTH_SIZED_WORKSPACE, &spec.workspace_bytes, &workspace, &spec.workspace_shape);
  berth_json_take_u64(&object, WORKSPACE_ALIGNMENT, &spec.workspace_alignment);
  read_inplace(&object, &spec);
  berth_json_take_u32(&object, STREAM, &spec.stream);
  berth_json_take_references(
      &object, WAITS, BERTH_JSON_OPERATORS, &reader->waits, &spec.waits, &spec.n_waits);
  if (reader->code == BERTH_OK) {
    berth_json_heed(&object, berth_problem_builder_add_operator(reader->builder, &spec, NULL, reader->err));
  }
}

void berth_json_read_operators(struct berth_json_reader *reader) {
  berth_json_each(reader, BERTH_JSON_OPERATORS, "operators", read_operator);
}

static void read_region(struct berth_json_reader *reader, const char *at) {
  struct berth_region_spec spec = berth_region_spec_default();
  struct berth_json_object object;
  unsigned kind = BERTH_REGION_LOOP;
  if (!berth_json_open_object(reader, at, BERTH_JSON_REGION_KEYS, BERTH_JSON_N_REGION_KEYS, &object)) {
    return;
  }
  berth_json_require(&object, KIND);
  berth_json_require(&object, FIRST_OPERATOR);
  berth_json_require(&object, N_OPERATORS);
  berth_json_take_word(&object, KIND, berth_json_region_name, BERTH_REGION_CALL + 1, &kind);
  berth_json_take_reference(&object, PARENT, BERTH_JSON_REGIONS, &spec.parent);
  berth_json_take_reference(&object, FIRST_OPERATOR, BERTH_JSON_OPERATORS, &spec.first_operator);
  berth_json_take_u32(&object, N_OPERATORS, &spec.n_operators);
  berth_json_take_u32(&object, MIN_TRIPS, &spec.min_trips);
  berth_json_take_references(
      &object, CARRIES, BERTH_JSON_VALUES, &reader->inputs, &spec.carries, &spec.n_carries);
  spec.kind = (enum berth_region_kind)kind;
  if (reader->code == BERTH_OK) {
    berth_json_heed(&object, berth_problem_builder_add_region(reader->builder, &spec, NULL, reader->err));
  }
}

void berth_json_read_regions(struct berth_json_reader *reader) {
  berth_json_each(reader, BERTH_JSON_REGIONS, "regions", read_region);
}

static void read_sync(struct berth_json_reader *reader, const char *at) {
  struct berth_sync sync = {.waiter = BERTH_NO_INDEX, .signaller = BERTH_NO_INDEX};
  struct berth_json_object object;
  if (!berth_json_open_object(reader, at, BERTH_JSON_SYNC_KEYS, BERTH_JSON_N_SYNC_KEYS, &object)) {
    return;
  }
  berth_json_require(&object, WAITER);
  berth_json_require(&object, SIGNALLER);
  berth_json_take_reference(&object, WAITER, BERTH_JSON_OPERATORS, &sync.waiter);
  berth_json_take_reference(&object, SIGNALLER, BERTH_JSON_OPERATORS, &sync.signaller);
  if (reader->code == BERTH_OK) {
    berth_json_heed(&object, berth_problem_builder_add_sync(reader->builder, &sync, reader->err));
  }
}

void berth_json_read_syncs(struct berth_json_reader *reader) {
  berth_json_each(reader, BERTH_JSON_SYNCS, "syncs", read_sync);
}
