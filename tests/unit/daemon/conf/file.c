/* The file: every error names its line, and a configuration that is printed reads back to the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "suite.h"

static enum berth_code read_text(const char *text, struct berthd_conf *conf, struct berth_error *err) {
  ck_assert_int_eq(berthd_conf_init(conf, NULL), BERTH_OK);
  return berthd_conf_read_text(conf, text, "test.ini", err);
}

START_TEST(good_files) {
  struct berthd_conf conf;
  struct berth_error err;
  static const char TEXT[] = "\xef\xbb\xbf# with a mark, comments and CRLF\r\n"
                             "[server]\r\nqueue = 7 ; so\r\nworkers=3\r\n\r\n"
                             "[log]\nlevel : debug\n; the end\n[cache]\nmemory=1KiB";
  ck_assert_msg(read_text(TEXT, &conf, &err) == BERTH_OK, "%s", err.message);
  ck_assert_uint_eq(conf.server_queue, 7);
  ck_assert_uint_eq(conf.server_workers, 3);
  ck_assert_int_eq(conf.log_level, BERTHD_LOG_DEBUG);
  ck_assert_uint_eq(conf.cache_memory, 1024);
  berthd_conf_finish(&conf);
  ck_assert_int_eq(read_text("", &conf, NULL), BERTH_OK);
  berthd_conf_finish(&conf);
}
END_TEST

START_TEST(errors_name_their_line) {
  static const struct {
    const char *text;
    uint32_t line;
    const char *word;
  } BAD[] = {
      {"[server]\nno-such = 1\n", 2, "no-such"},
      {"[nowhere]\nqueue = 1\n", 2, "nowhere"},
      {"queue = 1\n", 1, "queue"},
      {"[server]\n\n# x\nqueue = many\n", 4, "many"},
      {"[server]\nqueue = 1\nqueue = 2\n", 3, "twice"},
      {"[server]\nqueue = 1\n  2\n", 3, "indented"},
      {"[server]\nqueue\n", 2, "key = value"},
      {"[server\nqueue = 1\n", 1, "key = value"},
      {"[server]\nnonsense\nno-such = 1\n", 2, "key = value"},
      {"[server]\nno-such = 1\nnonsense\n", 2, "no-such"},
  };
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    struct berthd_conf conf;
    struct berth_error err;
    ck_assert_msg(read_text(BAD[i].text, &conf, &err) == BERTH_INVALID_ARGUMENT, "case %zu", i);
    char place[32];
    snprintf(place, sizeof place, "test.ini:%u:", (unsigned)BAD[i].line);
    ck_assert_msg(strstr(err.message, place) != NULL, "case %zu: %s", i, err.message);
    ck_assert_msg(strstr(err.message, BAD[i].word) != NULL, "case %zu: %s", i, err.message);
    ck_assert_uint_eq(err.line, BAD[i].line);
    berthd_conf_finish(&conf);
  }
}
END_TEST

START_TEST(a_long_line_is_an_error_and_not_cut) {
  char text[600] = "[listen]\nunix = /";
  memset(text + strlen(text), 'a', 400);
  struct berthd_conf conf;
  struct berth_error err;
  ck_assert_int_eq(read_text(text, &conf, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(err.message, "test.ini:2: the line is too long"));
  berthd_conf_finish(&conf);
}
END_TEST

START_TEST(files_that_cannot_be_read) {
  struct berthd_conf conf;
  struct berth_error err;
  ck_assert_int_eq(berthd_conf_init(&conf, NULL), BERTH_OK);
  ck_assert_int_eq(berthd_conf_read_file(&conf, "/no/such/file.ini", &err), BERTH_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(err.message, "/no/such/file.ini"));
  ck_assert_int_eq(berthd_conf_read_file(&conf, "/tmp", &err), BERTH_INVALID_ARGUMENT);
  char path[] = "/tmp/berth-conf-XXXXXX";
  int fd = mkstemp(path);
  FILE *file = fdopen(fd, "w");
  fwrite("[log]\nlevel = \0info\n", 1, 20, file);
  fclose(file);
  ck_assert_int_eq(berthd_conf_read_file(&conf, path, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(err.message, "zero byte"));
  remove(path);
  berthd_conf_finish(&conf);
}
END_TEST

static char *print(const struct berthd_conf *conf) {
  char *text;
  size_t n;
  FILE *to = open_memstream(&text, &n);
  berthd_conf_print(conf, to);
  fclose(to);
  return text;
}

START_TEST(what_is_printed_reads_back_to_the_same) {
  struct berthd_conf conf, again;
  ck_assert_int_eq(berthd_conf_init(&conf, NULL), BERTH_OK);
  static const char *const SETTINGS[][2] = {
      {"listen-tcp", "127.0.0.1:1 [::1]:2"},
      {"cache-memory", "1000001"},
      {"server-drain", "1500ms"},
      {"plan-max-budget", "1500k"},
      {"listen-unix-mode", "0007"},
      {"log-level", "error"},
      {"log-format", "json"},
      {"listen-insecure", "true"},
      {"cache-failure-ttl", "0"},
      {"http-listen", ""},
  };
  for (size_t i = 0; i < sizeof SETTINGS / sizeof SETTINGS[0]; i++) {
    ck_assert_int_eq(berthd_conf_set(&conf, SETTINGS[i][0], SETTINGS[i][1], NULL), BERTH_OK);
  }
  char *text = print(&conf);
  struct berth_error err;
  ck_assert_msg(read_text(text, &again, &err) == BERTH_OK, "%s", err.message);
  char *second = print(&again);
  ck_assert_str_eq(text, second);
  free(text);
  free(second);
  berthd_conf_finish(&conf);
  berthd_conf_finish(&again);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "conf/file", (const TTest *const[]){
                       good_files, errors_name_their_line, a_long_line_is_an_error_and_not_cut,
                       files_that_cannot_be_read, what_is_printed_reads_back_to_the_same, NULL});
}
