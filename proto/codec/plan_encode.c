/* Plan -> responses. The plan's columns are lent to the message, not copied. */
#include <string.h>

#include "codec/internal.h"
#include "codec/parts.h"
#include "codec/scratch.h"
#include "codec/stored.h"

/* One block: the pools' messages, the list of pointers to them, what became of added waits and who waits for
 * whom, the pools' names. */
struct pool_block {
  void *memory;
  size_t n_bytes;
};

static char EMPTY[] = "";

static void put_syncs(const struct berth_plan *plan, void *memory, Berth__V1__Plan *out) {
  Berth__V1__SyncResult *result = memory;
  uint32_t *waiter = (uint32_t *)(void *)(result + 1);
  uint32_t *signaller = waiter + plan->n_syncs;
  if (!plan->sync.is_asked) {
    return;
  }
  berth__v1__sync_result__init(result);
  result->cost_bytes = plan->sync.cost_bytes;
  result->without_bytes = plan->sync.without_bytes;
  result->bound_bytes = plan->sync.bound_bytes;
  for (uint32_t i = 0; i < plan->n_syncs; i++) {
    waiter[i] = plan->syncs[i].waiter;
    signaller[i] = plan->syncs[i].signaller;
  }
  out->sync = result;
  out->n_sync_waiter = out->n_sync_signaller = plan->n_syncs;
  out->sync_waiter = waiter;
  out->sync_signaller = signaller;
}

static bool put_pools(
    const struct berth_plan *plan, const struct berth_pools *pools, const struct berth_allocator *allocator,
    Berth__V1__Plan *out, struct pool_block *block) {
  bool named = pools != NULL && pools->n == plan->n_pools;
  size_t n_text = 0;
  for (uint32_t i = 0; named && i < plan->n_pools; i++) {
    n_text += (size_t)pools->items[i].name.size + 1;
  }
  size_t n_messages = plan->n_pools * sizeof(Berth__V1__PoolResult);
  size_t n_list = plan->n_pools * sizeof(Berth__V1__PoolResult *);
  size_t n_syncs = sizeof(Berth__V1__SyncResult) + 2 * (size_t)plan->n_syncs * sizeof(uint32_t);
  block->n_bytes = n_messages + n_list + n_syncs + n_text + 1;
  block->memory = allocator->resize(allocator->ctx, NULL, 0, block->n_bytes);
  if (block->memory == NULL) {
    return false;
  }
  Berth__V1__PoolResult *messages = block->memory;
  Berth__V1__PoolResult **list = (Berth__V1__PoolResult **)(void *)((char *)block->memory + n_messages);
  char *name = (char *)block->memory + n_messages + n_list + n_syncs;
  put_syncs(plan, (char *)block->memory + n_messages + n_list, out);
  for (uint32_t i = 0; i < plan->n_pools; i++) {
    const struct berth_pool_result *pool = &plan->pools[i];
    berth__v1__pool_result__init(&messages[i]);
    messages[i].arena_bytes = pool->arena_bytes;
    messages[i].lower_bound_bytes = pool->lower_bound_bytes;
    messages[i].peak_bytes = pool->peak_bytes;
    messages[i].base_alignment = pool->base_alignment;
    messages[i].peak_step = pool->peak_step;
    messages[i].n_class_bytes = BERTH_N_CLASSES;
    messages[i].class_bytes = UNCONST(uint64_t, pool->class_bytes);
    messages[i].persistent_bytes = pool->persistent_bytes;
    messages[i].name = EMPTY;
    if (named) {
      uint32_t size = pools->items[i].name.size;
      if (size > 0) {
        memcpy(name, pools->items[i].name.data, size);
      }
      name[size] = '\0';
      messages[i].name = name;
      name += (size_t)size + 1;
    }
    list[i] = &messages[i];
  }
  out->n_pools = plan->n_pools;
  out->pools = list;
  return true;
}

static bool all_in_first(const struct berth_plan *plan) {
  for (uint32_t i = 0; i < plan->n_buffers; i++) {
    if (plan->pool[i] != 0) {
      return false;
    }
  }
  return true;
}

