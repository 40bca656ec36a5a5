/* The portfolio alone, without any search, is never worse than what other planners do: their rules, written
 * down plainly and placed pair by pair. */
#include "base/checked.h"
#include "packing/placement.h"
#include "random_instance.h"
#include "suite.h"

enum { N = 60 };

static struct random_instance random_one;

struct peer {
  const char *name;
  enum berth_placement_key keys[4];
  bool tight; /* the smallest gap, else the lowest */
};

static const struct peer PEERS[] = {
    {"greedy by size", {BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_LIFE}, false},
    {"XLA spatial", {BERTH_PLACEMENT_SIZE}, true},
    {"XLA temporal", {BERTH_PLACEMENT_LIFE, BERTH_PLACEMENT_SIZE}, true},
    {"TFLite", {BERTH_PLACEMENT_WHOLE, BERTH_PLACEMENT_SIZE, BERTH_PLACEMENT_START}, true},
    {"first fit by start", {BERTH_PLACEMENT_START, BERTH_PLACEMENT_SIZE}, false},
};

static bool meet(uint32_t a, uint32_t b) {
  return random_one.lower[a] < random_one.upper[b] && random_one.lower[b] < random_one.upper[a];
}

/* The next of those placed that meet i, by offset, from the k-th on; N when there is none. */
static uint32_t next_above(uint32_t i, const uint64_t *offset, const bool *done, bool *seen) {
  uint32_t found = N;
  for (uint32_t j = 0; j < N; j++) {
    if (done[j] && !seen[j] && meet(i, j) && (found == N || offset[j] < offset[found])) {
      found = j;
    }
  }
  if (found < N) {
    seen[found] = true;
  }
  return found;
}

static uint64_t place(uint32_t i, bool tight, const uint64_t *offset, const bool *done) {
  bool seen[N] = {false};
  uint64_t best = UINT64_MAX;
  uint64_t best_gap = UINT64_MAX;
  uint64_t end = 0; /* of what lies below */
  for (uint32_t j = next_above(i, offset, done, seen); j < N; j = next_above(i, offset, done, seen)) {
    uint64_t begin = berth_align_up(end, random_one.alignment[i]);
    if (begin + random_one.size[i] <= offset[j]) {
      if (!tight) {
        return begin;
      }
      if (offset[j] - end < best_gap) {
        best = begin;
        best_gap = offset[j] - end;
      }
    }
    uint64_t its_end = offset[j] + random_one.size[j];
    end = its_end > end ? its_end : end;
  }
  return best != UINT64_MAX ? best : berth_align_up(end, random_one.alignment[i]);
}

static uint64_t arena_of(const struct peer *peer) {
  uint32_t order[N];
  uint64_t offset[N];
  bool done[N] = {false};
  uint64_t top = 0;
  ck_assert(berth_placement_order(&random_one.instance, peer->keys, &random_one.arena, order));
  for (uint32_t k = 0; k < N; k++) {
    uint32_t i = order[k];
    offset[i] = place(i, peer->tight, offset, done);
    done[i] = true;
    top = offset[i] + random_one.size[i] > top ? offset[i] + random_one.size[i] : top;
  }
  return top;
}

START_TEST(never_worse) {
  struct berth_rng rng = {.state = 31};
  for (int round = 0; round < 1500; round++) {
    random_instance_init(&random_one, &rng, N, 1 + berth_rng_below(&rng, 60), round % 3 == 0);
    ck_assert_int_eq(berth_packing_placement.run(&random_one.search), BERTH_OK);
    random_instance_expect_good(&random_one);
    for (unsigned k = 0; k < sizeof PEERS / sizeof PEERS[0]; k++) {
      uint64_t its = arena_of(&PEERS[k]);
      ck_assert_msg(random_one.search.best_arena <= its, "%s is better in round %d", PEERS[k].name, round);
    }
    random_instance_finish(&random_one);
  }
}
END_TEST

int main(void) {
  return berth_suite_run("packing/peers", (const TTest *const[]){never_worse, NULL});
}
