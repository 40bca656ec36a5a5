/* What a composition states: parts of one set of pools, sets of parts, ids that several parts have. */
#include <string.h>

#include "base/merge.h"
#include "base/text.h"
#include "problem/together.h"

enum { SHOWN_BYTES = 48 };

struct shown {
  char text[SHOWN_BYTES];
};

static struct shown show(struct berth_text text) {
  struct shown shown;
  bool is_text = text.size != 0 && berth_text_valid(text.data, text.size);
  berth_text_display(shown.text, sizeof shown.text, is_text ? text.data : "?", is_text ? text.size : 1);
  return shown;
}

static struct shown part_name(const struct berth_together *together, uint32_t part) {
  return show(together->given->parts[part].name);
}

#define REFUSE(together, reason, index, field, ...)                                                          \
  berth_fail((together)->err, BERTH_INVALID_ARGUMENT, BERTH_REASON_##reason, index, field, __VA_ARGS__)

static int compare_texts(struct berth_text left, struct berth_text right) {
  uint32_t n = left.size < right.size ? left.size : right.size;
  int order = n != 0 ? memcmp(left.data, right.data, n) : 0;
  return order != 0 ? order : (left.size > right.size) - (left.size < right.size);
}

/* ---- Parts ---- */

static enum berth_code check_part(struct berth_together *together, uint32_t p) {
  const struct berth_named_problem *part = &together->given->parts[p];
  if (part->name.size == 0) {
    return REFUSE(together, MISSING_FIELD, p, "parts.name", "part %u has no name", p);
  }
  if (!berth_text_valid(part->name.data, part->name.size)) {
    return REFUSE(together, BAD_TEXT, p, "parts.name", "the name of part %u is not UTF-8 without NUL", p);
  }
  for (uint32_t other = 0; other < p; other++) {
    if (compare_texts(part->name, together->given->parts[other].name) == 0) {
      return REFUSE(
          together, DUPLICATE_ID, p, "parts.name", "part %u (\"%s\"): part %u has the same name", p,
          part_name(together, p).text, other);
    }
  }
  if (part->problem == NULL) {
    return REFUSE(
        together, MISSING_FIELD, p, "parts", "part %u (\"%s\") has no problem", p,
        part_name(together, p).text);
  }
  if (berth_problem_composed(part->problem) != NULL) {
    return REFUSE(
        together, BAD_PART, p, "parts",
        "part %u (\"%s\") has parts itself; name those here, and sets of them", p,
        part_name(together, p).text);
  }
  return BERTH_OK;
}

static bool same_pool(const struct berth_pool_spec *a, const struct berth_pool_spec *b) {
  bool same = compare_texts(a->name, b->name) == 0 && a->capacity_bytes == b->capacity_bytes &&
              a->alignment == b->alignment && a->max_block_bytes == b->max_block_bytes &&
              a->kind == b->kind && a->base_alignment == b->base_alignment &&
              a->cost_per_byte == b->cost_per_byte && a->n_spill_to == b->n_spill_to &&
              a->persistence == b->persistence;
  for (uint32_t i = 0; same && i < a->n_spill_to; i++) {
    same = a->spill_to[i] == b->spill_to[i];
  }
  return same;
}

static enum berth_code check_pools(struct berth_together *together, uint32_t p) {
  const struct berth_pools *first = berth_problem_pools(together->given->parts[0].problem);
  const struct berth_pools *pools = berth_problem_pools(together->given->parts[p].problem);
  if (pools->n != first->n) {
    return REFUSE(
        together, BAD_POOL, p, "parts.pools",
        "part %u (\"%s\") has %u pools and part 0 (\"%s\") has %u; all parts lie in the same pools", p,
        part_name(together, p).text, pools->n, part_name(together, 0).text, first->n);
  }
  for (uint32_t i = 0; i < pools->n; i++) {
    if (!same_pool(&pools->items[i], &first->items[i])) {
      return REFUSE(
          together, BAD_POOL, p, "parts.pools",
          "pool %u of part %u (\"%s\") is not as in part 0 (\"%s\"); all parts lie in the same pools", i, p,
          part_name(together, p).text, part_name(together, 0).text);
    }
  }
  return BERTH_OK;
}

static enum berth_code check_parts(struct berth_together *together) {
  if (together->n == 0) {
    return REFUSE(together, MISSING_FIELD, BERTH_NO_INDEX, "parts", "a composition has one part at least");
  }
  if (together->n > BERTH_MAX_PARTS) {
    return berth_fail(
        together->err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, "parts",
        "%u parts; at most %d are allowed", together->n, BERTH_MAX_PARTS);
  }
  enum berth_code code = BERTH_OK;
  for (uint32_t p = 0; p < together->n && code == BERTH_OK; p++) {
    code = check_part(together, p);
    code = code != BERTH_OK ? code : check_pools(together, p);
  }
  return code;
}

/* ---- Sets ---- */

static enum berth_code check_set(struct berth_together *together, uint32_t set, uint32_t *mark) {
  const struct berth_composition *given = together->given;
  uint32_t begin = set > 0 ? given->set_end[set - 1] : 0;
  uint32_t end = given->set_end[set];
  if (end < begin || end - begin < 2) {
    return REFUSE(
        together, BAD_PART, set, "together", "set %u has fewer than two parts that may run at once", set);
  }
  for (uint32_t i = begin; i < end; i++) {
    uint32_t part = given->set_parts[i];
    if (part >= together->n) {
      return REFUSE(
          together, UNKNOWN_ID, set, "together", "set %u names part %u; there are %u", set, part,
          together->n);
    }
    if (mark[part] == set + 1) {
      return REFUSE(
          together, BAD_PART, set, "together", "set %u names part %u (\"%s\") twice", set, part,
          part_name(together, part).text);
    }
    mark[part] = set + 1;
    for (uint32_t k = begin; k < i; k++) {
      uint32_t other = given->set_parts[k];
      together->at_once[(size_t)part * together->n + other] = 1;
      together->at_once[(size_t)other * together->n + part] = 1;
    }
  }
  return BERTH_OK;
}

static enum berth_code check_sets(struct berth_together *together) {
  const struct berth_composition *given = together->given;
  if (given->n_sets > BERTH_MAX_PARTS) {
    return berth_fail(
        together->err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, "together",
        "%u sets of parts; at most %d are allowed", given->n_sets, BERTH_MAX_PARTS);
  }
  uint32_t *mark = berth_arena_new_zeroed(together->arena, uint32_t, together->n);
  together->at_once = berth_arena_new_zeroed(together->arena, uint8_t, (size_t)together->n * together->n);
  if (mark == NULL || together->at_once == NULL) {
    return berth_fail_memory(together->err);
  }
  enum berth_code code = BERTH_OK;
  for (uint32_t set = 0; set < given->n_sets && code == BERTH_OK; set++) {
    code = check_set(together, set, mark);
  }
  return code;
}

/* ---- Shared buffers ---- */

static int compare_shared(const void *ctx, uint32_t a, uint32_t b) {
  const struct berth_composition *given = ctx;
  return compare_texts(given->shared[a], given->shared[b]);
}

static enum berth_code sort_shared(struct berth_together *together, uint32_t *sorted) {
  const struct berth_composition *given = together->given;
  uint32_t *scratch = berth_arena_new(together->arena, uint32_t, given->n_shared);
  if (scratch == NULL) {
    return berth_fail_memory(together->err);
  }
  for (uint32_t i = 0; i < given->n_shared; i++) {
    if (given->shared[i].size == 0) {
      return REFUSE(together, MISSING_FIELD, i, "shared", "shared buffer %u has no id", i);
    }
    sorted[i] = i;
  }
  berth_merge_sort(sorted, scratch, given->n_shared, given, compare_shared);
  for (uint32_t i = 1; i < given->n_shared; i++) {
    if (compare_shared(given, sorted[i - 1], sorted[i]) == 0) {
      return REFUSE(
          together, DUPLICATE_ID, sorted[i], "shared", "shared buffer \"%s\" is named twice",
          show(given->shared[sorted[i]]).text);
    }
  }
  return BERTH_OK;
}

static uint32_t
find_shared(const struct berth_composition *given, const uint32_t *sorted, struct berth_text id) {
  uint32_t first = 0;
  uint32_t end = id.size != 0 ? given->n_shared : 0;
  while (first < end) {
    uint32_t middle = first + (end - first) / 2;
    int order = compare_texts(given->shared[sorted[middle]], id);
    if (order == 0) {
      return sorted[middle];
    }
    first = order < 0 ? middle + 1 : first;
    end = order < 0 ? end : middle;
  }
  return BERTH_NO_INDEX;
}

static bool same_pools(const struct berth_buffers *a, uint32_t i, const struct berth_buffers *b, uint32_t k) {
  uint32_t n_a = a->pool_begin != NULL ? a->pool_begin[i + 1] - a->pool_begin[i] : 0;
  uint32_t n_b = b->pool_begin != NULL ? b->pool_begin[k + 1] - b->pool_begin[k] : 0;
  return n_a == n_b &&
         (n_a == 0 ||
          memcmp(a->pools + a->pool_begin[i], b->pools + b->pool_begin[k], n_a * sizeof *a->pools) == 0);
}

static uint64_t pin_of(const struct berth_buffers *buffers, uint32_t i) {
  return buffers->pinned_offset != NULL ? buffers->pinned_offset[i] : BERTH_UNPINNED;
}

static uint32_t accesses_of(const struct berth_buffers *buffers, uint32_t i) {
  return buffers->accesses != NULL ? buffers->accesses[i] : 1;
}

static bool is_grouped(const struct berth_buffers *buffers, uint32_t i) {
  return buffers->rigid.n != 0 && buffers->rigid.group[i] != BERTH_NO_INDEX;
}

/* What its parts say of it must be one thing. */
static enum berth_code
compare_with_first(struct berth_together *together, uint32_t s, uint32_t p, uint32_t k) {
  uint32_t first_part = together->first_part[s];
  const struct berth_buffers *a = berth_problem_buffers(together->given->parts[first_part].problem);
  const struct berth_buffers *b = berth_problem_buffers(together->given->parts[p].problem);
  uint32_t i = together->own[s];
  struct shown id = show(together->given->shared[s]);
  const struct {
    const char *what;
    uint64_t first;
    uint64_t other;
  } numbers[] = {
      {"size", a->size_bytes[i], b->size_bytes[k]},
      {"class", a->class_[i], b->class_[k]},
      {"alignment", a->alignment[i], b->alignment[k]},
      {"number of accesses", accesses_of(a, i), accesses_of(b, k)},
  };
  for (size_t at = 0; at < sizeof numbers / sizeof numbers[0]; at++) {
    if (numbers[at].first != numbers[at].other) {
      return REFUSE(
          together, BAD_PART, s, "shared",
          "shared buffer \"%s\" has %s %llu in part \"%s\" and %llu in part \"%s\"", id.text,
          numbers[at].what, (unsigned long long)numbers[at].first, part_name(together, first_part).text,
          (unsigned long long)numbers[at].other, part_name(together, p).text);
    }
  }
  if (pin_of(a, i) != pin_of(b, k) || !same_pools(a, i, b, k)) {
    return REFUSE(
        together, BAD_PART, s, "shared",
        "shared buffer \"%s\" has other %s in part \"%s\" than in part \"%s\"", id.text,
        pin_of(a, i) != pin_of(b, k) ? "pins" : "pools", part_name(together, first_part).text,
        part_name(together, p).text);
  }
  return BERTH_OK;
}

static enum berth_code check_shared(struct berth_together *together, uint32_t s, uint32_t p, uint32_t k) {
  const struct berth_problem *part = together->given->parts[p].problem;
  const struct berth_buffers *buffers = berth_problem_buffers(part);
  uint8_t class_ = buffers->class_[k];
  if (berth_problem_graph(part) != NULL && class_ != BERTH_CLASS_CONSTANT && class_ != BERTH_CLASS_STATE) {
    return REFUSE(
        together, BAD_PART, s, "shared",
        "shared buffer \"%s\" is no constant or state in part \"%s\", and what is shared lives through all "
        "parts",
        show(together->given->shared[s]).text, part_name(together, p).text);
  }
  if (is_grouped(buffers, k)) {
    return REFUSE(
        together, BAD_PART, s, "shared",
        "shared buffer \"%s\" is in a group of part \"%s\", and the other parts know nothing of that",
        show(together->given->shared[s]).text, part_name(together, p).text);
  }
  if (together->first_part[s] != BERTH_NO_INDEX) {
    return compare_with_first(together, s, p, k);
  }
  together->first_part[s] = p;
  together->own[s] = k;
  return BERTH_OK;
}

/* Values have ids, and workspaces those of their operators, which are not meant. */
static uint32_t n_named(const struct berth_problem *problem) {
  return problem->is_graph ? problem->n_value_buffers : problem->buffers_view.n;
}

static enum berth_code
list_part(struct berth_together *together, uint32_t p, const uint32_t *sorted, uint32_t *n_users) {
  const struct berth_composition *given = together->given;
  const struct berth_problem *part = given->parts[p].problem;
  uint32_t n = berth_problem_buffers(part)->n;
  uint32_t n_with_ids = n_named(part);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t s = given->n_shared != 0 && k < n_with_ids
                     ? find_shared(given, sorted, berth_problem_buffer_id(part, k))
                     : BERTH_NO_INDEX;
    if (s != BERTH_NO_INDEX) {
      enum berth_code code = check_shared(together, s, p, k);
      if (code != BERTH_OK) {
        return code;
      }
      n_users[s]++;
      together->buffer[together->buffer_begin[p] + k] = s;
      continue;
    }
    together->owner[together->n_buffers] = p;
    together->own[together->n_buffers] = k;
    together->buffer[together->buffer_begin[p] + k] = together->n_buffers++;
  }
  return BERTH_OK;
}

