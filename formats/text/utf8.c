#include "text/utf8.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

size_t berth_utf8_decode(const char *bytes, size_t n_bytes, uint32_t *out_code_point) {
  const unsigned char *b = (const unsigned char *)bytes;
  if (b[0] < 0x80) {
    *out_code_point = b[0];
    return 1;
  }
  size_t n = b[0] >= 0xf0 ? 4 : b[0] >= 0xe0 ? 3 : 2;
  if (b[0] < 0xc2 || b[0] > 0xf4 || n > n_bytes) {
    return 0;
  }
  uint32_t code_point = b[0] & (0x7fu >> n);
  for (size_t i = 1; i < n; i++) {
    if ((b[i] & 0xc0) != 0x80) {
      return 0;
    }
    code_point = code_point << 6 | (b[i] & 0x3fu);
  }
  static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code_point < LEAST[n] || code_point > 0x10ffff || (code_point >= 0xd800 && code_point < 0xe000)) {
    return 0;
  }
  *out_code_point = code_point;
  return n;
}

static const char *xml_escape(uint32_t c) {
  switch (c) {
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '&':
    return "&amp;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  case '\t':
  case '\n':
  case '\r':
    return " ";
  case 0xfffe:
  case 0xffff:
    return REPLACEMENT;
  default:
    return c < 0x20 || c == 0x7f ? REPLACEMENT : NULL;
  }
}

void berth_writer_xml(struct berth_writer *writer, const char *bytes, size_t n_bytes) {
  while (n_bytes != 0) {
    uint32_t c;
    size_t n = berth_utf8_decode(bytes, n_bytes, &c);
    const char *escaped = n == 0 ? REPLACEMENT : xml_escape(c);
    n = n == 0 ? 1 : n;
    if (escaped != NULL) {
      berth_writer_text(writer, escaped);
    } else {
      berth_writer_bytes(writer, bytes, n);
    }
    bytes += n;
    n_bytes -= n;
  }
}

static void write_json_escape(struct berth_writer *writer, unsigned char c) {
  static const char LETTERS[] = "\"\"\\\\\bb\ff\nn\rr\tt"; /* pairs: the byte, its letter */
  static const char DIGITS[] = "0123456789abcdef";
  for (const char *pair = LETTERS; *pair != '\0'; pair += 2) {
    if ((unsigned char)*pair == c) {
      berth_writer_char(writer, '\\');
      berth_writer_char(writer, pair[1]);
      return;
    }
  }
  const char escaped[] = {'\\', 'u', '0', '0', DIGITS[c >> 4], DIGITS[c & 15]};
  berth_writer_bytes(writer, escaped, sizeof escaped);
}

static size_t plain_json_run(const char *bytes, size_t n_bytes) {
  size_t n = 0;
  while (n < n_bytes) {
    uint32_t c;
    size_t n_sequence = berth_utf8_decode(bytes + n, n_bytes - n, &c);
    if (n_sequence == 0 || c < 0x20 || c == '"' || c == '\\' || c == 0x7f) {
      break;
    }
    n += n_sequence;
  }
  return n;
}

void berth_writer_json_string(struct berth_writer *writer, const char *bytes, size_t n_bytes) {
  berth_writer_char(writer, '"');
  while (n_bytes != 0) {
    size_t n = plain_json_run(bytes, n_bytes);
    berth_writer_bytes(writer, bytes, n);
    bytes += n;
    n_bytes -= n;
    if (n_bytes != 0) {
      unsigned char c = (unsigned char)*bytes;
      if (c >= 0x80) {
        berth_writer_text(writer, REPLACEMENT);
      } else {
        write_json_escape(writer, c);
      }
      bytes++;
      n_bytes--;
    }
  }
  berth_writer_char(writer, '"');
}
