/* A composition: parts, each a document of its own inside this one, which of them may run at once, and the
 * ids of what they share. */
#include <stdio.h>
#include <string.h>

#include "berth/together.h"
#include "json/reader.h"

static const char *const PART_KEYS[] = {"name", "problem"};
enum { NAME, PROBLEM, N_PART_KEYS };

enum { WITHIN_SIZE = 32 };

struct parts {
  struct berth_json_reader *reader;
  const struct berth_json_terms *terms;
  uint32_t n;
  struct berth_named_problem *items;
  uint8_t *is_bound; /* of each binding: some part has its symbol */
  struct berth_json_block item_block;
  struct berth_json_block bound_block;
  struct berth_json_block end_block;
  struct berth_json_block set_block;
  struct berth_json_block shared_block;
  struct berth_json_block text_block; /* of blocks, each of one text */
  uint32_t n_texts;
  struct berth_composition composition;
};

/* A text that stays. */
static struct berth_text keep_text(struct parts *parts, const char *at) {
  struct berth_json_block *blocks =
      berth_json_room(parts->reader, &parts->text_block, (size_t)parts->n_texts + 1, sizeof *blocks);
  if (blocks == NULL) {
    return (struct berth_text){.size = 0};
  }
  blocks[parts->n_texts] = (struct berth_json_block){NULL, 0};
  return berth_json_text_of(parts->reader, at, &blocks[parts->n_texts++]);
}

static bool is_string(struct berth_json_reader *reader, const char *at) {
  if (*at != '"') {
    berth_json_refuse(
        reader, at, BERTH_REASON_MALFORMED, "is %s; a string is right", berth_json_scan_kind(at));
  }
  return reader->code == BERTH_OK;
}

/* ---- One part ---- */

static void note_bound(struct parts *parts, struct berth_json_reader *part) {
  const struct berth_bindings *bindings = parts->terms->bindings;
  for (uint32_t i = 0; bindings != NULL && i < bindings->n && part->code == BERTH_OK; i++) {
    parts->is_bound[i] |= part->lists[BERTH_JSON_SYMBOLS].array != NULL &&
                          berth_json_find_symbol(part, bindings->items[i].symbol) != BERTH_NO_INDEX;
  }
}

static void read_document(struct parts *parts, uint32_t index, const char *at) {
  struct berth_json_reader *reader = parts->reader;
  char within[WITHIN_SIZE];
  snprintf(within, sizeof within, "parts[%u].problem", index);
  struct berth_json_reader part = {
      .text = reader->text,
      .root = at,
      .allocator = reader->allocator,
      .err = reader->err,
      .within = within,
      .path = {.index = BERTH_NO_INDEX, .entry = BERTH_NO_INDEX, .place = BERTH_NO_INDEX}};
  if (*at != '{') {
    berth_json_refuse(
        &part, at, BERTH_REASON_MALFORMED, "is %s; an object is right", berth_json_scan_kind(at));
    reader->code = part.code;
    return;
  }
  part.code = berth_problem_builder_create(reader->allocator, &part.builder, reader->err);
  if (part.code == BERTH_OK) {
    berth_json_read_document(&part, parts->terms, &parts->items[index].problem);
    note_bound(parts, &part);
  }
  reader->code = part.code;
  berth_json_reader_end(&part);
}

static void read_part(struct parts *parts, uint32_t index, const char *at) {
  struct berth_json_reader *reader = parts->reader;
  struct berth_json_object object;
  reader->path.list = "parts";
  reader->path.index = index;
  if (!berth_json_open_object(reader, at, PART_KEYS, N_PART_KEYS, &object)) {
    return;
  }
  berth_json_require(&object, NAME);
  berth_json_require(&object, PROBLEM);
  if (reader->code != BERTH_OK) {
    return;
  }
  reader->path.field = PART_KEYS[NAME];
  if (is_string(reader, object.at[NAME])) {
    parts->items[index].name = keep_text(parts, object.at[NAME]);
  }
  reader->path.field = NULL;
  if (reader->code == BERTH_OK) {
    read_document(parts, index, object.at[PROBLEM]);
  }
}

static void read_all(struct parts *parts) {
  struct berth_json_iterator elements = berth_json_scan_enter(parts->reader->lists[BERTH_JSON_PARTS].array);
  const char *key;
  const char *at;
  for (uint32_t i = 0; parts->reader->code == BERTH_OK && berth_json_scan_next(&elements, &key, &at); i++) {
    read_part(parts, i, at);
  }
}

