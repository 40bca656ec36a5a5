/* Operators and values. */
#include "codec/feed.h"

static enum berth_code check_graph(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  const struct column values[] = {
      {"value_alignment", m->n_value_alignment, EMPTY_OR},
      {"value_class", m->n_value_class, EMPTY_OR},
      {"value_held", m->n_value_held, EMPTY_OR},
      {"value_external", m->n_value_external, EMPTY_OR},
      {"value_accumulated", m->n_value_accumulated, EMPTY_OR},
      {"value_donation", m->n_value_donation, EMPTY_OR},
      {"value_live_windows", m->n_value_live_windows, EMPTY_OR},
      {"value_accesses", m->n_value_accesses, EMPTY_OR},
      {"value_id_end", m->n_value_id_end, EMPTY_OR},
      {"value_pool_end", m->n_value_pool_end, EMPTY_OR},
  };
  const struct column operators[] = {
      {"operator_output_end", m->n_operator_output_end, EXACTLY},
      {"operator_workspace_bytes", m->n_operator_workspace_bytes, EMPTY_OR},
      {"operator_workspace_alignment", m->n_operator_workspace_alignment, EMPTY_OR},
      {"operator_id_end", m->n_operator_id_end, EMPTY_OR},
      {"operator_stream", m->n_operator_stream, EMPTY_OR},
      {"operator_wait_end", m->n_operator_wait_end, EMPTY_OR},
  };
  const struct {
    const char *name;
    size_t n_ends;
    const uint32_t *ends;
    const char *of;
    size_t n_items;
    bool ids;
  } ends[] = {
      {"value_id_end", m->n_value_id_end, m->value_id_end, "value_id_text", m->value_id_text.len, true},
      {"operator_id_end", m->n_operator_id_end, m->operator_id_end, "operator_id_text",
       m->operator_id_text.len, true},
      {"value_pool_end", m->n_value_pool_end, m->value_pool_end, "value_pool", m->n_value_pool, false},
      {"operator_input_end", m->n_operator_input_end, m->operator_input_end, "operator_input",
       m->n_operator_input, false},
      {"operator_output_end", m->n_operator_output_end, m->operator_output_end, "operator_output",
       m->n_operator_output, false},
      {"operator_wait_end", m->n_operator_wait_end, m->operator_wait_end, "operator_wait", m->n_operator_wait,
       false},
  };
  enum berth_code code = feed_check_lengths(
      feed, "value_size_bytes", m->n_value_size_bytes, values, sizeof values / sizeof values[0]);
  if (code == BERTH_OK) {
    code = feed_check_lengths(
        feed, "operator_input_end", m->n_operator_input_end, operators,
        sizeof operators / sizeof operators[0]);
  }
  for (size_t i = 0; code == BERTH_OK && i < sizeof ends / sizeof ends[0]; i++) {
    code = (ends[i].ids ? feed_check_ids : feed_check_ends)(
        feed, ends[i].name, ends[i].n_ends, ends[i].ends, ends[i].of, ends[i].n_items);
  }
  return code;
}

static enum berth_code
check_indices(const struct feed *feed, const char *name, size_t n, const uint32_t *indices, size_t n_items) {
  for (size_t i = 0; i < n; i++) {
    if (indices[i] >= n_items) {
      return feed_refuse(feed, BERTH_REASON_UNKNOWN_ID, name, i, "no value has this index");
    }
  }
  return BERTH_OK;
}

static enum berth_code check_views(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  const struct column columns[] = {
      {"view_of", m->n_view_of, EXACTLY}, {"view_offset", m->n_view_offset, EXACTLY}};
  enum berth_code code = feed_check_lengths(feed, "view_value", m->n_view_value, columns, 2);
  if (code == BERTH_OK) {
    code = check_indices(feed, "view_value", m->n_view_value, m->view_value, m->n_value_size_bytes);
  }
  if (code == BERTH_OK) {
    code = check_indices(feed, "view_of", m->n_view_of, m->view_of, m->n_value_size_bytes);
  }
  for (size_t i = 1; code == BERTH_OK && i < m->n_view_value; i++) {
    if (m->view_value[i] <= m->view_value[i - 1]) {
      code = feed_refuse(feed, BERTH_REASON_BAD_VIEW, "view_value", i, "views are not in rising order");
    }
  }
  return code;
}

