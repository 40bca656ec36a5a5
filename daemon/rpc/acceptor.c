/* grpc_server_add_channel_from_fd is for plain text, and listeners of core's own are not for us: they count
 * nobody, and one that has run out of descriptors never accepts again. Core has a listener without a socket
 * ("external:NAME", made for the C++ library). To the channel argument of that name it writes a handler, a
 * C++ object: its virtual functions are two destructors and Handle, which takes a listener's descriptor, a
 * connection's, and what was read of it already. That is no promise of core's, and holds for a version of its
 * library, which CMakeLists.txt asks for. */
#include "rpc/acceptor.h"

#include <unistd.h>

#define NAME "external:tls"

enum { COMPLETE_DESTRUCTOR, DELETING_DESTRUCTOR, HANDLE };

typedef void handle_fn(void *self, int listener_fd, int fd, grpc_byte_buffer *pending_read);

struct handler {
  handle_fn *const *functions;
};

void acceptor_init(struct acceptor *acceptor) {
  pthread_mutex_init(&acceptor->lock, NULL);
  acceptor->handler = NULL;
}

void acceptor_finish(struct acceptor *acceptor) {
  pthread_mutex_destroy(&acceptor->lock);
}

/* ---- The argument: a pointer to where the handler is to be written ---- */

static void *copy(void *pointer) {
  return pointer;
}

static void destroy(void *pointer) {
  (void)pointer;
}

static int compare(void *a, void *b) {
  return a < b ? -1 : a > b;
}

grpc_arg acceptor_arg(struct acceptor *acceptor) {
  static char key[] = NAME;
  static const grpc_arg_pointer_vtable FUNCTIONS = {copy, destroy, compare};
  return (grpc_arg){
      .type = GRPC_ARG_POINTER, .key = key, .value.pointer = {.p = &acceptor->handler, .vtable = &FUNCTIONS}};
}

/* ---- Life ---- */

bool acceptor_open(struct acceptor *acceptor, grpc_server *server, grpc_server_credentials *credentials) {
  grpc_server_add_http2_port(server, NAME, credentials); /* 0: there is no port */
  return acceptor->handler != NULL;
}

void acceptor_take(struct acceptor *acceptor, int fd) {
  pthread_mutex_lock(&acceptor->lock);
  struct handler *handler = acceptor->handler;
  if (handler != NULL) {
    handler->functions[HANDLE](handler, -1, fd, NULL);
  } else {
    close(fd);
  }
  pthread_mutex_unlock(&acceptor->lock);
}

void acceptor_close(struct acceptor *acceptor) {
  pthread_mutex_lock(&acceptor->lock);
  acceptor->handler = NULL;
  pthread_mutex_unlock(&acceptor->lock);
}
