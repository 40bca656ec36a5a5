/* What the parts of the reader share. A reader that has failed does nothing more: its first error stays. */
#ifndef JSON_READER_H
#define JSON_READER_H

#include "berth/problem.h"
#include "json/names.h"
#include "json/scan.h"

enum { BERTH_JSON_MAX_KEYS = 24 };

/* Memory that only grows, for lists and texts of one item. */
struct berth_json_block {
  void *items;
  size_t n_bytes;
};

/* $.list[index].field[entry].part[place]; NULL and BERTH_NO_INDEX for what there is not. */
struct berth_json_path {
  const char *list;
  uint32_t index;
  const char *field;
  uint32_t entry;
  const char *part;
  uint32_t place;
};

enum berth_json_list {
  BERTH_JSON_POOLS = 0,
  BERTH_JSON_BUFFERS,
  BERTH_JSON_VALUES,
  BERTH_JSON_OPERATORS,
  BERTH_JSON_CONFLICTS,
  BERTH_JSON_REGIONS,
  BERTH_JSON_SYNCS,
  BERTH_JSON_SYMBOLS,
  BERTH_JSON_GROUPS,
  BERTH_JSON_PARTS,
  BERTH_JSON_N_LISTS
};

struct berth_json_listed {
  const char *array; /* NULL if the document has none */
  uint32_t n;
  struct berth_json_names names;
};

struct berth_json_reader {
  const char *text;
  const char *root;
  const struct berth_allocator *allocator;
  struct berth_problem_builder *builder;
  struct berth_error *err;
  enum berth_code code;
  const char *within; /* the path of the part that this document is, as "parts[1].problem"; NULL: the whole */
  bool is_tolerant;   /* unknown members are left alone, and null is as good as nothing */
  struct berth_json_path path;
  struct berth_json_listed lists[BERTH_JSON_N_LISTS];
  struct berth_json_block word;
  struct berth_json_block id;
  struct berth_json_block inputs;
  struct berth_json_block outputs;
  struct berth_json_block pools;
  struct berth_json_block waits;
  struct berth_json_block pairs;                        /* gaps, permissions */
  struct berth_json_block shapes[BERTH_N_SIZED_FIELDS]; /* dimensions */
};

/* An object of the document: where the value of each key lies, NULL if it is not there. */
struct berth_json_object {
  struct berth_json_reader *reader;
  const char *begin;
  const char *const *keys;
  unsigned n_keys;
  const char *at[BERTH_JSON_MAX_KEYS];
};

/* Checks the syntax, and starts a builder. After an error there is nothing to end. */
enum berth_code berth_json_reader_begin(
    struct berth_json_reader *out_reader, const char *text, size_t n_bytes,
    const struct berth_allocator *allocator, struct berth_error *err) BERTH_MUST_USE;
void berth_json_reader_end(struct berth_json_reader *reader);

void berth_json_refuse(
    struct berth_json_reader *reader, const char *at, enum berth_reason reason, const char *format, ...)
    BERTH_PRINTF(4, 5);
void berth_json_out_of_memory(struct berth_json_reader *reader);
/* What the builder said about the object. */
void berth_json_heed(struct berth_json_object *object, enum berth_code code);
/* What it said about the whole. */
void berth_json_heed_finish(struct berth_json_reader *reader, enum berth_code code);

/* An error of anything else, in *reader->err, about the value at `at`, by the path as it is. */
void berth_json_relay(struct berth_json_reader *reader, const char *at, enum berth_code code);

/* Room for n items, which keep their values. NULL if memory ran out, which the reader then says. */
void *
berth_json_room(struct berth_json_reader *reader, struct berth_json_block *block, size_t n, size_t item_size);

void berth_json_give_back(struct berth_json_reader *reader, struct berth_json_block *block);

/* The path must be that of the object, without a field (or part); it is so again afterwards. */
bool berth_json_open_object(
    struct berth_json_reader *reader, const char *at, const char *const *keys, unsigned n_keys,
    struct berth_json_object *out_object);
/* What the lists' objects may say. */
extern const char *const BERTH_JSON_POOL_KEYS[];
extern const char *const BERTH_JSON_BUFFER_KEYS[];
extern const char *const BERTH_JSON_VALUE_KEYS[];
extern const char *const BERTH_JSON_OPERATOR_KEYS[];
extern const char *const BERTH_JSON_REGION_KEYS[];
extern const char *const BERTH_JSON_SYNC_KEYS[];
extern const char *const BERTH_JSON_SYMBOL_KEYS[];
extern const char *const BERTH_JSON_GROUP_KEYS[];
enum {
  BERTH_JSON_N_POOL_KEYS = 9,
  BERTH_JSON_N_BUFFER_KEYS = 13,
  BERTH_JSON_N_VALUE_KEYS = 17,
  BERTH_JSON_N_OPERATOR_KEYS = 8,
  BERTH_JSON_N_REGION_KEYS = 6,
  BERTH_JSON_N_SYNC_KEYS = 2,
  BERTH_JSON_N_SYMBOL_KEYS = 3,
  BERTH_JSON_N_GROUP_KEYS = 2
};