/* ---- Which may run at once ---- */

static void add_set(struct parts *parts, const char *at, uint32_t *n_members) {
  struct berth_json_reader *reader = parts->reader;
  if (!berth_json_is_array(reader, at, "parts that may run at once")) {
    return;
  }
  struct berth_json_iterator elements = berth_json_scan_enter(at);
  const char *key;
  for (uint32_t i = 0; reader->code == BERTH_OK && berth_json_scan_next(&elements, &key, &at); i++) {
    uint32_t *members = berth_json_room(reader, &parts->set_block, (size_t)*n_members + 1, sizeof *members);
    reader->path.entry = i;
    if (members != NULL && berth_json_read_reference(reader, at, BERTH_JSON_PARTS, &members[*n_members])) {
      ++*n_members;
    }
  }
  if (reader->code == BERTH_OK) {
    reader->path.entry = BERTH_NO_INDEX;
  }
}

static void add_end(struct parts *parts, uint32_t n_members) {
  struct berth_composition *composition = &parts->composition;
  uint32_t *ends =
      berth_json_room(parts->reader, &parts->end_block, (size_t)composition->n_sets + 1, sizeof *ends);
  if (ends != NULL) {
    ends[composition->n_sets++] = n_members;
  }
}

static void read_sets(struct parts *parts, const char *together) {
  struct berth_json_reader *reader = parts->reader;
  struct berth_json_iterator elements = berth_json_scan_enter(together);
  const char *key;
  const char *at;
  uint32_t n_members = 0;
  for (uint32_t i = 0; reader->code == BERTH_OK && berth_json_scan_next(&elements, &key, &at); i++) {
    reader->path.index = i;
    add_set(parts, at, &n_members);
    add_end(parts, n_members);
  }
}

static void add_all(struct parts *parts) {
  uint32_t *members = berth_json_room(parts->reader, &parts->set_block, parts->n, sizeof *members);
  for (uint32_t p = 0; members != NULL && p < parts->n; p++) {
    members[p] = p;
  }
  if (parts->n > 1) {
    add_end(parts, parts->n);
  }
}

static void read_together(struct parts *parts, const char *together) {
  struct berth_json_reader *reader = parts->reader;
  if (together == NULL || reader->code != BERTH_OK) {
    return;
  }
  reader->path.list = "together";
  reader->path.index = BERTH_NO_INDEX;
  if (*together == '[') {
    read_sets(parts, together);
  } else if (*together == '"' && berth_json_scan_is(together, "add")) {
    add_all(parts);
  } else if (*together != '"' || !berth_json_scan_is(together, "share")) {
    berth_json_refuse(
        reader, together, BERTH_REASON_MALFORMED,
        "is not \"share\", \"add\", or an array of sets of parts that may run at once");
  }
}

/* ---- What they share ---- */

static void read_shared(struct parts *parts, const char *shared) {
  struct berth_json_reader *reader = parts->reader;
  if (shared == NULL || reader->code != BERTH_OK) {
    return;
  }
  reader->path.list = "shared";
  reader->path.index = BERTH_NO_INDEX;
  if (!berth_json_is_array(reader, shared, "ids")) {
    return;
  }
  struct berth_json_iterator elements = berth_json_scan_enter(shared);
  const char *key;
  const char *at;
  for (uint32_t i = 0; reader->code == BERTH_OK && berth_json_scan_next(&elements, &key, &at); i++) {
    struct berth_text *ids = berth_json_room(reader, &parts->shared_block, (size_t)i + 1, sizeof *ids);
    reader->path.index = i;
    if (ids != NULL && is_string(reader, at)) {
      ids[i] = keep_text(parts, at);
      parts->composition.n_shared = i + 1;
    }
  }
}

/* ---- The whole ---- */

static const char *element_at(const char *array, uint32_t index) {
  struct berth_json_iterator elements = berth_json_scan_enter(array);
  const char *key;
  const char *at = array;
  for (uint32_t i = 0; i <= index && berth_json_scan_next(&elements, &key, &at); i++) {
  }
  return at;
}

