/* fit --symbol: the largest number of a symbol at which the problem fits, by real plans. */
#include <inttypes.h>
#include <string.h>

#include "berth/largest.h"
#include "text/units.h"
#include "verbs/internal.h"

struct fitting {
  const struct berthctl_options *options;
  struct berth_solve_options solve;
  struct berth_largest_question question;
  bool is_limited; /* by --limit, or by the default, and not by the symbol's bound */
};

/* ---- What is said ---- */

static const char *answer_word(const struct berth_largest_point *point) {
  static const char *const WORDS[] = {"fits", "does not fit, proven", "no plan was found, and no proof"};
  return WORDS[point->answer];
}

static void write_point(struct berth_json *json, const char *key, const struct berth_largest_point *point) {
  static const char *const WORDS[] = {"fits", "does_not_fit", "unknown"};
  if (!point->is_asked) {
    berth_json_null(json, key);
    return;
  }
  berth_json_open(json, key, '{');
  berth_json_u64(json, "n", point->n);
  berth_json_string(json, "answer", WORDS[point->answer]);
  if (point->bytes != UINT64_MAX) {
    berth_json_u64(json, point->answer == BERTH_FIT_YES ? "arena_bytes" : "lower_bound_bytes", point->bytes);
  }
  berth_json_close(json, '}');
}

static void write_json(const struct fitting *fitting, const struct berth_largest *found) {
  const struct berth_fit_search *search = &found->search;
  struct berthctl_object object;
  berthctl_object_open(&object);
  berth_json_string(&object.json, "symbol", fitting->options->text[BERTHCTL_OPTION_SYMBOL]);
  berth_json_u64(&object.json, "capacity_bytes", fitting->solve.capacity_bytes);
  if (search->has_largest) {
    berth_json_u64(&object.json, "largest", search->largest);
  } else {
    berth_json_null(&object.json, "largest");
  }
  berth_json_bool(&object.json, "largest_proven", search->largest_is_known);
  if (search->has_all) {
    berth_json_u64(&object.json, "all_up_to", search->all);
  } else {
    berth_json_null(&object.json, "all_up_to");
  }
  berth_json_bool(&object.json, "all_up_to_proven", search->all_is_known);
  if (search->has_misfit) {
    berth_json_u64(&object.json, "smallest_misfit", search->misfit);
  } else {
    berth_json_null(&object.json, "smallest_misfit");
  }
  berth_json_bool(&object.json, "stopped", found->is_stopped);
  berth_json_u64(&object.json, "searched_from", search->first);
  berth_json_u64(&object.json, "searched_to", search->last);
  berth_json_bool(&object.json, "at_limit_of_search", search->has_largest && search->largest == search->last);
  berth_json_u64(&object.json, "plans", found->n_plans);
  write_point(&object.json, "at_largest", &found->at);
  write_point(&object.json, "above_largest", &found->above);
  berthctl_object_close(&object);
}

static void print_point(const char *symbol, const struct berth_largest_point *point) {
  if (!point->is_asked) {
    return;
  }
  printf("  at %s=%-12" PRIu64 " %s", symbol, point->n, answer_word(point));
  if (point->bytes != UINT64_MAX) {
    printf(
        ": %s%s bytes", point->answer == BERTH_FIT_YES ? "" : "at least ",
        berth_units_grouped(point->bytes).text);
  }
  putchar('\n');
}

static void print_text(const struct fitting *fitting, const struct berth_largest *found) {
  const struct berth_fit_search *search = &found->search;
  const char *symbol = fitting->options->text[BERTHCTL_OPTION_SYMBOL];
  if (!search->has_largest && found->is_stopped) {
    printf(
        "no %s was found yet that fits in %s bytes; %" PRIu64 " does not, proven\n", symbol,
        berth_units_grouped(fitting->solve.capacity_bytes).text, search->misfit);
    return;
  }
  if (!search->has_largest) {
    printf(
        "no %s from %" PRIu64 " to %" PRIu64 " fits in %s bytes%s\n", symbol, search->first, search->last,
        berth_units_grouped(fitting->solve.capacity_bytes).text,
        search->largest_is_known ? ", proven" : " as far as was found");
    return;
  }
  printf(
      "%s=%" PRIu64 " is the largest that fits in %s bytes%s\n", symbol, search->largest,
      berth_units_grouped(fitting->solve.capacity_bytes).text,
      search->largest == search->last ? fitting->is_limited ? "; the search ends there" : "; its upper bound"
      : search->largest_is_known      ? ", proven"
                                      : "; that none above it does is not proven");
  if (search->has_all && search->all == search->largest) {
    printf("  all from %" PRIu64 " up to it fit, too\n", search->first);
  } else if (search->has_all) {
    printf(
        "  smaller ones may not: all from %" PRIu64 " to %" PRIu64 " fit, and %" PRIu64 " does not%s\n",
        search->first, search->all, search->all + 1,
        search->all_is_known ? ", proven" : ", as far as was found");
  } else {
    printf("  smaller ones may not: %" PRIu64 " does not fit\n", search->first);
  }
  print_point(symbol, &found->at);
  print_point(symbol, &found->above);
  if (search->has_misfit && found->is_stopped) {
    printf("  %" PRIu64 " is the smallest that is proven not to fit so far\n", search->misfit);
  }
  printf("  %" PRIu32 " plans were made\n", found->n_plans);
}

/* ---- The command ---- */

uint64_t berthctl_search_limit(const struct berthctl_options *options) {
  return options->is_set[BERTHCTL_OPTION_LIMIT] ? options->number[BERTHCTL_OPTION_LIMIT]
                                                : BERTH_LARGEST_RANGE;
}

