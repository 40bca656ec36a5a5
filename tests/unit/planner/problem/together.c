/* Compositions: what they come to, and each thing that can be wrong with one. */
#include "berth/together.h"
#include "berth/canonical.h"

#include "problems.h"

enum { MOST_PARTS = 6 };

static struct berth_problem *parts_of_test[MOST_PARTS];
static struct berth_named_problem parts[MOST_PARTS];
static uint32_t n_parts;

static struct berth_buffer_spec plain(const char *id, uint64_t size, int64_t lower, int64_t upper) {
  struct berth_buffer_spec spec = berth_buffer_spec_default();
  spec.id = text(id);
  spec.size_bytes = size;
  spec.lower = lower;
  spec.upper = upper;
  return spec;
}

static void part(const char *name, struct berth_problem *problem) {
  parts_of_test[n_parts] = problem;
  parts[n_parts++] = (struct berth_named_problem){.name = text(name), .problem = problem};
}

/* "x" of `size` bytes, and the shared "s". */
static void small(const char *name, uint64_t size) {
  struct berth_problem_builder *builder = start();
  struct berth_buffer_spec x = plain("x", size, 5, 8);
  struct berth_buffer_spec s = plain("s", 100, 6, 7);
  add(builder, &x);
  add(builder, &s);
  part(name, finish(builder));
}

static void drop(void) {
  for (uint32_t p = 0; p < n_parts; p++) {
    berth_problem_unref(parts_of_test[p]);
  }
  n_parts = 0;
}

static struct berth_composition
composition_of(uint32_t n_sets, const uint32_t *ends, const uint32_t *members) {
  return (struct berth_composition){
      .parts = parts, .n_parts = n_parts, .n_sets = n_sets, .set_end = ends, .set_parts = members};
}

static struct berth_problem *compose(const struct berth_composition *composition) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {0};
  enum berth_code code = berth_problem_compose(composition, NULL, &problem, &err);
  ck_assert_msg(code == BERTH_OK, "%s", err.message);
  return problem;
}

static void id_is(const struct berth_problem *problem, uint32_t buffer, const char *expected) {
  struct berth_text id = berth_problem_buffer_id(problem, buffer);
  ck_assert_uint_eq(id.size, strlen(expected));
  ck_assert_mem_eq(id.data, expected, id.size);
}

/* ---- What they come to ---- */

START_TEST(shared_first_then_one_after_another) {
  small("a", 10);
  small("b", 20);
  const struct berth_text shared = text("s");
  struct berth_composition composition = composition_of(0, NULL, NULL);
  composition.shared = &shared;
  composition.n_shared = 1;
  struct berth_problem *problem = compose(&composition);
  drop(); /* it has references of its own */
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->n, 3);
  ck_assert_uint_eq(buffers->n_clocks, 0);
  id_is(problem, 0, "s");
  id_is(problem, 1, "a/x");
  id_is(problem, 2, "b/x");
  ck_assert_int_eq(buffers->lower[0], 0);
  ck_assert_int_eq(buffers->upper[0], 6);
  ck_assert_int_eq(buffers->lower[1], 0);
  ck_assert_int_eq(buffers->upper[1], 3);
  ck_assert_int_eq(buffers->lower[2], 3);
  ck_assert_int_eq(buffers->upper[2], 6);
  const struct berth_composed *view = berth_problem_composed(problem);
  ck_assert_uint_eq(view->n, 2);
  ck_assert_uint_eq(view->n_shared, 1);
  ck_assert_uint_eq(view->part_of[0], BERTH_NO_INDEX);
  ck_assert_uint_eq(view->part_of[2], 1);
  ck_assert_uint_eq(view->buffer[view->buffer_begin[1] + 1], 0); /* b's "s" */
  ck_assert_int_eq(view->step_of[1], 3 - 5);
  ck_assert(!berth_composed_at_once(view, 0, 1));
  berth_problem_unref(problem);
}
END_TEST

START_TEST(at_once_is_a_chain_each) {
  small("a", 10);
  small("b", 20);
  struct berth_composition composition = composition_of(1, (const uint32_t[]){2}, (const uint32_t[]){0, 1});
  struct berth_problem *problem = compose(&composition);
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  ck_assert_uint_eq(buffers->n_clocks, 2);
  for (uint32_t a = 0; a < 2; a++) {
    for (uint32_t b = 2; b < 4; b++) {
      ck_assert(!berth_buffers_before(buffers, a, b));
      ck_assert(!berth_buffers_before(buffers, b, a));
    }
  }
  ck_assert_ptr_null(berth_problem_composed(problem)->step_of);
  berth_problem_unref(problem);
  drop();
}
END_TEST

