#include <string.h>

#include "system/clock.h"
#include "verbs/internal.h"

static const char *const SERVICES[] = {"", "berth.v1.PlanService"};
enum { N_SERVICES = sizeof SERVICES / sizeof SERVICES[0], DEFAULT_TIMEOUT_SECONDS = 5 };

struct state {
  const char *server;
  const char *words[N_SERVICES];
  double seconds; /* until the first answer */
};

static enum berthctl_exit
ask(const struct berthctl_options *options, const struct berthctl_terminal *terminal, struct state *state) {
  for (unsigned i = 0; i < N_SERVICES; i++) {
    struct berth_error err = {.code = BERTH_OK};
    struct berthctl_watch watch;
    berthctl_start_watch(&watch, options, terminal);
    watch.progress.is_shown = false;
    if (watch.timeout_ns == 0) {
      watch.timeout_ns = (int64_t)DEFAULT_TIMEOUT_SECONDS * 1000000000;
    }
    enum berth_code code = berthctl_remote_health(state->server, SERVICES[i], &watch, &state->words[i], &err);
    if (i == 0) {
      state->seconds = (double)(berthctl_clock_ns() - watch.started_ns) / 1e9;
    }
    berthctl_watch_finish(&watch);
    if (code != BERTH_OK && code != BERTH_NOT_FOUND) { /* a service that it does not have is UNKNOWN */
      return berthctl_say_remote(terminal, state->server, NULL, &err);
    }
  }
  return strcmp(state->words[0], "SERVING") == 0 ? BERTHCTL_EXIT_OK : BERTHCTL_EXIT_UNAVAILABLE;
}

static void print_json(const struct state *state) {
  struct berthctl_object object;
  berthctl_object_open(&object);
  berth_json_string(&object.json, "server", state->server);
  berth_json_string(&object.json, "status", state->words[0]);
  berth_json_double(&object.json, "answer_seconds", state->seconds);
  berth_json_open(&object.json, "services", '{');
  for (unsigned i = 1; i < N_SERVICES; i++) {
    berth_json_string(&object.json, SERVICES[i], state->words[i]);
  }
  berth_json_close(&object.json, '}');
  berthctl_object_close(&object);
}

static void print_text(const struct state *state, const struct berthctl_terminal *terminal) {
  printf("%s  answers in %.1f ms\n", state->server, state->seconds * 1e3);
  for (unsigned i = 0; i < N_SERVICES; i++) {
    bool is_serving = strcmp(state->words[i], "SERVING") == 0;
    printf(
        "  %-24s %s%s%s\n", i == 0 ? "server" : SERVICES[i],
        berthctl_style(terminal->color, is_serving ? BERTHCTL_STYLE_GOOD : BERTHCTL_STYLE_BAD),
        state->words[i], berthctl_unstyle(terminal->color));
  }
}

enum berthctl_exit
berthctl_verb_server(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  bool is_status = strcmp(options->arguments[0], "status") == 0;
  if (!is_status && strcmp(options->arguments[0], "health") != 0) {
    return berthctl_say_usage(
        terminal, "server has no '%.60s'; status and health are right", options->arguments[0]);
  }
  struct state state = {.server = berthctl_server_of(options), .words = {"UNKNOWN", "UNKNOWN"}};
  enum berthctl_exit status = ask(options, terminal, &state);
  bool was_answered = status == BERTHCTL_EXIT_OK || strcmp(state.words[0], "NOT_SERVING") == 0;
  if (!was_answered || options->is_set[BERTHCTL_OPTION_QUIET]) {
    return status;
  }
  if (options->is_set[BERTHCTL_OPTION_JSON]) {
    print_json(&state);
  } else if (is_status) {
    print_text(&state, terminal);
  } else {
    puts(state.words[0]);
  }
  return status;
}
