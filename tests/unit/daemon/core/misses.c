/* Why a key missed: the reasons, the nearest key, and that it is all bounded. */
#include "core/misses.h"

#include <string.h>

#include "suite.h"
#include "world.h"

static double counted(const struct world *world, enum berthd_label_MISS reason) {
  return berthd_metrics_get(world->metrics, BERTHD_METRIC_CACHE_MISSES, reason, 0);
}

/* Asks, and has it planned where it is not known. */
static struct client ask(struct world *world, uint64_t seed, uint64_t budget_ticks, enum ending ending) {
  struct client client;
  struct berth_problem *problem = world_problem(20, seed, 0, false);
  struct berth_solve_options options = world_options();
  options.budget_ticks = budget_ticks;
  client_submit_with(&client, world, problem, &options, BERTHD_NO_DEADLINE);
  if (client.n_done == 0) {
    world_work(world, ending);
  }
  berth_problem_unref(problem);
  return client;
}

START_TEST(reasons) {
  struct world world;
  struct berth_error err;
  world_init(&world, NULL);
  world.explains_misses = true;
  struct client first = ask(&world, 1, 1000000, ENDS_WELL);
  ck_assert(first.has_miss && first.miss.reason == BERTHD_MISS_NEW && !first.miss.has_nearest);
  struct client again = ask(&world, 1, 1000000, ENDS_WELL);
  ck_assert(again.cached && !again.has_miss);
  struct client other = ask(&world, 1, 2000000, ENDS_WELL);
  ck_assert_int_eq(other.miss.reason, BERTHD_MISS_OPTIONS);
  ck_assert(other.miss.has_nearest && other.miss.nearest_is_kept);
  ck_assert_mem_eq(other.miss.nearest.bytes, first.id.bytes, sizeof first.id.bytes);
  ck_assert_uint_eq(other.miss.n, 1);
  ck_assert_uint_eq(other.miss.items[0].section, BERTH_PLANID_BUDGET);
  ck_assert_int_eq(berthd_core_delete(world.core, &first.id, &err), BERTH_OK);
  struct client deleted = ask(&world, 1, 1000000, ENDS_WELL);
  ck_assert_int_eq(deleted.miss.reason, BERTHD_MISS_DELETED);
  ck_assert_mem_eq(deleted.miss.nearest.bytes, other.id.bytes, sizeof other.id.bytes);
  ck_assert(counted(&world, BERTHD_MISS_NEW) == 1 && counted(&world, BERTHD_MISS_OPTIONS) == 1);
  ck_assert(counted(&world, BERTHD_MISS_DELETED) == 1 && counted(&world, BERTHD_MISS_EVICTED) == 0);
  struct client *all[] = {&first, &again, &other, &deleted};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    client_finish(all[i]);
  }
  world_finish(&world);
}
END_TEST

START_TEST(what_expired_and_what_was_cut_short) {
  struct world world;
  world_init(&world, NULL);
  world.explains_misses = true;
  struct client bad = ask(&world, 1, 1000000, ENDS_BAD);
  world.now_ns += berthd_core_config_default().failure_ttl_ns + 1;
  struct client again = ask(&world, 1, 1000000, ENDS_WELL);
  ck_assert(bad.code != BERTH_OK && bad.miss.reason == BERTHD_MISS_NEW);
  ck_assert_int_eq(again.miss.reason, BERTHD_MISS_EXPIRED);
  client_finish(&bad);
  client_finish(&again);
  world_finish(&world);
}
END_TEST

START_TEST(a_small_cache_forgets_its_plans_and_not_why) {
  struct world world;
  struct berthd_core_config config = berthd_core_config_default();
  config.cache_bytes = 12000;
  world_init(&world, &config);
  world.explains_misses = true;
  for (uint64_t round = 0; round < 2; round++) {
    for (uint64_t seed = 0; seed < 20; seed++) {
      struct client client = ask(&world, 100 + seed, 1000000, ENDS_WELL);
      ck_assert(round == 1 || client.miss.reason == BERTHD_MISS_NEW);
      ck_assert(!client.has_miss || round == 0 || client.miss.reason == BERTHD_MISS_EVICTED);
      client_finish(&client);
    }
  }
  ck_assert(counted(&world, BERTHD_MISS_EVICTED) > 0);
  world_finish(&world);
}
END_TEST

/* Bytes with one section for each of the problem's, of 8 bytes, all of them `fill` but that one. */
static struct berthd_digests digests_of(uint8_t key[], uint8_t fill, unsigned section, uint8_t other) {
  struct berthd_digests digests;
  for (unsigned i = 0; i <= BERTH_PLANID_N_SECTIONS; i++) {
    digests.map.begin[i] = 8 * (uint64_t)i;
  }
  memset(key, fill, 8 * BERTH_PLANID_N_SECTIONS);
  memset(key + 8 * section, other, 8);
  berthd_digests_make(&digests, key);
  return digests;
}

START_TEST(the_nearest_is_found_and_the_oldest_forgotten) {
  struct berthd_misses *misses = berthd_misses_create();
  struct berthd_plans *plans = berthd_plans_create(1 << 20, NULL);
  static uint8_t key[8 * BERTH_PLANID_N_SECTIONS];
  struct berth_planid id;
  struct berthd_miss miss;
  const unsigned sizes = BERTH_PLANID_PROBLEM + BERTH_SECTION_SIZES;
  for (uint32_t n = 0; n < BERTHD_MISSES_KEPT + 3; n++) {
    ck_assert_int_eq(berth_planid_of_bytes(&n, sizeof n, &id, NULL), BERTH_OK);
    struct berthd_digests digests = digests_of(key, (uint8_t)(n % 50), sizes, (uint8_t)(100 + n % 50));
    berthd_misses_note(misses, &id, &digests);
  }
  struct berthd_digests asked = digests_of(key, 7, sizes, 200);
  uint32_t n = 0;
  ck_assert_int_eq(berth_planid_of_bytes(&n, sizeof n, &id, NULL), BERTH_OK); /* the first is forgotten */
  ck_assert_int_eq(berthd_misses_reason(misses, &id, &asked, false), BERTHD_MISS_NEW);
  ck_assert_int_eq(berthd_misses_reason(misses, &id, &asked, true), BERTHD_MISS_CUT_SHORT);
  berthd_misses_explain(misses, plans, &id, &asked, key, BERTHD_MISS_NEW, &miss);
  ck_assert(miss.has_nearest && !miss.nearest_is_kept);
  ck_assert_uint_eq(miss.n, 1);
  ck_assert_uint_eq(miss.items[0].section, sizes);
  asked = digests_of(key, 77, sizes, 78); /* nothing is like that */
  berthd_misses_explain(misses, plans, &id, &asked, key, BERTHD_MISS_NEW, &miss);
  ck_assert(!miss.has_nearest && miss.n == 0);
  berthd_plans_destroy(plans);
  berthd_misses_destroy(misses);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "daemon/core/misses",
      (const TTest *const[]){
          reasons, what_expired_and_what_was_cut_short, a_small_cache_forgets_its_plans_and_not_why,
          the_nearest_is_found_and_the_oldest_forgotten, NULL});
}
