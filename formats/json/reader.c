#include "json/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_BYTES = 40, WORDS_SIZE = 160 };

const char *const BERTH_JSON_POOL_KEYS[] = {"name",           "capacity", "alignment", "max_block",  "kind",
                                            "base_alignment", "cost",     "spill_to",  "persistence"};
const char *const BERTH_JSON_BUFFER_KEYS[] = {"id",    "size",   "alignment", "lower", "upper",
                                              "class", "offset", "pools",     "gaps",  "shape",
                                              "bits",  "type",   "accesses"};
const char *const BERTH_JSON_VALUE_KEYS[] = {
    "id",           "size",     "alignment",   "class",   "offset",      "pools",
    "held",         "external", "accumulated", "view_of", "view_offset", "donation",
    "live_windows", "shape",    "bits",        "type",    "accesses"};
const char *const BERTH_JSON_OPERATOR_KEYS[] = {
    "id", "inputs", "outputs", "workspace", "workspace_alignment", "inplace", "stream", "waits"};

const char *const BERTH_JSON_GROUP_KEYS[] = {"kind", "members"};
const char *const BERTH_JSON_SYNC_KEYS[] = {"waiter", "signaller"};
const char *const BERTH_JSON_REGION_KEYS[] = {"kind",        "parent",    "first_operator",
                                              "n_operators", "min_trips", "carries"};

const char *const BERTH_JSON_SYMBOL_KEYS[] = {"name", "lower", "upper"};

/* ---- Errors ---- */

static void write_path(const struct berth_json_reader *reader, char *out, size_t capacity) {
  const struct berth_json_path *path = &reader->path;
  char parts[5][BERTH_FIELD_SIZE] = {""};
  if (path->list != NULL) {
    snprintf(parts[0], sizeof parts[0], ".%s", path->list);
  }
  if (path->index != BERTH_NO_INDEX) {
    snprintf(parts[1], sizeof parts[1], "[%" PRIu32 "]", path->index);
  }
  if (path->field != NULL) {
    snprintf(parts[2], sizeof parts[2], ".%s", path->field);
  }
  if (path->entry != BERTH_NO_INDEX) {
    snprintf(parts[3], sizeof parts[3], "[%" PRIu32 "]", path->entry);
  }
  if (path->part != NULL) {
    snprintf(parts[4], sizeof parts[4], ".%s", path->part);
  }
  int n = snprintf(
      out, capacity, "$%s%s%s%s%s%s%s", reader->within != NULL ? "." : "",
      reader->within != NULL ? reader->within : "", parts[0], parts[1], parts[2], parts[3], parts[4]);
  if (path->place != BERTH_NO_INDEX && n > 0 && (size_t)n < capacity) {
    snprintf(out + n, capacity - (size_t)n, "[%" PRIu32 "]", path->place);
  }
}

static void
say(struct berth_json_reader *reader, const char *at, enum berth_code code, enum berth_reason reason,
    const char *message) {
  struct berth_json_place place = berth_json_place_of(reader->text, at);
  char path[BERTH_FIELD_SIZE];
  write_path(reader, path, sizeof path);
  reader->code = berth_fail(reader->err, code, reason, reader->path.index, path, "%s: %s", path, message);
  reader->err->line = place.line;
  reader->err->column = place.column;
}

