#include <string.h>

#include "options/docs.h"

/* Whether the verb's arguments are files, and if not which words they are ("status|health"). */
static bool takes_files(const struct berthctl_verb_row *row) {
  return strstr(row->arguments, "FILE") != NULL;
}

static void write_alternatives(FILE *out, const struct berthctl_verb_row *row, const char *separator) {
  if (strchr(row->arguments, '|') == NULL) {
    return;
  }
  const char *prefix = "";
  for (const char *c = row->arguments; *c != '\0';) {
    size_t n = strcspn(c, "|");
    fprintf(out, "%s%.*s", prefix, (int)n, c);
    prefix = separator;
    c += n + (c[n] == '|');
  }
}

/* ---- bash ---- */

static void write_bash_verb(FILE *out, unsigned verb) {
  const struct berthctl_verb_row *row = &BERTHCTL_VERB_ROWS[verb];
  fprintf(out, "    %s)\n      words=\"", row->word);
  if (verb == BERTHCTL_VERB_HELP) {
    for (unsigned i = 0; i < BERTHCTL_N_VERBS; i++) {
      fprintf(out, "%s%s", i != 0 ? " " : "", BERTHCTL_VERB_ROWS[i].word);
    }
  }
  write_alternatives(out, row, " ");
  fputs("\"\n      options=\"", out);
  for (unsigned i = 0; i < BERTHCTL_N_OPTIONS; i++) {
    if (berthctl_option_is_on((enum berthctl_option)i, (enum berthctl_verb)verb)) {
      fprintf(out, "--%s ", BERTHCTL_OPTION_ROWS[i].word);
    }
  }
  fprintf(out, "\"\n      files=%s\n      ;;\n", takes_files(row) ? "yes" : "");
}

static void write_bash_values(FILE *out) {
  const char *prefix = "    ";
  for (unsigned i = 0; i < BERTHCTL_N_OPTIONS; i++) {
    const struct berthctl_option_row *row = &BERTHCTL_OPTION_ROWS[i];
    if (row->kind != BERTHCTL_KIND_FLAG && row->kind != BERTHCTL_KIND_FILE) {
      fprintf(out, "%s--%s", prefix, row->word);
      prefix = " | ";
      if (row->letter != 0) {
        fprintf(out, " | -%c", row->letter);
      }
    }
  }
  fputs(")\n      return ;;\n", out);
  prefix = "    ";
  for (unsigned i = 0; i < BERTHCTL_N_OPTIONS; i++) {
    if (BERTHCTL_OPTION_ROWS[i].kind == BERTHCTL_KIND_FILE) {
      fprintf(out, "%s--%s", prefix, BERTHCTL_OPTION_ROWS[i].word);
      prefix = " | ";
    }
  }
  fputs(
      ")\n      compopt -o filenames 2>/dev/null\n"
      "      mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n      return ;;\n",
      out);
}

static void write_bash(FILE *out) {
  fputs(
      "# bash completion of berthctl; load it with: source <(berthctl completion bash)\n"
      "_berthctl() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
      "  local verb='' words='' options='' files='' i\n"
      "  COMPREPLY=()\n"
      "  case $previous in\n",
      out);
  write_bash_values(out);
  fputs(
      "  esac\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${COMP_WORDS[i]} in\n"
      "    -*) ;;\n"
      "    *)\n"
      "      verb=${COMP_WORDS[i]}\n"
      "      break\n"
      "      ;;\n"
      "    esac\n"
      "  done\n"
      "  case $verb in\n",
      out);
  for (unsigned i = 0; i < BERTHCTL_N_VERBS; i++) {
    write_bash_verb(out, i);
  }
  fputs("    *)\n      words=\"", out);
  for (unsigned i = 0; i < BERTHCTL_N_VERBS; i++) {
    fprintf(out, "%s ", BERTHCTL_VERB_ROWS[i].word);
  }
  fputs(
      "\"\n      options=\"--help --version\"\n      ;;\n"
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
      "  else\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
      "    if [[ -n $files ]]; then\n"
      "      compopt -o filenames 2>/dev/null\n"
      "      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$word\")\n"
      "    fi\n"
      "  fi\n"
      "}\n"
      "complete -F _berthctl berthctl\n",
      out);
}

/* ---- zsh ---- */

/* Text inside single quotes, within brackets of an _arguments specification. */
static void write_zsh_text(FILE *out, const char *text) {
  for (; *text != '\0'; text++) {
    if (*text == '\'') {
      fputs("'\\''", out);
    } else {
      if (*text == '[' || *text == ']' || *text == ':' || *text == '\\') {
        fputc('\\', out);
      }
      fputc(*text, out);
    }
  }
}

