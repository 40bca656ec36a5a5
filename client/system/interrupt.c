#include "system/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t was_interrupted;

static void remember(int number) {
  (void)number;
  was_interrupted = 1;
}

void berthctl_interrupt_install(void) {
  struct sigaction action = {.sa_handler = remember, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool berthctl_interrupted(void) {
  return was_interrupted != 0;
}
