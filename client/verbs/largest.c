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
  printf("  %" PRIu32 " plans were made\n", found->n_plans);
}

/* ---- The command ---- */

uint64_t berthctl_search_limit(const struct berthctl_options *options) {
  return options->is_set[BERTHCTL_OPTION_LIMIT] ? options->number[BERTHCTL_OPTION_LIMIT]
                                                : BERTH_LARGEST_RANGE;
}

/* The range: what the symbol is bound to, cut at the limit. */
static enum berthctl_exit set_up(
    struct fitting *fitting, const struct berthctl_terminal *terminal, const struct berth_problem *problem) {
  const char *name = fitting->options->text[BERTHCTL_OPTION_SYMBOL];
  fitting->question = (struct berth_largest_question){
      .symbol = {.data = name, .size = (uint32_t)strlen(name)}, .max_plans = BERTH_LARGEST_MOST_PLANS};
  uint32_t found = berth_problem_find_symbol(problem, fitting->question.symbol);
  if (found == BERTH_NO_INDEX) {
    return berthctl_say_usage(terminal, "--symbol is '%s'; the problem has no symbol of this name", name);
  }
  const struct berth_symbol *symbol = &berth_problem_symbols(problem)->symbols[found];
  const struct berth_binding *range = &berth_problem_symbols(problem)->ranges[found];
  uint64_t limit = berthctl_search_limit(fitting->options);
  bool is_first_look = symbol->upper == BERTH_UNBOUNDED && range->upper == limit;
  uint64_t upper = is_first_look ? BERTH_UNBOUNDED : range->upper;
  bool is_set = fitting->options->is_set[BERTHCTL_OPTION_LIMIT];
  fitting->is_limited = (is_set || upper == BERTH_UNBOUNDED) && limit < upper;
  fitting->question.first = is_first_look ? symbol->lower : range->lower;
  fitting->question.last = fitting->is_limited ? limit : upper;
  return fitting->question.first <= fitting->question.last
             ? BERTHCTL_EXIT_OK
             : berthctl_say_usage(terminal, "--limit is below the symbol's lower bound");
}

/* The margin is a part of the capacity that must stay free. */
static uint64_t less_margin(const struct berthctl_options *options, uint64_t capacity) {
  uint64_t millionths = options->is_set[BERTHCTL_OPTION_MARGIN] ? options->number[BERTHCTL_OPTION_MARGIN] : 0;
  long double usable = (long double)capacity * 1000000 / (1000000 + (long double)millionths);
  return millionths == 0 ? capacity : (uint64_t)usable;
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
  if (code != BERTH_OK) {
    return is_local ? berthctl_error_say(terminal, options->arguments[0], &err)
                    : berthctl_say_remote(terminal, server, options->arguments[0], &err);
  }
  return BERTHCTL_EXIT_OK;
}

enum berthctl_exit berthctl_fit_symbol(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem) {
  struct fitting fitting = {.options = options, .solve = berthctl_solve_options(options)};
  struct berth_largest found;
  fitting.solve.capacity_bytes = less_margin(options, fitting.solve.capacity_bytes);
  enum berthctl_exit status = set_up(&fitting, terminal, problem);
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
  return found.search.has_largest ? BERTHCTL_EXIT_OK : BERTHCTL_EXIT_NO_FIT;
}
