/* Bytes for people: "91.2 MiB", "95,668,224", and back. */
#ifndef TEXT_UNITS_H
#define TEXT_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct berth_units_text {
  char text[32];
};

/* At most four digits and a binary unit: "0 B", "1000 B", "1.5 KiB", "91.2 MiB", "16 EiB". */
struct berth_units_text berth_units_bytes(uint64_t n_bytes);
/* Exact, with a comma before each group of three digits. */
struct berth_units_text berth_units_grouped(uint64_t n);

/* Digits with an optional fraction and an optional unit: B; K, KiB, M, MiB, G, GiB, T, TiB, P, PiB are powers
 * of 1024, kB, MB, GB, TB, PB powers of 1000. "1.5 GiB" is fine. False if it is anything else, not a whole
 * number of bytes, or beyond 2^63 - 1. */
bool berth_units_parse_bytes(const char *text, uint64_t *out_bytes);

#endif
