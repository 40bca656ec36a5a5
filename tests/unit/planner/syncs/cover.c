/* From places to the waits that they need. */
#include "syncs/search.h"

#include "towers.h"

enum { N = 3 };

struct fixture {
  struct berth_problem *problem;
  struct berth_arena arena;
  struct berth_effort effort;
  struct berth_solve_options options;
  struct berth_syncs_search search;
};

static void begin(struct fixture *fixture, struct berth_problem *problem) {
  fixture->problem = problem;
  fixture->options = berth_solve_options_default();
  berth_arena_init(&fixture->arena, berth_allocator_libc());
  berth_effort_init(&fixture->effort, UINT64_MAX, NULL, NULL);
  fixture->search = (struct berth_syncs_search){
      .problem = problem,
      .graph = berth_problem_graph(problem),
      .buffers = berth_problem_buffers(problem),
      .options = &fixture->options,
      .allocator = berth_allocator_libc(),
      .arena = &fixture->arena,
      .effort = &fixture->effort,
      .most_syncs = UINT32_MAX};
  ck_assert(berth_syncs_search_init(&fixture->search));
}

static void end(struct fixture *fixture) {
  berth_arena_finish(&fixture->arena);
  berth_problem_unref(fixture->problem);
}

static struct berth_syncs cover(
    struct fixture *fixture, const uint64_t *offset, struct berth_syncs tried, uint64_t *out_pairs,
    bool *out_found) {
  static const uint32_t POOL[2 * N];
  struct berth_syncs_needs needs;
  struct berth_syncs out = {.n = 0};
  ck_assert(berth_syncs_find_needs(
      &fixture->search, fixture->search.buffers, POOL, offset, &fixture->arena, &needs));
  ck_assert(berth_syncs_cover(&fixture->search, &needs, tried, &fixture->arena, &out, out_found));
  *out_pairs = needs.n_pairs;
  return out;
}

static const uint64_t ALL_AT_0[] = {0, 1000, 0, 900, 0, 800};

/* The third tower follows the second, which follows the first: that it follows the first needs no wait. */
START_TEST(what_others_imply_is_not_asked_for) {
  struct fixture fixture;
  uint64_t n_pairs;
  bool found;
  begin(&fixture, towers(N, false));
  const struct berth_sync all[] = {{2, 0}, {2, 1}, {4, 0}, {4, 1}, {4, 2}, {4, 3}};
  const struct berth_syncs tried = {.n = 6, .items = (struct berth_sync *)(uintptr_t)all};
  struct berth_syncs out = cover(&fixture, ALL_AT_0, tried, &n_pairs, &found);
  ck_assert(found);
  ck_assert_uint_eq(out.n, 2);
  ck_assert(out.items[0].waiter == 2 && out.items[0].signaller == 1);
  ck_assert(out.items[1].waiter == 4 && out.items[1].signaller == 3);
  end(&fixture);
}
END_TEST

START_TEST(what_is_apart_needs_none) {
  struct fixture fixture;
  uint64_t n_pairs;
  bool found;
  const uint64_t apart[] = {0, 1000, 2000, 3000, 4000, 5000};
  begin(&fixture, towers(N, false));
  struct berth_syncs out = cover(&fixture, apart, (struct berth_syncs){.n = 0}, &n_pairs, &found);
  ck_assert(found);
  ck_assert_uint_eq(out.n, 0);
  ck_assert_uint_eq(n_pairs, 0);
  end(&fixture);
}
END_TEST

START_TEST(regions_wait_as_a_whole) {
  struct fixture fixture;
  uint64_t n_pairs;
  bool found;
  begin(&fixture, towers(N, true));
  struct berth_syncs out = cover(&fixture, ALL_AT_0, (struct berth_syncs){.n = 0}, &n_pairs, &found);
  ck_assert(found);
  ck_assert_uint_eq(out.n, 2);
  ck_assert_uint_eq(out.items[0].waiter, 2);
  ck_assert_uint_eq(out.items[1].waiter, 4);
  end(&fixture);
}
END_TEST

START_TEST(lists_are_merged_by_waiter) {
  struct fixture fixture;
  struct berth_syncs out;
  struct berth_sync own[] = {{2, 0}, {5, 3}};
  struct berth_sync more[] = {{2, 1}, {4, 3}};
  begin(&fixture, towers(N, false));
  struct berth_graph graph = *fixture.search.graph;
  graph.syncs = own;
  graph.n_syncs = 2;
  fixture.search.graph = &graph;
  ck_assert(
      berth_syncs_merge(&fixture.search, (struct berth_syncs){.n = 2, .items = more}, &fixture.arena, &out));
  static const uint32_t WAITERS[] = {2, 2, 4, 5};
  ck_assert_uint_eq(out.n, 4);
  for (uint32_t i = 0; i < 4; i++) {
    ck_assert_uint_eq(out.items[i].waiter, WAITERS[i]);
  }
  end(&fixture);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "syncs/cover", (const TTest *const[]){
                         what_others_imply_is_not_asked_for, what_is_apart_needs_none,
                         regions_wait_as_a_whole, lists_are_merged_by_waiter, NULL});
}
