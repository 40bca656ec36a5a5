/* Problem -> message. Columns that the problem holds in the same shape are lent; the others are made here. A
 * column that would say nothing is left out. */
#include <string.h>

#include "berth/together.h"
#include "codec/internal.h"

/* A composition has as many as its parts have together. */
struct berth_codec_columns {
  const struct berth_allocator *allocator;
  size_t n;
  size_t capacity;
  struct item {
    void *memory;
    size_t n_bytes;
  } * items;
};

enum { FIRST_COLUMNS = 128 };

static bool make_room(struct berth_codec_columns *columns) {
  if (columns->n < columns->capacity) {
    return true;
  }
  size_t capacity = columns->capacity != 0 ? 2 * columns->capacity : FIRST_COLUMNS;
  struct item *items = columns->allocator->resize(
      columns->allocator->ctx, columns->items, columns->capacity * sizeof *items, capacity * sizeof *items);
  if (items == NULL) {
    return false;
  }
  columns->items = items;
  columns->capacity = capacity;
  return true;
}

static struct berth_codec_columns *create_columns(const struct berth_allocator *allocator) {
  const struct berth_allocator *from = allocator != NULL ? allocator : berth_allocator_libc();
  struct berth_codec_columns *columns = from->resize(from->ctx, NULL, 0, sizeof *columns);
  if (columns != NULL) {
    *columns = (struct berth_codec_columns){.allocator = from};
  }
  return columns;
}

void *berth_codec_column(struct berth_codec_columns *columns, size_t n, size_t size) {
  size_t n_bytes;
  if (__builtin_mul_overflow(n, size, &n_bytes) || !make_room(columns)) {
    return NULL;
  }
  n_bytes += n_bytes == 0;
  void *memory = columns->allocator->resize(columns->allocator->ctx, NULL, 0, n_bytes);
  if (memory != NULL) {
    columns->items[columns->n].memory = memory;
    columns->items[columns->n].n_bytes = n_bytes;
    columns->n++;
  }
  return memory;
}

static void *column(struct berth_codec_columns *columns, size_t n, size_t size) {
  return berth_codec_column(columns, n, size);
}

void berth_codec_columns_destroy(struct berth_codec_columns *columns) {
  if (columns == NULL) {
    return;
  }
  const struct berth_allocator *allocator = columns->allocator;
  for (size_t i = 0; i < columns->n; i++) {
    allocator->resize(allocator->ctx, columns->items[i].memory, columns->items[i].n_bytes, 0);
  }
  if (columns->items != NULL) {
    allocator->resize(allocator->ctx, columns->items, columns->capacity * sizeof *columns->items, 0);
  }
  allocator->resize(allocator->ctx, columns, sizeof *columns, 0);
}

static bool any_not(const uint64_t *column, size_t n, uint64_t dull) {
  for (size_t i = 0; i < n; i++) {
    if (column[i] != dull) {
      return true;
    }
  }
  return false;
}

/* ---- Ids ---- */

typedef struct berth_text (*text_of)(const struct berth_problem *problem, uint32_t i);

static struct berth_text value_id(const struct berth_problem *problem, uint32_t i) {
  return berth_problem_value_id(problem, i);
}

/* Leaves all three outputs empty where nothing has an id. */
static bool put_ids(
    struct berth_codec_columns *columns, const struct berth_problem *problem, text_of text, uint32_t n,
    ProtobufCBinaryData *out_text, size_t *out_n_ends, uint32_t **out_ends) {
  size_t n_bytes = 0;
  for (uint32_t i = 0; i < n; i++) {
    n_bytes += text(problem, i).size;
  }
  if (n_bytes == 0) {
    return true;
  }
  uint8_t *bytes = n_bytes <= UINT32_MAX ? column(columns, n_bytes, 1) : NULL;
  uint32_t *ends = column(columns, n, sizeof *ends);
  if (bytes == NULL || ends == NULL) {
    return false;
  }
  size_t at = 0;
  for (uint32_t i = 0; i < n; i++) {
    struct berth_text id = text(problem, i);
    if (id.size > 0) {
      memcpy(bytes + at, id.data, id.size);
    }
    at += id.size;
    ends[i] = (uint32_t)at;
  }
  *out_text = (ProtobufCBinaryData){.len = n_bytes, .data = bytes};
  *out_n_ends = n;
  *out_ends = ends;
  return true;
}

