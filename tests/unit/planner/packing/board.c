/* The board against the plain way: the lowest, or the tightest, place among all placed buffers that meet. */
#include "packing/board.h"

#include "base/checked.h"
#include "base/rng.h"
#include "packing/pieces.h"
#include "random_order.h"
#include "suite.h"

enum { N = 70, MAX_STEPS = 40, BYTES = 4096 };

struct random {
  uint32_t lower[N];
  uint32_t upper[N];
  uint64_t size[N];
  uint64_t alignment[N];
  uint32_t gap_begin[N + 1];
  struct berth_piece gaps[N];
  uint32_t conflicts[N][2];
  struct berth_packing_instance instance;
};

static void make(struct random *random, struct berth_rng *rng, bool with_gaps, bool with_pairs) {
  uint32_t n_steps = 1 + berth_rng_below(rng, MAX_STEPS);
  uint32_t n_gaps = 0;
  for (uint32_t i = 0; i < N; i++) {
    random->lower[i] = berth_rng_below(rng, n_steps);
    random->upper[i] = random->lower[i] + 1 + berth_rng_below(rng, n_steps - random->lower[i]);
    random->size[i] = 1 + berth_rng_below(rng, 40);
    random->alignment[i] = UINT64_C(1) << berth_rng_below(rng, 4);
    random->gap_begin[i] = n_gaps;
    if (with_gaps && berth_rng_below(rng, 3) == 0) {
      struct berth_piece *gap = &random->gaps[n_gaps++];
      uint32_t life = random->upper[i] - random->lower[i];
      gap->lower = random->lower[i] + berth_rng_below(rng, life);
      gap->upper = gap->lower + 1 + berth_rng_below(rng, random->upper[i] - gap->lower);
      gap->window_lower = berth_rng_below(rng, (uint32_t)random->size[i]);
      gap->window_upper =
          gap->window_lower + berth_rng_below(rng, (uint32_t)(random->size[i] - gap->window_lower) + 1);
    }
  }
  random->gap_begin[N] = n_gaps;
  for (uint32_t k = 0; k + 1 < N; k++) {
    random->conflicts[k][0] = k / 3;
    random->conflicts[k][1] = k + 1;
  }
  random->instance = (struct berth_packing_instance){
      .n_buffers = N,
      .n_steps = n_steps,
      .lower = random->lower,
      .upper = random->upper,
      .size = random->size,
      .alignment = random->alignment,
      .gap_begin = with_gaps ? random->gap_begin : NULL,
      .gaps = random->gaps,
      .n_conflicts = with_pairs ? N - 1 : 0,
      .conflicts = (const uint32_t(*)[2])random->conflicts,
      .capacity = BERTH_UNLIMITED};
}

static void block(uint64_t begin, uint64_t end, const struct berth_piece *mine, bool *taken) {
  for (uint64_t p = 0; p < BYTES; p++) { /* p: an offset of mine at which [begin, end) is hit */
    taken[p] = taken[p] || (p + mine->window_lower < end && begin < p + mine->window_upper);
  }
}

/* taken[p]: buffer i cannot lie at p. */
static void forbid(const struct random *random, uint32_t i, const uint64_t *offset, bool *taken) {
  const struct berth_packing_instance *instance = &random->instance;
  for (uint32_t j = 0; j < N; j++) {
    if (offset[j] == BERTH_NO_PLACE) {
      continue;
    }
    struct berth_pieces mine = berth_pieces_of(instance, i);
    struct berth_piece a;
    while (berth_pieces_next(&mine, &a)) {
      struct berth_pieces its = berth_pieces_of(instance, j);
      struct berth_piece b;
      while (berth_pieces_next(&its, &b)) {
        if (a.lower < b.upper && b.lower < a.upper) {
          block(offset[j] + b.window_lower, offset[j] + b.window_upper, &a, taken);
        }
      }
    }
  }
  for (uint32_t k = 0; k < instance->n_conflicts; k++) {
    const uint32_t *pair = instance->conflicts[k];
    uint32_t other = pair[0] == i ? pair[1] : pair[1] == i ? pair[0] : i;
    if (other != i && offset[other] != BERTH_NO_PLACE) {
      struct berth_piece whole = {0, 1, 0, random->size[i]};
      block(offset[other], offset[other] + random->size[other], &whole, taken);
    }
  }
}

