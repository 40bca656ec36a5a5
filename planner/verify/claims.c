#include "verify/claims.h"

#include <inttypes.h>

#include "verify/live.h"
#include "verify/search.h"

enum { MOST = BERTH_VERIFY_MOST_SEARCHED };

struct claims {
  struct berth_verify_homes *homes;
  const struct berth_verify_facts *facts;
  const struct berth_verify_pieces *pieces;
  const struct berth_verify_measure *measure;
  const struct berth_plan *plan;
  const struct berth_verify_terms *terms;
  struct berth_verify_findings *findings;
};

static void blame(const struct claims *claims, uint32_t pool, const char *what, uint64_t bytes) {
  struct berth_violation violation = berth_verify_violation(BERTH_VIOLATION_FIGURES);
  violation.pool = pool;
  berth_verify_blame(
      claims->findings, &violation, "pool %" PRIu32 ": %s of %" PRIu64 " bytes", pool, what, bytes);
}

/* The weaker of two: one that is on trust makes all so. */
static void see(enum berth_claim *claim, enum berth_claim found) {
  *claim = found > *claim ? found : *claim;
}

/* ---- Lower bounds ---- */

/* The members of each pool with bytes, as far as they can be searched. */
struct members {
  uint32_t *n_of;  /* of each pool: all of them */
  uint32_t *items; /* MOST places a pool */
};

static enum berth_code list_members(
    const struct claims *claims, struct berth_arena *arena, struct members *members,
    struct berth_error *err) {
  members->n_of = berth_arena_new_zeroed(arena, uint32_t, claims->facts->n_pools);
  members->items = berth_arena_new(arena, uint32_t, (size_t)claims->facts->n_pools * MOST);
  if (members->n_of == NULL || members->items == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < claims->facts->n; i++) {
    uint32_t pool = claims->plan->pool[i];
    if (claims->facts->size[i] > 0 && members->n_of[pool]++ < MOST) {
      members->items[(size_t)pool * MOST + members->n_of[pool] - 1] = i;
    }
  }
  return BERTH_OK;
}

static enum berth_claim check_bound(const struct claims *claims, const struct members *all, uint32_t pool) {
  const uint32_t *members = all->items + (size_t)pool * MOST;
  uint32_t n = all->n_of[pool];
  uint64_t bound = claims->plan->pools[pool].lower_bound_bytes;
  if (bound <= claims->measure->pools[pool].peak_bytes) {
    return BERTH_CLAIM_CHECKED; /* all that is live at the peak needs as much */
  }
  if (n > MOST || claims->plan->reuse == BERTH_REUSE_NONE || claims->plan->stability.is_asked != 0) {
    return BERTH_CLAIM_TRUSTED;
  }
  switch (berth_verify_search(claims->facts, claims->pieces, pool, members, n, bound - 1)) {
  case BERTH_VERIFY_FITS:
    blame(claims, pool, "its buffers fit in less than the lower bound", bound);
    return BERTH_CLAIM_CHECKED;
  case BERTH_VERIFY_DOES_NOT_FIT:
    return BERTH_CLAIM_CHECKED;
  case BERTH_VERIFY_UNDECIDED:
    break;
  }
  return BERTH_CLAIM_TRUSTED;
}

/* ---- That nobody shares ---- */

struct reach {
  uint32_t buffer; /* the one that ends last so far, BERTH_NO_INDEX for none */
  uint64_t end;
};

static bool reaches(const struct claims *claims, const struct reach *reach, uint32_t buffer) {
  const uint32_t *storage = claims->facts->storage;
  return reach->buffer != BERTH_NO_INDEX && claims->plan->offset[buffer] < reach->end &&
         claims->plan->pool[reach->buffer] == claims->plan->pool[buffer] &&
         (storage == NULL || storage[reach->buffer] != storage[buffer]);
}

/* Two that are both pinned, or both in groups, may have been put over each other. */
enum tie { FREE = 0, PINNED, GROUPED, N_TIES };