static void
put_plan(const struct berth_codec_plan *response, Berth__V1__Plan *out, Berth__V1__Stability *stability) {
  const struct berth_plan *plan = response->plan;
  if (plan->stability.is_asked) {
    berth_codec_put_stability(plan, response->stable, stability);
    out->stability = stability;
  }
  out->plan_id = UNCONST(char, response->plan_id);
  out->status = (Berth__V1__PlanStatus)(plan->status + 1);
  out->arena_bytes = plan->arena_bytes;
  out->lower_bound_bytes = plan->lower_bound_bytes;
  out->naive_bytes = plan->naive_bytes;
  out->peak_bytes = plan->peak_bytes;
  out->reuse_bytes = plan->reuse_bytes;
  out->rho = berth_plan_rho(plan);
  out->effort_ticks = plan->ticks;
  out->solve_seconds = response->solve_seconds;
  out->n_class_bytes = BERTH_N_CLASSES;
  out->class_bytes = UNCONST(uint64_t, plan->class_bytes);
  if (plan->offset != NULL) {
    out->n_buffer_offset = plan->n_buffers;
    out->buffer_offset = UNCONST(uint64_t, plan->offset);
  }
  if (plan->pool != NULL && !all_in_first(plan)) {
    out->n_buffer_pool = plan->n_buffers;
    out->buffer_pool = UNCONST(uint32_t, plan->pool);
  }
  if (plan->slot != NULL) {
    out->n_buffer_slot = plan->n_buffers;
    out->buffer_slot = UNCONST(uint32_t, plan->slot);
  }
  out->reuse = (Berth__V1__Reuse)(plan->reuse + 1);
  out->spill_cost = plan->spill_cost;
  out->spill_cost_bound = plan->spill_cost_bound;
  out->short_by_bytes = plan->short_by_bytes;
  out->n_culprits = plan->n_culprits;
  out->culprits = UNCONST(uint32_t, plan->culprits);
  if (plan->n_culprits > 0) {
    out->culprits_proof = (Berth__V1__CulpritsProof)(plan->culprits_proof + 1);
  }
}

/* Fills `response` (and `message`, which it points to), packs `whole`, and frees what was taken on the way.
 */
static enum berth_code pack_with_plan(
    const struct berth_codec_plan *plan, const struct berth_problem *problem,
    const struct berth_allocator *allocator, Berth__V1__Plan *message, Berth__V1__Plan **place,
    const ProtobufCMessage *whole, const struct berth_codec_sink *sink, struct berth_error *err) {
  const struct berth_allocator *from = allocator != NULL ? allocator : berth_allocator_libc();
  if (plan->plan == NULL) {
    return berth_codec_pack(whole, sink, err);
  }
  struct pool_block block;
  berth__v1__plan__init(message);
  const struct berth_pools *pools = problem != NULL ? berth_problem_pools(problem) : NULL;
  if (!put_pools(plan->plan, pools, from, message, &block)) {
    return berth_fail_memory(err);
  }
  Berth__V1__Stability stability;
  put_plan(plan, message, &stability);
  *place = message;
  struct berth_codec_scratch scratch;
  berth_codec_scratch_init(&scratch, from);
  enum berth_code code = berth_codec_put_parts(problem, plan->plan, &scratch, message)
                             ? berth_codec_pack(whole, sink, err)
                             : berth_fail_memory(err);
  berth_codec_scratch_finish(&scratch);
  from->resize(from->ctx, block.memory, block.n_bytes, 0);
  return code;
}

/* What is left to the dynamic arena: one block, cut in four. */
static bool put_dynamic(
    const struct berth_dynamic *dynamic, const struct berth_allocator *allocator,
    Berth__V1__ComputePlanResponse *out) {
  uint32_t n_values = 0;
  while (n_values < dynamic->n && !dynamic->items[n_values].is_workspace) {
    n_values++;
  }
  uint32_t n_workspaces = dynamic->n - n_values;
  if (dynamic->n == 0) {
    return true;
  }
  uint32_t *block = allocator->resize(allocator->ctx, NULL, 0, 2 * (size_t)dynamic->n * sizeof *block);
  if (block == NULL) {
    return false;
  }
  out->n_dynamic_value = out->n_dynamic_value_symbol = n_values;
  out->n_dynamic_workspace = out->n_dynamic_workspace_symbol = n_workspaces;
  out->dynamic_value = block;
  out->dynamic_workspace = block + n_values;
  out->dynamic_value_symbol = block + dynamic->n;
  out->dynamic_workspace_symbol = block + dynamic->n + n_values;
  for (uint32_t i = 0; i < dynamic->n; i++) {
    block[i] = dynamic->items[i].item;
    block[dynamic->n + i] = dynamic->items[i].symbol;
  }
  return true;
}

