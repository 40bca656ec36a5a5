/* Counters, gauges and histograms: one table (metrics_table.h) gives the enum, the storage and the
 * exposition. Lock-free; any thread may write and read. Labels are indices into fixed sets: no text from a
 * request can become a label. All series are there from the start, at 0 (of a histogram by status: those with
 * status OK). */
#ifndef METRICS_METRICS_H
#define METRICS_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "metrics/metrics_table.h"

struct berthd_metrics;

/* NULL if memory ran out. */
struct berthd_metrics *berthd_metrics_create(void);
void berthd_metrics_destroy(struct berthd_metrics *metrics);

/* All of these accept metrics == NULL and then do nothing. `a` and `b` are the values of the metric's two
 * label dimensions, 0 where it has none. */
void berthd_metrics_add(
    struct berthd_metrics *metrics, enum berthd_metric metric, unsigned a, unsigned b, double n);
void berthd_metrics_set(
    struct berthd_metrics *metrics, enum berthd_metric metric, unsigned a, unsigned b, double value);
void berthd_metrics_observe(
    struct berthd_metrics *metrics, enum berthd_metric metric, unsigned a, unsigned b, double value);
/* The value of a counter or gauge, the count of a histogram. */
double
berthd_metrics_get(const struct berthd_metrics *metrics, enum berthd_metric metric, unsigned a, unsigned b);

/* The Prometheus text format 0.0.4, with process_* read from /proc. *out_text is freed with free(); NULL if
 * memory ran out. */
char *berthd_metrics_expose(const struct berthd_metrics *metrics, size_t *out_size);

#endif
