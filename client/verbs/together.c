/* --together: several files as the parts of one problem. */
#include <stdlib.h>
#include <string.h>

#include "berth/together.h"
#include "verbs/internal.h"

enum { NAME_SIZE = 128, MAX_SHARED = 4096 };

struct together {
  const struct berthctl_options *options;
  const struct berthctl_terminal *terminal;
  uint32_t n;
  struct berth_named_problem parts[BERTHCTL_MAX_FILES];
  char names[BERTHCTL_MAX_FILES][NAME_SIZE];
  uint32_t set_end[BERTH_MAX_PARTS];
  uint32_t *set_parts;
  uint32_t n_sets;
  struct berth_text shared[MAX_SHARED];
  uint32_t n_shared;
};

_Static_assert(BERTHCTL_MAX_FILES <= BERTH_MAX_PARTS, "every file is a part");

/* ---- Names ---- */

static bool is_taken(const struct together *together, uint32_t part) {
  for (uint32_t other = 0; other < part; other++) {
    if (strcmp(together->names[other], together->names[part]) == 0) {
      return true;
    }
  }
  return false;
}

/* The file's name up to its first dot; a second one of this name is "name.2". */
static void name_part(struct together *together, uint32_t part) {
  const char *path = together->options->arguments[part];
  const char *slash = strrchr(path, '/');
  const char *stem = slash != NULL && slash[1] != '\0' ? slash + 1 : path;
  int n = (int)strcspn(stem, ".");
  n = n == 0 ? (int)strlen(stem) : n;
  n = n > NAME_SIZE / 2 ? NAME_SIZE / 2 : n;
  snprintf(together->names[part], NAME_SIZE, "%.*s", n, stem);
  for (uint32_t k = 2; is_taken(together, part); k++) {
    snprintf(together->names[part], NAME_SIZE, "%.*s.%u", n, stem, k);
  }
  const char *name = together->names[part];
  together->parts[part].name = (struct berth_text){.data = name, .size = (uint32_t)strlen(name)};
}

static uint32_t find_part(const struct together *together, const char *name, size_t n_bytes) {
  for (uint32_t part = 0; part < together->n; part++) {
    if (strlen(together->names[part]) == n_bytes && memcmp(together->names[part], name, n_bytes) == 0) {
      return part;
    }
  }
  return BERTH_NO_INDEX;
}

/* ---- What the options say ---- */

static enum berthctl_exit take_set(struct together *together, const char *at, size_t n_bytes, uint32_t *n) {
  const char *end = at + n_bytes;
  while (at < end) {
    const char *plus = memchr(at, '+', (size_t)(end - at));
    size_t n_name = (size_t)((plus != NULL ? plus : end) - at);
    uint32_t part = find_part(together, at, n_name);
    if (part == BERTH_NO_INDEX) {
      return berthctl_say_usage(
          together->terminal,
          "--together has no file named '%.*s'; share, add, or names such as a+b are right",
          (int)(n_name < 64 ? n_name : 64), at);
    }
    together->set_parts[(*n)++] = part;
    at += n_name + (plus != NULL);
  }
  together->set_end[together->n_sets++] = *n;
  return BERTHCTL_EXIT_OK;
}

static enum berthctl_exit take_sets(struct together *together) {
  const char *at = together->options->text[BERTHCTL_OPTION_TOGETHER];
  uint32_t n = 0;
  if (strcmp(at, "share") == 0) {
    return BERTHCTL_EXIT_OK;
  }
  together->set_parts = calloc(strlen(at) + together->n, sizeof *together->set_parts);
  if (together->set_parts == NULL) {
    struct berth_error err;
    (void)berth_fail_memory(&err);
    return berthctl_error_say(together->terminal, NULL, &err);
  }
  if (strcmp(at, "add") == 0) {
    for (; n < together->n; n++) {
      together->set_parts[n] = n;
    }
    together->set_end[together->n_sets] = n;
    together->n_sets += n > 1;
    return BERTHCTL_EXIT_OK;
  }
  for (;;) {
    size_t n_bytes = strcspn(at, ",");
    if (together->n_sets == BERTH_MAX_PARTS) {
      return berthctl_say_usage(together->terminal, "--together has more than %d sets", BERTH_MAX_PARTS);
    }
    enum berthctl_exit status = take_set(together, at, n_bytes, &n);
    if (status != BERTHCTL_EXIT_OK || at[n_bytes] == '\0') {
      return status;
    }
    at += n_bytes + 1;
  }
}

static enum berthctl_exit take_shared(struct together *together) {
  const char *at = together->options->text[BERTHCTL_OPTION_SHARED];
  while (together->options->is_set[BERTHCTL_OPTION_SHARED]) {
    size_t n_bytes = strcspn(at, ",");
    if (together->n_shared == MAX_SHARED) {
      return berthctl_say_usage(together->terminal, "--shared has more than %d ids", MAX_SHARED);
    }
    together->shared[together->n_shared++] = (struct berth_text){.data = at, .size = (uint32_t)n_bytes};
    if (at[n_bytes] == '\0') {
      break;
    }
    at += n_bytes + 1;
  }
  return BERTHCTL_EXIT_OK;
}

/* ---- The whole ---- */

static enum berthctl_exit load(struct together *together, struct berth_problem **out_problem) {
  enum berthctl_exit status = BERTHCTL_EXIT_OK;
  for (uint32_t part = 0; part < together->n && status == BERTHCTL_EXIT_OK; part++) {
    name_part(together, part);
    status = berthctl_load_file(
        together->options, together->terminal, together->options->arguments[part],
        &together->parts[part].problem);
  }
  status = status != BERTHCTL_EXIT_OK ? status : take_sets(together);
  status = status != BERTHCTL_EXIT_OK ? status : take_shared(together);
  if (status != BERTHCTL_EXIT_OK) {
    return status;
  }
  const struct berth_composition composition = {
      .parts = together->parts,
      .n_parts = together->n,
      .set_end = together->set_end,
      .set_parts = together->set_parts,
      .n_sets = together->n_sets,
      .shared = together->shared,
      .n_shared = together->n_shared};
  struct berth_error err;
  enum berth_code code = berth_problem_compose(&composition, NULL, out_problem, &err);
  return code == BERTH_OK ? BERTHCTL_EXIT_OK : berthctl_error_say(together->terminal, NULL, &err);
}

enum berthctl_exit berthctl_load_together(
    const struct berthctl_options *options, const struct berthctl_terminal *terminal,
    struct berth_problem **out_problem) {
  struct together *together = calloc(1, sizeof *together);
  if (together == NULL) {
    struct berth_error err;
    (void)berth_fail_memory(&err);
    return berthctl_error_say(terminal, NULL, &err);
  }
  together->options = options;
  together->terminal = terminal;
  together->n = options->n_arguments;
  enum berthctl_exit status = load(together, out_problem);
  for (uint32_t part = 0; part < together->n; part++) {
    berth_problem_unref(together->parts[part].problem);
  }
  free(together->set_parts);
  free(together);
  return status;
}
