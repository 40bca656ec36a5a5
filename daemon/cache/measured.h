/* Peaks that profilers measured, kept with the plan that they were reported against: the newest few, and what
 * is to be known of all. They go when the plan goes, or is replaced by a better one, which they say nothing
 * about. */
#ifndef CACHE_MEASURED_H
#define CACHE_MEASURED_H

#include <stdint.h>

#define BERTHD_MEASUREMENTS_KEPT 8
#define BERTHD_SOURCE_SIZE 64 /* with NUL */

struct berthd_measurement {
  uint32_t pool;
  uint64_t measured_bytes;
  uint64_t planned_bytes; /* the pool's arena; greater than 0 */
  char source[BERTHD_SOURCE_SIZE];
};

static inline double berthd_measurement_ratio(const struct berthd_measurement *measurement) {
  return (double)measurement->measured_bytes / (double)measurement->planned_bytes;
}

struct berthd_measured {
  uint64_t n_all;
  double highest_ratio;
  uint32_t n; /* kept, newest first */
  struct berthd_measurement items[BERTHD_MEASUREMENTS_KEPT];
};

#endif
