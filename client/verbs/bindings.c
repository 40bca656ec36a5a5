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

/* A number, or a range. */
static bool take_range(const char **at, struct berth_binding *out) {
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

static bool take_binding(const char **at, struct berth_binding *out) {
  const char *equals = strchr(*at, '=');
  if (equals == NULL || equals == *at) {
    return false;
  }
  out->symbol = (struct berth_text){.data = *at, .size = (uint32_t)(equals - *at)};
  *at = equals + 1;
  return take_range(at, out);
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

/* ---- Several ---- */

/* One --bind: of each symbol the ranges that it is to have, which stand one after another in `items`. */
struct lists {
  struct berth_binding items[BERTHCTL_MAX_BINDINGS];
  uint32_t begin[BERTHCTL_MAX_BINDINGS + 1];
  uint32_t n_symbols;
  uint32_t n_items;
};

static bool take_lists(const char *text, struct lists *out) {
  const char *at = text;
  *out = (struct lists){.n_symbols = 0};
  for (;;) {
    if (out->n_items == BERTHCTL_MAX_BINDINGS) {
      return false;
    }
    struct berth_binding *item = &out->items[out->n_items];
    size_t n_word = strcspn(at, ",=");
    bool has_name = at[n_word] == '=';
    if (has_name) {
      out->begin[out->n_symbols++] = out->n_items;
    } else if (out->n_items > 0) {
      item->symbol = out->items[out->n_items - 1].symbol;
    } else {
      return false;
    }
    if (!(has_name ? take_binding(&at, item) : take_range(&at, item)) || (*at != '\0' && *at != ',')) {
      return false;
    }
    out->n_items++;
    if (*at == '\0') {
      out->begin[out->n_symbols] = out->n_items;
      return true;
    }
    at++;
  }
}

/* Every choice of one of each list; the last symbol changes first. */
static bool add_product(const struct lists *lists, struct berthctl_bindings *out) {
  uint32_t choice[BERTHCTL_MAX_BINDINGS] = {0};
  for (;;) {
    if (out->n == BERTH_MAX_VARIANTS || out->n_items + lists->n_symbols > BERTHCTL_MAX_VARIANT_BINDINGS) {
      return false;
    }
    struct berth_binding *items = &out->items[out->n_items];
    for (uint32_t s = 0; s < lists->n_symbols; s++) {
      items[s] = lists->items[lists->begin[s] + choice[s]];
    }
    out->variants[out->n++] = (struct berth_bindings){.n = lists->n_symbols, .items = items};
    out->n_items += lists->n_symbols;
    uint32_t s = lists->n_symbols;
    while (s > 0 && ++choice[s - 1] == lists->begin[s] - lists->begin[s - 1]) {
      choice[--s] = 0;
    }
    if (s == 0) {
      return true;
    }
  }
}

bool berthctl_parse_variants(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berthctl_bindings *out) {
  out->n = 0;
  out->n_items = 0;
  for (unsigned i = 0; i < options->n_binds; i++) {
    struct lists lists;
    if (!take_lists(options->binds[i], &lists)) {
      berthctl_say_usage(
          terminal,
          "--bind is '%s'; symbols with numbers, lists or ranges, such as n=5,batch=1..8,seq=1,2,4, are "
          "right",
          options->binds[i]);
      return false;
    }
    if (!add_product(&lists, out)) {
      berthctl_say_usage(terminal, "--bind asks for more than %d variants", BERTH_MAX_VARIANTS);
      return false;
    }
  }
  return true;
}
