/* plan with several bindings: each variant's plan, that of the bounds, and what they need together. */
#include "berth/variants.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/table.h"
#include "text/units.h"
#include "verbs/internal.h"

enum { TEXT_SIZE = 160, ID_SHOWN = 12 };

struct shown {
  const struct berthctl_options *options;
  const struct berthctl_terminal *terminal;
  const struct berthctl_bindings *bindings;
  const struct berth_problem *problem;
  const struct berthctl_variants *found;
  const char *name;
};

static void name_variant(const struct berth_bindings *bindings, char text[TEXT_SIZE]) {
  size_t at = 0;
  text[0] = '\0';
  for (uint32_t i = 0; i < bindings->n && at < TEXT_SIZE - 1; i++) {
    const struct berth_binding *item = &bindings->items[i];
    int n = snprintf(
        text + at, TEXT_SIZE - at, "%s%.*s=%" PRIu64, i > 0 ? "," : "", (int)item->symbol.size,
        item->symbol.data, item->lower);
    at += n > 0 ? (size_t)n : 0;
    if (item->upper != item->lower && at < TEXT_SIZE - 1) {
      n = snprintf(text + at, TEXT_SIZE - at, "..%" PRIu64, item->upper);
      at += n > 0 ? (size_t)n : 0;
    }
  }
}

static struct berth_variants_need need_of(const struct shown *shown, uint32_t pool) {
  const struct berth_plan *plans[BERTH_MAX_VARIANTS];
  for (uint32_t i = 0; i < shown->found->n; i++) {
    plans[i] = shown->found->items[i].planned.plan;
  }
  return berth_variants_need(plans, shown->found->n, pool);
}

static struct berth_variants_need need_of_all(const struct shown *shown) {
  struct berth_variants_need sum = {0};
  for (uint32_t p = 0; p < berth_problem_pools(shown->problem)->n; p++) {
    struct berth_variants_need need = need_of(shown, p);
    sum.largest_bytes += need.largest_bytes;
    sum.sum_bytes += need.sum_bytes;
    sum.is_rewritten = sum.is_rewritten || need.is_rewritten;
  }
  return sum;
}

/* ---- JSON ---- */

static void write_need(struct berth_json *json, const struct berth_variants_need *need) {
  berth_json_u64(json, "one_at_a_time_bytes", need->largest_bytes);
  berth_json_u64(json, "all_at_once_bytes", need->sum_bytes);
  berth_json_bool(json, "rewritten", need->is_rewritten);
}