/* The error is about an element of "parts", "together" or "shared". */
static void relay(struct parts *parts, const char *together, const char *shared, enum berth_code code) {
  struct berth_json_reader *reader = parts->reader;
  const struct berth_error *err = reader->err;
  bool is_set = strcmp(err->field, "together") == 0;
  bool is_shared = strcmp(err->field, "shared") == 0;
  const char *at = is_set ? together : is_shared ? shared : reader->lists[BERTH_JSON_PARTS].array;
  if (code == BERTH_OK || err->reason == BERTH_REASON_OUT_OF_MEMORY) {
    reader->code = code;
    return;
  }
  reader->path.list = is_set ? "together" : is_shared ? "shared" : "parts";
  reader->path.index = BERTH_NO_INDEX;
  at = at != NULL ? at : reader->root;
  if (err->index != BERTH_NO_INDEX && *at == '[') {
    reader->path.index = err->index;
    at = element_at(at, err->index);
  }
  berth_json_relay(reader, at, code);
}

static void check_bound(struct parts *parts) {
  const struct berth_bindings *bindings = parts->terms->bindings;
  for (uint32_t i = 0; bindings != NULL && i < bindings->n && parts->reader->code == BERTH_OK; i++) {
    if (parts->is_bound[i] == 0) {
      struct berth_text name = bindings->items[i].symbol;
      parts->reader->path.list = "parts";
      parts->reader->path.index = BERTH_NO_INDEX;
      berth_json_refuse(
          parts->reader, parts->reader->lists[BERTH_JSON_PARTS].array, BERTH_REASON_BAD_SYMBOL,
          "no part has the symbol \"%.*s\" that is bound", (int)(name.size < 64 ? name.size : 64), name.data);
    }
  }
}

static void
compose(struct parts *parts, const char *together, const char *shared, struct berth_problem **out) {
  struct berth_json_reader *reader = parts->reader;
  struct berth_composition *composition = &parts->composition;
  read_all(parts);
  check_bound(parts);
  read_together(parts, together);
  read_shared(parts, shared);
  composition->parts = parts->items;
  composition->n_parts = parts->n;
  composition->set_end = parts->end_block.items;
  composition->set_parts = parts->set_block.items;
  composition->shared = parts->shared_block.items;
  if (reader->code == BERTH_OK) {
    relay(parts, together, shared, berth_problem_compose(composition, reader->allocator, out, reader->err));
  }
}

void berth_json_read_parts(
    struct berth_json_reader *reader, const struct berth_json_terms *terms, const char *together,
    const char *shared, struct berth_problem **out_problem) {
  struct parts parts = {.reader = reader, .terms = terms, .n = reader->lists[BERTH_JSON_PARTS].n};
  if (reader->code != BERTH_OK) {
    return;
  }
  if (parts.n > BERTH_MAX_PARTS) {
    reader->path.list = "parts";
    berth_json_refuse(
        reader, reader->lists[BERTH_JSON_PARTS].array, BERTH_REASON_LIMIT_EXCEEDED,
        "has %u elements; at most %d are allowed", parts.n, BERTH_MAX_PARTS);
    return;
  }
  uint32_t n_bindings = terms->bindings != NULL ? terms->bindings->n : 0;
  parts.items = berth_json_room(reader, &parts.item_block, parts.n, sizeof *parts.items);
  parts.is_bound = berth_json_room(reader, &parts.bound_block, n_bindings, sizeof *parts.is_bound);
  if (parts.items != NULL && parts.is_bound != NULL) {
    for (uint32_t p = 0; p < parts.n; p++) {
      parts.items[p] = (struct berth_named_problem){.problem = NULL};
    }
    if (n_bindings != 0) {
      memset(parts.is_bound, 0, n_bindings);
    }
    compose(&parts, together, shared, out_problem);
    for (uint32_t p = 0; p < parts.n; p++) {
      berth_problem_unref(parts.items[p].problem);
    }
  }
  struct berth_json_block *texts = parts.text_block.items;
  for (uint32_t i = 0; i < parts.n_texts; i++) {
    berth_json_give_back(reader, &texts[i]);
  }
  struct berth_json_block *const BLOCKS[] = {&parts.item_block, &parts.bound_block,  &parts.end_block,
                                             &parts.set_block,  &parts.shared_block, &parts.text_block};
  for (size_t i = 0; i < sizeof BLOCKS / sizeof BLOCKS[0]; i++) {
    berth_json_give_back(reader, BLOCKS[i]);
  }
}
