/* The document's members may come in any order; they are read in that of the builder. */
#include "json/problem.h"

#include <string.h>

#include "json/reader.h"

static const char *const ROOT_KEYS[] = {"$schema", "version",   "pools",    "buffers",        "conflicts",
                                        "values",  "operators", "regions",  "forbid_inplace", "symbols",
                                        "groups",  "parts",     "together", "shared",         "syncs"};
enum {
  SCHEMA,
  VERSION,
  POOLS,
  BUFFERS,
  CONFLICTS,
  VALUES,
  OPERATORS,
  REGIONS,
  FORBID_INPLACE,
  SYMBOLS,
  GROUPS,
  PARTS,
  TOGETHER,
  SHARED,
  SYNCS,
  N_ROOT_KEYS
};

/* The key of each list. */
static const unsigned LIST_KEY[BERTH_JSON_N_LISTS] = {POOLS,   BUFFERS, VALUES,  OPERATORS, CONFLICTS,
                                                      REGIONS, SYNCS,   SYMBOLS, GROUPS,    PARTS};

bool berth_json_is_object(const char *text, size_t n_bytes) {
  size_t at = n_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (at < n_bytes && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) {
    at++;
  }
  return at < n_bytes && text[at] == '{';
}

static void find_list(struct berth_json_reader *reader, enum berth_json_list list, const char *at) {
  struct berth_json_listed *listed = &reader->lists[list];
  if (at == NULL || reader->code != BERTH_OK) {
    return;
  }
  reader->path.list = ROOT_KEYS[LIST_KEY[list]];
  if (!berth_json_is_array(reader, at, LIST_KEY[list] == CONFLICTS ? "pairs of buffers" : "objects")) {
    return;
  }
  listed->array = at;
  struct berth_json_iterator elements = berth_json_scan_enter(at);
  const char *key;
  while (listed->n < UINT32_MAX && berth_json_scan_next(&elements, &key, &at)) {
    listed->n++;
  }
  reader->path.list = NULL;
}

static void check_form(struct berth_json_object *root) {
  bool is_buffers = root->at[BUFFERS] != NULL || root->at[CONFLICTS] != NULL;
  static const unsigned GRAPH_KEYS[] = {VALUES, OPERATORS, REGIONS, SYNCS, FORBID_INPLACE};
  for (unsigned i = 0; is_buffers && i < sizeof GRAPH_KEYS / sizeof GRAPH_KEYS[0]; i++) {
    const char *at = root->at[GRAPH_KEYS[i]];
    if (at != NULL) {
      root->reader->path.list = ROOT_KEYS[GRAPH_KEYS[i]];
      berth_json_refuse(
          root->reader, at, BERTH_REASON_MALFORMED,
          "a problem is stated as buffers or as a graph, never both");
    }
  }
}

/* A composition says nothing but what its parts are to each other. */
static void check_parts(struct berth_json_object *root) {
  static const unsigned OF_PARTS[] = {POOLS,   BUFFERS, CONFLICTS, VALUES, OPERATORS,
                                      REGIONS, SYNCS,   SYMBOLS,   GROUPS};
  struct berth_json_reader *reader = root->reader;
  for (unsigned i = 0; root->at[PARTS] != NULL && i < sizeof OF_PARTS / sizeof OF_PARTS[0]; i++) {
    const char *at = root->at[OF_PARTS[i]];
    if (at != NULL) {
      reader->path.list = ROOT_KEYS[OF_PARTS[i]];
      berth_json_refuse(reader, at, BERTH_REASON_MALFORMED, "stands beside parts; it is for them to say");
    }
  }
  static const unsigned OF_WHOLE[] = {TOGETHER, SHARED};
  for (unsigned i = 0; root->at[PARTS] == NULL && i < 2; i++) {
    const char *at = root->at[OF_WHOLE[i]];
    if (at != NULL) {
      reader->path.list = ROOT_KEYS[OF_WHOLE[i]];
      berth_json_refuse(reader, at, BERTH_REASON_MISSING_FIELD, "stands without parts");
    }
  }
  if (root->at[PARTS] != NULL && reader->within != NULL) {
    reader->path.list = ROOT_KEYS[PARTS];
    berth_json_refuse(
        reader, root->at[PARTS], BERTH_REASON_BAD_PART, "stands in a part; name these beside the others");
  }
}

static void check_version(struct berth_json_object *root) {
  uint64_t version = BERTH_JSON_PROBLEM_VERSION;
  struct berth_text schema;
  berth_json_take_id(root, SCHEMA, &schema);
  berth_json_take_u64(root, VERSION, &version);
  if (version != BERTH_JSON_PROBLEM_VERSION) {
    root->reader->path.field = "version";
    berth_json_refuse(
        root->reader, root->at[VERSION], BERTH_REASON_BAD_NUMBER, "is %llu; this reader knows version %d",
        (unsigned long long)version, BERTH_JSON_PROBLEM_VERSION);
  }
}

