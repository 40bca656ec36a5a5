#include "cache/plans.h"

#include <string.h>

#include "suite.h"

static struct berth_planid id_of(const char *key) {
  struct berth_planid id;
  ck_assert_int_eq(berth_planid_of_bytes(key, strlen(key), &id, NULL), BERTH_OK);
  return id;
}

static struct berthd_cached *
make(const char *key, uint64_t arena_bytes, uint64_t bound_bytes, bool is_final) {
  struct berth_plan *plan = berth_plan_create(NULL, 3, 1);
  ck_assert_ptr_nonnull(plan);
  plan->arena_bytes = arena_bytes;
  plan->lower_bound_bytes = bound_bytes;
  struct berth_planid id = id_of(key);
  struct berthd_cached *cached = berthd_cached_create(&id, key, strlen(key), plan, is_final, 1.5);
  ck_assert_ptr_nonnull(cached);
  berth_plan_unref(plan);
  return cached;
}

static void put(struct berthd_plans *plans, const char *key, uint64_t arena, uint64_t bound, bool is_final) {
  struct berthd_cached *cached = make(key, arena, bound, is_final);
  berthd_plans_put(plans, cached);
  berthd_cached_unref(cached);
}

static uint64_t arena_of(struct berthd_plans *plans, const char *key) {
  struct berth_planid id = id_of(key);
  struct berthd_cached *cached = berthd_plans_find(plans, &id, key, strlen(key), 0);
  uint64_t arena = cached != NULL ? cached->plan->arena_bytes : 0;
  berthd_cached_unref(cached);
  return arena;
}

START_TEST(the_whole_key_is_compared_and_not_only_its_hash) {
  struct berthd_plans *plans = berthd_plans_create(1 << 20, NULL);
  put(plans, "key", 100, 90, true);
  struct berth_planid id = id_of("key");
  ck_assert_uint_eq(arena_of(plans, "key"), 100);
  ck_assert_ptr_null(berthd_plans_find(plans, &id, "kez", 3, 0));
  ck_assert_ptr_null(berthd_plans_find(plans, &id, "key ", 4, 0));
  ck_assert_ptr_null(berthd_plans_find(plans, &id, "ke", 2, 0));
  struct berthd_cached *by_id = berthd_plans_find_by_id(plans, &id);
  ck_assert_ptr_nonnull(by_id);
  berthd_cached_unref(by_id);
  id.bytes[20] ^= 1; /* same hash in the store, another id */
  ck_assert_ptr_null(berthd_plans_find_by_id(plans, &id));
  berthd_plans_destroy(plans);
}
END_TEST

START_TEST(a_better_plan_replaces_a_worse_one_and_never_the_other_way) {
  struct berthd_plans *plans = berthd_plans_create(1 << 20, NULL);
  put(plans, "key", 100, 90, false);
  put(plans, "key", 110, 90, false);
  ck_assert_uint_eq(arena_of(plans, "key"), 100);
  put(plans, "key", 95, 90, false);
  ck_assert_uint_eq(arena_of(plans, "key"), 95);
  put(plans, "key", 95, 80, true); /* final before cut short */
  put(plans, "key", 94, 90, false);
  ck_assert_uint_eq(arena_of(plans, "key"), 95);
  put(plans, "key", 93, 90, true);
  ck_assert_uint_eq(arena_of(plans, "key"), 93);
  ck_assert_uint_eq(berthd_plans_n_entries(plans), 1);
  berthd_plans_destroy(plans);
}
END_TEST

START_TEST(failures_expire_and_give_way_to_plans) {
  struct berthd_plans *plans = berthd_plans_create(1 << 20, NULL);
  struct berth_planid id = id_of("bad");
  struct berth_error error;
  (void)!berth_fail(&error, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_PIN, 3, "pin", "no");
  struct berthd_cached *failure = berthd_cached_create_failure(&id, "bad", 3, &error, 1000);
  berthd_plans_put(plans, failure);
  berthd_cached_unref(failure);
  struct berthd_cached *found = berthd_plans_find(plans, &id, "bad", 3, 999);
  ck_assert_ptr_nonnull(found);
  ck_assert_int_eq(found->error.reason, BERTH_REASON_BAD_PIN);
  berthd_cached_unref(found);
  ck_assert_ptr_null(berthd_plans_find_by_id(plans, &id)); /* there is no plan */
  ck_assert_ptr_null(berthd_plans_find(plans, &id, "bad", 3, 1000));
  ck_assert_uint_eq(berthd_plans_n_entries(plans), 0);
  failure = berthd_cached_create_failure(&id, "bad", 3, &error, INT64_MAX);
  put(plans, "bad", 100, 90, false);
  berthd_plans_put(plans, failure);
  berthd_cached_unref(failure);
  ck_assert_uint_eq(arena_of(plans, "bad"), 100);
  berthd_plans_destroy(plans);
}
END_TEST

