#include <stdio.h>
#include <stdlib.h>

#include "core/internal.h"

#define BIT(state) (1u << (state))

/* From each state: the set of states that may follow. */
static const unsigned REQUEST_NEXT[BERTHD_N_REQUEST_STATES] = {
    [BERTHD_REQUEST_NEW] = BIT(BERTHD_REQUEST_WAITING),
    [BERTHD_REQUEST_WAITING] = BIT(BERTHD_REQUEST_EXPIRING) | BIT(BERTHD_REQUEST_ANSWERED),
    [BERTHD_REQUEST_EXPIRING] = BIT(BERTHD_REQUEST_ANSWERED),
    [BERTHD_REQUEST_ANSWERED] = 0,
};

static const unsigned FLIGHT_NEXT[BERTHD_N_FLIGHT_STATES] = {
    [BERTHD_FLIGHT_NEW] = BIT(BERTHD_FLIGHT_QUEUED),
    [BERTHD_FLIGHT_QUEUED] = BIT(BERTHD_FLIGHT_RUNNING) | BIT(BERTHD_FLIGHT_LANDED),
    [BERTHD_FLIGHT_RUNNING] = BIT(BERTHD_FLIGHT_STOPPING) | BIT(BERTHD_FLIGHT_LANDED),
    /* Stopped for the plan it had; those who can wait longer let it start again. */
    [BERTHD_FLIGHT_STOPPING] = BIT(BERTHD_FLIGHT_QUEUED) | BIT(BERTHD_FLIGHT_LANDED),
    [BERTHD_FLIGHT_LANDED] = 0,
};

bool berthd_request_may_move(enum berthd_request_state from, enum berthd_request_state to) {
  return (REQUEST_NEXT[from] & BIT(to)) != 0;
}

bool berthd_flight_may_move(enum berthd_flight_state from, enum berthd_flight_state to) {
  return (FLIGHT_NEXT[from] & BIT(to)) != 0;
}

static void refuse(const char *what, int from, int to) {
  fprintf(stderr, "defect: %s moved from state %d to %d\n", what, from, to);
  abort();
}

void berthd_request_move(struct berthd_request *request, enum berthd_request_state to) {
  if (!berthd_request_may_move(request->state, to)) {
    refuse("request", (int)request->state, (int)to);
  }
  request->state = to;
}

void berthd_flight_move(struct berthd_flight *flight, enum berthd_flight_state to) {
  if (!berthd_flight_may_move(flight->state, to)) {
    refuse("flight", (int)flight->state, (int)to);
  }
  flight->state = to;
}