/* Sets what value i is a view of; *at is the next view. */
static void set_view(const Berth__V1__Problem *m, size_t i, size_t *at, struct berth_value_spec *spec) {
  bool view = *at < m->n_view_value && m->view_value[*at] == i;
  spec->view_of = view ? m->view_of[*at] : BERTH_NO_INDEX;
  spec->view_offset = view ? m->view_offset[*at] : 0;
  *at += view;
}

static enum berth_code
add_values(const struct feed *feed, const uint64_t *pinned, struct feed_shapes *shapes) {
  struct berth_shape size;
  struct berth_shape place;
  const Berth__V1__Problem *m = feed->message;
  struct berth_value_spec spec = berth_value_spec_default();
  size_t view = 0;
  for (size_t i = 0; i < m->n_value_size_bytes; i++) {
    spec.id = feed_text(m->value_id_text, m->n_value_id_end, m->value_id_end, i);
    spec.size_bytes = m->value_size_bytes[i];
    spec.shape = feed_shape(feed, shapes, BERTH_SIZED_SIZE, i, &size);
    spec.view_offset_shape = feed_shape(feed, shapes, BERTH_SIZED_VIEW_OFFSET, i, &place);
    spec.alignment = m->n_value_alignment > 0 ? m->value_alignment[i] : 1;
    spec.class_ = feed_class(m->n_value_class, m->value_class, i);
    spec.held = m->n_value_held > 0 && m->value_held[i];
    spec.external = m->n_value_external > 0 && m->value_external[i];
    spec.accumulated = m->n_value_accumulated > 0 && m->value_accumulated[i];
    spec.donation = m->n_value_donation > 0 ? (enum berth_donation)m->value_donation[i] : BERTH_DONATION_NONE;
    spec.live_windows = m->n_value_live_windows > 0 && m->value_live_windows[i];
    spec.pinned_offset = pinned != NULL ? pinned[i] : BERTH_UNPINNED;
    spec.accesses = m->n_value_accesses > 0 ? m->value_accesses[i] : 1;
    set_view(m, i, &view, &spec);
    if (m->n_value_pool_end > 0) {
      uint32_t begin = i > 0 ? m->value_pool_end[i - 1] : 0;
      spec.n_pools = m->value_pool_end[i] - begin;
      spec.pools = spec.n_pools > 0 ? m->value_pool + begin : NULL;
    }
    uint32_t index;
    enum berth_code code = berth_problem_builder_add_value(feed->builder, &spec, &index, feed->err);
    if (code != BERTH_OK) {
      return feed_blame(feed, code);
    }
  }
  return BERTH_OK;
}

/* Permissions of all operators, in one list; the builder checks the places. */
static enum berth_code check_inplace(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  const struct column columns[] = {
      {"inplace_input", m->n_inplace_input, EXACTLY},
      {"inplace_output", m->n_inplace_output, EXACTLY},
      {"inplace_kind", m->n_inplace_kind, EMPTY_OR},
      {"inplace_bytes", m->n_inplace_bytes, EMPTY_OR}};
  enum berth_code code = feed_check_lengths(feed, "inplace_operator", m->n_inplace_operator, columns, 4);
  for (size_t i = 0; code == BERTH_OK && i < m->n_inplace_operator; i++) {
    if (m->inplace_operator[i] >= m->n_operator_input_end) {
      code = feed_refuse(feed, BERTH_REASON_UNKNOWN_ID, "inplace_operator", i, "no operator has this index");
    } else if (i > 0 && m->inplace_operator[i] < m->inplace_operator[i - 1]) {
      code = feed_refuse(
          feed, BERTH_REASON_BAD_ORDER, "inplace_operator", i,
          "permissions are not in the order of their operators");
    }
  }
  return code;
}

