/* Structured log lines to standard error, where journald or a container's log reads them. One line an event:
 *
 *   BERTHD_LOG(INFO, "plan.done", BERTHD_STR("plan_id", id), BERTHD_U64("ticks", n), BERTHD_F64("seconds",
 * s));
 *
 * as {"time":"...","level":"info","event":"plan.done","plan_id":...} or, for people, as logfmt. Values are
 * escaped and cut: text from requests can neither end a line nor forge a field. An event that repeats is rate
 * limited (by its name), and the next line that passes tells how many were left out. */
#ifndef LOG_LOG_H
#define LOG_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BERTHD_LOG_LEVELS(X)                                                                                 \
  X(DEBUG, "debug", 7)                                                                                       \
  X(INFO, "info", 6)                                                                                         \
  X(WARN, "warn", 4)                                                                                         \
  X(ERROR, "error", 3)

enum berthd_log_level {
#define X(name, word, priority) BERTHD_LOG_##name,
  BERTHD_LOG_LEVELS(X)
#undef X
      BERTHD_N_LOG_LEVELS
};

enum berthd_log_format {
  BERTHD_LOG_TEXT = 0, /* logfmt */
  BERTHD_LOG_JSON,
};

enum berthd_log_type { BERTHD_LOG_STR, BERTHD_LOG_U64, BERTHD_LOG_I64, BERTHD_LOG_F64, BERTHD_LOG_BOOL };

struct berthd_log_field {
  const char *key; /* a literal: [a-z_]+ */
  enum berthd_log_type type;
  union {
    const char *str; /* NULL leaves the field out */
    uint64_t u64;
    int64_t i64;
    double f64;
    bool flag;
  } value;
};

#define BERTHD_STR(key_, v) ((struct berthd_log_field){(key_), BERTHD_LOG_STR, {.str = (v)}})
#define BERTHD_U64(key_, v) ((struct berthd_log_field){(key_), BERTHD_LOG_U64, {.u64 = (v)}})
#define BERTHD_I64(key_, v) ((struct berthd_log_field){(key_), BERTHD_LOG_I64, {.i64 = (v)}})
#define BERTHD_F64(key_, v) ((struct berthd_log_field){(key_), BERTHD_LOG_F64, {.f64 = (v)}})
#define BERTHD_BOOL(key_, v) ((struct berthd_log_field){(key_), BERTHD_LOG_BOOL, {.flag = (v)}})

#define BERTHD_LOG(level, event, ...)                                                                        \
  do {                                                                                                       \
    if (berthd_log_is_on(BERTHD_LOG_##level)) {                                                              \
      const struct berthd_log_field berthd_log_fields[] = {__VA_ARGS__};                                     \
      berthd_log_write(                                                                                      \
          BERTHD_LOG_##level, (event), berthd_log_fields,                                                    \
          sizeof berthd_log_fields / sizeof berthd_log_fields[0]);                                           \
    }                                                                                                        \
  } while (0)

/* The process has one log. Before init: level info, text, standard error. `fd` is not owned. Any thread may
 * write; a line is one write(2). With `journal`, lines begin with the "<6>" prefix that journald reads. */
void berthd_log_init(int fd, enum berthd_log_level level, enum berthd_log_format format, bool journal);
void berthd_log_set_level(enum berthd_log_level level);
/* Lines of one event name a second before the rest is left out; 0: no limit. Errors are never left out. */
void berthd_log_set_rate(uint32_t lines_per_second);
/* Lines left out so far. */
uint64_t berthd_log_n_dropped(void);
const char *berthd_log_level_name(enum berthd_log_level level);
bool berthd_log_is_on(enum berthd_log_level level);
void berthd_log_write(
    enum berthd_log_level level, const char *event, const struct berthd_log_field *fields, size_t n_fields);

#endif
