/* Two plans compared. Buffers are matched by id, those without one by their place among these; a workspace
 * has its operator's id and is matched with workspaces only. */
#ifndef VERBS_COMPARE_H
#define VERBS_COMPARE_H

#include <stdbool.h>

#include "output/terminal.h"
#include "json/emit.h"
#include "json/saved.h"

enum berthctl_change {
  BERTHCTL_CHANGE_ADDED = 1,
  BERTHCTL_CHANGE_REMOVED = 2,
  BERTHCTL_CHANGE_RESIZED = 4,
  BERTHCTL_CHANGE_RETIMED = 8, /* another lifetime, or other gaps */
  BERTHCTL_CHANGE_MOVED = 16,  /* another offset or pool */
};
enum { BERTHCTL_N_CHANGES = 5 };

struct berthctl_difference {
  uint32_t before; /* BERTH_NO_INDEX if it was added */
  uint32_t after;  /* BERTH_NO_INDEX if it was removed */
  unsigned changes;
  int64_t peak_bytes; /* live at the peak after, less live at the peak before */
};

struct berthctl_side {
  const struct berth_json_saved *saved;
  uint64_t peak_bytes;
  int64_t peak_step; /* the first */
};

/* The rows' peak_bytes sum to the difference of the peaks. Rows that differ only because the peak is at
 * another step have no changes. */
struct berthctl_comparison {
  struct berthctl_side before;
  struct berthctl_side after;
  struct berthctl_difference *rows; /* those that say something, largest effect on the peak first */
  uint32_t n_rows;
  uint32_t n_changed[BERTHCTL_N_CHANGES];
};

enum berth_code berthctl_compare(
    const struct berth_json_saved *before, const struct berth_json_saved *after,
    struct berthctl_comparison *out_comparison, struct berth_error *err) BERTH_MUST_USE;
void berthctl_comparison_finish(struct berthctl_comparison *comparison);

/* The members of an object that is open. */
void berthctl_comparison_write(const struct berthctl_comparison *comparison, struct berth_json *json);
void berthctl_comparison_print(
    const struct berthctl_comparison *comparison, const char *before, const char *after, bool all,
    const struct berthctl_terminal *terminal);

#endif
