/* The text format 0.0.4: HELP, TYPE, then the series. A help text escapes backslash and newline, a label
 * value also the quotation mark. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/solve.h"
#include "metrics/store.h"

#ifndef BERTH_VERSION
#define BERTH_VERSION "0.0.0"
#endif

static const char *const KIND_WORDS[] = {"counter", "gauge", "histogram"};

static void put_escaped(FILE *to, const char *text, bool is_label) {
  for (; *text != '\0'; text++) {
    if (*text == '\n') {
      fputs("\\n", to);
    } else if (*text == '\\' || (is_label && *text == '"')) {
      fprintf(to, "\\%c", *text);
    } else {
      fputc(*text, to);
    }
  }
}

static void put_number(FILE *to, double value) {
  if (isinf(value)) {
    fputs(value > 0 ? "+Inf" : "-Inf", to);
  } else if (isnan(value)) {
    fputs("NaN", to);
  } else if (value == floor(value) && fabs(value) < 9e15) {
    fprintf(to, "%" PRId64, (int64_t)value);
  } else {
    fprintf(to, "%.17g", value);
  }
}

static void put_head(FILE *to, const char *name, const char *help, const char *kind) {
  fprintf(to, "# HELP %s ", name);
  put_escaped(to, help, false);
  fprintf(to, "\n# TYPE %s %s\n", name, kind);
}

/* One line's labels: the two dimensions and, in a bucket, its bound. */
static void
put_labels(FILE *to, const struct berthd_metric_info *info, unsigned a, unsigned b, const double *bound) {
  const enum berthd_dimension dimensions[] = {info->a, info->b};
  const unsigned values[] = {a, b};
  const char *before = "{";
  for (int i = 0; i < 2; i++) {
    if (dimensions[i] != BERTHD_DIMENSION_NONE) {
      const struct berthd_dimension_info *dimension = &berthd_dimension_infos[dimensions[i]];
      fprintf(to, "%s%s=\"", before, dimension->key);
      put_escaped(to, dimension->values[values[i]], true);
      fputc('"', to);
      before = ",";
    }
  }
  if (bound != NULL) {
    fprintf(to, "%sle=\"", before);
    if (isinf(*bound)) {
      fputs("+Inf", to);
    } else {
      fprintf(to, "%g", *bound);
    }
    fputc('"', to);
    before = ",";
  }
  if (*before == ',') {
    fputc('}', to);
  }
}

static void put_histogram(
    FILE *to, const struct berthd_metric_info *info, const atomic_uint_least64_t *series, unsigned a,
    unsigned b) {
  uint64_t n_seen = 0;
  for (unsigned i = 0; i <= info->n_bounds; i++) {
    double bound = i < info->n_bounds ? info->bounds[i] : INFINITY;
    n_seen += atomic_load_explicit(&series[i], memory_order_relaxed);
    fprintf(to, "%s_bucket", info->name);
    put_labels(to, info, a, b, &bound);
    fprintf(to, " %" PRIu64 "\n", n_seen);
  }
  fprintf(to, "%s_sum", info->name);
  put_labels(to, info, a, b, NULL);
  fputc(' ', to);
  put_number(to, berthd_metrics_word_value(&series[info->n_bounds + 1]));
  fprintf(to, "\n%s_count", info->name);
  put_labels(to, info, a, b, NULL);
  fprintf(to, " %" PRIu64 "\n", n_seen);
}

/* Statuses multiply a histogram by 17; those other than OK show once they have happened. */
static bool is_shown(const struct berthd_metrics *metrics, unsigned metric, unsigned a, unsigned b) {
  const struct berthd_metric_info *info = &berthd_metric_infos[metric];
  bool is_rare =
      info->kind == BERTHD_HISTOGRAM && info->b == BERTHD_DIMENSION_STATUS && b != BERTHD_STATUS_OK;
  return !is_rare || berthd_metrics_get(metrics, (enum berthd_metric)metric, a, b) > 0;
}

static void put_metric(FILE *to, const struct berthd_metrics *metrics, unsigned metric) {
  const struct berthd_metric_info *info = &berthd_metric_infos[metric];
  put_head(to, info->name, info->help, KIND_WORDS[info->kind]);
  for (unsigned a = 0; a < berthd_dimension_infos[info->a].n_values; a++) {
    for (unsigned b = 0; b < berthd_dimension_infos[info->b].n_values; b++) {
      if (!is_shown(metrics, metric, a, b)) {
        continue;
      }
      const atomic_uint_least64_t *series = berthd_metrics_series(metrics, (enum berthd_metric)metric, a, b);
      if (info->kind == BERTHD_HISTOGRAM) {
        put_histogram(to, info, series, a, b);
        continue;
      }
      fputs(info->name, to);
      put_labels(to, info, a, b, NULL);
      fputc(' ', to);
      put_number(to, berthd_metrics_word_value(series));
      fputc('\n', to);
    }
  }
}

static void put_single(FILE *to, const char *name, const char *kind, const char *help, double value) {
  put_head(to, name, help, kind);
  fprintf(to, "%s ", name);
  put_number(to, value);
  fputc('\n', to);
}

static void put_process(FILE *to) {
  struct berthd_process_figures figures;
  berthd_process_read(&figures);
  put_single(
      to, "process_cpu_seconds_total", "counter", "User and system CPU time spent.", figures.cpu_seconds);
  put_single(to, "process_resident_memory_bytes", "gauge", "Resident memory.", figures.resident_bytes);
  put_single(to, "process_virtual_memory_bytes", "gauge", "Virtual memory.", figures.virtual_bytes);
  put_single(
      to, "process_start_time_seconds", "gauge", "Start time of the process since 1970.",
      figures.start_seconds);
  put_single(to, "process_open_fds", "gauge", "Open file descriptors.", figures.n_open_fds);
  put_single(to, "process_max_fds", "gauge", "Most file descriptors that may be open.", figures.max_fds);
  put_single(to, "process_threads", "gauge", "Threads of the process.", figures.n_threads);
}

char *berthd_metrics_expose(const struct berthd_metrics *metrics, size_t *out_size) {
  char *text = NULL;
  FILE *to = open_memstream(&text, out_size);
  if (to == NULL) {
    return NULL;
  }
  for (unsigned i = 0; i < BERTHD_N_METRICS; i++) {
    put_metric(to, metrics, i);
  }
  put_head(to, "berth_build_info", "What runs: always 1.", "gauge");
  fprintf(to, "berth_build_info{version=\"%s\",engine=\"%d\"} 1\n", BERTH_VERSION, BERTH_ENGINE_VERSION);
  put_process(to);
  bool failed = ferror(to) != 0;
  if (fclose(to) != 0 || failed) {
    free(text);
    return NULL;
  }
  return text;
}