/* An unknown number stays one, for the builder to blame. */
static enum berth_inplace_kind inplace_kind(const Berth__V1__Problem *m, size_t i) {
  bool over =
      m->n_inplace_kind == 0 || m->inplace_kind[i] == BERTH__V1__INPLACE_KIND__INPLACE_KIND_UNSPECIFIED;
  return over ? BERTH_INPLACE_OVER : (enum berth_inplace_kind)(m->inplace_kind[i] - 1);
}

static enum berth_code take_inplace(const struct feed *feed, struct berth_inplace **out_list) {
  const Berth__V1__Problem *m = feed->message;
  size_t n = m->n_inplace_operator;
  *out_list = n > 0 ? feed_take(feed, n, sizeof **out_list) : NULL;
  if (n > 0 && *out_list == NULL) {
    return berth_fail_memory(feed->err);
  }
  for (size_t i = 0; i < n; i++) {
    (*out_list)[i] = (struct berth_inplace){
        .input = m->inplace_input[i],
        .output = m->inplace_output[i],
        .kind = inplace_kind(m, i),
        .bytes = m->n_inplace_bytes > 0 ? m->inplace_bytes[i] : 0};
  }
  return BERTH_OK;
}

/* Those of operator i; *at is the next permission. */
static void set_inplace(
    const Berth__V1__Problem *m, const struct berth_inplace *list, size_t i, size_t *at,
    struct berth_operator_spec *spec) {
  size_t first = *at;
  while (*at < m->n_inplace_operator && m->inplace_operator[*at] == i) {
    (*at)++;
  }
  spec->n_inplace = (uint32_t)(*at - first);
  spec->inplace = spec->n_inplace > 0 ? list + first : NULL;
}

static enum berth_code
add_operators(const struct feed *feed, const struct berth_inplace *inplace, struct feed_shapes *shapes) {
  struct berth_shape workspace;
  const Berth__V1__Problem *m = feed->message;
  size_t permission = 0;
  for (size_t i = 0; i < m->n_operator_input_end; i++) {
    uint32_t input = i > 0 ? m->operator_input_end[i - 1] : 0;
    uint32_t output = i > 0 ? m->operator_output_end[i - 1] : 0;
    struct berth_operator_spec spec = berth_operator_spec_default();
    spec.id = feed_text(m->operator_id_text, m->n_operator_id_end, m->operator_id_end, i);
    spec.n_inputs = m->operator_input_end[i] - input;
    spec.inputs = spec.n_inputs > 0 ? m->operator_input + input : NULL;
    spec.n_outputs = m->operator_output_end[i] - output;
    spec.outputs = spec.n_outputs > 0 ? m->operator_output + output : NULL;
    spec.workspace_bytes = m->n_operator_workspace_bytes > 0 ? m->operator_workspace_bytes[i] : 0;
    spec.workspace_shape = feed_shape(feed, shapes, BERTH_SIZED_WORKSPACE, i, &workspace);
    spec.workspace_alignment = m->n_operator_workspace_alignment > 0 ? m->operator_workspace_alignment[i] : 1;
    set_inplace(m, inplace, i, &permission, &spec);
    spec.stream = m->n_operator_stream > 0 ? m->operator_stream[i] : 0;
    if (m->n_operator_wait_end > 0) {
      uint32_t wait = i > 0 ? m->operator_wait_end[i - 1] : 0;
      spec.n_waits = m->operator_wait_end[i] - wait;
      spec.waits = spec.n_waits > 0 ? m->operator_wait + wait : NULL;
    }
    uint32_t index;
    enum berth_code code = berth_problem_builder_add_operator(feed->builder, &spec, &index, feed->err);
    if (code != BERTH_OK) {
      return feed_blame(feed, code);
    }
  }
  return BERTH_OK;
}