/* Of a part, those that it has a symbol for. */
static void bind(struct berth_json_reader *reader, const struct berth_bindings *bindings) {
  struct berth_json_listed *listed = &reader->lists[BERTH_JSON_SYMBOLS];
  struct berth_json_block kept = {NULL, 0};
  if (reader->within == NULL || bindings == NULL || reader->code != BERTH_OK) {
    return;
  }
  struct berth_binding *items = berth_json_room(reader, &kept, bindings->n, sizeof *items);
  uint32_t n = 0;
  for (uint32_t i = 0; items != NULL && i < bindings->n; i++) {
    if (listed->array != NULL &&
        berth_json_find_symbol(reader, bindings->items[i].symbol) != BERTH_NO_INDEX) {
      items[n++] = bindings->items[i];
    }
  }
  if (reader->code == BERTH_OK) {
    struct berth_bindings own = *bindings;
    own.items = items;
    own.n = n;
    berth_json_heed_finish(reader, berth_problem_builder_bind(reader->builder, &own, reader->err));
  }
  berth_json_give_back(reader, &kept);
}

static void read_lists(
    struct berth_json_reader *reader, const struct berth_json_terms *terms,
    struct berth_problem **out_problem) {
  if (terms->forbid_inplace) {
    berth_problem_builder_forbid_inplace(reader->builder);
  }
  bind(reader, terms->bindings);
  berth_json_read_symbols(reader);
  berth_json_read_pools(reader);
  berth_json_read_buffers(reader);
  berth_json_read_conflicts(reader);
  berth_json_read_values(reader);
  berth_json_read_operators(reader);
  berth_json_read_regions(reader);
  berth_json_read_syncs(reader);
  berth_json_read_groups(reader);
  if (reader->code == BERTH_OK) {
    berth_json_heed_finish(reader, berth_problem_builder_finish(reader->builder, out_problem, reader->err));
  }
}

void berth_json_read_document(
    struct berth_json_reader *reader, const struct berth_json_terms *terms,
    struct berth_problem **out_problem) {
  struct berth_json_object root;
  if (!berth_json_open_object(reader, reader->root, ROOT_KEYS, N_ROOT_KEYS, &root)) {
    return;
  }
  check_version(&root);
  check_parts(&root);
  check_form(&root);
  for (unsigned i = 0; i < BERTH_JSON_N_LISTS; i++) {
    find_list(reader, (enum berth_json_list)i, root.at[LIST_KEY[i]]);
  }
  bool says_so = false;
  berth_json_take_bool(&root, FORBID_INPLACE, &says_so);
  struct berth_json_terms own = *terms;
  own.forbid_inplace |= says_so;
  if (root.at[PARTS] != NULL) {
    berth_json_read_parts(reader, &own, root.at[TOGETHER], root.at[SHARED], out_problem);
  } else {
    read_lists(reader, &own, out_problem);
  }
}

/* Bindings are for all parts of a composition, if it is one. */
static bool has_parts(const char *root) {
  struct berth_json_iterator members = berth_json_scan_enter(root);
  const char *key;
  const char *at;
  while (berth_json_scan_next(&members, &key, &at)) {
    if (berth_json_scan_is(key, ROOT_KEYS[PARTS])) {
      return true;
    }
  }
  return false;
}

static enum berth_code read_problem(
    const char *text, size_t n_bytes, const struct berth_bindings *bindings, bool forbid_inplace,
    const struct berth_allocator *allocator, struct berth_problem **out_problem, struct berth_error *err) {
  struct berth_error unseen;
  struct berth_json_reader reader;
  enum berth_code code = berth_json_reader_begin(
      &reader, text, n_bytes, allocator != NULL ? allocator : berth_allocator_libc(),
      err != NULL ? err : &unseen);
  if (code != BERTH_OK) {
    return code;
  }
  if (bindings != NULL && !has_parts(reader.root)) {
    berth_json_heed_finish(&reader, berth_problem_builder_bind(reader.builder, bindings, reader.err));
  }
  const struct berth_json_terms terms = {.bindings = bindings, .forbid_inplace = forbid_inplace};
  if (reader.code == BERTH_OK) {
    berth_json_read_document(&reader, &terms, out_problem);
  }
  berth_json_reader_end(&reader);
  return reader.code;
}

enum berth_code berth_json_read_problem(
    const char *text, size_t n_bytes, const struct berth_allocator *allocator,
    struct berth_problem **out_problem, struct berth_error *err) {
  return read_problem(text, n_bytes, NULL, false, allocator, out_problem, err);
}

enum berth_code berth_json_read_bound(
    const char *text, size_t n_bytes, const struct berth_bindings *bindings,
    const struct berth_allocator *allocator, struct berth_problem **out_problem, struct berth_error *err) {
  return read_problem(text, n_bytes, bindings, false, allocator, out_problem, err);
}

enum berth_code berth_json_read_without_inplace(
    const char *text, size_t n_bytes, const struct berth_bindings *bindings,
    const struct berth_allocator *allocator, struct berth_problem **out_problem, struct berth_error *err) {
  return read_problem(text, n_bytes, bindings, true, allocator, out_problem, err);
}
