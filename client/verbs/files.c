/* What a plan is written to: files, standard output, a summary. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "minimalloc/minimalloc.h"
#include "output/summary.h"
#include "svg/svg.h"
#include "system/outfile.h"
#include "verbs/internal.h"

static bool write_stdout(void *ctx, const char *bytes, size_t n_bytes) {
  (void)ctx;
  return fwrite(bytes, 1, n_bytes, stdout) == n_bytes;
}

bool berthctl_keep_bytes(void *ctx, const char *bytes, size_t n_bytes) {
  struct berthctl_input *kept = ctx;
  char *grown = realloc(kept->bytes, kept->n_bytes + n_bytes);
  if (grown == NULL) {
    return false;
  }
  memcpy(grown + kept->n_bytes, bytes, n_bytes);
  kept->bytes = grown;
  kept->n_bytes += n_bytes;
  return true;
}

static const struct berth_sink STDOUT_SINK = {.write = write_stdout};

void berthctl_object_open(struct berthctl_object *object) {
  berth_writer_init(&object->writer, STDOUT_SINK);
  berth_json_init(&object->json, &object->writer);
  berth_json_open(&object->json, NULL, '{');
}

void berthctl_object_close(struct berthctl_object *object) {
  berth_json_close(&object->json, '}');
  if (berth_writer_finish(&object->writer, NULL) != BERTH_OK) {
    return; /* ferror(stdout) remembers */
  }
}

enum berthctl_exit berthctl_end_stdout(const struct berthctl_terminal *terminal, enum berthctl_exit status) {
  bool failed = fflush(stdout) != 0 || ferror(stdout) != 0;
  if (!failed || status != BERTHCTL_EXIT_OK) {
    return status;
  }
  struct berth_error err;
  berth_fail(&err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, BERTH_NO_INDEX, NULL, "cannot be written");
  return berthctl_error_say(terminal, "standard output", &err);
}

static bool takes_stdout(const struct berthctl_options *options, enum berthctl_option option) {
  return options->is_set[option] && strcmp(options->text[option], "-") == 0;
}

static enum berth_code write_format(
    enum berthctl_option option, const struct berth_json_plan *what, struct berth_sink sink,
    struct berth_error *err) {
  return option == BERTHCTL_OPTION_CSV
             ? berth_minimalloc_write(what->problem, what->plan, sink, err)
             : berth_svg_write(what->problem, what->plan, what->name, NULL, sink, err);
}

static enum berth_code write_whole(
    const char *path, enum berthctl_option option, const struct berth_json_plan *what,
    struct berth_error *err) {
  struct berthctl_outfile file;
  enum berth_code code = berthctl_outfile_open(path, &file, err);
  if (code != BERTH_OK) {
    return code;
  }
  code = write_format(option, what, berthctl_outfile_sink(&file), err);
  enum berth_code close_code = berthctl_outfile_close(&file, code == BERTH_OK, code == BERTH_OK ? err : NULL);
  return code != BERTH_OK ? code : close_code;
}

static enum berthctl_exit write_file(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    enum berthctl_option option, const struct berth_json_plan *what) {
  bool is_missing = option == BERTHCTL_OPTION_CSV && what->plan->offset == NULL; /* the summary says so */
  if (!options->is_set[option] || is_missing) {
    return BERTHCTL_EXIT_OK;
  }
  const char *path = options->text[option];
  struct berth_error err;
  if (write_whole(path, option, what, &err) == BERTH_OK) {
    return BERTHCTL_EXIT_OK;
  }
  return berthctl_error_say(terminal, strcmp(path, "-") == 0 ? "standard output" : path, &err);
}

static void print_summary(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_json_plan *what) {
  bool has_capacity = options->is_set[BERTHCTL_OPTION_CAPACITY];
  struct berthctl_summary summary = {
      .what = *what,
      .capacity_bytes = has_capacity ? options->number[BERTHCTL_OPTION_CAPACITY] : BERTH_UNLIMITED,
      .all = options->is_set[BERTHCTL_OPTION_ALL]};
  berthctl_summary_print(&summary, terminal);
}

enum berthctl_exit berthctl_show_plan(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_json_plan *what) {
  enum berthctl_exit status = write_file(options, terminal, BERTHCTL_OPTION_SVG, what);
  if (status == BERTHCTL_EXIT_OK) {
    status = write_file(options, terminal, BERTHCTL_OPTION_CSV, what);
  }
  if (status != BERTHCTL_EXIT_OK) {
    return status;
  }
  if (options->is_set[BERTHCTL_OPTION_JSON]) {
    struct berth_error err;
    return berth_json_write_plan(what, STDOUT_SINK, &err) == BERTH_OK
               ? BERTHCTL_EXIT_OK
               : berthctl_error_say(terminal, "standard output", &err);
  }
  bool is_taken = takes_stdout(options, BERTHCTL_OPTION_CSV) || takes_stdout(options, BERTHCTL_OPTION_SVG);
  if (!is_taken && !options->is_set[BERTHCTL_OPTION_QUIET]) {
    print_summary(options, terminal, what);
  }
  return BERTHCTL_EXIT_OK;
}
