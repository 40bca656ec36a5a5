#include <inttypes.h>
#include <stdlib.h>

#include "berth/report.h"
#include "text/units.h"
#include "verbs/internal.h"
#include "verbs/places.h"

enum { N_SHOWN = 20, N_LISTED = 1000 };

struct judged {
  const struct berth_problem *problem;
  struct berthctl_places places;
  struct berth_violation *violations; /* room for N_LISTED */
  struct berth_verdict verdict;
  uint64_t arena_bytes;
};

static void
write_buffer(struct berth_json *json, const char *key, const struct berth_problem *problem, uint32_t buffer) {
  if (buffer >= berth_problem_buffers(problem)->n) {
    berth_json_null(json, key);
    return;
  }
  struct berth_text id = berth_problem_buffer_id(problem, buffer);
  berth_json_open(json, key, '{');
  berth_json_u64(json, "index", buffer);
  if (id.size != 0) {
    berth_json_text(json, "id", id);
  } else {
    berth_json_null(json, "id");
  }
  berth_json_close(json, '}');
}

static void write_violation(
    struct berth_json *json, const struct berth_problem *problem, const struct berth_violation *violation) {
  berth_json_open(json, NULL, '{');
  berth_json_string(json, "kind", berth_violation_kind_name(violation->kind));
  write_buffer(json, "buffer_a", problem, violation->buffer_a);
  write_buffer(json, "buffer_b", problem, violation->buffer_b);
  berth_json_u64(json, "pool", violation->pool);
  berth_json_u64(json, "first_byte", violation->first_byte);
  berth_json_u64(json, "end_byte", violation->end_byte);
  berth_json_i64(json, "first_step", violation->first_step);
  berth_json_i64(json, "end_step", violation->end_step);
  berth_json_string(json, "message", violation->message);
  berth_json_close(json, '}');
}

static void print_json(const struct judged *judged) {
  struct berthctl_object object;
  berthctl_object_open(&object);
  berth_json_bool(&object.json, "valid", judged->verdict.n_violations == 0);
  berth_json_u64(&object.json, "n_violations", judged->verdict.n_violations);
  berth_json_u64(&object.json, "n_buffers", berth_problem_buffers(judged->problem)->n);
  berth_json_u64(&object.json, "arena_bytes", judged->arena_bytes);
  berth_json_open(&object.json, "violations", '[');
  for (uint32_t i = 0; i < judged->verdict.n_listed; i++) {
    write_violation(&object.json, judged->problem, &judged->violations[i]);
  }
  berth_json_close(&object.json, ']');
  berthctl_object_close(&object);
}

static void print_text(const struct judged *judged, bool all, const struct berthctl_terminal *terminal) {
  bool is_valid = judged->verdict.n_violations == 0;
  printf(
      "%s%s%s: %s buffers in %s (%s bytes)\n",
      berthctl_style(terminal->color, is_valid ? BERTHCTL_STYLE_GOOD : BERTHCTL_STYLE_BAD),
      is_valid ? "valid" : "not valid", berthctl_unstyle(terminal->color),
      berth_units_grouped(berth_problem_buffers(judged->problem)->n).text,
      berth_units_bytes(judged->arena_bytes).text, berth_units_grouped(judged->arena_bytes).text);
  uint32_t n = judged->verdict.n_listed;
  n = n > N_SHOWN && !all ? N_SHOWN : n;
  for (uint32_t i = 0; i < n; i++) {
    const struct berth_violation *violation = &judged->violations[i];
    printf("  %s: %s\n", berth_violation_kind_name(violation->kind), violation->message);
  }
  if (n < judged->verdict.n_violations) {
    printf("  and %s more\n", berth_units_grouped(judged->verdict.n_violations - n).text);
  }
}

/* What the plan says of itself, held against what its buffers reach. The judge sees offsets only. */
static void judge_arena(struct judged *judged) {
  const struct berthctl_places *places = &judged->places;
  if (!places->has_arena || places->stated_arena_bytes >= judged->arena_bytes) {
    return;
  }
  judged->verdict.n_violations++;
  if (judged->verdict.n_listed == N_LISTED) {
    return;
  }
  struct berth_violation *violation = &judged->violations[judged->verdict.n_listed++];
  *violation = (struct berth_violation){
      .kind = BERTH_VIOLATION_FIGURES, .buffer_a = BERTH_NO_INDEX, .buffer_b = BERTH_NO_INDEX};
  snprintf(
      violation->message, sizeof violation->message,
      "the plan states an arena of %" PRIu64 " bytes, but its buffers reach %" PRIu64,
      places->stated_arena_bytes, judged->arena_bytes);
}

static enum berthctl_exit judge(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal, struct judged *judged) {
  const char *server = berthctl_server_of(options);
  bool is_local = options->is_set[BERTHCTL_OPTION_LOCAL];
  struct berth_error err = {.code = BERTH_OK};
  struct berthctl_watch watch;
  berthctl_start_watch(&watch, options, terminal);
  enum berth_code code = is_local ? berth_verify_offsets(
                                        judged->problem, judged->places.pool, judged->places.offset, NULL,
                                        judged->violations, N_LISTED, &judged->verdict, &err)
                                  : berthctl_remote_verify(
                                        server, judged->problem, judged->places.pool, judged->places.offset,
                                        &watch, judged->violations, N_LISTED, &judged->verdict, &err);
  berthctl_watch_finish(&watch);
  if (code != BERTH_OK) {
    return berthctl_say_failure(options, terminal, options->arguments[1], &err);
  }
  judge_arena(judged);
  if (options->is_set[BERTHCTL_OPTION_JSON]) {
    print_json(judged);
  } else if (!options->is_set[BERTHCTL_OPTION_QUIET]) {
    print_text(judged, options->is_set[BERTHCTL_OPTION_ALL], terminal);
  }
  return judged->verdict.n_violations == 0 ? BERTHCTL_EXIT_OK : BERTHCTL_EXIT_NOT_VALID;
}

enum berthctl_exit
berthctl_verb_verify(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  struct berth_problem *problem = NULL;
  enum berthctl_exit status = berthctl_load_problem(options, terminal, options->arguments[0], &problem);
  if (status != BERTHCTL_EXIT_OK) {
    return status;
  }
  struct judged judged = {.problem = problem, .violations = malloc(N_LISTED * sizeof *judged.violations)};
  if (judged.violations == NULL) {
    struct berth_error err;
    berth_fail_memory(&err);
    status = berthctl_error_say(terminal, NULL, &err);
  } else {
    status = berthctl_load_places(terminal, options->arguments[1], &problem, &judged.places);
    judged.problem = problem;
  }
  if (status == BERTHCTL_EXIT_OK) {
    const struct berth_report_side side = {
        .problem = problem, .offset = judged.places.offset, .pool = judged.places.pool};
    judged.arena_bytes = berth_report_arenas(&side);
    status = judge(options, terminal, &judged);
  }
  berthctl_places_finish(&judged.places);
  free(judged.violations);
  berth_problem_unref(problem);
  return status;
}