static uint64_t slow_lowest(const struct random *random, uint32_t i, const bool *taken) {
  uint64_t p = 0;
  while (taken[p]) {
    p += random->alignment[i];
  }
  return p;
}

/* The bytes that are free for the whole life, in runs: the shortest that holds an aligned start and the size.
 */
static uint64_t slow_tightest(const struct random *random, uint32_t i, const uint64_t *offset) {
  bool used[BYTES + 1] = {false};
  struct random one = *random; /* a single byte instead of the buffer */
  one.size[i] = 1;
  one.instance.lower = one.lower;
  one.instance.upper = one.upper;
  one.instance.size = one.size;
  forbid(&one, i, offset, used);
  uint64_t best = BERTH_NO_PLACE;
  uint64_t best_run = UINT64_MAX;
  for (uint64_t begin = 0; begin < BYTES;) {
    if (used[begin]) {
      begin++;
      continue;
    }
    uint64_t end = begin;
    while (end < BYTES && !used[end]) {
      end++;
    }
    uint64_t run = end == BYTES ? UINT64_MAX : end - begin;
    uint64_t at = berth_align_up(begin, random->alignment[i]);
    if (at + random->size[i] <= end && (best == BERTH_NO_PLACE || run < best_run)) {
      best = at;
      best_run = run;
    }
    begin = end;
  }
  return best;
}

static void fill(struct random *random, struct berth_board *board, struct berth_rng *rng, bool tightest) {
  for (uint32_t i = 0; i < N; i++) {
    static bool taken[BYTES];
    for (int p = 0; p < BYTES; p++) {
      taken[p] = false;
    }
    forbid(random, i, board->offset, taken);
    uint64_t lowest = slow_lowest(random, i, taken);
    uint64_t found = berth_board_find(board, i, BERTH_BOARD_LOWEST, UINT64_MAX / 2);
    ck_assert_uint_eq(found, lowest);
    ck_assert_uint_eq(berth_board_find(board, i, BERTH_BOARD_LOWEST, lowest), lowest);
    if (lowest > 0) {
      ck_assert_uint_eq(berth_board_find(board, i, BERTH_BOARD_LOWEST, lowest - 1), BERTH_NO_PLACE);
    }
    if (tightest) {
      found = berth_board_find(board, i, BERTH_BOARD_TIGHTEST, UINT64_MAX / 2);
      ck_assert_uint_eq(found, slow_tightest(random, i, board->offset));
    }
    if (berth_rng_below(rng, 4) == 0) { /* leave holes */
      found = lowest + random->alignment[i] * berth_rng_below(rng, 12);
      found = taken[found] ? lowest : found;
    }
    ck_assert(berth_board_place(board, i, found));
    ck_assert_uint_ge(board->top, found + random->size[i]);
  }
}

static void run(bool with_gaps, bool with_pairs) {
  struct berth_rng rng = {.state = 11};
  for (int round = 0; round < 60; round++) {
    static struct random random;
    struct berth_arena arena;
    struct berth_pairs pairs;
    struct berth_board board;
    berth_arena_init(&arena, NULL);
    make(&random, &rng, with_gaps, with_pairs);
    ck_assert(berth_pairs_init(&pairs, &arena, N, random.instance.n_conflicts, random.instance.conflicts));
    ck_assert(berth_board_init(&board, &random.instance, &pairs, &arena));
    fill(&random, &board, &rng, !with_gaps && !with_pairs);
    berth_board_clear(&board);
    ck_assert_uint_eq(board.top, 0);
    fill(&random, &board, &rng, false);
    berth_arena_finish(&arena);
  }
}