static void write_bindings(struct berth_json *json, const struct berth_bindings *bindings) {
  berth_json_open(json, "bindings", '[');
  for (uint32_t i = 0; i < bindings->n; i++) {
    berth_json_open(json, NULL, '{');
    berth_json_text(json, "symbol", bindings->items[i].symbol);
    berth_json_u64(json, "lower", bindings->items[i].lower);
    berth_json_u64(json, "upper", bindings->items[i].upper);
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
}

static enum berth_code write_variant(
    struct berth_json *json, const char *key, const struct shown *shown, const struct berthctl_variant *item,
    const struct berth_bindings *bindings, struct berth_error *err) {
  const struct berthctl_planned *planned = &item->planned;
  enum berth_code code = BERTH_OK;
  berth_json_open(json, key, '{');
  if (bindings != NULL) {
    write_bindings(json, bindings);
    berth_json_bool(json, "from_bounds", item->from_bounds);
  }
  if (planned->plan == NULL) {
    berth_json_open(json, "error", '{');
    berth_json_string(json, "code", berth_code_name(item->error.code));
    berth_json_string(json, "reason", berth_reason_name(item->error.reason));
    berth_json_string(json, "message", item->error.message);
    berth_json_close(json, '}');
  } else {
    const struct berth_json_plan what = {
        .problem = planned->problem,
        .plan = planned->plan,
        .name = shown->name,
        .plan_id = planned->plan_id,
        .cached = planned->cached,
        .solve_seconds = planned->solve_seconds};
    code = berth_json_put_plan(json, "plan", &what, err);
  }
  berth_json_close(json, '}');
  return code;
}

static enum berth_code write_json(const struct shown *shown, struct berth_error *err) {
  struct berthctl_object object;
  struct berth_variants_need all = need_of_all(shown);
  berthctl_object_open(&object);
  if (shown->name != NULL) {
    berth_json_string(&object.json, "name", shown->name);
  } else {
    berth_json_null(&object.json, "name");
  }
  write_need(&object.json, &all);
  berth_json_open(&object.json, "pools", '[');
  for (uint32_t p = 0; p < berth_problem_pools(shown->problem)->n; p++) {
    struct berth_variants_need need = need_of(shown, p);
    berth_json_open(&object.json, NULL, '{');
    berth_json_write_pool_name(&object.json, "name", shown->problem, p);
    write_need(&object.json, &need);
    berth_json_close(&object.json, '}');
  }
  berth_json_close(&object.json, ']');
  enum berth_code code = write_variant(&object.json, "bounds", shown, &shown->found->bounds, NULL, err);
  berth_json_open(&object.json, "variants", '[');
  for (uint32_t i = 0; code == BERTH_OK && i < shown->found->n; i++) {
    code =
        write_variant(&object.json, NULL, shown, &shown->found->items[i], &shown->bindings->variants[i], err);
  }
  berth_json_close(&object.json, ']');
  berthctl_object_close(&object);
  return code;
}

/* ---- A table ---- */

static void add_row(struct berthctl_table *table, const char *name, const struct berthctl_variant *item) {
  const struct berth_plan *plan = item->planned.plan;
  if (plan == NULL) {
    berthctl_table_row(
        table, (const char *const[]){name, berth_reason_name(item->error.reason), "-", "-", "-", "-", ""}, 7);
    return;
  }
  char gap[32] = "-";
  char id[ID_SHOWN + 1];
  struct berth_units_text arena = {.text = "-"};
  struct berth_units_text bound = berth_units_grouped(plan->lower_bound_bytes);
  if (plan->offset != NULL) {
    arena = berth_units_grouped(plan->arena_bytes);
    snprintf(gap, sizeof gap, "%.2f %%", 100 * berth_plan_gap(plan));
  }
  snprintf(id, sizeof id, "%.*s", ID_SHOWN, item->planned.plan_id);
  const char *how = item->from_bounds      ? "from the bounds' places"
                    : item->planned.cached ? "from the cache"
                                           : "planned";
  berthctl_table_row(
      table,
      (const char *const[]){name, berth_plan_status_name(plan->status), arena.text, bound.text, gap, id, how},
      7);
}

static void print_totals(const struct shown *shown) {
  struct berth_variants_need all = need_of_all(shown);
  printf(
      "\n  one at a time  %20s bytes: the largest of their arenas%s\n",
      berth_units_grouped(all.largest_bytes).text,
      all.is_rewritten ? "; who runs next writes constants and state again" : "");
  printf("  all at once    %20s bytes: their arenas side by side\n", berth_units_grouped(all.sum_bytes).text);
}

static void print_text(const struct shown *shown) {
  static const struct berthctl_column COLUMNS[] = {{"BINDING", false, true}, {"STATUS", false, false},
                                                   {"ARENA", true, false},   {"LOWER BOUND", true, false},
                                                   {"GAP", true, false},     {"PLAN", false, false},
                                                   {"HOW", false, true}};
  struct berthctl_table table;
  char text[TEXT_SIZE];
  berthctl_table_init(&table, shown->terminal, COLUMNS, 7);
  for (uint32_t i = 0; i < shown->found->n; i++) {
    name_variant(&shown->bindings->variants[i], text);
    add_row(&table, text, &shown->found->items[i]);
  }
  add_row(&table, "the bounds", &shown->found->bounds);
  berthctl_table_finish(&table);
  print_totals(shown);
}

/* ---- The command ---- */

/* Each that has no plan is named; the worst that happened is the exit status. */
static enum berthctl_exit judge(const struct shown *shown) {
  enum berthctl_exit status = BERTHCTL_EXIT_OK;
  for (uint32_t i = 0; i < shown->found->n; i++) {
    const struct berthctl_variant *item = &shown->found->items[i];
    struct berth_error err = item->error;
    char name[TEXT_SIZE];
    name_variant(&shown->bindings->variants[i], name);
    if (item->planned.plan != NULL && item->planned.plan->offset == NULL) {
      bool is_proven = item->planned.plan->status == BERTH_PLAN_INFEASIBLE;
      (void)!berth_fail(
          &err, BERTH_FAILED_PRECONDITION, BERTH_REASON_DOES_NOT_FIT, BERTH_NO_INDEX, NULL,
          is_proven ? "does not fit, proven" : "no plan within the capacity was found, and no proof of none");
    } else if (item->planned.plan != NULL) {
      continue;
    }
    status = berthctl_error_say(shown->terminal, name, &err);
  }
  return status;
}

static enum berthctl_exit show(const struct shown *shown) {
  if (shown->options->is_set[BERTHCTL_OPTION_JSON]) {
    struct berth_error err = {.code = BERTH_OK};
    if (write_json(shown, &err) != BERTH_OK) {
      return berthctl_error_say(shown->terminal, "standard output", &err);
    }
  } else if (!shown->options->is_set[BERTHCTL_OPTION_QUIET]) {
    print_text(shown);
  }
  return judge(shown);
}

static enum berthctl_exit
check_options(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  static const enum berthctl_option OTHERS[] = {
      BERTHCTL_OPTION_STABLE_WITH, BERTHCTL_OPTION_CSV, BERTHCTL_OPTION_SVG, BERTHCTL_OPTION_SYNC_COST};
  for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
    if (options->is_set[OTHERS[i]]) {
      return berthctl_say_usage(
          terminal, "--%s is for one plan, and --bind asks for several",
          BERTHCTL_OPTION_ROWS[OTHERS[i]].word);
    }
  }
  return BERTHCTL_EXIT_OK;
}

