#include <inttypes.h>

#include "output/table.h"
#include "text/units.h"
#include "verbs/compare.h"

enum { N_ROWS_SHOWN = 20, NAME_SIZE = 128 };

/* ---- JSON ---- */

static void write_text(struct berth_json *json, const char *key, struct berth_text text) {
  if (text.size != 0) {
    berth_json_text(json, key, text);
  } else {
    berth_json_null(json, key);
  }
}

static void
write_side(struct berth_json *json, const char *key, const struct berth_json_saved *saved, uint32_t buffer) {
  if (buffer == BERTH_NO_INDEX) {
    berth_json_null(json, key);
    return;
  }
  const struct berth_buffers *buffers = berth_problem_buffers(saved->problem);
  berth_json_open(json, key, '{');
  berth_json_u64(json, "index", buffer);
  berth_json_u64(json, "size", buffers->size_bytes[buffer]);
  berth_json_i64(json, "lower", buffers->lower[buffer]);
  berth_json_i64(json, "upper", buffers->upper[buffer]);
  write_text(json, "pool", saved->pool[buffer]);
  if (saved->offset[buffer] != BERTH_NO_OFFSET) {
    berth_json_u64(json, "offset", saved->offset[buffer]);
  } else {
    berth_json_null(json, "offset");
  }
  berth_json_close(json, '}');
}

static struct berth_text
id_of(const struct berthctl_comparison *comparison, const struct berth_difference *row) {
  return row->after != BERTH_NO_INDEX ? comparison->after->id[row->after]
                                      : comparison->before->id[row->before];
}

static void write_row(
    struct berth_json *json, const struct berthctl_comparison *comparison,
    const struct berth_difference *row) {
  berth_json_open(json, NULL, '{');
  write_text(json, "id", id_of(comparison, row));
  berth_json_open(json, "changes", '[');
  for (unsigned i = 0; i < BERTH_N_CHANGES; i++) {
    if ((row->changes >> i & 1) != 0) {
      berth_json_string(json, NULL, berth_change_name((enum berth_change)i));
    }
  }
  berth_json_close(json, ']');
  berth_json_i64(json, "peak_bytes", row->peak_bytes);
  write_side(json, "before", comparison->before, row->before);
  write_side(json, "after", comparison->after, row->after);
  berth_json_close(json, '}');
}

static void write_arena(struct berth_json *json, const char *key, const struct berth_json_saved *saved) {
  if (saved->has_arena) {
    berth_json_u64(json, key, saved->arena_bytes);
  } else {
    berth_json_null(json, key);
  }
}

void berthctl_comparison_write(const struct berthctl_comparison *comparison, struct berth_json *json) {
  const struct berth_json_saved *before = comparison->before;
  const struct berth_json_saved *after = comparison->after;
  const struct berth_comparison *what = &comparison->what;
  berth_json_open(json, "arena_bytes", '{');
  write_arena(json, "before", before);
  write_arena(json, "after", after);
  if (before->has_arena && after->has_arena) {
    berth_json_i64(json, "difference", (int64_t)after->arena_bytes - (int64_t)before->arena_bytes);
  } else {
    berth_json_null(json, "difference");
  }
  berth_json_close(json, '}');
  berth_json_open(json, "added_waits", '{');
  berth_json_u64(json, "before", before->n_syncs);
  berth_json_u64(json, "after", after->n_syncs);
  berth_json_close(json, '}');
  berth_json_open(json, "peak_bytes", '{');
  berth_json_u64(json, "before", what->peak_bytes[0]);
  berth_json_u64(json, "after", what->peak_bytes[1]);
  berth_json_i64(json, "difference", (int64_t)what->peak_bytes[1] - (int64_t)what->peak_bytes[0]);
  berth_json_i64(json, "step_before", what->peak_step[0]);
  berth_json_i64(json, "step_after", what->peak_step[1]);
  berth_json_close(json, '}');
  for (unsigned i = 0; i < BERTH_N_CHANGES; i++) {
    berth_json_u64(json, berth_change_name((enum berth_change)i), comparison->what.n_changed[i]);
  }
  berth_json_open(json, "buffers", '[');
  for (uint32_t i = 0; i < comparison->what.n_rows; i++) {
    write_row(json, comparison, &comparison->what.rows[i]);
  }
  berth_json_close(json, ']');
}

/* ---- For people ---- */

static void put_difference(char *out, size_t capacity, int64_t n) {
  uint64_t bytes = n < 0 ? (uint64_t)-n : (uint64_t)n;
  snprintf(out, capacity, "%s%s", n < 0 ? "-" : n > 0 ? "+" : "", berth_units_grouped(bytes).text);
}