static bool meet(const struct berth_problem *problem, uint32_t a, uint32_t b) {
  const struct berth_buffers *buffers = berth_problem_buffers(problem);
  for (uint32_t i = 0; i < buffers->n_conflicts; i++) {
    if (buffers->conflicts[i][0] == a && buffers->conflicts[i][1] == b) {
      return true;
    }
  }
  return !berth_buffers_before(buffers, a, b) && !berth_buffers_before(buffers, b, a);
}

/* All pairs of parts in a row, in every relation of four and of five: who meets whom is exactly the relation.
 */
START_TEST(every_relation_is_met_exactly) {
  static uint32_t ends[16];
  static uint32_t members[32];
  uint32_t n_with_pairs = 0;
  for (uint32_t n = 2; n <= 5; n++) {
    for (uint32_t p = 0; p < n; p++) {
      struct berth_problem_builder *builder = start();
      struct berth_buffer_spec x = plain(NULL, 1 + p, 0, 2);
      struct berth_buffer_spec y = plain(NULL, 1 + p, 2, 3);
      add(builder, &x);
      add(builder, &y);
      part((const char *const[]){"a", "b", "c", "d", "e"}[p], finish(builder));
    }
    uint32_t n_pairs = n * (n - 1) / 2;
    for (uint32_t relation = 0; relation < UINT32_C(1) << n_pairs; relation++) {
      bool at_once[5][5] = {{false}};
      uint32_t n_sets = 0;
      uint32_t bit = 0;
      for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = a + 1; b < n; b++, bit++) {
          if ((relation >> bit & 1) != 0) {
            members[2 * n_sets] = a;
            members[2 * n_sets + 1] = b;
            ends[n_sets] = 2 * n_sets + 2;
            n_sets++;
            at_once[a][b] = true;
          }
        }
      }
      struct berth_composition composition = composition_of(n_sets, ends, members);
      struct berth_problem *problem = compose(&composition);
      n_with_pairs += berth_problem_buffers(problem)->n_conflicts != 0;
      for (uint32_t a = 0; a < 2 * n; a++) {
        ck_assert(!(a % 2 == 0 && meet(problem, a, a + 1))); /* x before y */
        for (uint32_t b = a + 1; b < 2 * n; b++) {
          ck_assert_msg(
              a / 2 == b / 2 || meet(problem, a, b) == at_once[a / 2][b / 2], "%u parts, relation %u: %u %u",
              n, relation, a, b);
        }
      }
      berth_problem_unref(problem);
    }
    drop();
  }
  ck_assert_uint_eq(n_with_pairs, 12); /* the rings of five */
}
END_TEST

/* Windows are kept where all parts are in a row, and where few pairs say who is apart. */
START_TEST(gaps_come_along) {
  for (int at_once = 0; at_once < 2; at_once++) {
    struct berth_problem_builder *builder = start();
    struct berth_buffer_spec x = plain("x", 64, 0, 9);
    const struct berth_gap gap = {.lower = 2, .upper = 5, .window_lower = 8, .window_upper = 16};
    x.gaps = &gap;
    x.n_gaps = 1;
    add(builder, &x);
    small("a", 10);
    part("b", finish(builder));
    struct berth_composition composition =
        composition_of((uint32_t)at_once, (const uint32_t[]){2}, (const uint32_t[]){0, 1});
    struct berth_problem *problem = compose(&composition);
    const struct berth_buffers *buffers = berth_problem_buffers(problem);
    ck_assert_ptr_nonnull(buffers->gap_begin);
    ck_assert_int_eq(buffers->gaps[0].lower, 3 + 2);
    ck_assert_uint_eq(buffers->gaps[0].window_upper, 16);
    ck_assert_uint_eq(buffers->n_conflicts, at_once == 1 ? 2 : 0);
    berth_problem_unref(problem);
    drop();
  }
}
END_TEST

static size_t n_encoded;
static void count(void *ctx, const void *bytes, size_t n_bytes) {
  uint64_t *hash = ctx;
  for (size_t i = 0; i < n_bytes; i++) {
    *hash = (*hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
  }
  n_encoded += n_bytes;
}

static uint64_t key(const struct berth_problem *problem) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  uint32_t order[16];
  ck_assert_int_eq(berth_problem_canonical_order(problem, NULL, order, NULL), BERTH_OK);
  ck_assert_int_eq(berth_problem_canonical_encode(problem, order, NULL, &hash, count, NULL), BERTH_OK);
  return hash;
}