/* ---- Pools ---- */

static bool
put_pools(struct berth_codec_columns *columns, const struct berth_problem *problem, Berth__V1__Problem *out) {
  const struct berth_pools *pools = berth_problem_pools(problem);
  Berth__V1__Pool *messages = column(columns, pools->n, sizeof *messages);
  Berth__V1__Pool **list = column(columns, pools->n, sizeof(Berth__V1__Pool *));
  size_t n_text = 0;
  for (uint32_t i = 0; i < pools->n; i++) {
    n_text += (size_t)pools->items[i].name.size + 1;
  }
  char *name = column(columns, n_text, 1);
  if (messages == NULL || list == NULL || name == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < pools->n; i++) {
    const struct berth_pool_spec *spec = &pools->items[i];
    if (spec->name.size > 0) {
      memcpy(name, spec->name.data, spec->name.size);
    }
    name[spec->name.size] = '\0';
    berth__v1__pool__init(&messages[i]);
    messages[i].name = name;
    messages[i].capacity_bytes = spec->capacity_bytes == BERTH_UNLIMITED ? 0 : spec->capacity_bytes;
    messages[i].max_block_bytes = spec->max_block_bytes == BERTH_UNLIMITED ? 0 : spec->max_block_bytes;
    messages[i].alignment = spec->alignment;
    messages[i].kind = spec->kind == BERTH_POOL_SLOTS ? BERTH__V1__POOL_KIND__POOL_KIND_SLOTS
                                                      : BERTH__V1__POOL_KIND__POOL_KIND_BYTES;
    messages[i].base_alignment = spec->base_alignment;
    messages[i].cost_per_byte = spec->cost_per_byte;
    messages[i].n_spill_to = spec->n_spill_to;
    messages[i].spill_to = UNCONST(uint32_t, spec->spill_to);
    messages[i].persistence = spec->persistence != BERTH_PERSISTENCE_MIXED
                                  ? (Berth__V1__Persistence)(spec->persistence + 1)
                                  : BERTH__V1__PERSISTENCE__PERSISTENCE_UNSPECIFIED;
    list[i] = &messages[i];
    name += (size_t)spec->name.size + 1;
  }
  out->n_pools = pools->n;
  out->pools = list;
  return true;
}

/* ---- Buffers ---- */

static bool put_classes(
    struct berth_codec_columns *columns, const struct berth_buffers *buffers, Berth__V1__Problem *out) {
  bool dull = true;
  for (uint32_t i = 0; i < buffers->n && dull; i++) {
    dull = buffers->class_[i] == BERTH_CLASS_TEMPORARY;
  }
  if (dull) {
    return true;
  }
  Berth__V1__BufferClass *classes = column(columns, buffers->n, sizeof *classes);
  for (uint32_t i = 0; classes != NULL && i < buffers->n; i++) {
    classes[i] = (Berth__V1__BufferClass)(buffers->class_[i] + 1);
  }
  out->n_buffer_class = buffers->n;
  out->buffer_class = classes;
  return classes != NULL;
}

static bool
put_pins(struct berth_codec_columns *columns, uint32_t n, const uint64_t *pinned, Berth__V1__Problem *out) {
  size_t n_pins = 0;
  for (uint32_t i = 0; pinned != NULL && i < n; i++) {
    n_pins += pinned[i] != BERTH_UNPINNED;
  }
  if (n_pins == 0) {
    return true;
  }
  uint32_t *rows = column(columns, n_pins, sizeof *rows);
  uint64_t *offsets = column(columns, n_pins, sizeof *offsets);
  if (rows == NULL || offsets == NULL) {
    return false;
  }
  size_t at = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (pinned[i] != BERTH_UNPINNED) {
      rows[at] = i;
      offsets[at++] = pinned[i];
    }
  }
  out->n_pin_buffer = out->n_pin_offset = n_pins;
  out->pin_buffer = rows;
  out->pin_offset = offsets;
  return true;
}

