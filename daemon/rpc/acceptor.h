/* Gives gRPC core connections that speak TLS and were accepted elsewhere. */
#ifndef RPC_ACCEPTOR_H
#define RPC_ACCEPTOR_H

#include <grpc/grpc_security.h>
#include <pthread.h>
#include <stdbool.h>

struct acceptor {
  pthread_mutex_t lock;
  void *handler; /* core's; NULL: there is none, or no longer */
};

void acceptor_init(struct acceptor *acceptor);
void acceptor_finish(struct acceptor *acceptor);

/* One of the arguments that the server is created with. */
grpc_arg acceptor_arg(struct acceptor *acceptor);

/* Before the server is started. False if the credentials cannot be used. */
bool acceptor_open(struct acceptor *acceptor, grpc_server *server, grpc_server_credentials *credentials);

/* Takes over the socket of a started server; closes it if the acceptor is not open. Any thread. */
void acceptor_take(struct acceptor *acceptor, int fd);

/* Before the server is shut down. */
void acceptor_close(struct acceptor *acceptor);

#endif
