/* The table: values of every type, their limits, the three sources, and the whole. */
#include "conf/conf.h"

#include <stdlib.h>
#include <string.h>

#include "conf/option.h"
#include "suite.h"

static struct berthd_conf conf;

static void begin(void) {
  ck_assert_int_eq(berthd_conf_init(&conf, NULL), BERTH_OK);
}

static enum berth_code set(const char *flag, const char *value) {
  struct berth_error err = {0};
  enum berth_code code = berthd_conf_set(&conf, flag, value, &err);
  ck_assert_int_eq(code != BERTH_OK, err.message[0] != '\0');
  return code;
}

START_TEST(defaults_are_those_of_the_table_and_stand_the_check) {
  begin();
  ck_assert_str_eq(conf.listen_unix, "/run/berth/berthd.sock");
  ck_assert_uint_eq(conf.cache_memory, 256 << 20);
  ck_assert_int_eq(conf.plan_max_deadline, INT64_C(600000000000));
  ck_assert_uint_eq(conf.plan_default_budget, 2000000000);
  ck_assert_uint_eq(conf.listen_unix_mode, 0660);
  ck_assert_uint_eq(conf.listen_tcp.n, 0);
  ck_assert_int_eq(conf.log_level, BERTHD_LOG_INFO);
  ck_assert_int_eq(berthd_conf_check(&conf, NULL), BERTH_OK);
  berthd_conf_finish(&conf);
  berthd_conf_finish(&conf); /* twice is fine */
}
END_TEST

START_TEST(values_of_every_type) {
  begin();
  static const struct {
    const char *flag, *value;
    bool is_good;
  } CASES[] = {
      {"cache-memory", "0", true},
      {"cache-memory", "123", true},
      {"cache-memory", "64KiB", true},
      {"cache-memory", "2GB", true},
      {"cache-memory", "1TiB", true},
      {"cache-memory", "2TiB", false},
      {"cache-memory", "-1", false},
      {"cache-memory", "1.5GiB", false},
      {"cache-memory", "0x10", false},
      {"cache-memory", "1 GiB", false},
      {"cache-memory", "GiB", false},
      {"cache-memory", "", false},
      {"cache-memory", "99999999999999999999", false},
      {"cache-memory", "18446744073709551615GiB", false},
      {"server-queue", "1", true},
      {"server-queue", "0", false},
      {"server-queue", "1k", false},
      {"server-drain", "0", true},
      {"server-drain", "250ms", true},
      {"server-drain", "1h", true},
      {"server-drain", "2h", false},
      {"server-drain", "20", false},
      {"server-drain", "5 s", false},
      {"plan-max-budget", "500M", true},
      {"plan-max-budget", "1T", true},
      {"plan-max-budget", "0", false},
      {"listen-insecure", "true", true},
      {"listen-insecure", "yes", false},
      {"listen-insecure", "1", false},
      {"listen-unix-mode", "0600", true},
      {"listen-unix-mode", "777", true},
      {"listen-unix-mode", "0999", false},
      {"listen-unix-mode", "1777", false},
      {"log-level", "warn", true},
      {"log-level", "WARN", false},
      {"log-format", "json", true},
      {"log-format", "xml", false},
      {"listen-unix", "", true},
      {"listen-unix", "/a\nb", false},
      {"listen-unix", "/a;b", false},
      {"listen-unix", " /a", false},
      {"no-such", "1", false},
      {"queue", "1", false},
  };
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    ck_assert_msg(
        (set(CASES[i].flag, CASES[i].value) == BERTH_OK) == CASES[i].is_good, "%s = %s", CASES[i].flag,
        CASES[i].value);
  }
  ck_assert_uint_eq(conf.cache_memory, UINT64_C(1) << 40);
  ck_assert_int_eq(conf.server_drain, INT64_C(3600000000000));
  char long_path[120];
  memset(long_path, 'x', sizeof long_path);
  long_path[0] = '/';
  long_path[sizeof long_path - 1] = '\0';
  ck_assert_int_eq(set("listen-unix", long_path), BERTH_INVALID_ARGUMENT);
  berthd_conf_finish(&conf);
}
END_TEST

START_TEST(lists_are_words_and_are_replaced_whole) {
  begin();
  ck_assert_int_eq(set("listen-tcp", "127.0.0.1:1,  [::1]:2 127.0.0.1:3 ,"), BERTH_OK);
  ck_assert_uint_eq(conf.listen_tcp.n, 3);
  ck_assert_str_eq(conf.listen_tcp.items[1], "[::1]:2");
  ck_assert_int_eq(set("listen-tcp", "a b c d e f g h i j k l m n o p q"), BERTH_INVALID_ARGUMENT);
  ck_assert_uint_eq(conf.listen_tcp.n, 3);
  ck_assert_int_eq(set("listen-tcp", ""), BERTH_OK);
  ck_assert_uint_eq(conf.listen_tcp.n, 0);
  berthd_conf_finish(&conf);
}
END_TEST

