/* The configuration: options of one table (conf_table.h), from a file, the environment and flags. */
#ifndef CONF_CONF_H
#define CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "berth/status.h"
#include "conf/conf_table.h"
#include "log/log.h"

struct berthd_conf_list {
  char **items;
  size_t n;
};

/* C types of the option types. Durations are nanoseconds. */
#define BERTHD_CONF_BYTES uint64_t
#define BERTHD_CONF_COUNT uint64_t
#define BERTHD_CONF_TICKS uint64_t
#define BERTHD_CONF_DURATION int64_t
#define BERTHD_CONF_BOOL bool
#define BERTHD_CONF_TEXT char *
#define BERTHD_CONF_LIST struct berthd_conf_list
#define BERTHD_CONF_MODE uint32_t
#define BERTHD_CONF_LEVEL enum berthd_log_level
#define BERTHD_CONF_FORMAT enum berthd_log_format

struct berthd_conf {
#define X(type, section, key, field, default_, least, most, help) BERTHD_CONF_##type field;
  BERTHD_CONF_OPTIONS(X)
#undef X
};

/* The defaults. finish() frees the texts and lists; a zeroed struct is fine. */
enum berth_code berthd_conf_init(struct berthd_conf *conf, struct berth_error *err) BERTH_MUST_USE;
void berthd_conf_finish(struct berthd_conf *conf);

/* Each sets what it finds and fails on the first that is wrong: what, where, and what would be right. */
enum berth_code
berthd_conf_read_file(struct berthd_conf *conf, const char *path, struct berth_error *err) BERTH_MUST_USE;
/* `text` ends in NUL; `name` is for messages. */
enum berth_code berthd_conf_read_text(
    struct berthd_conf *conf, const char *text, const char *name, struct berth_error *err) BERTH_MUST_USE;
/* `environment` as environ(7). A variable BERTH_<section>_... that names no option is an error; other names
 * that begin with BERTH_ are not ours. */
enum berth_code berthd_conf_read_environment(
    struct berthd_conf *conf, char *const *environment, struct berth_error *err) BERTH_MUST_USE;
/* One option by its flag's name without the dashes ("cache-memory"). NOT_FOUND if there is none. */
enum berth_code berthd_conf_set(
    struct berthd_conf *conf, const char *flag, const char *value, struct berth_error *err) BERTH_MUST_USE;
/* True for an option of that flag name; *out_is_bool says that "--flag" alone means true. */
bool berthd_conf_has(const char *flag, bool *out_is_bool);

/* What only the whole shows: deadlines in order, well-formed addresses, plain text only where allowed. */
enum berth_code berthd_conf_check(const struct berthd_conf *conf, struct berth_error *err) BERTH_MUST_USE;

/* The whole configuration as a file that reads back to the same. */
void berthd_conf_print(const struct berthd_conf *conf, FILE *to);

/* Documents generated from the table; tests compare those under config/ with them. */
void berthd_conf_print_help(FILE *to);        /* the options, as --help shows them */
void berthd_conf_print_annotated(FILE *to);   /* config/berthd.ini */
void berthd_conf_print_manual(FILE *to);      /* config/berthd.8 */
void berthd_conf_print_manual_conf(FILE *to); /* config/berthd.conf.5 */

#endif
