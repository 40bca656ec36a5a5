#include <string.h>

#include "options/docs.h"

enum { TEXT_COLUMN = 28 };

/* Prints words from column `indent` on, and breaks lines at `width`; the cursor is at `column`. */
static void wrap(FILE *out, const char *text, unsigned indent, unsigned column, unsigned width) {
  while (column < indent) {
    fputc(' ', out);
    column++;
  }
  bool is_first = true;
  while (*text != '\0') {
    unsigned n = (unsigned)strcspn(text, " ");
    if (!is_first && column + 1 + n > width) {
      fprintf(out, "\n%*s", (int)indent, "");
      column = indent;
      is_first = true;
    }
    fprintf(out, "%s%.*s", is_first ? "" : " ", (int)n, text);
    column += n + !is_first;
    is_first = false;
    text += n + (text[n] == ' ');
  }
  fputc('\n', out);
}

static void write_option(FILE *out, const struct berthctl_option_row *row, unsigned width) {
  char head[64];
  char letter[8] = "    ";
  if (row->letter != 0) {
    snprintf(letter, sizeof letter, "-%c, ", row->letter);
  }
  int n = snprintf(
      head, sizeof head, "  %s--%s%s%s", letter, row->word, row->value != NULL ? " " : "",
      row->value != NULL ? row->value : "");
  fputs(head, out);
  if (n + 2 > TEXT_COLUMN) {
    fputc('\n', out);
    n = 0;
  }
  char text[320];
  snprintf(
      text, sizeof text, "%s%s%s%s", row->text, row->environment != NULL ? " [" : "",
      row->environment != NULL ? row->environment : "", row->environment != NULL ? "]" : "");
  wrap(out, text, TEXT_COLUMN, (unsigned)n, width);
}

static void write_options(FILE *out, unsigned verbs, unsigned width) {
  fputs("\nOptions:\n", out);
  for (unsigned i = 0; i < BERTHCTL_N_OPTIONS; i++) {
    if ((BERTHCTL_OPTION_ROWS[i].verbs & verbs) != 0) {
      write_option(out, &BERTHCTL_OPTION_ROWS[i], width);
    }
  }
}

void berthctl_help_usage(FILE *out, enum berthctl_verb verb) {
  if (verb == BERTHCTL_N_VERBS) {
    fputs("usage: berthctl VERB [OPTION...] [ARGUMENT...]\n", out);
    return;
  }
  const struct berthctl_verb_row *row = &BERTHCTL_VERB_ROWS[verb];
  fprintf(
      out, "usage: berthctl %s [OPTION...]%s%s\n", row->word, *row->arguments != '\0' ? " " : "",
      row->arguments);
}

static void write_all(FILE *out, unsigned width) {
  berthctl_help_usage(out, BERTHCTL_N_VERBS);
  fputs("\nPlans where the buffers of a model lie in memory.\n\nVerbs:\n", out);
  for (unsigned i = 0; i < BERTHCTL_N_VERBS; i++) {
    const struct berthctl_verb_row *row = &BERTHCTL_VERB_ROWS[i];
    int n = fprintf(out, "  %s %s", row->word, row->arguments);
    wrap(out, row->summary, TEXT_COLUMN, (unsigned)n, width);
  }
  fputs(
      "\nExamples:\n"
      "  berthctl plan resnet50.csv\n"
      "  berthctl plan --local --svg plan.svg resnet50.csv\n"
      "  berthctl fit --capacity 1.5GiB resnet50.csv\n"
      "\n'berthctl help VERB' shows a verb's options.\n",
      out);
}

static void write_exits(FILE *out, unsigned width) {
  fputs("\nExit status:\n", out);
#define X(name, status, text) wrap(out, text, 8, (unsigned)fprintf(out, "  %d", status), width);
  BERTHCTL_EXITS(X)
#undef X
}

void berthctl_help_write(FILE *out, enum berthctl_verb verb, unsigned width) {
  if (verb == BERTHCTL_N_VERBS) {
    write_all(out, width);
    return;
  }
  berthctl_help_usage(out, verb);
  fputc('\n', out);
  wrap(out, BERTHCTL_VERB_ROWS[verb].description, 0, 0, width);
  write_options(out, 1u << verb, width);
  write_exits(out, width);
}