static bool is_bound_by_user(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_text symbol) {
  struct berth_binding items[BERTHCTL_MAX_BINDINGS];
  uint32_t n = 0;
  if (options->is_set[BERTHCTL_OPTION_BIND]) {
    (void)!berthctl_parse_bindings(terminal, options->text[BERTHCTL_OPTION_BIND], items, &n);
  }
  for (uint32_t i = 0; i < n; i++) {
    if (items[i].symbol.size == symbol.size && memcmp(items[i].symbol.data, symbol.data, symbol.size) == 0) {
      return true;
    }
  }
  return false;
}

/* The range: what the symbol is bound to, cut at the limit. */
static enum berthctl_exit set_up(
    struct fitting *fitting, const struct berthctl_terminal *terminal, const struct berth_problem *problem) {
  const char *name = fitting->options->text[BERTHCTL_OPTION_SYMBOL];
  fitting->question = (struct berth_largest_question){
      .symbol = {.data = name, .size = (uint32_t)strlen(name)}, .max_plans = BERTH_LARGEST_MOST_PLANS};
  struct berth_symbol symbol;
  struct berth_binding range;
  if (!berth_problem_symbol_range(problem, fitting->question.symbol, &symbol, &range)) {
    return berthctl_say_usage(terminal, "--symbol is '%s'; the problem has no symbol of this name", name);
  }
  bool is_asked_for = is_bound_by_user(fitting->options, terminal, fitting->question.symbol);
  uint64_t limit = berthctl_search_limit(fitting->options);
  uint64_t upper = is_asked_for ? range.upper : symbol.upper; /* else it is bound to be read, if at all */
  bool is_set = fitting->options->is_set[BERTHCTL_OPTION_LIMIT];
  fitting->is_limited = (is_set || upper == BERTH_UNBOUNDED) && limit < upper;
  fitting->question.first = is_asked_for ? range.lower : symbol.lower;
  fitting->question.last = fitting->is_limited ? limit : upper;
  return fitting->question.first <= fitting->question.last
             ? BERTHCTL_EXIT_OK
             : berthctl_say_usage(terminal, "--limit is below the symbol's lower bound");
}

/* What must stay free: a share by which arenas may turn out larger, or bytes where a unit is given. False if
 * it is neither. */
static bool less_margin(const char *margin, uint64_t *capacity) {
  uint64_t number;
  size_t n = strlen(margin);
  bool is_bytes = n > 0 && strchr("0123456789.%", margin[n - 1]) == NULL;
  if (is_bytes) {
    bool is_good = berth_units_parse_bytes(margin, &number) && number <= *capacity;
    *capacity -= is_good ? number : 0;
    return is_good;
  }
  if (!berthctl_percent_parse(margin, &number)) {
    return false;
  }
  *capacity = (uint64_t)((long double)*capacity * 1000000 / (1000000 + (long double)number));
  return true;
}

static enum berthctl_exit take_margin(struct fitting *fitting, const struct berthctl_terminal *terminal) {
  const char *margin = fitting->options->text[BERTHCTL_OPTION_MARGIN];
  return !fitting->options->is_set[BERTHCTL_OPTION_MARGIN] ||
                 less_margin(margin, &fitting->solve.capacity_bytes)
             ? BERTHCTL_EXIT_OK
             : berthctl_say_usage(
                   terminal,
                   "--margin is '%s'; a share such as 10%%, or bytes within the capacity such as "
                   "64MiB, are right",
                   margin);
}

static enum berthctl_exit find(
    const struct fitting *fitting, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem, struct berth_largest *out) {
  const struct berthctl_options *options = fitting->options;
  const char *server = berthctl_server_of(options);
  bool is_local = options->is_set[BERTHCTL_OPTION_LOCAL];
  struct berth_error err = {.code = BERTH_OK};
  struct berthctl_watch watch;
  berthctl_start_watch(&watch, options, terminal);
  enum berth_code code =
      is_local
          ? berthctl_local_largest(problem, &fitting->solve, &fitting->question, &watch, out, &err)
          : berthctl_remote_largest(server, problem, &fitting->solve, &fitting->question, &watch, out, &err);
  berthctl_watch_finish(&watch);
  bool has_part = out->is_stopped && (out->search.has_largest || out->search.has_misfit);
  if (code == BERTH_DEADLINE_EXCEEDED && has_part) {
    return BERTHCTL_EXIT_OK;
  }
  if (code != BERTH_OK) {
    return berthctl_say_failure(options, terminal, options->arguments[0], &err);
  }
  return BERTHCTL_EXIT_OK;
}

enum berthctl_exit berthctl_fit_symbol(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem) {
  struct fitting fitting = {.options = options, .solve = berthctl_solve_options(options)};
  struct berth_largest found;
  enum berthctl_exit status = take_margin(&fitting, terminal);
  status = status == BERTHCTL_EXIT_OK ? set_up(&fitting, terminal, problem) : status;
  if (status == BERTHCTL_EXIT_OK) {
    status = find(&fitting, terminal, problem, &found);
  }
  if (status != BERTHCTL_EXIT_OK) {
    return status;
  }
  if (options->is_set[BERTHCTL_OPTION_JSON]) {
    write_json(&fitting, &found);
  } else if (!options->is_set[BERTHCTL_OPTION_QUIET]) {
    print_text(&fitting, &found);
  }
  if (found.is_stopped) {
    struct berth_error err;
    (void)berth_fail(
        &err, BERTH_DEADLINE_EXCEEDED, BERTH_REASON_DEADLINE, BERTH_NO_INDEX, NULL,
        "the deadline ended the search; what was found until then is above");
    return berthctl_error_say(terminal, options->arguments[0], &err);
  }
  return found.search.has_largest ? BERTHCTL_EXIT_OK : BERTHCTL_EXIT_NO_FIT;
}
