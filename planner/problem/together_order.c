/* From "may run at once" to time.
 *
 * Parts that may not run at once must be ordered one way or the other, so that the order's incomparable pairs
 * are exactly those that may: a transitive orientation of the other pairs, by implication classes (Golumbic,
 * Algorithmic Graph Theory and Perfect Graphs, chapter 5). Where there is none (five parts in a ring), or
 * where a total order keeps what clocks cannot say, all parts are laid one after another, and those that may
 * run at once are kept apart pair by pair. */
#include <string.h>

#include "problem/together.h"

/* Pairs of parts as a square of bytes. */
struct relation {
  uint32_t n;
  uint8_t *left;   /* pairs that have no direction yet, both ways */
  uint8_t *before; /* directions */
  uint32_t *queue; /* of directed pairs: 2 n^2 entries */
};

static uint8_t *at(const struct relation *relation, uint8_t *square, uint32_t a, uint32_t b) {
  return &square[(size_t)a * relation->n + b];
}

static void direct(struct relation *relation, uint32_t a, uint32_t b, size_t *n_queued) {
  if (*at(relation, relation->before, a, b) == 0) {
    *at(relation, relation->before, a, b) = 1;
    relation->queue[2 * *n_queued] = a;
    relation->queue[2 * *n_queued + 1] = b;
    ++*n_queued;
  }
}

/* Directs the pair, and all that must follow: where a -> b, and c has an undirected pair with a but none with
 * b, a -> c; likewise at the other end. */
static bool direct_class(struct relation *relation, uint32_t a, uint32_t b) {
  size_t n_queued = 0;
  direct(relation, a, b, &n_queued);
  for (size_t i = 0; i < n_queued; i++) {
    uint32_t from = relation->queue[2 * i];
    uint32_t to = relation->queue[2 * i + 1];
    if (*at(relation, relation->before, to, from) != 0) {
      return false;
    }
    for (uint32_t c = 0; c < relation->n; c++) {
      bool with_from = c != to && *at(relation, relation->left, from, c) != 0;
      bool with_to = c != from && *at(relation, relation->left, to, c) != 0;
      if (with_from && !with_to) {
        direct(relation, from, c, &n_queued);
      } else if (with_to && !with_from) {
        direct(relation, c, to, &n_queued);
      }
    }
  }
  for (size_t i = 0; i < n_queued; i++) {
    uint32_t from = relation->queue[2 * i];
    uint32_t to = relation->queue[2 * i + 1];
    *at(relation, relation->left, from, to) = *at(relation, relation->left, to, from) = 0;
  }
  return true;
}

static bool is_transitive(const struct relation *relation) {
  uint32_t n = relation->n;
  for (uint32_t a = 0; a < n; a++) {
    for (uint32_t b = 0; b < n; b++) {
      for (uint32_t c = 0; *at(relation, relation->before, a, b) != 0 && c < n; c++) {
        if (*at(relation, relation->before, b, c) != 0 && *at(relation, relation->before, a, c) == 0) {
          return false;
        }
      }
    }
  }
  return true;
}

static bool orient(struct relation *relation, const uint8_t *at_once) {
  uint32_t n = relation->n;
  for (uint32_t a = 0; a < n; a++) {
    for (uint32_t b = 0; b < n; b++) {
      *at(relation, relation->left, a, b) = a != b && at_once[(size_t)a * n + b] == 0;
    }
  }
  for (uint32_t a = 0; a < n; a++) {
    for (uint32_t b = a + 1; b < n; b++) {
      if (*at(relation, relation->left, a, b) != 0 && !direct_class(relation, a, b)) {
        return false;
      }
    }
  }
  return is_transitive(relation);
}

static void lay_in_a_row(struct relation *relation) {
  for (uint32_t a = 0; a < relation->n; a++) {
    for (uint32_t b = 0; b < relation->n; b++) {
      *at(relation, relation->before, a, b) = a < b;
    }
  }
}

/* ---- Lengths ---- */

static uint32_t components_of(const struct berth_together *together, uint32_t part) {
  uint32_t n = berth_problem_buffers(together->given->parts[part].problem)->n_clocks;
  return n != 0 ? n : 1;
}

