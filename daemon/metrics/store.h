/* How metrics lie in memory: one array of atomic words; the table says where each series begins. */
#ifndef METRICS_STORE_H
#define METRICS_STORE_H

#include <stdatomic.h>

#include "metrics/metrics.h"

enum berthd_metric_kind { BERTHD_COUNTER, BERTHD_GAUGE, BERTHD_HISTOGRAM };

#define BERTHD_MAX_BUCKETS 24

struct berthd_metric_info {
  enum berthd_metric_kind kind;
  const char *name;
  const char *help;
  enum berthd_dimension a;
  enum berthd_dimension b;
  const double *bounds; /* of a histogram */
  unsigned n_bounds;
};

struct berthd_dimension_info {
  const char *key;
  const char *const *values;
  unsigned n_values;
};

extern const struct berthd_metric_info berthd_metric_infos[BERTHD_N_METRICS];
extern const struct berthd_dimension_info berthd_dimension_infos[BERTHD_N_DIMENSIONS];

/* A counter or gauge is one word, the bits of a double. A histogram is one count a bucket (the last is +Inf),
 * then the bits of the sum. */
struct berthd_metrics {
  unsigned begin[BERTHD_N_METRICS + 1];
  atomic_uint_least64_t words[];
};

/* The first word of a series. */
const atomic_uint_least64_t *berthd_metrics_series(
    const struct berthd_metrics *metrics, enum berthd_metric metric, unsigned a, unsigned b);
double berthd_metrics_word_value(const atomic_uint_least64_t *word);

/* process_* of the Prometheus conventions. */
struct berthd_process_figures {
  double cpu_seconds;
  double resident_bytes;
  double virtual_bytes;
  double start_seconds; /* since 1970 */
  double n_open_fds;
  double max_fds;
  double n_threads;
};
/* What cannot be read is left at 0. */
void berthd_process_read(struct berthd_process_figures *out_figures);

#endif
