#include "output/stability.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/table.h"
#include "text/units.h"

enum { N_ROWS_SHOWN = 20, NAME_SIZE = 80, CELL_SIZE = 64 };

static void print_kept(const struct berth_json_plan *what) {
  const struct berth_stability *figures = &what->plan->stability;
  bool by_bytes = what->stable != NULL && what->stable->keep_by == BERTH_KEEP_BYTES;
  uint64_t kept = by_bytes ? figures->kept_bytes : figures->n_kept;
  printf(
      "\nkept %s of %s buffers", berth_units_grouped(figures->n_kept).text,
      berth_units_grouped(figures->n_before).text);
  printf(
      ", %s of %s bytes; ", berth_units_grouped(figures->kept_bytes).text,
      berth_units_grouped(figures->before_bytes).text);
  if (figures->kept_bound == kept) {
    puts("proven: none that is allowed keeps more");
  } else {
    printf(
        "none that is allowed keeps more than %s%s\n", berth_units_grouped(figures->kept_bound).text,
        by_bytes ? " bytes" : "");
  }
}

static void print_arena(const struct berth_json_plan *what) {
  uint64_t before = 0;
  uint64_t after = what->plan->arena_bytes;
  for (uint32_t p = 0; p < what->stable->n_pools; p++) {
    before += what->stable->arena_bytes[p];
  }
  printf("  arena %s -> %s bytes", berth_units_grouped(before).text, berth_units_grouped(after).text);
  printf(
      ", %s%s\n",
      after > before   ? "+"
      : after < before ? "-"
                       : "",
      berth_units_grouped(after > before ? after - before : before - after).text);
}

static void
put_place(char out[CELL_SIZE], const struct berth_problem *problem, uint32_t pool, uint64_t offset) {
  const struct berth_pools *pools = berth_problem_pools(problem);
  if (offset == BERTH_NO_OFFSET) {
    snprintf(out, CELL_SIZE, "-");
  } else if (pools->n == 1) {
    snprintf(out, CELL_SIZE, "%" PRIu64, offset);
  } else if (pool >= pools->n) {
    snprintf(out, CELL_SIZE, "?:%" PRIu64, offset);
  } else if (pools->items[pool].name.size > 0) {
    snprintf(
        out, CELL_SIZE, "%.*s:%" PRIu64,
        (int)(pools->items[pool].name.size < 24 ? pools->items[pool].name.size : 24),
        pools->items[pool].name.data, offset);
  } else {
    snprintf(out, CELL_SIZE, "%u:%" PRIu64, pool, offset);
  }
}

static void print_row(struct berthctl_table *table, const struct berth_json_plan *what, uint32_t i) {
  const struct berth_stable *stable = what->stable;
  char name[NAME_SIZE];
  char before[CELL_SIZE];
  char after[CELL_SIZE];
  berthctl_buffer_name(what->problem, i, name, sizeof name);
  put_place(before, what->problem, stable->pool[i], stable->offset[i]);
  put_place(after, what->problem, what->plan->pool[i], what->plan->offset[i]);
  enum berth_stay stay = berth_stay_of(stable, what->plan->pool, what->plan->offset, i);
  const char *bytes = berth_units_grouped(berth_problem_buffers(what->problem)->size_bytes[i]).text;
  berthctl_table_row(table, (const char *const[]){name, berth_stay_name(stay), bytes, before, after}, 5);
}

static void print_gone(struct berthctl_table *table, const struct berth_json_plan *what, uint32_t k) {
  char name[NAME_SIZE];
  struct berth_text id = what->gone_ids != NULL ? what->gone_ids[k] : (struct berth_text){.size = 0};
  berthctl_text_name(id, what->stable->gone[k], name, sizeof name);
  berthctl_table_row(table, (const char *const[]){name, "gone", "", "", ""}, 5);
}

/* Whoever has not kept its place: those who moved, the largest first, then those who are new. */
static uint32_t list_rows(const struct berth_json_plan *what, uint32_t **out_rows) {
  const struct berth_plan *plan = what->plan;
  uint64_t *weight = calloc(plan->n_buffers + (size_t)1, sizeof *weight);
  uint32_t n = 0;
  *out_rows = NULL;
  for (uint32_t i = 0; weight != NULL && i < plan->n_buffers; i++) {
    enum berth_stay stay = berth_stay_of(what->stable, plan->pool, plan->offset, i);
    uint64_t size = berth_problem_buffers(what->problem)->size_bytes[i] + 1;
    weight[i] = stay == BERTH_STAY_MOVED ? size | UINT64_C(1) << 63 : stay == BERTH_STAY_NEW ? size : 0;
    n += stay != BERTH_STAY_KEPT;
  }
  if (weight != NULL) {
    *out_rows = berthctl_largest(weight, plan->n_buffers, n, false);
  }
  free(weight);
  return *out_rows != NULL ? n : 0;
}

static void
print_rows(const struct berth_json_plan *what, bool all, const struct berthctl_terminal *terminal) {
  static const struct berthctl_column COLUMNS[] = {
      {"BUFFER", false, true},
      {"CHANGE", false, false},
      {"BYTES", true, false},
      {"BEFORE", true, false},
      {"NOW", true, false}};
  uint32_t *rows;
  uint32_t n = list_rows(what, &rows);
  uint32_t n_all = n + what->stable->n_gone;
  uint32_t most = all || n_all <= N_ROWS_SHOWN ? n_all : N_ROWS_SHOWN;
  if (n_all > 0) {
    struct berthctl_table table;
    berthctl_table_init(&table, terminal, COLUMNS, 5);
    for (uint32_t k = 0; k < most; k++) {
      if (k < n) {
        print_row(&table, what, rows[k]);
      } else {
        print_gone(&table, what, k - n);
      }
    }
    berthctl_table_finish(&table);
  }
  if (most < n_all) {
    printf("and %s more; --all shows every one\n", berth_units_grouped(n_all - most).text);
  }
  free(rows);
}

void berthctl_stability_print(
    const struct berth_json_plan *what, bool all, const struct berthctl_terminal *terminal) {
  if (!what->plan->stability.is_asked || what->plan->offset == NULL) {
    return;
  }
  print_kept(what);
  if (what->stable != NULL && what->problem != NULL) {
    print_arena(what);
    print_rows(what, all, terminal);
  }
}
