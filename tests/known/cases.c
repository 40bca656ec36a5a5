#include "cases.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static uint64_t number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  ck_assert_msg(json_is_integer(value) && json_integer_value(value) >= 0, "%s is not a number", key);
  return (uint64_t)json_integer_value(value);
}

/* The index of the buffer of this name: objects keep the order of the file. */
static uint32_t find(json_t *buffers, const char *name) {
  const char *key;
  json_t *value;
  uint32_t i = 0;
  json_object_foreach(buffers, key, value) {
    if (strcmp(key, name) == 0) {
      return i;
    }
    i++;
  }
  ck_abort_msg("no buffer is called %s", name);
  return 0;
}

static void read_buffers(json_t *buffers, struct sample *sample) {
  const char *key;
  json_t *value;
  ck_assert_uint_le(json_object_size(buffers), CASE_MAX_BUFFERS);
  json_object_foreach(buffers, key, value) {
    struct sample_buffer *buffer = sample_add(
        sample, number(value, "size"), (int64_t)number(value, "first"), (int64_t)number(value, "last") + 1);
    buffer->spec.alignment = number(value, "align");
  }
}

static void read_pins(json_t *pins, json_t *buffers, struct sample *sample) {
  const char *key;
  json_t *value;
  json_object_foreach(pins, key, value) {
    sample->buffers[find(buffers, key)].spec.pinned_offset = (uint64_t)json_integer_value(value);
  }
}

static void read_windows(json_t *windows, json_t *buffers, struct sample *sample) {
  const char *key;
  json_t *list;
  json_object_foreach(windows, key, list) {
    size_t k;
    json_t *item;
    json_array_foreach(list, k, item) {
      sample_add_gap(
          &sample->buffers[find(buffers, key)], (int64_t)number(item, "first"),
          (int64_t)number(item, "last") + 1, number(item, "lo"), number(item, "hi"));
    }
  }
}

static uint32_t read_pairs(json_t *list, json_t *buffers, uint32_t (*pairs)[2]) {
  size_t k;
  json_t *pair;
  json_array_foreach(list, k, pair) {
    ck_assert_uint_lt(k, CASE_MAX_PAIRS);
    for (size_t side = 0; side < 2; side++) {
      pairs[k][side] = find(buffers, json_string_value(json_array_get(pair, side)));
    }
  }
  return (uint32_t)json_array_size(list);
}

static void read_case(json_t *item, struct known_case *known) {
  const char *id = json_string_value(json_object_get(item, "id"));
  json_t *buffers = json_object_get(item, "buffers");
  ck_assert(id != NULL && strlen(id) < sizeof known->id);
  *known =
      (struct known_case){.lower_bound = number(item, "lower_bound"), .optimum = number(item, "optimum")};
  memcpy(known->id, id, strlen(id) + 1);
  sample_init(&known->sample);
  read_buffers(buffers, &known->sample);
  read_pins(json_object_get(item, "pins"), buffers, &known->sample);
  read_windows(json_object_get(item, "live_windows"), buffers, &known->sample);
  known->n_in_place = read_pairs(json_object_get(item, "inplace_permitted"), buffers, known->in_place);
  uint32_t conflicts[CASE_MAX_PAIRS][2];
  uint32_t n_conflicts = read_pairs(json_object_get(item, "extra_conflicts"), buffers, conflicts);
  for (uint32_t k = 0; k < n_conflicts; k++) {
    sample_add_conflict(&known->sample, conflicts[k][0], conflicts[k][1]);
  }
  const char *key;
  json_t *value;
  json_object_foreach(json_object_get(item, "a_plan"), key, value) {
    known->plan[find(buffers, key)] = (uint64_t)json_integer_value(value);
  }
  known->has_wrong_arena = json_object_get(item, "known_wrong_arena") != NULL;
  known->wrong_arena = known->has_wrong_arena ? number(item, "known_wrong_arena") : 0;
}

struct known_case *known_cases_load(uint32_t *out_n) {
  json_error_t error;
  json_t *root = json_load_file("tests/data/known-answers.json", 0, &error);
  ck_assert_msg(root != NULL, "%s at line %d", error.text, error.line);
  *out_n = (uint32_t)json_array_size(root);
  struct known_case *cases = calloc(*out_n, sizeof *cases);
  ck_assert_ptr_nonnull(cases);
  size_t k;
  json_t *item;
  json_array_foreach(root, k, item) {
    read_case(item, &cases[k]);
  }
  json_decref(root);
  return cases;
}

void known_cases_free(struct known_case *cases, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    sample_finish(&cases[k].sample);
  }
  free(cases);
}
