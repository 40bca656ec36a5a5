/* Groups of buffers or values. */
#include "json/reader.h"

enum { KIND, MEMBERS };

const char *berth_json_group_name(unsigned kind) {
  return kind == BERTH_GROUP_SHARED ? "shared" : "contiguous";
}

static void read_group(struct berth_json_reader *reader, const char *at) {
  struct berth_group_spec spec = {.kind = BERTH_GROUP_CONTIGUOUS};
  struct berth_json_object object;
  unsigned kind = BERTH_GROUP_CONTIGUOUS;
  if (!berth_json_open_object(reader, at, BERTH_JSON_GROUP_KEYS, BERTH_JSON_N_GROUP_KEYS, &object)) {
    return;
  }
  bool graph = reader->lists[BERTH_JSON_VALUES].array != NULL;
  berth_json_require(&object, KIND);
  berth_json_require(&object, MEMBERS);
  berth_json_take_word(&object, KIND, berth_json_group_name, BERTH_GROUP_SHARED + 1, &kind);
  berth_json_take_references(
      &object, MEMBERS, graph ? BERTH_JSON_VALUES : BERTH_JSON_BUFFERS, &reader->inputs, &spec.members,
      &spec.n_members);
  spec.kind = (enum berth_group_kind)kind;
  if (reader->code == BERTH_OK) {
    berth_json_heed(&object, berth_problem_builder_add_group(reader->builder, &spec, reader->err));
  }
}

void berth_json_read_groups(struct berth_json_reader *reader) {
  berth_json_each(reader, BERTH_JSON_GROUPS, "groups", read_group);
}
