/* Who judges the judges: the exhaustive optimum against what is known by construction, against the answers of
 * the table of known answers elsewhere, and its two searches against each other. */
#include "campaign.h"
#include "oracle.h"
#include "suite.h"

static struct sample sample;

static uint32_t all_members(uint32_t *members) {
  for (uint32_t i = 0; i < sample.n_buffers; i++) {
    members[i] = i;
  }
  return sample.n_buffers;
}

START_TEST(perfect_packings_are_found) {
  struct campaign campaign = campaign_plan(3000);
  uint32_t n_checked = 0;
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    sample_generate(&sample, &rng, k % 2 == 0 ? SAMPLE_GUILLOTINE : SAMPLE_PINWHEEL, 5 + k % 3, 0);
    if (sample.n_buffers > 7) {
      continue;
    }
    uint32_t members[8];
    uint32_t n = all_members(members);
    ck_assert_uint_eq(sample_load(&sample), sample.optimum);
    ck_assert_msg(oracle_optimum(&sample, 0, members, n) == sample.optimum, "problem %u", k);
    n_checked++;
  }
  ck_assert_uint_gt(n_checked, 0);
}
END_TEST

/* An absent gap behind the end of everything changes nothing, but makes the other search run. */
START_TEST(both_searches_agree) {
  struct campaign campaign = campaign_plan(3000);
  for (uint32_t k = campaign.first; k < campaign.end; k++) {
    struct berth_rng rng = campaign_seed(k);
    uint32_t features =
        (k % 2 ? SAMPLE_ALIGNED : 0) | (k % 3 ? 0 : SAMPLE_PINNED) | (k % 5 ? 0 : SAMPLE_CONFLICTS);
    sample_generate(&sample, &rng, (enum sample_family)(k % SAMPLE_TRAP), 4, features);
    if (sample.n_buffers > 5) {
      continue;
    }
    uint32_t members[8];
    uint32_t n = all_members(members);
    uint64_t by_orders = oracle_optimum(&sample, 0, members, n);
    struct sample_buffer *first = &sample.buffers[0];
    sample_add_gap(first, first->spec.lower, first->spec.upper, 0, first->spec.size_bytes);
    ck_assert_msg(oracle_optimum(&sample, 0, members, n) == by_orders, "problem %u", k);
  }
}
END_TEST

/* Report 39: 100 in bytes, 140 in whole slots. */
START_TEST(whole_slots) {
  sample_clear(&sample);
  sample_add(&sample, 60, 1, 3);
  sample_add(&sample, 40, 1, 3);
  sample_add(&sample, 100, 3, 5);
  const uint32_t members[] = {0, 1, 2};
  ck_assert_uint_eq(oracle_optimum(&sample, 0, members, 3), 100);
  sample.n_pools = 1;
  sample.pools[0] = berth_pool_spec_default();
  sample.pools[0].kind = BERTH_POOL_SLOTS;
  ck_assert_uint_eq(oracle_optimum(&sample, 0, members, 3), 140);
}
END_TEST

int main(void) {
  sample_init(&sample);
  int status = berth_suite_run(
      "property/brute",
      (const TTest *const[]){perfect_packings_are_found, both_searches_agree, whole_slots, NULL});
  sample_finish(&sample);
  return status;
}
