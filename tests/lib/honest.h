/* A plan whose every figure is right for the given places, computed the slow way. */
#ifndef TESTS_HONEST_H
#define TESTS_HONEST_H

#include "berth/plan.h"
#include "sample.h"

/* FEASIBLE, its bounds the loads, each buffer in a slot of its own. `pool` NULL: all in pool 0. */
struct berth_plan *honest_plan(const struct sample *sample, const uint32_t *pool, const uint64_t *offset);

#endif