static bool
put_gaps(struct berth_codec_columns *columns, const struct berth_buffers *buffers, Berth__V1__Problem *out) {
  uint32_t n = buffers->gap_begin != NULL ? buffers->gap_begin[buffers->n] : 0;
  if (n == 0) {
    return true;
  }
  out->gap_buffer = column(columns, n, sizeof *out->gap_buffer);
  out->gap_lower = column(columns, n, sizeof *out->gap_lower);
  out->gap_upper = column(columns, n, sizeof *out->gap_upper);
  out->gap_window_lower = column(columns, n, sizeof *out->gap_window_lower);
  out->gap_window_upper = column(columns, n, sizeof *out->gap_window_upper);
  if (out->gap_buffer == NULL || out->gap_lower == NULL || out->gap_upper == NULL ||
      out->gap_window_lower == NULL || out->gap_window_upper == NULL) {
    return false;
  }
  bool windows = false;
  for (uint32_t buffer = 0; buffer < buffers->n; buffer++) {
    for (uint32_t i = buffers->gap_begin[buffer]; i < buffers->gap_begin[buffer + 1]; i++) {
      const struct berth_gap *gap = &buffers->gaps[i];
      out->gap_buffer[i] = buffer;
      out->gap_lower[i] = gap->lower;
      out->gap_upper[i] = gap->upper;
      out->gap_window_lower[i] = gap->window_lower;
      out->gap_window_upper[i] = gap->window_upper;
      windows |= gap->window_lower != 0 || gap->window_upper != 0;
    }
  }
  out->n_gap_buffer = out->n_gap_lower = out->n_gap_upper = n;
  out->n_gap_window_lower = out->n_gap_window_upper = windows ? n : 0;
  return true;
}

static bool put_conflicts(
    struct berth_codec_columns *columns, const struct berth_buffers *buffers, Berth__V1__Problem *out) {
  uint32_t n = buffers->n_conflicts;
  if (n == 0) {
    return true;
  }
  out->conflict_a = column(columns, n, sizeof *out->conflict_a);
  out->conflict_b = column(columns, n, sizeof *out->conflict_b);
  if (out->conflict_a == NULL || out->conflict_b == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    out->conflict_a[i] = buffers->conflicts[i][0];
    out->conflict_b[i] = buffers->conflicts[i][1];
  }
  out->n_conflict_a = out->n_conflict_b = n;
  return true;
}

static bool put_buffers(
    struct berth_codec_columns *columns, const struct berth_problem *problem, Berth__V1__Problem *out) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  out->n_buffer_size_bytes = buffers->n;
  out->buffer_size_bytes = UNCONST(uint64_t, buffers->size_bytes);
  if (buffers->n_clocks != 0) {
    out->clock_components = buffers->n_clocks;
    out->n_buffer_clock_lower = out->n_buffer_clock_upper = (size_t)buffers->n * buffers->n_clocks;
    out->buffer_clock_lower = UNCONST(uint32_t, buffers->clock_lower);
    out->buffer_clock_upper = UNCONST(uint32_t, buffers->clock_upper);
  } else {
    out->n_buffer_lower = out->n_buffer_upper = buffers->n;
    out->buffer_lower = UNCONST(int64_t, buffers->lower);
    out->buffer_upper = UNCONST(int64_t, buffers->upper);
  }
  if (any_not(buffers->alignment, buffers->n, 1)) {
    out->n_buffer_alignment = buffers->n;
    out->buffer_alignment = UNCONST(uint64_t, buffers->alignment);
  }
  if (buffers->accesses != NULL) {
    out->n_buffer_accesses = buffers->n;
    out->buffer_accesses = UNCONST(uint32_t, buffers->accesses);
  }
  if (buffers->pool_begin != NULL) {
    out->n_buffer_pool_end = buffers->n;
    out->buffer_pool_end = UNCONST(uint32_t, buffers->pool_begin + 1);
    out->n_buffer_pool = buffers->pool_begin[buffers->n];
    out->buffer_pool = UNCONST(uint32_t, buffers->pools);
  }
  return put_classes(columns, buffers, out) &&
         put_ids(
             columns, problem, berth_problem_buffer_id, buffers->n, &out->buffer_id_text,
             &out->n_buffer_id_end, &out->buffer_id_end) &&
         put_pins(columns, buffers->n, buffers->pinned_offset, out) && put_gaps(columns, buffers, out) &&
         put_conflicts(columns, buffers, out);
}

