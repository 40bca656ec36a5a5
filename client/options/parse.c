/* Words in order: the verb is the first that is no option; options may stand anywhere; "--" ends them. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/nearest.h"
#include "options/options.h"
#include "text/units.h"

struct parser {
  int argc;
  char *const *argv;
  int at;
  bool has_verb;
  bool options_ended;
  struct berthctl_options *options;
  struct berthctl_usage_error *error;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct parser *parser, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(parser->error->message, sizeof parser->error->message, format, arguments);
  va_end(arguments);
  parser->error->verb = parser->has_verb ? parser->options->verb : BERTHCTL_N_VERBS;
  return false;
}

static bool parse_count(const char *text, uint64_t *out) {
  char *end;
  errno = 0;
  unsigned long long n = strtoull(text, &end, 10);
  *out = n;
  return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && n != 0;
}

/* Nanoseconds of what is at least one and at most some decades. */
static bool parse_seconds(const char *text, uint64_t *out) {
  char *end;
  double seconds = strtod(text, &end);
  bool is_plain = *text != '\0' && strspn(text, "0123456789.") == strlen(text);
  if (!is_plain || *end != '\0' || !(seconds >= 1e-9) || seconds > 1e9) {
    return false;
  }
  *out = (uint64_t)(seconds * 1e9);
  return true;
}

/* Up to 10000, with up to four digits behind the point: exact, in millionths of the whole. */
bool berthctl_percent_parse(const char *text, uint64_t *out) {
  enum { ONE = 10000, MOST = 10000 };
  uint64_t unit = ONE;
  bool has_digits = false;
  bool is_behind = false;
  *out = 0;
  for (; (*text >= '0' && *text <= '9') || (*text == '.' && !is_behind); text++) {
    if (*text == '.') {
      is_behind = true;
      continue;
    }
    has_digits = true;
    unit /= is_behind ? 10 : 1;
    *out = is_behind ? *out + (uint64_t)(*text - '0') * unit : *out * 10 + (uint64_t)(*text - '0') * ONE;
    if (unit == 0 || *out > (uint64_t)MOST * ONE) {
      return false;
    }
  }
  text += *text == '%';
  return has_digits && *text == '\0';
}

static bool parse_step(const char *text, int64_t *out) {
  char *end;
  errno = 0;
  *out = strtoll(text, &end, 10);
  return *text != '\0' && *text != ' ' && *end == '\0' && errno == 0;
}

static bool take_value(struct parser *parser, enum berthctl_option option, const char *text) {
  struct berthctl_options *options = parser->options;
  const char *word = BERTHCTL_OPTION_ROWS[option].word;
  options->text[option] = text;
  options->is_set[option] = true;
  switch (BERTHCTL_OPTION_ROWS[option].kind) {
  case BERTHCTL_KIND_FLAG:
    return true;
  case BERTHCTL_KIND_TEXT:
  case BERTHCTL_KIND_FILE:
    return *text != '\0' || fail(parser, "--%s is empty", word);
  case BERTHCTL_KIND_BYTES:
    return (berth_units_parse_bytes(text, &options->number[option]) && options->number[option] != 0) ||
           fail(
               parser, "--%s '%.60s' is not a number of bytes; 1048576, 1MiB and 1.5GiB are right", word,
               text);
  case BERTHCTL_KIND_COUNT:
    return parse_count(text, &options->number[option]) ||
           fail(parser, "--%s '%.60s' is not a count; a whole number from 1 on is right", word, text);
  case BERTHCTL_KIND_SECONDS:
    return parse_seconds(text, &options->number[option]) ||
           fail(parser, "--%s '%.60s' is not a time; seconds such as 2 or 0.5 are right", word, text);
  case BERTHCTL_KIND_PERCENT:
    return berthctl_percent_parse(text, &options->number[option]) ||
           fail(parser, "--%s '%.60s' is not a percentage; 2%% and 0.5 are right", word, text);
  case BERTHCTL_KIND_STEP:
    return parse_step(text, &options->step) ||
           fail(parser, "--%s '%.60s' is not a step; a whole number is right", word, text);
  }
  return false;
}

/* Each --bind is a variant. */
static bool take_bind(struct parser *parser, const char *text) {
  struct berthctl_options *options = parser->options;
  if (options->n_binds == BERTHCTL_MAX_BINDS) {
    return fail(parser, "--bind is given more than %d times", BERTHCTL_MAX_BINDS);
  }
  options->binds[options->n_binds++] = text;
  return options->n_binds > 1 ? *text != '\0' || fail(parser, "--bind is empty")
                              : take_value(parser, BERTHCTL_OPTION_BIND, text);
}

