/* The ids of one list of objects, for references by id. */
#ifndef JSON_NAMES_H
#define JSON_NAMES_H

#include "berth/problem.h"

struct berth_json_name {
  struct berth_text text;
  uint32_t index;
};

struct berth_json_names {
  bool is_made;
  struct berth_json_name *items; /* by text */
  size_t n;
  size_t capacity;
  char *decoded; /* of ids with escapes; the others lie in the document */
  size_t n_decoded;
};

/* Of each object in the array, the text behind `key`, where it has one. False if memory ran out. */
bool berth_json_names_make(
    struct berth_json_names *names, const char *array, const char *key,
    const struct berth_allocator *allocator);
void berth_json_names_finish(struct berth_json_names *names, const struct berth_allocator *allocator);

/* BERTH_NO_INDEX if there is none. */
uint32_t berth_json_names_find(const struct berth_json_names *names, struct berth_text text);

#endif
