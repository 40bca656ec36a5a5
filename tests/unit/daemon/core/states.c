/* The tables of transitions: what they allow, and that nothing else is. */
#include "core/internal.h"

#include "suite.h"

START_TEST(a_request_is_answered_once) {
  static const struct {
    enum berthd_request_state from, to;
  } ALLOWED[] = {
      {BERTHD_REQUEST_NEW, BERTHD_REQUEST_WAITING},
      {BERTHD_REQUEST_WAITING, BERTHD_REQUEST_EXPIRING},
      {BERTHD_REQUEST_WAITING, BERTHD_REQUEST_ANSWERED},
      {BERTHD_REQUEST_EXPIRING, BERTHD_REQUEST_ANSWERED},
  };
  unsigned n_allowed = 0;
  for (unsigned from = 0; from < BERTHD_N_REQUEST_STATES; from++) {
    for (unsigned to = 0; to < BERTHD_N_REQUEST_STATES; to++) {
      n_allowed += berthd_request_may_move(from, to);
    }
  }
  ck_assert_uint_eq(n_allowed, sizeof ALLOWED / sizeof ALLOWED[0]);
  for (size_t i = 0; i < sizeof ALLOWED / sizeof ALLOWED[0]; i++) {
    ck_assert(berthd_request_may_move(ALLOWED[i].from, ALLOWED[i].to));
  }
}
END_TEST

START_TEST(a_flight_can_start_again_only_after_it_was_stopped) {
  ck_assert(berthd_flight_may_move(BERTHD_FLIGHT_STOPPING, BERTHD_FLIGHT_QUEUED));
  ck_assert(!berthd_flight_may_move(BERTHD_FLIGHT_RUNNING, BERTHD_FLIGHT_QUEUED));
  for (unsigned to = 0; to < BERTHD_N_FLIGHT_STATES; to++) {
    ck_assert(!berthd_flight_may_move(BERTHD_FLIGHT_LANDED, to));
  }
}
END_TEST

int main(void) {
  return berth_suite_run(
      "core/states",
      (const TTest *const[]){
          a_request_is_answered_once, a_flight_can_start_again_only_after_it_was_stopped, NULL});
}