static void drop_graph(const struct berth_allocator *allocator, Berth__V1__ComputePlanResponse *message) {
  size_t n_dynamic = message->n_dynamic_value + message->n_dynamic_workspace;
  if (n_dynamic > 0) {
    allocator->resize(
        allocator->ctx, message->dynamic_value, 2 * n_dynamic * sizeof *message->dynamic_value, 0);
  }
  if (message->inplace_answer != NULL) {
    allocator->resize(
        allocator->ctx, message->inplace_answer, message->n_inplace_answer * sizeof *message->inplace_answer,
        0);
  }
}

/* Answers to permissions are few: they are kept beside the message. */
static bool put_graph(
    const struct berth_problem *problem, const struct berth_allocator *allocator,
    Berth__V1__ComputePlanResponse *out) {
  const struct berth_graph *graph = problem != NULL ? berth_problem_graph(problem) : NULL;
  if (graph == NULL) {
    return true;
  }
  const struct berth_permissions *permissions = berth_problem_permissions(problem);
  out->n_value_buffer = graph->n_values;
  out->value_buffer = UNCONST(uint32_t, graph->value_buffer);
  if (graph->value_offset != NULL) {
    out->n_value_offset = graph->n_values;
    out->value_offset = UNCONST(uint64_t, graph->value_offset);
  }
  if (permissions->n > 0) {
    size_t n_bytes = permissions->n * sizeof *out->inplace_answer;
    out->inplace_answer = allocator->resize(allocator->ctx, NULL, 0, n_bytes);
    if (out->inplace_answer == NULL) {
      return false;
    }
    out->n_inplace_answer = permissions->n;
    for (uint32_t i = 0; i < permissions->n; i++) {
      out->inplace_answer[i] = (Berth__V1__InplaceAnswer)(permissions->items[i].answer + 1);
    }
  }
  struct berth_dynamic dynamic = berth_problem_dynamic(problem);
  if (!put_dynamic(&dynamic, allocator, out)) {
    drop_graph(allocator, out);
    return false;
  }
  return true;
}

enum berth_code berth_codec_encode_compute_response(
    const struct berth_codec_plan *response, const struct berth_problem *problem,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink, struct berth_error *err) {
  Berth__V1__Plan plan;
  Berth__V1__ComputePlanResponse message = BERTH__V1__COMPUTE_PLAN_RESPONSE__INIT;
  const struct berth_allocator *from = allocator != NULL ? allocator : berth_allocator_libc();
  struct berth_codec_miss_message miss;
  if (response->miss != NULL) {
    berth_codec_put_miss(response->miss, &miss);
    message.miss = &miss.message;
  }
  message.cached = response->cached;
  if (response->plan != NULL && !put_graph(problem, from, &message)) {
    return berth_fail_memory(err);
  }
  enum berth_code code =
      pack_with_plan(response, problem, from, &plan, &message.plan, &message.base, sink, err);
  drop_graph(from, &message);
  return code;
}

enum berth_code berth_codec_encode_stream_result(
    const struct berth_codec_plan *response, const struct berth_problem *problem,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink, struct berth_error *err) {
  Berth__V1__Plan plan;
  Berth__V1__ComputePlanResponse result = BERTH__V1__COMPUTE_PLAN_RESPONSE__INIT;
  Berth__V1__StreamPlanResponse message = BERTH__V1__STREAM_PLAN_RESPONSE__INIT;
  result.cached = response->cached;
  message.event_case = BERTH__V1__STREAM_PLAN_RESPONSE__EVENT_RESULT;
  message.result = &result;
  const struct berth_allocator *from = allocator != NULL ? allocator : berth_allocator_libc();
  if (response->plan != NULL && !put_graph(problem, from, &result)) {
    return berth_fail_memory(err);
  }
  enum berth_code code =
      pack_with_plan(response, problem, from, &plan, &result.plan, &message.base, sink, err);
  drop_graph(from, &result);
  return code;
}

