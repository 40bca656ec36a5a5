#include "json/saved.h"

#include <string.h>

#include "json/plan.h"
#include "json/reader.h"

static const char *const ROOT_KEYS[] = {"arena_bytes", "buffers", "reuse", "sync"};
enum { ARENA_BYTES, BUFFERS, REUSE, SYNC, N_ROOT_KEYS };
static const char *const SYNC_KEYS[] = {"waits"};
static const char *const KEYS[] = {"id", "pool", "offset", "size", "lower", "upper", "class", "gaps"};
enum { ID, POOL, OFFSET, SIZE, LOWER, UPPER, CLASS, GAPS, N_KEYS };

/* Texts of one document together are no longer than the document. */
static struct berth_text
keep_text(struct berth_json_object *object, unsigned key, struct berth_json_saved *saved, size_t *at) {
  struct berth_json_reader *reader = object->reader;
  struct berth_text text = {.size = 0};
  berth_json_take_id(object, key, &text);
  bool is_decoded = text.size != 0 && text.data == reader->id.items;
  if (reader->code != BERTH_OK || !is_decoded) {
    return text;
  }
  if (saved->decoded == NULL) {
    saved->decoded = saved->allocator->resize(saved->allocator->ctx, NULL, 0, saved->n_decoded);
  }
  if (saved->decoded == NULL) {
    berth_json_out_of_memory(reader);
    return (struct berth_text){.size = 0};
  }
  memcpy(saved->decoded + *at, text.data, text.size);
  text.data = saved->decoded + *at;
  *at += text.size;
  return text;
}

static void read_buffer(
    struct berth_json_reader *reader, const char *at, struct berth_json_saved *saved, size_t *decoded) {
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  uint32_t i = reader->path.index;
  struct berth_json_object object;
  unsigned class_ = BERTH_CLASS_TEMPORARY;
  if (!berth_json_open_object(reader, at, KEYS, N_KEYS, &object)) {
    return;
  }
  berth_json_require(&object, SIZE);
  berth_json_require(&object, LOWER);
  berth_json_require(&object, UPPER);
  saved->id[i] = keep_text(&object, ID, saved, decoded);
  saved->pool[i] = keep_text(&object, POOL, saved, decoded);
  berth_json_take_u64(&object, OFFSET, &saved->offset[i]);
  berth_json_take_u64(&object, SIZE, &spec.size_bytes);
  berth_json_take_i64(&object, LOWER, &spec.lower);
  berth_json_take_i64(&object, UPPER, &spec.upper);
  berth_json_take_word(&object, CLASS, berth_json_class_name, BERTH_N_CLASSES, &class_);
  berth_json_take_gaps(&object, GAPS, &spec);
  spec.class_ = (enum berth_buffer_class)class_;
  if (reader->code == BERTH_OK) {
    berth_json_heed(&object, berth_problem_builder_add_buffer(reader->builder, &spec, NULL, reader->err));
  }
}

/* One block: the texts first, since they are aligned as the offsets are or more. */
static size_t column_bytes(uint32_t n) {
  return (size_t)n * (2 * sizeof(struct berth_text) + sizeof(uint64_t));
}

static bool make_columns(struct berth_json_saved *saved, uint32_t n) {
  struct berth_text *texts = saved->allocator->resize(saved->allocator->ctx, NULL, 0, column_bytes(n));
  if (texts == NULL) {
    return false;
  }
  saved->n_buffers = n;
  saved->id = texts;
  saved->pool = texts + n;
  saved->offset = (uint64_t *)(void *)(texts + 2 * (size_t)n);
  for (uint32_t i = 0; i < n; i++) {
    saved->id[i] = saved->pool[i] = (struct berth_text){.size = 0};
    saved->offset[i] = BERTH_NO_OFFSET;
  }
  return true;
}

static void read_buffers(struct berth_json_reader *reader, const char *at, struct berth_json_saved *saved) {
  reader->path.list = "buffers";
  if (!berth_json_is_array(reader, at, "objects")) {
    return;
  }
  struct berth_json_iterator elements = berth_json_scan_enter(at);
  const char *key;
  const char *element;
  uint32_t n = 0;
  while (n < UINT32_MAX && berth_json_scan_next(&elements, &key, &element)) {
    n++;
  }
  if (n != 0 && !make_columns(saved, n)) {
    berth_json_out_of_memory(reader);
    return;
  }
  size_t decoded = 0;
  elements = berth_json_scan_enter(at);
  for (uint32_t i = 0; i < n && reader->code == BERTH_OK && berth_json_scan_next(&elements, &key, &element);
       i++) {
    reader->path.index = i;
    read_buffer(reader, element, saved, &decoded);
  }
}

/* ---- Added waits ---- */