static enum berthctl_exit compute(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_problem *problem, const struct berthctl_bindings *bindings, struct berthctl_variants *out) {
  const struct berth_solve_options solve = berthctl_solve_options(options);
  const char *server = berthctl_server_of(options);
  bool is_local = options->is_set[BERTHCTL_OPTION_LOCAL];
  struct berth_error err = {.code = BERTH_OK};
  struct berthctl_watch watch;
  berthctl_start_watch(&watch, options, terminal);
  enum berth_code code =
      is_local ? berthctl_local_variants(problem, &solve, bindings->variants, bindings->n, &watch, out, &err)
               : berthctl_remote_variants(
                     server, problem, &solve, bindings->variants, bindings->n, &watch, out, &err);
  berthctl_watch_finish(&watch);
  if (code != BERTH_OK) {
    return berthctl_say_failure(options, terminal, options->arguments[0], &err);
  }
  return BERTHCTL_EXIT_OK;
}

enum berthctl_exit berthctl_plan_variants(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berthctl_bindings *bindings) {
  struct berth_problem *problem = NULL;
  struct berthctl_variants *found = calloc(1, sizeof *found);
  enum berthctl_exit status = check_options(options, terminal);
  if (found == NULL) {
    struct berth_error err;
    (void)berth_fail_memory(&err);
    return berthctl_error_say(terminal, NULL, &err);
  }
  if (status == BERTHCTL_EXIT_OK) {
    status = berthctl_load_open(options, terminal, bindings, &problem);
  }
  if (status == BERTHCTL_EXIT_OK) {
    status = compute(options, terminal, problem, bindings, found);
  }
  if (status == BERTHCTL_EXIT_OK) {
    const struct shown shown = {
        .options = options,
        .terminal = terminal,
        .bindings = bindings,
        .problem = problem,
        .found = found,
        .name = berthctl_problem_name(options, options->arguments[0])};
    status = show(&shown);
    berthctl_variants_finish(found);
  }
  berth_problem_unref(problem);
  free(found);
  return status;
}