enum berth_code berth_codec_encode_stream_progress(
    const struct berth_progress *progress, double elapsed_seconds, const struct berth_codec_sink *sink,
    struct berth_error *err) {
  Berth__V1__Progress part = BERTH__V1__PROGRESS__INIT;
  Berth__V1__StreamPlanResponse message = BERTH__V1__STREAM_PLAN_RESPONSE__INIT;
  part.arena_bytes = progress->arena_bytes == BERTH_UNLIMITED ? 0 : progress->arena_bytes;
  part.lower_bound_bytes = progress->lower_bound_bytes;
  part.effort_ticks = progress->ticks;
  part.elapsed_seconds = elapsed_seconds;
  message.event_case = BERTH__V1__STREAM_PLAN_RESPONSE__EVENT_PROGRESS;
  message.progress = &part;
  return berth_codec_pack(&message.base, sink, err);
}

enum berth_code berth_codec_encode_got(
    const struct berth_codec_plan *response, const struct berth_measured *measured,
    const struct berth_allocator *allocator, const struct berth_codec_sink *sink, struct berth_error *err) {
  Berth__V1__Plan plan;
  Berth__V1__GetPlanResponse message = BERTH__V1__GET_PLAN_RESPONSE__INIT;
  Berth__V1__Measurement items[BERTH_MEASUREMENTS_KEPT];
  Berth__V1__Measurement *list[BERTH_MEASUREMENTS_KEPT];
  for (uint32_t i = 0; measured != NULL && i < measured->n; i++) {
    berth_codec_put_measurement(&measured->items[i], &items[i]);
    list[i] = &items[i];
  }
  message.measurements = list;
  message.n_measurements = measured != NULL ? measured->n : 0;
  message.measurement_count = measured != NULL ? measured->n_all : 0;
  return pack_with_plan(response, NULL, allocator, &plan, &message.plan, &message.base, sink, err);
}

enum berth_code berth_codec_encode_batch_response(
    const struct berth_codec_plan *plans, uint32_t n_plans, const struct berth_allocator *allocator,
    const struct berth_codec_sink *sink, struct berth_error *err) {
  Berth__V1__BatchGetPlansResponse response = BERTH__V1__BATCH_GET_PLANS_RESPONSE__INIT;
  struct berth_codec_scratch scratch;
  berth_codec_scratch_init(&scratch, allocator);
  Berth__V1__Plan *messages = berth_codec_scratch_take(&scratch, n_plans, sizeof *messages);
  struct pool_block *blocks = berth_codec_scratch_take(&scratch, n_plans, sizeof *blocks);
  Berth__V1__Stability *stabilities = berth_codec_scratch_take(&scratch, n_plans, sizeof *stabilities);
  response.plans = berth_codec_scratch_take(&scratch, n_plans, sizeof *response.plans);
  bool is_good = messages != NULL && blocks != NULL && stabilities != NULL && response.plans != NULL;
  size_t n_made = 0;
  while (is_good && n_made < n_plans) {
    berth__v1__plan__init(&messages[n_made]);
    is_good = put_pools(plans[n_made].plan, NULL, scratch.allocator, &messages[n_made], &blocks[n_made]);
    if (is_good) {
      put_plan(&plans[n_made], &messages[n_made], &stabilities[n_made]);
      response.plans[n_made] = &messages[n_made];
      n_made++;
    }
  }
  response.n_plans = n_made;
  enum berth_code code = is_good ? berth_codec_pack(&response.base, sink, err) : berth_fail_memory(err);
  for (size_t i = 0; i < n_made; i++) {
    scratch.allocator->resize(scratch.allocator->ctx, blocks[i].memory, blocks[i].n_bytes, 0);
  }
  berth_codec_scratch_finish(&scratch);
  return code;
}

enum berth_code berth_codec_encode_plan(
    const struct berth_codec_plan *plan, const struct berth_allocator *allocator,
    const struct berth_codec_sink *sink, struct berth_error *err) {
  Berth__V1__Plan message;
  Berth__V1__Plan *place;
  berth__v1__plan__init(&message);
  return pack_with_plan(plan, NULL, allocator, &message, &place, &message.base, sink, err);
}
