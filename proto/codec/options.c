/* PlanOptions, and the words for strategies. */
#include <string.h>

#include "codec/internal.h"

static const char *const STRATEGY_WORDS[] = {
#define X(name, word, text) word,
    BERTH_STRATEGIES(X)
#undef X
};

static enum berth_code
switch_off(const char *word, uint32_t index, uint32_t *strategies, struct berth_error *err) {
  for (uint32_t i = 0; i < BERTH_N_STRATEGIES; i++) {
    if (strcmp(word, STRATEGY_WORDS[i]) == 0) {
      *strategies &= ~(UINT32_C(1) << i);
      return BERTH_OK;
    }
  }
#define X(name, word, text) " " word
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, index, "options.without_strategies",
      "\"%.64s\" is no strategy; there are:" BERTH_STRATEGIES(X), word);
#undef X
}

enum berth_reuse berth_codec_reuse_from_message(Berth__V1__Reuse reuse) {
  switch (reuse) {
  case BERTH__V1__REUSE__REUSE_NO_INPLACE:
    return BERTH_REUSE_NO_INPLACE;
  case BERTH__V1__REUSE__REUSE_NONE:
    return BERTH_REUSE_NONE;
  default:
    return BERTH_REUSE_FULL;
  }
}

enum berth_code berth_codec_options_from_message(
    const Berth__V1__PlanOptions *message, struct berth_solve_options *out, struct berth_error *err) {
  *out = berth_solve_options_default();
  out->budget_ticks = 0;
  if (message == NULL) {
    return BERTH_OK;
  }
  out->budget_ticks = message->budget_ticks;
  if (message->capacity_bytes != 0) {
    out->capacity_bytes = message->capacity_bytes;
  }
  out->reuse = berth_codec_reuse_from_message(message->reuse);
  if (message->add_syncs) {
    if (message->sync_cost_bytes > BERTH_MOST_SYNC_COST) {
      return berth_fail(
          err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "options.sync_cost_bytes",
          "options.sync_cost_bytes is above 2^62");
    }
    out->sync.cost_bytes = message->sync_cost_bytes;
    out->sync.max_syncs = message->max_syncs != 0 ? message->max_syncs : UINT32_MAX;
  } else if (message->sync_cost_bytes != 0 || message->max_syncs != 0) {
    const char *field = message->sync_cost_bytes != 0 ? "options.sync_cost_bytes" : "options.max_syncs";
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, field,
        "%s is given, and options.add_syncs is not", field);
  }
  for (size_t i = 0; i < message->n_without_strategies; i++) {
    enum berth_code code = switch_off(message->without_strategies[i], (uint32_t)i, &out->strategies, err);
    if (code != BERTH_OK) {
      return code;
    }
  }
  return BERTH_OK;
}

/* Static text. */
static size_t strategies_off(uint32_t strategies, const char *out_names[32]) {
  size_t n = 0;
  for (uint32_t i = 0; i < BERTH_N_STRATEGIES; i++) {
    if ((strategies & (UINT32_C(1) << i)) == 0) {
      out_names[n++] = STRATEGY_WORDS[i];
    }
  }
  return n;
}

void berth_codec_options_to_message(
    const struct berth_solve_options *options, Berth__V1__PlanOptions *out, const char *names[32]) {
  out->budget_ticks = options->budget_ticks;
  out->capacity_bytes = options->capacity_bytes == BERTH_UNLIMITED ? 0 : options->capacity_bytes;
  out->reuse = (Berth__V1__Reuse)(options->reuse + 1);
  if (berth_sync_is_asked(&options->sync)) {
    out->add_syncs = true;
    out->sync_cost_bytes = options->sync.cost_bytes;
    out->max_syncs = options->sync.max_syncs != UINT32_MAX ? options->sync.max_syncs : 0;
  }
  out->n_without_strategies = strategies_off(options->strategies, names);
  out->without_strategies = UNCONST(char *, names);
}
