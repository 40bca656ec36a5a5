/* How many random problems a test looks at, and which. BERTH_PROPERTY_PROBLEMS sets the number for all;
 * BERTH_PROPERTY_FIRST begins with another than 0, BERTH_PROPERTY_ONLY runs the one that a failure named.
 * Sanitizers and debug builds are slower and get fewer.
 */
#ifndef TESTS_CAMPAIGN_H
#define TESTS_CAMPAIGN_H

#include <stdint.h>

#include "base/rng.h"

struct campaign {
  uint32_t first;
  uint32_t end; /* numbers of problems, half-open */
};

struct campaign campaign_plan(uint32_t n_problems);
/* The generator of problem `k`. */
struct berth_rng campaign_seed(uint32_t k);

#endif