/* ---- Groups ---- */

static bool
put_groups(struct berth_codec_columns *columns, const struct berth_groups *groups, Berth__V1__Problem *out) {
  size_t n_members = 0;
  for (uint32_t g = 0; g < groups->n; g++) {
    n_members += groups->items[g].n_members;
  }
  if (groups->n == 0) {
    return true;
  }
  out->group_kind = column(columns, groups->n, sizeof *out->group_kind);
  out->group_member_end = column(columns, groups->n, sizeof *out->group_member_end);
  out->group_member = column(columns, n_members, sizeof *out->group_member);
  if (out->group_kind == NULL || out->group_member_end == NULL || out->group_member == NULL) {
    return false;
  }
  for (uint32_t g = 0; g < groups->n; g++) {
    const struct berth_group_spec *spec = &groups->items[g];
    out->group_kind[g] = (Berth__V1__GroupKind)(spec->kind + 1);
    memcpy(out->group_member + out->n_group_member, spec->members, spec->n_members * sizeof *spec->members);
    out->n_group_member += spec->n_members;
    out->group_member_end[g] = (uint32_t)out->n_group_member;
  }
  out->n_group_kind = out->n_group_member_end = groups->n;
  return true;
}

/* ---- Graph ---- */

static bool put_value_pools(
    struct berth_codec_columns *columns, const struct berth_problem *problem, Berth__V1__Problem *out) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  size_t n_pools = 0;
  for (uint32_t i = 0; i < graph->n_values; i++) {
    n_pools += berth_problem_value(problem, i).n_pools;
  }
  if (n_pools == 0) {
    return true;
  }
  out->value_pool_end = column(columns, graph->n_values, sizeof *out->value_pool_end);
  out->value_pool = column(columns, n_pools, sizeof *out->value_pool);
  if (out->value_pool_end == NULL || out->value_pool == NULL) {
    return false;
  }
  size_t at = 0;
  for (uint32_t i = 0; i < graph->n_values; i++) {
    struct berth_value_spec value = berth_problem_value(problem, i);
    for (uint32_t j = 0; j < value.n_pools; j++) {
      out->value_pool[at++] = value.pools[j];
    }
    out->value_pool_end[i] = (uint32_t)at;
  }
  out->n_value_pool_end = graph->n_values;
  out->n_value_pool = n_pools;
  return true;
}

static bool put_views(
    struct berth_codec_columns *columns, const struct berth_problem *problem, size_t n_views,
    Berth__V1__Problem *out) {
  if (n_views == 0) {
    return true;
  }
  out->view_value = column(columns, n_views, sizeof *out->view_value);
  out->view_of = column(columns, n_views, sizeof *out->view_of);
  out->view_offset = column(columns, n_views, sizeof *out->view_offset);
  if (out->view_value == NULL || out->view_of == NULL || out->view_offset == NULL) {
    return false;
  }
  uint32_t n_values = berth_problem_graph(problem)->n_values;
  size_t at = 0;
  for (uint32_t i = 0; i < n_values; i++) {
    struct berth_value_spec value = berth_problem_value(problem, i);
    if (value.view_of != BERTH_NO_INDEX) {
      out->view_value[at] = i;
      out->view_of[at] = value.view_of;
      out->view_offset[at++] = value.view_offset;
    }
  }
  out->n_view_value = out->n_view_of = out->n_view_offset = n_views;
  return true;
}

