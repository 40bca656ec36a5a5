#include "peers.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sample.h"

static const char *const NAMES[PEER_N] = {
    [PEER_GREEDY_BY_SIZE] = "greedy by size", [PEER_XLA_SPATIAL] = "XLA spatial",
    [PEER_XLA_TEMPORAL] = "XLA temporal",     [PEER_TFLITE] = "TFLite",
    [PEER_FIRST_FIT] = "first fit by start",
};

const char *peer_name(enum peer peer) {
  return NAMES[peer];
}

/* ---- Orders ---- */

struct ranked {
  uint64_t keys[3]; /* the first decides; smaller first */
  uint32_t buffer;
};

static int compare_ranked(const void *a, const void *b) {
  const struct ranked *x = a;
  const struct ranked *y = b;
  for (int k = 0; k < 3; k++) {
    if (x->keys[k] != y->keys[k]) {
      return x->keys[k] < y->keys[k] ? -1 : 1;
    }
  }
  return x->buffer < y->buffer ? -1 : 1;
}

static struct ranked
rank(enum peer peer, const struct peer_problem *problem, uint32_t i, int64_t from, int64_t to) {
  const struct peer_buffer *buffer = &problem->buffers[i];
  uint64_t largest = ~buffer->size;
  uint64_t longest = ~(uint64_t)(buffer->upper - buffer->lower);
  uint64_t earliest = (uint64_t)(buffer->lower - from);
  switch (peer) {
  case PEER_GREEDY_BY_SIZE:
    return (struct ranked){{largest, longest}, i};
  case PEER_XLA_TEMPORAL:
    return (struct ranked){{longest, largest}, i};
  case PEER_TFLITE:
    return (struct ranked){{buffer->lower != from || buffer->upper != to, largest, earliest}, i};
  case PEER_FIRST_FIT:
    return (struct ranked){{earliest, largest}, i};
  case PEER_XLA_SPATIAL:
  case PEER_N:
    break;
  }
  return (struct ranked){{largest}, i};
}

static struct ranked *rank_all(enum peer peer, const struct peer_problem *problem) {
  struct ranked *ranked = calloc(problem->n + 1, sizeof *ranked);
  SAMPLE_REQUIRE(ranked != NULL, "out of memory\n");
  int64_t from = INT64_MAX;
  int64_t to = INT64_MIN;
  for (uint32_t i = 0; i < problem->n; i++) {
    from = problem->buffers[i].lower < from ? problem->buffers[i].lower : from;
    to = problem->buffers[i].upper > to ? problem->buffers[i].upper : to;
  }
  for (uint32_t i = 0; i < problem->n; i++) {
    ranked[i] = rank(peer, problem, i, from, to);
  }
  qsort(ranked, problem->n, sizeof *ranked, compare_ranked);
  return ranked;
}

/* ---- Placing ---- */

struct taken {
  uint64_t begin;
  uint64_t end;
};

struct placing {
  const struct peer_problem *problem;
  uint64_t *offset;
  bool *is_placed;
  bool *is_partner; /* of the buffer that is placed now */
  struct taken *taken;
};

static int compare_taken(const void *a, const void *b) {
  const struct taken *x = a;
  const struct taken *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static void mark_partners(struct placing *placing, uint32_t i, bool is_partner) {
  const struct peer_problem *problem = placing->problem;
  for (uint32_t k = 0; k < problem->n_pairs; k++) {
    if (problem->pairs[k][0] == i || problem->pairs[k][1] == i) {
      placing->is_partner[problem->pairs[k][problem->pairs[k][0] == i]] = is_partner;
    }
  }
}

static uint32_t list_taken(struct placing *placing, uint32_t i) {
  const struct peer_buffer *buffers = placing->problem->buffers;
  uint32_t n = 0;
  mark_partners(placing, i, true);
  for (uint32_t j = 0; j < placing->problem->n; j++) {
    bool meet = buffers[i].lower < buffers[j].upper && buffers[j].lower < buffers[i].upper;
    if (placing->is_placed[j] && buffers[j].size > 0 && (meet || placing->is_partner[j])) {
      placing->taken[n++] = (struct taken){placing->offset[j], placing->offset[j] + buffers[j].size};
    }
  }
  mark_partners(placing, i, false);
  qsort(placing->taken, n, sizeof *placing->taken, compare_taken);
  return n;
}

static uint64_t align(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/* The lowest gap that it fits in, or the smallest; above all if there is none. */
static uint64_t find(struct placing *placing, uint32_t i, bool is_tight) {
  const struct peer_buffer *buffer = &placing->problem->buffers[i];
  uint32_t n = list_taken(placing, i);
  uint64_t best = UINT64_MAX;
  uint64_t best_gap = UINT64_MAX;
  uint64_t end = 0; /* of what lies below */
  for (uint32_t k = 0; k < n; k++) {
    uint64_t begin = align(end, buffer->alignment);
    if (begin + buffer->size <= placing->taken[k].begin && placing->taken[k].begin - end < best_gap) {
      best = begin;
      best_gap = placing->taken[k].begin - end;
      if (!is_tight) {
        return best;
      }
    }
    end = placing->taken[k].end > end ? placing->taken[k].end : end;
  }
  return best != UINT64_MAX ? best : align(end, buffer->alignment);
}

uint64_t peer_arena(enum peer peer, const struct peer_problem *problem) {
  struct ranked *ranked = rank_all(peer, problem);
  struct placing placing = {
      .problem = problem,
      .offset = calloc(problem->n + 1, sizeof *placing.offset),
      .is_placed = calloc(problem->n + 1, sizeof *placing.is_placed),
      .is_partner = calloc(problem->n + 1, sizeof *placing.is_partner),
      .taken = calloc(problem->n + 1, sizeof *placing.taken)};
  SAMPLE_REQUIRE(
      placing.offset != NULL && placing.is_placed != NULL && placing.is_partner != NULL &&
          placing.taken != NULL,
      "out of memory\n");
  bool is_tight = peer != PEER_GREEDY_BY_SIZE && peer != PEER_FIRST_FIT;
  uint64_t top = 0;
  for (uint32_t k = 0; k < problem->n; k++) {
    uint32_t i = ranked[k].buffer;
    placing.offset[i] = find(&placing, i, is_tight);
    placing.is_placed[i] = true;
    uint64_t end = placing.offset[i] + problem->buffers[i].size;
    top = problem->buffers[i].size > 0 && end > top ? end : top;
  }
  free(placing.taken);
  free(placing.is_partner);
  free(placing.is_placed);
  free(placing.offset);
  free(ranked);
  return top;
}