START_TEST(names_stay_out_of_the_key_and_relations_do_not) {
  uint64_t keys[4];
  const struct berth_text shared = text("s");
  for (int i = 0; i < 4; i++) {
    small(i == 1 ? "other" : "a", 10);
    small("b", 20);
    struct berth_composition composition =
        composition_of(i == 2, (const uint32_t[]){2}, (const uint32_t[]){0, 1});
    composition.shared = &shared;
    composition.n_shared = i == 3;
    struct berth_problem *problem = compose(&composition);
    keys[i] = key(problem);
    berth_problem_unref(problem);
    drop();
  }
  ck_assert_uint_eq(keys[0], keys[1]);
  ck_assert_uint_ne(keys[0], keys[2]);
  ck_assert_uint_ne(keys[0], keys[3]);
}
END_TEST

/* ---- What can be wrong ---- */

static void refused(
    const struct berth_composition *composition, enum berth_reason reason, uint32_t index, const char *field,
    const char *message) {
  struct berth_problem *problem = NULL;
  struct berth_error err = {0};
  ck_assert_int_ne(berth_problem_compose(composition, NULL, &problem, &err), BERTH_OK);
  ck_assert_ptr_null(problem);
  ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
  ck_assert_str_eq(err.field, field);
  ck_assert_uint_eq(err.index, index);
  ck_assert_int_eq(err.reason, reason);
}

START_TEST(parts_that_are_none) {
  struct berth_composition composition = composition_of(0, NULL, NULL);
  refused(&composition, BERTH_REASON_MISSING_FIELD, BERTH_NO_INDEX, "parts", "one part at least");
  small("a", 10);
  small("a", 20);
  composition = composition_of(0, NULL, NULL);
  refused(
      &composition, BERTH_REASON_DUPLICATE_ID, 1, "parts.name", "part 1 (\"a\"): part 0 has the same name");
  parts[1].name = text("");
  refused(&composition, BERTH_REASON_MISSING_FIELD, 1, "parts.name", "part 1 has no name");
  parts[1].name = text("\xff");
  refused(&composition, BERTH_REASON_BAD_TEXT, 1, "parts.name", "part 1 is not UTF-8");
  parts[1].name = text("b");
  parts[1].problem = NULL;
  refused(&composition, BERTH_REASON_MISSING_FIELD, 1, "parts", "part 1 (\"b\") has no problem");
  composition.n_parts = 1;
  struct berth_problem *whole = compose(&composition);
  composition.n_parts = 2;
  parts[1].problem = whole;
  refused(&composition, BERTH_REASON_BAD_PART, 1, "parts", "has parts itself");
  composition.n_parts = BERTH_MAX_PARTS + 1;
  refused(&composition, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, "parts", "at most 256");
  berth_problem_unref(whole);
  drop();
}
END_TEST

START_TEST(pools_that_differ) {
  small("a", 10);
  struct berth_problem_builder *builder = start();
  struct berth_pool_spec pool = berth_pool_spec_default();
  pool.name = text("arena");
  pool.capacity_bytes = 1000;
  ck_assert_int_eq(berth_problem_builder_add_pool(builder, &pool, NULL, NULL), BERTH_OK);
  part("b", finish(builder));
  struct berth_composition composition = composition_of(0, NULL, NULL);
  refused(
      &composition, BERTH_REASON_BAD_POOL, 1, "parts.pools", "pool 0 of part 1 (\"b\") is not as in part 0");
  drop();
}
END_TEST

START_TEST(sets_that_are_none) {
  small("a", 10);
  small("b", 20);
  struct berth_composition composition = composition_of(1, (const uint32_t[]){1}, (const uint32_t[]){0});
  refused(&composition, BERTH_REASON_BAD_PART, 0, "together", "set 0 has fewer than two parts");
  composition = composition_of(1, (const uint32_t[]){2}, (const uint32_t[]){0, 7});
  refused(&composition, BERTH_REASON_UNKNOWN_ID, 0, "together", "set 0 names part 7; there are 2");
  composition = composition_of(1, (const uint32_t[]){2}, (const uint32_t[]){1, 1});
  refused(&composition, BERTH_REASON_BAD_PART, 0, "together", "set 0 names part 1 (\"b\") twice");
  composition = composition_of(2, (const uint32_t[]){2, 1}, (const uint32_t[]){0, 1});
  refused(&composition, BERTH_REASON_BAD_PART, 1, "together", "set 1 has fewer");
  drop();
}
END_TEST

static void with_shared(struct berth_buffer_spec s) {
  struct berth_problem_builder *builder = start();
  add(builder, &s);
  part("b", finish(builder));
}