static bool put_values(
    struct berth_codec_columns *columns, const struct berth_problem *problem, Berth__V1__Problem *out) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  uint32_t n = graph->n_values;
  out->value_size_bytes = column(columns, n, sizeof *out->value_size_bytes);
  out->value_alignment = column(columns, n, sizeof *out->value_alignment);
  out->value_class = column(columns, n, sizeof *out->value_class);
  out->value_held = column(columns, n, sizeof *out->value_held);
  out->value_external = column(columns, n, sizeof *out->value_external);
  out->value_accumulated = column(columns, n, sizeof *out->value_accumulated);
  out->value_donation = column(columns, n, sizeof *out->value_donation);
  out->value_live_windows = column(columns, n, sizeof *out->value_live_windows);
  out->value_accesses = column(columns, n, sizeof *out->value_accesses);
  uint64_t *pinned = column(columns, n, sizeof *pinned);
  if (out->value_accesses == NULL || out->value_size_bytes == NULL || out->value_alignment == NULL ||
      out->value_class == NULL || out->value_held == NULL || out->value_external == NULL ||
      out->value_accumulated == NULL || out->value_donation == NULL || out->value_live_windows == NULL ||
      pinned == NULL) {
    return false;
  }
  bool held = false;
  bool external = false;
  bool accumulated = false;
  bool donation = false;
  bool live_windows = false;
  bool accesses = false;
  size_t n_views = 0;
  for (uint32_t i = 0; i < n; i++) {
    struct berth_value_spec value = berth_problem_value(problem, i);
    out->value_size_bytes[i] = value.size_bytes;
    out->value_alignment[i] = value.alignment;
    out->value_class[i] = (Berth__V1__BufferClass)(value.class_ + 1);
    out->value_held[i] = value.held;
    out->value_external[i] = value.external;
    out->value_accumulated[i] = value.accumulated;
    out->value_donation[i] = (Berth__V1__Donation)value.donation;
    pinned[i] = value.pinned_offset;
    n_views += value.view_of != BERTH_NO_INDEX;
    held |= value.held;
    external |= value.external;
    accumulated |= value.accumulated;
    out->value_accesses[i] = value.accesses;
    accesses |= value.accesses != 1;
    donation |= value.donation != BERTH_DONATION_NONE;
    out->value_live_windows[i] = value.live_windows;
    live_windows |= value.live_windows;
  }
  out->n_value_size_bytes = out->n_value_class = n;
  out->n_value_alignment = any_not(out->value_alignment, n, 1) ? n : 0;
  out->n_value_held = held ? n : 0;
  out->n_value_external = external ? n : 0;
  out->n_value_accumulated = accumulated ? n : 0;
  out->n_value_donation = donation ? n : 0;
  out->n_value_live_windows = live_windows ? n : 0;
  out->n_value_accesses = accesses ? n : 0;
  return put_ids(
             columns, problem, value_id, n, &out->value_id_text, &out->n_value_id_end, &out->value_id_end) &&
         put_pins(columns, n, pinned, out) && put_value_pools(columns, problem, out) &&
         put_views(columns, problem, n_views, out);
}

/* By its place in a list of values; the first, if it is there twice. */
static uint32_t place_of(const uint32_t *values, uint32_t begin, uint32_t end, uint32_t value) {
  uint32_t at = begin;
  while (at < end && values[at] != value) {
    at++;
  }
  return at - begin;
}

static bool put_inplace(
    struct berth_codec_columns *columns, const struct berth_problem *problem, Berth__V1__Problem *out) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  uint32_t n = permissions->n;
  if (n == 0) {
    return true;
  }
  out->inplace_operator = column(columns, n, sizeof *out->inplace_operator);
  out->inplace_input = column(columns, n, sizeof *out->inplace_input);
  out->inplace_output = column(columns, n, sizeof *out->inplace_output);
  out->inplace_kind = column(columns, n, sizeof *out->inplace_kind);
  out->inplace_bytes = column(columns, n, sizeof *out->inplace_bytes);
  if (out->inplace_operator == NULL || out->inplace_input == NULL || out->inplace_output == NULL ||
      out->inplace_kind == NULL || out->inplace_bytes == NULL) {
    return false;
  }
  bool kinds = false;
  for (uint32_t i = 0; i < n; i++) {
    const struct berth_permission *item = &permissions->items[i];
    uint32_t op = item->op;
    out->inplace_operator[i] = op;
    out->inplace_input[i] =
        place_of(graph->inputs, graph->input_begin[op], graph->input_begin[op + 1], item->operand);
    out->inplace_output[i] =
        place_of(graph->outputs, graph->output_begin[op], graph->output_begin[op + 1], item->result);
    out->inplace_kind[i] = (Berth__V1__InplaceKind)(item->kind + 1);
    out->inplace_bytes[i] = item->bytes;
    kinds |= item->kind != BERTH_INPLACE_OVER;
  }
  out->n_inplace_kind = kinds ? n : 0;
  out->n_inplace_bytes = any_not(out->inplace_bytes, n, 0) ? n : 0;
  out->n_inplace_operator = out->n_inplace_input = out->n_inplace_output = n;
  return true;
}

