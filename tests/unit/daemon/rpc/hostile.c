/* Hostile messages: each is refused with its code and reason, quickly, and the server serves on. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "server.h"
#include "suite.h"

#define COMPUTE "/berth.v1.PlanService/ComputePlan"

static struct test_server server;
static struct bytes good;

static void setup(const struct test_server_options *options) {
  test_server_start(&server, options);
  good = make_request(20, 1, 1000000);
}

/* A good request still gets its plan. */
static void finish(void) {
  struct raw_answer answer;
  const struct raw_call call = {.method = COMPUTE, .bytes = good.data, .n_bytes = good.n};
  raw_call(server.address, &call, &answer);
  ck_assert_msg(answer.code == BERTH_OK, "%d %s", answer.code, answer.text);
  raw_answer_finish(&answer);
  bytes_finish(&good);
  test_server_stop(&server);
}

static void expect(const struct raw_call *call, int code, const char *reason, const char *field) {
  struct raw_answer answer;
  raw_call(server.address, call, &answer);
  ck_assert_msg(
      answer.code == code && strcmp(answer.reason, reason) == 0 && strcmp(answer.field, field) == 0,
      "got %d %s \"%s\": %s", answer.code, answer.reason, answer.field, answer.text);
  raw_answer_finish(&answer);
}

START_TEST(test_unknown_methods) {
  static const char *const METHODS[] = {
      "/berth.v1.PlanService/MakeCoffee", "/nobody.Here/AtAll", "/", "/berth.v1.PlanService/"};
  setup(NULL);
  for (size_t i = 0; i < sizeof METHODS / sizeof METHODS[0]; i++) {
    struct raw_answer answer;
    const struct raw_call call = {.method = METHODS[i], .bytes = "x", .n_bytes = 1, .timeout_ms = 5000};
    raw_call(server.address, &call, &answer);
    ck_assert_int_eq(answer.code, BERTH_UNIMPLEMENTED);
    ck_assert_str_eq(answer.reason, "UNKNOWN_METHOD");
    ck_assert_double_lt(answer.seconds, 4); /* at once, and not at its deadline */
    raw_answer_finish(&answer);
  }
  finish();
}
END_TEST

/* More unknown calls at a time than are posted. */
START_TEST(test_many_unknown_methods) {
  setup(NULL);
  for (int i = 0; i < 200; i++) {
    expect(
        &(struct raw_call){.method = "/no.Such/Method", .bytes = "", .n_bytes = 0}, BERTH_UNIMPLEMENTED,
        "UNKNOWN_METHOD", "");
  }
  finish();
}
END_TEST

