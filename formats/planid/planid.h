/* The name of a plan: SHA-256 over everything that the plan depends on, in our own canonical encoding and
 * never over foreign bytes: a schema tag, the engine's version, the options, and the canonical problem (names
 * and the order of buffers left out). Equal ids mean equal plans up to the order of the buffers. */
#ifndef PLANID_PLANID_H
#define PLANID_PLANID_H

#include <stddef.h>
#include <stdint.h>

#include "berth/canonical.h"
#include "berth/problem.h"
#include "berth/sections.h"
#include "berth/solve.h"
#include "berth/status.h"

#define BERTH_PLANID_BYTES 32
#define BERTH_PLANID_HEX_SIZE 65

struct berth_planid {
  uint8_t bytes[BERTH_PLANID_BYTES];
  char hex[BERTH_PLANID_HEX_SIZE]; /* lowercase, ends in NUL */
};

/* Fails with RESOURCE_EXHAUSTED only. */
enum berth_code berth_planid_compute(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    struct berth_planid *out_id, struct berth_error *err) BERTH_MUST_USE;

/* Streams the bytes that are hashed: two plans are interchangeable if and only if these bytes are equal.
 * `order` is what berth_problem_canonical_order gave. */
enum berth_code berth_planid_encode(
    const struct berth_problem *problem, const uint32_t *order, const struct berth_solve_options *options,
    void *ctx, void (*write)(void *ctx, const void *bytes, size_t n_bytes),
    struct berth_error *err) BERTH_MUST_USE;

/* What is hashed, in sections: the engine's version and the options, each by itself, then the problem's own
 * (berth/sections.h), then what is to be kept of an earlier plan, and of
 * added waits their terms and the graph. */
#define BERTH_PLANID_OPTIONS(X)                                                                              \
  X(ENGINE, "engine version")                                                                                \
  X(BUDGET, "options.budget_ticks")                                                                          \
  X(CAPACITY, "options.capacity_bytes")                                                                      \
  X(STRATEGIES, "options.without_strategies")                                                                \
  X(REUSE, "options.reuse, or whether a plan is kept or waits are added")

enum berth_planid_section {
#define X(name, word) BERTH_PLANID_##name,
  BERTH_PLANID_OPTIONS(X)
#undef X
      BERTH_PLANID_PROBLEM, /* the first of the problem's */
  BERTH_PLANID_KEEP = BERTH_PLANID_PROBLEM + BERTH_N_SECTIONS,
  BERTH_PLANID_SYNCS,
  BERTH_PLANID_N_SECTIONS
};
const char *berth_planid_section_name(unsigned section);

/* Where each section begins, and at last where all end. */
struct berth_planid_map {
  uint64_t begin[BERTH_PLANID_N_SECTIONS + 1];
};
/* As berth_planid_encode. */
enum berth_code berth_planid_encode_map(
    const struct berth_problem *problem, const uint32_t *order, const struct berth_solve_options *options,
    void *ctx, void (*write)(void *ctx, const void *bytes, size_t n_bytes), struct berth_planid_map *out_map,
    struct berth_error *err) BERTH_MUST_USE;

/* The id of bytes that berth_planid_encode wrote. */
enum berth_code berth_planid_of_bytes(
    const void *bytes, size_t n_bytes, struct berth_planid *out_id, struct berth_error *err) BERTH_MUST_USE;

/* Reads 64 hexadecimal digits (`n_chars` of them, no NUL needed). INVALID_ARGUMENT with field "plan_id"
 * otherwise. */
enum berth_code berth_planid_parse(
    const char *hex, size_t n_chars, struct berth_planid *out_id, struct berth_error *err) BERTH_MUST_USE;

#endif
