/* Credentials of connections with TLS: a certificate, its key, and who may connect, from files that may
 * change.
 */
#ifndef RPC_TLS_H
#define RPC_TLS_H

#include <grpc/grpc_security.h>

#include "rpc/rpc.h"

struct tls;

/* Reads the files once, so that what is missing or no PEM is said at the start. */
enum berth_code
tls_create(const struct berthd_rpc_tls *files, struct tls **out_tls, struct berth_error *err) BERTH_MUST_USE;
void tls_destroy(struct tls *tls); /* NULL is fine; after the server */

/* Clients must show a certificate. Files that have changed are read again at
 * the next handshake; if they cannot be, the old ones stay. NULL if memory ran out. */
grpc_server_credentials *tls_credentials(struct tls *tls);

#endif
