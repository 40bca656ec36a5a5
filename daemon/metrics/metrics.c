#include "metrics/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/store.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define VALUE_TEXT(d, name, text) text,
#define X(dimension, key, values)                                                                            \
  static const char *const VALUES_##dimension[] = {values(VALUE_TEXT, dimension)};
BERTHD_DIMENSIONS(X)
#undef X

const struct berthd_dimension_info berthd_dimension_infos[BERTHD_N_DIMENSIONS] = {
#define X(dimension, key, values) {key, VALUES_##dimension, COUNT_OF(VALUES_##dimension)},
    BERTHD_DIMENSIONS(X)
#undef X
};

static const double BOUNDS_SECONDS[] = BERTHD_BUCKETS_SECONDS;
static const double BOUNDS_RATIO[] = BERTHD_BUCKETS_RATIO;
static const double BOUNDS_DRIFT[] = BERTHD_BUCKETS_DRIFT;
static const double BOUNDS_NONE[] = BERTHD_BUCKETS_NONE;
_Static_assert(COUNT_OF(BOUNDS_SECONDS) <= BERTHD_MAX_BUCKETS, "more buckets than the exposition expects");

const struct berthd_metric_info berthd_metric_infos[BERTHD_N_METRICS] = {
#define X(kind, enum_name, name, help, a, b, buckets)                                                        \
  {BERTHD_##kind,                                                                                            \
   name,                                                                                                     \
   help,                                                                                                     \
   BERTHD_DIMENSION_##a,                                                                                     \
   BERTHD_DIMENSION_##b,                                                                                     \
   BOUNDS_##buckets,                                                                                         \
   COUNT_OF(BOUNDS_##buckets)},
    BERTHD_METRICS(X)
#undef X
};

static unsigned n_series_words(const struct berthd_metric_info *info) {
  return info->kind == BERTHD_HISTOGRAM ? info->n_bounds + 2 : 1;
}

static unsigned n_metric_words(const struct berthd_metric_info *info) {
  return n_series_words(info) * berthd_dimension_infos[info->a].n_values *
         berthd_dimension_infos[info->b].n_values;
}

struct berthd_metrics *berthd_metrics_create(void) {
  unsigned n_words = 0;
  for (unsigned i = 0; i < BERTHD_N_METRICS; i++) {
    n_words += n_metric_words(&berthd_metric_infos[i]);
  }
  struct berthd_metrics *metrics = calloc(1, sizeof *metrics + n_words * sizeof metrics->words[0]);
  if (metrics == NULL) {
    return NULL;
  }
  for (unsigned i = 0; i < BERTHD_N_METRICS; i++) {
    metrics->begin[i + 1] = metrics->begin[i] + n_metric_words(&berthd_metric_infos[i]);
  }
  for (unsigned i = 0; i < n_words; i++) {
    atomic_init(&metrics->words[i], 0);
  }
  return metrics;
}

void berthd_metrics_destroy(struct berthd_metrics *metrics) {
  free(metrics);
}

static size_t
series_begin(const struct berthd_metrics *metrics, enum berthd_metric metric, unsigned a, unsigned b) {
  const struct berthd_metric_info *info = &berthd_metric_infos[metric];
  unsigned n_a = berthd_dimension_infos[info->a].n_values;
  unsigned n_b = berthd_dimension_infos[info->b].n_values;
  /* A value out of range is a defect, but counting must not break the service: the last value takes it. */
  a = a < n_a ? a : n_a - 1;
  b = b < n_b ? b : n_b - 1;
  return metrics->begin[metric] + (size_t)(a * n_b + b) * n_series_words(info);
}

const atomic_uint_least64_t *berthd_metrics_series(
    const struct berthd_metrics *metrics, enum berthd_metric metric, unsigned a, unsigned b) {
  return &metrics->words[series_begin(metrics, metric, a, b)];
}

static double as_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint64_t as_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

double berthd_metrics_word_value(const atomic_uint_least64_t *word) {
  return as_double(atomic_load_explicit(word, memory_order_relaxed));
}

static void add_to(atomic_uint_least64_t *word, double n) {
  uint64_t seen = atomic_load_explicit(word, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(
      word, &seen, as_bits(as_double(seen) + n), memory_order_relaxed, memory_order_relaxed)) {
  }
}

void berthd_metrics_add(
    struct berthd_metrics *metrics, enum berthd_metric metric, unsigned a, unsigned b, double n) {
  if (metrics != NULL) {
    add_to(&metrics->words[series_begin(metrics, metric, a, b)], n);
  }
}

void berthd_metrics_set(
    struct berthd_metrics *metrics, enum berthd_metric metric, unsigned a, unsigned b, double value) {
  if (metrics != NULL) {
    atomic_store_explicit(
        &metrics->words[series_begin(metrics, metric, a, b)], as_bits(value), memory_order_relaxed);
  }
}

void berthd_metrics_observe(
    struct berthd_metrics *metrics, enum berthd_metric metric, unsigned a, unsigned b, double value) {
  if (metrics == NULL || isnan(value)) {
    return;
  }
  const struct berthd_metric_info *info = &berthd_metric_infos[metric];
  atomic_uint_least64_t *series = &metrics->words[series_begin(metrics, metric, a, b)];
  unsigned bucket = 0;
  while (bucket < info->n_bounds && value > info->bounds[bucket]) {
    bucket++;
  }
  add_to(&series[info->n_bounds + 1], value);
  atomic_fetch_add_explicit(&series[bucket], 1, memory_order_relaxed);
}

double
berthd_metrics_get(const struct berthd_metrics *metrics, enum berthd_metric metric, unsigned a, unsigned b) {
  const struct berthd_metric_info *info = &berthd_metric_infos[metric];
  const atomic_uint_least64_t *series = berthd_metrics_series(metrics, metric, a, b);
  if (info->kind != BERTHD_HISTOGRAM) {
    return berthd_metrics_word_value(series);
  }
  uint64_t n = 0;
  for (unsigned i = 0; i <= info->n_bounds; i++) {
    n += atomic_load_explicit(&series[i], memory_order_relaxed);
  }
  return (double)n;
}
