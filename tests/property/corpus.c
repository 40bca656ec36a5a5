/* No plan of a real input is larger than that of any other planner's rule, with ties in the planner's own
 * order, in the order of the file and in the reverse one: all files of tests/data and, where it is there, of
 * the corpus beside the repository. */
#define _DEFAULT_SOURCE /* scandir */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/solve.h"
#include "berth/verify.h"
#include "minimalloc/minimalloc.h"
#include "peers.h"
#include "suite.h"
#include "wish.h"

enum {
  MOST_BY_RULES = 5000, /* rules take the square of it, and more */
  PORTFOLIO = 100000000 /* ticks, for all orders of placing */
};

enum ties { CANONICAL, CALLERS, REVERSED, N_TIES };

struct input {
  char name[512];
  struct berth_problem *problem;
  uint32_t n;
  uint64_t load;
  struct peer_buffer *buffers[N_TIES];
};

static struct { uint32_t files, by_rules, at_load, searched; } seen;

/* ---- Inputs ---- */

static struct berth_problem *read_problem(const char *path) {
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s cannot be opened", path);
  ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
  size_t n = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(n + 1);
  ck_assert_uint_eq(fread(text, 1, n, file), n);
  fclose(file);
  struct berth_problem *problem = NULL;
  struct berth_error err = {0};
  enum berth_code code = berth_minimalloc_read(text, n, NULL, &problem, &err);
  ck_assert_msg(code == BERTH_OK, "%s:%u: %s", path, err.line, err.message);
  free(text);
  return problem;
}

struct event {
  int64_t at;
  int64_t change;
};

static int compare_events(const void *a, const void *b) {
  const struct event *x = a;
  const struct event *y = b;
  if (x->at != y->at) {
    return x->at < y->at ? -1 : 1;
  }
  return x->change < y->change ? -1 : x->change > y->change; /* ends before starts */
}

/* The most bytes that are live at once, which nobody's plan is below. */
static uint64_t load_of(const struct peer_buffer *buffers, uint32_t n) {
  struct event *events = calloc(2 * (size_t)n + 1, sizeof *events);
  for (uint32_t i = 0; i < n; i++) {
    events[2 * (size_t)i] = (struct event){buffers[i].lower, (int64_t)buffers[i].size};
    events[2 * (size_t)i + 1] = (struct event){buffers[i].upper, -(int64_t)buffers[i].size};
  }
  qsort(events, 2 * (size_t)n, sizeof *events, compare_events);
  int64_t live = 0;
  int64_t most = 0;
  for (size_t k = 0; k < 2 * (size_t)n; k++) {
    live += events[k].change;
    most = live > most ? live : most;
  }
  free(events);
  return (uint64_t)most;
}

static void list(struct input *input) {
  const struct berth_buffers *columns = berth_problem_buffers(input->problem);
  uint32_t *order = calloc(input->n + 1, sizeof *order);
  struct berth_error err;
  ck_assert_int_eq(berth_problem_canonical_order(input->problem, NULL, order, &err), BERTH_OK);
  for (int ties = 0; ties < N_TIES; ties++) {
    input->buffers[ties] = calloc(input->n + 1, sizeof *input->buffers[ties]);
    for (uint32_t k = 0; k < input->n; k++) {
      uint32_t i = ties == CANONICAL ? order[k] : ties == CALLERS ? k : input->n - 1 - k;
      input->buffers[ties][k] = (struct peer_buffer){
          columns->lower[i], columns->upper[i], columns->size_bytes[i], columns->alignment[i]};
    }
  }
  free(order);
  input->load = load_of(input->buffers[CALLERS], input->n);
}

/* ---- Plans ---- */

static uint64_t
arena_of(const struct input *input, uint32_t strategies, uint64_t budget_ticks, uint64_t enough) {
  struct berth_solve_options options = berth_solve_options_default();
  options.budget_ticks = budget_ticks;
  options.strategies = strategies;
  struct wish wish = {.arena = enough};
  const struct berth_solve_hooks hooks = wish_hooks(&wish);
  struct berth_plan *plan = NULL;
  struct berth_error err = {0};
  enum berth_code code = berth_solve(input->problem, &options, &hooks, NULL, &plan, &err);
  ck_assert_msg(code == BERTH_OK, "%s: %s", input->name, err.message);
  struct berth_verdict verdict;
  ck_assert_int_eq(berth_verify(input->problem, plan, NULL, NULL, 0, &verdict, &err), BERTH_OK);
  ck_assert_msg(verdict.n_violations == 0 && plan->offset != NULL, "%s is planned wrongly", input->name);
  uint64_t arena = plan->arena_bytes;
  berth_plan_unref(plan);
  return arena;
}

