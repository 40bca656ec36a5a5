#include "campaign.h"

#include <stdlib.h>

enum { SLOWER = 20 };

static uint32_t from_environment(const char *name, uint32_t otherwise) {
  const char *text = getenv(name);
  return text != NULL && *text != '\0' ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

struct campaign campaign_plan(uint32_t n_problems) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
  n_problems = n_problems / SLOWER + 1;
#endif
  n_problems = from_environment("BERTH_PROPERTY_PROBLEMS", n_problems);
  uint32_t only = from_environment("BERTH_PROPERTY_ONLY", UINT32_MAX);
  if (only != UINT32_MAX) {
    return (struct campaign){only, only + 1};
  }
  uint32_t first = from_environment("BERTH_PROPERTY_FIRST", 0);
  return (struct campaign){first, first + n_problems};
}

struct berth_rng campaign_seed(uint32_t k) {
  struct berth_rng rng = {UINT64_C(0x6265727468) * (k + UINT64_C(1))};
  berth_rng_next(&rng);
  return rng;
}
