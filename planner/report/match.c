#include "report/match.h"

#include <string.h>

#include "base/merge.h"
#include "report/items.h"

static int compare_keys(const struct berth_match_key *x, const struct berth_match_key *y) {
  if (x->is_workspace != y->is_workspace) {
    return x->is_workspace ? 1 : -1;
  }
  uint32_t n = x->id.size < y->id.size ? x->id.size : y->id.size;
  int order = n != 0 ? memcmp(x->id.data, y->id.data, n) : 0;
  order = order != 0 ? order : (x->id.size > y->id.size) - (x->id.size < y->id.size);
  return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static int compare_items(const void *ctx, uint32_t a, uint32_t b) {
  const struct berth_match_key *keys = ctx;
  return compare_keys(&keys[a], &keys[b]);
}

/* The indices by key; NULL if memory ran out. */
static uint32_t *sort_keys(struct berth_match_key *keys, uint32_t n, struct berth_arena *arena) {
  uint32_t *items = berth_arena_new(arena, uint32_t, n);
  uint32_t *scratch = berth_arena_new(arena, uint32_t, n);
  if (items == NULL || scratch == NULL) {
    return NULL;
  }
  uint32_t n_unnamed = 0;
  for (uint32_t i = 0; i < n; i++) {
    keys[i].number = keys[i].id.size == 0 ? n_unnamed++ : 0;
    items[i] = i;
  }
  berth_merge_sort(items, scratch, n, keys, compare_items);
  return items;
}

bool berth_match(
    struct berth_match_key *a, uint32_t n_a, struct berth_match_key *b, uint32_t n_b,
    struct berth_arena *arena, uint32_t *out_matches) {
  const uint32_t *sorted_a = sort_keys(a, n_a, arena);
  const uint32_t *sorted_b = sort_keys(b, n_b, arena);
  if (sorted_a == NULL || sorted_b == NULL) {
    return false;
  }
  uint32_t j = 0;
  for (uint32_t i = 0; i < n_a; i++) {
    const struct berth_match_key *key = &a[sorted_a[i]];
    while (j < n_b && compare_keys(&b[sorted_b[j]], key) < 0) {
      j++;
    }
    bool is_found = j < n_b && compare_keys(&b[sorted_b[j]], key) == 0;
    out_matches[sorted_a[i]] = is_found ? sorted_b[j++] : BERTH_NO_INDEX;
  }
  return true;
}

struct berth_match_key *berth_match_keys(const struct berth_report_side *side, struct berth_arena *arena) {
  const struct berth_buffers *buffers = berth_problem_buffers(side->problem);
  struct berth_match_key *keys = berth_arena_new(arena, struct berth_match_key, buffers->n);
  for (uint32_t i = 0; keys != NULL && i < buffers->n; i++) {
    keys[i] = (struct berth_match_key){
        .id = side->id != NULL ? side->id[i] : berth_problem_buffer_id(side->problem, i),
        .is_workspace = buffers->class_[i] == BERTH_CLASS_WORKSPACE};
  }
  return keys;
}

enum berth_code berth_report_match(
    const struct berth_report_side *a, const struct berth_report_side *b,
    const struct berth_allocator *allocator, uint32_t **out_matches, struct berth_error *err) {
  uint32_t n_a = berth_problem_buffers(a->problem)->n;
  uint32_t n_b = berth_problem_buffers(b->problem)->n;
  uint32_t *matches = berth_report_items(allocator, n_a, sizeof *matches);
  struct berth_arena arena;
  berth_arena_init(&arena, allocator);
  struct berth_match_key *keys_a = berth_match_keys(a, &arena);
  struct berth_match_key *keys_b = berth_match_keys(b, &arena);
  bool is_done = matches != NULL && keys_a != NULL && keys_b != NULL &&
                 berth_match(keys_a, n_a, keys_b, n_b, &arena, matches);
  berth_arena_finish(&arena);
  if (!is_done) {
    berth_report_free(allocator, matches);
    return berth_fail_memory(err);
  }
  *out_matches = matches;
  return BERTH_OK;
}
