#define _DEFAULT_SOURCE /* scandir */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "minimalloc/minimalloc.h"

static const char *const FOLDERS[] = {"minimalloc-small", "glow", "minimalloc", "somas", "iopddl"};

static char *read_file(const char *path, size_t *out_n) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    if (file != NULL) {
      fclose(file);
    }
    return NULL;
  }
  long n = ftell(file);
  rewind(file);
  char *text = n >= 0 ? malloc((size_t)n + 1) : NULL;
  *out_n = text != NULL ? fread(text, 1, (size_t)n, file) : 0;
  fclose(file);
  return text;
}

struct berth_problem *bench_read(const char *path) {
  size_t n = 0;
  char *text = read_file(path, &n);
  struct berth_problem *problem = NULL;
  struct berth_error err = {.message = "cannot be opened"};
  if (text == NULL || berth_minimalloc_read(text, n, NULL, &problem, &err) != BERTH_OK) {
    fprintf(stderr, "%s:%u: %s\n", path, err.line, err.message);
  }
  free(text);
  return problem;
}

int bench_file(const char *path, const char *name, const struct bench_options *options) {
  struct berth_problem *problem = bench_read(path);
  struct bench_row row;
  bool good = problem != NULL && bench_solve(name, problem, options, &row);
  if (good) {
    bench_print(&row);
  }
  berth_problem_unref(problem);
  return !good;
}

static int is_csv(const struct dirent *entry) {
  size_t n = strlen(entry->d_name);
  return n > 4 && strcmp(entry->d_name + n - 4, ".csv") == 0;
}

int bench_corpus(const struct bench_options *options, bool *out_seen) {
  int n_failed = 0;
  *out_seen = false;
  for (size_t f = 0; f < sizeof FOLDERS / sizeof FOLDERS[0]; f++) {
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/%s", options->corpus, FOLDERS[f]);
    struct dirent **entries;
    int n = scandir(folder, &entries, is_csv, alphasort);
    for (int k = 0; k < n; k++) {
      char path[2048];
      char name[512];
      snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
      snprintf(name, sizeof name, "%s/%s", FOLDERS[f], entries[k]->d_name);
      n_failed += bench_file(path, name, options);
      *out_seen = true;
      free(entries[k]);
    }
    if (n >= 0) {
      free(entries);
    }
  }
  return n_failed;
}
