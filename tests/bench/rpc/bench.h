#ifndef BENCH_RPC_H
#define BENCH_RPC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_METHOD "/berth.v1.PlanService/ComputePlan"

/* The least that a server on gRPC core can do for a call: take the bytes, send `reply`. Never returns. */
_Noreturn void echo_serve(const char *path, const uint8_t *reply, size_t n_reply);

struct load_result {
  double calls_per_second;
  double p50_us;
  double p99_us;
  uint64_t n_calls;
  uint64_t n_failed;
};

struct load {
  const char *address;
  unsigned n_channels;
  unsigned n_in_flight;
  double seconds;
  /* The request of call i; the same slice may be given again. */
  size_t n_requests;
  const struct bytes *requests;
};
void load_run(const struct load *load, struct load_result *out);

#endif
