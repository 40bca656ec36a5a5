/* list, rm and measure: the plans that a daemon has. */
#include <inttypes.h>
#include <stdlib.h>

#include "output/table.h"
#include "text/units.h"
#include "verbs/internal.h"

enum { N_ROWS_SHOWN = 50 };

/* ---- list ---- */

struct listed {
  struct berth_stored_plan *plans;
  uint32_t n;
  bool has_more;
};

/* One page, or with --all page after page. */
static enum berth_code fetch(
    const struct berthctl_options *options, const char *server, struct berthctl_watch *watch,
    struct listed *listed, struct berth_error *err) {
  uint32_t page_size = options->is_set[BERTHCTL_OPTION_ALL] ? BERTH_PAGE_SIZE_MOST : N_ROWS_SHOWN;
  char token[BERTH_PAGE_TOKEN_SIZE] = "";
  enum berth_code code = BERTH_OK;
  do {
    struct berth_stored_plan *grown =
        realloc(listed->plans, ((size_t)listed->n + BERTH_PAGE_SIZE_MOST) * sizeof *grown);
    if (grown == NULL) {
      return berth_fail_memory(err);
    }
    listed->plans = grown;
    uint32_t n = 0;
    code = berthctl_remote_list(server, page_size, watch, grown + listed->n, &n, token, err);
    listed->n += n;
    listed->has_more = token[0] != '\0';
  } while (code == BERTH_OK && listed->has_more && options->is_set[BERTHCTL_OPTION_ALL]);
  return code;
}

static void write_list(const struct listed *listed) {
  struct berthctl_object object;
  berthctl_object_open(&object);
  berth_json_open(&object.json, "plans", '[');
  for (uint32_t i = 0; i < listed->n; i++) {
    const struct berth_stored_plan *plan = &listed->plans[i];
    berth_json_open(&object.json, NULL, '{');
    berth_json_string(&object.json, "plan_id", plan->plan_id);
    berth_json_string(&object.json, "status", berth_plan_status_name(plan->status));
    berth_json_u64(&object.json, "n_buffers", plan->n_buffers);
    berth_json_u64(&object.json, "arena_bytes", plan->arena_bytes);
    berth_json_u64(&object.json, "lower_bound_bytes", plan->lower_bound_bytes);
    berth_json_u64(&object.json, "peak_bytes", plan->peak_bytes);
    berth_json_u64(&object.json, "naive_bytes", plan->naive_bytes);
    berth_json_double(&object.json, "solve_seconds", plan->solve_seconds);
    berth_json_u64(&object.json, "stored_bytes", plan->stored_bytes);
    berth_json_u64(&object.json, "n_measurements", plan->n_measurements);
    berth_json_double(&object.json, "highest_ratio", plan->highest_ratio);
    berth_json_close(&object.json, '}');
  }
  berth_json_close(&object.json, ']');
  berth_json_bool(&object.json, "has_more", listed->has_more);
  berthctl_object_close(&object);
}

static void print_list(const struct listed *listed, const struct berthctl_terminal *terminal) {
  static const struct berthctl_column COLUMNS[] = {{"PLAN ID", false, false}, {"STATUS", false, false},
                                                   {"BUFFERS", true, false},  {"ARENA", true, false},
                                                   {"GAP", true, false},      {"PLANNED IN", true, false},
                                                   {"MEASURED", true, false}};
  struct berthctl_table table;
  berthctl_table_init(&table, terminal, COLUMNS, 7);
  for (uint32_t i = 0; i < listed->n; i++) {
    const struct berth_stored_plan *plan = &listed->plans[i];
    char gap[24] = "-";
    char seconds[32];
    char ratio[24] = "-";
    if (plan->lower_bound_bytes > 0 && plan->arena_bytes > 0) {
      double share = (double)plan->arena_bytes / (double)plan->lower_bound_bytes - 1;
      snprintf(gap, sizeof gap, "%.2f %%", 100 * share);
    }
    if (plan->n_measurements > 0) {
      snprintf(ratio, sizeof ratio, "%.1f %%", 100 * plan->highest_ratio);
    }
    snprintf(seconds, sizeof seconds, "%.3f s", plan->solve_seconds);
    struct berth_units_text n_buffers = berth_units_grouped(plan->n_buffers);
    struct berth_units_text arena = berth_units_bytes(plan->arena_bytes);
    berthctl_table_row(
        &table,
        (const char *const[]){
            plan->plan_id, berth_plan_status_name(plan->status), n_buffers.text, arena.text, gap, seconds,
            ratio},
        7);
  }
  berthctl_table_finish(&table);
  if (listed->has_more) {
    puts("and more; --all lists every one");
  }
}

