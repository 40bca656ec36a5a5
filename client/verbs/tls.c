/* --tls-ca, --tls-cert and --tls-key: what a connection is made with. */
#include <stdlib.h>
#include <string.h>

#include "verbs/internal.h"

static const enum berthctl_option FILES[BERTHCTL_N_TLS_FILES] = {
    [BERTHCTL_TLS_CA] = BERTHCTL_OPTION_TLS_CA,
    [BERTHCTL_TLS_CERT] = BERTHCTL_OPTION_TLS_CERT,
    [BERTHCTL_TLS_KEY] = BERTHCTL_OPTION_TLS_KEY};

static enum berthctl_exit
read_text(const struct berthctl_terminal *terminal, const char *path, char **out_text) {
  struct berth_error err = {.code = BERTH_OK};
  struct berthctl_input input;
  enum berth_code code = berthctl_input_read(path, &input, &err);
  if (code == BERTH_OK) {
    *out_text = calloc(input.n_bytes + 1, 1);
    if (*out_text != NULL) {
      memcpy(*out_text, input.bytes, input.n_bytes);
    } else {
      code = berth_fail_memory(&err);
    }
    berthctl_input_finish(&input);
  }
  return code == BERTH_OK ? BERTHCTL_EXIT_OK : berthctl_error_say(terminal, path, &err);
}

enum berthctl_exit berthctl_load_tls(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berthctl_tls *out_tls) {
  enum berthctl_exit status = BERTHCTL_EXIT_OK;
  *out_tls = (struct berthctl_tls){.texts = {NULL}};
  if (options->is_set[BERTHCTL_OPTION_TLS_CERT] != options->is_set[BERTHCTL_OPTION_TLS_KEY]) {
    return berthctl_say_usage(terminal, "--tls-cert and --tls-key go together");
  }
  for (int i = 0; i < BERTHCTL_N_TLS_FILES && status == BERTHCTL_EXIT_OK; i++) {
    if (options->is_set[FILES[i]]) {
      out_tls->is_used = true;
      status = read_text(terminal, options->text[FILES[i]], &out_tls->texts[i]);
    }
  }
  return status;
}

void berthctl_tls_finish(struct berthctl_tls *tls) {
  for (int i = 0; i < BERTHCTL_N_TLS_FILES; i++) {
    free(tls->texts[i]);
    tls->texts[i] = NULL;
  }
}
