/* Documents for people that are generated from the table: the help, the effective configuration, the
 * annotated file. */
#include <string.h>

#include "conf/option.h"

#define COMMENT_WIDTH 100

/* Words of `text`, filled to lines that begin with `prefix`. */
static void print_filled(FILE *to, const char *prefix, const char *text, size_t width) {
  size_t column = 0;
  while (*text != '\0') {
    size_t n = strcspn(text, " ");
    if (column > 0 && column + 1 + n > width) {
      fputc('\n', to);
      column = 0;
    }
    if (column == 0) {
      fputs(prefix, to);
      column = strlen(prefix);
    } else {
      fputc(' ', to);
      column++;
    }
    fwrite(text, 1, n, to);
    column += n;
    text += n + strspn(text + n, " ");
  }
  fputc('\n', to);
}

void berthd_conf_print(const struct berthd_conf *conf, FILE *to) {
  for (size_t s = 0; s < berthd_n_option_sections; s++) {
    fprintf(to, "%s[%s]\n", s > 0 ? "\n" : "", berthd_option_sections[s].name);
    for (size_t i = 0; i < berthd_n_options; i++) {
      const struct berthd_option *option = &berthd_options[i];
      if (strcmp(option->section, berthd_option_sections[s].name) == 0) {
        fprintf(to, "%s = ", option->key);
        berthd_option_print(option, conf, to);
        fputc('\n', to);
      }
    }
  }
}

void berthd_conf_print_help(FILE *to) {
  for (size_t s = 0; s < berthd_n_option_sections; s++) {
    fprintf(to, "\n%s\n", berthd_option_sections[s].help);
    for (size_t i = 0; i < berthd_n_options; i++) {
      const struct berthd_option *option = &berthd_options[i];
      if (strcmp(option->section, berthd_option_sections[s].name) != 0) {
        continue;
      }
      char flag[BERTHD_OPTION_NAME_SIZE];
      berthd_option_flag(option, flag);
      fprintf(to, "  --%s %s\n", flag, berthd_option_type_word(option->type));
      print_filled(to, "      ", option->help, 90);
      if (option->default_[0] != '\0') {
        fprintf(to, "      Default: %s\n", option->default_);
      }
    }
  }
}

void berthd_conf_print_annotated(FILE *to) {
  fputs(
      "# Configuration of berthd. Every option is here with its default, commented out.\n"
      "#\n"
      "# Sizes: 4096, 64KiB, 2GiB. Times: 250ms, 30s, 5m, 1h. Ticks: 500M, 2G. An unknown section or key is "
      "an error.\n"
      "# Option key of [section] is also the flag --section-key and the variable BERTH_SECTION_KEY; a flag "
      "wins over\n"
      "# the environment, the environment over this file. \"berthd --check --config FILE\" only checks.\n",
      to);
  for (size_t s = 0; s < berthd_n_option_sections; s++) {
    fprintf(to, "\n# %s\n[%s]\n", berthd_option_sections[s].help, berthd_option_sections[s].name);
    for (size_t i = 0; i < berthd_n_options; i++) {
      const struct berthd_option *option = &berthd_options[i];
      if (strcmp(option->section, berthd_option_sections[s].name) == 0) {
        fputc('\n', to);
        print_filled(to, "# ", option->help, COMMENT_WIDTH);
        fprintf(to, "#%s =%s%s\n", option->key, option->default_[0] != '\0' ? " " : "", option->default_);
      }
    }
  }
}
