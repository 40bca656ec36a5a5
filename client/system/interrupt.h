/* Ctrl-C and SIGTERM are remembered, and whoever waits or searches asks. A second signal ends the process at
 * once. */
#ifndef SYSTEM_INTERRUPT_H
#define SYSTEM_INTERRUPT_H

#include <stdbool.h>

void berthctl_interrupt_install(void);
bool berthctl_interrupted(void);

#endif