static enum berth_code read_environment(const char *const *variables, struct berth_error *err) {
  char *environment[8] = {NULL};
  for (size_t i = 0; variables[i] != NULL; i++) {
    environment[i] = strdup(variables[i]);
  }
  enum berth_code code = berthd_conf_read_environment(&conf, environment, err);
  for (size_t i = 0; environment[i] != NULL; i++) {
    free(environment[i]);
  }
  return code;
}

START_TEST(the_environment_and_its_slips) {
  begin();
  struct berth_error err;
  static const char *const GOOD[] = {
      "PATH=/bin", "BERTH_SERVER_QUEUE=9", "BERTH_LISTEN_UNIX_MODE=0600", "BERTH_SERVER=unix:/x", "BERTH_X=1",
      NULL};
  ck_assert_int_eq(read_environment(GOOD, NULL), BERTH_OK);
  ck_assert_uint_eq(conf.server_queue, 9);
  ck_assert_uint_eq(conf.listen_unix_mode, 0600);
  static const char *const SLIP[] = {"BERTH_SERVER_QUEUES=9", NULL};
  ck_assert_int_eq(read_environment(SLIP, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(err.message, "BERTH_SERVER_QUEUES"));
  static const char *const BAD[] = {"BERTH_SERVER_QUEUE=many", NULL};
  ck_assert_int_eq(read_environment(BAD, &err), BERTH_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(err.message, "BERTH_SERVER_QUEUE"));
  ck_assert_ptr_nonnull(strstr(err.message, "many"));
  berthd_conf_finish(&conf);
}
END_TEST

START_TEST(what_only_the_whole_shows) {
  static const struct {
    const char *flag, *value, *flag_b, *value_b, *word;
  } BAD[] = {
      {"plan-default-deadline", "11m", "plan-max-deadline", "10m", "max-deadline"},
      {"plan-default-budget", "2G", "plan-max-budget", "1G", "max-budget"},
      {"listen-unix", "relative/path", "log-level", "info", "absolute"},
      {"listen-tcp", "127.0.0.1", "log-level", "info", "127.0.0.1"},
      {"listen-tcp", "0.0.0.0:7110", "log-level", "info", "insecure"},
      {"listen-tls", "0.0.0.0:7110", "listen-tls-cert", "/a.pem", "certificate"},
      {"listen-tls", "nowhere", "log-level", "info", "nowhere"},
      {"listen-tcp", "127.0.0.1:1 [::]:7110", "log-level", "info", "insecure"},
      {"http-listen", "nowhere", "log-level", "info", "nowhere"},
  };
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    begin();
    ck_assert_int_eq(set(BAD[i].flag, BAD[i].value), BERTH_OK);
    ck_assert_int_eq(set(BAD[i].flag_b, BAD[i].value_b), BERTH_OK);
    struct berth_error err;
    ck_assert_int_eq(berthd_conf_check(&conf, &err), BERTH_INVALID_ARGUMENT);
    ck_assert_msg(strstr(err.message, BAD[i].word) != NULL, "%s", err.message);
    berthd_conf_finish(&conf);
  }
  begin();
  ck_assert_int_eq(set("listen-tcp", "0.0.0.0:7110"), BERTH_OK);
  ck_assert_int_eq(set("listen-insecure", "true"), BERTH_OK);
  ck_assert_int_eq(set("http-listen", ""), BERTH_OK);
  ck_assert_int_eq(berthd_conf_check(&conf, NULL), BERTH_OK);
  berthd_conf_finish(&conf);
}
END_TEST

START_TEST(flags_and_variables_are_unique) {
  for (size_t i = 0; i < berthd_n_options; i++) {
    char flag[BERTHD_OPTION_NAME_SIZE], other[BERTHD_OPTION_NAME_SIZE];
    berthd_option_flag(&berthd_options[i], flag);
    ck_assert_ptr_eq(berthd_option_find_flag(flag), &berthd_options[i]);
    berthd_option_variable(&berthd_options[i], flag);
    for (size_t k = 0; k < i; k++) {
      berthd_option_variable(&berthd_options[k], other);
      ck_assert_str_ne(flag, other);
    }
    ck_assert(berthd_option_has_section(berthd_options[i].section));
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "conf/conf", (const TTest *const[]){
                       defaults_are_those_of_the_table_and_stand_the_check, values_of_every_type,
                       lists_are_words_and_are_replaced_whole, the_environment_and_its_slips,
                       what_only_the_whole_shows, flags_and_variables_are_unique, NULL});
}