void berth_json_refuse(
    struct berth_json_reader *reader, const char *at, enum berth_reason reason, const char *format, ...) {
  if (reader->code != BERTH_OK) {
    return;
  }
  char message[BERTH_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  say(reader, at, BERTH_INVALID_ARGUMENT, reason, message);
}

void berth_json_out_of_memory(struct berth_json_reader *reader) {
  if (reader->code == BERTH_OK) {
    reader->code = berth_fail_memory(reader->err);
  }
}

/* Where the value of the key is, and the path goes there; NULL if it is not there. */
static const char *find_key(struct berth_json_object *object, const char *word) {
  for (unsigned i = 0; i < object->n_keys; i++) {
    if (strcmp(object->keys[i], word) == 0 && object->at[i] != NULL) {
      object->reader->path.field = object->keys[i];
      return object->at[i];
    }
  }
  return NULL;
}

/* The last word of the builder's field is a key of the object that it blames; a size may be a shape. */
static void heed(struct berth_json_object *object) {
  struct berth_json_reader *reader = object->reader;
  struct berth_error found = *reader->err;
  const char *dot = strrchr(found.field, '.');
  const char *word = dot != NULL ? dot + 1 : found.field;
  const char *at = find_key(object, word);
  at = at == NULL && strcmp(word, "size") == 0 ? find_key(object, "shape") : at;
  at = at == NULL ? object->begin : at;
  say(reader, at, found.code, found.reason, found.message);
}

void berth_json_heed(struct berth_json_object *object, enum berth_code code) {
  struct berth_json_reader *reader = object->reader;
  if (reader->code != BERTH_OK || code == BERTH_OK) {
    return;
  }
  reader->code = code;
  if (reader->err->reason != BERTH_REASON_OUT_OF_MEMORY) {
    heed(object);
  }
}

struct blamed {
  enum berth_json_list list;
  const char *prefix; /* of the builder's field */
  const char *word;   /* of the document */
  const char *const *keys;
  unsigned n_keys;
};

static const struct blamed BLAMED[] = {
    {BERTH_JSON_VALUES, "value.", "values", BERTH_JSON_VALUE_KEYS, BERTH_JSON_N_VALUE_KEYS},
    {BERTH_JSON_OPERATORS, "operator.", "operators", BERTH_JSON_OPERATOR_KEYS, BERTH_JSON_N_OPERATOR_KEYS},
    {BERTH_JSON_REGIONS, "region.", "regions", BERTH_JSON_REGION_KEYS, BERTH_JSON_N_REGION_KEYS},
    {BERTH_JSON_SYNCS, "sync.", "syncs", BERTH_JSON_SYNC_KEYS, BERTH_JSON_N_SYNC_KEYS},
    {BERTH_JSON_SYMBOLS, "symbol.", "symbols", BERTH_JSON_SYMBOL_KEYS, BERTH_JSON_N_SYMBOL_KEYS},
    {BERTH_JSON_SYMBOLS, "binding.", "symbols", BERTH_JSON_SYMBOL_KEYS, 0},
    {BERTH_JSON_GROUPS, "group.", "groups", BERTH_JSON_GROUP_KEYS, BERTH_JSON_N_GROUP_KEYS},
    {BERTH_JSON_POOLS, "pool.", "pools", BERTH_JSON_POOL_KEYS, BERTH_JSON_N_POOL_KEYS},
    {BERTH_JSON_BUFFERS, "", "buffers", BERTH_JSON_BUFFER_KEYS, BERTH_JSON_N_BUFFER_KEYS},
};

void berth_json_heed_finish(struct berth_json_reader *reader, enum berth_code code) {
  if (reader->code != BERTH_OK || code == BERTH_OK) {
    return;
  }
  struct berth_error found = *reader->err;
  reader->code = code;
  if (found.reason == BERTH_REASON_OUT_OF_MEMORY) {
    return;
  }
  const struct blamed *blamed = BLAMED;
  while (strncmp(found.field, blamed->prefix, strlen(blamed->prefix)) != 0) {
    blamed++;
  }
  const struct berth_json_listed *listed = &reader->lists[blamed->list];
  const char *element = reader->root;
  if (listed->array != NULL) {
    reader->path.list = blamed->word;
    element = listed->array;
  }
  if (listed->array == NULL || found.index >= listed->n || blamed->n_keys == 0) {
    say(reader, element, found.code, found.reason, found.message);
    return;
  }
  struct berth_json_iterator elements = berth_json_scan_enter(listed->array);
  const char *key;
  for (uint32_t i = 0; i <= found.index && berth_json_scan_next(&elements, &key, &element); i++) {
  }
  reader->path.index = found.index;
  struct berth_json_object object;
  reader->code = BERTH_OK;
  if (berth_json_open_object(reader, element, blamed->keys, blamed->n_keys, &object)) {
    *reader->err = found;
    heed(&object);
  }
}

void berth_json_relay(struct berth_json_reader *reader, const char *at, enum berth_code code) {
  if (reader->code != BERTH_OK || code == BERTH_OK) {
    return;
  }
  struct berth_error found = *reader->err;
  reader->code = code;
  if (found.reason != BERTH_REASON_OUT_OF_MEMORY) {
    say(reader, at, found.code, found.reason, found.message);
  }
}

/* ---- Life ---- */

enum berth_code berth_json_reader_begin(
    struct berth_json_reader *out_reader, const char *text, size_t n_bytes,
    const struct berth_allocator *allocator, struct berth_error *err) {
  *out_reader = (struct berth_json_reader){
      .text = text,
      .allocator = allocator,
      .err = err,
      .path = {.index = BERTH_NO_INDEX, .entry = BERTH_NO_INDEX, .place = BERTH_NO_INDEX}};
  enum berth_code code = berth_json_scan_check(text, n_bytes, &out_reader->root, err);
  if (code != BERTH_OK) {
    return code;
  }
  if (*out_reader->root != '{') { /* the walks go only inside of containers */
    berth_json_refuse(
        out_reader, out_reader->root, BERTH_REASON_MALFORMED, "is %s; an object is right",
        berth_json_scan_kind(out_reader->root));
    return out_reader->code;
  }
  return berth_problem_builder_create(allocator, &out_reader->builder, err);
}

void berth_json_give_back(struct berth_json_reader *reader, struct berth_json_block *block) {
  if (block->items != NULL) {
    reader->allocator->resize(reader->allocator->ctx, block->items, block->n_bytes, 0);
  }
}

void berth_json_reader_end(struct berth_json_reader *reader) {
  struct berth_json_block *const BLOCKS[] = {&reader->word,    &reader->id,    &reader->inputs,
                                             &reader->outputs, &reader->pools, &reader->waits,
                                             &reader->pairs};
  for (size_t i = 0; i < sizeof BLOCKS / sizeof BLOCKS[0]; i++) {
    berth_json_give_back(reader, BLOCKS[i]);
  }
  for (unsigned i = 0; i < BERTH_N_SIZED_FIELDS; i++) {
    berth_json_give_back(reader, &reader->shapes[i]);
  }
  for (unsigned i = 0; i < BERTH_JSON_N_LISTS; i++) {
    berth_json_names_finish(&reader->lists[i].names, reader->allocator);
  }
  berth_problem_builder_destroy(reader->builder);
}

/* ---- Memory ---- */

void *berth_json_room(
    struct berth_json_reader *reader, struct berth_json_block *block, size_t n, size_t item_size) {
  size_t n_bytes;
  size_t wanted = block->n_bytes < 64 ? 64 : block->n_bytes;
  if (__builtin_mul_overflow(n, item_size, &n_bytes) || n_bytes > SIZE_MAX / 2) {
    berth_json_out_of_memory(reader);
    return NULL;
  }
  if (n_bytes <= block->n_bytes && block->items != NULL) {
    return block->items;
  }
  while (wanted < n_bytes) {
    wanted *= 2;
  }
  void *items = reader->allocator->resize(reader->allocator->ctx, block->items, block->n_bytes, wanted);
  if (items == NULL) {
    berth_json_out_of_memory(reader);
    return NULL;
  }
  block->items = items;
  block->n_bytes = wanted;
  return items;
}

/* ---- Values ---- */

/* A value as a message shows it: what it begins with, or what it is. */
struct shown {
  char text[SHOWN_BYTES + 8];
};

static struct shown show(const char *at) {
  struct shown shown;
  if (*at == '{' || *at == '[') {
    snprintf(shown.text, sizeof shown.text, "%s", berth_json_scan_kind(at));
    return shown;
  }
  size_t n = (size_t)(berth_json_scan_after(at) - at);
  bool is_cut = n > SHOWN_BYTES;
  n = is_cut ? SHOWN_BYTES : n;
  while (is_cut && n > 0 && ((unsigned char)at[n] & 0xc0) == 0x80) {
    n--;
  }
  memcpy(shown.text, at, n);
  snprintf(shown.text + n, sizeof shown.text - n, "%s", is_cut ? "..." : "");
  for (size_t i = 0; i < n; i++) {
    if (shown.text[i] == 0x7f) {
      shown.text[i] = '?';
    }
  }
  return shown;
}

static bool is_number(struct berth_json_reader *reader, const char *at, enum berth_json_number found) {
  static const char *const WHY[] = {
      [BERTH_JSON_NUMBER_FRACTION] = "a whole number, without fraction and exponent, is right",
      [BERTH_JSON_NUMBER_NEGATIVE] = "a whole number from 0 on is right",
      [BERTH_JSON_NUMBER_LARGE] = "a whole number of 64 bits is right",
      [BERTH_JSON_NUMBER_NONE] = "a whole number, or a string of its digits, is right",
  };
  if (found != BERTH_JSON_NUMBER_OK) {
    berth_json_refuse(reader, at, BERTH_REASON_BAD_NUMBER, "is %s; %s", show(at).text, WHY[found]);
  }
  return reader->code == BERTH_OK;
}

bool berth_json_read_u64(struct berth_json_reader *reader, const char *at, uint64_t *out) {
  return is_number(reader, at, berth_json_scan_u64(at, out));
}

bool berth_json_read_i64(struct berth_json_reader *reader, const char *at, int64_t *out) {
  return is_number(reader, at, berth_json_scan_i64(at, out));
}

bool berth_json_is_array(struct berth_json_reader *reader, const char *at, const char *of_what) {
  if (*at != '[') {
    berth_json_refuse(
        reader, at, BERTH_REASON_MALFORMED, "is %s; an array of %s is right", show(at).text, of_what);
  }
  return reader->code == BERTH_OK;
}

struct berth_text
berth_json_text_of(struct berth_json_reader *reader, const char *string, struct berth_json_block *block) {
  size_t n = (size_t)(berth_json_scan_after(string) - string);
  if (memchr(string, '\\', n) == NULL && n - 2 <= UINT32_MAX) {
    return (struct berth_text){.data = string + 1, .size = (uint32_t)(n - 2)};
  }
  char *text = berth_json_room(reader, block, n, 1);
  n = text != NULL ? berth_json_scan_string(string, text) : 0;
  if (n > UINT32_MAX) {
    berth_json_refuse(reader, string, BERTH_REASON_BAD_TEXT, "is longer than 2^32 - 1 bytes");
    n = 0;
  }
  return (struct berth_text){.data = text, .size = (uint32_t)n};
}

static const char *const SINGULAR[] = {"pool",   "buffer", "value",  "operator", "conflict",
                                       "region", "sync",   "symbol", "group",    "part"};

static bool is_named(enum berth_json_list list) {
  return list == BERTH_JSON_POOLS || list == BERTH_JSON_SYMBOLS || list == BERTH_JSON_PARTS;
}

/* The ids of a list's objects, made when the first is asked for. */
static bool make_names(struct berth_json_reader *reader, enum berth_json_list list) {
  struct berth_json_listed *listed = &reader->lists[list];
  if (!listed->names.is_made && listed->array != NULL &&
      !berth_json_names_make(
          &listed->names, listed->array, is_named(list) ? "name" : "id", reader->allocator)) {
    berth_json_out_of_memory(reader);
  }
  return reader->code == BERTH_OK;
}

uint32_t berth_json_find_symbol(struct berth_json_reader *reader, struct berth_text name) {
  bool made = make_names(reader, BERTH_JSON_SYMBOLS);
  return made ? berth_json_names_find(&reader->lists[BERTH_JSON_SYMBOLS].names, name) : BERTH_NO_INDEX;
}

static void
refer_by_id(struct berth_json_reader *reader, const char *at, enum berth_json_list list, uint32_t *out) {
  struct berth_json_listed *listed = &reader->lists[list];
  if (!make_names(reader, list)) {
    return;
  }
  struct berth_text text = berth_json_text_of(reader, at, &reader->word);
  bool is_default = list == BERTH_JSON_POOLS && listed->n == 0 && berth_json_scan_is(at, "arena");
  *out = is_default ? 0 : text.size != 0 ? berth_json_names_find(&listed->names, text) : BERTH_NO_INDEX;
  if (*out == BERTH_NO_INDEX) {
    berth_json_refuse(
        reader, at, BERTH_REASON_UNKNOWN_ID, "no %s has the %s %s", SINGULAR[list],
        list == BERTH_JSON_POOLS ? "name" : "id", show(at).text);
  }
}

bool berth_json_read_reference(
    struct berth_json_reader *reader, const char *at, enum berth_json_list list, uint32_t *out) {
  uint64_t index;
  uint32_t n = reader->lists[list].n;
  n += n == 0 && list == BERTH_JSON_POOLS; /* the problem's own */
  if (reader->code != BERTH_OK) {
    return false;
  }
  if (*at == '"') {
    refer_by_id(reader, at, list, out);
  } else if (berth_json_scan_u64(at, &index) != BERTH_JSON_NUMBER_OK) {
    berth_json_refuse(
        reader, at, BERTH_REASON_UNKNOWN_ID, "is %s; the %s of %s %s, or its place from 0, is right",
        show(at).text, list == BERTH_JSON_POOLS ? "name" : "id", list == BERTH_JSON_OPERATORS ? "an" : "a",
        SINGULAR[list]);
  } else if (index >= n) {
    berth_json_refuse(
        reader, at, BERTH_REASON_UNKNOWN_ID, "is %s %" PRIu64 "; there are %" PRIu32, SINGULAR[list], index,
        n);
  } else {
    *out = (uint32_t)index;
  }
  return reader->code == BERTH_OK;
}

/* ---- Objects ---- */

static const char *all_keys(const char *const *keys, unsigned n_keys, char *out, size_t capacity) {
  size_t n = 0;
  out[0] = '\0';
  for (unsigned i = 0; i < n_keys && n < capacity; i++) {
    const char *between = i == 0 ? "" : i + 1 == n_keys ? " and " : ", ";
    n += (size_t)snprintf(out + n, capacity - n, "%s%s", between, keys[i]);
  }
  return out;
}

static void take_member(struct berth_json_object *object, const char *key, const char *value) {
  struct berth_json_reader *reader = object->reader;
  for (unsigned i = 0; i < object->n_keys; i++) {
    if (!berth_json_scan_is(key, object->keys[i])) {
      continue;
    }
    if (object->at[i] != NULL) {
      berth_json_refuse(reader, key, BERTH_REASON_MALFORMED, "\"%s\" is there twice", object->keys[i]);
    }
    object->at[i] = reader->is_tolerant && *value == 'n' ? NULL : value;
    return;
  }
  if (reader->is_tolerant) {
    return;
  }
  char words[WORDS_SIZE];
  berth_json_refuse(
      reader, key, BERTH_REASON_UNKNOWN_FIELD, "there is no field %s; %s are right", show(key).text,
      all_keys(object->keys, object->n_keys, words, sizeof words));
}

bool berth_json_open_object(
    struct berth_json_reader *reader, const char *at, const char *const *keys, unsigned n_keys,
    struct berth_json_object *out_object) {
  *out_object = (struct berth_json_object){.reader = reader, .begin = at, .keys = keys, .n_keys = n_keys};
  if (reader->code == BERTH_OK && *at != '{') {
    berth_json_refuse(reader, at, BERTH_REASON_MALFORMED, "is %s; an object is right", show(at).text);
  }
  if (reader->code != BERTH_OK) {
    return false;
  }
  struct berth_json_iterator members = berth_json_scan_enter(at);
  const char *key;
  const char *value;
  while (reader->code == BERTH_OK && berth_json_scan_next(&members, &key, &value)) {
    take_member(out_object, key, value);
  }
  return reader->code == BERTH_OK;
}

/* Sets the path to the key: where its value is, or NULL if there is nothing to do. */
static const char *enter(struct berth_json_object *object, unsigned key) {
  struct berth_json_reader *reader = object->reader;
  if (reader->code != BERTH_OK || object->at[key] == NULL) {
    return NULL;
  }
  *(reader->path.entry == BERTH_NO_INDEX ? &reader->path.field : &reader->path.part) = object->keys[key];
  return object->at[key];
}

static void leave(struct berth_json_object *object) {
  struct berth_json_path *path = &object->reader->path;
  *(path->entry == BERTH_NO_INDEX ? &path->field : &path->part) = NULL;
}

void berth_json_take_u64(struct berth_json_object *object, unsigned key, uint64_t *out) {
  const char *at = enter(object, key);
  if (at != NULL && berth_json_read_u64(object->reader, at, out)) {
    leave(object);
  }
}

void berth_json_take_u32(struct berth_json_object *object, unsigned key, uint32_t *out) {
  uint64_t n = *out;
  berth_json_take_u64(object, key, &n);
  if (n > UINT32_MAX) {
    object->reader->path.field = object->keys[key];
    berth_json_refuse(
        object->reader, object->at[key], BERTH_REASON_LIMIT_EXCEEDED,
        "is %" PRIu64 "; less than 2^32 is right", n);
  }
  *out = (uint32_t)n;
}

void berth_json_take_pin(struct berth_json_object *object, unsigned key, uint64_t *out) {
  berth_json_take_u64(object, key, out);
  if (object->at[key] != NULL && *out == BERTH_UNPINNED && enter(object, key) != NULL) {
    berth_json_refuse(
        object->reader, object->at[key], BERTH_REASON_BAD_PIN, "is over the limit of 2^63 - 1 bytes");
  }
}

void berth_json_take_i64(struct berth_json_object *object, unsigned key, int64_t *out) {
  const char *at = enter(object, key);
  if (at != NULL && berth_json_read_i64(object->reader, at, out)) {
    leave(object);
  }
}

void berth_json_take_bool(struct berth_json_object *object, unsigned key, bool *out) {
  const char *at = enter(object, key);
  if (at == NULL) {
    return;
  }
  if (*at != 't' && *at != 'f') {
    berth_json_refuse(
        object->reader, at, BERTH_REASON_MALFORMED, "is %s; true or false is right", show(at).text);
    return;
  }
  *out = *at == 't';
  leave(object);
}

void berth_json_take_id(struct berth_json_object *object, unsigned key, struct berth_text *out) {
  const char *at = enter(object, key);
  if (at == NULL) {
    return;
  }
  if (*at != '"') {
    berth_json_refuse(object->reader, at, BERTH_REASON_BAD_TEXT, "is %s; a string is right", show(at).text);
    return;
  }
  *out = berth_json_text_of(object->reader, at, &object->reader->id);
  leave(object);
}

void berth_json_take_word(
    struct berth_json_object *object, unsigned key, const char *(*word_of)(unsigned), unsigned n_words,
    unsigned *out) {
  const char *at = enter(object, key);
  if (at == NULL) {
    return;
  }
  const char *words[BERTH_JSON_MAX_KEYS];
  char text[WORDS_SIZE];
  for (unsigned i = 0; i < n_words; i++) {
    words[i] = word_of(i);
    if (*at == '"' && berth_json_scan_is(at, words[i])) {
      *out = i;
      leave(object);
      return;
    }
  }
  berth_json_refuse(
      object->reader, at, BERTH_REASON_BAD_NUMBER, "is %s; one of %s is right", show(at).text,
      all_keys(words, n_words, text, sizeof text));
}

void berth_json_take_reference(
    struct berth_json_object *object, unsigned key, enum berth_json_list list, uint32_t *out) {
  const char *at = enter(object, key);
  if (at != NULL && berth_json_read_reference(object->reader, at, list, out)) {
    leave(object);
  }
}

void berth_json_take_references(
    struct berth_json_object *object, unsigned key, enum berth_json_list list, struct berth_json_block *block,
    const uint32_t **out_items, uint32_t *out_n) {
  struct berth_json_reader *reader = object->reader;
  const char *at = enter(object, key);
  if (at == NULL || !berth_json_is_array(reader, at, "ids or places")) {
    return;
  }
  struct berth_json_iterator elements = berth_json_scan_enter(at);
  const char *name;
  uint32_t n = 0;
  for (; n < UINT32_MAX && berth_json_scan_next(&elements, &name, &at); n++) {
    uint32_t *items = berth_json_room(reader, block, (size_t)n + 1, sizeof *items);
    reader->path.entry = n;
    if (items == NULL || !berth_json_read_reference(reader, at, list, &items[n])) {
      return;
    }
  }
  reader->path.entry = BERTH_NO_INDEX;
  *out_items = block->items;
  *out_n = n;
  leave(object);
}

void berth_json_require(struct berth_json_object *object, unsigned key) {
  if (object->at[key] == NULL) {
    berth_json_refuse(
        object->reader, object->begin, BERTH_REASON_MISSING_FIELD, "\"%s\" is missing", object->keys[key]);
  }
}

void berth_json_each(
    struct berth_json_reader *reader, enum berth_json_list list, const char *word,
    void (*read)(struct berth_json_reader *reader, const char *at)) {
  const char *array = reader->lists[list].array;
  if (array == NULL || reader->code != BERTH_OK) {
    return;
  }
  struct berth_json_iterator elements = berth_json_scan_enter(array);
  const char *key;
  const char *at;
  reader->path.list = word;
  for (uint32_t i = 0; reader->code == BERTH_OK && berth_json_scan_next(&elements, &key, &at); i++) {
    reader->path.index = i;
    read(reader, at);
  }
  if (reader->code == BERTH_OK) {
    reader->path.list = NULL;
    reader->path.index = BERTH_NO_INDEX;
  }
}
