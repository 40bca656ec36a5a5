/* --stable-with: an earlier plan, and what is asked of it. */
#include <stdlib.h>
#include <string.h>

#include "text/units.h"
#include "verbs/compare.h"
#include "verbs/internal.h"

enum { MOST_WORDS = 4096 };

/* Who must keep its place; the words point into the command line. */
struct who {
  struct berth_text ids[MOST_WORDS];
  uint32_t pools[BERTH_MAX_POOLS];
};

static const enum berthctl_option DEPENDENT[] = {
    BERTHCTL_OPTION_GROWTH, BERTHCTL_OPTION_KEEP_BY, BERTHCTL_OPTION_MUST_KEEP};

static enum berthctl_exit
check_alone(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  for (size_t k = 0; k < sizeof DEPENDENT / sizeof DEPENDENT[0]; k++) {
    if (options->is_set[DEPENDENT[k]]) {
      return berthctl_say_usage(
          terminal, "--%s says what to keep of the plan of --stable-with, which is not given",
          BERTHCTL_OPTION_ROWS[DEPENDENT[k]].word);
    }
  }
  return BERTHCTL_EXIT_OK;
}

/* ---- --growth and --keep-by ---- */

static enum berthctl_exit read_growth(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_stable_spec *spec) {
  if (!options->is_set[BERTHCTL_OPTION_GROWTH]) {
    return BERTHCTL_EXIT_OK;
  }
  const char *text = options->text[BERTHCTL_OPTION_GROWTH];
  size_t n = strlen(text);
  bool is_good = true;
  if (strcmp(text, "any") == 0) {
    spec->growth = BERTH_GROWTH_ANY;
  } else if (strcmp(text, "least") == 0) {
    spec->growth = BERTH_GROWTH_LEAST;
  } else if (n > 0 && text[n - 1] == '%') {
    spec->growth = BERTH_GROWTH_SHARE;
    is_good = berthctl_percent_parse(text, &spec->growth_amount);
  } else {
    spec->growth = BERTH_GROWTH_BYTES;
    is_good = berth_units_parse_bytes(text, &spec->growth_amount);
  }
  return is_good ? BERTHCTL_EXIT_OK
                 : berthctl_say_usage(
                       terminal,
                       "--growth is '%.40s'; a size such as 64KiB, a share such as 5%%, least or any "
                       "are right",
                       text);
}

static enum berthctl_exit read_unit(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_stable_spec *spec) {
  const char *text =
      options->is_set[BERTHCTL_OPTION_KEEP_BY] ? options->text[BERTHCTL_OPTION_KEEP_BY] : "buffers";
  spec->keep_by = strcmp(text, "bytes") == 0 ? BERTH_KEEP_BYTES : BERTH_KEEP_BUFFERS;
  bool is_good = spec->keep_by == BERTH_KEEP_BYTES || strcmp(text, "buffers") == 0;
  return is_good ? BERTHCTL_EXIT_OK
                 : berthctl_say_usage(terminal, "--keep-by is '%.40s'; buffers and bytes are right", text);
}

/* ---- --must-keep ---- */

static bool begins(struct berth_text word, const char *with, struct berth_text *out_rest) {
  size_t n = strlen(with);
  if (word.size < n || memcmp(word.data, with, n) != 0) {
    return false;
  }
  *out_rest = (struct berth_text){.data = word.data + n, .size = word.size - (uint32_t)n};
  return true;
}

