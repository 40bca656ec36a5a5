/* CLOCK_MONOTONIC in nanoseconds. */
#ifndef SYSTEM_CLOCK_H
#define SYSTEM_CLOCK_H

#include <stdint.h>

int64_t berthctl_clock_ns(void);

#endif
