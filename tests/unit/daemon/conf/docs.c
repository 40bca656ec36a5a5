/* The generated documents: config/berthd.ini is what the table says, it reads, and every option is in each
 * document. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "conf/option.h"
#include "suite.h"

static char *print(void (*document)(FILE *to)) {
  char *text;
  size_t n;
  FILE *to = open_memstream(&text, &n);
  document(to);
  fclose(to);
  return text;
}

START_TEST(the_annotated_file_is_up_to_date) {
  char *wanted = print(berthd_conf_print_annotated);
  char found[65536] = "";
  FILE *file = fopen("config/berthd.ini", "r");
  ck_assert_ptr_nonnull(file);
  found[fread(found, 1, sizeof found - 1, file)] = '\0';
  fclose(file);
  ck_assert_msg(strcmp(wanted, found) == 0, "run: berthd docs ini > config/berthd.ini");
  free(wanted);
}
END_TEST

/* With every option switched on: "#key = value" becomes "key = value". */
START_TEST(the_annotated_file_reads_as_the_defaults) {
  char *text = print(berthd_conf_print_annotated);
  for (char *at = text; at != NULL; at = strchr(at, '\n')) {
    at += *at == '\n';
    if (at[0] == '#' && at[1] != ' ' && at[1] != '\n') {
      memmove(at, at + 1, strlen(at));
    }
  }
  struct berthd_conf conf, defaults;
  struct berth_error err;
  ck_assert_int_eq(berthd_conf_init(&conf, NULL), BERTH_OK);
  ck_assert_int_eq(berthd_conf_init(&defaults, NULL), BERTH_OK);
  ck_assert_int_eq(berthd_conf_set(&conf, "server-queue", "99", NULL), BERTH_OK);
  ck_assert_msg(berthd_conf_read_text(&conf, text, "x", &err) == BERTH_OK, "%s", err.message);
  ck_assert_uint_eq(conf.server_queue, defaults.server_queue);
  berthd_conf_finish(&conf);
  berthd_conf_finish(&defaults);
  free(text);
}
END_TEST

START_TEST(every_option_is_documented) {
  char *help = print(berthd_conf_print_help);
  char *file = print(berthd_conf_print_annotated);
  char *flags = print(berthd_conf_print_manual);
  char *keys = print(berthd_conf_print_manual_conf);
  for (size_t i = 0; i < berthd_n_options; i++) {
    char flag[BERTHD_OPTION_NAME_SIZE], wanted[BERTHD_OPTION_NAME_SIZE + 16];
    berthd_option_flag(&berthd_options[i], flag);
    snprintf(wanted, sizeof wanted, "--%s ", flag);
    ck_assert_msg(strstr(help, wanted) != NULL, "%s", wanted);
    snprintf(wanted, sizeof wanted, "Fl \\-%s ", flag);
    ck_assert_msg(strstr(flags, wanted) != NULL, "%s", wanted);
    snprintf(wanted, sizeof wanted, "\n#%s =", berthd_options[i].key);
    ck_assert_msg(strstr(file, wanted) != NULL, "%s", wanted);
    snprintf(wanted, sizeof wanted, "\n.It Cm %s ", berthd_options[i].key);
    ck_assert_msg(strstr(keys, wanted) != NULL, "%s", wanted);
  }
  free(help);
  free(file);
  free(flags);
  free(keys);
}
END_TEST

START_TEST(the_manual_pages_are_clean) {
  if (system("command -v mandoc >/dev/null") != 0) {
    return; /* a tool of the tests' machine; scripts/setup installs it */
  }
  static void (*const PAGES[])(FILE *) = {berthd_conf_print_manual, berthd_conf_print_manual_conf};
  for (size_t i = 0; i < 2; i++) {
    char path[] = "/tmp/berth-man-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    PAGES[i](file);
    fclose(file);
    char command[160];
    /* Other pages may not be installed here; everything else counts. */
    snprintf(
        command, sizeof command,
        "mandoc -T lint -W style %s 2>&1 | grep -v -e 'manual not found' -e mandoc.db", path);
    FILE *lint = popen(command, "r");
    char line[256] = "";
    ck_assert_msg(fgets(line, sizeof line, lint) == NULL, "%s", line);
    pclose(lint);
    remove(path);
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "conf/docs", (const TTest *const[]){
                       the_annotated_file_is_up_to_date, the_annotated_file_reads_as_the_defaults,
                       every_option_is_documented, the_manual_pages_are_clean, NULL});
}
