/* Where a verb begins: its input, its server, its bounds, and what is said when one of them is wrong. */
#include <stdarg.h>
#include <string.h>

#include "minimalloc/minimalloc.h"
#include "system/interrupt.h"
#include "verbs/internal.h"
#include "json/problem.h"

static enum berth_code read_problem(
    const struct berthctl_input *input, const struct berth_bindings *bindings, enum berth_reuse reuse,
    struct berth_problem **out_problem, struct berth_error *err) {
  if (!berth_json_is_object(input->bytes, input->n_bytes)) {
    return berth_minimalloc_read(input->bytes, input->n_bytes, NULL, out_problem, err);
  }
  return reuse == BERTH_REUSE_FULL
             ? berth_json_read_bound(input->bytes, input->n_bytes, bindings, NULL, out_problem, err)
             : berth_json_read_without_inplace(
                   input->bytes, input->n_bytes, bindings, NULL, out_problem, err);
}

/* A symbol that is searched for need not have an upper bound: the search's own will do for the first look. */
static enum berth_code read_for_search(
    const struct berthctl_options *options, const struct berthctl_input *input, struct berth_binding *items,
    struct berth_bindings *bindings, enum berth_reuse reuse, struct berth_problem **out_problem,
    struct berth_error *err) {
  enum berth_code code = read_problem(input, bindings, reuse, out_problem, err);
  bool is_searched = options->is_set[BERTHCTL_OPTION_SYMBOL] && bindings->n < BERTHCTL_MAX_BINDINGS;
  if (code == BERTH_OK || err->reason != BERTH_REASON_UNBOUNDED || !is_searched) {
    return code;
  }
  const char *name = options->text[BERTHCTL_OPTION_SYMBOL];
  uint64_t limit = berthctl_search_limit(options);
  items[bindings->n++] = (struct berth_binding){
      .symbol = {.data = name, .size = (uint32_t)strlen(name)}, .lower = limit, .upper = limit};
  return read_problem(input, bindings, reuse, out_problem, err);
}

enum berthctl_exit berthctl_load_problem(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal, const char *path,
    struct berth_problem **out_problem) {
  return options->is_set[BERTHCTL_OPTION_TOGETHER] ? berthctl_load_together(options, terminal, out_problem)
                                                   : berthctl_load_file(options, terminal, path, out_problem);
}

/* What is read is unbound where the caller binds it later, and then as its first variant where it must be
 * bound to be read. */
static enum berth_code read_open(
    const struct berthctl_input *input, const struct berthctl_bindings *later,
    struct berth_bindings *bindings, enum berth_reuse reuse, struct berth_problem **out_problem,
    struct berth_error *err) {
  enum berth_code code = read_problem(input, bindings, reuse, out_problem, err);
  bool must_be_bound = err->reason == BERTH_REASON_UNBOUNDED || err->reason == BERTH_REASON_BAD_GROUP;
  if (code == BERTH_OK || !must_be_bound) {
    return code;
  }
  bindings->n = later->variants[0].n;
  bindings->items = later->variants[0].items;
  return read_problem(input, bindings, reuse, out_problem, err);
}

static enum berthctl_exit load_file(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal, const char *path,
    const struct berthctl_bindings *later, struct berth_problem **out_problem) {
  struct berth_error err = {.code = BERTH_OK};
  struct berthctl_input input;
  struct berth_binding items[BERTHCTL_MAX_BINDINGS];
  struct berth_bindings bindings = {.items = items, .strict = options->is_set[BERTHCTL_OPTION_STRICT]};
  bool is_bound = options->is_set[BERTHCTL_OPTION_BIND];
  enum berth_reuse reuse;
  enum berthctl_exit status = berthctl_reuse_of(options, terminal, &reuse);
  if (status != BERTHCTL_EXIT_OK) {
    return status;
  }
  if (is_bound && later == NULL &&
      !berthctl_parse_bindings(terminal, options->text[BERTHCTL_OPTION_BIND], items, &bindings.n)) {
    return BERTHCTL_EXIT_USAGE;
  }
  enum berth_code code = berthctl_input_read(path, &input, &err);
  if (code == BERTH_OK) {
    bool is_json = berth_json_is_object(input.bytes, input.n_bytes);
    if (!is_json && (is_bound || options->is_set[BERTHCTL_OPTION_SYMBOL])) {
      berthctl_input_finish(&input);
      return berthctl_say_usage(
          terminal, "--bind and --symbol are for problems with symbols, which are JSON");
    }
    code = later != NULL ? read_open(&input, later, &bindings, reuse, out_problem, &err)
                         : read_for_search(options, &input, items, &bindings, reuse, out_problem, &err);
    berthctl_input_finish(&input);
  }
  return code == BERTH_OK ? BERTHCTL_EXIT_OK : berthctl_error_say(terminal, path, &err);
}

