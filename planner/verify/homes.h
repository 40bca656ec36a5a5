/* Where each buffer may live, and what that costs, from what pools and buffers state. */
#ifndef VERIFY_HOMES_H
#define VERIFY_HOMES_H

#include "verify/pieces.h"
#include "verify/placement.h"

/* The pools of one buffer or value, most wanted first. */
struct berth_verify_homes {
  const struct berth_verify_facts *facts;
  bool *grouped;  /* of each buffer: a group has a say in where it lives; NULL: there are no groups */
  bool is_plain;  /* no pool spills or is for constants and state alone */
  bool has_costs; /* a pool states one */
  uint32_t *seen; /* by pool: the last list that has it */
  uint32_t stamp;
  uint32_t n;
  uint32_t *list;
};

bool berth_verify_homes_init(
    struct berth_verify_homes *homes, const struct berth_verify_facts *facts, struct berth_arena *arena);

/* The pool's place in the list of what the buffer itself names, BERTH_NO_INDEX if it may not live there.
 * Fills the list. */
uint32_t berth_verify_home(struct berth_verify_homes *homes, uint32_t buffer, uint32_t pool);

/* Adds up what it costs that all buffers live where they do (of a group, by the list that the problem settled
 * for it: what each member may do is checked by its own), and blames values that lie in a buffer whose
 * pool they may not use. */
uint64_t berth_verify_spill_cost(struct berth_verify_homes *homes, const struct berth_verify_places *places);
void berth_verify_tenants_at_home(
    struct berth_verify_homes *homes, const struct berth_verify_places *places,
    struct berth_verify_findings *findings);

/* Constants and state that are kept apart: nobody shares their bytes, and at a front nobody else lies below.
 */
enum berth_code berth_verify_apart(
    const struct berth_verify_facts *facts, const struct berth_verify_pieces *pieces,
    const struct berth_verify_places *places, struct berth_verify_findings *findings,
    struct berth_arena *arena, struct berth_error *err) BERTH_MUST_USE;

#endif
