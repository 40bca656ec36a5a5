/* --bind: numbers, or ranges, for a problem's symbols. */
#include <string.h>

#include "verbs/internal.h"

/* The number at `*at`, which moves behind it. */
static bool take_number(const char **at, uint64_t *out) {
  const char *begin = *at;
  *out = 0;
  for (; **at >= '0' && **at <= '9'; ++*at) {
    if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, (uint64_t)(**at - '0'), out)) {
      return false;
    }
  }
  return *at != begin;
}

static bool take_binding(const char **at, struct berth_binding *out) {
  const char *equals = strchr(*at, '=');
  if (equals == NULL || equals == *at) {
    return false;
  }
  out->symbol = (struct berth_text){.data = *at, .size = (uint32_t)(equals - *at)};
  *at = equals + 1;
  if (!take_number(at, &out->lower)) {
    return false;
  }
  out->upper = out->lower;
  if (strncmp(*at, "..", 2) == 0) {
    *at += 2;
    return take_number(at, &out->upper);
  }
  return true;
}

bool berthctl_parse_bindings(
    const struct berthctl_terminal *terminal, const char *text, struct berth_binding *out_items,
    uint32_t *out_n) {
  const char *at = text;
  *out_n = 0;
  for (;;) {
    if (*out_n == BERTHCTL_MAX_BINDINGS) {
      berthctl_say_usage(terminal, "--bind has more than %d symbols", BERTHCTL_MAX_BINDINGS);
      return false;
    }
    if (!take_binding(&at, &out_items[*out_n]) || (*at != '\0' && *at != ',')) {
      berthctl_say_usage(
          terminal, "--bind is '%s'; symbols with numbers or ranges, such as n=5,batch=1..8, are right",
          text);
      return false;
    }
    ++*out_n;
    if (*at == '\0') {
      return true;
    }
    at++;
  }
}
