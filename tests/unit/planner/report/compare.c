#include "berth/report.h"

#include <stdio.h>

#include "sample.h"
#include "suite.h"

enum { MOST = 64 };

/* A side with ids of its own. */
struct side {
  struct sample sample;
  struct berth_problem *problem;
  char texts[MOST][16];
  struct berth_text ids[MOST];
  uint64_t offsets[MOST];
  struct berth_report_side side;
};

static void side_build(struct side *side) {
  side->problem = sample_build(&side->sample, NULL);
  side->side = (struct berth_report_side){.problem = side->problem, .id = side->ids, .offset = side->offsets};
}

static void side_finish(struct side *side) {
  berth_problem_unref(side->problem);
  sample_finish(&side->sample);
}

static void name(struct side *side, uint32_t buffer, uint32_t number) {
  int n = snprintf(side->texts[buffer], sizeof side->texts[buffer], "b%u", number);
  side->ids[buffer] = (struct berth_text){side->texts[buffer], (uint32_t)n};
}

static void add(struct side *side, uint32_t number, uint64_t size, int64_t lower, int64_t upper) {
  uint32_t buffer = side->sample.n_buffers;
  sample_add(&side->sample, size, lower, upper);
  name(side, buffer, number);
  side->offsets[buffer] = 0;
}

static struct berth_comparison compare(const struct side *before, const struct side *after) {
  struct berth_comparison comparison;
  ck_assert_int_eq(berth_report_compare(&before->side, &after->side, NULL, &comparison, NULL), BERTH_OK);
  int64_t sum = 0;
  for (uint32_t k = 0; k < comparison.n_rows; k++) {
    sum += comparison.rows[k].peak_bytes;
  }
  ck_assert_int_eq(sum, (int64_t)comparison.peak_bytes[1] - (int64_t)comparison.peak_bytes[0]);
  return comparison;
}

#define BIT(change) (1U << BERTH_CHANGE_##change)

/* The peak of 600 grows by the 50 of b1; b4 is new and not at the peak. */
START_TEST(what_changed_is_told) {
  struct side a = {.problem = NULL};
  struct side b = {.problem = NULL};
  sample_init(&a.sample);
  sample_init(&b.sample);
  add(&a, 0, 300, 0, 3);
  add(&a, 1, 200, 1, 3);
  add(&a, 2, 100, 2, 4);
  add(&a, 3, 10, 5, 6);
  add(&b, 2, 100, 2, 5);
  add(&b, 4, 20, 5, 6);
  add(&b, 1, 250, 1, 3);
  add(&b, 0, 300, 0, 3);
  b.offsets[3] = 16;
  side_build(&a);
  side_build(&b);
  struct berth_comparison comparison = compare(&a, &b);
  ck_assert_uint_eq(comparison.peak_bytes[0], 600);
  ck_assert_uint_eq(comparison.peak_bytes[1], 650);
  const struct berth_difference expected[] = {
      {1, 2, BIT(RESIZED), 50},
      {0, 3, BIT(MOVED), 0},
      {2, 0, BIT(RETIMED), 0},
      {3, BERTH_NO_INDEX, BIT(REMOVED), 0},
      {BERTH_NO_INDEX, 1, BIT(ADDED), 0}};
  ck_assert_uint_eq(comparison.n_rows, 5);
  for (uint32_t k = 0; k < 5; k++) {
    ck_assert_uint_eq(comparison.rows[k].before, expected[k].before);
    ck_assert_uint_eq(comparison.rows[k].after, expected[k].after);
    ck_assert_uint_eq(comparison.rows[k].changes, expected[k].changes);
    ck_assert_int_eq(comparison.rows[k].peak_bytes, expected[k].peak_bytes);
  }
  for (uint32_t k = 0; k < BERTH_N_CHANGES; k++) {
    ck_assert_uint_eq(comparison.n_changed[k], 1);
  }
  berth_report_free(NULL, comparison.rows);
  side_finish(&a);
  side_finish(&b);
}
END_TEST

static void make_random(struct side *side, struct berth_rng *rng, bool named) {
  sample_init(&side->sample);
  sample_generate(&side->sample, rng, SAMPLE_UNIFORM, 20, SAMPLE_GAPS);
  ck_assert_uint_le(side->sample.n_buffers, MOST);
  uint32_t numbers[2 * MOST];
  for (uint32_t i = 0; i < 2 * MOST; i++) {
    numbers[i] = i;
  }
  sample_shuffle(rng, numbers, 30);
  for (uint32_t i = 0; i < side->sample.n_buffers; i++) {
    name(side, i, numbers[i]);
    if (!named && i % 3 == 0) {
      side->ids[i].size = 0;
    }
    side->offsets[i] = berth_rng_next(rng) % 3;
  }
  side_build(side);
}

