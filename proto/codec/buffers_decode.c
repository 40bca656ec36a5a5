/* Buffers with lifetimes, gaps and pairs. */
#include <stdio.h>

#include "codec/feed.h"

static enum berth_code check_buffers(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  size_t n = m->n_buffer_size_bytes;
  const struct column columns[] = {
      {"buffer_lower", m->n_buffer_lower, m->clock_components != 0 ? EMPTY : EXACTLY},
      {"buffer_upper", m->n_buffer_upper, m->clock_components != 0 ? EMPTY : EXACTLY},
      {"buffer_alignment", m->n_buffer_alignment, EMPTY_OR},
      {"buffer_class", m->n_buffer_class, EMPTY_OR},
      {"buffer_id_end", m->n_buffer_id_end, EMPTY_OR},
      {"buffer_pool_end", m->n_buffer_pool_end, EMPTY_OR},
      {"buffer_accesses", m->n_buffer_accesses, EMPTY_OR},
  };
  enum berth_code code =
      feed_check_lengths(feed, "buffer_size_bytes", n, columns, sizeof columns / sizeof columns[0]);
  if (code == BERTH_OK) {
    code = feed_check_ids(
        feed, "buffer_id_end", m->n_buffer_id_end, m->buffer_id_end, "buffer_id_text", m->buffer_id_text.len);
  }
  if (code == BERTH_OK) {
    code = feed_check_ends(
        feed, "buffer_pool_end", m->n_buffer_pool_end, m->buffer_pool_end, "buffer_pool", m->n_buffer_pool);
  }
  return code;
}

/* A clock a buffer; their length is known to be right before they are looked at. */
static enum berth_code check_clocks(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  const struct column columns[] = {
      {"buffer_clock_upper", m->n_buffer_clock_upper, EXACTLY},
  };
  size_t n;
  if (m->clock_components > BERTH_MAX_CLOCKS) {
    return berth_fail(
        feed->err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX,
        "problem.clock_components", "problem.clock_components is %u; at most %u are allowed",
        m->clock_components, BERTH_MAX_CLOCKS);
  }
  if (__builtin_mul_overflow(m->n_buffer_size_bytes, (size_t)m->clock_components, &n) ||
      m->n_buffer_clock_lower != n) {
    return berth_fail(
        feed->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_COLUMN_LENGTH, BERTH_NO_INDEX,
        "problem.buffer_clock_lower",
        "problem.buffer_clock_lower has %zu entries, but there are %zu buffers with %u components each",
        m->n_buffer_clock_lower, m->n_buffer_size_bytes, m->clock_components);
  }
  return feed_check_lengths(feed, "buffer_clock_lower", m->n_buffer_clock_lower, columns, 1);
}

static enum berth_code check_gaps(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  size_t n = m->n_gap_buffer;
  const struct column columns[] = {
      {"gap_lower", m->n_gap_lower, EXACTLY},
      {"gap_upper", m->n_gap_upper, EXACTLY},
      {"gap_window_lower", m->n_gap_window_lower, EMPTY_OR},
      {"gap_window_upper", m->n_gap_window_upper, EMPTY_OR},
  };
  enum berth_code code =
      feed_check_lengths(feed, "gap_buffer", n, columns, sizeof columns / sizeof columns[0]);
  for (size_t i = 0; code == BERTH_OK && i < n; i++) {
    if (m->gap_buffer[i] >= m->n_buffer_size_bytes) {
      return feed_refuse(feed, BERTH_REASON_UNKNOWN_ID, "gap_buffer", i, "no buffer has this index");
    }
    if (i > 0 && m->gap_buffer[i] < m->gap_buffer[i - 1]) {
      return feed_refuse(
          feed, BERTH_REASON_BAD_GAP, "gap_buffer", i, "gaps must be in the order of their buffers");
    }
  }
  return code;
}

static void fill_gaps(const Berth__V1__Problem *m, struct berth_gap *gaps) {
  for (size_t i = 0; i < m->n_gap_buffer; i++) {
    gaps[i] = (struct berth_gap){
        .lower = m->gap_lower[i],
        .upper = m->gap_upper[i],
        .window_lower = m->n_gap_window_lower > 0 ? m->gap_window_lower[i] : 0,
        .window_upper = m->n_gap_window_upper > 0 ? m->gap_window_upper[i] : 0,
    };
  }
}