START_TEST(what_is_shared_must_agree) {
  const struct {
    struct berth_buffer_spec spec;
    const char *message;
  } cases[] = {
      {plain("s", 101, 0, 1), "has size 100 in part \"a\" and 101 in part \"b\""},
      {plain("s", 100, 0, 1), "has class 0 in part \"a\" and 4 in part \"b\""},
      {plain("s", 100, 0, 1), "has alignment 1 in part \"a\" and 64 in part \"b\""},
      {plain("s", 100, 0, 1), "has number of accesses 1 in part \"a\" and 2 in part \"b\""},
      {plain("s", 100, 0, 1), "has other pins in part \"a\" than in part \"b\""},
      {plain("t", 100, 0, 1), "shared buffer \"s\" is in part \"a\" alone"},
  };
  const struct berth_text shared = text("s");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct berth_buffer_spec spec = cases[i].spec;
    spec.class_ = i == 1 ? BERTH_CLASS_STATE : BERTH_CLASS_TEMPORARY;
    spec.alignment = i == 2 ? 64 : 1;
    spec.accesses = i == 3 ? 2 : 1;
    spec.pinned_offset = i == 4 ? 0 : BERTH_UNPINNED;
    small("a", 10);
    with_shared(spec);
    struct berth_composition composition = composition_of(0, NULL, NULL);
    composition.shared = &shared;
    composition.n_shared = 1;
    refused(&composition, BERTH_REASON_BAD_PART, 0, "shared", cases[i].message);
    drop();
  }
}
END_TEST

START_TEST(ids_that_name_nothing) {
  small("a", 10);
  small("b", 10);
  const struct berth_text shared[2] = {text("s"), text("s")};
  struct berth_composition composition = composition_of(0, NULL, NULL);
  composition.shared = shared;
  composition.n_shared = 2;
  refused(&composition, BERTH_REASON_DUPLICATE_ID, 1, "shared", "\"s\" is named twice");
  const struct berth_text unknown = text("kv");
  composition.shared = &unknown;
  composition.n_shared = 1;
  refused(&composition, BERTH_REASON_UNKNOWN_ID, 0, "shared", "no part has a buffer \"kv\"");
  const struct berth_text nothing = text("");
  composition.shared = &nothing;
  refused(&composition, BERTH_REASON_MISSING_FIELD, 0, "shared", "shared buffer 0 has no id");
  drop();
}
END_TEST

/* A temporary of a graph may be written over in place; nobody else would know. */
START_TEST(temporaries_of_graphs_are_not_shared) {
  for (int k = 0; k < 2; k++) {
    struct berth_problem_builder *builder = start();
    struct berth_value_spec value = berth_value_spec_default();
    value.id = text("v");
    value.size_bytes = 8;
    value.class_ = BERTH_CLASS_INPUT;
    ck_assert_int_eq(berth_problem_builder_add_value(builder, &value, NULL, NULL), BERTH_OK);
    part(k == 0 ? "a" : "b", finish(builder));
  }
  const struct berth_text shared = text("v");
  struct berth_composition composition = composition_of(0, NULL, NULL);
  composition.shared = &shared;
  composition.n_shared = 1;
  refused(&composition, BERTH_REASON_BAD_PART, 0, "shared", "\"v\" is no constant or state in part \"a\"");
  drop();
}
END_TEST

/* Each part may have its pin, until they may run at once. */
START_TEST(pins_that_meet) {
  for (int k = 0; k < 2; k++) {
    struct berth_problem_builder *builder = start();
    struct berth_buffer_spec x = plain("x", 8, 0, 1);
    x.pinned_offset = 0;
    add(builder, &x);
    part(k == 0 ? "a" : "b", finish(builder));
  }
  struct berth_composition composition = composition_of(0, NULL, NULL);
  berth_problem_unref(compose(&composition));
  composition = composition_of(1, (const uint32_t[]){2}, (const uint32_t[]){0, 1});
  refused(&composition, BERTH_REASON_BAD_PIN, 1, "parts", "buffer 1 (\"b/x\")");
  drop();
}
END_TEST

int main(void) {
  return berth_suite_run(
      "problem/together",
      (const TTest *const[]){
          shared_first_then_one_after_another, at_once_is_a_chain_each, every_relation_is_met_exactly,
          gaps_come_along, names_stay_out_of_the_key_and_relations_do_not, parts_that_are_none,
          pools_that_differ, sets_that_are_none, what_is_shared_must_agree, ids_that_name_nothing,
          temporaries_of_graphs_are_not_shared, pins_that_meet, NULL});
}
