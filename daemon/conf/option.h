/* The options as data: what the parsers and the documents walk over. */
#ifndef CONF_OPTION_H
#define CONF_OPTION_H

#include "conf/conf.h"

#define BERTHD_OPTION_NAME_SIZE 64

enum berthd_option_type {
  BERTHD_OPTION_BYTES,
  BERTHD_OPTION_COUNT,
  BERTHD_OPTION_TICKS,
  BERTHD_OPTION_DURATION,
  BERTHD_OPTION_BOOL,
  BERTHD_OPTION_TEXT,
  BERTHD_OPTION_LIST,
  BERTHD_OPTION_MODE,
  BERTHD_OPTION_LEVEL,
  BERTHD_OPTION_FORMAT,
};

struct berthd_option {
  enum berthd_option_type type;
  const char *section;
  const char *key;
  size_t offset; /* in struct berthd_conf */
  const char *default_;
  uint64_t least;
  uint64_t most;
  const char *help;
};

struct berthd_option_section {
  const char *name;
  const char *help;
};

extern const struct berthd_option berthd_options[];
extern const size_t berthd_n_options;
extern const struct berthd_option_section berthd_option_sections[];
extern const size_t berthd_n_option_sections;

const struct berthd_option *
berthd_option_find(const char *section, const char *key);              /* NULL if there is none */
const struct berthd_option *berthd_option_find_flag(const char *flag); /* "cache-memory" */
bool berthd_option_has_section(const char *section);

/* "cache-memory" and "BERTH_CACHE_MEMORY". */
void berthd_option_flag(const struct berthd_option *option, char out_name[BERTHD_OPTION_NAME_SIZE]);
void berthd_option_variable(const struct berthd_option *option, char out_name[BERTHD_OPTION_NAME_SIZE]);
/* "BYTES", "DURATION", ... as in the documents. */
const char *berthd_option_type_word(enum berthd_option_type type);

/* Parses, checks the limits and stores; `conf` is unchanged on failure. `place` opens the message. */
enum berth_code berthd_option_set(
    const struct berthd_option *option, struct berthd_conf *conf, const char *value, const char *place,
    struct berth_error *err) BERTH_MUST_USE;
/* The value in a form that berthd_option_set reads back. */
void berthd_option_print(const struct berthd_option *option, const struct berthd_conf *conf, FILE *to);
void berthd_option_free(const struct berthd_option *option, struct berthd_conf *conf);

#endif
