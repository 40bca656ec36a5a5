#include "conf/option.h"

#include <ctype.h>
#include <string.h>

const struct berthd_option berthd_options[] = {
#define X(type, section, key, field, default_, least, most, help)                                            \
  {BERTHD_OPTION_##type, section, key, offsetof(struct berthd_conf, field), default_, least, most, help},
    BERTHD_CONF_OPTIONS(X)
#undef X
};
const size_t berthd_n_options = sizeof berthd_options / sizeof berthd_options[0];

const struct berthd_option_section berthd_option_sections[] = {
#define X(name, help) {name, help},
    BERTHD_CONF_SECTIONS(X)
#undef X
};
const size_t berthd_n_option_sections = sizeof berthd_option_sections / sizeof berthd_option_sections[0];

static const char *const TYPE_WORDS[] = {
    [BERTHD_OPTION_BYTES] = "BYTES",   [BERTHD_OPTION_COUNT] = "N",       [BERTHD_OPTION_TICKS] = "TICKS",
    [BERTHD_OPTION_BOOL] = "BOOL",     [BERTHD_OPTION_DURATION] = "TIME", [BERTHD_OPTION_TEXT] = "TEXT",
    [BERTHD_OPTION_LIST] = "LIST",     [BERTHD_OPTION_MODE] = "MODE",     [BERTHD_OPTION_LEVEL] = "LEVEL",
    [BERTHD_OPTION_FORMAT] = "FORMAT",
};

const char *berthd_option_type_word(enum berthd_option_type type) {
  return TYPE_WORDS[type];
}

const struct berthd_option *berthd_option_find(const char *section, const char *key) {
  for (size_t i = 0; i < berthd_n_options; i++) {
    if (strcmp(berthd_options[i].section, section) == 0 && strcmp(berthd_options[i].key, key) == 0) {
      return &berthd_options[i];
    }
  }
  return NULL;
}

const struct berthd_option *berthd_option_find_flag(const char *flag) {
  for (size_t i = 0; i < berthd_n_options; i++) {
    char name[BERTHD_OPTION_NAME_SIZE];
    berthd_option_flag(&berthd_options[i], name);
    if (strcmp(name, flag) == 0) {
      return &berthd_options[i];
    }
  }
  return NULL;
}

bool berthd_option_has_section(const char *section) {
  for (size_t i = 0; i < berthd_n_option_sections; i++) {
    if (strcmp(berthd_option_sections[i].name, section) == 0) {
      return true;
    }
  }
  return false;
}

void berthd_option_flag(const struct berthd_option *option, char out_name[BERTHD_OPTION_NAME_SIZE]) {
  snprintf(out_name, BERTHD_OPTION_NAME_SIZE, "%s-%s", option->section, option->key);
}

void berthd_option_variable(const struct berthd_option *option, char out_name[BERTHD_OPTION_NAME_SIZE]) {
  snprintf(out_name, BERTHD_OPTION_NAME_SIZE, "BERTH_%s_%s", option->section, option->key);
  for (char *c = out_name; *c != '\0'; c++) {
    *c = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
  }
}