static struct bytes gzip(const uint8_t *bytes, size_t n, size_t repeat) {
  z_stream z = {0};
  struct bytes out = {.data = malloc((size_t)4 << 20)};
  ck_assert_int_eq(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  z.next_out = out.data;
  z.avail_out = 4u << 20;
  for (size_t i = 0; i < repeat; i++) {
    z.next_in = (uint8_t *)(uintptr_t)bytes;
    z.avail_in = (uInt)n;
    ck_assert_int_eq(deflate(&z, Z_NO_FLUSH), Z_OK);
    ck_assert_uint_eq(z.avail_in, 0);
  }
  ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.n = (size_t)4 * (1 << 20) - z.avail_out;
  deflateEnd(&z);
  return out;
}

START_TEST(test_gzip) {
  setup(NULL);
  struct bytes small = gzip(good.data, good.n, 1);
  expect(
      &(struct raw_call){.method = COMPUTE, .bytes = small.data, .n_bytes = small.n, .gzip = true}, BERTH_OK,
      "", "");
  small.data[small.n / 2] ^= 0x55;
  struct raw_answer answer;
  const struct raw_call broken = {.method = COMPUTE, .bytes = small.data, .n_bytes = small.n, .gzip = true};
  raw_call(server.address, &broken, &answer);
  ck_assert_int_eq(answer.code, BERTH_INVALID_ARGUMENT);
  raw_answer_finish(&answer);
  const struct raw_call cut = {.method = COMPUTE, .bytes = small.data, .n_bytes = small.n / 3, .gzip = true};
  raw_call(server.address, &cut, &answer);
  ck_assert_int_eq(answer.code, BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(answer.reason, "MALFORMED");
  raw_answer_finish(&answer);
  bytes_finish(&small);
  finish();
}
END_TEST

/* 400 KB that inflate to 400 MB, five times. */
START_TEST(test_gzip_bomb) {
  struct test_server_options options = test_server_options_default();
  static uint8_t zeros[1 << 20];
  struct bytes bomb = gzip(zeros, sizeof zeros, 400);
  ck_assert_uint_lt(bomb.n, 1 << 20);
  options.rpc.limits.message_bytes = 4 << 20;
  setup(&options);
  uint64_t before = resident_bytes();
  for (int i = 0; i < 5; i++) {
    expect(
        &(struct raw_call){.method = COMPUTE, .bytes = bomb.data, .n_bytes = bomb.n, .gzip = true},
        BERTH_RESOURCE_EXHAUSTED, "LIMIT_EXCEEDED", "");
  }
  uint64_t after = resident_bytes();
  ck_assert_msg(
      after < before + ((uint64_t)200 << 20), "grew by %llu bytes", (unsigned long long)(after - before));
  bytes_finish(&bomb);
  finish();
}
END_TEST

/* 2 MB of repeated singular submessages took protobuf-c 69 s. */
START_TEST(test_repeated_singular_submessages) {
  setup(NULL);
  size_t n = (size_t)2 << 20;
  uint8_t *bytes = malloc(n);
  for (size_t i = 0; i + 2 <= n; i += 2) {
    bytes[i] = 0x0a; /* problem, of no bytes */
    bytes[i + 1] = 0;
  }
  struct raw_answer answer;
  const struct raw_call call = {.method = COMPUTE, .bytes = bytes, .n_bytes = n};
  raw_call(server.address, &call, &answer);
  ck_assert_int_eq(answer.code, BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(answer.reason, "MALFORMED");
  ck_assert_str_eq(answer.field, "problem");
  ck_assert_double_lt(answer.seconds, 2);
  raw_answer_finish(&answer);
  free(bytes);
  finish();
}
END_TEST

START_TEST(test_text) {
  setup(NULL);
  static const uint8_t NOT_UTF8[] = {0x0a, 0x04, 0x0a, 0x02, 'a', 0xff};
  static const uint8_t NUL[] = {0x0a, 0x05, 0x0a, 0x03, 'a', 0x00, 'b'};
  expect(
      &(struct raw_call){.method = COMPUTE, .bytes = NOT_UTF8, .n_bytes = sizeof NOT_UTF8},
      BERTH_INVALID_ARGUMENT, "BAD_TEXT", "problem.name");
  expect(
      &(struct raw_call){.method = COMPUTE, .bytes = NUL, .n_bytes = sizeof NUL}, BERTH_INVALID_ARGUMENT,
      "BAD_TEXT", "problem.name");
  finish();
}
END_TEST

/* Thousands of empty pools: 40 KB that would unpack into megabytes. */
START_TEST(test_allocator_cap) {
  struct test_server_options options = test_server_options_default();
  options.rpc.limits.pools = 16000;
  options.rpc.limits.decode_bytes = 200000;
  setup(&options);
  size_t n_pools = 15000;
  size_t n = 2 * n_pools;
  uint8_t *bytes = malloc(n + 8);
  size_t at = 0;
  bytes[at++] = 0x0a;
  for (size_t rest = n;; rest >>= 7) {
    bytes[at++] = (uint8_t)(rest >= 0x80 ? (rest & 0x7f) | 0x80 : rest);
    if (rest < 0x80) {
      break;
    }
  }
  for (size_t i = 0; i < n_pools; i++) {
    bytes[at++] = 0x12;
    bytes[at++] = 0x00;
  }
  expect(
      &(struct raw_call){.method = COMPUTE, .bytes = bytes, .n_bytes = at}, BERTH_RESOURCE_EXHAUSTED,
      "LIMIT_EXCEEDED", "");
  free(bytes);
  finish();
}
END_TEST

START_TEST(test_oversize) {
  struct test_server_options options = test_server_options_default();
  options.rpc.limits.message_bytes = 1 << 20;
  setup(&options);
  struct bytes large = make_request(50000, 3, 1000);
  ck_assert_uint_gt(large.n, 1 << 20);
  struct raw_answer answer;
  const struct raw_call call = {.method = COMPUTE, .bytes = large.data, .n_bytes = large.n};
  raw_call(server.address, &call, &answer); /* refused by gRPC itself, before it is read */
  ck_assert_int_eq(answer.code, BERTH_RESOURCE_EXHAUSTED);
  raw_answer_finish(&answer);
  bytes_finish(&large);
  finish();
}
END_TEST

/* Deterministic noise, raw and as flips of a good request. */
START_TEST(test_noise) {
  setup(NULL);
  struct raw_client *client = raw_client_create(server.address);
  uint64_t state = 88172645463325252u;
  for (int round = 0; round < 400; round++) {
    uint8_t bytes[600];
    size_t n = good.n < sizeof bytes ? good.n : sizeof bytes;
    memcpy(bytes, good.data, n);
    for (int flip = 0; flip < 1 + round % 8; flip++) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      bytes[state % n] ^= (uint8_t)(1u << (state >> 32) % 8);
    }
    struct raw_answer answer;
    const struct raw_call call = {
        .method = COMPUTE, .bytes = bytes, .n_bytes = round % 3 == 0 ? state % n : n};
    raw_client_call(client, &call, &answer);
    ck_assert_msg(
        answer.code == BERTH_OK || answer.code == BERTH_INVALID_ARGUMENT ||
            answer.code == BERTH_RESOURCE_EXHAUSTED || answer.code == BERTH_FAILED_PRECONDITION,
        "%d %s", answer.code, answer.text);
    ck_assert(answer.code == BERTH_OK || answer.reason[0] != '\0');
    raw_answer_finish(&answer);
  }
  raw_client_destroy(client);
  finish();
}
END_TEST

int main(void) {
  return berth_suite_run(
      "daemon/rpc/hostile", (const TTest *const[]){
                                test_unknown_methods, test_many_unknown_methods, test_gzip, test_gzip_bomb,
                                test_repeated_singular_submessages, test_text, test_allocator_cap,
                                test_oversize, test_noise, NULL});
}
