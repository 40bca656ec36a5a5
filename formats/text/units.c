#include "text/units.h"

#include <stdio.h>
#include <string.h>

struct berth_units_text berth_units_bytes(uint64_t n_bytes) {
  static const char *const UNITS[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  struct berth_units_text out;
  unsigned unit = 0;
  double n = (double)n_bytes;
  /* 1023.5 and more would be shown as 1024 of the smaller unit */
  while (unit + 1 < sizeof UNITS / sizeof UNITS[0] && n >= (unit == 0 ? 1024 : 1023.5)) {
    n /= 1024;
    unit++;
  }
  bool is_whole = n == (double)(uint64_t)n;
  snprintf(
      out.text, sizeof out.text, "%.*f %s",
      is_whole || n >= 999.95 ? 0
      : n < 9.995             ? 2
                              : 1,
      n, UNITS[unit]);
  return out;
}

struct berth_units_text berth_units_grouped(uint64_t n) {
  struct berth_units_text out;
  size_t at = sizeof out.text - 1;
  out.text[at] = '\0';
  for (unsigned n_digits = 0; n != 0 || n_digits == 0; n_digits++, n /= 10) {
    if (n_digits != 0 && n_digits % 3 == 0) {
      out.text[--at] = ',';
    }
    out.text[--at] = (char)('0' + n % 10);
  }
  memmove(out.text, out.text + at, sizeof out.text - at);
  return out;
}

static bool unit_factor(const char *unit, uint64_t *out) {
  static const struct {
    const char *name;
    uint64_t factor;
  } UNITS[] = {
      {"", 1},
      {"B", 1},
      {"K", UINT64_C(1) << 10},
      {"KiB", UINT64_C(1) << 10},
      {"M", UINT64_C(1) << 20},
      {"MiB", UINT64_C(1) << 20},
      {"G", UINT64_C(1) << 30},
      {"GiB", UINT64_C(1) << 30},
      {"T", UINT64_C(1) << 40},
      {"TiB", UINT64_C(1) << 40},
      {"P", UINT64_C(1) << 50},
      {"PiB", UINT64_C(1) << 50},
      {"kB", UINT64_C(1000)},
      {"MB", UINT64_C(1000000)},
      {"GB", UINT64_C(1000000000)},
      {"TB", UINT64_C(1000000000000)},
      {"PB", UINT64_C(1000000000000000)},
  };
  for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
    if (strcmp(UNITS[i].name, unit) == 0) {
      *out = UNITS[i].factor;
      return true;
    }
  }
  return false;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* .5 GiB: numerator / denominator of a unit, which must divide it. */
static bool read_fraction(const char **at, uint64_t *out_numerator, uint64_t *out_denominator) {
  *out_numerator = 0;
  *out_denominator = 1;
  const char *c = *at;
  for (; is_digit(*c); c++) {
    if (*out_denominator > UINT64_C(1000000)) {
      return false;
    }
    *out_numerator = *out_numerator * 10 + (uint64_t)(*c - '0');
    *out_denominator *= 10;
  }
  bool is_there = c != *at;
  *at = c;
  return is_there;
}

bool berth_units_parse_bytes(const char *text, uint64_t *out_bytes) {
  uint64_t whole = 0;
  uint64_t numerator = 0;
  uint64_t denominator = 1;
  uint64_t factor;
  const char *at = text;
  for (; is_digit(*at); at++) {
    if (__builtin_mul_overflow(whole, 10, &whole) ||
        __builtin_add_overflow(whole, (uint64_t)(*at - '0'), &whole)) {
      return false;
    }
  }
  if (at == text) {
    return false;
  }
  if (*at == '.') {
    at++;
    if (!read_fraction(&at, &numerator, &denominator)) {
      return false;
    }
  }
  at += *at == ' ';
  uint64_t part;
  if (!unit_factor(at, &factor) || __builtin_mul_overflow(whole, factor, &whole) ||
      __builtin_mul_overflow(numerator, factor, &part) || part % denominator != 0 ||
      __builtin_add_overflow(whole, part / denominator, &whole) || whole > (uint64_t)INT64_MAX) {
    return false;
  }
  *out_bytes = whole;
  return true;
}
