#define _POSIX_C_SOURCE 200809L
#include "options/docs.h"

#include <stdlib.h>
#include <string.h>

#include "suite.h"

static char *help_text(enum berthctl_verb verb, unsigned width) {
  static char *text; /* open_memstream writes them when the stream ends */
  static size_t n;
  FILE *out = open_memstream(&text, &n);
  ck_assert_ptr_nonnull(out);
  berthctl_help_write(out, verb, width);
  fclose(out);
  return text;
}

/* Help of a verb has its options, and none that it refuses. */
START_TEST(help_has_the_options_of_the_verb) {
  for (unsigned verb = 0; verb < BERTHCTL_N_VERBS; verb++) {
    char *text = help_text((enum berthctl_verb)verb, 100);
    for (unsigned i = 0; i < BERTHCTL_N_OPTIONS; i++) {
      char word[32];
      snprintf(word, sizeof word, " --%s", BERTHCTL_OPTION_ROWS[i].word);
      const char *options = strstr(text, "Options:");
      ck_assert_ptr_nonnull(options);
      const char *found = strstr(options, word);
      bool is_option = false; /* at the head of a line, not in a text */
      for (; found != NULL && !is_option; found = strstr(found + 1, word)) {
        const char *line = found;
        while (line > text && line[-1] != '\n') {
          line--;
        }
        is_option = found - line <= 5;
      }
      ck_assert_msg(
          is_option == berthctl_option_is_on((enum berthctl_option)i, (enum berthctl_verb)verb),
          "%s in help of %s", word, BERTHCTL_VERB_ROWS[verb].word);
    }
    free(text);
  }
}
END_TEST

START_TEST(help_fits_the_terminal) {
  for (unsigned width = 60; width <= 100; width += 20) {
    for (unsigned verb = 0; verb <= BERTHCTL_N_VERBS; verb++) {
      char *text = help_text((enum berthctl_verb)verb, width);
      for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
        ck_assert_msg(strcspn(line, "\n") <= width, "%.*s", (int)strcspn(line, "\n"), line);
      }
      free(text);
    }
  }
}
END_TEST

START_TEST(unknown_shells_are_refused) {
  FILE *out = fopen("/dev/null", "w");
  ck_assert(berthctl_completion_write(out, "bash"));
  ck_assert(berthctl_completion_write(out, "zsh"));
  ck_assert(berthctl_completion_write(out, "fish"));
  ck_assert(!berthctl_completion_write(out, "csh"));
  fclose(out);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "client/docs",
      (const TTest *const[]){
          help_has_the_options_of_the_verb, help_fits_the_terminal, unknown_shells_are_refused, NULL});
}