static enum berth_code check_regions(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  const struct column columns[] = {
      {"region_parent", m->n_region_parent, EMPTY_OR},
      {"region_first_operator", m->n_region_first_operator, EXACTLY},
      {"region_operators", m->n_region_operators, EXACTLY},
      {"region_min_trips", m->n_region_min_trips, EMPTY_OR},
      {"region_carry_end", m->n_region_carry_end, EMPTY_OR},
  };
  enum berth_code code =
      feed_check_lengths(feed, "region_kind", m->n_region_kind, columns, sizeof columns / sizeof columns[0]);
  if (code == BERTH_OK) {
    code = feed_check_ends(
        feed, "region_carry_end", m->n_region_carry_end, m->region_carry_end, "region_carry",
        m->n_region_carry);
  }
  if (code == BERTH_OK) {
    code = check_indices(feed, "region_carry", m->n_region_carry, m->region_carry, m->n_value_size_bytes);
  }
  return code;
}

static enum berth_code add_regions(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  enum berth_code code = check_regions(feed);
  for (size_t i = 0; code == BERTH_OK && i < m->n_region_kind; i++) {
    struct berth_region_spec spec = berth_region_spec_default();
    if (m->region_kind[i] == BERTH__V1__REGION_KIND__REGION_KIND_UNSPECIFIED) {
      return feed_refuse(feed, BERTH_REASON_MISSING_FIELD, "region_kind", i, "the region has no kind");
    }
    spec.kind = (enum berth_region_kind)(m->region_kind[i] - 1);
    spec.parent = m->n_region_parent > 0 ? m->region_parent[i] - 1 : BERTH_NO_INDEX; /* 0 becomes none */
    spec.first_operator = m->region_first_operator[i];
    spec.n_operators = m->region_operators[i];
    spec.min_trips = m->n_region_min_trips > 0 ? m->region_min_trips[i] : 0;
    if (m->n_region_carry_end > 0) {
      uint32_t begin = i > 0 ? m->region_carry_end[i - 1] : 0;
      spec.n_carries = m->region_carry_end[i] - begin;
      spec.carries = spec.n_carries > 0 ? m->region_carry + begin : NULL;
    }
    code = berth_problem_builder_add_region(feed->builder, &spec, NULL, feed->err);
    code = code == BERTH_OK ? code : feed_blame(feed, code);
  }
  return code;
}

static enum berth_code add_syncs(const struct feed *feed) {
  const Berth__V1__Problem *m = feed->message;
  const struct column columns[] = {{"sync_signaller", m->n_sync_signaller, EXACTLY}};
  enum berth_code code = feed_check_lengths(feed, "sync_waiter", m->n_sync_waiter, columns, 1);
  for (size_t i = 0; code == BERTH_OK && i < m->n_sync_waiter; i++) {
    const struct berth_sync sync = {.waiter = m->sync_waiter[i], .signaller = m->sync_signaller[i]};
    code = berth_problem_builder_add_sync(feed->builder, &sync, feed->err);
    code = code == BERTH_OK ? code : feed_blame(feed, code);
  }
  return code;
}

enum berth_code feed_graph(const struct feed *feed, struct feed_shapes *shapes) {
  const Berth__V1__Problem *m = feed->message;
  size_t n = m->n_value_size_bytes;
  uint64_t *pinned = NULL;
  struct berth_inplace *inplace = NULL;
  enum berth_code code = check_graph(feed);
  if (code == BERTH_OK) {
    code = check_indices(feed, "operator_input", m->n_operator_input, m->operator_input, n);
  }
  if (code == BERTH_OK) {
    code = check_indices(feed, "operator_output", m->n_operator_output, m->operator_output, n);
  }
  if (code == BERTH_OK) {
    code = check_views(feed);
  }
  if (code == BERTH_OK) {
    code = check_inplace(feed);
  }
  if (code == BERTH_OK) {
    code = take_inplace(feed, &inplace);
  }
  if (code == BERTH_OK) {
    code = feed_spread_pins(feed, n, &pinned);
  }
  if (code == BERTH_OK) {
    code = add_values(feed, pinned, shapes);
  }
  if (code == BERTH_OK) {
    code = add_operators(feed, inplace, shapes);
  }
  if (code == BERTH_OK) {
    code = add_regions(feed);
  }
  if (code == BERTH_OK) {
    code = add_syncs(feed);
  }
  feed_give_back(feed, pinned, n, sizeof *pinned);
  feed_give_back(feed, inplace, m->n_inplace_operator, sizeof *inplace);
  return code;
}
