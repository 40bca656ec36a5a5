/* UTF-8, checked: what comes from outside is shown and written only as valid text. */
#ifndef TEXT_UTF8_H
#define TEXT_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "text/writer.h"

/* The length of the valid sequence at `bytes` (n_bytes > 0 of them), and its code point; 0 if it is not
 * valid (also overlong forms and surrogates). */
size_t berth_utf8_decode(const char *bytes, size_t n_bytes, uint32_t *out_code_point);

/* Text for XML content and attributes: markup escaped, what XML cannot say (most control characters, bytes
 * that are not UTF-8) as U+FFFD. */
void berth_writer_xml(struct berth_writer *writer, const char *bytes, size_t n_bytes);

/* A JSON string with its quotes; bytes that are not UTF-8 as U+FFFD. */
void berth_writer_json_string(struct berth_writer *writer, const char *bytes, size_t n_bytes);

#endif
