/* Added waits: checked as they come, sorted when all are there. */
#include "base/sort.h"
#include "problem/builder.h"

static enum berth_code check_operator(
    struct berth_problem_builder *builder, struct berth_item item, const char *field, uint32_t op) {
  size_t n = builder->workspace_size.n;
  return op < n ? BERTH_OK
                : berth_builder_blame(
                      builder, item, BERTH_REASON_UNKNOWN_ID, field, "it names operator %u; there are %zu",
                      op, n);
}

static enum berth_code
check(struct berth_problem_builder *builder, struct berth_item item, const struct berth_sync *sync) {
  const struct berth_graph_columns *columns = &builder->problem->columns;
  if (item.index == UINT32_MAX) {
    return berth_builder_limit(builder, item, "waiter", "there are more than 2^32 - 1 added waits");
  }
  enum berth_code code = check_operator(builder, item, "waiter", sync->waiter);
  code = code != BERTH_OK ? code : check_operator(builder, item, "signaller", sync->signaller);
  if (code != BERTH_OK) {
    return code;
  }
  if (sync->signaller >= sync->waiter) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ORDER, "signaller",
        "operator %u cannot wait for operator %u, which does not come before it", sync->waiter,
        sync->signaller);
  }
  if (columns->stream.items[sync->waiter] == columns->stream.items[sync->signaller]) {
    return berth_builder_blame(
        builder, item, BERTH_REASON_BAD_ORDER, "signaller",
        "operators %u and %u are of one stream, which orders them already", sync->waiter, sync->signaller);
  }
  return BERTH_OK;
}

enum berth_code berth_problem_builder_add_sync(
    struct berth_problem_builder *builder, const struct berth_sync *sync, struct berth_error *err) {
  if (berth_builder_enter(builder, BERTH_FORM_GRAPH)) {
    struct berth_graph_columns *columns = &builder->problem->columns;
    struct berth_item item = {.kind = "sync", .index = (uint32_t)columns->syncs.n};
    if (check(builder, item, sync) != BERTH_OK) {
      return berth_builder_report(builder, err);
    }
    if (berth_vec_reserve(&builder->allocator, &columns->syncs, columns->syncs.n + 1)) {
      columns->syncs.items[columns->syncs.n++] = *sync;
    } else {
      berth_fail_memory(&builder->error);
    }
  }
  return berth_builder_report(builder, err);
}

enum berth_code berth_builder_sort_syncs(struct berth_problem_builder *builder) {
  struct berth_graph_columns *columns = &builder->problem->columns;
  size_t n = columns->syncs.n;
  BERTH_VEC(struct berth_sort_item) keyed = {0};
  if (n == 0) {
    return BERTH_OK;
  }
  if (!berth_vec_reserve(&builder->allocator, &keyed, 2 * n)) {
    return berth_fail_memory(&builder->error);
  }
  for (size_t i = 0; i < n; i++) {
    const struct berth_sync *sync = &columns->syncs.items[i];
    keyed.items[i] = (struct berth_sort_item){.key = (uint64_t)sync->waiter << 32 | sync->signaller};
  }
  berth_sort_items(keyed.items, keyed.items + n, n);
  columns->syncs.n = 0;
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || keyed.items[i].key != keyed.items[i - 1].key) {
      columns->syncs.items[columns->syncs.n++] = (struct berth_sync){
          .waiter = (uint32_t)(keyed.items[i].key >> 32), .signaller = (uint32_t)keyed.items[i].key};
    }
  }
  berth_vec_finish(&builder->allocator, &keyed);
  return BERTH_OK;
}