static enum berth_code add_each_buffer(
    const struct feed *feed, const uint64_t *pinned, const struct berth_gap *gaps,
    struct feed_shapes *shapes) {
  struct berth_shape shape;
  const Berth__V1__Problem *m = feed->message;
  size_t n = m->n_buffer_size_bytes;
  enum berth_code code = berth_problem_builder_reserve(feed->builder, (uint32_t)n, feed->err);
  size_t gap = 0;
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  for (size_t i = 0; code == BERTH_OK && i < n; i++) {
    spec.id = feed_text(m->buffer_id_text, m->n_buffer_id_end, m->buffer_id_end, i);
    spec.size_bytes = m->buffer_size_bytes[i];
    spec.shape = feed_shape(feed, shapes, BERTH_SIZED_SIZE, i, &shape);
    spec.alignment = m->n_buffer_alignment > 0 ? m->buffer_alignment[i] : 1;
    if (m->clock_components == 0) {
      spec.lower = m->buffer_lower[i];
      spec.upper = m->buffer_upper[i];
    } else {
      spec.n_clocks = m->clock_components;
      spec.clock_lower = m->buffer_clock_lower + i * m->clock_components;
      spec.clock_upper = m->buffer_clock_upper + i * m->clock_components;
    }
    spec.class_ = feed_class(m->n_buffer_class, m->buffer_class, i);
    spec.pinned_offset = pinned != NULL ? pinned[i] : BERTH_UNPINNED;
    if (m->n_buffer_pool_end > 0) {
      uint32_t begin = i > 0 ? m->buffer_pool_end[i - 1] : 0;
      spec.n_pools = m->buffer_pool_end[i] - begin;
      spec.pools = spec.n_pools > 0 ? m->buffer_pool + begin : NULL;
    }
    spec.accesses = m->n_buffer_accesses > 0 ? m->buffer_accesses[i] : 1;
    size_t first_gap = gap;
    while (gap < m->n_gap_buffer && m->gap_buffer[gap] == i) {
      gap++;
    }
    spec.n_gaps = (uint32_t)(gap - first_gap);
    spec.gaps = spec.n_gaps > 0 ? gaps + first_gap : NULL;
    uint32_t index;
    code = berth_problem_builder_add_buffer(feed->builder, &spec, &index, feed->err);
  }
  return code == BERTH_OK ? code : feed_blame(feed, code);
}

static enum berth_code add_conflicts(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  const struct column columns[] = {{"conflict_b", m->n_conflict_b, EXACTLY}};
  enum berth_code code = feed_check_lengths(feed, "conflict_a", m->n_conflict_a, columns, 1);
  for (size_t i = 0; code == BERTH_OK && i < m->n_conflict_a; i++) {
    uint32_t a = m->conflict_a[i];
    uint32_t b = m->conflict_b[i];
    if (a >= m->n_buffer_size_bytes) {
      return feed_refuse(feed, BERTH_REASON_UNKNOWN_ID, "conflict_a", i, "no buffer has this index");
    }
    if (b >= m->n_buffer_size_bytes) {
      return feed_refuse(feed, BERTH_REASON_UNKNOWN_ID, "conflict_b", i, "no buffer has this index");
    }
    code = berth_problem_builder_add_conflict(feed->builder, a, b, feed->err);
    if (code != BERTH_OK && feed->err != NULL) {
      snprintf(feed->err->field, sizeof feed->err->field, "problem.conflict_b[%zu]", i);
    }
  }
  return code;
}

enum berth_code feed_buffers(const struct feed *feed, struct feed_shapes *shapes) {
  size_t n = feed->message->n_buffer_size_bytes;
  size_t n_gaps = feed->message->n_gap_buffer;
  uint64_t *pinned = NULL;
  struct berth_gap *gaps = NULL;
  enum berth_code code = check_buffers(feed);
  if (code == BERTH_OK) {
    code = check_clocks(feed);
  }
  if (code == BERTH_OK) {
    code = check_gaps(feed);
  }
  if (code == BERTH_OK) {
    code = feed_spread_pins(feed, n, &pinned);
  }
  if (code == BERTH_OK && n_gaps > 0) {
    gaps = feed_take(feed, n_gaps, sizeof *gaps);
    if (gaps == NULL) {
      code = berth_fail_memory(feed->err);
    } else {
      fill_gaps(feed->message, gaps);
    }
  }
  if (code == BERTH_OK) {
    code = add_each_buffer(feed, pinned, gaps, shapes);
  }
  if (code == BERTH_OK) {
    code = add_conflicts(feed);
  }
  feed_give_back(feed, gaps, n_gaps, sizeof *gaps);
  feed_give_back(feed, pinned, n, sizeof *pinned);
  return code;
}