enum berthctl_exit berthctl_load_file(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal, const char *path,
    struct berth_problem **out_problem) {
  return load_file(options, terminal, path, NULL, out_problem);
}

enum berthctl_exit berthctl_load_open(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berthctl_bindings *bindings, struct berth_problem **out_problem) {
  if (!options->is_set[BERTHCTL_OPTION_TOGETHER]) {
    return load_file(options, terminal, options->arguments[0], bindings, out_problem);
  }
  struct berthctl_options open = *options; /* a symbol need not be in every file */
  open.is_set[BERTHCTL_OPTION_BIND] = false;
  return berthctl_load_together(&open, terminal, out_problem);
}

const char *berthctl_problem_name(const struct berthctl_options *options, const char *path) {
  if (options->is_set[BERTHCTL_OPTION_NAME]) {
    return options->text[BERTHCTL_OPTION_NAME];
  }
  if (options->is_set[BERTHCTL_OPTION_TOGETHER]) {
    return "together";
  }
  if (path == NULL || strcmp(path, "-") == 0) {
    return NULL;
  }
  const char *slash = strrchr(path, '/');
  return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

const char *berthctl_server_of(const struct berthctl_options *options) {
  return options->is_set[BERTHCTL_OPTION_SERVER] ? options->text[BERTHCTL_OPTION_SERVER]
                                                 : BERTHCTL_DEFAULT_SERVER;
}

void berthctl_start_watch(
    struct berthctl_watch *watch, const struct berthctl_options *options,
    const struct berthctl_terminal *terminal) {
  bool is_shown = terminal->err_is_tty && !options->is_set[BERTHCTL_OPTION_QUIET];
  berthctl_watch_init(watch, (int64_t)options->number[BERTHCTL_OPTION_DEADLINE], is_shown);
}

enum berthctl_exit berthctl_say_usage(const struct berthctl_terminal *terminal, const char *format, ...) {
  char message[BERTH_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  struct berth_error err;
  berth_fail(&err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, NULL, "%s", message);
  berthctl_error_say(terminal, NULL, &err);
  return BERTHCTL_EXIT_USAGE;
}

enum berthctl_exit berthctl_say_remote(
    const struct berthctl_terminal *terminal, const char *server, const char *file,
    const struct berth_error *err) {
  if (err->code == BERTH_CANCELLED && berthctl_interrupted()) {
    struct berth_error interrupted = *err;
    snprintf(interrupted.message, sizeof interrupted.message, "interrupted");
    return berthctl_error_say(terminal, NULL, &interrupted);
  }
  bool is_address = err->code == BERTH_INVALID_ARGUMENT && strcmp(err->field, "server") == 0;
  bool is_about_input = err->code == BERTH_INVALID_ARGUMENT && !is_address;
  bool names_server = strstr(err->message, server) != NULL;
  const char *subject = is_about_input ? file : names_server ? NULL : server;
  enum berthctl_exit status = berthctl_error_say(terminal, subject, err);
  if (err->code == BERTH_UNAVAILABLE && err->reason == BERTH_REASON_NONE) {
    fputs("is berthd running there? --local plans without it\n", stderr);
  }
  return is_address ? BERTHCTL_EXIT_USAGE : status;
}

enum berthctl_exit berthctl_say_failure(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal, const char *file,
    const struct berth_error *err) {
  return options->is_set[BERTHCTL_OPTION_LOCAL]
             ? berthctl_error_say(terminal, file, err)
             : berthctl_say_remote(terminal, berthctl_server_of(options), file, err);
}
