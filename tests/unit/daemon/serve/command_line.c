#include "serve/command_line.h"

#include <stdlib.h>
#include <string.h>

#include "suite.h"

enum { MAX_WORDS = 12 };

static char *words[MAX_WORDS];
static struct berthd_command_line line;
static struct berth_error err;

/* Words between spaces; a word "''" is empty. */
static enum berth_code parse(const char *text) {
  static char copy[512];
  strncpy(copy, text, sizeof copy - 1);
  int n = 0;
  for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
    ck_assert_int_lt(n, MAX_WORDS - 1);
    words[n++] = strcmp(word, "''") == 0 ? word + 2 : word;
  }
  words[n] = NULL;
  unsetenv("BERTH_CONFIG");
  return berthd_command_line_init(&line, n, words, &err);
}

static enum berth_code configure(const char *const *variables, struct berthd_conf *conf) {
  char *environment[4] = {NULL};
  for (size_t i = 0; variables != NULL && variables[i] != NULL; i++) {
    environment[i] = strdup(variables[i]);
  }
  enum berth_code code = berthd_command_line_configure(&line, environment, conf, &err);
  for (size_t i = 0; environment[i] != NULL; i++) {
    free(environment[i]);
  }
  return code;
}

START_TEST(commands) {
  static const struct {
    const char *text;
    enum berthd_command command;
  } CASES[] = {
      {"berthd", BERTHD_COMMAND_SERVE},
      {"berthd --server-queue 9", BERTHD_COMMAND_SERVE},
      {"berthd --check", BERTHD_COMMAND_CHECK},
      {"berthd --print-config", BERTHD_COMMAND_CHECK},
      {"berthd --check --print-config", BERTHD_COMMAND_CHECK},
      {"berthd healthcheck --http-listen 127.0.0.1:1", BERTHD_COMMAND_HEALTHCHECK},
      {"berthd --help", BERTHD_COMMAND_HELP},
      {"berthd -h", BERTHD_COMMAND_HELP},
      {"berthd --version", BERTHD_COMMAND_VERSION},
      {"berthd docs ini", BERTHD_COMMAND_DOCS},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    ck_assert_msg(parse(CASES[i].text) == BERTH_OK, "%s: %s", CASES[i].text, err.message);
    ck_assert_int_eq(line.command, CASES[i].command);
    berthd_command_line_finish(&line);
  }
}
END_TEST

START_TEST(what_is_not_understood_is_named) {
  static const struct {
    const char *text, *word;
  } BAD[] = {
      {"berthd --no-such-flag 1", "--no-such-flag"},
      {"berthd --no-such-flag=1", "--no-such-flag"},
      {"berthd --server-queue", "--server-queue"},
      {"berthd --server-queue --check", "--server-queue"},
      {"berthd serve", "serve"},
      {"berthd --check healthcheck", "healthcheck"},
      {"berthd --", "--"},
      {"berthd --config", "--config"},
      {"berthd --check=1", "--check"},
      {"berthd docs", "docs"},
      {"berthd -x", "-x"},
  };
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    ck_assert_msg(parse(BAD[i].text) == BERTH_INVALID_ARGUMENT, "%s", BAD[i].text);
    ck_assert_msg(strstr(err.message, BAD[i].word) != NULL, "%s: %s", BAD[i].text, err.message);
    berthd_command_line_finish(&line);
  }
}
END_TEST

START_TEST(flags_win_over_the_environment_and_it_over_the_file) {
  char path[] = "/tmp/berth-line-XXXXXX";
  FILE *file = fdopen(mkstemp(path), "w");
  fputs("[server]\nqueue = 7\nworkers = 3\ndrain = 4s\n", file);
  fclose(file);
  char text[128];
  snprintf(text, sizeof text, "berthd --config %s --server-queue=9 --listen-unix ''", path);
  ck_assert_int_eq(parse(text), BERTH_OK);
  static const char *const VARIABLES[] = {"BERTH_SERVER_QUEUE=8", "BERTH_SERVER_WORKERS=2", NULL};
  struct berthd_conf conf;
  ck_assert_msg(configure(VARIABLES, &conf) == BERTH_OK, "%s", err.message);
  ck_assert_uint_eq(conf.server_queue, 9);
  ck_assert_uint_eq(conf.server_workers, 2);
  ck_assert_int_eq(conf.server_drain, INT64_C(4000000000));
  ck_assert_str_eq(conf.listen_unix, "");
  berthd_conf_finish(&conf);
  berthd_command_line_finish(&line);
  remove(path);
}
END_TEST

START_TEST(bools_need_no_value) {
  struct berthd_conf conf;
  static const struct {
    const char *text;
    bool value;
  } CASES[] = {
      {"berthd --listen-insecure", true},
      {"berthd --listen-insecure --server-queue 9", true},
      {"berthd --listen-insecure false", false},
      {"berthd --listen-insecure=false", false},
      {"berthd --listen-insecure true --server-queue 9", true},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    ck_assert_int_eq(parse(CASES[i].text), BERTH_OK);
    ck_assert_int_eq(configure(NULL, &conf), BERTH_OK);
    ck_assert_int_eq(conf.listen_insecure, CASES[i].value);
    berthd_conf_finish(&conf);
    berthd_command_line_finish(&line);
  }
}
END_TEST

START_TEST(documents) {
  FILE *sink = fopen("/dev/null", "w");
  ck_assert(berthd_print_document("ini", sink));
  ck_assert(berthd_print_document("man8", sink));
  ck_assert(berthd_print_document("man5", sink));
  ck_assert(!berthd_print_document("man1", sink));
  fclose(sink);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "serve/command_line",
      (const TTest *const[]){
          commands, what_is_not_understood_is_named, flags_win_over_the_environment_and_it_over_the_file,
          bools_need_no_value, documents, NULL});
}
