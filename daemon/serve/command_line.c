#include "serve/command_line.h"

#include <stdlib.h>
#include <string.h>

static enum berth_code fail(struct berth_error *err, const char *what, const char *word) {
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, NULL,
      "%s %.80s; see berthd --help", what, word);
}

/* Flags that are not in the table. Returns whether `name` is one; a value in *value is used up. */
static bool take_own(struct berthd_command_line *line, const char *name) {
  if (strcmp(name, "check") == 0) {
    line->command = BERTHD_COMMAND_CHECK;
  } else if (strcmp(name, "print-config") == 0) {
    line->print_config = true;
  } else if (strcmp(name, "help") == 0) {
    line->command = BERTHD_COMMAND_HELP;
  } else if (strcmp(name, "version") == 0) {
    line->command = BERTHD_COMMAND_VERSION;
  } else {
    return false;
  }
  return true;
}

struct words {
  int argc;
  char *const *argv;
  int at;
};

/* The value of flag `name`: after "=", or the next word; "true" for a bool that has neither. */
static enum berth_code take_value(
    struct words *words, char *equals, bool is_bool, const char *name, const char **out_value,
    struct berth_error *err) {
  bool next_is_word = words->at < words->argc && strncmp(words->argv[words->at], "--", 2) != 0;
  bool next_is_bool = next_is_word && (strcmp(words->argv[words->at], "true") == 0 ||
                                       strcmp(words->argv[words->at], "false") == 0);
  if (equals != NULL) {
    *out_value = equals + 1;
  } else if (is_bool && !next_is_bool) {
    *out_value = "true";
  } else if (next_is_word) {
    *out_value = words->argv[words->at++];
  } else {
    return fail(err, "a value is missing after", name);
  }
  return BERTH_OK;
}

static enum berth_code
take_flag(struct berthd_command_line *line, struct words *words, const char *word, struct berth_error *err) {
  char name[64] = "";
  char *equals = strchr(word, '=');
  size_t n = equals != NULL ? (size_t)(equals - word) : strlen(word);
  if (n <= 2 || n - 2 >= sizeof name) {
    return fail(err, "unknown option", word);
  }
  memcpy(name, word + 2, n - 2);
  if (equals == NULL && take_own(line, name)) {
    return BERTH_OK;
  }
  bool is_bool = false;
  bool is_config = strcmp(name, "config") == 0;
  if (!is_config && !berthd_conf_has(name, &is_bool)) {
    return fail(err, "unknown option", word);
  }
  const char *value = NULL;
  enum berth_code code = take_value(words, equals, is_bool, word, &value, err);
  if (code != BERTH_OK) {
    return code;
  }
  if (is_config) {
    line->config_path = value;
    return BERTH_OK;
  }
  char *kept = strdup(name);
  if (kept == NULL) {
    return berth_fail_memory(err);
  }
  line->flags[line->n_flags++] = kept;
  line->flags[line->n_flags++] = value;
  return BERTH_OK;
}

static enum berth_code
take_word(struct berthd_command_line *line, struct words *words, const char *word, struct berth_error *err) {
  bool is_first = words->at == 2;
  if (is_first && strcmp(word, "healthcheck") == 0) {
    line->command = BERTHD_COMMAND_HEALTHCHECK;
    return BERTH_OK;
  }
  if (is_first && strcmp(word, "docs") == 0 && words->at < words->argc) {
    line->command = BERTHD_COMMAND_DOCS;
    line->document = words->argv[words->at++];
    return BERTH_OK;
  }
  if (strcmp(word, "-h") == 0) {
    line->command = BERTHD_COMMAND_HELP;
    return BERTH_OK;
  }
  return fail(err, "unexpected argument", word);
}

enum berth_code berthd_command_line_init(
    struct berthd_command_line *line, int argc, char *const *argv, struct berth_error *err) {
  *line = (struct berthd_command_line){.config_path = getenv("BERTH_CONFIG")};
  line->flags = calloc(2 * (size_t)argc + 1, sizeof *line->flags);
  if (line->flags == NULL) {
    return berth_fail_memory(err);
  }
  struct words words = {.argc = argc, .argv = argv, .at = 1};
  while (words.at < argc) {
    const char *word = argv[words.at++];
    enum berth_code code =
        strncmp(word, "--", 2) == 0 ? take_flag(line, &words, word, err) : take_word(line, &words, word, err);
    if (code != BERTH_OK) {
      return code;
    }
  }
  if (line->print_config && line->command == BERTHD_COMMAND_SERVE) {
    line->command = BERTHD_COMMAND_CHECK;
  }
  return BERTH_OK;
}

void berthd_command_line_finish(struct berthd_command_line *line) {
  for (int i = 0; i < line->n_flags; i += 2) {
    free((void *)(uintptr_t)line->flags[i]);
  }
  free(line->flags);
}

enum berth_code berthd_command_line_configure(
    const struct berthd_command_line *line, char *const *environment, struct berthd_conf *out_conf,
    struct berth_error *err) {
  enum berth_code code = berthd_conf_init(out_conf, err);
  if (code == BERTH_OK && line->config_path != NULL) {
    code = berthd_conf_read_file(out_conf, line->config_path, err);
  }
  if (code == BERTH_OK) {
    code = berthd_conf_read_environment(out_conf, environment, err);
  }
  for (int i = 0; i < line->n_flags && code == BERTH_OK; i += 2) {
    code = berthd_conf_set(out_conf, line->flags[i], line->flags[i + 1], err);
  }
  return code == BERTH_OK ? berthd_conf_check(out_conf, err) : code;
}

void berthd_print_usage(FILE *to) {
  fputs(
      "berthd: plans where the tensors of a model live in memory, over gRPC.\n\n"
      "Usage:\n"
      "  berthd [--config FILE] [OPTION ...]        serve\n"
      "  berthd --check [--print-config] [...]      only check the configuration\n"
      "  berthd healthcheck [OPTION ...]            ask a running daemon; exit 0 if it is healthy\n"
      "  berthd --help | --version\n\n"
      "Every option is also a key of the file and a variable BERTH_SECTION_KEY; see berthd.conf(5).\n",
      to);
  berthd_conf_print_help(to);
}

bool berthd_print_document(const char *name, FILE *to) {
  static const struct {
    const char *name;
    void (*print)(FILE *to);
  } DOCUMENTS[] = {
      {"ini", berthd_conf_print_annotated},
      {"man8", berthd_conf_print_manual},
      {"man5", berthd_conf_print_manual_conf},
  };
  for (size_t i = 0; i < sizeof DOCUMENTS / sizeof DOCUMENTS[0]; i++) {
    if (strcmp(DOCUMENTS[i].name, name) == 0) {
      DOCUMENTS[i].print(to);
      return true;
    }
  }
  return false;
}