static void measure(struct berth_together *together, uint32_t part) {
  const struct berth_problem *problem = together->given->parts[part].problem;
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  const struct berth_graph *graph = berth_problem_graph(problem);
  if (buffers->n_clocks != 0) {
    uint32_t length = 1;
    for (size_t i = 0; i < (size_t)buffers->n * buffers->n_clocks; i++) {
      length = buffers->clock_upper[i] > length ? buffers->clock_upper[i] : length;
    }
    together->order.first[part] = 0;
    together->order.length[part] = length;
    return;
  }
  int64_t first = graph != NULL || buffers->n == 0 ? 0 : buffers->lower[0];
  int64_t end = graph != NULL ? (int64_t)graph->n_operators : first;
  for (uint32_t i = 0; i < buffers->n; i++) {
    first = buffers->lower[i] < first ? buffers->lower[i] : first;
    end = buffers->upper[i] > end ? buffers->upper[i] : end;
  }
  together->order.first[part] = first;
  uint64_t length = (uint64_t)end - (uint64_t)first;
  together->order.length[part] = length != 0 ? length : 1;
}

/* ---- Clusters ---- */

/* Spreads from part to part that may not run at once. */
static bool find_clusters(struct berth_together *together) {
  struct berth_together_order *order = &together->order;
  uint32_t n = together->n;
  uint32_t *queue = berth_arena_new(together->arena, uint32_t, n);
  order->cluster = berth_arena_new(together->arena, uint32_t, n);
  if (queue == NULL || order->cluster == NULL) {
    return false;
  }
  memset(order->cluster, 0xff, n * sizeof *order->cluster);
  for (uint32_t first = 0; first < n; first++) {
    uint32_t n_queued = 0;
    if (order->cluster[first] != BERTH_NO_INDEX) {
      continue;
    }
    order->cluster[first] = order->n_clusters;
    queue[n_queued++] = first;
    for (uint32_t i = 0; i < n_queued; i++) {
      for (uint32_t other = 0; other < n; other++) {
        bool ordered = together->at_once[(size_t)queue[i] * n + other] == 0;
        if (ordered && order->cluster[other] == BERTH_NO_INDEX) {
          order->cluster[other] = order->n_clusters;
          queue[n_queued++] = other;
        }
      }
    }
    order->n_clusters++;
  }
  return true;
}

/* ---- Chains ---- */

/* Parts with fewer before them first: an order that the relation allows. */
static void sort_parts(const struct relation *relation, uint32_t *sorted) {
  uint32_t n = relation->n;
  uint32_t n_sorted = 0;
  for (uint32_t count = 0; count < n; count++) {
    for (uint32_t b = 0; b < n; b++) {
      uint32_t n_before = 0;
      for (uint32_t a = 0; a < n; a++) {
        n_before += *at(relation, relation->before, a, b);
      }
      if (n_before == count) {
        sorted[n_sorted++] = b;
      }
    }
  }
}

static bool take_chains(struct berth_together *together, uint32_t **out_sorted, uint32_t **out_last) {
  struct berth_arena *arena = together->arena;
  struct berth_together_order *order = &together->order;
  size_t n = together->n;
  order->chain = berth_arena_new(arena, uint32_t, n);
  order->component = berth_arena_new_zeroed(arena, uint32_t, n + 1);
  order->base = berth_arena_new(arena, uint64_t, n);
  order->length = berth_arena_new(arena, uint64_t, n);
  order->first = berth_arena_new(arena, int64_t, n);
  order->before = berth_arena_new_zeroed(arena, uint64_t, n * n);
  order->end = berth_arena_new_zeroed(arena, uint64_t, n);
  *out_sorted = berth_arena_new(arena, uint32_t, n);
  *out_last = berth_arena_new(arena, uint32_t, n);
  return order->chain != NULL && order->component != NULL && order->base != NULL && order->length != NULL &&
         order->first != NULL && order->before != NULL && order->end != NULL && *out_sorted != NULL &&
         *out_last != NULL;
}

/* Each part goes to the first chain whose last part comes before it. */
static void cut_into_chains(
    struct berth_together *together, const struct relation *relation, uint32_t *sorted, uint32_t *last) {
  struct berth_together_order *order = &together->order;
  order->n_chains = 0;
  sort_parts(relation, sorted);
  for (uint32_t k = 0; k < together->n; k++) {
    uint32_t part = sorted[k];
    uint32_t c = 0;
    while (c < order->n_chains && *at(relation, relation->before, last[c], part) == 0) {
      c++;
    }
    if (c == order->n_chains) {
      order->end[order->n_chains++] = 0;
    }
    order->chain[part] = c;
    last[c] = part;
    order->base[part] = order->end[c];
    order->end[c] += order->length[part];
  }
  for (uint32_t part = 0; part < together->n; part++) {
    for (uint32_t other = 0; other < together->n; other++) {
      uint64_t *over = &order->before[(size_t)part * together->n + order->chain[other]];
      uint64_t end = order->base[other] + order->length[other];
      if (*at(relation, relation->before, other, part) != 0 && end > *over) {
        *over = end;
      }
    }
  }
}

