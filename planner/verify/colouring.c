#include "verify/colouring.h"

#include "verify/order.h"

static void blame(
    struct berth_verify_findings *findings, uint32_t a, uint32_t b, uint32_t slot, int64_t first_step,
    const char *why) {
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_FIGURES);
  violation.buffer_a = a < b ? a : b;
  violation.buffer_b = a < b ? b : a;
  violation.first_step = first_step;
  violation.end_step = first_step;
  berth_verify_blame(
      findings, &violation, "%s and %s are both in slot %u %s",
      berth_verify_name(findings, violation.buffer_a).text,
      berth_verify_name(findings, violation.buffer_b).text, slot, why);
}

/* Pieces ordered by slot and then by time: one that begins before the furthest end so far meets its owner.
 * Under a partial order, it must also be ordered after that owner: then all before it are. */
static void check_times(
    const struct berth_verify_facts *facts, const struct berth_verify_pieces *pieces,
    const struct berth_sort_item *order, const uint32_t *slot, struct berth_verify_findings *findings) {
  const struct berth_verify_piece *reach = NULL;
  for (uint32_t k = 0; k < pieces->n; k++) {
    const struct berth_verify_piece *piece = &pieces->items[order[k].index];
    bool same_slot = reach != NULL && slot[reach->buffer] == slot[piece->buffer];
    bool same_buffer = reach != NULL && reach->buffer == piece->buffer;
    if (same_slot && !same_buffer && piece->lower < reach->upper) {
      blame(findings, reach->buffer, piece->buffer, slot[piece->buffer], piece->lower, "while both are live");
    } else if (
        same_slot && facts->order != NULL && !same_buffer &&
        !berth_verify_may_follow(facts->order, reach->buffer, piece->buffer)) {
      blame(findings, reach->buffer, piece->buffer, slot[piece->buffer], piece->lower, "and are not ordered");
    }
    if (!same_slot || piece->upper > reach->upper) {
      reach = piece;
    }
  }
}

static void check_conflicts(
    const struct berth_verify_facts *facts, const uint32_t *slot, struct berth_verify_findings *findings) {
  for (uint32_t k = 0; k < facts->n_conflicts; k++) {
    uint32_t a = facts->conflicts[k][0];
    uint32_t b = facts->conflicts[k][1];
    if (slot[a] == slot[b] && facts->size[a] > 0 && facts->size[b] > 0) {
      blame(findings, a, b, slot[a], facts->lower[a], "although they must not share");
    }
  }
}

/* Buffers ordered by slot. */
static uint64_t
sum_slots(const struct berth_verify_facts *facts, const struct berth_sort_item *order, const uint32_t *slot) {
  uint64_t sum = 0;
  uint64_t largest = 0;
  for (uint32_t k = 0; k < facts->n; k++) {
    if (k > 0 && slot[order[k].index] != slot[order[k - 1].index]) {
      sum += largest;
      largest = 0;
    }
    uint64_t size = facts->size[order[k].index];
    largest = size > largest ? size : largest;
  }
  return sum + largest;
}

enum berth_code berth_verify_colouring(
    const struct berth_verify_facts *facts, const struct berth_verify_pieces *pieces, const uint32_t *slot,
    struct berth_verify_findings *findings, struct berth_arena *arena, uint64_t *out_bytes,
    struct berth_error *err) {
  struct berth_arena_mark mark = berth_arena_mark(arena);
  uint32_t most = facts->n > pieces->n ? facts->n : pieces->n;
  struct berth_sort_item *order = berth_arena_new(arena, struct berth_sort_item, most);
  struct berth_sort_item *scratch = berth_arena_new(arena, struct berth_sort_item, most);
  if (order == NULL || scratch == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t p = 0; p < pieces->n; p++) {
    order[p] = (struct berth_sort_item){.key = berth_sort_key_i64(pieces->items[p].lower), .index = p};
  }
  berth_sort_items(order, scratch, pieces->n);
  for (uint32_t k = 0; k < pieces->n; k++) {
    order[k].key = slot[pieces->items[order[k].index].buffer];
  }
  berth_sort_items(order, scratch, pieces->n);
  check_times(facts, pieces, order, slot, findings);
  check_conflicts(facts, slot, findings);
  for (uint32_t i = 0; i < facts->n; i++) {
    order[i] = (struct berth_sort_item){.key = slot[i], .index = i};
  }
  berth_sort_items(order, scratch, facts->n);
  *out_bytes = sum_slots(facts, order, slot);
  berth_arena_rewind(arena, mark);
  return BERTH_OK;
}
