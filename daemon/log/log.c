#include "log/log.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "log/line.h"

#define N_BUCKETS 64 /* of event names; two that meet share their rate */

/* Lines of one event name in the current second. */
struct bucket {
  atomic_int_least64_t second;
  atomic_uint_least32_t n_lines;
  atomic_uint_least32_t n_left_out;
};

static struct {
  atomic_int fd; /* all of these may change while others write: the configuration is read again */
  atomic_int level;
  atomic_int format;
  atomic_bool journal;
  atomic_uint_least32_t rate;
  atomic_uint_least64_t n_dropped;
  struct bucket buckets[N_BUCKETS];
} the_log = {.fd = STDERR_FILENO, .level = BERTHD_LOG_INFO, .rate = 50};

static const char *const LEVEL_WORDS[] = {
#define X(name, word, priority) word,
    BERTHD_LOG_LEVELS(X)
#undef X
};

static const int LEVEL_PRIORITIES[] = {
#define X(name, word, priority) priority,
    BERTHD_LOG_LEVELS(X)
#undef X
};

const char *berthd_log_level_name(enum berthd_log_level level) {
  return (unsigned)level < BERTHD_N_LOG_LEVELS ? LEVEL_WORDS[level] : "?";
}

void berthd_log_init(int fd, enum berthd_log_level level, enum berthd_log_format format, bool journal) {
  atomic_store(&the_log.fd, fd);
  atomic_store(&the_log.format, (int)format);
  atomic_store(&the_log.journal, journal);
  atomic_store(&the_log.level, (int)level);
}

void berthd_log_set_level(enum berthd_log_level level) {
  atomic_store(&the_log.level, (int)level);
}

void berthd_log_set_rate(uint32_t lines_per_second) {
  atomic_store(&the_log.rate, lines_per_second);
}

uint64_t berthd_log_n_dropped(void) {
  return atomic_load(&the_log.n_dropped);
}

bool berthd_log_is_on(enum berthd_log_level level) {
  return (int)level >= atomic_load_explicit(&the_log.level, memory_order_relaxed);
}

static struct bucket *bucket_of(const char *event) {
  uint32_t hash = 2166136261u; /* FNV-1a */
  for (; *event != '\0'; event++) {
    hash = (hash ^ (unsigned char)*event) * 16777619u;
  }
  return &the_log.buckets[hash % N_BUCKETS];
}

/* False when the line is left out. *out_left_out: lines left out before this one. */
static bool
is_within_rate(const char *event, enum berthd_log_level level, int64_t second, uint32_t *out_left_out) {
  struct bucket *bucket = bucket_of(event);
  uint32_t rate = atomic_load_explicit(&the_log.rate, memory_order_relaxed);
  int64_t seen = atomic_load(&bucket->second);
  if (seen != second && atomic_compare_exchange_strong(&bucket->second, &seen, second)) {
    atomic_store(&bucket->n_lines, 0);
  }
  *out_left_out = 0;
  if (rate != 0 && atomic_fetch_add(&bucket->n_lines, 1) >= rate && level != BERTHD_LOG_ERROR) {
    atomic_fetch_add(&bucket->n_left_out, 1);
    atomic_fetch_add(&the_log.n_dropped, 1);
    return false;
  }
  *out_left_out = atomic_exchange(&bucket->n_left_out, 0);
  return true;
}

static void format_time(const struct timespec *now, char out_text[40]) {
  struct tm parts;
  gmtime_r(&now->tv_sec, &parts);
  size_t n = strftime(out_text, 40, "%Y-%m-%dT%H:%M:%S", &parts);
  snprintf(out_text + n, 40 - n, ".%06ldZ", now->tv_nsec / 1000);
}

/* A line that cannot be written is lost: the log never blocks the work for long and never fails it. */
static void write_all(const char *bytes, size_t n) {
  int fd = atomic_load(&the_log.fd);
  while (n > 0) {
    ssize_t n_written = write(fd, bytes, n);
    if (n_written < 0 && errno == EINTR) {
      continue;
    }
    if (n_written <= 0) {
      return;
    }
    bytes += n_written;
    n -= (size_t)n_written;
  }
}

void berthd_log_write(
    enum berthd_log_level level, const char *event, const struct berthd_log_field *fields, size_t n_fields) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint32_t n_left_out;
  if (!is_within_rate(event, level, now.tv_sec, &n_left_out)) {
    return;
  }
  char time_text[40];
  format_time(&now, time_text);
  bool journal = atomic_load(&the_log.journal);
  char prefix[8] = "";
  if (journal) {
    snprintf(prefix, sizeof prefix, "<%d>", LEVEL_PRIORITIES[level]);
  }
  struct berthd_log_line line;
  berthd_log_line_begin(&line, (enum berthd_log_format)atomic_load(&the_log.format));
  const struct berthd_log_field head[] = {
      BERTHD_STR("time", journal ? NULL : time_text), /* the journal has its own */
      BERTHD_STR("level", LEVEL_WORDS[level]),
      BERTHD_STR("event", event),
  };
  for (size_t i = 0; i < sizeof head / sizeof head[0]; i++) {
    berthd_log_line_add(&line, &head[i]);
  }
  for (size_t i = 0; i < n_fields; i++) {
    berthd_log_line_add(&line, &fields[i]);
  }
  if (n_left_out > 0) {
    berthd_log_line_add(&line, &BERTHD_U64("n_left_out", n_left_out));
  }
  berthd_log_line_end(&line);
  size_t n_prefix = strlen(prefix);
  memmove(line.text + n_prefix, line.text, line.n);
  memcpy(line.text, prefix, n_prefix);
  write_all(line.text, line.n + n_prefix);
}
