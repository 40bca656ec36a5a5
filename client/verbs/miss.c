/* --explain-miss: why the daemon's cache had no plan. */
#include <inttypes.h>
#include <string.h>

#include "text/units.h"
#include "verbs/internal.h"

enum { ID_SHOWN = 12 };

static bool was_missed(const struct berthctl_miss *miss) {
  return miss->reason[0] != '\0';
}

void berthctl_miss_write(void *ctx, struct berth_json *json) {
  const struct berthctl_miss *miss = ctx;
  if (!was_missed(miss)) {
    berth_json_null(json, "cache_miss");
    return;
  }
  berth_json_open(json, "cache_miss", '{');
  berth_json_string(json, "reason", miss->reason);
  if (miss->nearest[0] != '\0') {
    berth_json_string(json, "nearest_plan_id", miss->nearest);
    berth_json_bool(json, "nearest_is_kept", miss->nearest_is_kept);
  } else {
    berth_json_null(json, "nearest_plan_id");
  }
  berth_json_open(json, "differences", '[');
  for (uint32_t i = 0; i < miss->n; i++) {
    berth_json_open(json, NULL, '{');
    berth_json_string(json, "section", miss->items[i].section);
    if (miss->items[i].n_entries != 0) {
      berth_json_u64(json, "entries", miss->items[i].n_entries);
    } else {
      berth_json_null(json, "entries");
    }
    berth_json_close(json, '}');
  }
  berth_json_close(json, ']');
  berth_json_close(json, '}');
}

static const char *text_of(const char *reason) {
  static const struct {
    const char *reason;
    const char *text;
  } TEXTS[] = {
      {"new", "nothing like this problem was asked for of late"},
      {"options", "the same problem was planned with other options"},
      {"evicted", "its plan had to make room for others"},
      {"expired", "its failure was remembered for a while only"},
      {"deleted", "its plan was deleted"},
      {"refused", "its plan did not stand the check"},
      {"cut_short", "its plan was cut short by a deadline, and was not kept as final"}};
  for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
    if (strcmp(reason, TEXTS[i].reason) == 0) {
      return TEXTS[i].text;
    }
  }
  return reason;
}

void berthctl_miss_print(const struct berthctl_miss *miss) {
  if (!was_missed(miss)) {
    return;
  }
  printf("\ncache miss: %s\n", text_of(miss->reason));
  if (miss->nearest[0] == '\0') {
    return;
  }
  printf(
      "  nearest is plan %.*s%s: the same but for ", ID_SHOWN, miss->nearest,
      miss->nearest_is_kept ? "" : ", which is gone");
  for (uint32_t i = 0; i < miss->n; i++) {
    printf("%s%s", i == 0 ? "" : i + 1 == miss->n ? " and " : ", ", miss->items[i].section);
    if (miss->items[i].n_entries != 0) {
      printf(" (%s)", berth_units_grouped(miss->items[i].n_entries).text);
    }
  }
  putchar('\n');
}
