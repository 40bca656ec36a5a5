/* A strict little reader of XML as the SVG writer makes it: elements, attributes in double quotes, text. */
#ifndef MARKUP_H
#define MARKUP_H

#include <stddef.h>

struct markup_count {
  unsigned n_elements;
  unsigned n_rects;
  unsigned n_titles;
};

/* NULL if the text is well formed, else what is wrong. Every number in x, y, width and height attributes must
 * be finite and inside the canvas of 0 .. limit. */
const char *markup_check(const char *text, double limit, struct markup_count *out_count);

#endif