static enum tie tie_of(const struct claims *claims, uint32_t buffer) {
  bool pinned = claims->facts->pin != NULL && claims->facts->pin[buffer] != BERTH_UNPINNED;
  bool grouped = claims->homes->grouped != NULL && claims->homes->grouped[buffer];
  return pinned ? PINNED : grouped ? GROUPED : FREE;
}

/* Without reuse only what pins or groups put over each other may share bytes. By pool and offset. */
static enum berth_code
check_apart(const struct claims *claims, struct berth_arena *arena, struct berth_error *err) {
  const struct berth_verify_facts *facts = claims->facts;
  struct berth_sort_item *items = berth_arena_new(arena, struct berth_sort_item, 2 * (size_t)facts->n);
  struct reach reach[N_TIES] = {{BERTH_NO_INDEX, 0}, {BERTH_NO_INDEX, 0}, {BERTH_NO_INDEX, 0}};
  size_t n = 0;
  if (items == NULL) {
    return berth_fail_memory(err);
  }
  for (uint32_t i = 0; i < facts->n; i++) {
    if (facts->size[i] > 0) {
      items[n++] = (struct berth_sort_item){.key = claims->plan->offset[i], .index = i};
    }
  }
  berth_sort_items(items, items + facts->n, n);
  for (size_t k = 0; k < n; k++) {
    items[k].key = claims->plan->pool[items[k].index];
  }
  berth_sort_items(items, items + facts->n, n);
  for (size_t k = 0; k < n; k++) {
    uint32_t buffer = items[k].index;
    enum tie tie = tie_of(claims, buffer);
    struct reach *own = &reach[tie];
    bool meets = false;
    for (enum tie other = FREE; other < N_TIES; other++) {
      meets |= (other == FREE || other != tie) && reaches(claims, &reach[other], buffer);
    }
    if (meets) {
      blame(
          claims, claims->plan->pool[buffer],
          "buffers share bytes, and the plan claims that nobody does: one", facts->size[buffer]);
      return BERTH_OK;
    }
    uint64_t end = berth_verify_byte(claims->plan->offset[buffer], facts->size[buffer]);
    bool same_pool = own->buffer != BERTH_NO_INDEX && claims->plan->pool[own->buffer] == items[k].key;
    if (!same_pool || end > own->end) {
      *own = (struct reach){.buffer = buffer, .end = end};
    }
  }
  return BERTH_OK;
}

/* ---- That nothing fits ---- */

static uint64_t capacity_of(const struct claims *claims, uint32_t pool) {
  uint64_t capacity = claims->facts->pools[pool].capacity_bytes;
  bool capped = pool == 0 && claims->terms != NULL && claims->terms->capacity_bytes < capacity;
  return capped ? claims->terms->capacity_bytes : capacity;
}

/* The culprits that may live in the pool; all of them, or none are returned. */
static bool may_all_live_in(const struct claims *claims, uint32_t pool) {
  const struct berth_pool_spec *spec = &claims->facts->pools[pool];
  for (uint32_t k = 0; k < claims->plan->n_culprits; k++) {
    uint32_t buffer = claims->plan->culprits[k];
    bool suits = claims->facts->size[buffer] <= spec->max_block_bytes &&
                 (spec->base_alignment == 0 || claims->facts->alignment[buffer] <= spec->base_alignment) &&
                 berth_verify_home(claims->homes, buffer, pool) != BERTH_NO_INDEX;
    if (!suits) {
      return false;
    }
  }
  return true;
}

/* The largest sum of bytes that they hold at one step; those of one storage once. */
static enum berth_code sum_load(
    const struct claims *claims, struct berth_arena *arena, uint64_t *out_load, struct berth_error *err) {
  struct berth_verify_live live;
  bool *blamed = berth_arena_new_zeroed(arena, bool, claims->facts->n);
  enum berth_code code = blamed == NULL
                             ? berth_fail_memory(err)
                             : berth_verify_live_init(&live, claims->facts, claims->pieces, arena, err);
  for (uint32_t k = 0; code == BERTH_OK && k < claims->plan->n_culprits; k++) {
    blamed[claims->plan->culprits[k]] = true;
  }
  uint64_t sum = 0;
  *out_load = 0;
  for (size_t t = 0; code == BERTH_OK && t < 2 * (size_t)claims->pieces->n; t++) {
    struct berth_sort_item turn = claims->pieces->turns[t];
    const struct berth_verify_piece *piece = &claims->pieces->items[berth_verify_turn_piece(turn)];
    if (blamed[piece->buffer] && berth_verify_turn_ends(turn)) {
      sum -= berth_verify_live_drop(&live, piece);
    } else if (blamed[piece->buffer]) {
      sum += berth_verify_live_put(&live, piece);
      *out_load = sum > *out_load ? sum : *out_load;
    }
  }
  return code;
}

