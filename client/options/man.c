/* Man pages in mdoc, which mandoc and groff both read. */
#include <string.h>

#include "options/docs.h"

#define DATE "November 29, 2026"

enum { LINE_WIDTH = 78 };

/* A sentence, on lines of its own: the first letter is made large, a full stop is added where there is none,
 * each sentence ends its line, and no line begins with a control character. */
static void write_text(FILE *out, const char *text) {
  size_t column = 0;
  bool is_first = true;
  bool has_stop = false;
  while (*text != '\0') {
    size_t n = strcspn(text, " ");
    if (column != 0 && (has_stop || column + 1 + n > LINE_WIDTH)) {
      fputc('\n', out);
      column = 0;
    }
    fputs(column != 0 ? " " : *text == '.' || *text == '\'' ? "\\&" : "", out);
    for (size_t i = 0; i < n; i++) {
      bool is_letter = is_first && i == 0 && text[0] >= 'a' && text[0] <= 'z';
      if (text[i] == '\\') {
        fputs("\\e", out);
      } else {
        fputc(is_letter ? text[i] - 'a' + 'A' : text[i], out);
      }
    }
    has_stop = text[n - 1] == '.';
    is_first = false;
    column += 1 + n;
    text += n + strspn(text + n, " ");
  }
  fputs(has_stop ? "\n" : ".\n", out);
}

/* "FILE PLAN" as macros; words in brackets are optional, alternatives are fixed words. */
static void write_arguments(FILE *out, const char *arguments) {
  while (*arguments != '\0') {
    size_t n = strcspn(arguments, " ");
    bool is_optional = arguments[0] == '[';
    bool is_fixed = memchr(arguments, '|', n) != NULL;
    const char *begin = arguments + is_optional;
    int n_word = (int)(n - 2 * (size_t)is_optional);
    if (is_fixed) {
      fprintf(out, ".Cm %.*s\n", n_word, begin);
    } else {
      fprintf(out, ".%sAr %.*s\n", is_optional ? "Op " : "", n_word, begin);
    }
    arguments += n + (arguments[n] == ' ');
  }
}

static void write_options(FILE *out, unsigned verbs) {
  fputs(".Bl -tag -width Ds\n", out);
  for (unsigned i = 0; i < BERTHCTL_N_OPTIONS; i++) {
    const struct berthctl_option_row *row = &BERTHCTL_OPTION_ROWS[i];
    if ((row->verbs & verbs) == 0) {
      continue;
    }
    fputs(".It ", out);
    if (row->letter != 0) {
      fprintf(out, "Fl %c , ", row->letter);
    }
    fprintf(out, "Fl \\-%s", row->word);
    if (row->value != NULL) {
      fprintf(out, " Ar %s", row->value);
    }
    fputc('\n', out);
    write_text(out, row->text);
    if (row->environment != NULL) {
      fprintf(out, "The environment variable\n.Ev %s\nstands in for it.\n", row->environment);
    }
  }
  fputs(".El\n", out);
}

static void write_environment(FILE *out, unsigned verbs) {
  fputs(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n", out);
  for (unsigned i = 0; i < BERTHCTL_N_OPTIONS; i++) {
    const struct berthctl_option_row *row = &BERTHCTL_OPTION_ROWS[i];
    if (row->environment != NULL && (row->verbs & verbs) != 0) {
      fprintf(out, ".It Ev %s\nThe same as\n.Fl \\-%s .\n", row->environment, row->word);
    }
  }
  fputs(".It Ev NO_COLOR\nIf set and not empty, no colours are used.\n.El\n", out);
}

static void write_exits(FILE *out) {
  fputs(".Sh EXIT STATUS\n.Bl -tag -width 3n -compact\n", out);
#define X(name, status, text)                                                                                \
  fprintf(out, ".It %d\n", status);                                                                          \
  write_text(out, text);
  BERTHCTL_EXITS(X)
#undef X
  fputs(".El\n", out);
}

static void write_verbs(FILE *out) {
  fputs("The verbs are:\n.Bl -tag -width Ds\n", out);
  for (unsigned i = 0; i < BERTHCTL_N_VERBS; i++) {
    const struct berthctl_verb_row *row = &BERTHCTL_VERB_ROWS[i];
    fprintf(out, ".It Cm %s", row->word);
    fputc('\n', out);
    write_text(out, row->description);
    fprintf(out, "See\n.Xr berthctl-%s 1 .\n", row->word);
  }
  fputs(".El\n", out);
}

static void write_see_also(FILE *out, enum berthctl_verb verb) {
  fputs(".Sh SEE ALSO\n", out);
  if (verb != BERTHCTL_N_VERBS) {
    fputs(".Xr berthctl 1 ,\n", out);
  } else {
    /* in order of name */
    bool is_written[BERTHCTL_N_VERBS] = {false};
    for (unsigned n = 0; n < BERTHCTL_N_VERBS; n++) {
      unsigned first = BERTHCTL_N_VERBS;
      for (unsigned i = 0; i < BERTHCTL_N_VERBS; i++) {
        if (!is_written[i] && (first == BERTHCTL_N_VERBS ||
                               strcmp(BERTHCTL_VERB_ROWS[i].word, BERTHCTL_VERB_ROWS[first].word) < 0)) {
          first = i;
        }
      }
      is_written[first] = true;
      fprintf(out, ".Xr berthctl-%s 1 ,\n", BERTHCTL_VERB_ROWS[first].word);
    }
  }
  fputs(".Xr berthd 8\n", out);
}

static void write_head(FILE *out, enum berthctl_verb verb, const char *version) {
  const char *word = verb == BERTHCTL_N_VERBS ? NULL : BERTHCTL_VERB_ROWS[verb].word;
  char title[32] = "BERTHCTL";
  for (size_t i = 0; word != NULL && i < strlen(word) && i < 20; i++) {
    title[8] = '-';
    title[9 + i] = (char)(word[i] - 'a' + 'A');
    title[10 + i] = '\0';
  }
  fprintf(out, ".\\\" Berth %s\n.Dd %s\n.Dt %s 1\n.Os\n.Sh NAME\n", version, DATE, title);
  if (word == NULL) {
    fputs(".Nm berthctl\n.Nd plan where the buffers of a model lie in memory\n.Sh SYNOPSIS\n", out);
    fputs(".Nm\n.Ar verb\n.Op Ar option ...\n.Op Ar argument ...\n", out);
  } else {
    fprintf(out, ".Nm berthctl-%s\n.Nd %s\n.Sh SYNOPSIS\n", word, BERTHCTL_VERB_ROWS[verb].summary);
    fprintf(out, ".Nm berthctl %s\n.Op Ar option ...\n", word);
    write_arguments(out, BERTHCTL_VERB_ROWS[verb].arguments);
  }
  fputs(".Sh DESCRIPTION\n", out);
}

void berthctl_man_write(FILE *out, enum berthctl_verb verb, const char *version) {
  bool is_all = verb == BERTHCTL_N_VERBS;
  unsigned verbs = is_all ? BERTHCTL_ON_ALL : 1u << verb;
  write_head(out, verb, version);
  if (is_all) {
    fputs(".Nm\ntalks to\n.Xr berthd 8 ,\nor plans by itself, and shows what comes back.\n", out);
    write_verbs(out);
    fputs("The options, each for the verbs that name it, are:\n", out);
  } else {
    write_text(out, BERTHCTL_VERB_ROWS[verb].description);
    fputs(".Pp\nThe options are:\n", out);
  }
  write_options(out, verbs);
  write_environment(out, verbs);
  write_exits(out);
  write_see_also(out, verb);
}