static bool put_operators(
    struct berth_codec_columns *columns, const struct berth_problem *problem, Berth__V1__Problem *out) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  uint32_t n = graph->n_operators;
  if (n == 0) {
    return true;
  }
  uint64_t *bytes = column(columns, n, sizeof *bytes);
  uint64_t *alignment = column(columns, n, sizeof *alignment);
  if (bytes == NULL || alignment == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t buffer = graph->operator_workspace[i];
    bytes[i] = buffer != BERTH_NO_INDEX ? buffers->size_bytes[buffer] : 0;
    alignment[i] = berth_problem_workspace_alignment(problem, i);
  }
  out->n_operator_input_end = out->n_operator_output_end = n;
  out->operator_input_end = UNCONST(uint32_t, graph->input_begin + 1);
  out->operator_output_end = UNCONST(uint32_t, graph->output_begin + 1);
  out->n_operator_input = graph->input_begin[n];
  out->operator_input = UNCONST(uint32_t, graph->inputs);
  out->n_operator_output = graph->output_begin[n];
  out->operator_output = UNCONST(uint32_t, graph->outputs);
  out->n_operator_workspace_bytes = any_not(bytes, n, 0) ? n : 0;
  out->operator_workspace_bytes = bytes;
  if (graph->operator_stream != NULL) {
    out->n_operator_stream = out->n_operator_wait_end = n;
    out->operator_stream = UNCONST(uint32_t, graph->operator_stream);
    out->operator_wait_end = UNCONST(uint32_t, graph->wait_begin + 1);
    out->n_operator_wait = graph->wait_begin[n];
    out->operator_wait = UNCONST(uint32_t, graph->waits);
  }
  out->n_operator_workspace_alignment = any_not(alignment, n, 1) ? n : 0;
  out->operator_workspace_alignment = alignment;
  return put_ids(
      columns, problem, berth_problem_operator_id, n, &out->operator_id_text, &out->n_operator_id_end,
      &out->operator_id_end);
}

static bool
put_syncs(struct berth_codec_columns *columns, const struct berth_graph *graph, Berth__V1__Problem *out) {
  uint32_t n = graph->n_syncs;
  if (n == 0) {
    return true;
  }
  out->sync_waiter = column(columns, n, sizeof *out->sync_waiter);
  out->sync_signaller = column(columns, n, sizeof *out->sync_signaller);
  if (out->sync_waiter == NULL || out->sync_signaller == NULL) {
    return false;
  }
  out->n_sync_waiter = out->n_sync_signaller = n;
  for (uint32_t i = 0; i < n; i++) {
    out->sync_waiter[i] = graph->syncs[i].waiter;
    out->sync_signaller[i] = graph->syncs[i].signaller;
  }
  return true;
}

static bool put_regions(
    struct berth_codec_columns *columns, const struct berth_problem *problem, Berth__V1__Problem *out) {
  const struct berth_graph *graph = berth_problem_graph(problem);
  uint32_t n = graph->n_regions;
  size_t n_carries = 0;
  for (uint32_t i = 0; i < n; i++) {
    n_carries += graph->regions[i].n_carries;
  }
  if (n == 0) {
    return true;
  }
  out->region_kind = column(columns, n, sizeof *out->region_kind);
  out->region_parent = column(columns, n, sizeof *out->region_parent);
  out->region_first_operator = column(columns, n, sizeof *out->region_first_operator);
  out->region_operators = column(columns, n, sizeof *out->region_operators);
  out->region_min_trips = column(columns, n, sizeof *out->region_min_trips);
  out->region_carry_end = column(columns, n, sizeof *out->region_carry_end);
  out->region_carry = column(columns, n_carries + 1, sizeof *out->region_carry);
  if (out->region_kind == NULL || out->region_parent == NULL || out->region_first_operator == NULL ||
      out->region_operators == NULL || out->region_min_trips == NULL || out->region_carry_end == NULL ||
      out->region_carry == NULL) {
    return false;
  }
  size_t at = 0;
  for (uint32_t i = 0; i < n; i++) {
    const struct berth_region_spec *region = &graph->regions[i];
    out->region_kind[i] = (Berth__V1__RegionKind)(region->kind + 1);
    out->region_parent[i] = region->parent + 1; /* none becomes 0 */
    out->region_first_operator[i] = region->first_operator;
    out->region_operators[i] = region->n_operators;
    out->region_min_trips[i] = region->min_trips;
    for (uint32_t k = 0; k < region->n_carries; k++) {
      out->region_carry[at++] = region->carries[k];
    }
    out->region_carry_end[i] = (uint32_t)at;
  }
  out->n_region_kind = out->n_region_parent = out->n_region_first_operator = n;
  out->n_region_operators = out->n_region_min_trips = n;
  out->n_region_carry_end = n_carries > 0 ? n : 0;
  out->n_region_carry = n_carries;
  return true;
}

