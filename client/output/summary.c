#include "output/summary.h"

#include <inttypes.h>
#include <stdlib.h>

#include "berth/report.h"
#include "berth/together.h"
#include "output/stability.h"
#include "output/syncs.h"
#include "output/table.h"
#include "text/units.h"

enum { N_ROWS_SHOWN = 15, NAME_SIZE = 128 };

static const struct {
  enum berthctl_style style;
  const char *text;
} STATUSES[BERTH_N_PLAN_STATUSES] = {
    [BERTH_PLAN_OPTIMAL] = {BERTHCTL_STYLE_GOOD, "optimal: no plan needs less, proven"},
    [BERTH_PLAN_FEASIBLE] = {BERTHCTL_STYLE_GOOD, "feasible: valid, and not proven to be the least"},
    [BERTH_PLAN_CUT_SHORT] = {BERTHCTL_STYLE_WARN, "cut short by the deadline: another run may differ"},
    [BERTH_PLAN_INFEASIBLE] = {BERTHCTL_STYLE_BAD, "does not fit, proven"},
    [BERTH_PLAN_UNKNOWN] =
        {BERTHCTL_STYLE_WARN, "no plan within the capacity was found, and no proof that there is none"},
};

static void print_bytes(const char *label, uint64_t n_bytes, const char *more) {
  printf(
      "  %-15s %10s  %20s bytes%s\n", label, berth_units_bytes(n_bytes).text,
      berth_units_grouped(n_bytes).text, more);
}

static void print_head(const struct berthctl_summary *summary, const struct berthctl_terminal *terminal) {
  const struct berth_plan *plan = summary->what.plan;
  unsigned status = plan->status < BERTH_N_PLAN_STATUSES ? plan->status : BERTH_PLAN_UNKNOWN;
  printf(
      "%s%s%s  %s%s%s\n", berthctl_style(terminal->color, BERTHCTL_STYLE_BOLD),
      summary->what.name != NULL ? summary->what.name : "plan", berthctl_unstyle(terminal->color),
      berthctl_style(terminal->color, STATUSES[status].style), STATUSES[status].text,
      berthctl_unstyle(terminal->color));
}

static void print_figures(const struct berthctl_summary *summary) {
  const struct berth_plan *plan = summary->what.plan;
  char more[96] = "";
  if (plan->offset != NULL) {
    print_bytes("arena", plan->arena_bytes, "");
    snprintf(more, sizeof more, "  gap %.2f %%", 100 * berth_plan_gap(plan));
  }
  print_bytes("lower bound", plan->lower_bound_bytes, more);
  if (summary->capacity_bytes != BERTH_UNLIMITED) {
    print_bytes("capacity", summary->capacity_bytes, "");
  }
  if (plan->n_pools == 1) {
    snprintf(more, sizeof more, "  at step %" PRId64, plan->pools[0].peak_step);
  } else {
    more[0] = '\0';
  }
  print_bytes("peak", plan->peak_bytes, more);
  snprintf(more, sizeof more, "  rho %.4f", berth_plan_rho(plan));
  print_bytes("whole slots", plan->reuse_bytes, more);
  print_bytes("without reuse", plan->naive_bytes, "");
  if (plan->spill_cost > 0) {
    printf(
        "  %-15s %10s  at least %s\n", "spill cost", berth_units_grouped(plan->spill_cost).text,
        berth_units_grouped(plan->spill_cost_bound).text);
  }
}

static void print_source(const struct berthctl_summary *summary) {
  const struct berth_plan *plan = summary->what.plan;
  printf("  %-15s %10s", "buffers", berth_units_grouped(plan->n_buffers).text);
  if (summary->what.cached) {
    printf("  from the cache; planned in %.3f s", summary->what.solve_seconds);
  } else {
    printf("  planned in %.3f s", summary->what.solve_seconds);
  }
  printf(", %s ticks\n", berth_units_grouped(plan->ticks).text);
  if (summary->what.plan_id != NULL && summary->what.plan_id[0] != '\0') {
    printf("  %-15s %s\n", "plan id", summary->what.plan_id);
  }
}

