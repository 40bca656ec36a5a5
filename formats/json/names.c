/* Sorted, and not hashed: no choice of ids makes a search slow. */
#include "json/names.h"

#include <stdlib.h>
#include <string.h>

#include "json/scan.h"

static int compare_text(struct berth_text a, struct berth_text b) {
  uint32_t n = a.size < b.size ? a.size : b.size;
  int order = n != 0 ? memcmp(a.data, b.data, n) : 0;
  return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int compare_names(const void *a, const void *b) {
  const struct berth_json_name *x = a;
  const struct berth_json_name *y = b;
  int order = compare_text(x->text, y->text);
  return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

/* The string behind `key`, or NULL. */
static const char *find_id(const char *object, const char *key) {
  if (*object != '{') {
    return NULL;
  }
  struct berth_json_iterator members = berth_json_scan_enter(object);
  const char *name;
  const char *value;
  while (berth_json_scan_next(&members, &name, &value)) {
    if (berth_json_scan_is(name, key)) {
      return *value == '"' ? value : NULL;
    }
  }
  return NULL;
}

static bool has_escape(const char *string, const char *after) {
  return memchr(string, '\\', (size_t)(after - string)) != NULL;
}

static void measure(const char *array, const char *key, size_t *out_n, size_t *out_n_decoded) {
  struct berth_json_iterator elements = berth_json_scan_enter(array);
  const char *name;
  const char *element;
  *out_n = *out_n_decoded = 0;
  while (berth_json_scan_next(&elements, &name, &element)) {
    const char *id = find_id(element, key);
    const char *after = id != NULL ? berth_json_scan_after(id) : NULL;
    *out_n += id != NULL;
    *out_n_decoded += id != NULL && has_escape(id, after) ? (size_t)(after - id) : 0;
  }
}

static void fill(struct berth_json_names *names, const char *array, const char *key) {
  struct berth_json_iterator elements = berth_json_scan_enter(array);
  const char *name;
  const char *element;
  char *decoded = names->decoded;
  for (uint32_t i = 0; berth_json_scan_next(&elements, &name, &element); i++) {
    const char *id = find_id(element, key);
    if (id == NULL) {
      continue;
    }
    const char *after = berth_json_scan_after(id);
    struct berth_text text = {.data = id + 1, .size = (uint32_t)(after - id - 2)};
    if (has_escape(id, after)) {
      text = (struct berth_text){.data = decoded, .size = (uint32_t)berth_json_scan_string(id, decoded)};
      decoded += text.size;
    }
    names->items[names->n++] = (struct berth_json_name){.text = text, .index = i};
  }
}

bool berth_json_names_make(
    struct berth_json_names *names, const char *array, const char *key,
    const struct berth_allocator *allocator) {
  measure(array, key, &names->capacity, &names->n_decoded);
  if (names->capacity != 0) {
    names->items = allocator->resize(allocator->ctx, NULL, 0, names->capacity * sizeof *names->items);
  }
  if (names->n_decoded != 0) {
    names->decoded = allocator->resize(allocator->ctx, NULL, 0, names->n_decoded);
  }
  if ((names->capacity != 0 && names->items == NULL) || (names->n_decoded != 0 && names->decoded == NULL)) {
    berth_json_names_finish(names, allocator);
    return false;
  }
  if (names->capacity != 0) {
    fill(names, array, key);
    qsort(names->items, names->n, sizeof *names->items, compare_names);
  }
  names->is_made = true;
  return true;
}

void berth_json_names_finish(struct berth_json_names *names, const struct berth_allocator *allocator) {
  if (names->items != NULL) {
    allocator->resize(allocator->ctx, names->items, names->capacity * sizeof *names->items, 0);
  }
  if (names->decoded != NULL) {
    allocator->resize(allocator->ctx, names->decoded, names->n_decoded, 0);
  }
  *names = (struct berth_json_names){.n = 0};
}

uint32_t berth_json_names_find(const struct berth_json_names *names, struct berth_text text) {
  size_t lower = 0;
  size_t upper = names->n;
  while (lower < upper) {
    size_t middle = lower + (upper - lower) / 2;
    int order = compare_text(names->items[middle].text, text);
    if (order == 0) {
      return names->items[middle].index;
    }
    lower = order < 0 ? middle + 1 : lower;
    upper = order < 0 ? upper : middle;
  }
  return BERTH_NO_INDEX;
}
