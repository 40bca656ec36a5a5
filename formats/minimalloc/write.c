#include <string.h>

#include "minimalloc/minimalloc.h"

struct shape {
  bool has_alignment;
  bool has_gaps;
  bool has_offset;
};

static struct shape find_shape(const struct berth_buffers *buffers, const struct berth_plan *plan) {
  struct shape shape = {
      .has_gaps = buffers->gap_begin != NULL && buffers->gap_begin[buffers->n] != 0,
      .has_offset = (plan != NULL && plan->offset != NULL) || buffers->pinned_offset != NULL};
  for (uint32_t i = 0; i < buffers->n && !shape.has_alignment; i++) {
    shape.has_alignment = buffers->alignment[i] != 1;
  }
  return shape;
}

static bool needs_quotes(struct berth_text text) {
  if (text.size == 0) {
    return false;
  }
  return text.data[0] == '"' || memchr(text.data, ',', text.size) != NULL ||
         memchr(text.data, '\n', text.size) != NULL || memchr(text.data, '\r', text.size) != NULL;
}

static void write_id(struct berth_writer *writer, struct berth_text id) {
  if (!needs_quotes(id)) {
    berth_writer_bytes(writer, id.data, id.size);
    return;
  }
  berth_writer_char(writer, '"');
  for (uint32_t i = 0; i < id.size; i++) {
    if (id.data[i] == '"') {
      berth_writer_char(writer, '"');
    }
    berth_writer_char(writer, id.data[i]);
  }
  berth_writer_char(writer, '"');
}

static void write_gaps(struct berth_writer *writer, const struct berth_buffers *buffers, uint32_t buffer) {
  for (uint32_t i = buffers->gap_begin[buffer]; i < buffers->gap_begin[buffer + 1]; i++) {
    const struct berth_gap *gap = &buffers->gaps[i];
    if (i != buffers->gap_begin[buffer]) {
      berth_writer_char(writer, ' ');
    }
    berth_writer_i64(writer, gap->lower);
    berth_writer_char(writer, '-');
    berth_writer_i64(writer, gap->upper);
    if (gap->window_lower != 0 || gap->window_upper != 0) {
      berth_writer_char(writer, '@');
      berth_writer_u64(writer, gap->window_lower);
      berth_writer_char(writer, ':');
      berth_writer_u64(writer, gap->window_upper);
    }
  }
}

/* A step, or a clock. A clock of one component is a step. */
static void write_time(
    struct berth_writer *writer, const struct berth_buffers *buffers, uint32_t buffer, const int64_t *step,
    const uint32_t *clock) {
  if (buffers->n_clocks == 0) {
    berth_writer_i64(writer, step[buffer]);
    return;
  }
  for (size_t c = 0; c < buffers->n_clocks; c++) {
    if (c != 0) {
      berth_writer_char(writer, ':');
    }
    berth_writer_u64(writer, clock[buffer * buffers->n_clocks + c]);
  }
}

static uint64_t
offset_of(const struct berth_buffers *buffers, const struct berth_plan *plan, uint32_t buffer) {
  if (plan != NULL && plan->offset != NULL) {
    return plan->offset[buffer];
  }
  return buffers->pinned_offset[buffer];
}

static void write_row(
    struct berth_writer *writer, const struct berth_problem *problem, const struct berth_plan *plan,
    const struct shape *shape, uint32_t buffer) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  write_id(writer, berth_problem_buffer_id(problem, buffer));
  berth_writer_char(writer, ',');
  write_time(writer, buffers, buffer, buffers->lower, buffers->clock_lower);
  berth_writer_char(writer, ',');
  write_time(writer, buffers, buffer, buffers->upper, buffers->clock_upper);
  berth_writer_char(writer, ',');
  berth_writer_u64(writer, buffers->size_bytes[buffer]);
  if (shape->has_alignment) {
    berth_writer_char(writer, ',');
    berth_writer_u64(writer, buffers->alignment[buffer]);
  }
  if (shape->has_gaps) {
    berth_writer_char(writer, ',');
    write_gaps(writer, buffers, buffer);
  }
  if (shape->has_offset) {
    berth_writer_char(writer, ',');
    uint64_t offset = offset_of(buffers, plan, buffer);
    if (offset != BERTH_NO_OFFSET) {
      berth_writer_u64(writer, offset);
    }
  }
  berth_writer_char(writer, '\n');
}

_Static_assert(BERTH_NO_OFFSET == BERTH_UNPINNED, "one value says that there is no offset");

enum berth_code berth_minimalloc_write(
    const struct berth_problem *problem, const struct berth_plan *plan, struct berth_sink sink,
    struct berth_error *err) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  bool has_gaps = buffers->gap_begin != NULL && buffers->gap_begin[buffers->n] != 0;
  if (berth_problem_pools(problem)->n > 1 || buffers->n_conflicts != 0 ||
      ((has_gaps || buffers->slice_begin != NULL) && buffers->n_clocks != 0)) {
    return berth_fail(
        err, BERTH_FAILED_PRECONDITION, BERTH_REASON_BAD_POOL, BERTH_NO_INDEX, NULL,
        "MiniMalloc's CSV can only say one pool, no pairs that must not share, and no gaps beside clocks; "
        "JSON can say this plan");
  }
  struct shape shape = find_shape(buffers, plan);
  struct berth_writer writer;
  berth_writer_init(&writer, sink);
  berth_writer_text(&writer, "id,lower,upper,size");
  berth_writer_text(&writer, shape.has_alignment ? ",alignment" : "");
  berth_writer_text(&writer, shape.has_gaps ? ",gaps" : "");
  berth_writer_text(&writer, shape.has_offset ? ",offset\n" : "\n");
  for (uint32_t i = 0; i < buffers->n && !writer.failed; i++) {
    write_row(&writer, problem, plan, &shape, i);
  }
  return berth_writer_finish(&writer, err);
}