static enum berth_code check_users(struct berth_together *together, const uint32_t *n_users) {
  for (uint32_t s = 0; s < together->given->n_shared; s++) {
    struct shown id = show(together->given->shared[s]);
    if (n_users[s] == 0) {
      return REFUSE(
          together, UNKNOWN_ID, s, "shared",
          "no part has a buffer \"%s\" (views, results in place and what is the caller's have none)",
          id.text);
    }
    if (n_users[s] == 1 && together->n > 1) {
      return REFUSE(
          together, BAD_PART, s, "shared", "shared buffer \"%s\" is in part \"%s\" alone", id.text,
          part_name(together, together->first_part[s]).text);
    }
  }
  return BERTH_OK;
}

static bool take(struct berth_together *together, size_t n_all, uint32_t **out_sorted, uint32_t **out_users) {
  struct berth_arena *arena = together->arena;
  size_t n_shared = together->given->n_shared;
  together->buffer = berth_arena_new(arena, uint32_t, n_all);
  together->owner = berth_arena_new(arena, uint32_t, n_all + n_shared);
  together->own = berth_arena_new(arena, uint32_t, n_all + n_shared);
  together->first_part = berth_arena_new(arena, uint32_t, n_shared);
  *out_sorted = berth_arena_new(arena, uint32_t, n_shared);
  *out_users = berth_arena_new_zeroed(arena, uint32_t, n_shared);
  return together->buffer != NULL && together->owner != NULL && together->own != NULL &&
         together->first_part != NULL && *out_sorted != NULL && *out_users != NULL;
}

