#include "log/log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

static int pipe_fds[2];
static char seen[65536];

static void begin(enum berthd_log_level level, enum berthd_log_format format, bool journal) {
  ck_assert_int_eq(pipe(pipe_fds), 0);
  berthd_log_init(pipe_fds[1], level, format, journal);
}

static const char *end(void) {
  close(pipe_fds[1]);
  size_t n = 0;
  ssize_t got;
  while ((got = read(pipe_fds[0], seen + n, sizeof seen - 1 - n)) > 0) {
    n += (size_t)got;
  }
  seen[n] = '\0';
  close(pipe_fds[0]);
  return seen;
}

static size_t count(const char *text, const char *word) {
  size_t n = 0;
  for (; (text = strstr(text, word)) != NULL; text++) {
    n++;
  }
  return n;
}

START_TEST(levels_choose) {
  begin(BERTHD_LOG_WARN, BERTHD_LOG_TEXT, false);
  BERTHD_LOG(INFO, "quiet", BERTHD_U64("n", 1));
  BERTHD_LOG(WARN, "loud", BERTHD_U64("n", 2));
  berthd_log_set_level(BERTHD_LOG_DEBUG);
  BERTHD_LOG(DEBUG, "now", BERTHD_U64("n", 3));
  const char *text = end();
  ck_assert_ptr_null(strstr(text, "quiet"));
  ck_assert_ptr_nonnull(strstr(text, " level=warn event=loud n=2\n"));
  ck_assert_ptr_nonnull(strstr(text, " level=debug event=now n=3\n"));
  ck_assert_int_eq(strncmp(text, "time=20", 7), 0);
}
END_TEST

START_TEST(the_journal_gets_its_prefix_and_no_time) {
  begin(BERTHD_LOG_INFO, BERTHD_LOG_TEXT, true);
  BERTHD_LOG(ERROR, "bad", BERTHD_U64("n", 1));
  ck_assert_str_eq(end(), "<3>level=error event=bad n=1\n");
}
END_TEST

START_TEST(a_kind_that_repeats_is_limited_and_errors_are_not) {
  begin(BERTHD_LOG_INFO, BERTHD_LOG_JSON, false);
  berthd_log_set_rate(5);
  uint64_t before = berthd_log_n_dropped();
  for (int i = 0; i < 200; i++) {
    BERTHD_LOG(INFO, "flood", BERTHD_I64("i", i));
    BERTHD_LOG(ERROR, "fire", BERTHD_I64("i", i));
  }
  uint64_t n_dropped = berthd_log_n_dropped() - before;
  const char *text = end();
  size_t n_flood = count(text, "\"event\":\"flood\"");
  ck_assert_uint_ge(n_flood, 5);
  ck_assert_uint_le(n_flood, 10); /* a second may have turned */
  ck_assert_uint_eq(n_flood + n_dropped, 200);
  ck_assert_uint_eq(count(text, "\"event\":\"fire\""), 200);
  berthd_log_set_rate(0);
  begin(BERTHD_LOG_INFO, BERTHD_LOG_JSON, false);
  BERTHD_LOG(INFO, "flood", BERTHD_I64("i", 1));
  ck_assert_ptr_nonnull(strstr(end(), "\"n_left_out\":"));
}
END_TEST

int main(void) {
  return berth_suite_run(
      "log/log", (const TTest *const[]){
                     levels_choose, the_journal_gets_its_prefix_and_no_time,
                     a_kind_that_repeats_is_limited_and_errors_are_not, NULL});
}
