/* The document's members may come in any order; they are read in that of the builder. */
#include "json/problem.h"

#include <string.h>

#include "json/reader.h"

static const char *const ROOT_KEYS[] = {"$schema",        "version", "pools",     "buffers",
                                        "conflicts",      "values",  "operators", "regions",
                                        "forbid_inplace", "symbols", "groups"};
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
  N_ROOT_KEYS
};

/* The key of each list. */
static const unsigned LIST_KEY[BERTH_JSON_N_LISTS] = {POOLS,     BUFFERS, VALUES,  OPERATORS,
                                                      CONFLICTS, REGIONS, SYMBOLS, GROUPS};

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
  static const unsigned GRAPH_KEYS[] = {VALUES, OPERATORS, REGIONS, FORBID_INPLACE};
  for (unsigned i = 0; is_buffers && i < 4; i++) {
    const char *at = root->at[GRAPH_KEYS[i]];
    if (at != NULL) {
      root->reader->path.list = ROOT_KEYS[GRAPH_KEYS[i]];
      berth_json_refuse(
          root->reader, at, BERTH_REASON_MALFORMED,
          "a problem is stated as buffers or as a graph, never both");
    }
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

static void
read_root(struct berth_json_reader *reader, bool forbid_inplace, struct berth_problem **out_problem) {
  struct berth_json_object root;
  if (!berth_json_open_object(reader, reader->root, ROOT_KEYS, N_ROOT_KEYS, &root)) {
    return;
  }
  check_version(&root);
  check_form(&root);
  for (unsigned i = 0; i < BERTH_JSON_N_LISTS; i++) {
    find_list(reader, (enum berth_json_list)i, root.at[LIST_KEY[i]]);
  }
  bool says_so = false;
  berth_json_take_bool(&root, FORBID_INPLACE, &says_so);
  if (forbid_inplace || says_so) {
    berth_problem_builder_forbid_inplace(reader->builder);
  }
  berth_json_read_symbols(reader);
  berth_json_read_pools(reader);
  berth_json_read_buffers(reader);
  berth_json_read_conflicts(reader);
  berth_json_read_values(reader);
  berth_json_read_operators(reader);
  berth_json_read_regions(reader);
  berth_json_read_groups(reader);
  if (reader->code == BERTH_OK) {
    berth_json_heed_finish(reader, berth_problem_builder_finish(reader->builder, out_problem, reader->err));
  }
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
  if (bindings != NULL) {
    berth_json_heed_finish(&reader, berth_problem_builder_bind(reader.builder, bindings, reader.err));
  }
  read_root(&reader, forbid_inplace, out_problem);
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