static void expect_opposite(const struct berth_comparison *there, const struct berth_comparison *back) {
  ck_assert_uint_eq(there->n_rows, back->n_rows);
  for (uint32_t k = 0; k < there->n_rows; k++) {
    const struct berth_difference *row = &there->rows[k];
    uint32_t j = 0;
    while (j < back->n_rows && (back->rows[j].before != row->after || back->rows[j].after != row->before)) {
      j++;
    }
    ck_assert_uint_lt(j, back->n_rows);
    ck_assert_int_eq(back->rows[j].peak_bytes, -row->peak_bytes);
    unsigned common = BIT(RESIZED) | BIT(RETIMED) | BIT(MOVED);
    ck_assert_uint_eq(back->rows[j].changes & common, row->changes & common);
    ck_assert_int_eq((back->rows[j].changes & BIT(ADDED)) != 0, (row->changes & BIT(REMOVED)) != 0);
  }
}

START_TEST(there_and_back_and_with_itself) {
  struct berth_rng rng = {21};
  for (int round = 0; round < 200; round++) {
    struct side a;
    struct side b;
    make_random(&a, &rng, round % 2 == 0);
    make_random(&b, &rng, round % 2 == 0);
    struct berth_comparison there = compare(&a, &b);
    struct berth_comparison back = compare(&b, &a);
    expect_opposite(&there, &back);
    struct berth_comparison same = compare(&a, &a);
    ck_assert_uint_eq(same.n_rows, 0);
    berth_report_free(NULL, there.rows);
    berth_report_free(NULL, back.rows);
    berth_report_free(NULL, same.rows);
    side_finish(&a);
    side_finish(&b);
  }
}
END_TEST

/* A workspace is not the value that has the id of its operator. */
START_TEST(workspaces_are_matched_apart) {
  struct side a = {.problem = NULL};
  struct side b = {.problem = NULL};
  sample_init(&a.sample);
  sample_init(&b.sample);
  add(&a, 1, 10, 0, 1);
  add(&a, 1, 20, 0, 1);
  a.sample.buffers[1].spec.class_ = BERTH_CLASS_WORKSPACE;
  add(&b, 1, 20, 0, 1);
  add(&b, 1, 10, 0, 1);
  b.sample.buffers[0].spec.class_ = BERTH_CLASS_WORKSPACE;
  side_build(&a);
  side_build(&b);
  uint32_t *matches;
  ck_assert_int_eq(berth_report_match(&a.side, &b.side, NULL, &matches, NULL), BERTH_OK);
  ck_assert(matches[0] == 1 && matches[1] == 0);
  berth_report_free(NULL, matches);
  side_finish(&a);
  side_finish(&b);
}
END_TEST

START_TEST(pools_are_compared_by_name) {
  struct side a = {.problem = NULL};
  struct side b = {.problem = NULL};
  sample_init(&a.sample);
  sample_init(&b.sample);
  for (uint32_t i = 0; i < 2; i++) {
    a.sample.pools[i] = b.sample.pools[1 - i] = berth_pool_spec_default();
    a.sample.pools[i].name = b.sample.pools[1 - i].name = (struct berth_text){i == 0 ? "x" : "y", 1};
  }
  a.sample.n_pools = b.sample.n_pools = 2;
  add(&a, 1, 10, 0, 1);
  add(&b, 1, 10, 0, 1);
  side_build(&a);
  side_build(&b);
  a.side.pool = (const uint32_t[]){0};
  b.side.pool = (const uint32_t[]){1};
  struct berth_comparison same = compare(&a, &b);
  ck_assert_uint_eq(same.n_rows, 0);
  b.side.pool = (const uint32_t[]){0};
  struct berth_comparison moved = compare(&a, &b);
  ck_assert_uint_eq(moved.n_rows, 1);
  ck_assert_uint_eq(moved.rows[0].changes, BIT(MOVED));
  berth_report_free(NULL, same.rows);
  berth_report_free(NULL, moved.rows);
  side_finish(&a);
  side_finish(&b);
}
END_TEST

START_TEST(arenas_are_where_pools_end) {
  struct side a = {.problem = NULL};
  sample_init(&a.sample);
  for (uint32_t i = 0; i < 2; i++) {
    a.sample.pools[i] = berth_pool_spec_default();
    a.sample.pools[i].name = (struct berth_text){i == 0 ? "x" : "y", 1};
  }
  a.sample.n_pools = 2;
  add(&a, 1, 10, 0, 1);
  add(&a, 2, 20, 0, 1);
  add(&a, 3, 0, 0, 1);
  add(&a, 4, 5, 0, 1);
  a.offsets[1] = 7;
  a.offsets[2] = 1000;
  a.offsets[3] = BERTH_NO_OFFSET;
  side_build(&a);
  ck_assert_uint_eq(berth_report_arenas(&a.side), 27);
  a.side.pool = (const uint32_t[]){0, 1, 1, 1};
  ck_assert_uint_eq(berth_report_arena(&a.side, 0), 10);
  ck_assert_uint_eq(berth_report_arena(&a.side, 1), 27);
  ck_assert_uint_eq(berth_report_arenas(&a.side), 37);
  a.side.offset = NULL;
  ck_assert_uint_eq(berth_report_arenas(&a.side), 0);
  side_finish(&a);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "report/compare",
      (const TTest *const[]){
          what_changed_is_told, there_and_back_and_with_itself, workspaces_are_matched_apart,
          pools_are_compared_by_name, arenas_are_where_pools_end, NULL});
}