static void print_symbols(const struct berthctl_summary *summary) {
  const struct berth_problem *problem = summary->what.problem;
  const struct berth_symbols *symbols = problem != NULL ? berth_problem_symbols(problem) : NULL;
  if (symbols == NULL || symbols->n_symbols == 0) {
    return;
  }
  if (summary->what.bounds_bytes != 0) {
    print_bytes("at the bounds", summary->what.bounds_bytes, "");
  }
  printf("  %-15s", "symbols");
  for (uint32_t i = 0; i < symbols->n_symbols; i++) {
    const struct berth_binding *range = &symbols->ranges[i];
    printf(" %.*s=%" PRIu64, (int)range->symbol.size, range->symbol.data, range->lower);
    if (range->upper == BERTH_UNBOUNDED) {
      printf("..");
    } else if (range->upper != range->lower) {
      printf("..%" PRIu64, range->upper);
    }
  }
  putchar('\n');
  struct berth_dynamic dynamic = berth_problem_dynamic(problem);
  for (uint32_t i = 0; i < dynamic.n; i++) {
    const struct berth_dynamic_item *item = &dynamic.items[i];
    struct berth_text id = item->is_workspace ? berth_problem_operator_id(problem, item->item)
                                              : berth_problem_value_id(problem, item->item);
    char name[NAME_SIZE];
    snprintf(
        name, sizeof name, "%s %" PRIu32, item->is_workspace ? "the workspace of operator" : "value",
        item->item);
    if (id.size != 0) {
      int n = (int)(id.size < NAME_SIZE / 2 ? id.size : NAME_SIZE / 2);
      snprintf(name, sizeof name, "%s%.*s", item->is_workspace ? "the workspace of " : "", n, id.data);
    }
    struct berth_text symbol =
        item->symbol != BERTH_NO_INDEX ? symbols->symbols[item->symbol].name : (struct berth_text){.size = 0};
    printf(
        "  %-15s %s: %.*s%s\n", i == 0 ? "dynamic arena" : "", name, (int)symbol.size,
        symbol.size != 0 ? symbol.data : "",
        symbol.size != 0 ? " has no upper bound" : "a dimension is unknown");
  }
}

static void print_pools(const struct berthctl_summary *summary, const struct berthctl_terminal *terminal) {
  const struct berth_plan *plan = summary->what.plan;
  if (plan->n_pools < 2 || summary->what.problem == NULL) {
    return;
  }
  static const struct berthctl_column COLUMNS[] = {
      {"POOL", false, true},
      {"ARENA", true, false},
      {"LOWER BOUND", true, false},
      {"PEAK", true, false},
      {"AT STEP", true, false}};
  struct berthctl_table table;
  berthctl_table_init(&table, terminal, COLUMNS, 5);
  for (uint32_t i = 0; i < plan->n_pools; i++) {
    const struct berth_pool_result *pool = &plan->pools[i];
    struct berth_text name = berth_problem_pools(summary->what.problem)->items[i].name;
    char text[NAME_SIZE];
    snprintf(text, sizeof text, "%.*s", (int)(name.size < NAME_SIZE ? name.size : NAME_SIZE - 1), name.data);
    struct berth_units_text arena = berth_units_grouped(pool->arena_bytes);
    struct berth_units_text bound = berth_units_grouped(pool->lower_bound_bytes);
    struct berth_units_text peak = berth_units_grouped(pool->peak_bytes);
    char step[24];
    snprintf(step, sizeof step, "%" PRId64, pool->peak_step);
    berthctl_table_row(&table, (const char *const[]){text, arena.text, bound.text, peak.text, step}, 5);
  }
  putchar('\n');
  berthctl_table_finish(&table);
}

/* What each part has of the arena. */
static void print_parts(const struct berthctl_summary *summary, const struct berthctl_terminal *terminal) {
  const struct berth_problem *problem = summary->what.problem;
  const struct berth_composed *parts = problem != NULL ? berth_problem_composed(problem) : NULL;
  struct berth_part_row *rows;
  uint32_t n_rows;
  if (parts == NULL ||
      berth_report_parts(problem, summary->what.plan, NULL, &rows, &n_rows, NULL) != BERTH_OK) {
    return;
  }
  static const struct berthctl_column COLUMNS[] = {
      {"PART", false, true},
      {"BUFFERS", true, false},
      {"WITHOUT REUSE", true, false},
      {"OWN PEAK", true, false},
      {"ENDS AT", true, false}};
  struct berthctl_table table;
  berthctl_table_init(&table, terminal, COLUMNS, 5);
  for (uint32_t p = 0; p < n_rows; p++) {
    char name[NAME_SIZE];
    berthctl_text_name(parts->items[p].name, p, name, sizeof name);
    struct berth_units_text n = berth_units_grouped(rows[p].n_buffers);
    struct berth_units_text naive = berth_units_grouped(rows[p].naive_bytes);
    struct berth_units_text peak = berth_units_grouped(rows[p].peak_bytes);
    struct berth_units_text end = berth_units_grouped(rows[p].arena_bytes);
    berthctl_table_row(&table, (const char *const[]){name, n.text, naive.text, peak.text, end.text}, 5);
  }
  putchar('\n');
  berthctl_table_finish(&table);
  berth_report_free(NULL, rows);
}

