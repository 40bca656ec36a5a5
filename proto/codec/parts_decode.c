/* A composition: each part is a problem of its own, decoded by itself. */
#include <stdio.h>
#include <string.h>

#include "berth/together.h"
#include "codec/feed.h"

/* "problem.buffer_lower[17]" of part 2 is "problem.parts[2].problem.buffer_lower[17]". */
static void blame_part(struct berth_error *err, size_t part) {
  char path[2 * BERTH_FIELD_SIZE];
  if (err == NULL || err->field[0] == '\0') {
    return;
  }
  snprintf(path, sizeof path, "problem.parts[%zu].%s", part, err->field);
  snprintf(err->field, sizeof err->field, "%.*s", BERTH_FIELD_SIZE - 1, path);
}

static struct berth_text text_of(const char *text) {
  return (struct berth_text){.data = text, .size = (uint32_t)strlen(text)};
}

static enum berth_code read_part(
    const struct berth_codec *codec, const Berth__V1__Part *part, size_t index, enum berth_reuse reuse,
    struct berth_named_problem *out, struct berth_error *err) {
  out->name = text_of(part->name);
  bool is_nested = part->problem != NULL && part->problem->n_parts != 0;
  enum berth_code code =
      is_nested ? berth_fail(
                      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_PART, BERTH_NO_INDEX, "problem.parts",
                      "a part has parts itself; they are to be named beside the others")
                : berth_codec_problem_from_message(codec, part->problem, reuse, &out->problem, err);
  if (code != BERTH_OK) {
    blame_part(err, index);
  }
  return code;
}

/* All parts together are held to the limits of one problem. */
static enum berth_code
check_sums(const struct berth_codec *codec, const Berth__V1__Problem *m, struct berth_error *err) {
  uint64_t n_buffers = 0;
  uint64_t n_operators = 0;
  for (size_t i = 0; i < m->n_parts; i++) {
    const Berth__V1__Problem *part = m->parts[i]->problem;
    n_buffers += part != NULL ? part->n_buffer_size_bytes + part->n_value_size_bytes : 0;
    n_operators += part != NULL ? part->n_operator_input_end : 0;
  }
  if (n_buffers > codec->limits.buffers || n_operators > codec->limits.operators) {
    return berth_fail(
        err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, "problem.parts",
        "problem.parts: more buffers, values or operators in all parts than the limit of one problem");
  }
  return BERTH_OK;
}

static enum berth_code
check_lists(const struct berth_codec *codec, const Berth__V1__Problem *m, struct berth_error *err) {
  const struct feed feed = {.codec = codec, .message = m, .err = err};
  enum berth_code code = check_sums(codec, m, err);
  if (code == BERTH_OK) {
    code = feed_check_ends(
        &feed, "together_end", m->n_together_end, m->together_end, "together_part", m->n_together_part);
  }
  if (code == BERTH_OK && m->n_together_end != 0 &&
      m->together != BERTH__V1__TOGETHER__TOGETHER_UNSPECIFIED) {
    return feed_refuse(
        &feed, BERTH_REASON_MALFORMED, "together_end", 0,
        "sets are named, and together says it of all parts");
  }
  for (size_t i = 0; i < m->n_shared && code == BERTH_OK; i++) {
    if (strlen(m->shared[i]) > codec->limits.text_bytes) {
      return feed_refuse(&feed, BERTH_REASON_LIMIT_EXCEEDED, "shared", i, "the id is longer than the limit");
    }
  }
  return code;
}

