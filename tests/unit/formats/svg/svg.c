#include "svg/svg.h"

#include "markup.h"
#include "support.h"
#include "json/problem.h"

enum { CANVAS = 3600 };

static struct markup_count draw(
    const struct berth_problem *problem, const struct berth_plan *plan, const char *title,
    struct kept *kept) {
  struct berth_error err = {.code = BERTH_OK};
  struct berth_sink sink = keep_sink(kept);
  enum berth_code code = berth_svg_write(problem, plan, title, NULL, sink, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  struct markup_count count;
  const char *wrong = markup_check(kept->bytes, CANVAS, &count);
  ck_assert_msg(wrong == NULL, "not well formed: %s", wrong);
  return count;
}

START_TEST(the_reader_sees_what_is_wrong) {
  static const char *const WRONG[] = {
      "",           "text",     "<a>",         "<a></b>",         "<a x=\"-1\"/>", "<a x=\"nan\"/>",
      "<a>&b;</a>", "<a b=c/>", "<a>\x01</a>", "<a x=\"4000\"/>", "<a></a>x",      "<a y=\"1 2\"/>"};
  struct markup_count count;
  for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
    ck_assert_msg(markup_check(WRONG[i], CANVAS, &count) != NULL, "%s", WRONG[i]);
  }
  ck_assert_ptr_null(markup_check("<a x=\"1.5\"><rect/>&lt;\n</a>\n", CANVAS, &count));
  ck_assert_uint_eq(count.n_rects, 1);
}
END_TEST

START_TEST(every_buffer_is_drawn_and_named) {
  struct berth_problem *problem =
      read_text("id,lower,upper,size,gaps\nb1,0,3,4,\n<b>&2,3,9,4,4-5 6-7@0:2\nz,0,9,0,\n,0,9,4,\n");
  struct berth_plan *plan = plan_with(problem, (const uint64_t[]){0, 0, 0, 4});
  plan->lower_bound_bytes = plan->peak_bytes = 8;
  struct berth_pool_result *pool = berth_plan_pools_mut(plan);
  pool->lower_bound_bytes = pool->peak_bytes = 8;
  struct kept kept;
  struct markup_count count = draw(problem, plan, "a <title> & \"more\"", &kept);
  /* the picture's, b1's, those of the second's four pieces (before, between, window, behind), the unnamed's;
   * a zero size is not drawn */
  ck_assert_uint_eq(count.n_titles, 1 + 1 + 4 + 1);
  static const char *const WORDS[] = {
      "&lt;b&gt;&amp;2: 4 B, steps 3 to 9, offset 0", "#3: 4 B", "a &lt;title&gt; &amp; &quot;more&quot;",
      "arena = bound", "peak, step 0"};
  for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
    ck_assert_msg(strstr(kept.bytes, WORDS[i]) != NULL, "%s", WORDS[i]);
  }
  ck_assert_ptr_null(strstr(kept.bytes, ">z:"));
  free(kept.bytes);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

START_TEST(awkward_plans) {
  static const char *const TEXTS[] = {
      "id,lower,upper,size\n",
      "id,lower,upper,size\nz,5,5,0\n",
      "id,lower,upper,size\na,-9223372036854775808,9223372036854775807,4611686018427387904\n",
      "id,lower,upper,size\na,9007199254740992,9007199254740994,1\n",
      "id,lower,upper,size\na,-9223372036854775808,-9223372036854775807,1\n",
  };
  for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
    struct berth_problem *problem = read_text(TEXTS[i]);
    struct berth_plan *plan = plan_with(problem, (const uint64_t[]){0});
    struct kept kept;
    draw(problem, plan, NULL, &kept);
    free(kept.bytes);
    berth_plan_unref(plan);
    berth_problem_unref(problem);
  }
}
END_TEST

