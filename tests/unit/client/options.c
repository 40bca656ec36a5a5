#define _POSIX_C_SOURCE 200809L
#include "options/options.h"

#include <string.h>

#include "suite.h"

enum { MAX_WORDS = 16, MAX_WORD = 64 };

static const char *const *environment_pairs; /* name, value, ..., NULL */

static const char *get_environment(const char *name) {
  for (const char *const *pair = environment_pairs; pair != NULL && *pair != NULL; pair += 2) {
    if (strcmp(pair[0], name) == 0) {
      return pair[1];
    }
  }
  return NULL;
}

static bool
parse(const char *const *words, struct berthctl_options *options, struct berthctl_usage_error *error) {
  static char storage[MAX_WORDS][MAX_WORD]; /* options point into it until the next call */
  char *argv[MAX_WORDS] = {storage[0]};
  int argc = 1;
  for (; *words != NULL; words++, argc++) {
    ck_assert(argc < MAX_WORDS && strlen(*words) < MAX_WORD);
    argv[argc] = strcpy(storage[argc], *words);
  }
  return berthctl_options_parse(argc, argv, get_environment, options, error);
}

#define PARSED(options, ...)                                                                                 \
  do {                                                                                                       \
    struct berthctl_usage_error error_;                                                                      \
    ck_assert_msg(                                                                                           \
        parse((const char *const[]){__VA_ARGS__, NULL}, (options), &error_), "%s", error_.message);          \
  } while (0)

#define REFUSED(word, ...)                                                                                   \
  do {                                                                                                       \
    struct berthctl_options options_;                                                                        \
    struct berthctl_usage_error error_;                                                                      \
    ck_assert(!parse((const char *const[]){__VA_ARGS__, NULL}, &options_, &error_));                         \
    ck_assert_msg(strstr(error_.message, (word)) != NULL, "%s", error_.message);                             \
  } while (0)

START_TEST(options_stand_anywhere) {
  struct berthctl_options options;
  PARSED(&options, "--json", "plan", "-c1.5GiB", "a.csv", "--budget=1000", "-d", "0.25", "--svg", "b.svg");
  ck_assert_int_eq(options.verb, BERTHCTL_VERB_PLAN);
  ck_assert_uint_eq(options.n_arguments, 1);
  ck_assert_str_eq(options.arguments[0], "a.csv");
  ck_assert_uint_eq(options.number[BERTHCTL_OPTION_CAPACITY], UINT64_C(1610612736));
  ck_assert_uint_eq(options.number[BERTHCTL_OPTION_BUDGET], 1000);
  ck_assert_uint_eq(options.number[BERTHCTL_OPTION_DEADLINE], 250000000);
  ck_assert(options.is_set[BERTHCTL_OPTION_SVG]);
}
END_TEST

START_TEST(what_does_not_go_together) {
  struct berthctl_options options;
  REFUSED("standard output", "plan", "a", "--json", "--csv", "-");
  REFUSED("standard output", "plan", "a", "--svg", "-", "--csv", "-");
  PARSED(&options, "plan", "a", "--json", "--csv", "b", "--svg", "c");
  REFUSED("standard input", "verify", "-", "-");
  REFUSED("fit needs --capacity", "fit", "a");
  REFUSED("no option --capacity", "verify", "a", "b", "--capacity", "1");
  REFUSED("no option --local", "get", "a", "--local");
}
END_TEST

START_TEST(words) {
  struct berthctl_options options;
  PARSED(&options, "plan", "-");
  ck_assert_str_eq(options.arguments[0], "-");
  PARSED(&options, "plan", "--", "--json");
  ck_assert_str_eq(options.arguments[0], "--json");
  ck_assert(!options.is_set[BERTHCTL_OPTION_JSON]);
  PARSED(&options, "plan", "-jqa", "x");
  ck_assert(options.is_set[BERTHCTL_OPTION_JSON] && options.is_set[BERTHCTL_OPTION_QUIET]);
  PARSED(&options, "explain", "x", "--step", "-5");
  ck_assert_int_eq(options.step, -5);
  PARSED(&options, "get", "id", "file");
  ck_assert_uint_eq(options.n_arguments, 2);
}
END_TEST

