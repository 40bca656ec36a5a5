/* The largest number of a symbol at which a problem fits. Sizes need not grow with the symbol, so that no
 * bisection is trusted: stretches of numbers are asked about as a whole.
 *
 *   where the problem with the largest sizes of a stretch fits, every number in it does, at the same offsets;
 *   where the one with the smallest sizes is proven not to, none does;
 *   else the stretch is cut in two, down to single numbers.
 *
 * It begins with a bisection that only believes such answers: after a few questions there is a number up to
 * which all fit, and one from which on none does, and where sizes grow that is all. What lies between them is
 * then walked through. So a search that ends early has something to say.
 *
 * The search asks, the caller plans and tells (BERTH_SIZES_LARGEST or _SMALLEST over [lower, upper], see
 * symbols.h):
 *
 *   berth_fit_init(&search, 1, 4096, 500);
 *   while (berth_fit_next(&search, &question)) {
 *     berth_fit_tell(&search, answer to question);
 *   }
 */
#ifndef BERTH_FIT_H
#define BERTH_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/symbols.h"

enum berth_fit_answer {
  BERTH_FIT_YES = 0, /* there is a plan */
  BERTH_FIT_NO,      /* proven: there is none */
  BERTH_FIT_UNKNOWN, /* neither was found */
};

struct berth_fit_question {
  uint64_t lower;
  uint64_t upper;
  enum berth_sizes sizes;
};

enum { BERTH_FIT_MAX_STRETCHES = 130 };

struct berth_fit_search {
  /* What was found, as far as it has come. */
  bool has_largest;      /* some number fits */
  uint64_t largest;      /* the largest that was found to */
  bool largest_is_known; /* none above it fits, proven, up to the end of the range */
  bool has_all;          /* the first number fits */
  uint64_t all;          /* all from the first up to here fit */
  bool all_is_known;     /* the next one does not, proven; or there is none in the range */
  bool has_misfit;       /* some number is proven not to fit */
  uint64_t misfit;       /* the smallest that is */
  bool is_cut;           /* the questions ended before the search did */
  uint32_t n_questions;

  /* The search itself. */
  uint64_t first;
  uint64_t last;
  uint32_t max_questions;
  int phase;
  bool is_left;   /* what is not known yet is [first that is not known to fit, top] */
  uint64_t top;   /* none above it fits, proven */
  uint64_t reach; /* of the bisection */
  uint32_t n_stretches;
  struct berth_fit_question stretches[BERTH_FIT_MAX_STRETCHES]; /* the next one last */
  struct berth_fit_question asked;
};

/* lower <= upper, which is below UINT64_MAX. */
void berth_fit_init(struct berth_fit_search *search, uint64_t lower, uint64_t upper, uint32_t max_questions);
/* False at the end. */
bool berth_fit_next(struct berth_fit_search *search, struct berth_fit_question *out_question);
void berth_fit_tell(struct berth_fit_search *search, enum berth_fit_answer answer);
/* Ends it with what was found so far; a question that was asked need not be answered. */
void berth_fit_stop(struct berth_fit_search *search);

#endif
