/* Run at build time: writes the man pages and the shell completions into the folders man/ and completion/ of
 * the folder that it is given. */
#include <stdio.h>
#include <string.h>

#include "options/docs.h"

static FILE *create(const char *folder, const char *name) {
  char path[4096];
  int n = snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = n > 0 && (size_t)n < sizeof path ? fopen(path, "w") : NULL;
  if (file == NULL) {
    perror(path);
  }
  return file;
}

static int end(FILE *file) {
  int failed = ferror(file);
  return fclose(file) != 0 || failed ? -1 : 0;
}

static int write_page(const char *folder, unsigned verb) {
  char name[64] = "man/berthctl.1";
  if (verb != BERTHCTL_N_VERBS) {
    snprintf(name, sizeof name, "man/berthctl-%s.1", BERTHCTL_VERB_ROWS[verb].word);
  }
  FILE *file = create(folder, name);
  if (file == NULL) {
    return -1;
  }
  berthctl_man_write(file, (enum berthctl_verb)verb, BERTH_VERSION);
  return end(file);
}

static int write_completion(const char *folder, const char *shell) {
  char name[64];
  snprintf(name, sizeof name, "completion/berthctl.%s", shell);
  FILE *file = create(folder, name);
  if (file == NULL) {
    return -1;
  }
  int failed = berthctl_completion_write(file, shell) ? 0 : -1;
  return end(file) | failed;
}

int main(int argc, char **argv) {
  static const char *const SHELLS[] = {"bash", "zsh", "fish"};
  if (argc != 2) {
    fputs("usage: berthctl_docs FOLDER\n", stderr);
    return 2;
  }
  int failed = 0;
  for (unsigned verb = 0; verb <= BERTHCTL_N_VERBS; verb++) {
    failed |= write_page(argv[1], verb);
  }
  for (unsigned i = 0; i < sizeof SHELLS / sizeof SHELLS[0]; i++) {
    failed |= write_completion(argv[1], SHELLS[i]);
  }
  return failed != 0;
}
