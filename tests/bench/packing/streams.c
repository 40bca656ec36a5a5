/* Graphs on several streams: what is live together is a partial order, and the bound its heaviest antichain.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "bench.h"

enum family { FORWARD, BACKWARD, LAYERS, LOOSE, N_FAMILIES };
static const char *const NAMES[N_FAMILIES] = {"forward", "backward", "layers", "loose"};

enum { MOST_READS = 4, REACH = 12, SKIP = 400 };

struct graph {
  struct berth_problem_builder *builder;
  struct berth_rng rng;
  enum family family;
  uint32_t n_streams;
  uint32_t n;
  uint32_t *value;  /* of each operator */
  uint32_t *stream; /* of each operator */
};

static uint32_t stream_of(struct graph *graph, uint32_t k) {
  return graph->family == LAYERS ? k % graph->n_streams : berth_rng_below(&graph->rng, graph->n_streams);
}

/* An operator before `k`: near it mostly. */
static uint32_t earlier(struct graph *graph, uint32_t k) {
  uint32_t reach = berth_rng_below(&graph->rng, 20) == 0 ? SKIP : REACH;
  reach = reach < k ? reach : k;
  return k - 1 - berth_rng_below(&graph->rng, reach);
}

static uint32_t choose_reads(struct graph *graph, uint32_t k, uint32_t *reads) {
  uint32_t n = 0;
  uint32_t width = graph->n_streams;
  if (k == 0) {
    return 0;
  }
  if (graph->family == BACKWARD && k >= graph->n / 2) { /* what its twin on the way forward made */
    reads[n++] = graph->n - 1 - k;
  }
  for (uint32_t want = 1 + berth_rng_below(&graph->rng, 2); want > 0; want--) {
    uint32_t read = earlier(graph, k);
    if (graph->family == LAYERS && k >= width) {
      read = k / width * width - width + berth_rng_below(&graph->rng, width);
    }
    bool stays = graph->family == LOOSE && berth_rng_below(&graph->rng, 20) != 0;
    for (uint32_t tries = 0; stays && tries < SKIP && read > 0 && graph->stream[read] != graph->stream[k];
         tries++) {
      read--;
    }
    if (!stays || graph->stream[read] == graph->stream[k]) {
      reads[n++] = read;
    }
  }
  return n;
}

static bool add(struct graph *graph, uint32_t k) {
  struct berth_value_spec value = berth_value_spec_default();
  struct berth_operator_spec operator= berth_operator_spec_default();
  uint32_t reads[MOST_READS], inputs[MOST_READS], waits[MOST_READS];
  value.size_bytes =
      64 * (UINT64_C(1) + berth_rng_below(&graph->rng, 1u << berth_rng_below(&graph->rng, 12)));
  operator.stream = graph->stream[k] = stream_of(graph, k);
  uint32_t n_reads = choose_reads(graph, k, reads);
  for (uint32_t r = 0; r < n_reads; r++) {
    bool again = false;
    for (uint32_t q = 0; q < operator.n_inputs; q++) {
      again = again || inputs[q] == graph->value[reads[r]];
    }
    if (!again) {
      inputs[operator.n_inputs++] = graph->value[reads[r]];
      waits[operator.n_waits] = reads[r];
      operator.n_waits += graph->stream[reads[r]] != operator.stream;
    }
  }
  operator.inputs = inputs;
  operator.waits = waits;
  operator.outputs = & graph->value[k];
  operator.n_outputs = 1;
  return berth_problem_builder_add_value(graph->builder, &value, &graph->value[k], NULL) == BERTH_OK &&
         berth_problem_builder_add_operator(graph->builder, &operator, NULL, NULL) == BERTH_OK;
}

static struct berth_problem *make(enum family family, uint32_t n, uint32_t n_streams) {
  struct graph graph = {.rng = {.state = n + n_streams}, .family = family, .n_streams = n_streams, .n = n};
  struct berth_problem *problem = NULL;
  graph.value = calloc(n, sizeof *graph.value);
  graph.stream = calloc(n, sizeof *graph.stream);
  bool ok = graph.value != NULL && graph.stream != NULL &&
            berth_problem_builder_create(NULL, &graph.builder, NULL) == BERTH_OK;
  for (uint32_t k = 0; ok && k < n; k++) {
    ok = add(&graph, k);
  }
  if (!ok || berth_problem_builder_finish(graph.builder, &problem, NULL) != BERTH_OK) {
    problem = NULL;
  }
  berth_problem_builder_destroy(graph.builder);
  free(graph.value);
  free(graph.stream);
  return problem;
}

static int
run(enum family family, uint32_t n, uint32_t n_streams, const struct bench_options *options, double *worst) {
  struct berth_problem *problem = make(family, n, n_streams);
  struct bench_row row;
  char name[64];
  snprintf(name, sizeof name, "streams/%s-%u-%u", NAMES[family], n, n_streams);
  bool ok = problem != NULL && bench_solve(name, problem, options, &row);
  if (ok) {
    bench_print(&row);
    double gap = 100 * ((double)row.arena_bytes / (double)row.bound_bytes - 1);
    *worst = gap > *worst ? gap : *worst;
  }
  berth_problem_unref(problem);
  return ok ? 0 : 1;
}

static int
run_syncs(enum family family, uint32_t n, uint32_t n_streams, const struct bench_options *options) {
  struct berth_problem *problem = make(family, n, n_streams);
  char name[64];
  snprintf(name, sizeof name, "syncs/%s-%u-%u", NAMES[family], n, n_streams);
  int n_failed = problem != NULL ? bench_syncs(name, problem, options) : 1;
  berth_problem_unref(problem);
  return n_failed;
}

int bench_streams_with_syncs(const struct bench_options *options) {
  static const uint32_t N_STREAMS[] = {2, 8};
  static const uint32_t SIZES[] = {100, 1000, 10000};
  int n_failed = 0;
  bench_syncs_head();
  for (size_t s = 0; s < sizeof SIZES / sizeof SIZES[0]; s++) {
    for (int family = 0; family < N_FAMILIES; family++) {
      for (size_t k = 0; k < sizeof N_STREAMS / sizeof N_STREAMS[0]; k++) {
        n_failed += run_syncs((enum family)family, SIZES[s], N_STREAMS[k], options);
      }
    }
  }
  return n_failed;
}

int bench_streams(const struct bench_options *options) {
  static const uint32_t N_STREAMS[] = {2, 4, 8, 16};
  static const uint32_t SIZES[] = {1000, 10000};
  int n_failed = 0;
  double worst = 0;
  for (size_t s = 0; s < sizeof SIZES / sizeof SIZES[0]; s++) {
    for (int family = 0; family < N_FAMILIES; family++) {
      for (size_t k = 0; k < sizeof N_STREAMS / sizeof N_STREAMS[0]; k++) {
        n_failed += run((enum family)family, SIZES[s], N_STREAMS[k], options, &worst);
      }
    }
  }
  bench_bar("graphs on streams: the worst gap to the bound", worst, "%", true, 5);
  return n_failed;
}