static void write_zsh_option(FILE *out, const struct berthctl_option_row *row) {
  fputs("        ", out);
  if (row->letter != 0) {
    fprintf(out, "'(-%c --%s)'{-%c,--%s}'[", row->letter, row->word, row->letter, row->word);
  } else {
    fprintf(out, "'--%s[", row->word);
  }
  write_zsh_text(out, row->text);
  fputs("]", out);
  if (row->value != NULL) {
    fprintf(out, ":%s:%s", row->value, row->kind == BERTHCTL_KIND_FILE ? "_files" : "");
  }
  fputs("' \\\n", out);
}

static void write_zsh(FILE *out) {
  fputs(
      "#compdef berthctl\n# zsh completion of berthctl; load it with: source <(berthctl completion zsh)\n"
      "_berthctl() {\n  local -a verbs=(\n",
      out);
  for (unsigned i = 0; i < BERTHCTL_N_VERBS; i++) {
    fprintf(out, "    '%s:", BERTHCTL_VERB_ROWS[i].word);
    write_zsh_text(out, BERTHCTL_VERB_ROWS[i].summary);
    fputs("'\n", out);
  }
  fputs(
      "  )\n  if ((CURRENT == 2)); then\n    _describe verb verbs\n    return\n  fi\n"
      "  local verb=$words[2]\n  shift words\n  ((CURRENT--))\n  case $verb in\n",
      out);
  for (unsigned i = 0; i < BERTHCTL_N_VERBS; i++) {
    const struct berthctl_verb_row *row = &BERTHCTL_VERB_ROWS[i];
    fprintf(out, "    %s)\n      _arguments \\\n", row->word);
    for (unsigned k = 0; k < BERTHCTL_N_OPTIONS; k++) {
      if (berthctl_option_is_on((enum berthctl_option)k, (enum berthctl_verb)i)) {
        write_zsh_option(out, &BERTHCTL_OPTION_ROWS[k]);
      }
    }
    if (takes_files(row)) {
      fputs("        '*:file:_files'\n", out);
    } else if (i == BERTHCTL_VERB_HELP) {
      fputs("        '1:verb:{_describe verb verbs}'\n", out);
    } else {
      fputs("        '1:argument:(", out);
      write_alternatives(out, row, " ");
      fputs(")'\n", out);
    }
    fputs("      ;;\n", out);
  }
  fputs(
      "  esac\n}\nif [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  _berthctl \"$@\"\nelse\n"
      "  compdef _berthctl berthctl\nfi\n",
      out);
}

/* ---- fish ---- */

static void write_fish_text(FILE *out, const char *text) {
  for (; *text != '\0'; text++) {
    if (*text == '\'' || *text == '\\') {
      fputc('\\', out);
    }
    fputc(*text, out);
  }
}

static void write_fish_option(FILE *out, const struct berthctl_option_row *row) {
  fputs("complete -c berthctl", out);
  if (row->verbs != BERTHCTL_ON_ALL) {
    fputs(" -n '__fish_seen_subcommand_from", out);
    for (unsigned i = 0; i < BERTHCTL_N_VERBS; i++) {
      if ((row->verbs >> i & 1) != 0) {
        fprintf(out, " %s", BERTHCTL_VERB_ROWS[i].word);
      }
    }
    fputs("'", out);
  }
  fprintf(out, " -l %s", row->word);
  if (row->letter != 0) {
    fprintf(out, " -s %c", row->letter);
  }
  fputs(row->kind == BERTHCTL_KIND_FLAG ? "" : row->kind == BERTHCTL_KIND_FILE ? " -r -F" : " -x", out);
  fputs(" -d '", out);
  write_fish_text(out, row->text);
  fputs("'\n", out);
}

static void write_fish(FILE *out) {
  fputs(
      "# fish completion of berthctl; load it with: berthctl completion fish | source\n"
      "complete -c berthctl -f\n",
      out);
  for (unsigned i = 0; i < BERTHCTL_N_VERBS; i++) {
    const struct berthctl_verb_row *row = &BERTHCTL_VERB_ROWS[i];
    fprintf(out, "complete -c berthctl -n __fish_use_subcommand -a %s -d '", row->word);
    write_fish_text(out, row->summary);
    fputs("'\n", out);
    if (takes_files(row)) {
      fprintf(out, "complete -c berthctl -n '__fish_seen_subcommand_from %s' -F\n", row->word);
    } else if (strchr(row->arguments, '|') != NULL) {
      fprintf(out, "complete -c berthctl -n '__fish_seen_subcommand_from %s' -a '", row->word);
      write_alternatives(out, row, " ");
      fputs("'\n", out);
    }
  }
  for (unsigned i = 0; i < BERTHCTL_N_OPTIONS; i++) {
    write_fish_option(out, &BERTHCTL_OPTION_ROWS[i]);
  }
}

bool berthctl_completion_write(FILE *out, const char *shell) {
  static const struct {
    const char *name;
    void (*write)(FILE *out);
  } SHELLS[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
  for (size_t i = 0; i < sizeof SHELLS / sizeof SHELLS[0]; i++) {
    if (strcmp(SHELLS[i].name, shell) == 0) {
      SHELLS[i].write(out);
      return true;
    }
  }
  return false;
}