/* What is in the way, where nothing fits. */
static void print_misfit(const struct berthctl_summary *summary, const struct berthctl_terminal *terminal) {
  const struct berth_plan *plan = summary->what.plan;
  if (plan->status != BERTH_PLAN_INFEASIBLE) {
    return;
  }
  print_bytes("short by", plan->short_by_bytes, "  at least");
  if (plan->n_culprits == 0 || summary->what.problem == NULL) {
    return;
  }
  static const char *const TITLES[BERTH_N_CULPRITS_PROOFS] = {
      [BERTH_CULPRITS_UNPROVEN] = "CANNOT BE PLACED TOGETHER",
      [BERTH_CULPRITS_MINIMAL] = "CANNOT BE PLACED TOGETHER (A MINIMAL SET)",
      [BERTH_CULPRITS_SMALLEST] = "CANNOT BE PLACED TOGETHER (A SMALLEST SET)",
  };
  const struct berthctl_column columns[] = {
      {TITLES[plan->culprits_proof % BERTH_N_CULPRITS_PROOFS], false, true},
      {"SIZE", true, false},
      {"FROM STEP", true, false},
      {"TO STEP", true, false}};
  const struct berth_buffers *buffers = berth_problem_buffers(summary->what.problem);
  struct berthctl_table table;
  berthctl_table_init(&table, terminal, columns, 4);
  for (uint32_t i = 0; i < plan->n_culprits && i < BERTH_MAX_CULPRITS; i++) {
    uint32_t buffer = plan->culprits[i];
    if (buffer >= buffers->n) {
      continue;
    }
    char name[NAME_SIZE];
    char lower[24];
    char upper[24];
    berthctl_buffer_name(summary->what.problem, buffer, name, sizeof name);
    struct berth_units_text size = berth_units_grouped(buffers->size_bytes[buffer]);
    snprintf(lower, sizeof lower, "%" PRId64, buffers->lower[buffer]);
    snprintf(upper, sizeof upper, "%" PRId64, buffers->upper[buffer]);
    berthctl_table_row(&table, (const char *const[]){name, size.text, lower, upper}, 4);
  }
  putchar('\n');
  berthctl_table_finish(&table);
}

static void print_row(struct berthctl_table *table, const struct berth_json_plan *what, uint32_t buffer) {
  const struct berth_buffers *buffers = berth_problem_buffers(what->problem);
  char name[NAME_SIZE];
  char lower[24];
  char upper[24];
  berthctl_buffer_name(what->problem, buffer, name, sizeof name);
  struct berth_units_text units = berth_units_bytes(buffers->size_bytes[buffer]);
  struct berth_units_text size = berth_units_grouped(buffers->size_bytes[buffer]);
  struct berth_units_text offset = berth_units_grouped(what->plan->offset[buffer]);
  snprintf(lower, sizeof lower, "%" PRId64, buffers->lower[buffer]);
  snprintf(upper, sizeof upper, "%" PRId64, buffers->upper[buffer]);
  berthctl_table_row(table, (const char *const[]){name, units.text, size.text, offset.text, lower, upper}, 6);
}

static void print_buffers(const struct berthctl_summary *summary, const struct berthctl_terminal *terminal) {
  const struct berth_json_plan *what = &summary->what;
  if (what->plan->offset == NULL || what->problem == NULL || what->plan->n_buffers == 0) {
    return;
  }
  static const struct berthctl_column COLUMNS[] = {{"BUFFER", false, true},    {"SIZE", true, false},
                                                   {"BYTES", true, false},     {"OFFSET", true, false},
                                                   {"FROM STEP", true, false}, {"TO STEP", true, false}};
  const struct berth_buffers *buffers = berth_problem_buffers(what->problem);
  uint32_t n = summary->all || buffers->n <= N_ROWS_SHOWN ? buffers->n : N_ROWS_SHOWN;
  uint32_t *shown = berthctl_largest(buffers->size_bytes, buffers->n, n, true);
  struct berthctl_table table;
  berthctl_table_init(&table, terminal, COLUMNS, 6);
  for (uint32_t i = 0; shown != NULL && i < n; i++) {
    print_row(&table, what, shown[i]);
  }
  free(shown);
  putchar('\n');
  berthctl_table_finish(&table);
  if (n < buffers->n) {
    printf(
        "%sthe %u largest of %s buffers; --all shows every one, --json and --csv write them%s\n",
        berthctl_style(terminal->color, BERTHCTL_STYLE_DIM), n, berth_units_grouped(buffers->n).text,
        berthctl_unstyle(terminal->color));
  }
}

void berthctl_summary_print(
    const struct berthctl_summary *summary, const struct berthctl_terminal *terminal) {
  print_head(summary, terminal);
  print_figures(summary);
  print_misfit(summary, terminal);
  print_source(summary);
  print_symbols(summary);
  print_pools(summary, terminal);
  berthctl_stability_print(&summary->what, summary->all, terminal);
  berthctl_syncs_print(&summary->what, summary->all, terminal);
  print_parts(summary, terminal);
  print_buffers(summary, terminal);
}
