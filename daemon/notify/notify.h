/* The two protocols that a service manager such as systemd speaks: messages to it (sd_notify), and listening
 * sockets from it (LISTEN_FDS). Without the variables in the environment all of this does nothing. */
#ifndef NOTIFY_NOTIFY_H
#define NOTIFY_NOTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sends one datagram, such as "READY=1". False if there is nobody to tell, or it failed. */
bool berthd_notify_send(const char *message);
bool berthd_notify_ready(void);
bool berthd_notify_stopping(void);
/* Before reading the configuration again; ready afterwards. */
bool berthd_notify_reloading(void);
bool berthd_notify_watchdog(void);

/* How often the manager wants to hear of us at the latest; 0: it does not watch. */
int64_t berthd_notify_watchdog_ns(void);

/* The sockets handed over: *out_first and the following ones. They are set close-on-exec, and the variables
 * are removed so that no child takes them for its own. Returns how many, at most `most`. */
size_t berthd_notify_listen_fds(size_t most, int *out_first);

#endif
