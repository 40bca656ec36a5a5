/* What standard output and standard error are, and how text on them may look. */
#ifndef OUTPUT_TERMINAL_H
#define OUTPUT_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

struct berthctl_terminal {
  bool is_tty;     /* standard output */
  bool err_is_tty; /* standard error */
  bool color;
  bool err_color;
  unsigned width; /* of standard output in columns; where it is no terminal, COLUMNS or 100 */
};

void berthctl_terminal_init(struct berthctl_terminal *terminal, bool no_color);

enum berthctl_style {
  BERTHCTL_STYLE_PLAIN = 0,
  BERTHCTL_STYLE_BOLD,
  BERTHCTL_STYLE_DIM,
  BERTHCTL_STYLE_GOOD,
  BERTHCTL_STYLE_WARN,
  BERTHCTL_STYLE_BAD,
};

/* The escape sequence that begins the style, and the one that ends it; "" without colour. */
const char *berthctl_style(bool color, enum berthctl_style style);
const char *berthctl_unstyle(bool color);

#endif
