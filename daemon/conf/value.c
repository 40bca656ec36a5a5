/* Values of each type, from text and back. A number is digits and a suffix; nothing else, so that "1.5G",
 * "-1" and "0x10" are errors and not something else than meant. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "conf/option.h"

struct suffix {
  const char *word;
  uint64_t factor;
};

#define KIB UINT64_C(1024)

static const struct suffix BYTE_SUFFIXES[] = {
    {"TiB", KIB *KIB *KIB *KIB},
    {"GiB", KIB *KIB *KIB},
    {"MiB", KIB *KIB},
    {"KiB", KIB},
    {"", 1},
    {"TB", UINT64_C(1000000000000)},
    {"GB", 1000000000},
    {"MB", 1000000},
    {"kB", 1000},
    {"B", 1},
    {NULL, 0}};
static const struct suffix TICK_SUFFIXES[] = {
    {"T", UINT64_C(1000000000000)}, {"G", 1000000000}, {"M", 1000000}, {"k", 1000}, {"", 1}, {NULL, 0}};
static const struct suffix COUNT_SUFFIXES[] = {{"", 1}, {NULL, 0}};
/* In milliseconds. */
static const struct suffix TIME_SUFFIXES[] = {
    {"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1}, {NULL, 0}};

static const struct suffix *suffixes_of(enum berthd_option_type type) {
  switch (type) {
  case BERTHD_OPTION_BYTES:
    return BYTE_SUFFIXES;
  case BERTHD_OPTION_TICKS:
    return TICK_SUFFIXES;
  case BERTHD_OPTION_DURATION:
    return TIME_SUFFIXES;
  default:
    return COUNT_SUFFIXES;
  }
}

static const char *form_of(enum berthd_option_type type) {
  switch (type) {
  case BERTHD_OPTION_BYTES:
    return "a number of bytes such as 4096, 64KiB or 2GiB";
  case BERTHD_OPTION_TICKS:
    return "a number of ticks such as 500M or 2G";
  case BERTHD_OPTION_DURATION:
    return "a time such as 250ms, 30s, 5m or 1h";
  case BERTHD_OPTION_COUNT:
    return "a whole number";
  case BERTHD_OPTION_BOOL:
    return "true or false";
  case BERTHD_OPTION_MODE:
    return "permissions in octal such as 0660";
  case BERTHD_OPTION_LEVEL:
    return "debug, info, warn or error";
  case BERTHD_OPTION_FORMAT:
    return "text or json";
  default:
    return "text";
  }
}

static bool parse_number(const char *text, enum berthd_option_type type, uint64_t *out_value) {
  if (!isdigit((unsigned char)text[0])) {
    return false;
  }
  char *end;
  errno = 0;
  uint64_t number = strtoull(text, &end, type == BERTHD_OPTION_MODE ? 8 : 10);
  if (errno != 0) {
    return false;
  }
  if (type == BERTHD_OPTION_DURATION && number == 0 && *end == '\0') {
    *out_value = 0; /* no unit needed */
    return true;
  }
  for (const struct suffix *suffix = suffixes_of(type); suffix->word != NULL; suffix++) {
    if (strcmp(end, suffix->word) == 0) {
      return !__builtin_mul_overflow(number, suffix->factor, out_value);
    }
  }
  return false;
}

static bool parse_word(const char *text, enum berthd_option_type type, uint64_t *out_value) {
  static const char *const BOOLS[] = {"false", "true", NULL};
  static const char *const FORMATS[] = {"text", "json", NULL};
  static const char *const LEVELS[] = {
#define X(name, word, priority) word,
      BERTHD_LOG_LEVELS(X)
#undef X
          NULL};
  const char *const *words = type == BERTHD_OPTION_BOOL    ? BOOLS
                             : type == BERTHD_OPTION_LEVEL ? LEVELS
                                                           : FORMATS;
  for (uint64_t i = 0; words[i] != NULL; i++) {
    if (strcmp(text, words[i]) == 0) {
      *out_value = i;
      return true;
    }
  }
  return false;
}

static bool is_word_type(enum berthd_option_type type) {
  return type == BERTHD_OPTION_BOOL || type == BERTHD_OPTION_LEVEL || type == BERTHD_OPTION_FORMAT;
}

static enum berth_code fail_value(
    const struct berthd_option *option, const char *place, const char *value, const char *what,
    struct berth_error *err) {
  char flag[BERTHD_OPTION_NAME_SIZE];
  berthd_option_flag(option, flag);
  char shown[48];
  snprintf(shown, sizeof shown, "%.40s%s", value, strlen(value) > 40 ? "..." : "");
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, flag,
      "%s[%s] %s is \"%s\", but must be %s", place, option->section, option->key, shown, what);
}

static enum berth_code fail_limit(
    const struct berthd_option *option, const char *place, const char *value, struct berth_error *err) {
  bool is_octal = option->type == BERTHD_OPTION_MODE;
  const char *unit = option->type == BERTHD_OPTION_DURATION ? " ms"
                     : option->type == BERTHD_OPTION_BYTES  ? " bytes"
                     : option->type == BERTHD_OPTION_TEXT   ? " bytes long"
                     : option->type == BERTHD_OPTION_LIST   ? " words"
                                                            : "";
  char what[96];
  snprintf(
      what, sizeof what,
      is_octal ? "from 0%" PRIo64 " to 0%" PRIo64 "%s" : "from %" PRIu64 " to %" PRIu64 "%s", option->least,
      option->most, unit);
  return fail_value(option, place, value, what, err);
}

static void *field_of(const struct berthd_option *option, struct berthd_conf *conf) {
  return (char *)conf + option->offset;
}

static void store_number(const struct berthd_option *option, struct berthd_conf *conf, uint64_t number) {
  void *field = field_of(option, conf);
  switch (option->type) {
  case BERTHD_OPTION_DURATION:
    *(int64_t *)field = (int64_t)number * 1000000;
    break;
  case BERTHD_OPTION_BOOL:
    *(bool *)field = number != 0;
    break;
  case BERTHD_OPTION_MODE:
    *(uint32_t *)field = (uint32_t)number;
    break;
  case BERTHD_OPTION_LEVEL:
    *(enum berthd_log_level *)field = (enum berthd_log_level)number;
    break;
  case BERTHD_OPTION_FORMAT:
    *(enum berthd_log_format *)field = (enum berthd_log_format)number;
    break;
  default:
    *(uint64_t *)field = number;
  }
}

static uint64_t load_number(const struct berthd_option *option, const struct berthd_conf *conf) {
  const void *field = (const char *)conf + option->offset;
  switch (option->type) {
  case BERTHD_OPTION_DURATION:
    return (uint64_t)(*(const int64_t *)field / 1000000);
  case BERTHD_OPTION_BOOL:
    return *(const bool *)field;
  case BERTHD_OPTION_MODE:
    return *(const uint32_t *)field;
  case BERTHD_OPTION_LEVEL:
    return *(const enum berthd_log_level *)field;
  case BERTHD_OPTION_FORMAT:
    return *(const enum berthd_log_format *)field;
  default:
    return *(const uint64_t *)field;
  }
}

/* ---- Texts and lists ---- */

static enum berth_code set_text(
    const struct berthd_option *option, struct berthd_conf *conf, const char *value, const char *place,
    struct berth_error *err) {
  if (strlen(value) < option->least || strlen(value) > option->most) {
    return fail_limit(option, place, value, err);
  }
  char *copy = strdup(value);
  if (copy == NULL) {
    return berth_fail_memory(err);
  }
  char **field = field_of(option, conf);
  free(*field);
  *field = copy;
  return BERTH_OK;
}

static void free_list(struct berthd_conf_list *list) {
  for (size_t i = 0; i < list->n; i++) {
    free(list->items[i]);
  }
  free(list->items);
  *list = (struct berthd_conf_list){0};
}

#define SEPARATORS ", \t"

static enum berth_code
split(const char *value, size_t most, struct berthd_conf_list *out_list, bool *out_is_long) {
  *out_is_long = false;
  out_list->items = calloc(most + 1, sizeof *out_list->items);
  if (out_list->items == NULL) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  for (const char *at = value + strspn(value, SEPARATORS); *at != '\0'; at += strspn(at, SEPARATORS)) {
    size_t n = strcspn(at, SEPARATORS);
    if (out_list->n == most) {
      *out_is_long = true;
      return BERTH_INVALID_ARGUMENT;
    }
    char *item = strndup(at, n);
    if (item == NULL) {
      return BERTH_RESOURCE_EXHAUSTED;
    }
    out_list->items[out_list->n++] = item;
    at += n;
  }
  return BERTH_OK;
}

static enum berth_code set_list(
    const struct berthd_option *option, struct berthd_conf *conf, const char *value, const char *place,
    struct berth_error *err) {
  struct berthd_conf_list list = {0};
  bool is_long;
  enum berth_code code = split(value, (size_t)option->most, &list, &is_long);
  if (code == BERTH_OK) {
    struct berthd_conf_list *field = field_of(option, conf);
    free_list(field);
    *field = list;
    return BERTH_OK;
  }
  free_list(&list);
  return is_long ? fail_limit(option, place, value, err) : berth_fail_memory(err);
}

/* Whether a line of the file can say it, whose comments begin with a semicolon. */
static bool is_writable(const char *value) {
  for (const char *c = value; *c != '\0'; c++) {
    if ((iscntrl((unsigned char)*c) && *c != '\t') || *c == ';') {
      return false;
    }
  }
  size_t n = strlen(value);
  return n == 0 || (!isspace((unsigned char)value[0]) && !isspace((unsigned char)value[n - 1]));
}

enum berth_code berthd_option_set(
    const struct berthd_option *option, struct berthd_conf *conf, const char *value, const char *place,
    struct berth_error *err) {
  if (!is_writable(value)) {
    return fail_value(
        option, place, "", "free of control characters, semicolons, and spaces at its ends", err);
  }
  if (option->type == BERTHD_OPTION_TEXT) {
    return set_text(option, conf, value, place, err);
  }
  if (option->type == BERTHD_OPTION_LIST) {
    return set_list(option, conf, value, place, err);
  }
  uint64_t number;
  bool good = is_word_type(option->type) ? parse_word(value, option->type, &number)
                                         : parse_number(value, option->type, &number);
  if (!good) {
    return fail_value(option, place, value, form_of(option->type), err);
  }
  if (number < option->least || number > option->most) {
    return fail_limit(option, place, value, err);
  }
  store_number(option, conf, number);
  return BERTH_OK;
}

/* ---- And back ---- */

static void print_number(enum berthd_option_type type, uint64_t number, FILE *to) {
  if (number == 0) {
    fputs(type == BERTHD_OPTION_DURATION ? "0s" : "0", to);
    return;
  }
  const struct suffix *suffix = suffixes_of(type);
  while (number % suffix->factor != 0) {
    suffix++;
  }
  fprintf(to, "%" PRIu64 "%s", number / suffix->factor, suffix->word);
}

void berthd_option_print(const struct berthd_option *option, const struct berthd_conf *conf, FILE *to) {
  const void *field = (const char *)conf + option->offset;
  switch (option->type) {
  case BERTHD_OPTION_TEXT: {
    const char *text = *(char *const *)field;
    fputs(text != NULL ? text : "", to);
    return;
  }
  case BERTHD_OPTION_LIST: {
    const struct berthd_conf_list *list = field;
    for (size_t i = 0; i < list->n; i++) {
      fprintf(to, "%s%s", i > 0 ? ", " : "", list->items[i]);
    }
    return;
  }
  case BERTHD_OPTION_BOOL:
    fputs(load_number(option, conf) != 0 ? "true" : "false", to);
    return;
  case BERTHD_OPTION_MODE:
    fprintf(to, "%04" PRIo64, load_number(option, conf));
    return;
  case BERTHD_OPTION_LEVEL:
    fputs(berthd_log_level_name((enum berthd_log_level)load_number(option, conf)), to);
    return;
  case BERTHD_OPTION_FORMAT:
    fputs(load_number(option, conf) == BERTHD_LOG_JSON ? "json" : "text", to);
    return;
  default:
    print_number(option->type, load_number(option, conf), to);
  }
}

void berthd_option_free(const struct berthd_option *option, struct berthd_conf *conf) {
  if (option->type == BERTHD_OPTION_TEXT) {
    char **field = field_of(option, conf);
    free(*field);
    *field = NULL;
  } else if (option->type == BERTHD_OPTION_LIST) {
    free_list(field_of(option, conf));
  }
}