START_TEST(plain_buffers) {
  run(false, false);
}
END_TEST

START_TEST(with_windows) {
  run(true, false);
}
END_TEST

START_TEST(with_pairs_and_windows) {
  run(true, true);
}
END_TEST

/* A partial order by chains, and by the list of its pairs: every find has the same answer. */
static void run_chains(struct berth_rng *rng, uint32_t n, struct berth_arena *arena) {
  static struct random_order random;
  uint64_t size[200];
  uint64_t alignment[200];
  uint32_t n_pairs;
  struct berth_chains chains;
  bool is_usable;
  struct berth_sort_item *keys = berth_arena_new(arena, struct berth_sort_item, 200 * 200);
  uint32_t(*pairs)[2] = berth_arena_take(arena, 200 * 200, sizeof *pairs);
  random_order_of_streams(&random, rng, n, 4);
  ck_assert(berth_precedence_pairs(
      &random.order, random.life_lower, random.life_upper, UINT32_MAX, arena, keys, &n_pairs));
  for (uint32_t k = 0; k < n_pairs; k++) {
    pairs[k][0] = (uint32_t)(keys[k].key >> 32);
    pairs[k][1] = (uint32_t)keys[k].key;
  }
  for (uint32_t i = 0; i < n; i++) {
    size[i] = 1 + berth_rng_below(rng, 40);
    alignment[i] = UINT64_C(1) << berth_rng_below(rng, 4);
  }
  struct berth_packing_instance listed = {
      .n_buffers = n,
      .n_steps = 20 * n,
      .lower = random.life_lower,
      .upper = random.life_upper,
      .size = size,
      .alignment = alignment,
      .n_conflicts = n_pairs,
      .conflicts = (const uint32_t(*)[2])pairs,
      .capacity = BERTH_UNLIMITED};
  struct berth_packing_instance chained = listed;
  chained.n_conflicts = 0;
  chained.chains = &chains;
  struct berth_pairs partners;
  struct berth_pairs none = {0};
  struct berth_board boards[2];
  ck_assert(berth_chains_make(&chains, &random.order, arena, &is_usable) && is_usable);
  ck_assert(berth_pairs_init(&partners, arena, n, n_pairs, listed.conflicts));
  ck_assert(berth_board_init(&boards[0], &listed, &partners, arena));
  ck_assert(berth_board_init(&boards[1], &chained, &none, arena));
  for (uint32_t k = 0; k < n; k++) {
    uint32_t i = (k * 7 + 3) % n; /* n is no multiple of 7 */
    uint64_t found = berth_board_find(&boards[0], i, BERTH_BOARD_LOWEST, UINT64_MAX / 2);
    ck_assert_uint_eq(berth_board_find(&boards[1], i, BERTH_BOARD_LOWEST, UINT64_MAX / 2), found);
    uint64_t guess = alignment[i] * berth_rng_below(rng, 30);
    ck_assert_int_eq(berth_board_is_free(&boards[0], i, guess), berth_board_is_free(&boards[1], i, guess));
    found = berth_board_is_free(&boards[0], i, guess) ? guess : found;
    ck_assert(berth_board_place(&boards[0], i, found) && berth_board_place(&boards[1], i, found));
  }
}

START_TEST(by_chains) {
  struct berth_rng rng = {.state = 12};
  struct berth_arena arena;
  berth_arena_init(&arena, NULL);
  for (int round = 0; round < 60; round++) {
    run_chains(&rng, 7 * berth_rng_below(&rng, 25) + 1 + berth_rng_below(&rng, 6), &arena);
    berth_arena_reset(&arena);
  }
  berth_arena_finish(&arena);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "packing/board",
      (const TTest *const[]){plain_buffers, with_windows, with_pairs_and_windows, by_chains, NULL});
}
