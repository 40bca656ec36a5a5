#include "base/text.h"

#include <stdint.h>
#include <string.h>

/* Skips eight ASCII bytes without NUL at a time. */
static size_t skip_ascii(const unsigned char *s, size_t n) {
  size_t i = 0;
  while (i + 8 <= n) {
    uint64_t word;
    memcpy(&word, s + i, 8);
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t tops = UINT64_C(0x8080808080808080);
    if ((word & tops) != 0 || ((word - ones) & ~word & tops) != 0) {
      break;
    }
    i += 8;
  }
  while (i < n && s[i] != 0 && s[i] < 0x80) {
    i++;
  }
  return i;
}

/* Bytes of the character at `s`, 0 if it is not well-formed (Unicode Standard, table 3-7). */
static size_t character_size(const unsigned char *s, size_t n) {
  unsigned char first = s[0];
  unsigned char low = 0x80;
  unsigned char high = 0xbf;
  size_t size;
  if (first >= 0x01 && first <= 0x7f) {
    return 1;
  } else if (first >= 0xc2 && first <= 0xdf) {
    size = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    size = 3;
    low = first == 0xe0 ? 0xa0 : low;
    high = first == 0xed ? 0x9f : high;
  } else if (first >= 0xf0 && first <= 0xf4) {
    size = 4;
    low = first == 0xf0 ? 0x90 : low;
    high = first == 0xf4 ? 0x8f : high;
  } else {
    return 0;
  }
  if (n < size || s[1] < low || s[1] > high) {
    return 0;
  }
  for (size_t i = 2; i < size; i++) {
    if ((s[i] & 0xc0) != 0x80) {
      return 0;
    }
  }
  return size;
}

bool berth_text_valid(const char *data, size_t n_bytes) {
  const unsigned char *s = (const unsigned char *)data;
  for (size_t i = skip_ascii(s, n_bytes); i < n_bytes; i += skip_ascii(s + i, n_bytes - i)) {
    size_t size = character_size(s + i, n_bytes - i);
    if (size == 0) {
      return false;
    }
    i += size;
  }
  return true;
}

void berth_text_display(char *to, size_t capacity, const char *data, size_t n_bytes) {
  static const char CUT[] = "...";
  if (capacity == 0) {
    return;
  }
  size_t n = n_bytes;
  if (n > capacity - 1) {
    n = capacity > sizeof CUT ? capacity - sizeof CUT : 0;
    while (n > 0 && ((unsigned char)data[n] & 0xc0) == 0x80) {
      n--;
    }
  }
  for (size_t i = 0; i < n; i++) {
    to[i] = (unsigned char)data[i] < 0x20 || data[i] == 0x7f ? '?' : data[i];
  }
  if (n < n_bytes && capacity - n >= sizeof CUT) {
    memcpy(to + n, CUT, sizeof CUT);
  } else {
    to[n] = '\0';
  }
}