START_TEST(a_plan_that_does_not_fit) {
  struct berth_problem *problem = read_text("id,lower,upper,size\na,0,2,10\nb,1,2,10\n");
  struct berth_plan *plan = berth_plan_create(NULL, 2, 1);
  plan->status = BERTH_PLAN_INFEASIBLE;
  plan->lower_bound_bytes = 20;
  plan->short_by_bytes = 5;
  plan->offset = NULL;
  plan->pool = NULL;
  struct kept kept;
  draw(problem, plan, NULL, &kept);
  ck_assert_ptr_nonnull(strstr(kept.bytes, "does not fit"));
  ck_assert_ptr_nonnull(strstr(kept.bytes, "short by 5 B"));
  free(kept.bytes);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

/* Tiny boxes of every colour all over the place: the worst for the grid. */
START_TEST(size_is_bounded_for_many_buffers) {
  enum { N = 200000, ROW_BYTES = 40 };
  char *text = malloc((size_t)N * ROW_BYTES + 64);
  uint64_t *offsets = malloc(N * sizeof *offsets);
  ck_assert(text != NULL && offsets != NULL);
  size_t n = (size_t)sprintf(text, "id,lower,upper,size\n");
  for (unsigned i = 0; i < N; i++) {
    unsigned lower = i * 7919 % 100000;
    n += (size_t)sprintf(text + n, "%u,%u,%u,64\n", i, lower, lower + 1 + i % 3 * 700);
    offsets[i] = (uint64_t)(i % 500) * 64;
  }
  struct berth_problem *problem = read_bytes(text, n);
  struct berth_plan *plan = plan_with(problem, offsets);
  struct kept kept;
  struct markup_count count = draw(problem, plan, "many", &kept);
  ck_assert_uint_le(kept.n, 4000000);
  ck_assert_uint_ge(count.n_rects, 3000); /* the largest are still boxes of their own */
  ck_assert_ptr_nonnull(strstr(kept.bytes, "crispEdges"));
  ck_assert_ptr_nonnull(strstr(kept.bytes, "<path class=\"g"));
  free(kept.bytes);
  free(text);
  free(offsets);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

static struct berth_problem *two_pools_with_every_class(void) {
  struct berth_problem_builder *builder;
  struct berth_problem *problem;
  static const struct berth_text NAMES[] = {{"on<chip", 7}, {"dram", 4}};
  uint32_t unused;
  ck_assert_int_eq(berth_problem_builder_create(NULL, &builder, NULL), BERTH_OK);
  for (unsigned i = 0; i < 2; i++) {
    struct berth_pool_spec pool = berth_pool_spec_default();
    pool.name = NAMES[i];
    ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, &unused, NULL), BERTH_OK);
  }
  for (unsigned i = 0; i < BERTH_N_CLASSES; i++) {
    struct berth_buffer_spec buffer = berth_buffer_spec_default();
    buffer.size_bytes = 100;
    buffer.upper = 10;
    buffer.class_ = (enum berth_buffer_class)i;
    ck_assert_int_eq(berth_problem_builder_add_buffer(builder, &buffer, &unused, NULL), BERTH_OK);
  }
  ck_assert_int_eq(berth_problem_builder_finish(builder, &problem, NULL), BERTH_OK);
  berth_problem_builder_destroy(builder);
  return problem;
}

START_TEST(classes_and_pools) {
  struct berth_problem *problem = two_pools_with_every_class();
  struct berth_plan *plan = berth_plan_create(NULL, BERTH_N_CLASSES, 2);
  for (uint32_t i = 0; i < BERTH_N_CLASSES; i++) {
    berth_plan_offset_mut(plan)[i] = 100 * (i / 2);
    berth_plan_pool_mut(plan)[i] = i % 2;
    plan->class_bytes[i] = 100;
  }
  for (unsigned i = 0; i < 2; i++) {
    berth_plan_pools_mut(plan)[i].arena_bytes = 300;
  }
  struct kept kept;
  draw(problem, plan, NULL, &kept);
  static const char *const WORDS[] = {"pool on&lt;chip", "pool dram", "workspace 100 B", "constant 100 B"};
  for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++) {
    ck_assert_msg(strstr(kept.bytes, WORDS[i]) != NULL, "%s", WORDS[i]);
  }
  free(kept.bytes);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

static struct berth_problem *graph_with_tenants(void) {
  static const char TEXT[] =
      "{\"values\": [{\"id\": \"a\", \"size\": 8}, {\"id\": \"b&\", \"size\": 8},"
      "  {\"id\": \"left\", \"size\": 4, \"view_of\": \"b&\"}, {\"id\": \"c\", \"size\": 8, \"class\": "
      "\"output\"}],"
      " \"operators\": [{\"outputs\": [\"a\"]},"
      "  {\"inputs\": [\"a\"], \"outputs\": [\"b&\"], \"inplace\": [{\"input\": \"a\", \"output\": \"b&\"}]},"
      "  {\"inputs\": [\"left\"], \"outputs\": [\"c\"]}]}";
  struct berth_problem *problem = NULL;
  ck_assert_int_eq(berth_json_read_problem(TEXT, sizeof TEXT - 1, NULL, &problem, NULL), BERTH_OK);
  return problem;
}

START_TEST(views_and_results_in_place_are_outlined) {
  struct berth_problem *problem = graph_with_tenants();
  struct berth_plan *plan = plan_with(problem, (const uint64_t[]){0, 8});
  struct kept kept;
  draw(problem, plan, NULL, &kept);
  unsigned n = 0;
  for (const char *at = kept.bytes; (at = strstr(at, "class=\"tenant\"")) != NULL; at++) {
    n++;
  }
  ck_assert_uint_eq(n, 2); /* b in a's place, and left in b's */
  ck_assert_ptr_nonnull(strstr(kept.bytes, ">b&amp;</text>"));
  ck_assert_ptr_nonnull(strstr(kept.bytes, ">left</text>"));
  free(kept.bytes);
  berth_plan_unref(plan);
  berth_problem_unref(problem);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "svg/svg", (const TTest *const[]){
                     the_reader_sees_what_is_wrong, every_buffer_is_drawn_and_named, awkward_plans,
                     a_plan_that_does_not_fit, size_is_bounded_for_many_buffers, classes_and_pools,
                     views_and_results_in_place_are_outlined, NULL});
}
