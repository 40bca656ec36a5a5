/* What is told of plans that are kept: one shape for who keeps them, the wire, and who asks. */
#ifndef PLANID_STORED_H
#define PLANID_STORED_H

#include <stdint.h>

#include "berth/plan.h"
#include "planid/planid.h"

#define BERTH_PAGE_SIZE_DEFAULT 50
#define BERTH_PAGE_SIZE_MOST 1000
#define BERTH_PAGE_TOKEN_SIZE 24 /* with NUL */

struct berth_stored_plan {
  char plan_id[BERTH_PLANID_HEX_SIZE];
  enum berth_plan_status status;
  uint32_t n_buffers;
  uint64_t arena_bytes;
  uint64_t lower_bound_bytes;
  uint64_t peak_bytes;
  uint64_t naive_bytes;
  double solve_seconds; /* that planning took */
  uint64_t stored_bytes;
  uint64_t n_measurements;
  double highest_ratio; /* of all measurements; 0: there are none */
};

#define BERTH_MEASUREMENT_SOURCE_SIZE 64 /* with NUL */
#define BERTH_MEASUREMENTS_KEPT 8

/* A peak that a profiler measured. */
struct berth_measurement {
  uint32_t pool;
  uint64_t measured_bytes;
  uint64_t planned_bytes; /* the pool's arena */
  double ratio;           /* of the measured bytes to the planned */
  char source[BERTH_MEASUREMENT_SOURCE_SIZE];
};

/* The newest few of one plan, and what is to be known of all. */
struct berth_measured {
  uint64_t n_all;
  double highest_ratio;
  uint32_t n; /* of the items, newest first */
  struct berth_measurement items[BERTH_MEASUREMENTS_KEPT];
};

#endif
