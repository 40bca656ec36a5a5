#include "minimalloc/minimalloc.h"

#include "support.h"

static struct kept write_all(const struct berth_problem *problem, const struct berth_plan *plan) {
  struct kept kept;
  struct berth_error err;
  struct berth_sink sink = keep_sink(&kept);
  ck_assert_int_eq(berth_minimalloc_write(problem, plan, sink, &err), BERTH_OK);
  return kept;
}

static void expect_written(const char *text, const char *expected) {
  struct berth_problem *problem = read_text(text);
  struct kept kept = write_all(problem, NULL);
  ck_assert_str_eq(kept.bytes, expected);
  free(kept.bytes);
  berth_problem_unref(problem);
}

START_TEST(columns_appear_where_needed) {
  expect_written("id,start,end,size\na,0,2,4\n", "id,lower,upper,size\na,0,3,4\n");
  expect_written(
      "size,id,lower,upper,alignment,gaps\n8,a,0,9,1,\n8,b,-1,9,4,2-3@0:4 5-6\n",
      "id,lower,upper,size,alignment,gaps\na,0,9,8,1,\nb,-1,9,8,4,2-3@0:4 5-6\n");
  expect_written(
      "id,lower,upper,size,alignment,offset\na,0,9,8,1,\nb,0,9,8,1,64\n",
      "id,lower,upper,size,offset\na,0,9,8,\nb,0,9,8,64\n");
  expect_written("id,lower,upper,size\n", "id,lower,upper,size\n");
  expect_written("id,lower,upper,size\n,0,1,2\n,0,1,2\n", "id,lower,upper,size\n,0,1,2\n,0,1,2\n");
}
END_TEST

