/* tests/data/known-answers.json as samples. */
#ifndef TESTS_CASES_H
#define TESTS_CASES_H

#include "sample.h"

enum { CASE_MAX_BUFFERS = 8, CASE_MAX_PAIRS = 2 };

struct known_case {
  char id[40];
  struct sample sample; /* without what is permitted in place */
  uint32_t n_in_place;
  uint32_t in_place[CASE_MAX_PAIRS][2]; /* operand, result */
  uint64_t lower_bound;
  uint64_t optimum;
  uint64_t plan[CASE_MAX_BUFFERS];
  bool has_wrong_arena;
  uint64_t wrong_arena;
};

/* Fails the test if the file is not as described. *out_cases is freed with known_cases_free. */
struct known_case *known_cases_load(uint32_t *out_n);
void known_cases_free(struct known_case *cases, uint32_t n);

#endif
