/* The portfolio alone, without any search, is never worse than what other planners do. */
#include "peers.h"

#include "packing/placement.h"
#include "random_instance.h"
#include "suite.h"

enum { N = 60 };

static struct random_instance random_one;

START_TEST(never_worse) {
  struct berth_rng rng = {.state = 31};
  struct peer_buffer buffers[N];
  const struct peer_problem problem = {.n = N, .buffers = buffers};
  for (int round = 0; round < 1500; round++) {
    random_instance_init(&random_one, &rng, N, 1 + berth_rng_below(&rng, 60), round % 3 == 0);
    ck_assert_int_eq(berth_packing_placement.run(&random_one.search), BERTH_OK);
    random_instance_expect_good(&random_one);
    for (uint32_t i = 0; i < N; i++) {
      buffers[i] = (struct peer_buffer){
          random_one.lower[i], random_one.upper[i], random_one.size[i], random_one.alignment[i]};
    }
    for (int peer = 0; peer < PEER_N; peer++) {
      uint64_t its = peer_arena((enum peer)peer, &problem);
      ck_assert_msg(
          random_one.search.best_arena <= its, "%s is better in round %d", peer_name((enum peer)peer), round);
    }
    random_instance_finish(&random_one);
  }
}
END_TEST

int main(void) {
  return berth_suite_run("packing/peers", (const TTest *const[]){never_worse, NULL});
}