static bool is_word(struct berth_text text, const char *word) {
  return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static enum berthctl_exit
add_class(const struct berthctl_terminal *terminal, struct berth_text name, struct berth_stable_spec *spec) {
  for (unsigned c = 0; c < BERTH_N_CLASSES; c++) {
    if (is_word(name, berth_json_class_name(c))) {
      spec->must_classes |= 1u << c;
      return BERTHCTL_EXIT_OK;
    }
  }
  return berthctl_say_usage(terminal, "--must-keep: there is no class '%.*s'", (int)name.size, name.data);
}

static enum berthctl_exit add_pool(
    const struct berthctl_terminal *terminal, const struct berth_problem *problem, struct berth_text name,
    struct who *who, struct berth_stable_spec *spec) {
  const struct berth_pools *pools = berth_problem_pools(problem);
  for (uint32_t p = 0; p < pools->n && spec->n_must_pools < BERTH_MAX_POOLS; p++) {
    char index[12];
    snprintf(index, sizeof index, "%u", p);
    struct berth_text own = pools->items[p].name;
    bool is_it = own.size == 0 ? is_word(name, index)
                               : own.size == name.size && memcmp(own.data, name.data, own.size) == 0;
    if (is_it) {
      who->pools[spec->n_must_pools++] = p;
      return BERTHCTL_EXIT_OK;
    }
  }
  return berthctl_say_usage(terminal, "--must-keep: there is no pool '%.*s'", (int)name.size, name.data);
}

static enum berthctl_exit add_word(
    const struct berthctl_terminal *terminal, const struct berth_problem *problem, struct berth_text word,
    struct who *who, struct berth_stable_spec *spec) {
  struct berth_text rest;
  if (is_word(word, "all")) {
    spec->must_all = true;
    return BERTHCTL_EXIT_OK;
  }
  if (begins(word, "class:", &rest)) {
    return add_class(terminal, rest, spec);
  }
  if (begins(word, "pool:", &rest)) {
    return add_pool(terminal, problem, rest, who, spec);
  }
  if (word.size == 0 || spec->n_must_ids == MOST_WORDS) {
    return berthctl_say_usage(
        terminal, "--must-keep takes up to %d words with commas between them", MOST_WORDS);
  }
  who->ids[spec->n_must_ids++] = word;
  return BERTHCTL_EXIT_OK;
}

static enum berthctl_exit read_who(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem, struct who *who, struct berth_stable_spec *spec) {
  const char *text =
      options->is_set[BERTHCTL_OPTION_MUST_KEEP] ? options->text[BERTHCTL_OPTION_MUST_KEEP] : NULL;
  enum berthctl_exit status = BERTHCTL_EXIT_OK;
  spec->must_ids = who->ids;
  spec->must_pools = who->pools;
  while (text != NULL && status == BERTHCTL_EXIT_OK) {
    const char *comma = strchr(text, ',');
    size_t n = comma != NULL ? (size_t)(comma - text) : strlen(text);
    n = n < UINT32_MAX ? n : UINT32_MAX;
    status = add_word(terminal, problem, (struct berth_text){.data = text, .size = (uint32_t)n}, who, spec);
    text = comma != NULL ? comma + 1 : NULL;
  }
  return status;
}

/* ---- The plan ---- */

static bool name_gone(struct berthctl_stable *stable) {
  stable->gone_ids = calloc(stable->stable->n_gone + (size_t)1, sizeof *stable->gone_ids);
  for (uint32_t k = 0; stable->gone_ids != NULL && k < stable->stable->n_gone; k++) {
    stable->gone_ids[k] = stable->saved->id[stable->stable->gone[k]];
  }
  return stable->gone_ids != NULL;
}

static enum berth_code create(
    const struct berth_problem *problem, struct berth_stable_spec *spec, struct berthctl_stable *out,
    struct berth_error *err) {
  const struct berth_report_side side = berthctl_saved_side(out->saved);
  struct berth_stable_row *rows;
  enum berth_code code = berth_stable_rows(&side, problem, NULL, &rows, err);
  if (code != BERTH_OK) {
    return code;
  }
  spec->rows = rows;
  spec->n_rows = out->saved->n_buffers;
  code = berth_stable_create(problem, spec, NULL, &out->stable, err);
  berth_report_free(NULL, rows);
  return code != BERTH_OK || name_gone(out) ? code : berth_fail_memory(err);
}

static enum berth_code read_saved(const char *path, struct berthctl_stable *out, struct berth_error *err) {
  enum berth_code code = berthctl_input_read(path, &out->input, err);
  out->saved = code == BERTH_OK ? calloc(1, sizeof *out->saved) : NULL;
  if (out->saved == NULL) {
    return code != BERTH_OK ? code : berth_fail_memory(err);
  }
  return berth_json_read_saved(out->input.bytes, out->input.n_bytes, NULL, out->saved, err);
}

enum berthctl_exit berthctl_load_stable(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    const struct berth_problem *problem, struct berthctl_stable *out_stable) {
  *out_stable = (struct berthctl_stable){.stable = NULL};
  if (!options->is_set[BERTHCTL_OPTION_STABLE_WITH]) {
    return check_alone(options, terminal);
  }
  const char *path = options->text[BERTHCTL_OPTION_STABLE_WITH];
  struct berth_stable_spec spec = {.rows = NULL};
  struct berth_error err = {.code = BERTH_OK};
  struct who *who = malloc(sizeof *who);
  enum berthctl_exit status = read_growth(options, terminal, &spec);
  status = status == BERTHCTL_EXIT_OK ? read_unit(options, terminal, &spec) : status;
  if (status == BERTHCTL_EXIT_OK && who == NULL) {
    (void)!berth_fail_memory(&err);
    status = berthctl_error_say(terminal, path, &err);
  }
  status = status == BERTHCTL_EXIT_OK ? read_who(options, terminal, problem, who, &spec) : status;
  if (status == BERTHCTL_EXIT_OK && read_saved(path, out_stable, &err) != BERTH_OK) {
    status = berthctl_error_say(terminal, path, &err);
  }
  if (status == BERTHCTL_EXIT_OK && create(problem, &spec, out_stable, &err) != BERTH_OK) {
    status = berthctl_error_say(terminal, options->arguments[0], &err);
  }
  free(who);
  return status;
}

void berthctl_stable_finish(struct berthctl_stable *stable) {
  berth_stable_unref(stable->stable);
  free(stable->gone_ids);
  if (stable->saved != NULL && stable->saved->allocator != NULL) {
    berth_json_saved_finish(stable->saved);
  }
  free(stable->saved);
  berthctl_input_finish(&stable->input);
  *stable = (struct berthctl_stable){.stable = NULL};
}
