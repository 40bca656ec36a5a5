/* fit --symbol: the largest number of a symbol at which the problem fits, by real plans. */
#include <inttypes.h>
#include <string.h>

#include "berth/fit.h"
#include "berth/restate.h"
#include "text/units.h"
#include "verbs/internal.h"

#define DEFAULT_LIMIT (UINT64_C(1) << 20)
enum { MAX_QUESTIONS = 1000 };

struct fitting {
  const struct berthctl_options *options;
  const struct berthctl_terminal *terminal;
  struct berth_solve_options solve;
  const struct berth_problem *problem;
  struct berth_binding items[BERTHCTL_MAX_BINDINGS]; /* the symbol's is the last */
  struct berth_bindings bindings;
  uint64_t limit;
  bool is_limited; /* by --limit, or by the default, and not by the symbol's bound */
};

struct point {
  bool is_asked;
  uint64_t n;
  enum berth_fit_answer answer;
  uint64_t bytes; /* of the arena, or what is needed at least */
};

/* What does not come to a number is not a plan: too large, for the largest sizes. */
static enum berth_fit_answer answer_of(const struct berth_plan *plan) {
  return plan->offset != NULL                    ? BERTH_FIT_YES
         : plan->status == BERTH_PLAN_INFEASIBLE ? BERTH_FIT_NO
                                                 : BERTH_FIT_UNKNOWN;
}

static enum berthctl_exit
ask(struct fitting *fitting, const struct berth_fit_question *question, struct point *out) {
  struct berth_problem *problem = NULL;
  struct berthctl_planned planned = {.plan = NULL};
  struct berth_error err = {.code = BERTH_OK};
  struct berth_binding *symbol = &fitting->items[fitting->bindings.n - 1];
  symbol->lower = question->lower;
  symbol->upper = question->upper;
  fitting->bindings.sizes = question->sizes;
  *out = (struct point){.is_asked = true, .n = question->upper, .answer = BERTH_FIT_NO, .bytes = UINT64_MAX};
  const struct berth_restatement as = {.bindings = &fitting->bindings};
  enum berth_code code = berth_problem_restate(fitting->problem, &as, NULL, &problem, &err);
  bool is_stretch = question->lower != question->upper && question->sizes == BERTH_SIZES_LARGEST;
  if (code != BERTH_OK && (err.reason == BERTH_REASON_SIZE_OVERFLOW || is_stretch)) {
    return BERTHCTL_EXIT_OK; /* more than there can be */
  }
  if (code != BERTH_OK) {
    return berthctl_error_say(fitting->terminal, fitting->options->arguments[0], &err);
  }
  enum berthctl_exit status =
      berthctl_compute_with(fitting->options, fitting->terminal, problem, &fitting->solve, &planned);
  if (status == BERTHCTL_EXIT_OK) {
    out->answer = answer_of(planned.plan);
    out->bytes = out->answer == BERTH_FIT_YES ? planned.plan->arena_bytes : planned.plan->lower_bound_bytes;
  }
  berthctl_planned_finish(&planned);
  berth_problem_unref(problem);
  return status;
}

static enum berthctl_exit run(struct fitting *fitting, struct berth_fit_search *search) {
  struct berth_fit_question question;
  enum berthctl_exit status = BERTHCTL_EXIT_OK;
  while (status == BERTHCTL_EXIT_OK && berth_fit_next(search, &question)) {
    struct point point;
    status = ask(fitting, &question, &point);
    berth_fit_tell(search, point.answer);
  }
  return status;
}

/* By itself, and not within a stretch. */
static enum berthctl_exit ask_point(struct fitting *fitting, uint64_t n, struct point *out) {
  struct berth_fit_question question = {.lower = n, .upper = n, .sizes = BERTH_SIZES_LARGEST};
  return ask(fitting, &question, out);
}

/* ---- What is said ---- */

static const char *answer_word(const struct point *point) {
  static const char *const WORDS[] = {"fits", "does not fit, proven", "no plan was found, and no proof"};
  return WORDS[point->answer];
}

