/* Two walks over one range: from above, for the largest that fits; then from below, for the first that does
 * not. Each keeps the stretches that are left on a stack; a cut adds one, so that 64 cuts deep is all there
 * is. */
#include "berth/fit.h"

enum phase { FROM_ABOVE = 0, FROM_BELOW, ENDED };

static void push(struct berth_fit_search *search, uint64_t lower, uint64_t upper) {
  search->stretches[search->n_stretches++] =
      (struct berth_fit_question){.lower = lower, .upper = upper, .sizes = BERTH_SIZES_LARGEST};
}

void berth_fit_init(struct berth_fit_search *search, uint64_t lower, uint64_t upper, uint32_t max_questions) {
  *search = (struct berth_fit_search){
      .first = lower, .last = upper, .max_questions = max_questions, .largest_is_known = true};
  push(search, lower, upper);
}

/* From below nothing new is to be learnt above the largest. */
static void go_down(struct berth_fit_search *search) {
  search->phase = search->has_largest ? FROM_BELOW : ENDED;
  search->n_stretches = 0;
  search->all_is_known = !search->has_largest && search->largest_is_known;
  if (search->has_largest) {
    push(search, search->first, search->largest);
  }
}

bool berth_fit_next(struct berth_fit_search *search, struct berth_fit_question *out_question) {
  if (search->n_stretches == 0 && search->phase == FROM_ABOVE) {
    go_down(search);
  } else if (search->n_stretches == 0 && search->phase == FROM_BELOW) {
    search->phase = ENDED; /* all up to the largest fit: the next is known as well as the largest is */
    search->all_is_known = search->largest_is_known;
  }
  if (search->phase == ENDED) {
    return false;
  }
  if (search->n_questions == search->max_questions) {
    search->is_cut = true;
    search->largest_is_known = search->largest_is_known && search->phase != FROM_ABOVE;
    search->phase = ENDED;
    return false;
  }
  search->n_questions++;
  search->asked = *out_question = search->stretches[search->n_stretches - 1];
  return true;
}

/* The half that the walk comes to first is pushed last. */
static void cut(struct berth_fit_search *search, struct berth_fit_question stretch) {
  uint64_t middle = stretch.lower + (stretch.upper - stretch.lower) / 2;
  if (search->phase == FROM_ABOVE) {
    push(search, stretch.lower, middle);
    push(search, middle + 1, stretch.upper);
  } else {
    push(search, middle + 1, stretch.upper);
    push(search, stretch.lower, middle);
  }
}

static void fits(struct berth_fit_search *search, struct berth_fit_question stretch) {
  if (search->phase == FROM_ABOVE) {
    search->has_largest = true;
    search->largest = stretch.upper;
    go_down(search);
  } else {
    search->has_all = true;
    search->all = stretch.upper;
    search->n_stretches--;
  }
}

/* A single number that does not fit, or a stretch of such. */
static void misfits(struct berth_fit_search *search, bool is_proven) {
  search->n_stretches--;
  if (search->phase == FROM_ABOVE) {
    search->largest_is_known = search->largest_is_known && is_proven;
  } else {
    search->all_is_known = is_proven;
    search->phase = ENDED;
  }
}

void berth_fit_tell(struct berth_fit_search *search, enum berth_fit_answer answer) {
  struct berth_fit_question stretch = search->asked;
  bool is_one = stretch.lower == stretch.upper;
  if (stretch.sizes == BERTH_SIZES_LARGEST && answer == BERTH_FIT_YES) {
    fits(search, stretch);
  } else if (is_one || (stretch.sizes == BERTH_SIZES_SMALLEST && answer == BERTH_FIT_NO)) {
    misfits(search, answer == BERTH_FIT_NO);
  } else if (stretch.sizes == BERTH_SIZES_LARGEST) {
    search->stretches[search->n_stretches - 1].sizes = BERTH_SIZES_SMALLEST;
  } else {
    search->n_stretches--;
    cut(search, stretch);
  }
}
