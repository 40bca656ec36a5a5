/* What verbs share. */
#ifndef VERBS_INTERNAL_H
#define VERBS_INTERNAL_H

#include "engine/engine.h"
#include "options/options.h"
#include "output/errors.h"
#include "output/terminal.h"
#include "system/input.h"
#include "json/emit.h"
#include "json/plan.h"
#include "json/saved.h"

typedef enum berthctl_exit
berthctl_verb_fn(const struct berthctl_options *options, const struct berthctl_terminal *terminal);
berthctl_verb_fn berthctl_verb_plan;
berthctl_verb_fn berthctl_verb_fit;
berthctl_verb_fn berthctl_verb_verify;
berthctl_verb_fn berthctl_verb_explain;
berthctl_verb_fn berthctl_verb_diff;
berthctl_verb_fn berthctl_verb_check;
berthctl_verb_fn berthctl_verb_get;
berthctl_verb_fn berthctl_verb_list;
berthctl_verb_fn berthctl_verb_rm;
berthctl_verb_fn berthctl_verb_measure;
berthctl_verb_fn berthctl_verb_server;
berthctl_verb_fn berthctl_verb_completion;
berthctl_verb_fn berthctl_verb_version;
berthctl_verb_fn berthctl_verb_help;

/* Reads the problem in a file, its symbols bound as the options say; says what is wrong with it and returns
 * the exit status otherwise. */
enum berthctl_exit berthctl_load_problem(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal, const char *path,
    struct berth_problem **out_problem);

/* All that every --bind asks for: "n=1,2,batch=4,8" is four variants. False, and the usage error said, if one
 * is none, or they are too many. */
enum { BERTHCTL_MAX_VARIANT_BINDINGS = 4096 };
struct berthctl_bindings {
  uint32_t n;
  uint32_t n_items;
  struct berth_bindings variants[BERTH_MAX_VARIANTS];
  struct berth_binding items[BERTHCTL_MAX_VARIANT_BINDINGS];
};
bool berthctl_parse_variants(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berthctl_bindings *out);
/* Plans and shows them. */
enum berthctl_exit berthctl_plan_variants(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berthctl_bindings *bindings);

/* All files of --together as one problem. */
enum berthctl_exit berthctl_load_together(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_problem **out_problem);
/* The same, with these bindings in the place of the options': what cannot be planned for over all its bounds
 * has those of the first variant. */
enum berthctl_exit berthctl_load_open(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berthctl_bindings *bindings, struct berth_problem **out_problem);
/* One of them; `path` is not that of a composition. */
enum berthctl_exit berthctl_load_file(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal, const char *path,
    struct berth_problem **out_problem);

/* "n=5,batch=1..8": up to BERTHCTL_MAX_BINDINGS, whose names point into the text. False, and the usage error
 * said, if it is none. */
enum { BERTHCTL_MAX_BINDINGS = 64 };
bool berthctl_parse_bindings(
    const struct berthctl_terminal *terminal, const char *text, struct berth_binding *out_items,
    uint32_t *out_n);

/* --reuse; false, or USAGE after having said so, if it is no level. */
bool berthctl_reuse_parse(const struct berthctl_options *options, enum berth_reuse *out_reuse);
enum berthctl_exit berthctl_reuse_of(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    enum berth_reuse *out_reuse);

/* --name, or the file's name; NULL for standard input. */
const char *berthctl_problem_name(const struct berthctl_options *options, const char *path);

/* What --tls-* name, as texts; finish it whatever the outcome. */
enum { BERTHCTL_TLS_CA, BERTHCTL_TLS_CERT, BERTHCTL_TLS_KEY, BERTHCTL_N_TLS_FILES };
struct berthctl_tls {
  bool is_used;
  char *texts[BERTHCTL_N_TLS_FILES];
};
enum berthctl_exit berthctl_load_tls(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berthctl_tls *out_tls);
void berthctl_tls_finish(struct berthctl_tls *tls);

/* --server, BERTH_SERVER, or the default. */
const char *berthctl_server_of(const struct berthctl_options *options);

void berthctl_start_watch(
    struct berthctl_watch *watch, const struct berthctl_options *options,
    const struct berthctl_terminal *terminal);

/* What is wrong with the command line beyond its grammar: says it and returns USAGE. */
enum berthctl_exit berthctl_say_usage(const struct berthctl_terminal *terminal, const char *format, ...)
    BERTH_PRINTF(2, 3);

/* An error of a call: USAGE for an address that cannot be one; a hint where nobody listens. */
enum berthctl_exit berthctl_say_remote(
    const struct berthctl_terminal *terminal, const char *server, const char *file,
    const struct berth_error *err);

/* An error of what was done here or there, as the options say, with a file. */
enum berthctl_exit berthctl_say_failure(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal, const char *file,
    const struct berth_error *err);

/* Plans here or there, as the options say, and checks the plan. */
enum berthctl_exit berthctl_compute(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem, struct berthctl_planned *out_planned);

/* The same with other options than those of the command line, which these are. */
enum berthctl_exit berthctl_compute_with(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem, const struct berth_solve_options *solve,
    struct berthctl_planned *out_planned);
struct berth_solve_options berthctl_solve_options(const struct berthctl_options *options);

/* As berthctl_compute_bound; `problem` is replaced by the problem that the plan is of. */
enum berthctl_exit berthctl_compute_smallest(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_problem **problem, struct berthctl_planned *out_planned, uint64_t *out_bounds_bytes);

/* What --explain-miss found: as a member of the plan's object (`ctx` is the miss), or in words. */
void berthctl_miss_write(void *ctx, struct berth_json *json);
void berthctl_miss_print(const struct berthctl_miss *miss);

/* A sink into memory; `ctx` is a struct berthctl_input. */
bool berthctl_keep_bytes(void *ctx, const char *bytes, size_t n_bytes);
/* As berthctl_compute; of a problem with bound symbols the plan is no larger than the one for the bounds,
 * whose arena is *out_bounds_bytes (else 0). */
enum berthctl_exit berthctl_compute_bound(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_problem *problem, struct berthctl_planned *out_planned, uint64_t *out_bounds_bytes);

/* --limit, or its default. */
uint64_t berthctl_search_limit(const struct berthctl_options *options);
/* The largest number of --symbol at which the problem fits in --capacity. */
enum berthctl_exit berthctl_fit_symbol(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem);

/* How many of the problem fit side by side in --capacity. */
enum berthctl_exit berthctl_fit_instances(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_problem *problem);

/* What --stable-with and its options ask for; stable NULL where it is not given. Finish it whatever the
 * outcome. */
struct berthctl_stable {
  const struct berth_stable *stable;
  struct berth_text *gone_ids; /* of each buffer that is gone */
  struct berthctl_input input; /* in which they lie */
  struct berth_json_saved *saved;
};
enum berthctl_exit berthctl_load_stable(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem, struct berthctl_stable *out_stable);
void berthctl_stable_finish(struct berthctl_stable *stable);

/* Writes what --csv, --svg and --json ask for, and the summary where standard output is free. */
enum berthctl_exit berthctl_show_plan(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_json_plan *what);

/* One JSON object to standard output: whatever is written between the two is its content. A failed write is
 * noticed when the verb ends. */
struct berthctl_object {
  struct berth_writer writer;
  struct berth_json json;
};
void berthctl_object_open(struct berthctl_object *object);
void berthctl_object_close(struct berthctl_object *object);

/* Ends standard output: a failed write is an error. */
enum berthctl_exit berthctl_end_stdout(const struct berthctl_terminal *terminal, enum berthctl_exit status);

#endif
