/* Text that came from outside. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) without NUL. */
bool berth_text_valid(const char *data, size_t n_bytes);

/* For messages: copies what fits (whole characters, ending in "..." when cut), control characters as '?'.
 * `data` must be valid. Always ends in NUL. */
void berth_text_display(char *to, size_t capacity, const char *data, size_t n_bytes);

#endif
