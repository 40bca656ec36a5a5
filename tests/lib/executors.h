/* Ways to run the tasks of a search, for tests. */
#ifndef EXECUTORS_H
#define EXECUTORS_H

#include "berth/executor.h"

extern const struct berth_executor EXECUTOR_IN_ORDER;
extern const struct berth_executor EXECUTOR_REVERSED;
extern const struct berth_executor EXECUTOR_IDLE; /* runs nothing */
extern const struct berth_executor EXECUTOR_TWO;  /* threads, made anew for each run */
extern const struct berth_executor EXECUTOR_FOUR;

#endif