/* No fewer of all buffers fail to fit: every set of one less is tried. */
static enum berth_claim check_smallest(const struct claims *claims, uint64_t capacity) {
  const struct berth_verify_facts *facts = claims->facts;
  uint32_t all[MOST];
  uint32_t n_all = 0;
  for (uint32_t i = 0; i < facts->n && n_all <= MOST; i++) {
    if (facts->size[i] > 0) {
      all[n_all < MOST ? n_all : 0] = i;
      n_all++;
    }
  }
  if (n_all > MOST || facts->n_pools > 1) {
    return BERTH_CLAIM_TRUSTED;
  }
  for (uint32_t set = 0; set < UINT32_C(1) << n_all; set++) {
    uint32_t some[MOST];
    uint32_t n = 0;
    for (uint32_t k = 0; k < n_all; k++) {
      some[n] = all[k];
      n += set >> k & 1;
    }
    enum berth_verify_answer answer = n + 1 == claims->plan->n_culprits
                                          ? berth_verify_search(facts, claims->pieces, 0, some, n, capacity)
                                          : BERTH_VERIFY_FITS;
    if (answer == BERTH_VERIFY_DOES_NOT_FIT) {
      blame(claims, 0, "the culprits are not the fewest that do not fit in the capacity", capacity);
      return BERTH_CLAIM_CHECKED;
    }
    if (answer == BERTH_VERIFY_UNDECIDED) {
      return BERTH_CLAIM_TRUSTED;
    }
  }
  return BERTH_CLAIM_CHECKED;
}

/* Without any one of them the others must fit. */
static enum berth_claim check_minimal(const struct claims *claims, uint32_t pool, uint64_t capacity) {
  const struct berth_plan *plan = claims->plan;
  enum berth_claim claim = plan->culprits_proof == BERTH_CULPRITS_SMALLEST && plan->n_culprits > 1
                               ? check_smallest(claims, capacity)
                               : BERTH_CLAIM_CHECKED;
  for (uint32_t left_out = 0; plan->culprits_proof != BERTH_CULPRITS_UNPROVEN && left_out < plan->n_culprits;
       left_out++) {
    uint32_t others[MOST];
    uint32_t n = 0;
    for (uint32_t k = 0; k < plan->n_culprits && plan->n_culprits <= MOST; k++) {
      others[n] = plan->culprits[k];
      n += k != left_out;
    }
    enum berth_verify_answer answer =
        plan->n_culprits <= MOST
            ? berth_verify_search(claims->facts, claims->pieces, pool, others, n, capacity)
            : BERTH_VERIFY_UNDECIDED;
    if (answer == BERTH_VERIFY_DOES_NOT_FIT) {
      blame(
          claims, pool, "one of the culprits is not needed: the others do not fit in the capacity", capacity);
      return BERTH_CLAIM_CHECKED;
    }
    see(&claim, answer == BERTH_VERIFY_UNDECIDED ? BERTH_CLAIM_TRUSTED : BERTH_CLAIM_CHECKED);
  }
  return claim;
}

