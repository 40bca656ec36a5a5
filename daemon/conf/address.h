/* Addresses of TCP: HOST:PORT or [IPV6]:PORT. */
#ifndef CONF_ADDRESS_H
#define CONF_ADDRESS_H

#include <stdbool.h>

#include "berth/status.h"

struct berthd_address {
  char host[256]; /* without brackets; a numeric address or "localhost" */
  char port[6];
  bool is_loopback;
};

/* INVALID_ARGUMENT with a message that says what would be right. Names other than "localhost" are not looked
 * up: what the daemon binds to is written down. */
enum berth_code berthd_address_parse(
    const char *text, struct berthd_address *out_address, struct berth_error *err) BERTH_MUST_USE;

#endif