START_TEST(minimallocs_output_form) {
  struct berth_problem *problem = read_text("id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nz,1,1,0\n");
  struct berth_plan *plan = plan_with(problem, (const uint64_t[]){0, 4, 2});
  struct kept kept = write_all(problem, plan);
  ck_assert_str_eq(kept.bytes, "id,lower,upper,size,offset\nb1,0,3,4,0\nb2,3,9,4,4\nz,1,2,0,2\n");
  free(kept.bytes);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

/* More than 2 GiB: offsets survive, whatever is 32 bits elsewhere. */
START_TEST(offsets_beyond_32_bits_survive) {
  struct berth_problem *problem = read_text("id,start,end,size\np,1,2,2147483648\nq,1,2,2147483648\n");
  struct berth_plan *plan = plan_with(problem, (const uint64_t[]){0, UINT64_C(2147483648)});
  ck_assert_uint_eq(plan->arena_bytes, UINT64_C(4294967296));
  struct kept kept = write_all(problem, plan);
  struct berth_problem *again = read_text(kept.bytes);
  const struct berth_buffers *buffers = berth_problem_buffers(again);
  ck_assert_uint_eq(buffers->pinned_offset[0], 0);
  ck_assert_uint_eq(buffers->pinned_offset[1], UINT64_C(2147483648));
  ck_assert_uint_eq(buffers->size_bytes[1], UINT64_C(2147483648));
  free(kept.bytes);
  berth_problem_unref(again);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

/* import -> export -> import is identity: what was read is written back byte for byte from then on. */
START_TEST(round_trip_is_identity) {
  static const char *const TEXTS[] = {
      "id,lower,upper,size\na,0,0,0\n\"x,\"\"y\"\"\r\n\",5,9,1\n\"\"\"q\",1,2,3\nu\xc3\xa9,1,2,3\n c "
      ",1,2,3\n",
      "buffer,begin,end,size,gaps,alignment,offset\na,-9,9,64,-8--6@0:64 -5-2@3:3 4-4,32,\nb,0,1,1,,1,77\n",
      "id,lower,upper,size\n,1,2,3\n",
      "id,lower,upper,size,offset\na,3:0,3:1,8,\nb,0:0,0:0,8,16\n",
  };
  for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
    struct berth_problem *first = read_text(TEXTS[i]);
    struct kept once = write_all(first, NULL);
    struct berth_problem *second = read_text(once.bytes);
    struct kept twice = write_all(second, NULL);
    ck_assert_str_eq(once.bytes, twice.bytes);
    const struct berth_buffers *a = berth_problem_buffers(first);
    const struct berth_buffers *b = berth_problem_buffers(second);
    ck_assert_uint_eq(a->n, b->n);
    ck_assert_mem_eq(a->size_bytes, b->size_bytes, a->n * sizeof *a->size_bytes);
    ck_assert_mem_eq(a->lower, b->lower, a->n * sizeof *a->lower);
    ck_assert_mem_eq(a->upper, b->upper, a->n * sizeof *a->upper);
    ck_assert_uint_eq(a->n_clocks, b->n_clocks);
    if (a->n_clocks != 0) {
      ck_assert_mem_eq(a->clock_lower, b->clock_lower, a->n * a->n_clocks * sizeof *a->clock_lower);
      ck_assert_mem_eq(a->clock_upper, b->clock_upper, a->n * a->n_clocks * sizeof *a->clock_upper);
    }
    ck_assert_mem_eq(a->alignment, b->alignment, a->n * sizeof *a->alignment);
    for (uint32_t k = 0; k < a->n; k++) {
      struct berth_text x = berth_problem_buffer_id(first, k);
      struct berth_text y = berth_problem_buffer_id(second, k);
      ck_assert_uint_eq(x.size, y.size);
      ck_assert(x.size == 0 || memcmp(x.data, y.data, x.size) == 0);
    }
    ck_assert_int_eq(a->gap_begin != NULL, b->gap_begin != NULL);
    if (a->gap_begin != NULL) {
      ck_assert_mem_eq(a->gap_begin, b->gap_begin, (a->n + 1) * sizeof *a->gap_begin);
      ck_assert_mem_eq(a->gaps, b->gaps, a->gap_begin[a->n] * sizeof *a->gaps);
    }
    free(once.bytes);
    free(twice.bytes);
    berth_problem_unref(first);
    berth_problem_unref(second);
  }
}
END_TEST

static bool refuse(void *ctx, const char *bytes, size_t n_bytes) {
  (void)bytes;
  (void)n_bytes;
  ++*(int *)ctx;
  return false;
}

START_TEST(a_failed_write_is_told_once) {
  struct berth_problem *problem = read_text("id,lower,upper,size\na,0,1,2\n");
  int n_writes = 0;
  struct berth_error err;
  struct berth_sink sink = {.ctx = &n_writes, .write = refuse};
  ck_assert_int_eq(berth_minimalloc_write(problem, NULL, sink, &err), BERTH_DATA_LOSS);
  ck_assert_int_eq(n_writes, 1);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(what_the_format_cannot_say) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  struct berth_error err;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, &err), BERTH_OK);
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.upper = 1;
  spec.size_bytes = 1;
  uint32_t a;
  uint32_t b;
  ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, &a, &err), BERTH_OK);
  spec.lower = 1;
  spec.upper = 2;
  ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &spec, &b, &err), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_add_conflict(builder, a, b, &err), BERTH_OK);
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, &err), BERTH_OK);
  struct kept kept;
  struct berth_sink sink = keep_sink(&kept);
  ck_assert_int_eq(berth_minimalloc_write(problem, NULL, sink, &err), BERTH_FAILED_PRECONDITION);
  ck_assert_uint_eq(kept.n, 0);
  berth_problem_unref(problem);
  berth_problem_builder_destroy(builder);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "minimalloc/write",
      (const TTest *const[]){
          columns_appear_where_needed, minimallocs_output_form, offsets_beyond_32_bits_survive,
          round_trip_is_identity, a_failed_write_is_told_once, what_the_format_cannot_say, NULL});
}
