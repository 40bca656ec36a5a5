/* The channel: opened and closed. */
#include "rpc/rpc.h"

#include <grpc/grpc_security.h>
#include <grpc/support/log.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "rpc/internal.h"

#define LOOKAHEAD_BYTES 4000000 /* as the server's */
#define SCHEME_UNIX "unix:"

static enum berth_code refuse(const char *address, const char *what, struct berth_error *err) {
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "server",
      "\"%.100s\" is no address of a server: %s", address, what);
}

static bool has_prefix(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static enum berth_code check_host_and_port(const char *address, struct berth_error *err) {
  const char *colon = strrchr(address, ':');
  if (colon == NULL || colon == address) {
    return refuse(address, "it must be unix:PATH or HOST:PORT", err);
  }
  char *end;
  unsigned long port = strtoul(colon + 1, &end, 10);
  if (colon[1] < '0' || colon[1] > '9' || *end != '\0' || port == 0 || port > 65535) {
    return refuse(address, "the port must be a number from 1 to 65535", err);
  }
  if (address[0] != '[' && memchr(address, ':', (size_t)(colon - address)) != NULL) {
    return refuse(address, "an IPv6 address goes in brackets", err);
  }
  return strpbrk(address, " \t/") == NULL ? BERTH_OK
                                          : refuse(address, "it must be unix:PATH or HOST:PORT", err);
}

static enum berth_code check_address(const char *address, struct berth_error *err) {
  if (has_prefix(address, SCHEME_UNIX)) {
    const char *path = address + strlen(SCHEME_UNIX);
    path += has_prefix(path, "//") ? 2 : 0;
    if (path[0] == '\0') {
      return refuse(address, "the path is missing", err);
    }
    return strlen(path) < sizeof(((struct sockaddr_un *)0)->sun_path)
               ? BERTH_OK
               : refuse(address, "the path is too long for a socket", err);
  }
  const char *rest = address;
  static const char *const SCHEMES[] = {"dns:///", "dns:", "ipv4:", "ipv6:"};
  for (size_t i = 0; i < sizeof SCHEMES / sizeof SCHEMES[0]; i++) {
    if (has_prefix(address, SCHEMES[i])) {
      rest = address + strlen(SCHEMES[i]);
      break;
    }
  }
  return check_host_and_port(rest, err);
}

/* gRPC's own lines would spoil the terminal: what matters comes back as an error. */
static void drop_line(gpr_log_func_args *args) {
  (void)args;
}

static char *key(const char *name) {
  return (char *)(uintptr_t)name;
}

static grpc_arg int_arg(const char *name, int value) {
  return (grpc_arg){.type = GRPC_ARG_INTEGER, .key = key(name), .value.integer = value};
}

static struct {
  bool is_used;
  const char *ca;
  const char *cert;
  const char *key;
} tls;

void berthctl_rpc_use_tls(const char *ca, const char *cert, const char *key) {
  tls.is_used = true;
  tls.ca = ca;
  tls.cert = cert;
  tls.key = key;
}

bool uses_tls(void) {
  return tls.is_used;
}

/* NULL if the texts are no PEM. */
static grpc_channel_credentials *create_credentials(void) {
  if (!tls.is_used) {
    return grpc_insecure_credentials_create();
  }
  grpc_ssl_pem_key_cert_pair pair = {.private_key = tls.key, .cert_chain = tls.cert};
  return grpc_ssl_credentials_create_ex(tls.ca, tls.cert != NULL ? &pair : NULL, NULL, NULL);
}

static grpc_channel *create_channel(const char *address) {
  grpc_arg args[] = {
      int_arg(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, 1 << 30),
      int_arg(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, -1),
      int_arg(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, LOOKAHEAD_BYTES),
      int_arg(GRPC_ARG_HTTP2_BDP_PROBE, 0),
      int_arg(GRPC_ARG_ENABLE_HTTP_PROXY, 0),
      int_arg(GRPC_ARG_ENABLE_RETRIES, 0),
      int_arg(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1),
      int_arg(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0), /* nothing compressed is asked for */
  };
  const grpc_channel_args list = {.num_args = sizeof args / sizeof args[0], .args = args};
  grpc_channel_credentials *credentials = create_credentials();
  grpc_channel *channel = grpc_channel_create(address, credentials, &list);
  if (credentials != NULL) {
    grpc_channel_credentials_release(credentials);
  }
  return channel; /* without credentials every call of it fails */
}

enum berth_code
berthctl_rpc_open(const char *address, struct berthctl_rpc **out_rpc, struct berth_error *err) {
  *out_rpc = NULL;
  enum berth_code code = check_address(address, err);
  if (code != BERTH_OK) {
    return code;
  }
  struct berthctl_rpc *rpc = calloc(1, sizeof *rpc);
  char *copy = strdup(address);
  if (rpc == NULL || copy == NULL) {
    free(rpc);
    free(copy);
    return berth_fail_memory(err);
  }
  gpr_set_log_function(drop_line);
  /* Names are asked of the system, as every other program asks it; c-ares knows less of them, and leaks. */
  setenv("GRPC_DNS_RESOLVER", "native", 0);
  grpc_init();
  rpc->address = copy;
  rpc->codec.limits = berth_codec_limits_default();
  rpc->codec.limits.message_bytes = UINT64_C(1) << 30;
  rpc->queue = grpc_completion_queue_create_for_next(NULL);
  rpc->channel = create_channel(address);
  *out_rpc = rpc;
  return BERTH_OK;
}

void berthctl_rpc_close(struct berthctl_rpc *rpc) {
  if (rpc == NULL) {
    return;
  }
  grpc_channel_destroy(rpc->channel);
  grpc_completion_queue_shutdown(rpc->queue);
  while (grpc_completion_queue_next(rpc->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type !=
         GRPC_QUEUE_SHUTDOWN) {
  }
  grpc_completion_queue_destroy(rpc->queue);
  grpc_shutdown();
  free(rpc->address);
  free(rpc);
}

void berthctl_rpc_plan_finish(struct berthctl_rpc_plan *reply) {
  berth_plan_unref(reply->plan);
  reply->plan = NULL;
}