/* The composition's words, as fields of the message. */
static enum berth_code blame_whole(struct berth_error *err, enum berth_code code) {
  static const struct {
    const char *word;
    const char *list;
    const char *field;
  } WORDS[] = {
      {"parts.name", "parts", ".name"}, {"parts.pools", "parts", ".problem.pools"},
      {"parts", "parts", ""},           {"together", "together_end", ""},
      {"shared", "shared", ""},
  };
  for (size_t i = 0; err != NULL && i < sizeof WORDS / sizeof WORDS[0]; i++) {
    if (strcmp(err->field, WORDS[i].word) != 0) {
      continue;
    }
    if (err->index == BERTH_NO_INDEX) {
      snprintf(err->field, sizeof err->field, "problem.%s", WORDS[i].list);
    } else {
      snprintf(err->field, sizeof err->field, "problem.%s[%u]%s", WORDS[i].list, err->index, WORDS[i].field);
    }
    return code;
  }
  return code;
}

struct lists {
  struct berth_named_problem *parts;
  struct berth_text *shared;
  uint32_t all_end; /* the one set of "add" */
  uint32_t *all_parts;
};

static bool take_lists(const struct feed *feed, struct lists *lists) {
  const Berth__V1__Problem *m = feed->message;
  lists->parts = feed_take(feed, m->n_parts, sizeof *lists->parts);
  lists->shared = feed_take(feed, m->n_shared, sizeof *lists->shared);
  lists->all_parts = feed_take(feed, m->n_parts, sizeof *lists->all_parts);
  for (size_t i = 0; lists->parts != NULL && i < m->n_parts; i++) {
    lists->parts[i] = (struct berth_named_problem){.problem = NULL};
  }
  return lists->parts != NULL && lists->shared != NULL && lists->all_parts != NULL;
}

static void give_back_lists(const struct feed *feed, struct lists *lists) {
  const Berth__V1__Problem *m = feed->message;
  for (size_t i = 0; lists->parts != NULL && i < m->n_parts; i++) {
    berth_problem_unref(lists->parts[i].problem);
  }
  feed_give_back(feed, lists->parts, m->n_parts, sizeof *lists->parts);
  feed_give_back(feed, lists->shared, m->n_shared, sizeof *lists->shared);
  feed_give_back(feed, lists->all_parts, m->n_parts, sizeof *lists->all_parts);
}

static enum berth_code
compose(const struct feed *feed, struct lists *lists, struct berth_problem **out_problem) {
  const Berth__V1__Problem *m = feed->message;
  struct berth_composition composition = {
      .parts = lists->parts,
      .n_parts = (uint32_t)m->n_parts,
      .set_end = m->together_end,
      .set_parts = m->together_part,
      .n_sets = (uint32_t)m->n_together_end,
      .shared = lists->shared,
      .n_shared = (uint32_t)m->n_shared};
  for (size_t i = 0; i < m->n_shared; i++) {
    lists->shared[i] = text_of(m->shared[i]);
  }
  if (m->together == BERTH__V1__TOGETHER__TOGETHER_ADD && m->n_parts > 1) {
    for (uint32_t i = 0; i < m->n_parts; i++) {
      lists->all_parts[i] = i;
    }
    lists->all_end = composition.n_parts;
    composition.set_end = &lists->all_end;
    composition.set_parts = lists->all_parts;
    composition.n_sets = 1;
  }
  return blame_whole(
      feed->err, berth_problem_compose(&composition, feed->codec->allocator, out_problem, feed->err));
}

enum berth_code feed_parts(
    const struct berth_codec *codec, const Berth__V1__Problem *message, enum berth_reuse reuse,
    struct berth_problem **out_problem, struct berth_error *err) {
  const struct feed feed = {
      .codec = codec,
      .allocator = codec->allocator != NULL ? codec->allocator : berth_allocator_libc(),
      .message = message,
      .err = err};
  struct lists lists = {.parts = NULL};
  enum berth_code code = check_lists(codec, message, err);
  if (code == BERTH_OK && !take_lists(&feed, &lists)) {
    code = berth_fail_memory(err);
  }
  for (size_t i = 0; i < message->n_parts && code == BERTH_OK; i++) {
    code = read_part(codec, message->parts[i], i, reuse, &lists.parts[i], err);
  }
  code = code != BERTH_OK ? code : compose(&feed, &lists, out_problem);
  give_back_lists(&feed, &lists);
  return code;
}
