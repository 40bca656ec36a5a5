/* Columns of one message held against each other. */
#include <inttypes.h>
#include <stdio.h>

#include "codec/feed.h"

/* ---- Columns against each other ---- */

enum berth_code feed_check_lengths(
    const struct feed *feed, const char *of, size_t n_rows, const struct column *columns, size_t n_columns) {
  for (size_t i = 0; i < n_columns; i++) {
    const struct column *column = &columns[i];
    bool fits = column->need != EMPTY && column->n == n_rows;
    if (fits || (column->need != EXACTLY && column->n == 0)) {
      continue;
    }
    char path[BERTH_FIELD_SIZE];
    snprintf(path, sizeof path, "problem.%s", column->name);
    if (column->need == EMPTY) {
      return berth_fail(
          feed->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_COLUMN_LENGTH, BERTH_NO_INDEX, path,
          "%s has %zu entries, but clocks are in its place", path, column->n);
    }
    return berth_fail(
        feed->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_COLUMN_LENGTH, BERTH_NO_INDEX, path,
        "%s has %zu entries, but problem.%s has %zu", path, column->n, of, n_rows);
  }
  return BERTH_OK;
}

enum berth_code feed_check_ends(
    const struct feed *feed, const char *name, size_t n_ends, const uint32_t *ends, const char *of,
    size_t n_items) {
  uint32_t last = 0;
  for (size_t i = 0; i < n_ends; i++) {
    if (ends[i] < last) {
      return feed_refuse(feed, BERTH_REASON_BAD_NUMBER, name, i, "an end lies before the one in front of it");
    }
    last = ends[i];
  }
  if (last != n_items) {
    char path[BERTH_FIELD_SIZE];
    snprintf(path, sizeof path, "problem.%s", name);
    return berth_fail(
        feed->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_COLUMN_LENGTH, BERTH_NO_INDEX, path,
        "%s ends at %" PRIu32 ", but problem.%s has %zu entries", path, last, of, n_items);
  }
  return BERTH_OK;
}

enum berth_code feed_check_ids(
    const struct feed *feed, const char *end_name, size_t n_ends, const uint32_t *ends, const char *text_name,
    size_t n_bytes) {
  enum berth_code code = feed_check_ends(feed, end_name, n_ends, ends, text_name, n_bytes);
  uint64_t most = feed->codec->limits.text_bytes;
  for (size_t i = 0; code == BERTH_OK && i < n_ends; i++) {
    if (ends[i] - (i > 0 ? ends[i - 1] : 0) > most) {
      char path[BERTH_FIELD_SIZE];
      snprintf(path, sizeof path, "problem.%s[%zu]", end_name, i);
      return berth_fail(
          feed->err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, (uint32_t)i, path,
          "%s: an id is longer than the limit of %" PRIu64 " bytes", path, most);
    }
  }
  return code;
}

/* ---- Pins: a sparse pair of columns made dense ---- */

void *feed_take(const struct feed *feed, size_t n, size_t size) {
  size_t n_bytes;
  if (__builtin_mul_overflow(n, size, &n_bytes)) {
    return NULL;
  }
  return feed->allocator->resize(feed->allocator->ctx, NULL, 0, n_bytes > 0 ? n_bytes : 1);
}

void feed_give_back(const struct feed *feed, void *memory, size_t n, size_t size) {
  if (memory != NULL) {
    feed->allocator->resize(feed->allocator->ctx, memory, n > 0 ? n * size : 1, 0);
  }
}

enum berth_code feed_spread_pins(const struct feed *feed, size_t n_rows, uint64_t **out_pinned) {
  const Berth__V1__Problem *m = feed->message;
  *out_pinned = NULL;
  const struct column columns[] = {{"pin_offset", m->n_pin_offset, EXACTLY}};
  enum berth_code code = feed_check_lengths(feed, "pin_buffer", m->n_pin_buffer, columns, 1);
  if (code != BERTH_OK || m->n_pin_buffer == 0) {
    return code;
  }
  uint64_t *pinned = feed_take(feed, n_rows, sizeof *pinned);
  if (pinned == NULL) {
    return berth_fail_memory(feed->err);
  }
  for (size_t i = 0; i < n_rows; i++) {
    pinned[i] = BERTH_UNPINNED;
  }
  for (size_t i = 0; code == BERTH_OK && i < m->n_pin_buffer; i++) {
    uint32_t row = m->pin_buffer[i];
    if (row >= n_rows) {
      code = feed_refuse(feed, BERTH_REASON_UNKNOWN_ID, "pin_buffer", i, "no buffer has this index");
    } else if (pinned[row] != BERTH_UNPINNED) {
      code = feed_refuse(feed, BERTH_REASON_BAD_PIN, "pin_buffer", i, "this buffer is pinned already");
    } else if (m->pin_offset[i] == BERTH_UNPINNED) {
      code = feed_refuse(feed, BERTH_REASON_BAD_PIN, "pin_offset", i, "the offset is out of range");
    } else {
      pinned[row] = m->pin_offset[i];
    }
  }
  if (code != BERTH_OK) {
    feed_give_back(feed, pinned, n_rows, sizeof *pinned);
    return code;
  }
  *out_pinned = pinned;
  return BERTH_OK;
}

/* ---- Rows ---- */

struct berth_text feed_text(ProtobufCBinaryData text, size_t n_ends, const uint32_t *ends, size_t i) {
  if (n_ends == 0 || text.len == 0) { /* no bytes may mean no array, and there is no offset into none */
    return (struct berth_text){NULL, 0};
  }
  uint32_t begin = i > 0 ? ends[i - 1] : 0;
  return (struct berth_text){(const char *)text.data + begin, ends[i] - begin};
}

/* Unspecified is a temporary, and otherwise the numbers are the planner's plus one. */
enum berth_buffer_class feed_class(size_t n, const Berth__V1__BufferClass *column, size_t i) {
  return n == 0 || column[i] == 0 ? BERTH_CLASS_TEMPORARY : (enum berth_buffer_class)(column[i] - 1);
}