static void print_change(const char *what, uint64_t before, uint64_t after) {
  char difference[40];
  put_difference(difference, sizeof difference, (int64_t)after - (int64_t)before);
  printf(
      "  %s %s -> %s bytes, %s", what, berth_units_grouped(before).text, berth_units_grouped(after).text,
      difference);
  if (before != 0) {
    printf(" (%+.2f %%)", 100 * ((double)after / (double)before - 1));
  }
}

static void put_size(char *out, size_t capacity, const struct berth_json_saved *saved, uint32_t buffer) {
  if (buffer == BERTH_NO_INDEX) {
    snprintf(out, capacity, "-");
  } else {
    uint64_t bytes = berth_problem_buffers(saved->problem)->size_bytes[buffer];
    snprintf(out, capacity, "%s", berth_units_grouped(bytes).text);
  }
}

static void print_row(
    struct berthctl_table *table, const struct berthctl_comparison *comparison,
    const struct berth_difference *row) {
  char name[NAME_SIZE];
  char changes[64] = "";
  char before[40];
  char after[40];
  char peak[40];
  size_t n = 0;
  for (unsigned i = 0; i < BERTH_N_CHANGES; i++) {
    if ((row->changes >> i & 1) != 0) {
      n += (size_t)snprintf(
          changes + n, sizeof changes - n, "%s%s", n != 0 ? ", " : "",
          berth_change_name((enum berth_change)i));
    }
  }
  uint32_t index = row->after != BERTH_NO_INDEX ? row->after : row->before;
  berthctl_text_name(id_of(comparison, row), index, name, sizeof name);
  put_size(before, sizeof before, comparison->before, row->before);
  put_size(after, sizeof after, comparison->after, row->after);
  put_difference(peak, sizeof peak, row->peak_bytes);
  berthctl_table_row(
      table, (const char *const[]){name, n != 0 ? changes : "another step", before, after, peak}, 5);
}

static void
print_rows(const struct berthctl_comparison *comparison, bool all, const struct berthctl_terminal *terminal) {
  static const struct berthctl_column COLUMNS[] = {
      {"BUFFER", false, true},
      {"CHANGE", false, false},
      {"BYTES BEFORE", true, false},
      {"AFTER", true, false},
      {"AT PEAK", true, false}};
  uint32_t n = all || comparison->what.n_rows <= N_ROWS_SHOWN ? comparison->what.n_rows : N_ROWS_SHOWN;
  if (n == 0) {
    return;
  }
  struct berthctl_table table;
  berthctl_table_init(&table, terminal, COLUMNS, 5);
  for (uint32_t i = 0; i < n; i++) {
    print_row(&table, comparison, &comparison->what.rows[i]);
  }
  putchar('\n');
  berthctl_table_finish(&table);
  if (n < comparison->what.n_rows) {
    printf(
        "and %s buffers more; --all shows every one\n",
        berth_units_grouped(comparison->what.n_rows - n).text);
  }
}

void berthctl_comparison_print(
    const struct berthctl_comparison *comparison, const char *before, const char *after, bool all,
    const struct berthctl_terminal *terminal) {
  printf(
      "%s%s%s -> %s%s%s\n", berthctl_style(terminal->color, BERTHCTL_STYLE_BOLD), before,
      berthctl_unstyle(terminal->color), berthctl_style(terminal->color, BERTHCTL_STYLE_BOLD), after,
      berthctl_unstyle(terminal->color));
  if (comparison->before->has_arena && comparison->after->has_arena) {
    print_change("arena", comparison->before->arena_bytes, comparison->after->arena_bytes);
    putchar('\n');
  }
  if (comparison->before->n_syncs != 0 || comparison->after->n_syncs != 0) {
    printf("  added waits %u -> %u\n", comparison->before->n_syncs, comparison->after->n_syncs);
  }
  print_change("peak ", comparison->what.peak_bytes[0], comparison->what.peak_bytes[1]);
  printf(
      " at steps %" PRId64 " and %" PRId64 "\n ", comparison->what.peak_step[0],
      comparison->what.peak_step[1]);
  for (unsigned i = 0; i < BERTH_N_CHANGES; i++) {
    printf(
        "%s %u %s", i != 0 ? "," : "", comparison->what.n_changed[i],
        berth_change_name((enum berth_change)i));
  }
  putchar('\n');
  print_rows(comparison, all, terminal);
}