static bool take_text(struct parser *parser, enum berthctl_option option, const char *text) {
  return option == BERTHCTL_OPTION_BIND ? take_bind(parser, text) : take_value(parser, option, text);
}

/* The option's value: behind "=", or the next word. */
static bool take_option(struct parser *parser, enum berthctl_option option, const char *attached) {
  const struct berthctl_option_row *row = &BERTHCTL_OPTION_ROWS[option];
  bool may_repeat = row->kind == BERTHCTL_KIND_FLAG || option == BERTHCTL_OPTION_BIND;
  if (parser->options->is_set[option] && !may_repeat) {
    return fail(parser, "--%s is given twice", row->word);
  }
  if (row->kind == BERTHCTL_KIND_FLAG) {
    return attached == NULL ? take_value(parser, option, "") : fail(parser, "--%s takes no value", row->word);
  }
  if (attached != NULL) {
    return take_text(parser, option, attached);
  }
  if (parser->at == parser->argc) {
    return fail(parser, "--%s needs a value: --%s %s", row->word, row->word, row->value);
  }
  return take_text(parser, option, parser->argv[parser->at++]);
}

static bool take_long(struct parser *parser, const char *word) {
  size_t n = strcspn(word, "=");
  const char *attached = word[n] == '=' ? word + n + 1 : NULL;
  for (unsigned i = 0; i < BERTHCTL_N_OPTIONS; i++) {
    const char *known = BERTHCTL_OPTION_ROWS[i].word;
    if (strlen(known) == n && memcmp(known, word, n) == 0) {
      return take_option(parser, (enum berthctl_option)i, attached);
    }
  }
  const char *nearest = berthctl_nearest_option(word, n);
  return fail(
      parser, "unknown option --%.*s%s%s%s", (int)(n < 60 ? n : 60), word,
      nearest != NULL ? "; is it --" : "", nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
}

/* -jq, -c 1MiB, -c1MiB */
static bool take_letters(struct parser *parser, const char *letters) {
  while (*letters != '\0') {
    unsigned i = 0;
    while (i < BERTHCTL_N_OPTIONS && BERTHCTL_OPTION_ROWS[i].letter != *letters) {
      i++;
    }
    if (i == BERTHCTL_N_OPTIONS) {
      return fail(parser, "unknown option -%c", *letters >= ' ' && *letters <= '~' ? *letters : '?');
    }
    letters++;
    if (BERTHCTL_OPTION_ROWS[i].kind != BERTHCTL_KIND_FLAG) {
      return take_option(parser, (enum berthctl_option)i, *letters != '\0' ? letters : NULL);
    }
    if (!take_option(parser, (enum berthctl_option)i, NULL)) {
      return false;
    }
  }
  return true;
}

static bool take_word(struct parser *parser, const char *word) {
  struct berthctl_options *options = parser->options;
  if (parser->has_verb) {
    const struct berthctl_verb_row *row = &BERTHCTL_VERB_ROWS[options->verb];
    if (options->n_arguments == row->most) {
      return fail(
          parser, "'%.80s' is one argument too many; %s takes %s", word, row->word,
          row->most == 0 ? "none" : row->arguments);
    }
    options->arguments[options->n_arguments++] = word;
    return true;
  }
  for (unsigned i = 0; i < BERTHCTL_N_VERBS; i++) {
    if (strcmp(BERTHCTL_VERB_ROWS[i].word, word) == 0) {
      options->verb = (enum berthctl_verb)i;
      parser->has_verb = true;
      return true;
    }
  }
  const char *nearest = berthctl_nearest_verb(word);
  return fail(
      parser, "unknown verb '%.60s'%s%s%s", word, nearest != NULL ? "; is it '" : "",
      nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
}

static bool take(struct parser *parser) {
  const char *word = parser->argv[parser->at++];
  if (parser->options_ended || word[0] != '-' || word[1] == '\0') {
    return take_word(parser, word);
  }
  if (word[1] != '-') {
    return take_letters(parser, word + 1);
  }
  if (word[2] == '\0') {
    parser->options_ended = true;
    return true;
  }
  return take_long(parser, word + 2);
}

static bool take_environment(struct parser *parser, const char *(*get_environment)(const char *name)) {
  for (unsigned i = 0; i < BERTHCTL_N_OPTIONS; i++) {
    const char *name = BERTHCTL_OPTION_ROWS[i].environment;
    const char *text = name != NULL && !parser->options->is_set[i] ? get_environment(name) : NULL;
    if (text != NULL && *text != '\0' && !take_value(parser, (enum berthctl_option)i, text)) {
      return false;
    }
  }
  const char *no_color = get_environment("NO_COLOR");
  parser->options->is_set[BERTHCTL_OPTION_NO_COLOR] |= no_color != NULL && *no_color != '\0';
  return true;
}

static bool is_dash(const struct berthctl_options *options, enum berthctl_option option) {
  return options->is_set[option] && strcmp(options->text[option], "-") == 0;
}

/* What goes together. */
static bool check(struct parser *parser, const bool *was_given) {
  struct berthctl_options *options = parser->options;
  const struct berthctl_verb_row *row = &BERTHCTL_VERB_ROWS[options->verb];
  for (unsigned i = 0; i < BERTHCTL_N_OPTIONS; i++) {
    if (was_given[i] && !berthctl_option_is_on((enum berthctl_option)i, options->verb)) {
      return fail(parser, "%s has no option --%s", row->word, BERTHCTL_OPTION_ROWS[i].word);
    }
  }
  if (options->n_arguments < row->least) {
    return fail(parser, "%s needs %s", row->word, row->arguments);
  }
  bool is_together = options->is_set[BERTHCTL_OPTION_TOGETHER];
  if (row->most == BERTHCTL_MAX_FILES && options->n_arguments > 1 && !is_together) {
    return fail(
        parser, "'%.80s' is one argument too many; %s takes FILE, and several with --together",
        options->arguments[1], row->word);
  }
  if (options->n_binds > 1 && options->verb != BERTHCTL_VERB_PLAN) {
    return fail(parser, "--bind is given twice; only plan takes several bindings");
  }
  if (options->is_set[BERTHCTL_OPTION_SHARED] && !is_together) {
    return fail(parser, "--shared goes with --together");
  }
  if (options->verb == BERTHCTL_VERB_FIT && !options->is_set[BERTHCTL_OPTION_CAPACITY]) {
    return fail(parser, "fit needs --capacity BYTES");
  }
  if (options->is_set[BERTHCTL_OPTION_MAX_SYNCS] && !options->is_set[BERTHCTL_OPTION_SYNC_COST]) {
    return fail(parser, "--max-syncs goes with --sync-cost");
  }
  if (options->is_set[BERTHCTL_OPTION_SYNC_COST] && options->is_set[BERTHCTL_OPTION_INSTANCES]) {
    return fail(parser, "--sync-cost does not go with --instances: waits are of one graph");
  }
  if (options->verb == BERTHCTL_VERB_CHECK && !options->is_set[BERTHCTL_OPTION_BASELINE]) {
    return fail(parser, "check needs --baseline FILE");
  }
  unsigned n_to_stdout = (unsigned)options->is_set[BERTHCTL_OPTION_JSON] +
                         is_dash(options, BERTHCTL_OPTION_CSV) + is_dash(options, BERTHCTL_OPTION_SVG);
  if (n_to_stdout > 1) {
    return fail(parser, "only one of --json, --csv - and --svg - can have standard output");
  }
  if (options->n_arguments == 1 && strcmp(options->arguments[0], "-") == 0 &&
      is_dash(options, BERTHCTL_OPTION_BASELINE)) {
    return fail(parser, "only one of the files can be standard input");
  }
  unsigned n_dashes = 0;
  for (unsigned i = 0; i < options->n_arguments; i++) {
    n_dashes += strcmp(options->arguments[i], "-") == 0;
  }
  if (n_dashes > 1) {
    return fail(parser, "only one of the files can be standard input");
  }
  return true;
}

bool berthctl_options_parse(
    int argc, char *const *argv, const char *(*get_environment)(const char *name),
    struct berthctl_options *out_options, struct berthctl_usage_error *out_error) {
  struct parser parser = {.argc = argc, .argv = argv, .at = 1, .options = out_options, .error = out_error};
  *out_options = (struct berthctl_options){.verb = BERTHCTL_VERB_HELP};
  *out_error = (struct berthctl_usage_error){.verb = BERTHCTL_N_VERBS};
  while (parser.at < argc) {
    if (!take(&parser)) {
      return false;
    }
  }
  bool was_given[BERTHCTL_N_OPTIONS];
  memcpy(was_given, out_options->is_set, sizeof was_given);
  if (out_options->is_set[BERTHCTL_OPTION_VERSION]) {
    *out_options = (struct berthctl_options){.verb = BERTHCTL_VERB_VERSION};
    return true;
  }
  if (out_options->is_set[BERTHCTL_OPTION_HELP]) {
    const char *word = parser.has_verb ? BERTHCTL_VERB_ROWS[out_options->verb].word : NULL;
    *out_options = (struct berthctl_options){
        .verb = BERTHCTL_VERB_HELP, .arguments = {word}, .n_arguments = word != NULL};
    return true;
  }
  if (!parser.has_verb) {
    return fail(&parser, "no verb; see berthctl help");
  }
  return take_environment(&parser, get_environment) && check(&parser, was_given);
}
