/* libberth: the whole public interface. */
#ifndef BERTH_BERTH_H
#define BERTH_BERTH_H

#include "berth/allocator.h"
#include "berth/canonical.h"
#include "berth/largest.h"
#include "berth/plan.h"
#include "berth/problem.h"
#include "berth/report.h"
#include "berth/restate.h"
#include "berth/solve.h"
#include "berth/stable.h"
#include "berth/status.h"
#include "berth/together.h"
#include "berth/variants.h"
#include "berth/verify.h"

#endif