static bool put_problem(
    struct berth_codec_columns *columns, const struct berth_problem *problem, Berth__V1__Problem *out);

static char *put_text(struct berth_codec_columns *columns, struct berth_text text) {
  char *copy = column(columns, (size_t)text.size + 1, 1);
  if (copy != NULL) {
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
  }
  return copy;
}

static bool
put_part(struct berth_codec_columns *columns, const struct berth_named_problem *part, Berth__V1__Part **out) {
  Berth__V1__Problem *problem = column(columns, 1, sizeof *problem);
  Berth__V1__Part *message = column(columns, 1, sizeof *message);
  if (problem == NULL || message == NULL) {
    return false;
  }
  berth__v1__part__init(message);
  berth__v1__problem__init(problem);
  message->name = put_text(columns, part->name);
  message->problem = problem;
  *out = message;
  return message->name != NULL && put_problem(columns, part->problem, problem);
}

static bool
put_parts(struct berth_codec_columns *columns, const struct berth_problem *problem, Berth__V1__Problem *out) {
  const struct berth_composed *parts = berth_problem_composed(problem);
  out->parts = column(columns, parts->n, sizeof *out->parts);
  out->shared = column(columns, parts->n_shared, sizeof *out->shared);
  if (out->parts == NULL || out->shared == NULL) {
    return false;
  }
  for (uint32_t i = 0; i < parts->n; i++) {
    if (!put_part(columns, &parts->items[i], &out->parts[i])) {
      return false;
    }
  }
  for (uint32_t i = 0; i < parts->n_shared; i++) {
    out->shared[i] = put_text(columns, berth_problem_buffer_id(problem, i));
    if (out->shared[i] == NULL) {
      return false;
    }
  }
  out->n_parts = parts->n;
  out->n_shared = parts->n_shared;
  out->n_together_end = parts->n_sets;
  out->together_end = UNCONST(uint32_t, parts->set_end);
  out->n_together_part = parts->n_sets != 0 ? parts->set_end[parts->n_sets - 1] : 0;
  out->together_part = UNCONST(uint32_t, parts->set_parts);
  return true;
}

static bool put_problem(
    struct berth_codec_columns *columns, const struct berth_problem *problem, Berth__V1__Problem *out) {
  if (berth_problem_composed(problem) != NULL) {
    return put_parts(columns, problem, out);
  }
  bool is_graph = berth_problem_graph(problem) != NULL;
  return put_pools(columns, problem, out) &&
         (is_graph ? put_values(columns, problem, out) && put_operators(columns, problem, out) &&
                         put_regions(columns, problem, out) &&
                         put_syncs(columns, berth_problem_graph(problem), out) &&
                         put_inplace(columns, problem, out)
                   : put_buffers(columns, problem, out)) &&
         berth_codec_put_symbols(columns, problem, out) &&
         put_groups(columns, berth_problem_groups(problem), out);
}

enum berth_code berth_codec_message_from_problem(
    const struct berth_problem *problem, const struct berth_allocator *allocator, Berth__V1__Problem *out,
    struct berth_codec_columns **out_columns, struct berth_error *err) {
  struct berth_codec_columns *columns = create_columns(allocator);
  if (columns == NULL) {
    return berth_fail_memory(err);
  }
  if (!put_problem(columns, problem, out)) {
    berth_codec_columns_destroy(columns);
    return berth_fail_memory(err);
  }
  *out_columns = columns;
  return BERTH_OK;
}
