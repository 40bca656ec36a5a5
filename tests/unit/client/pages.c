/* Man pages and completions as their readers see them. */
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "suite.h"

/* Nothing but references to pages that are not installed. */
static void expect_lint_clean(char *text, const char *page) {
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    ck_assert_msg(strstr(line, "referenced manual not found") != NULL, "%s: %s", page, line);
  }
}

static const char *const VERBS[] = {"plan", "fit", "verify",  "explain", "diff",       "check",   "get",
                                    "list", "rm",  "measure", "server",  "completion", "version", "help"};

START_TEST(pages_are_clean) {
  for (unsigned i = 0; i <= sizeof VERBS / sizeof VERBS[0]; i++) {
    char page[4096];
    if (i == 0) {
      snprintf(page, sizeof page, "%s/berthctl.1", BERTHCTL_MAN);
    } else {
      snprintf(page, sizeof page, "%s/berthctl-%s.1", BERTHCTL_MAN, VERBS[i - 1]);
    }
    struct run_result lint = run((const char *const[]){"mandoc", "-T", "lint", page, NULL}, NULL, NULL);
    ck_assert_str_eq(lint.err, "");
    expect_lint_clean(lint.out, page);
    run_free(&lint);
    struct run_result shown =
        run((const char *const[]){"mandoc", "-T", "ascii", "-O", "width=100", page, NULL}, NULL, NULL);
    ck_assert_int_eq(shown.status, 0);
    ck_assert_msg(strstr(shown.out, "     7    The deadline passed.\n") != NULL, "%s: %s", page, shown.out);
    run_free(&shown);
  }
}
END_TEST

/* The lint sees what is wrong, or the test above says nothing. */
START_TEST(lint_sees_a_planted_mistake) {
  struct run_result lint =
      run((const char *const[]){"mandoc", "-T", "lint", NULL}, ".Dd x\n.Dt A 1\n.Os\n.Sh NAME\n.Xx\n", NULL);
  ck_assert_ptr_nonnull(strstr(lint.out, "ERROR"));
  run_free(&lint);
}
END_TEST

static void expect_completed(const char *words, unsigned at, const char *expected) {
  char script[1024];
  snprintf(
      script, sizeof script,
      "source <(%s completion bash); COMP_WORDS=(%s); COMP_CWORD=%u; _berthctl; echo \"${COMPREPLY[*]}\"",
      BERTHCTL, words, at);
  struct run_result result = run((const char *const[]){"bash", "-c", script, NULL}, NULL, NULL);
  ck_assert_msg(result.status == 0, "%s", result.err);
  ck_assert_str_eq(result.out, expected);
  run_free(&result);
}

START_TEST(bash_completes) {
  expect_completed("berthctl pl", 1, "plan\n");
  expect_completed("berthctl ver", 1, "verify version\n");
  expect_completed("berthctl plan --ca", 2, "--capacity\n");
  expect_completed("berthctl verify --ca", 2, "\n");
  expect_completed("berthctl --json plan --cap", 3, "--capacity\n");
  expect_completed("berthctl completion f", 2, "fish\n");
  expect_completed("berthctl server ''", 2, "status health\n");
  expect_completed("berthctl plan --budget ''", 3, "\n");
  expect_completed("berthctl plan CMakeL", 2, "CMakeLists.txt\n");
  expect_completed("berthctl plan --svg CMakeL", 3, "CMakeLists.txt\n");
}
END_TEST

START_TEST(zsh_takes_its_completion) {
  static const char SCRIPT[] = "autoload -Uz compinit && compinit -D -u && source <(" BERTHCTL
                               " completion zsh) && print $_comps[berthctl]";
  struct run_result result = run((const char *const[]){"zsh", "-f", "-c", SCRIPT, NULL}, NULL, NULL);
  ck_assert_str_eq(result.err, "");
  ck_assert_str_eq(result.out, "_berthctl\n");
  run_free(&result);
}
END_TEST

START_TEST(fish_completes) {
  static const char SCRIPT[] =
      BERTHCTL " completion fish | source; complete -C 'berthctl plan --ca'; complete -C 'berthctl server '";
  struct run_result result =
      run((const char *const[]){"fish", "--no-config", "-c", SCRIPT, NULL}, NULL,
          (const char *const[]){"HOME=/nonexistent", NULL});
  ck_assert_int_eq(result.status, 0);
  ck_assert_ptr_nonnull(strstr(result.out, "--capacity\twhat the arena may take"));
  ck_assert_ptr_nonnull(strstr(result.out, "health\nstatus\n"));
  run_free(&result);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "client/pages", (const TTest *const[]){
                          pages_are_clean, lint_sees_a_planted_mistake, bash_completes,
                          zsh_takes_its_completion, fish_completes, NULL});
}
