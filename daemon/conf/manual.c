/* The manual pages, in mdoc(7). */
#include <string.h>

#include "conf/option.h"

#define PAGE_DATE "November 29, 2026"

#define LINE_WIDTH 78

/* Text as mdoc reads it: each sentence on lines of its own, no backslash, and no dot at the begin of a line,
 * a command. */
static void put_text(FILE *to, const char *text) {
  size_t column = 0;
  while (*text != '\0') {
    size_t n = strcspn(text, " ");
    if (column > 0 && column + 1 + n > LINE_WIDTH) {
      fputc('\n', to);
      column = 0;
    }
    if (column > 0) {
      fputc(' ', to);
    } else if (*text == '.' || *text == '\'') {
      fputs("\\&", to);
    }
    column += n + (column > 0);
    for (size_t i = 0; i < n; i++) {
      fputs(text[i] == '\\' ? "\\e" : text[i] == '-' ? "\\-" : (char[]){text[i], '\0'}, to);
    }
    if (n > 0 && text[n - 1] == '.') {
      fputc('\n', to);
      column = 0;
    }
    text += n + strspn(text + n, " ");
  }
  if (column > 0) {
    fputc('\n', to);
  }
}

static const char *const TYPES = "A BYTES value is a number with an optional suffix (KiB, MiB, GiB, TiB; kB, "
                                 "MB, GB, TB; B). A TIME is a number with "
                                 "a suffix (ms, s, m, h), a TICKS value a number with an optional one (k, M, "
                                 "G, T). A LIST has words between commas "
                                 "or spaces, a MODE is octal, a BOOL true or false.";

static void put_option(FILE *to, const struct berthd_option *option, bool as_flag) {
  char name[BERTHD_OPTION_NAME_SIZE];
  if (as_flag) {
    berthd_option_flag(option, name);
    fprintf(to, ".It Fl \\-%s Ar %s\n", name, berthd_option_type_word(option->type));
  } else {
    fprintf(to, ".It Cm %s No = Ar %s\n", option->key, berthd_option_type_word(option->type));
  }
  put_text(to, option->help);
  if (option->default_[0] != '\0') {
    fputs("Default:\n.Ql ", to);
    put_text(to, option->default_);
  }
}

static void put_head(FILE *to, const char *title, const char *section, const char *name, const char *what) {
  fprintf(
      to,
      ".\\\" Generated from the option table (daemon/conf/conf_table.h).\n.Dd %s\n.Dt %s %s\n.Os\n.Sh "
      "NAME\n.Nm "
      "%s\n.Nd %s\n",
      PAGE_DATE, title, section, name, what);
}

void berthd_conf_print_manual_conf(FILE *to) {
  put_head(to, "BERTHD.CONF", "5", "berthd.conf", "configuration of the planning daemon berthd");
  fputs(
      ".Sh DESCRIPTION\n"
      "The file\n.Pa /etc/berth/berthd.ini\nholds options of\n.Xr berthd 8\n"
      "as lines\n.Dq key = value\nunder a\n.Dq [section] .\n"
      "Lines that begin with\n.Ql #\nor\n.Ql \\&;\nare comments, and so is what follows a space and\n.Ql "
      "\\&; .\n"
      "Lines are not indented and at most 198 bytes long.\n"
      "An unknown section or key, and a key given twice, is an error\nthat names its line.\n.Pp\n",
      to);
  put_text(to, TYPES);
  for (size_t s = 0; s < berthd_n_option_sections; s++) {
    fprintf(to, ".Ss Section %s\n", berthd_option_sections[s].name);
    put_text(to, berthd_option_sections[s].help);
    fputs(".Bl -tag -width Ds\n", to);
    for (size_t i = 0; i < berthd_n_options; i++) {
      if (strcmp(berthd_options[i].section, berthd_option_sections[s].name) == 0) {
        put_option(to, &berthd_options[i], false);
      }
    }
    fputs(".El\n", to);
  }
  fputs(
      ".Sh ENVIRONMENT\n"
      "Option\n.Cm key\nof\n.Bq section\nis also read from the variable\n.Ev BERTH_SECTION_KEY ,\n"
      "in capitals and with\n.Ql _\nfor\n.Ql \\- .\n"
      "A flag wins over the environment, the environment over the file.\n"
      ".Sh EXAMPLES\n.Bd -literal -offset indent\n"
      "[listen]\ntcp = 127.0.0.1:50051\n\n[server]\nworkers = 4\ndrain = 30s\n\n[cache]\nmemory = 2GiB\n.Ed\n"
      ".Sh SEE ALSO\n.Xr berthd 8\n",
      to);
}