START_TEST(wrong_words_say_what_is_right) {
  REFUSED("is it 'plan'?", "pln", "a");
  REFUSED("unknown verb 'frobnicate'", "frobnicate");
  REFUSED("is it --deadline?", "plan", "--dedline", "1", "a");
  REFUSED("unknown option -x", "plan", "-x", "a");
  REFUSED("plan needs FILE", "plan");
  REFUSED("one argument too many", "plan", "a", "b");
  REFUSED("takes none", "version", "a");
  REFUSED("takes no value", "plan", "--json=yes", "a");
  REFUSED("given twice", "plan", "-c", "1", "-c", "2", "a");
  REFUSED("--capacity BYTES", "plan", "a", "--capacity");
  REFUSED("is empty", "plan", "--server", "", "a");
  static const char *const COUNTS[] = {"0", "-1", "1.5", "x", "", " 1", "18446744073709551616"};
  for (size_t i = 0; i < sizeof COUNTS / sizeof COUNTS[0]; i++) {
    REFUSED("--budget", "plan", "--budget", COUNTS[i], "a");
  }
  static const char *const TIMES[] = {"0", "-1", "nan", "inf", "1e3", "x", "", "1s", "99999999999", "1.2.3"};
  for (size_t i = 0; i < sizeof TIMES / sizeof TIMES[0]; i++) {
    REFUSED("--deadline", "plan", "--deadline", TIMES[i], "a");
  }
  static const char *const SIZES[] = {"-1", "many", "0", "1.5", ""};
  for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
    REFUSED("--capacity", "plan", "--capacity", SIZES[i], "a");
  }
}
END_TEST

START_TEST(no_words_at_all) {
  struct berthctl_options options;
  struct berthctl_usage_error error;
  ck_assert(!parse((const char *const[]){NULL}, &options, &error));
  ck_assert_int_eq(error.verb, BERTHCTL_N_VERBS);
}
END_TEST

START_TEST(help_and_version_win) {
  struct berthctl_options options;
  PARSED(&options, "plan", "--help");
  ck_assert_int_eq(options.verb, BERTHCTL_VERB_HELP);
  ck_assert_str_eq(options.arguments[0], "plan");
  PARSED(&options, "-h");
  ck_assert_uint_eq(options.n_arguments, 0);
  PARSED(&options, "verify", "--version");
  ck_assert_int_eq(options.verb, BERTHCTL_VERB_VERSION);
}
END_TEST

START_TEST(the_environment_stands_in) {
  struct berthctl_options options;
  environment_pairs = (const char *const[]){"BERTH_SERVER", "unix:/a", "NO_COLOR", "1", NULL};
  PARSED(&options, "plan", "a");
  ck_assert_str_eq(options.text[BERTHCTL_OPTION_SERVER], "unix:/a");
  ck_assert(options.is_set[BERTHCTL_OPTION_NO_COLOR]);
  PARSED(&options, "plan", "a", "-s", "host:1");
  ck_assert_str_eq(options.text[BERTHCTL_OPTION_SERVER], "host:1");
  PARSED(&options, "explain", "a"); /* has no --server, and is not refused for a variable that is there */
  environment_pairs = (const char *const[]){"BERTH_SERVER", "", "NO_COLOR", "", NULL};
  PARSED(&options, "plan", "a");
  ck_assert(!options.is_set[BERTHCTL_OPTION_SERVER] && !options.is_set[BERTHCTL_OPTION_NO_COLOR]);
  environment_pairs = NULL;
}
END_TEST

/* The table itself: every option goes with a verb, no word or letter is used twice, all are described. */
START_TEST(the_table_is_sound) {
  for (unsigned i = 0; i < BERTHCTL_N_OPTIONS; i++) {
    const struct berthctl_option_row *row = &BERTHCTL_OPTION_ROWS[i];
    ck_assert_uint_ne(row->verbs, 0);
    ck_assert_uint_eq(row->verbs & ~BERTHCTL_ON_ALL, 0);
    ck_assert((row->kind == BERTHCTL_KIND_FLAG) == (row->value == NULL));
    ck_assert_uint_gt(strlen(row->text), 10);
    for (unsigned k = 0; k < i; k++) {
      ck_assert_str_ne(row->word, BERTHCTL_OPTION_ROWS[k].word);
      ck_assert(row->letter == 0 || row->letter != BERTHCTL_OPTION_ROWS[k].letter);
    }
  }
  for (unsigned i = 0; i < BERTHCTL_N_VERBS; i++) {
    ck_assert_uint_le(BERTHCTL_VERB_ROWS[i].most, BERTHCTL_MAX_ARGUMENTS);
    ck_assert_uint_le(BERTHCTL_VERB_ROWS[i].least, BERTHCTL_VERB_ROWS[i].most);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "client/options",
      (const TTest *const[]){
          options_stand_anywhere, what_does_not_go_together, words, wrong_words_say_what_is_right,
          no_words_at_all, help_and_version_win, the_environment_stands_in, the_table_is_sound, NULL});
}
