#include <stdlib.h>

#include "core/internal.h"

bool berthd_due_reserve(struct berthd_core *core) {
  if (core->n_due < core->due_capacity) {
    return true;
  }
  size_t capacity = 2 * core->due_capacity + 64;
  struct berthd_request **grown = realloc(core->due, capacity * sizeof *grown);
  if (grown == NULL) {
    return false;
  }
  core->due = grown;
  core->due_capacity = capacity;
  return true;
}

static void place(struct berthd_core *core, struct berthd_request *request, size_t at) {
  core->due[at] = request;
  request->due_place = at;
}

static void sift(struct berthd_core *core, struct berthd_request *request, size_t at) {
  while (at > 0 && core->due[(at - 1) / 2]->due_ns > request->due_ns) {
    place(core, core->due[(at - 1) / 2], at);
    at = (at - 1) / 2;
  }
  for (;;) {
    size_t child = 2 * at + 1;
    if (child + 1 < core->n_due && core->due[child + 1]->due_ns < core->due[child]->due_ns) {
      child++;
    }
    if (child >= core->n_due || core->due[child]->due_ns >= request->due_ns) {
      break;
    }
    place(core, core->due[child], at);
    at = child;
  }
  place(core, request, at);
}

void berthd_due_insert(struct berthd_core *core, struct berthd_request *request, int64_t due_ns) {
  request->due_ns = due_ns;
  core->n_due++;
  sift(core, request, core->n_due - 1);
}

void berthd_due_remove(struct berthd_core *core, struct berthd_request *request) {
  struct berthd_request *last = core->due[--core->n_due];
  if (last != request) {
    sift(core, last, request->due_place);
  }
}

void berthd_due_change(struct berthd_core *core, struct berthd_request *request, int64_t due_ns) {
  request->due_ns = due_ns;
  sift(core, request, request->due_place);
}

int64_t berthd_due_wake(struct berthd_core *core) {
  if (core->n_due == 0 || core->due[0]->due_ns >= core->timer_ns) {
    return INT64_MAX;
  }
  core->timer_ns = core->due[0]->due_ns;
  return core->timer_ns;
}
