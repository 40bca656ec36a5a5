#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "conf/option.h"

#define PREFIX "BERTH_"

static const struct berthd_option *find_variable(const char *name, size_t n) {
  for (size_t i = 0; i < berthd_n_options; i++) {
    char variable[BERTHD_OPTION_NAME_SIZE];
    berthd_option_variable(&berthd_options[i], variable);
    if (strlen(variable) == n && memcmp(variable, name, n) == 0) {
      return &berthd_options[i];
    }
  }
  return NULL;
}

/* Whether the name is of a section of ours, so that it can only be a slip of the pen. */
static bool is_of_a_section(const char *name) {
  for (size_t i = 0; i < berthd_n_option_sections; i++) {
    size_t n = strlen(berthd_option_sections[i].name);
    const char *rest = name + strlen(PREFIX);
    if (strncasecmp(rest, berthd_option_sections[i].name, n) == 0 && rest[n] == '_') {
      return true;
    }
  }
  return false;
}

enum berth_code
berthd_conf_read_environment(struct berthd_conf *conf, char *const *environment, struct berth_error *err) {
  for (; *environment != NULL; environment++) {
    const char *name = *environment;
    const char *equals = strchr(name, '=');
    if (equals == NULL || strncmp(name, PREFIX, strlen(PREFIX)) != 0) {
      continue;
    }
    size_t n = (size_t)(equals - name);
    const struct berthd_option *option = find_variable(name, n);
    if (option == NULL && is_of_a_section(name)) {
      return berth_fail(
          err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, NULL,
          "the environment variable %.*s names no option", (int)(n < 64 ? n : 64), name);
    }
    char place[BERTHD_OPTION_NAME_SIZE + 32];
    snprintf(place, sizeof place, "environment variable %.*s: ", (int)(n < 64 ? n : 64), name);
    enum berth_code code =
        option != NULL ? berthd_option_set(option, conf, equals + 1, place, err) : BERTH_OK;
    if (code != BERTH_OK) {
      return code;
    }
  }
  return BERTH_OK;
}
