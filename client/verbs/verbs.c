#include "verbs/verbs.h"

#include "verbs/internal.h"

enum berthctl_exit
berthctl_verb_run(const struct berthctl_options *options, const struct berthctl_terminal *terminal) {
  static berthctl_verb_fn *const RUN[BERTHCTL_N_VERBS] = {
      [BERTHCTL_VERB_PLAN] = berthctl_verb_plan,       [BERTHCTL_VERB_FIT] = berthctl_verb_fit,
      [BERTHCTL_VERB_VERIFY] = berthctl_verb_verify,   [BERTHCTL_VERB_EXPLAIN] = berthctl_verb_explain,
      [BERTHCTL_VERB_DIFF] = berthctl_verb_diff,       [BERTHCTL_VERB_CHECK] = berthctl_verb_check,
      [BERTHCTL_VERB_GET] = berthctl_verb_get,         [BERTHCTL_VERB_LIST] = berthctl_verb_list,
      [BERTHCTL_VERB_RM] = berthctl_verb_rm,           [BERTHCTL_VERB_MEASURE] = berthctl_verb_measure,
      [BERTHCTL_VERB_SERVER] = berthctl_verb_server,   [BERTHCTL_VERB_COMPLETION] = berthctl_verb_completion,
      [BERTHCTL_VERB_VERSION] = berthctl_verb_version, [BERTHCTL_VERB_HELP] = berthctl_verb_help,
  };
  struct berthctl_tls tls;
  enum berthctl_exit status = berthctl_load_tls(options, terminal, &tls);
  if (status == BERTHCTL_EXIT_OK && tls.is_used) {
    berthctl_remote_use_tls(
        tls.texts[BERTHCTL_TLS_CA], tls.texts[BERTHCTL_TLS_CERT], tls.texts[BERTHCTL_TLS_KEY]);
  }
  if (status == BERTHCTL_EXIT_OK) {
    status = berthctl_end_stdout(terminal, RUN[options->verb](options, terminal));
  }
  berthctl_tls_finish(&tls);
  return status;
}