static void read_wait(struct berth_json_reader *reader, const char *at, struct berth_sync *out) {
  struct berth_json_object object;
  if (!berth_json_open_object(reader, at, BERTH_JSON_SYNC_KEYS, BERTH_JSON_N_SYNC_KEYS, &object)) {
    return;
  }
  berth_json_require(&object, 0);
  berth_json_require(&object, 1);
  berth_json_take_u32(&object, 0, &out->waiter);
  berth_json_take_u32(&object, 1, &out->signaller);
}

static void read_waits(struct berth_json_reader *reader, const char *at, struct berth_json_saved *saved) {
  struct berth_json_object sync;
  reader->path = (struct berth_json_path){
      .list = "sync", .index = BERTH_NO_INDEX, .entry = BERTH_NO_INDEX, .place = BERTH_NO_INDEX};
  if (!berth_json_open_object(reader, at, SYNC_KEYS, 1, &sync) || sync.at[0] == NULL) {
    return;
  }
  reader->path.list = "sync.waits";
  if (!berth_json_is_array(reader, sync.at[0], "objects")) {
    return;
  }
  struct berth_json_iterator elements = berth_json_scan_enter(sync.at[0]);
  const char *key;
  const char *element;
  uint32_t n = 0;
  while (n < UINT32_MAX && berth_json_scan_next(&elements, &key, &element)) {
    n++;
  }
  saved->syncs =
      saved->allocator->resize(saved->allocator->ctx, NULL, 0, ((size_t)n + 1) * sizeof *saved->syncs);
  if (saved->syncs == NULL) {
    berth_json_out_of_memory(reader);
    return;
  }
  saved->n_syncs = n;
  elements = berth_json_scan_enter(sync.at[0]);
  for (uint32_t i = 0; i < n && reader->code == BERTH_OK && berth_json_scan_next(&elements, &key, &element);
       i++) {
    saved->syncs[i] = (struct berth_sync){.waiter = 0, .signaller = 0};
    reader->path.index = i;
    read_wait(reader, element, &saved->syncs[i]);
  }
}

static const char *reuse_word(unsigned reuse) {
  return berth_reuse_name((enum berth_reuse)reuse);
}

static void read_root(struct berth_json_reader *reader, struct berth_json_saved *saved) {
  struct berth_json_object root;
  if (!berth_json_open_object(reader, reader->root, ROOT_KEYS, N_ROOT_KEYS, &root)) {
    return;
  }
  if (root.at[BUFFERS] == NULL) {
    berth_json_refuse(
        reader, root.begin, BERTH_REASON_MISSING_FIELD,
        "\"buffers\" is missing; what berthctl plan --json prints is right");
    return;
  }
  saved->has_arena = root.at[ARENA_BYTES] != NULL;
  berth_json_take_u64(&root, ARENA_BYTES, &saved->arena_bytes);
  unsigned reuse = BERTH_REUSE_FULL;
  berth_json_take_word(&root, REUSE, reuse_word, BERTH_N_REUSES, &reuse);
  saved->reuse = (enum berth_reuse)reuse;
  read_buffers(reader, root.at[BUFFERS], saved);
  if (root.at[SYNC] != NULL && reader->code == BERTH_OK) {
    read_waits(reader, root.at[SYNC], saved);
  }
  if (reader->code == BERTH_OK) {
    berth_json_heed_finish(
        reader, berth_problem_builder_finish(reader->builder, &saved->problem, reader->err));
  }
}

enum berth_code berth_json_read_saved(
    const char *text, size_t n_bytes, const struct berth_allocator *allocator,
    struct berth_json_saved *out_saved, struct berth_error *err) {
  struct berth_error unseen;
  struct berth_json_reader reader;
  *out_saved = (struct berth_json_saved){
      .allocator = allocator != NULL ? allocator : berth_allocator_libc(), .n_decoded = n_bytes};
  enum berth_code code =
      berth_json_reader_begin(&reader, text, n_bytes, out_saved->allocator, err != NULL ? err : &unseen);
  if (code != BERTH_OK) {
    return code;
  }
  reader.is_tolerant = true;
  read_root(&reader, out_saved);
  berth_json_reader_end(&reader);
  if (reader.code != BERTH_OK) {
    berth_json_saved_finish(out_saved);
  }
  return reader.code;
}

void berth_json_saved_finish(struct berth_json_saved *saved) {
  const struct berth_allocator *allocator = saved->allocator;
  if (saved->id != NULL) {
    allocator->resize(allocator->ctx, saved->id, column_bytes(saved->n_buffers), 0);
  }
  if (saved->syncs != NULL) {
    allocator->resize(allocator->ctx, saved->syncs, ((size_t)saved->n_syncs + 1) * sizeof *saved->syncs, 0);
  }
  if (saved->decoded != NULL) {
    allocator->resize(allocator->ctx, saved->decoded, saved->n_decoded, 0);
  }
  berth_problem_unref(saved->problem);
  *saved = (struct berth_json_saved){.n_buffers = 0};
}