/* Each reads the value of one key if it is there, and leaves `out` alone otherwise. */
void berth_json_take_u64(struct berth_json_object *object, unsigned key, uint64_t *out);
void berth_json_take_u32(struct berth_json_object *object, unsigned key, uint32_t *out);
void berth_json_take_pin(struct berth_json_object *object, unsigned key, uint64_t *out);
/* A size: a number into `out_bytes`, or an expression into `out_shape`, which *out_by then points to. */
void berth_json_take_size(
    struct berth_json_object *object, unsigned key, enum berth_sized_field field, uint64_t *out_bytes,
    struct berth_shape *out_shape, const struct berth_shape **out_by);
/* "shape" and "bits" or "type" in the place of "size"; one of the two must be there. */
struct berth_json_shape_keys {
  unsigned size;
  unsigned shape;
  unsigned bits;
  unsigned type;
};
void berth_json_take_shape(
    struct berth_json_object *object, const struct berth_json_shape_keys *keys, uint64_t *out_bytes,
    struct berth_shape *out_shape, const struct berth_shape **out_by);
void berth_json_take_i64(struct berth_json_object *object, unsigned key, int64_t *out);
void berth_json_take_bool(struct berth_json_object *object, unsigned key, bool *out);
void berth_json_take_id(struct berth_json_object *object, unsigned key, struct berth_text *out);
/* The place of a word among n_words that `word_of` gives. */
void berth_json_take_word(
    struct berth_json_object *object, unsigned key, const char *(*word_of)(unsigned), unsigned n_words,
    unsigned *out);
void berth_json_take_reference(
    struct berth_json_object *object, unsigned key, enum berth_json_list list, uint32_t *out);
void berth_json_take_references(
    struct berth_json_object *object, unsigned key, enum berth_json_list list, struct berth_json_block *block,
    const uint32_t **out_items, uint32_t *out_n);
void berth_json_take_gaps(struct berth_json_object *object, unsigned key, struct berth_buffer_spec *spec);
void berth_json_require(struct berth_json_object *object, unsigned key);

/* The value at `at`, by the path as it is. */
bool berth_json_read_u64(struct berth_json_reader *reader, const char *at, uint64_t *out);
bool berth_json_read_i64(struct berth_json_reader *reader, const char *at, int64_t *out);
bool berth_json_read_reference(
    struct berth_json_reader *reader, const char *at, enum berth_json_list list, uint32_t *out);
/* A string's text, decoded into `block`. */
struct berth_text
berth_json_text_of(struct berth_json_reader *reader, const char *string, struct berth_json_block *block);
/* False, and an error, if it is no array. */
bool berth_json_is_array(struct berth_json_reader *reader, const char *at, const char *of_what);

/* Calls `read` for each element of a list, by its path. */
void berth_json_each(
    struct berth_json_reader *reader, enum berth_json_list list, const char *word,
    void (*read)(struct berth_json_reader *reader, const char *at));

/* The expression in a string ("4 * n + ceil(m / 2)"), added to the builder. An error is at its place in it.
 */
bool berth_json_read_expression(
    struct berth_json_reader *reader, const char *string, uint32_t *out_expression);
/* The index of a symbol, BERTH_NO_INDEX if there is none of this name. */
uint32_t berth_json_find_symbol(struct berth_json_reader *reader, struct berth_text name);
/* A dimension: a number, an expression, or null for one that is unknown. */
bool berth_json_read_dimension(struct berth_json_reader *reader, const char *at, uint32_t *out_expression);

/* "none", "may_use", "must_use". */
const char *berth_json_donation_name(unsigned donation);
/* "contiguous", "shared". */
const char *berth_json_group_name(unsigned kind);
/* "loop", "choice", "branch", "call". */
const char *berth_json_region_name(unsigned kind);
/* "mixed", "front", "only". */
const char *berth_json_persistence_name(unsigned persistence);

void berth_json_read_symbols(struct berth_json_reader *reader);
void berth_json_read_pools(struct berth_json_reader *reader);
void berth_json_read_buffers(struct berth_json_reader *reader);
void berth_json_read_conflicts(struct berth_json_reader *reader);
void berth_json_read_values(struct berth_json_reader *reader);
void berth_json_read_operators(struct berth_json_reader *reader);
void berth_json_read_regions(struct berth_json_reader *reader);
void berth_json_read_syncs(struct berth_json_reader *reader);
void berth_json_read_groups(struct berth_json_reader *reader);

/* How a document is read: symbols bound as far as a part has them, results in place refused. */
struct berth_json_terms {
  const struct berth_bindings *bindings; /* or NULL */
  bool forbid_inplace;
};
/* The object at the reader's root. */
void berth_json_read_document(
    struct berth_json_reader *reader, const struct berth_json_terms *terms,
    struct berth_problem **out_problem);
/* One that has parts; NULL for what it does not say. */
void berth_json_read_parts(
    struct berth_json_reader *reader, const struct berth_json_terms *terms, const char *together,
    const char *shared, struct berth_problem **out_problem);

#endif
