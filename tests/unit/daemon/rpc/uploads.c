/* Uploads that stop before their last byte: what the server holds for them stays near the quota. HTTP/2 by
 * hand, since no gRPC client stops there. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server.h"
#include "suite.h"

enum {
  N_UPLOADS = 64,
  FRAME = 16384,
  DATA_FRAME = 0,
  HEADERS_FRAME = 1,
  SETTINGS_FRAME = 4,
  WINDOW_FRAME = 8
};
#define MESSAGE_BYTES ((uint32_t)4 << 20)
#define MIB ((uint64_t)1 << 20)

struct upload {
  int fd;
  int64_t connection_window;
  int64_t stream_window;
  int64_t initial_window; /* what the server says that stream windows begin with */
  uint32_t n_sent;        /* of the message */
  bool ended;             /* the server would have no more of it */
  uint8_t in[65536];
  size_t n_in;
};

static void send_all(int fd, const void *bytes, size_t n) {
  const uint8_t *at = bytes;
  while (n > 0) {
    ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);
    if (sent <= 0) {
      return; /* the next read tells */
    }
    at += sent;
    n -= (size_t)sent;
  }
}

static void
send_frame(int fd, uint8_t type, uint8_t flags, uint32_t stream, const void *payload, uint32_t n) {
  uint8_t header[9] = {(uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n, type, flags, 0, 0, 0,
                       (uint8_t)stream};
  send_all(fd, header, sizeof header);
  send_all(fd, payload, n);
}

static size_t put_text(uint8_t *to, const char *text) {
  size_t n = strlen(text);
  to[0] = (uint8_t)n;
  memcpy(to + 1, text, n);
  return n + 1;
}

/* POST, http, and literals that are not indexed. */
static void send_headers(int fd) {
  static const char *const PAIRS[][2] = {{"content-type", "application/grpc"}, {"te", "trailers"}};
  uint8_t block[256] = {0x83, 0x86, 0x04};
  size_t n = 3;
  n += put_text(block + n, "/berth.v1.PlanService/ComputePlan");
  block[n++] = 0x01;
  n += put_text(block + n, "localhost");
  for (size_t i = 0; i < 2; i++) {
    block[n++] = 0x00;
    n += put_text(block + n, PAIRS[i][0]);
    n += put_text(block + n, PAIRS[i][1]);
  }
  send_frame(fd, HEADERS_FRAME, 0x04, 1, block, (uint32_t)n);
}

static uint32_t read_u32(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void take_frame(
    struct upload *upload, uint8_t type, uint8_t flags, uint32_t stream, const uint8_t *payload, uint32_t n) {
  if (type == WINDOW_FRAME && n == 4) {
    *(stream == 0 ? &upload->connection_window : &upload->stream_window) += read_u32(payload) & 0x7fffffff;
  } else if (type == SETTINGS_FRAME && (flags & 1) == 0) {
    for (uint32_t i = 0; i + 6 <= n; i += 6) {
      if (payload[i] == 0 && payload[i + 1] == 4) { /* the window of each stream */
        upload->stream_window += (int64_t)read_u32(payload + i + 2) - upload->initial_window;
        upload->initial_window = read_u32(payload + i + 2);
      }
    }
    send_frame(upload->fd, SETTINGS_FRAME, 1, 0, NULL, 0);
  }
}

/* Reads what is there within the time. */
static void read_frames(struct upload *upload, int ms) {
  struct pollfd poll_fd = {.fd = upload->fd, .events = POLLIN};
  while (poll(&poll_fd, 1, ms) == 1) {
    ssize_t got = recv(upload->fd, upload->in + upload->n_in, sizeof upload->in - upload->n_in, 0);
    if (got <= 0) {
      upload->ended = true;
      return;
    }
    upload->n_in += (size_t)got;
    size_t at = 0;
    while (upload->n_in - at >= 9) {
      const uint8_t *frame = upload->in + at;
      uint32_t n = (uint32_t)frame[0] << 16 | (uint32_t)frame[1] << 8 | frame[2];
      if (upload->n_in - at < 9 + n) {
        break;
      }
      take_frame(upload, frame[3], frame[4], read_u32(frame + 5) & 0x7fffffff, frame + 9, n);
      at += 9 + n;
    }
    memmove(upload->in, upload->in + at, upload->n_in - at);
    upload->n_in -= at;
    ms = 0;
  }
}

static void start(struct upload *upload, uint16_t port) {
  static const char PREFACE[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  *upload = (struct upload){.connection_window = 65535, .stream_window = 65535, .initial_window = 65535};
  upload->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ck_assert_int_eq(connect(upload->fd, (struct sockaddr *)&address, sizeof address), 0);
  send_all(upload->fd, PREFACE, sizeof PREFACE - 1);
  send_frame(upload->fd, SETTINGS_FRAME, 0, 0, NULL, 0);
  send_headers(upload->fd);
  static const uint8_t CLAIM[5] = {0, 0, 0x40, 0, 0}; /* 4 MiB, plain */
  send_frame(upload->fd, DATA_FRAME, 0, 1, CLAIM, sizeof CLAIM);
  upload->connection_window -= sizeof CLAIM;
  upload->stream_window -= sizeof CLAIM;
}

/* As much as the windows allow, and never the last byte. */
static bool go_on(struct upload *upload) {
  static const uint8_t ZEROS[FRAME] = {0};
  bool moved = false;
  read_frames(upload, 1);
  for (;;) {
    int64_t n = MESSAGE_BYTES - 1 - upload->n_sent;
    n = n < FRAME ? n : FRAME;
    n = n < upload->connection_window ? n : upload->connection_window;
    n = n < upload->stream_window ? n : upload->stream_window;
    if (n <= 0 || upload->ended) {
      return moved;
    }
    send_frame(upload->fd, DATA_FRAME, 0, 1, ZEROS, (uint32_t)n);
    upload->n_sent += (uint32_t)n;
    upload->connection_window -= n;
    upload->stream_window -= n;
    moved = true;
  }
}

/* Sends all of them as far as they come; the memory that the process grew by. */
static uint64_t hold_uploads(uint64_t quota_bytes, uint64_t *out_n_sent) {
  static struct upload uploads[N_UPLOADS];
  struct test_server_options options = test_server_options_default();
  struct test_server server;
  options.rpc.quota_bytes = quota_bytes;
  test_server_start(&server, &options);
  uint64_t before = resident_bytes();
  for (int i = 0; i < N_UPLOADS; i++) {
    start(&uploads[i], server.port);
  }
  double quiet = seconds_now();
  double end = quiet + 20;
  while (seconds_now() - quiet < 1 && seconds_now() < end) {
    for (int i = 0; i < N_UPLOADS; i++) {
      quiet = go_on(&uploads[i]) ? seconds_now() : quiet;
    }
  }
  uint64_t after = resident_bytes();
  *out_n_sent = 0;
  for (int i = 0; i < N_UPLOADS; i++) {
    *out_n_sent += uploads[i].n_sent;
    close(uploads[i].fd);
  }
  struct raw_answer answer;
  raw_call(server.address, &(struct raw_call){.method = "/grpc.health.v1.Health/Check"}, &answer);
  ck_assert_msg(answer.code == BERTH_OK, "%d %s", answer.code, answer.text);
  raw_answer_finish(&answer);
  test_server_stop(&server);
  return after > before ? after - before : 0;
}

START_TEST(test_held_uploads) {
  uint64_t n_sent;
  uint64_t grown = hold_uploads(32 * MIB, &n_sent);
  ck_assert_msg(grown < 100 * MIB, "grew by %llu MiB", (unsigned long long)(grown / MIB));
}
END_TEST

/* What it would be: with room for all, all are held. */
START_TEST(test_held_uploads_with_room) {
  uint64_t n_sent;
  uint64_t grown = hold_uploads(2048 * MIB, &n_sent);
  ck_assert_msg(grown > 150 * MIB, "grew by %llu MiB", (unsigned long long)(grown / MIB));
  ck_assert_uint_eq(n_sent, (uint64_t)N_UPLOADS * (MESSAGE_BYTES - 1));
}
END_TEST

int main(void) {
  return berth_suite_run(
      "daemon/rpc/uploads", (const TTest *const[]){test_held_uploads, test_held_uploads_with_room, NULL});
}