enum berthctl_exit
berthctl_verb_list(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  const char *server = berthctl_server_of(options);
  struct listed listed = {.plans = NULL};
  struct berth_error err = {.code = BERTH_OK};
  struct berthctl_watch watch;
  berthctl_start_watch(&watch, options, terminal);
  enum berth_code code = fetch(options, server, &watch, &listed, &err);
  berthctl_watch_finish(&watch);
  enum berthctl_exit status =
      code == BERTH_OK ? BERTHCTL_EXIT_OK : berthctl_say_remote(terminal, server, NULL, &err);
  if (code == BERTH_OK && options->is_set[BERTHCTL_OPTION_JSON]) {
    write_list(&listed);
  } else if (code == BERTH_OK && !options->is_set[BERTHCTL_OPTION_QUIET] && listed.n > 0) {
    print_list(&listed, terminal);
  }
  free(listed.plans);
  return status;
}

/* ---- rm ---- */

enum berthctl_exit
berthctl_verb_rm(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  const char *server = berthctl_server_of(options);
  struct berth_error err = {.code = BERTH_OK};
  struct berthctl_watch watch;
  berthctl_start_watch(&watch, options, terminal);
  enum berth_code code = berthctl_remote_delete(server, options->arguments[0], &watch, &err);
  berthctl_watch_finish(&watch);
  return code == BERTH_OK ? BERTHCTL_EXIT_OK
                          : berthctl_say_remote(terminal, server, options->arguments[0], &err);
}

/* ---- measure ---- */

static void write_measurement(struct berth_json *json, const struct berth_measurement *measurement) {
  berth_json_u64(json, "pool", measurement->pool);
  berth_json_u64(json, "measured_bytes", measurement->measured_bytes);
  berth_json_u64(json, "planned_bytes", measurement->planned_bytes);
  berth_json_double(json, "ratio", measurement->ratio);
  berth_json_string(json, "source", measurement->source);
}

static void write_measured(const struct berth_measurement *measurement, uint64_t n) {
  struct berthctl_object object;
  berthctl_object_open(&object);
  write_measurement(&object.json, measurement);
  berth_json_u64(&object.json, "n_measurements", n);
  berthctl_object_close(&object);
}

static void print_measured(
    const struct berth_measurement *measurement, uint64_t n, const struct berthctl_terminal *terminal) {
  bool is_over = measurement->measured_bytes > measurement->planned_bytes;
  printf(
      "%s%s%s: measured %s bytes, planned %s: %.2f %%\n",
      berthctl_style(terminal->color, is_over ? BERTHCTL_STYLE_WARN : BERTHCTL_STYLE_GOOD),
      is_over ? "over the plan" : "within the plan", berthctl_unstyle(terminal->color),
      berth_units_grouped(measurement->measured_bytes).text,
      berth_units_grouped(measurement->planned_bytes).text, 100 * measurement->ratio);
  printf("%s reported against this plan so far\n", berth_units_grouped(n).text);
}

/* --pool is an index that may be 0, which no option that counts can be: it is read here. */
static bool read_pool(const struct berthctl_options *options, uint32_t *out_pool) {
  const char *text = options->is_set[BERTHCTL_OPTION_POOL] ? options->text[BERTHCTL_OPTION_POOL] : "0";
  char *end;
  unsigned long n = strtoul(text, &end, 10);
  *out_pool = (uint32_t)n;
  return *text >= '0' && *text <= '9' && *end == '\0' && n < BERTH_MAX_POOLS;
}

enum berthctl_exit
berthctl_verb_measure(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  const char *server = berthctl_server_of(options);
  const char *source = options->is_set[BERTHCTL_OPTION_SOURCE] ? options->text[BERTHCTL_OPTION_SOURCE] : "";
  struct berth_measurement measurement = {.pool = 0};
  uint64_t n = 0;
  if (!berth_units_parse_bytes(options->arguments[1], &measurement.measured_bytes)) {
    return berthctl_say_usage(terminal, "'%.60s' is no number of bytes", options->arguments[1]);
  }
  if (!read_pool(options, &measurement.pool)) {
    return berthctl_say_usage(terminal, "--pool takes the index of a pool, from 0");
  }
  if (snprintf(measurement.source, sizeof measurement.source, "%s", source) >=
      (int)sizeof measurement.source) {
    return berthctl_say_usage(terminal, "--source takes at most %zu bytes", sizeof measurement.source - 1);
  }
  struct berth_error err = {.code = BERTH_OK};
  struct berthctl_watch watch;
  berthctl_start_watch(&watch, options, terminal);
  enum berth_code code =
      berthctl_remote_measure(server, options->arguments[0], &watch, &measurement, &n, &err);
  berthctl_watch_finish(&watch);
  if (code != BERTH_OK) {
    return berthctl_say_remote(terminal, server, options->arguments[0], &err);
  }
  if (options->is_set[BERTHCTL_OPTION_JSON]) {
    write_measured(&measurement, n);
  } else if (!options->is_set[BERTHCTL_OPTION_QUIET]) {
    print_measured(&measurement, n, terminal);
  }
  return BERTHCTL_EXIT_OK;
}