static void write_point(struct berth_json *json, const char *key, const struct point *point) {
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

static void write_json(
    const struct fitting *fitting, const struct berth_fit_search *search, const struct point *at,
    const struct point *above) {
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
  berth_json_u64(&object.json, "plans", search->n_questions);
  write_point(&object.json, "at_largest", at);
  write_point(&object.json, "above_largest", above);
  berthctl_object_close(&object);
}

static void print_point(const char *symbol, const struct point *point) {
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

static void print_text(
    const struct fitting *fitting, const struct berth_fit_search *search, const struct point *at,
    const struct point *above) {
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
  print_point(symbol, at);
  print_point(symbol, above);
  printf("  %" PRIu32 " plans were made\n", search->n_questions);
}

/* ---- The command ---- */

uint64_t berthctl_search_limit(const struct berthctl_options *options) {
  return options->is_set[BERTHCTL_OPTION_LIMIT] ? options->number[BERTHCTL_OPTION_LIMIT] : DEFAULT_LIMIT;
}

/* What the problem is bound to already, then the symbol that is searched for. */
static enum berthctl_exit
set_up(struct fitting *fitting, const struct berth_problem *problem, uint64_t *out_lower) {
  const struct berth_symbols *symbols = berth_problem_symbols(problem);
  const char *name = fitting->options->text[BERTHCTL_OPTION_SYMBOL];
  uint32_t found = BERTH_NO_INDEX;
  for (uint32_t i = 0; symbols != NULL && i < symbols->n_symbols; i++) {
    struct berth_text own = symbols->symbols[i].name;
    bool is_it = own.size == strlen(name) && memcmp(own.data, name, own.size) == 0;
    found = is_it ? i : found;
    if (!is_it && symbols->ranges[i].upper != BERTH_UNBOUNDED &&
        fitting->bindings.n < BERTHCTL_MAX_BINDINGS - 1) {
      fitting->items[fitting->bindings.n++] = symbols->ranges[i];
    }
  }
  if (found == BERTH_NO_INDEX) {
    return berthctl_say_usage(
        fitting->terminal, "--symbol is '%s'; the problem has no symbol of this name", name);
  }
  fitting->items[fitting->bindings.n++] = symbols->ranges[found];
  uint64_t upper = symbols->ranges[found].upper;
  uint64_t limit = berthctl_search_limit(fitting->options);
  bool is_first_look = symbols->symbols[found].upper == BERTH_UNBOUNDED && upper == limit;
  upper = is_first_look ? BERTH_UNBOUNDED : upper;
  bool is_set = fitting->options->is_set[BERTHCTL_OPTION_LIMIT];
  fitting->is_limited = (is_set || upper == BERTH_UNBOUNDED) && limit < upper;
  fitting->limit = fitting->is_limited ? limit : upper;
  *out_lower = is_first_look ? symbols->symbols[found].lower : symbols->ranges[found].lower;
  if (*out_lower > fitting->limit) {
    return berthctl_say_usage(fitting->terminal, "--limit is below the symbol's lower bound");
  }
  return BERTHCTL_EXIT_OK;
}

static enum berthctl_exit search_and_show(
    struct fitting *fitting, const struct berth_problem *problem, struct berth_fit_search *search) {
  uint64_t lower = 0;
  struct point at = {.is_asked = false};
  struct point above = {.is_asked = false};
  enum berthctl_exit status = set_up(fitting, problem, &lower);
  if (status == BERTHCTL_EXIT_OK) {
    berth_fit_init(search, lower, fitting->limit, MAX_QUESTIONS);
    status = run(fitting, search);
  }
  if (status == BERTHCTL_EXIT_OK && search->has_largest) {
    status = ask_point(fitting, search->largest, &at);
  }
  if (status == BERTHCTL_EXIT_OK && search->has_largest && search->largest < search->last) {
    status = ask_point(fitting, search->largest + 1, &above);
  }
  if (status != BERTHCTL_EXIT_OK) {
    return status;
  }
  if (fitting->options->is_set[BERTHCTL_OPTION_JSON]) {
    write_json(fitting, search, &at, &above);
  } else if (!fitting->options->is_set[BERTHCTL_OPTION_QUIET]) {
    print_text(fitting, search, &at, &above);
  }
  return search->has_largest ? BERTHCTL_EXIT_OK : BERTHCTL_EXIT_NO_FIT;
}

/* The margin is a part of the capacity that must stay free. */
static uint64_t less_margin(const struct berthctl_options *options, uint64_t capacity) {
  uint64_t millionths = options->is_set[BERTHCTL_OPTION_MARGIN] ? options->number[BERTHCTL_OPTION_MARGIN] : 0;
  long double usable = (long double)capacity * 1000000 / (1000000 + (long double)millionths);
  return millionths == 0 ? capacity : (uint64_t)usable;
}

enum berthctl_exit berthctl_fit_symbol(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem) {
  struct berth_fit_search search;
  struct fitting fitting = {
      .options = options, .terminal = terminal, .problem = problem, .solve = berthctl_solve_options(options)};
  fitting.bindings.items = fitting.items;
  fitting.solve.capacity_bytes = less_margin(options, fitting.solve.capacity_bytes);
  return search_and_show(&fitting, problem, &search);
}
