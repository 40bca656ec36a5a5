/* A bisection for what is quickly known, then two walks over what it leaves open: from above, for the largest
 * that fits; then from below, for the first that does not. The walks keep the stretches that are left on a
 * stack; a cut adds one, so that 64 cuts deep is all there is. */
#include "berth/fit.h"

enum phase { BISECTION = 0, FROM_ABOVE, FROM_BELOW, ENDED };

static void push(struct berth_fit_search *search, uint64_t lower, uint64_t upper) {
  search->stretches[search->n_stretches++] =
      (struct berth_fit_question){.lower = lower, .upper = upper, .sizes = BERTH_SIZES_LARGEST};
}

void berth_fit_init(struct berth_fit_search *search, uint64_t lower, uint64_t upper, uint32_t max_questions) {
  *search = (struct berth_fit_search){
      .first = lower,
      .last = upper,
      .max_questions = max_questions,
      .largest_is_known = true,
      .is_left = true,
      .top = upper,
      .reach = upper};
  push(search, lower, upper);
}

/* The first number that is not known to fit with all before it. */
static uint64_t after_all(const struct berth_fit_search *search) {
  return search->has_all ? search->all + 1 : search->first;
}

static void take_fits(struct berth_fit_search *search, uint64_t upper) {
  search->has_all = true;
  search->all = upper;
  if (!search->has_largest || upper > search->largest) {
    search->has_largest = true;
    search->largest = upper;
  }
}

static void take_misfit(struct berth_fit_search *search, uint64_t lower) {
  search->misfit = search->has_misfit && search->misfit < lower ? search->misfit : lower;
  search->has_misfit = true;
}

/* ---- From one phase to the next ---- */

/* From below nothing new is to be learnt above the largest. */
static void go_down(struct berth_fit_search *search) {
  bool is_below = search->has_largest && after_all(search) <= search->largest;
  search->phase = is_below ? FROM_BELOW : ENDED;
  search->n_stretches = 0;
  search->all_is_known = !is_below && search->largest_is_known;
  if (is_below) {
    push(search, after_all(search), search->largest);
  }
}

static void leave_bisection(struct berth_fit_search *search) {
  search->phase = FROM_ABOVE;
  search->n_stretches = 0;
  if (search->is_left && after_all(search) <= search->top) {
    push(search, after_all(search), search->top);
  } else {
    go_down(search);
  }
}

/* The next number of the bisection, with all below it that are not known to fit. */
static void bisect(struct berth_fit_search *search) {
  uint64_t lower = after_all(search);
  search->n_stretches = 0;
  if (!search->is_left || lower > search->reach) {
    leave_bisection(search);
  } else {
    push(search, lower, lower + (search->reach - lower) / 2);
  }
}

void berth_fit_stop(struct berth_fit_search *search) {
  if (search->phase != ENDED) {
    search->is_cut = true;
    search->largest_is_known = search->largest_is_known && search->phase == FROM_BELOW;
    search->phase = ENDED;
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
    berth_fit_stop(search);
    return false;
  }
  search->n_questions++;
  search->asked = *out_question = search->stretches[search->n_stretches - 1];
  return true;
}

/* ---- Answers ---- */

/* None from `lower` on fits. */
static void take_top(struct berth_fit_search *search, uint64_t lower) {
  take_misfit(search, lower);
  search->is_left = lower > search->first;
  search->top = search->is_left ? lower - 1 : 0;
}

/* After what does not fit with the largest sizes up to `reach`: the bisection goes on below. */
static void bisect_below(struct berth_fit_search *search) {
  if (search->reach <= after_all(search)) {
    leave_bisection(search);
  } else {
    search->reach--;
    bisect(search);
  }
}

static void tell_bisection(struct berth_fit_search *search, enum berth_fit_answer answer) {
  struct berth_fit_question asked = search->asked;
  bool is_one = asked.lower == asked.upper;
  if (asked.sizes == BERTH_SIZES_LARGEST && answer == BERTH_FIT_YES) {
    take_fits(search, asked.upper);
    bisect(search);
    return;
  }
  if (is_one && answer == BERTH_FIT_NO) {
    take_misfit(search, asked.lower);
  }
  bool is_above_asked = asked.sizes == BERTH_SIZES_SMALLEST || (is_one && asked.upper == search->top);
  if (!is_above_asked) { /* does anything from there on fit? The first time: does anything at all? */
    bool is_first = search->n_questions == 1;
    search->reach = asked.upper;
    search->stretches[0] = (struct berth_fit_question){
        .lower = is_first ? search->first : asked.upper, .upper = search->top, .sizes = BERTH_SIZES_SMALLEST};
    return;
  }
  if (answer == BERTH_FIT_NO) {
    take_top(search, asked.lower);
  }
  bisect_below(search);
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
    bool is_next = stretch.lower == after_all(search);
    search->has_largest = true;
    search->largest = stretch.upper;
    if (is_next) {
      take_fits(search, stretch.upper);
    }
    go_down(search);
  } else {
    take_fits(search, stretch.upper);
    search->n_stretches--;
  }
}

/* A single number that does not fit, or a stretch of such. */
static void misfits(struct berth_fit_search *search, struct berth_fit_question stretch, bool is_proven) {
  search->n_stretches--;
  if (is_proven) {
    take_misfit(search, stretch.lower);
  }
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
  if (search->phase == BISECTION) {
    tell_bisection(search, answer);
  } else if (stretch.sizes == BERTH_SIZES_LARGEST && answer == BERTH_FIT_YES) {
    fits(search, stretch);
  } else if (is_one || (stretch.sizes == BERTH_SIZES_SMALLEST && answer == BERTH_FIT_NO)) {
    misfits(search, stretch, answer == BERTH_FIT_NO);
  } else if (stretch.sizes == BERTH_SIZES_LARGEST) {
    search->stretches[search->n_stretches - 1].sizes = BERTH_SIZES_SMALLEST;
  } else {
    search->n_stretches--;
    cut(search, stretch);
  }
}