static enum berth_claim check_pool(const struct claims *claims, uint32_t pool, uint64_t load, bool is_meant) {
  uint64_t capacity = capacity_of(claims, pool);
  enum berth_verify_answer answer = BERTH_VERIFY_FITS;
  if (claims->plan->reuse == BERTH_REUSE_NONE) {
    return load > capacity ? BERTH_CLAIM_CHECKED : BERTH_CLAIM_TRUSTED;
  }
  if (capacity != BERTH_UNLIMITED) {
    answer = load > capacity ? BERTH_VERIFY_DOES_NOT_FIT
                             : berth_verify_search(
                                   claims->facts, claims->pieces, pool, claims->plan->culprits,
                                   claims->plan->n_culprits, capacity);
  } else if (claims->plan->n_culprits > MOST) {
    answer = BERTH_VERIFY_UNDECIDED; /* pins may contradict each other in any capacity */
  } else {
    answer = berth_verify_search(
        claims->facts, claims->pieces, pool, claims->plan->culprits, claims->plan->n_culprits, INT64_MAX / 2);
  }
  switch (answer) {
  case BERTH_VERIFY_FITS:
    blame(claims, pool, "the culprits fit together in the capacity", capacity);
    return BERTH_CLAIM_CHECKED;
  case BERTH_VERIFY_DOES_NOT_FIT:
    return is_meant ? check_minimal(claims, pool, capacity) : BERTH_CLAIM_CHECKED;
  case BERTH_VERIFY_UNDECIDED:
    break;
  }
  return BERTH_CLAIM_TRUSTED;
}

/* In no pool in which all of them may live do they fit together. Of several such pools one is meant, and the
 * plan does not say for which its proof is. */
static enum berth_code
check_culprits(const struct claims *claims, struct berth_arena *arena, struct berth_error *err) {
  enum berth_claim *claim = &claims->findings->verdict->culprits;
  if (claims->terms == NULL || claims->plan->stability.is_asked != 0 || claims->plan->n_culprits == 0 ||
      claims->plan->n_culprits > BERTH_MAX_CULPRITS) {
    *claim = BERTH_CLAIM_TRUSTED; /* a capacity, or an earlier plan, that nobody knows */
    return BERTH_OK;
  }
  for (uint32_t k = 0; k < claims->plan->n_culprits; k++) {
    if (claims->plan->culprits[k] >= claims->facts->n ||
        claims->facts->size[claims->plan->culprits[k]] == 0) {
      *claim = BERTH_CLAIM_TRUSTED; /* who is not there is blamed elsewhere */
      return BERTH_OK;
    }
  }
  uint64_t load;
  enum berth_code code = sum_load(claims, arena, &load, err);
  uint32_t n_pools = 0;
  for (uint32_t pool = 0; code == BERTH_OK && pool < claims->facts->n_pools; pool++) {
    n_pools += may_all_live_in(claims, pool);
  }
  bool proven = claims->plan->culprits_proof != BERTH_CULPRITS_UNPROVEN;
  *claim = n_pools == 0 || (proven && n_pools > 1) ? BERTH_CLAIM_TRUSTED : BERTH_CLAIM_CHECKED;
  for (uint32_t pool = 0; code == BERTH_OK && pool < claims->facts->n_pools; pool++) {
    if (may_all_live_in(claims, pool)) {
      see(claim, check_pool(claims, pool, load, n_pools == 1));
    }
  }
  return code;
}

enum berth_code berth_verify_claims(
    struct berth_verify_homes *homes, const struct berth_verify_pieces *pieces,
    const struct berth_verify_measure *measure, const struct berth_plan *plan,
    const struct berth_verify_terms *terms, struct berth_verify_findings *findings, struct berth_arena *arena,
    struct berth_error *err) {
  struct claims claims = {
      .homes = homes,
      .facts = homes->facts,
      .pieces = pieces,
      .measure = measure,
      .plan = plan,
      .terms = terms,
      .findings = findings};
  struct berth_verdict *verdict = findings->verdict;
  if (plan->status == BERTH_PLAN_INFEASIBLE) {
    return check_culprits(&claims, arena, err);
  }
  if (plan->offset == NULL || verdict->n_violations != 0) {
    return BERTH_OK;
  }
  struct members members;
  enum berth_code code = list_members(&claims, arena, &members, err);
  if (code == BERTH_OK && plan->reuse == BERTH_REUSE_NONE) {
    code = check_apart(&claims, arena, err);
  }
  for (uint32_t pool = 0; code == BERTH_OK && pool < plan->n_pools; pool++) {
    see(&verdict->lower_bound, check_bound(&claims, &members, pool));
  }
  return code;
}
