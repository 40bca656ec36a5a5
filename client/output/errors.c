#include "output/errors.h"

#include <string.h>

enum berthctl_exit berthctl_error_exit(const struct berth_error *err) {
  switch (err->code) {
  case BERTH_OK:
    return BERTHCTL_EXIT_OK;
  case BERTH_CANCELLED:
    return BERTHCTL_EXIT_INTERRUPTED;
  case BERTH_INVALID_ARGUMENT:
  case BERTH_OUT_OF_RANGE:
    return BERTHCTL_EXIT_BAD_INPUT;
  case BERTH_DEADLINE_EXCEEDED:
    return BERTHCTL_EXIT_DEADLINE;
  case BERTH_NOT_FOUND:
    return BERTHCTL_EXIT_NOT_FOUND;
  case BERTH_PERMISSION_DENIED:
  case BERTH_UNAUTHENTICATED:
    return BERTHCTL_EXIT_CREDENTIALS;
  case BERTH_UNIMPLEMENTED: /* a method that a server has not, or a problem that no version can plan yet */
    return err->reason == BERTH_REASON_BAD_REGION ? BERTHCTL_EXIT_BAD_INPUT : BERTHCTL_EXIT_INTERNAL;
  case BERTH_RESOURCE_EXHAUSTED:
    return err->reason == BERTH_REASON_LIMIT_EXCEEDED ? BERTHCTL_EXIT_BAD_INPUT : BERTHCTL_EXIT_UNAVAILABLE;
  case BERTH_FAILED_PRECONDITION:
    return BERTHCTL_EXIT_NO_FIT;
  case BERTH_UNAVAILABLE:
  case BERTH_ABORTED:
    return BERTHCTL_EXIT_UNAVAILABLE;
  case BERTH_INTERNAL:
    return err->reason == BERTH_REASON_VERIFICATION_FAILED ? BERTHCTL_EXIT_NOT_VALID : BERTHCTL_EXIT_INTERNAL;
  default:
    return BERTHCTL_EXIT_INTERNAL;
  }
}

enum berthctl_exit berthctl_error_say(
    const struct berthctl_terminal *terminal, const char *file, const struct berth_error *err) {
  bool color = terminal->err_color;
  fprintf(stderr, "%sberthctl:%s ", berthctl_style(color, BERTHCTL_STYLE_BAD), berthctl_unstyle(color));
  if (file != NULL) {
    fprintf(stderr, "%s:", strcmp(file, "-") == 0 ? "standard input" : file);
    if (err->line != 0) {
      fprintf(stderr, "%u:", err->line);
      if (err->column != 0) {
        fprintf(stderr, "%u:", err->column);
      }
    }
    fputc(' ', stderr);
  }
  fprintf(stderr, "%s\n", err->message[0] != '\0' ? err->message : berth_code_name(err->code));
  return berthctl_error_exit(err);
}