static void count_components(struct berth_together *together) {
  struct berth_together_order *order = &together->order;
  uint32_t n_all = 0;
  bool any_clocks = false;
  for (uint32_t c = 0; c < order->n_chains; c++) {
    uint32_t width = 1;
    for (uint32_t part = 0; part < together->n; part++) {
      uint32_t n = order->chain[part] == c ? components_of(together, part) : 0;
      width = n > width ? n : width;
      any_clocks |= berth_problem_buffers(together->given->parts[part].problem)->n_clocks != 0;
    }
    order->component[c] = n_all;
    n_all += width;
  }
  order->component[order->n_chains] = n_all;
  order->n_components = order->n_chains == 1 && !any_clocks ? 0 : n_all;
}

static enum berth_code check_ends(const struct berth_together *together) {
  const struct berth_together_order *order = &together->order;
  uint64_t most = order->n_components != 0 ? BERTH_MAX_CLOCK : (uint64_t)INT64_MAX - 1;
  uint64_t sum = 0;
  for (uint32_t part = 0; part < together->n; part++) {
    uint64_t length = order->length[part];
    if (length > most || (sum += length) > most) {
      return berth_fail(
          together->err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, part, "parts",
          "with the %llu steps of part %u, all parts have more than %llu", (unsigned long long)length, part,
          (unsigned long long)most);
    }
  }
  return BERTH_OK;
}

/* ---- What clocks cannot say ---- */

/* Pairs of buffers of parts that may run at once. */
static uint64_t count_pairs(const struct berth_together *together) {
  uint64_t n = 0;
  for (uint32_t a = 0; a < together->n; a++) {
    for (uint32_t b = a + 1; b < together->n; b++) {
      uint64_t n_a = berth_problem_buffers(together->given->parts[a].problem)->n;
      uint64_t n_b = berth_problem_buffers(together->given->parts[b].problem)->n;
      n += together->at_once[(size_t)a * together->n + b] != 0 ? n_a * n_b : 0;
    }
  }
  return n;
}

static bool any_streams(const struct berth_together *together) {
  bool any = false;
  for (uint32_t part = 0; part < together->n; part++) {
    any |= berth_problem_buffers(together->given->parts[part].problem)->n_clocks != 0;
  }
  return any;
}

static bool any_gaps(const struct berth_together *together) {
  bool any = false;
  for (uint32_t part = 0; part < together->n; part++) {
    any |= berth_problem_buffers(together->given->parts[part].problem)->gap_begin != NULL;
  }
  return any;
}

/* All in a row, with pairs, where that is what it takes, or keeps live windows, and there are few enough. */
static enum berth_code prefer_a_row(struct berth_together *together, bool is_order, bool *out_row) {
  bool is_partial = memchr(together->at_once, 1, (size_t)together->n * together->n) != NULL;
  bool has_room = count_pairs(together) <= BERTH_MAX_PART_PAIRS;
  bool keeps_gaps = is_partial && has_room && !any_streams(together) && any_gaps(together);
  *out_row = !is_order || keeps_gaps;
  return is_order || has_room ? BERTH_OK
                              : berth_fail(
                                    together->err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED,
                                    BERTH_NO_INDEX, "together",
                                    "no order of the parts says which may run at once, and their buffers are "
                                    "more than %u pairs",
                                    BERTH_MAX_PART_PAIRS);
}

enum berth_code berth_together_arrange(struct berth_together *together) {
  struct berth_arena *arena = together->arena;
  size_t n_pairs = (size_t)together->n * together->n;
  struct relation relation = {
      .n = together->n,
      .left = berth_arena_new(arena, uint8_t, n_pairs),
      .before = berth_arena_new_zeroed(arena, uint8_t, n_pairs),
      .queue = berth_arena_new(arena, uint32_t, 2 * n_pairs)};
  uint32_t *sorted;
  uint32_t *last;
  if (relation.left == NULL || relation.before == NULL || relation.queue == NULL ||
      !take_chains(together, &sorted, &last) || !find_clusters(together)) {
    return berth_fail_memory(together->err);
  }
  bool is_row;
  enum berth_code code = prefer_a_row(together, orient(&relation, together->at_once), &is_row);
  if (code != BERTH_OK) {
    return code;
  }
  if (is_row) {
    lay_in_a_row(&relation);
    together->order.has_pairs = true;
  }
  for (uint32_t part = 0; part < together->n; part++) {
    measure(together, part);
  }
  cut_into_chains(together, &relation, sorted, last);
  count_components(together);
  return check_ends(together);
}
