#include "output/syncs.h"

#include <inttypes.h>
#include <stdio.h>

#include "output/table.h"
#include "text/units.h"

enum { N_ROWS_SHOWN = 15, NAME_SIZE = 128 };

static void print_figures(const struct berth_plan *plan) {
  const struct berth_sync_result *sync = &plan->sync;
  printf(
      "  %-15s %10s  at %s bytes each: %s bytes\n", "added waits", berth_units_grouped(plan->n_syncs).text,
      berth_units_grouped(sync->cost_bytes).text, berth_units_grouped(berth_plan_sync_cost(plan)).text);
  if (sync->without_bytes == BERTH_UNLIMITED) {
    printf("  %-15s %10s  no plan was found\n", "without them", "");
  } else if (plan->n_syncs != 0) {
    uint64_t saved = sync->without_bytes - plan->arena_bytes;
    printf(
        "  %-15s %10s  %20s bytes  %s saved, %s a wait\n", "without them",
        berth_units_bytes(sync->without_bytes).text, berth_units_grouped(sync->without_bytes).text,
        berth_units_grouped(saved).text, berth_units_grouped(saved / plan->n_syncs).text);
  }
  printf(
      "  %-15s %10s  %20s bytes, arena and waits together\n", "at least",
      berth_units_bytes(sync->bound_bytes).text, berth_units_grouped(sync->bound_bytes).text);
}

static void
put_operator(const struct berth_problem *problem, uint32_t op, char name[NAME_SIZE], char stream[NAME_SIZE]) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  berthctl_text_name(berth_problem_operator_id(problem, op), op, name, NAME_SIZE);
  snprintf(stream, NAME_SIZE, "%u", graph->operator_stream[op]);
}

void berthctl_syncs_print(
    const struct berth_json_plan *what, bool all, const struct berthctl_terminal *terminal) {
  const struct berth_plan *plan = what->plan;
  if (!plan->sync.is_asked || plan->offset == NULL) {
    return;
  }
  print_figures(plan);
  if (plan->n_syncs == 0 || what->problem == NULL || berth_problem_graph(what->problem) == NULL) {
    return;
  }
  static const struct berthctl_column COLUMNS[] = {
      {"OPERATOR", false, true},
      {"STREAM", true, false},
      {"MUST WAIT FOR", false, true},
      {"STREAM", true, false}};
  uint32_t n = all || plan->n_syncs <= N_ROWS_SHOWN ? plan->n_syncs : N_ROWS_SHOWN;
  struct berthctl_table table;
  berthctl_table_init(&table, terminal, COLUMNS, 4);
  for (uint32_t i = 0; i < n; i++) {
    char name[2][NAME_SIZE];
    char stream[2][NAME_SIZE];
    put_operator(what->problem, plan->syncs[i].waiter, name[0], stream[0]);
    put_operator(what->problem, plan->syncs[i].signaller, name[1], stream[1]);
    berthctl_table_row(&table, (const char *const[]){name[0], stream[0], name[1], stream[1]}, 4);
  }
  berthctl_table_finish(&table);
  if (n < plan->n_syncs) {
    printf("and %s more waits; --all shows every one\n", berth_units_grouped(plan->n_syncs - n).text);
  }
}
