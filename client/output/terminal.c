#include "output/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_WIDTH = 100, LEAST_WIDTH = 40, MOST_WIDTH = 1000 };

static unsigned find_width(bool is_tty) {
  struct winsize size;
  if (is_tty && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    return size.ws_col;
  }
  const char *columns = getenv("COLUMNS");
  long width = columns != NULL ? strtol(columns, NULL, 10) : 0;
  return width >= LEAST_WIDTH && width <= MOST_WIDTH ? (unsigned)width : DEFAULT_WIDTH;
}

void berthctl_terminal_init(struct berthctl_terminal *terminal, bool no_color) {
  const char *kind = getenv("TERM");
  bool may_color = !no_color && kind != NULL && strcmp(kind, "dumb") != 0;
  terminal->is_tty = isatty(STDOUT_FILENO) != 0;
  terminal->err_is_tty = isatty(STDERR_FILENO) != 0;
  terminal->color = may_color && terminal->is_tty;
  terminal->err_color = may_color && terminal->err_is_tty;
  terminal->width = find_width(terminal->is_tty);
}

const char *berthctl_style(bool color, enum berthctl_style style) {
  static const char *const SEQUENCES[] = {"", "\033[1m", "\033[2m", "\033[1;32m", "\033[1;33m", "\033[1;31m"};
  return color ? SEQUENCES[style] : "";
}

const char *berthctl_unstyle(bool color) {
  return color ? "\033[0m" : "";
}
