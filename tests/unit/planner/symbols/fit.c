#include "berth/fit.h"

#include "campaign.h"
#include "suite.h"

enum { MOST = 64 };

/* What is needed at each number from 1 on, and how well the planner knows it. */
struct needs {
  uint64_t capacity;
  uint64_t n;
  uint64_t at[MOST + 1];
  bool is_hazy[MOST + 1]; /* neither a plan nor a proof is found there */
};

/* As a problem over the stretch: the largest need, or the smallest. */
static enum berth_fit_answer ask(const struct needs *needs, const struct berth_fit_question *question) {
  uint64_t most = 0;
  uint64_t least = UINT64_MAX;
  bool hazy = false;
  for (uint64_t i = question->lower; i <= question->upper; i++) {
    most = needs->at[i] > most ? needs->at[i] : most;
    least = needs->at[i] < least ? needs->at[i] : least;
    hazy = hazy || needs->is_hazy[i];
  }
  uint64_t need = question->sizes == BERTH_SIZES_LARGEST ? most : least;
  return hazy ? BERTH_FIT_UNKNOWN : need <= needs->capacity ? BERTH_FIT_YES : BERTH_FIT_NO;
}

static struct berth_fit_search run(const struct needs *needs, uint32_t max_questions) {
  struct berth_fit_search search;
  struct berth_fit_question question;
  berth_fit_init(&search, 1, needs->n, max_questions);
  while (berth_fit_next(&search, &question)) {
    berth_fit_tell(&search, ask(needs, &question));
  }
  return search;
}

static void expect(const struct berth_fit_search *search, uint64_t largest, uint64_t all, bool known) {
  ck_assert_int_eq(search->has_largest, largest != 0);
  ck_assert_uint_eq(search->has_largest ? search->largest : 0, largest);
  ck_assert_uint_eq(search->has_all ? search->all : 0, all);
  ck_assert_int_eq(search->largest_is_known, known);
  ck_assert_int_eq(search->all_is_known, known);
}

START_TEST(reported_cases) {
  struct needs steps = {.capacity = 50, .n = 16};
  for (uint64_t n = 1; n <= 16; n++) {
    steps.at[n] = n <= 8 ? 10 + 3 * n : 30 + 3 * n;
  }
  struct berth_fit_search search = run(&steps, 1000);
  expect(&search, 8, 8, true);
  struct needs bumpy = {.capacity = 50, .n = 6, .at = {0, 20, 30, 55, 40, 50, 60}};
  search = run(&bumpy, 1000);
  expect(&search, 5, 2, true);
}
END_TEST

START_TEST(ends_of_the_range) {
  struct needs all = {.capacity = 9, .n = 7};
  struct berth_fit_search search = run(&all, 1000);
  expect(&search, 7, 7, true);
  ck_assert_uint_eq(search.n_questions, 1);
  ck_assert(!search.has_misfit);
  struct needs none = {.capacity = 0, .n = 7, .at = {1, 1, 1, 1, 1, 1, 1, 1}};
  search = run(&none, 1000);
  expect(&search, 0, 0, true);
  ck_assert_uint_eq(search.n_questions, 2);
  ck_assert(search.has_misfit && search.misfit == 1);
}
END_TEST

START_TEST(growing_needs_take_few_questions) {
  struct berth_fit_search search;
  struct berth_fit_question question;
  berth_fit_init(&search, 0, UINT64_MAX - 1, 1000);
  while (berth_fit_next(&search, &question)) {
    uint64_t n = question.sizes == BERTH_SIZES_LARGEST ? question.upper : question.lower;
    berth_fit_tell(&search, n <= UINT64_C(123456789012345) ? BERTH_FIT_YES : BERTH_FIT_NO);
  }
  ck_assert_uint_eq(search.largest, UINT64_C(123456789012345));
  ck_assert_uint_eq(search.all, UINT64_C(123456789012345));
  ck_assert(search.largest_is_known && search.all_is_known);
  ck_assert_uint_le(search.n_questions, 4 * 64);
}
END_TEST

START_TEST(what_ends_early_says_what_it_found) {
  for (uint32_t n_answers = 2; n_answers < 60; n_answers++) {
    struct berth_fit_search search;
    struct berth_fit_question question;
    berth_fit_init(&search, 1, UINT64_C(1) << 40, 1000);
    uint32_t n = 0;
    while (n < n_answers && berth_fit_next(&search, &question)) {
      uint64_t at = question.sizes == BERTH_SIZES_LARGEST ? question.upper : question.lower;
      berth_fit_tell(&search, at <= 700000 ? BERTH_FIT_YES : BERTH_FIT_NO);
      n++;
    }
    bool was_over = n < n_answers;
    berth_fit_stop(&search);
    ck_assert_int_eq(search.is_cut, !was_over);
    ck_assert(!search.has_largest || search.largest <= 700000);
    ck_assert(n_answers < 4 || (search.has_misfit && search.misfit > 700000));
    ck_assert(n_answers < 45 || search.has_largest);
    ck_assert(search.largest_is_known ? search.largest == 700000 : search.is_cut);
  }
}
END_TEST

START_TEST(what_is_not_known_is_not_said) {
  struct needs needs = {.capacity = 5, .n = 8, .at = {0, 1, 1, 1, 1, 9, 1, 9, 9}};
  needs.is_hazy[7] = true;
  struct berth_fit_search search = run(&needs, 1000);
  ck_assert_uint_eq(search.largest, 6);
  ck_assert(!search.largest_is_known);
  ck_assert_uint_eq(search.all, 4);
  ck_assert(search.all_is_known);
  search = run(&needs, 3);
  ck_assert(search.is_cut && !search.largest_is_known && !search.all_is_known);
}
END_TEST

START_TEST(random_needs_against_every_number) {
  for (uint32_t k = 0; k < 20000; k++) {
    struct berth_rng rng = campaign_seed(k);
    struct needs needs = {.capacity = berth_rng_below(&rng, 12), .n = 1 + berth_rng_below(&rng, MOST)};
    uint64_t largest = 0;
    uint64_t all = 0;
    for (uint64_t n = 1; n <= needs.n; n++) {
      uint64_t slope = k % 3 == 0 ? n / 8 : 0;
      needs.at[n] = slope + berth_rng_below(&rng, k % 5 == 0 ? 3 : 14);
      largest = needs.at[n] <= needs.capacity ? n : largest;
      all = all == n - 1 && needs.at[n] <= needs.capacity ? n : all;
    }
    struct berth_fit_search search = run(&needs, 10000);
    expect(&search, largest, all, true);
    ck_assert(!search.has_misfit || needs.at[search.misfit] > needs.capacity);
    ck_assert(all == needs.n || search.misfit <= (largest > all ? largest : all + 1));
    struct berth_fit_search cut = run(&needs, 1 + berth_rng_below(&rng, 8));
    ck_assert(!cut.has_misfit || needs.at[cut.misfit] > needs.capacity);
    ck_assert(!cut.has_largest || needs.at[cut.largest] <= needs.capacity);
    ck_assert(!cut.has_all || cut.all <= all);
    ck_assert(!cut.largest_is_known || (cut.has_largest ? cut.largest : 0) == largest);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "planner/symbols/fit", (const TTest *const[]){
                                 reported_cases, ends_of_the_range, growing_needs_take_few_questions,
                                 what_ends_early_says_what_it_found, what_is_not_known_is_not_said,
                                 random_needs_against_every_number, NULL});
}