START_TEST(a_refused_entry_is_removed_and_only_that) {
  struct berthd_plans *plans = berthd_plans_create(1 << 20, NULL);
  put(plans, "key", 100, 90, true);
  struct berth_planid id = id_of("key");
  struct berthd_cached *held = berthd_plans_find(plans, &id, "key", 3, 0);
  put(plans, "key", 90, 90, true);
  (void)berthd_plans_remove(plans, held, BERTHD_EVICTION_REFUSED);
  ck_assert_uint_eq(arena_of(plans, "key"), 90);
  berthd_cached_unref(held);
  held = berthd_plans_find(plans, &id, "key", 3, 0);
  (void)berthd_plans_remove(plans, held, BERTHD_EVICTION_REFUSED);
  ck_assert_uint_eq(arena_of(plans, "key"), 0);
  berthd_cached_unref(held);
  berthd_plans_destroy(plans);
}
END_TEST

START_TEST(measurements_are_kept_with_their_plan) {
  struct berthd_plans *plans = berthd_plans_create(1 << 20, NULL);
  put(plans, "key", 100, 90, false);
  struct berth_planid id = id_of("key");
  struct berthd_cached *cached = berthd_plans_find_by_id(plans, &id);
  struct berth_measured measured;
  berthd_plans_measured(plans, cached, &measured);
  ck_assert(measured.n == 0 && measured.n_all == 0);
  uint64_t before = berthd_plans_n_bytes(plans);
  for (uint64_t i = 1; i <= 20; i++) {
    const struct berth_measurement measurement = {.measured_bytes = 40 - i, .planned_bytes = 10};
    ck_assert(berthd_plans_note(plans, cached, &measurement, &measured));
    ck_assert_uint_eq(measured.n_all, i);
    ck_assert_uint_eq(measured.items[0].measured_bytes, 40 - i);
  }
  ck_assert_uint_eq(berthd_plans_n_bytes(plans), before + sizeof measured);
  ck_assert_uint_eq(measured.n, BERTH_MEASUREMENTS_KEPT);
  for (uint32_t i = 0; i < measured.n; i++) {
    ck_assert_uint_eq(measured.items[i].measured_bytes, 20 + i);
  }
  ck_assert(measured.highest_ratio > 3.89 && measured.highest_ratio < 3.91);
  berthd_cached_unref(cached);
  put(plans, "key", 90, 90, true);
  cached = berthd_plans_find_by_id(plans, &id);
  berthd_plans_measured(plans, cached, &measured);
  ck_assert_uint_eq(measured.n_all, 0); /* another plan */
  berthd_cached_unref(cached);
  berthd_plans_destroy(plans);
}
END_TEST

START_TEST(lists_leave_failures_out) {
  struct berthd_plans *plans = berthd_plans_create(1 << 20, NULL);
  const struct berth_error error = {.code = BERTH_INTERNAL};
  struct berth_planid id = id_of("bad");
  put(plans, "a", 100, 90, true);
  put(plans, "b", 100, 90, false);
  struct berthd_cached *failure = berthd_cached_create_failure(&id, "bad", 3, &error, INT64_MAX);
  berthd_plans_put(plans, failure);
  berthd_cached_unref(failure);
  struct berthd_store_entry *entries[4];
  size_t n = berthd_plans_list(plans, NULL, 4, entries);
  ck_assert_uint_eq(n, 2);
  struct berthd_cached *first = (struct berthd_cached *)entries[0];
  struct berthd_cached *second = (struct berthd_cached *)entries[1];
  ck_assert_int_lt(memcmp(first->id.bytes, second->id.bytes, sizeof first->id.bytes), 0);
  ck_assert_uint_ne(first->serial, second->serial);
  berthd_cached_unref(first);
  berthd_cached_unref(second);
  berthd_plans_destroy(plans);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "cache/plans", (const TTest *const[]){
                         the_whole_key_is_compared_and_not_only_its_hash,
                         a_better_plan_replaces_a_worse_one_and_never_the_other_way,
                         failures_expire_and_give_way_to_plans, a_refused_entry_is_removed_and_only_that,
                         measurements_are_kept_with_their_plan, lists_leave_failures_out, NULL});
}