static void put_flags(FILE *to) {
  fputs(".Bl -tag -width Ds\n", to);
  for (size_t i = 0; i < berthd_n_options; i++) {
    put_option(to, &berthd_options[i], true);
  }
  fputs(".El\n", to);
}

static void put_synopsis(FILE *to) {
  fputs(
      ".Sh SYNOPSIS\n.Nm\n.Op Fl \\-config Ar FILE\n.Op Fl \\-check\n.Op Fl \\-print\\-config\n"
      ".Op Ar option ...\n"
      ".Nm\n.Cm healthcheck\n.Op Ar option ...\n"
      ".Nm\n.Fl \\-help | \\-version\n"
      ".Sh DESCRIPTION\n.Nm\n",
      to);
  put_text(
      to, "plans where the tensors of a model live in memory. Problems come in over gRPC on a unix socket or "
          "TCP, worker "
          "threads plan, and an allocation table goes back with a proof or a bound of how good it is. Every "
          "plan is checked "
          "by independent code before it leaves, and kept in a cache by the hash of its problem.");
  fputs(
      "Metrics and health are served over HTTP at\n.Pa /metrics ,\n.Pa /healthz\nand\n.Pa /readyz .\n.Pp\n"
      "The command\n.Cm healthcheck\n",
      to);
  put_text(
      to, "asks a running daemon that was started with the same options whether it is healthy, and exits 0 "
          "or 1.");
}

static void put_end(FILE *to) {
  fputs(".Sh SIGNALS\n.Bl -tag -width SIGTERM\n.It Dv SIGTERM , SIGINT\n", to);
  put_text(
      to, "Drain: refuse new work, let open requests go on for the time of server-drain, cut short what is "
          "left, and "
          "exit 0. A second signal cuts short at once.");
  fputs(".It Dv SIGHUP\n", to);
  put_text(to, "Read the configuration again and apply the log options; a bad file changes nothing.");
  fputs(
      ".El\n.Sh ENVIRONMENT\n.Bl -tag -width NOTIFY_SOCKET\n"
      ".It Ev BERTH_SECTION_KEY\nThe options of\n.Xr berthd.conf 5 .\n"
      ".It Ev NOTIFY_SOCKET , WATCHDOG_USEC , LISTEN_FDS\n"
      "The protocols of\n.Xr systemd 1 ,\nspoken where set.\n.El\n"
      ".Sh FILES\n.Bl -tag -width Ds\n"
      ".It Pa /etc/berth/berthd.ini\nThe configuration, by convention.\n"
      ".It Pa /run/berth/berthd.sock\nThe unix socket.\n.El\n"
      ".Sh EXIT STATUS\n0 after a clean end, 1 after a failure, 2 for a bad flag or configuration.\n"
      ".Sh SEE ALSO\n.Xr berthctl 1 ,\n.Xr berthd.conf 5\n",
      to);
}

void berthd_conf_print_manual(FILE *to) {
  put_head(to, "BERTHD", "8", "berthd", "planning daemon for the memory of machine learning models");
  put_synopsis(to);
  fputs(
      ".Pp\nThe options:\n.Bl -tag -width Ds\n"
      ".It Fl \\-config Ar FILE\nRead\n.Ar FILE ,\nsee\n.Xr berthd.conf 5 .\n"
      "Without it no file is read.\n"
      "Also from the variable\n.Ev BERTH_CONFIG .\n"
      ".It Fl \\-check\nOnly check the configuration, and exit 0 or 2.\n"
      ".It Fl \\-print\\-config\nPrint the configuration in effect and exit.\n"
      ".It Fl \\-help\nPrint the options and exit.\n"
      ".It Fl \\-version\nPrint the version and exit.\n.El\n.Pp\n"
      "Each option of\n.Xr berthd.conf 5\nis also a flag, as\n"
      ".Fl \\-flag Ar value\nor\n.Fl \\-flag Ns = Ns Ar value .\n",
      to);
  put_text(to, TYPES);
  put_flags(to);
  put_end(to);
}
