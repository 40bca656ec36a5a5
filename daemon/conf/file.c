/* The file, by libinih. It reports only the number of the first bad line, cuts long lines in silence and
 * joins indented ones to the value before: so lines come through a reader of ours that counts them and
 * refuses what it would mangle, and a key that is given twice is an error. */
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>

#include "conf/option.h"

#define MOST_BYTES (1 << 20)
#define PLACE_SIZE 128

struct reading {
  struct berthd_conf *conf;
  const char *name;
  const char *at; /* what is left of the text */
  uint32_t line;
  bool *was_set; /* by option */
  enum berth_code code;
  struct berth_error error;
};

static void place_of(const struct reading *reading, uint32_t line, char out_place[PLACE_SIZE]) {
  size_t n = strlen(reading->name);
  const char *name = n > 96 ? reading->name + (n - 96) : reading->name;
  snprintf(out_place, PLACE_SIZE, "%s:%u: ", name, (unsigned)line);
}

static void fail(struct reading *reading, uint32_t line, const char *what, const char *word) {
  if (reading->code != BERTH_OK) {
    return;
  }
  char place[PLACE_SIZE];
  place_of(reading, line, place);
  reading->code = berth_fail(
      &reading->error, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, NULL, "%s%s%.64s",
      place, what, word);
  reading->error.line = line;
}

/* As fgets, from the text. */
static char *next_line(char *to, int capacity, void *ctx) {
  struct reading *reading = ctx;
  if (*reading->at == '\0' || reading->code != BERTH_OK) {
    return NULL;
  }
  reading->line++;
  size_t n = strcspn(reading->at, "\n");
  if (n + 2 > (size_t)capacity) {
    fail(reading, reading->line, "the line is too long", "");
    return NULL;
  }
  memcpy(to, reading->at, n);
  to[n] = '\n';
  to[n + 1] = '\0';
  reading->at += n + (reading->at[n] == '\n');
  if ((to[0] == ' ' || to[0] == '\t') && strspn(to, " \t\r\n") < strlen(to)) {
    fail(reading, reading->line, "the line is indented; begin it in the first column", "");
    return NULL;
  }
  return to;
}

static int on_pair(void *ctx, const char *section, const char *key, const char *value) {
  struct reading *reading = ctx;
  if (reading->code != BERTH_OK) {
    return 0;
  }
  if (!berthd_option_has_section(section)) {
    bool none = section[0] == '\0';
    fail(
        reading, reading->line, none ? "a key before any [section]: " : "there is no section ",
        none ? key : section);
    return 0;
  }
  const struct berthd_option *option = berthd_option_find(section, key);
  if (option == NULL) {
    char what[96];
    snprintf(what, sizeof what, "section [%s] has no key ", section);
    fail(reading, reading->line, what, key);
    return 0;
  }
  bool *was_set = &reading->was_set[option - berthd_options];
  if (*was_set) {
    fail(reading, reading->line, "the key is given twice: ", key);
    return 0;
  }
  *was_set = true;
  char place[PLACE_SIZE];
  place_of(reading, reading->line, place);
  reading->code = berthd_option_set(option, reading->conf, value, place, &reading->error);
  reading->error.line = reading->line;
  return reading->code == BERTH_OK;
}

enum berth_code
berthd_conf_read_text(struct berthd_conf *conf, const char *text, const char *name, struct berth_error *err) {
  struct reading reading = {.conf = conf, .name = name, .at = text};
  reading.was_set = calloc(berthd_n_options, sizeof *reading.was_set);
  if (reading.was_set == NULL) {
    return berth_fail_memory(err);
  }
  int bad_line = ini_parse_stream(next_line, &reading, on_pair, &reading);
  free(reading.was_set);
  if (bad_line < 0) {
    return berth_fail_memory(err);
  }
  if (bad_line > 0 && (reading.code == BERTH_OK || (uint32_t)bad_line < reading.error.line)) {
    reading.code = BERTH_OK; /* what inih met came first */
    fail(&reading, (uint32_t)bad_line, "neither [section] nor key = value", "");
  }
  if (reading.code != BERTH_OK && err != NULL) {
    *err = reading.error;
  }
  return reading.code;
}

static enum berth_code fail_file(const char *path, const char *why, struct berth_error *err) {
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, NULL, "%.128s: %s", path, why);
}

enum berth_code berthd_conf_read_file(struct berthd_conf *conf, const char *path, struct berth_error *err) {
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    return fail_file(path, strerror(errno), err);
  }
  enum berth_code code = BERTH_OK;
  char *text = malloc(MOST_BYTES + 1);
  size_t n = text != NULL ? fread(text, 1, MOST_BYTES + 1, file) : 0;
  if (text == NULL) {
    code = berth_fail_memory(err);
  } else if (ferror(file) != 0) {
    code = fail_file(path, strerror(errno), err);
  } else if (n > MOST_BYTES) {
    code = fail_file(path, "the file is larger than 1 MiB", err);
  } else if (memchr(text, '\0', n) != NULL) {
    code = fail_file(path, "the file holds a zero byte: it is not text", err);
  } else {
    text[n] = '\0';
    code = berthd_conf_read_text(conf, text, path, err);
  }
  free(text);
  fclose(file);
  return code;
}
