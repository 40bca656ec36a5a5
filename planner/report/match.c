#include <string.h>

#include "base/arena.h"
#include "base/merge.h"
#include "berth/report.h"
#include "report/items.h"

/* What a buffer is found by. */
struct key {
  struct berth_text id;
  bool is_workspace;
  uint32_t number; /* of one without an id, among those */
};

static int compare_keys(const struct key *x, const struct key *y) {
  if (x->is_workspace != y->is_workspace) {
    return x->is_workspace ? 1 : -1;
  }
  uint32_t n = x->id.size < y->id.size ? x->id.size : y->id.size;
  int order = n != 0 ? memcmp(x->id.data, y->id.data, n) : 0;
  order = order != 0 ? order : (x->id.size > y->id.size) - (x->id.size < y->id.size);
  return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static int compare_buffers(const void *ctx, uint32_t a, uint32_t b) {
  const struct key *keys = ctx;
  return compare_keys(&keys[a], &keys[b]);
}

struct sorted {
  uint32_t n;
  struct key *keys;  /* of each buffer */
  uint32_t *buffers; /* by key */
};

static bool
sort_side(const struct berth_report_side *side, struct berth_arena *arena, struct sorted *out_sorted) {
  const struct berth_buffers *buffers = berth_problem_buffers(side->problem);
  struct key *keys = berth_arena_new(arena, struct key, buffers->n);
  uint32_t *items = berth_arena_new(arena, uint32_t, buffers->n);
  uint32_t *scratch = berth_arena_new(arena, uint32_t, buffers->n);
  if (keys == NULL || items == NULL || scratch == NULL) {
    return false;
  }
  uint32_t n_unnamed = 0;
  for (uint32_t i = 0; i < buffers->n; i++) {
    struct berth_text id = side->id != NULL ? side->id[i] : berth_problem_buffer_id(side->problem, i);
    keys[i] = (struct key){
        .id = id,
        .is_workspace = buffers->class_[i] == BERTH_CLASS_WORKSPACE,
        .number = id.size == 0 ? n_unnamed++ : 0};
    items[i] = i;
  }
  berth_merge_sort(items, scratch, buffers->n, keys, compare_buffers);
  *out_sorted = (struct sorted){.n = buffers->n, .keys = keys, .buffers = items};
  return true;
}

static void merge(const struct sorted *a, const struct sorted *b, uint32_t *matches) {
  uint32_t j = 0;
  for (uint32_t i = 0; i < a->n; i++) {
    const struct key *key = &a->keys[a->buffers[i]];
    while (j < b->n && compare_keys(&b->keys[b->buffers[j]], key) < 0) {
      j++;
    }
    bool is_found = j < b->n && compare_keys(&b->keys[b->buffers[j]], key) == 0;
    matches[a->buffers[i]] = is_found ? b->buffers[j++] : BERTH_NO_INDEX;
  }
}

enum berth_code berth_report_match(
    const struct berth_report_side *a, const struct berth_report_side *b,
    const struct berth_allocator *allocator, uint32_t **out_matches, struct berth_error *err) {
  uint32_t *matches = berth_report_items(allocator, berth_problem_buffers(a->problem)->n, sizeof *matches);
  struct berth_arena arena;
  struct sorted sorted[2];
  berth_arena_init(&arena, allocator);
  bool is_done = matches != NULL && sort_side(a, &arena, &sorted[0]) && sort_side(b, &arena, &sorted[1]);
  if (is_done) {
    merge(&sorted[0], &sorted[1], matches);
  }
  berth_arena_finish(&arena);
  if (!is_done) {
    berth_report_free(allocator, matches);
    return berth_fail_memory(err);
  }
  *out_matches = matches;
  return BERTH_OK;
}