static void expect_no_larger(const struct input *input, enum peer peer, uint64_t its, uint64_t ours) {
  ck_assert_msg(
      ours <= its, "%s: %llu by %s, and %llu", input->name, (unsigned long long)its, peer_name(peer),
      (unsigned long long)ours);
}

/* The portfolio alone, where ties go by the planner's own order; the whole where they go otherwise. */
static void compare_with_rules(const struct input *input) {
  uint32_t portfolio = 1u << BERTH_STRATEGY_PLACEMENT;
  uint64_t ours = arena_of(input, portfolio, PORTFOLIO, 0);
  uint64_t least = UINT64_MAX;
  enum peer by = PEER_N;
  for (int ties = 0; ties < N_TIES; ties++) {
    const struct peer_problem problem = {.n = input->n, .buffers = input->buffers[ties]};
    for (int peer = 0; peer < PEER_N; peer++) {
      uint64_t its = peer_arena((enum peer)peer, &problem);
      ck_assert_uint_ge(its, input->load);
      if (ties == CANONICAL) {
        expect_no_larger(input, (enum peer)peer, its, ours);
      }
      by = its < least ? (enum peer)peer : by;
      least = its < least ? its : least;
    }
  }
  if (ours > least) {
    seen.searched++;
    ours = arena_of(input, BERTH_ALL_STRATEGIES, BERTH_DEFAULT_BUDGET_TICKS, least);
  }
  expect_no_larger(input, by, least, ours);
  seen.by_rules++;
}

static void look_at(const char *path, const char *name) {
  struct input input = {.problem = read_problem(path)};
  snprintf(input.name, sizeof input.name, "%s", name);
  input.n = berth_problem_buffers(input.problem)->n;
  ck_assert_msg(berth_problem_buffers(input.problem)->gap_begin == NULL, "%s has gaps: no rule does", name);
  list(&input);
  if (input.n <= MOST_BY_RULES) {
    compare_with_rules(&input);
  } else { /* nobody's plan is smaller than the load */
    uint64_t ours = arena_of(&input, BERTH_ALL_STRATEGIES, BERTH_DEFAULT_BUDGET_TICKS, input.load);
    ck_assert_msg(
        ours == input.load, "%s: %llu, and the load is %llu: the rules would have to be tried", name,
        (unsigned long long)ours, (unsigned long long)input.load);
    seen.at_load++;
  }
  for (int ties = 0; ties < N_TIES; ties++) {
    free(input.buffers[ties]);
  }
  berth_problem_unref(input.problem);
  seen.files++;
}

/* ---- Folders ---- */

static int is_input(const struct dirent *entry) {
  size_t n = strlen(entry->d_name);
  return entry->d_name[0] != '.' &&
         (strchr(entry->d_name, '.') == NULL || (n > 4 && strcmp(entry->d_name + n - 4, ".csv") == 0));
}

/* False if it is not there. */
static bool look_through(const char *root, const char *folder) {
  char path[1024];
  struct dirent **entries;
  snprintf(path, sizeof path, "%s/%s", root, folder);
  int n = scandir(path, &entries, is_input, alphasort);
  for (int k = 0; k < n; k++) {
    char file[2048];
    char name[512];
    snprintf(file, sizeof file, "%s/%s", path, entries[k]->d_name);
    snprintf(name, sizeof name, "%s/%s", folder, entries[k]->d_name);
    look_at(file, name);
    free(entries[k]);
  }
  if (n >= 0) {
    free(entries);
  }
  return n > 0;
}

static void say(void) {
  printf(
      "%u files: %u by rules (%u with a search, for a lucky order of ties), %u at the load\n", seen.files,
      seen.by_rules, seen.searched, seen.at_load);
}

START_TEST(kept_files) {
  ck_assert(look_through(SOURCE_DIR "/tests/data/intervals", "minimalloc"));
  ck_assert(look_through(SOURCE_DIR "/tests/data/intervals", "minimalloc-small"));
  ck_assert(look_through(SOURCE_DIR "/tests/data/intervals", "somas"));
  say();
}
END_TEST

START_TEST(corpus) {
  static const char *const FOLDERS[] = {"minimalloc-small", "glow", "minimalloc", "somas", "iopddl"};
  for (size_t f = 0; f < sizeof FOLDERS / sizeof FOLDERS[0]; f++) {
    if (!look_through(SOURCE_DIR "/../shared/corpus/intervals", FOLDERS[f])) {
      printf("SKIPPED: there is no folder %s of the corpus beside the repository\n", FOLDERS[f]);
    }
  }
  say();
}
END_TEST

int main(void) {
  return berth_suite_run("property/corpus", (const TTest *const[]){kept_files, corpus, NULL});
}
