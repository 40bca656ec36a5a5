/* The configuration file: no input crashes the parser, an error is always explained with its line, and what
 * is accepted prints to a file that reads back to the same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

static char *print(const struct berthd_conf *conf) {
  char *text = NULL;
  size_t n = 0;
  FILE *to = open_memstream(&text, &n);
  if (to == NULL) {
    return NULL;
  }
  berthd_conf_print(conf, to);
  fclose(to);
  return text;
}

static void must(int condition) {
  if (!condition) {
    abort();
  }
}

static void check_round_trip(const struct berthd_conf *conf) {
  char *first = print(conf);
  struct berthd_conf again;
  must(berthd_conf_init(&again, NULL) == BERTH_OK);
  struct berth_error err;
  if (first != NULL && berthd_conf_read_text(&again, first, "printed", &err) == BERTH_OK) {
    char *second = print(&again);
    must(second == NULL || strcmp(first, second) == 0);
    free(second);
  } else if (first != NULL) {
    must(strstr(err.message, "too long") != NULL); /* all that a line of the file cannot say */
  }
  free(first);
  berthd_conf_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (text == NULL) {
    return 0;
  }
  memcpy(text, data, size);
  text[size] = '\0';
  struct berthd_conf conf;
  struct berth_error err = {0};
  must(berthd_conf_init(&conf, NULL) == BERTH_OK);
  enum berth_code code = berthd_conf_read_text(&conf, text, "fuzz.ini", &err);
  if (code == BERTH_OK) {
    check_round_trip(&conf);
    (void)!berthd_conf_check(&conf, &err);
  } else {
    must(code == BERTH_INVALID_ARGUMENT && err.line > 0 && strstr(err.message, "fuzz.ini:") != NULL);
  }
  berthd_conf_finish(&conf);
  free(text);
  return 0;
}
