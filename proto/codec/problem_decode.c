/* Problem message -> problem: pools, then buffers or a graph, never both. */
#include <string.h>

#include "codec/feed.h"

/* ---- Pools ---- */

static enum berth_code add_pools(const struct feed *feed) {
  for (size_t i = 0; i < feed->message->n_pools; i++) {
    const Berth__V1__Pool *pool = feed->message->pools[i];
    struct berth_pool_spec spec = berth_pool_spec_default();
    spec.name = (struct berth_text){pool->name, (uint32_t)strlen(pool->name)};
    spec.capacity_bytes = pool->capacity_bytes != 0 ? pool->capacity_bytes : BERTH_UNLIMITED;
    spec.max_block_bytes = pool->max_block_bytes != 0 ? pool->max_block_bytes : BERTH_UNLIMITED;
    spec.alignment = pool->alignment != 0 ? pool->alignment : 1;
    spec.kind = pool->kind == BERTH__V1__POOL_KIND__POOL_KIND_SLOTS ? BERTH_POOL_SLOTS : BERTH_POOL_BYTES;
    spec.base_alignment = pool->base_alignment;
    spec.cost_per_byte = pool->cost_per_byte;
    spec.n_spill_to = (uint32_t)pool->n_spill_to;
    spec.spill_to = pool->spill_to;
    spec.persistence = pool->persistence != BERTH__V1__PERSISTENCE__PERSISTENCE_UNSPECIFIED
                           ? (enum berth_persistence)(pool->persistence - 1)
                           : BERTH_PERSISTENCE_MIXED;
    uint32_t index;
    enum berth_code code = berth_problem_builder_add_pool(feed->builder, &spec, &index, feed->err);
    if (code != BERTH_OK) {
      return feed_blame(feed, code);
    }
  }
  return BERTH_OK;
}

/* ---- Which of the two ---- */

static bool states_buffers(const Berth__V1__Problem *m) {
  return (m->n_buffer_size_bytes | m->n_buffer_lower | m->n_buffer_upper | m->n_buffer_alignment |
          m->n_buffer_class | m->buffer_id_text.len | m->n_buffer_id_end | m->n_buffer_pool_end |
          m->n_buffer_pool | m->n_gap_buffer | m->n_gap_lower | m->n_gap_upper | m->n_gap_window_lower |
          m->n_gap_window_upper | m->n_conflict_a | m->n_conflict_b | m->clock_components |
          m->n_buffer_clock_lower | m->n_buffer_clock_upper | m->n_buffer_accesses) != 0;
}

static bool states_graph(const Berth__V1__Problem *m) {
  return (m->n_value_size_bytes | m->n_value_alignment | m->n_value_class | m->n_value_held |
          m->n_value_external | m->n_value_accumulated | m->n_value_donation | m->value_id_text.len |
          m->n_value_id_end | m->n_value_pool_end | m->n_value_pool | m->n_view_value | m->n_view_of |
          m->n_view_offset | m->n_operator_input_end | m->n_operator_input | m->n_operator_output_end |
          m->n_operator_output | m->n_operator_workspace_bytes | m->n_operator_workspace_alignment |
          m->n_operator_stream | m->n_operator_wait_end | m->n_operator_wait | m->n_sync_waiter |
          m->n_sync_signaller | m->n_region_kind | m->n_region_parent | m->n_region_first_operator |
          m->n_region_operators | m->n_region_min_trips | m->n_region_carry_end | m->n_region_carry |
          m->operator_id_text.len | m->n_operator_id_end | m->n_inplace_operator | m->n_inplace_input |
          m->n_inplace_output | m->n_inplace_kind | m->n_inplace_bytes | m->n_value_live_windows |
          m->n_value_accesses) != 0;
}

static bool states_parts(const Berth__V1__Problem *m) {
  return (m->n_parts | m->n_together_end | m->n_together_part | m->n_shared) != 0 ||
         m->together != BERTH__V1__TOGETHER__TOGETHER_UNSPECIFIED;
}

enum berth_code berth_codec_problem_from_message(
    const struct berth_codec *codec, const Berth__V1__Problem *message, enum berth_reuse reuse,
    struct berth_problem **out_problem, struct berth_error *err) {
  if (message == NULL) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MISSING_FIELD, BERTH_NO_INDEX, "problem",
        "the request has no problem");
  }
  bool graph = states_graph(message);
  bool parts = states_parts(message);
  if (parts && (graph || states_buffers(message) || message->n_pools != 0)) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, "problem",
        "the problem has both parts and pools, buffers or a graph of its own");
  }
  if (parts) {
    return feed_parts(codec, message, reuse, out_problem, err);
  }
  if (graph && states_buffers(message)) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, "problem",
        "the problem has both buffers and a graph; it must have one of them");
  }
  struct feed feed = {
      .codec = codec,
      .allocator = codec->allocator != NULL ? codec->allocator : berth_allocator_libc(),
      .message = message,
      .err = err,
  };
  enum berth_code code = berth_problem_builder_create(codec->allocator, &feed.builder, err);
  if (code != BERTH_OK) {
    return code;
  }
  if (reuse != BERTH_REUSE_FULL) {
    berth_problem_builder_forbid_inplace(feed.builder);
  }
  struct feed_shapes shapes;
  code = feed_symbols(&feed, &shapes);
  if (code == BERTH_OK) {
    code = add_pools(&feed);
  }
  if (code == BERTH_OK) {
    code = graph ? feed_graph(&feed, &shapes) : feed_buffers(&feed, &shapes);
  }
  if (code == BERTH_OK) {
    code = feed_groups(&feed, graph ? message->n_value_size_bytes : message->n_buffer_size_bytes);
  }
  if (code == BERTH_OK) {
    code = berth_problem_builder_finish(feed.builder, out_problem, err);
    if (code != BERTH_OK) {
      code = feed_blame(&feed, code);
    }
  }
  berth_problem_builder_destroy(feed.builder);
  return code;
}