static enum berth_code list_buffers(struct berth_together *together) {
  uint32_t *sorted;
  uint32_t *n_users;
  uint64_t n_all = 0;
  together->buffer_begin = berth_arena_new(together->arena, uint32_t, (size_t)together->n + 1);
  for (uint32_t p = 0; together->buffer_begin != NULL && p <= together->n; p++) {
    together->buffer_begin[p] = (uint32_t)n_all;
    n_all += p < together->n ? berth_problem_buffers(together->given->parts[p].problem)->n : 0;
    if (n_all > BERTH_MAX_BUFFERS || together->given->n_shared > BERTH_MAX_BUFFERS) {
      return berth_fail(
          together->err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, "parts",
          "the parts have more than %u buffers", BERTH_MAX_BUFFERS);
    }
  }
  if (together->buffer_begin == NULL || !take(together, n_all, &sorted, &n_users)) {
    return berth_fail_memory(together->err);
  }
  enum berth_code code = sort_shared(together, sorted);
  for (uint32_t s = 0; s < together->given->n_shared; s++) {
    together->owner[s] = together->first_part[s] = BERTH_NO_INDEX;
  }
  together->n_buffers = together->given->n_shared;
  for (uint32_t p = 0; p < together->n && code == BERTH_OK; p++) {
    code = list_part(together, p, sorted, n_users);
  }
  return code != BERTH_OK ? code : check_users(together, n_users);
}

enum berth_code berth_together_check(struct berth_together *together) {
  enum berth_code code = check_parts(together);
  code = code != BERTH_OK ? code : check_sets(together);
  return code != BERTH_OK ? code : list_buffers(together);
}
