/* Files of TLS: what is missing or no PEM is said at the start, by the option's name. */
#include "rpc/tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"

static const char CERT[] = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n";
static const char KEY[] = "-----BEGIN EC PRIVATE KEY-----\nMA==\n-----END EC PRIVATE KEY-----\n";

static char folder[64];

static const char *path_of(const char *name, char *to, size_t n) {
  snprintf(to, n, "%s/%s", folder, name);
  return to;
}

static void put(const char *name, const char *text, size_t n) {
  char path[128];
  FILE *file = fopen(path_of(name, path, sizeof path), "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(text, 1, n, file), n);
  fclose(file);
}

static void begin(void) {
  snprintf(folder, sizeof folder, "/tmp/berth-tls-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  put("cert", CERT, sizeof CERT - 1);
  put("key", KEY, sizeof KEY - 1);
  put("empty", "", 0);
  put("text", "nothing of the kind", 19);
}

static void end(void) {
  static const char *const NAMES[] = {"cert", "key", "empty", "text", "large"};
  char path[128];
  for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
    unlink(path_of(NAMES[i], path, sizeof path));
  }
  rmdir(folder);
}

static enum berth_code create(const char *cert, const char *key, const char *ca, struct berth_error *err) {
  const struct berthd_rpc_tls files = {.cert = cert, .key = key, .client_ca = ca};
  struct tls *tls = NULL;
  enum berth_code code = tls_create(&files, &tls, err);
  ck_assert((code == BERTH_OK) == (tls != NULL));
  tls_destroy(tls);
  return code;
}

START_TEST(each_file_is_looked_at) {
  static const struct {
    const char *names[3];
    const char *field;
  } CASES[] = {
      {{"none", "key", "cert"}, "listen-tls-cert"},      {{"cert", "none", "cert"}, "listen-tls-key"},
      {{"cert", "key", "none"}, "listen-tls-client-ca"}, {{"empty", "key", "cert"}, "listen-tls-cert"},
      {{"cert", "text", "cert"}, "listen-tls-key"},      {{"cert", "cert", "cert"}, "listen-tls-key"},
      {{"cert", "key", "key"}, "listen-tls-client-ca"},  {{"large", "key", "cert"}, "listen-tls-cert"},
      {{".", "key", "cert"}, "listen-tls-cert"},         {{"cert", "key", "cert"}, NULL},
  };
  begin();
  char *large = calloc(1, (1 << 20) + 1);
  ck_assert_ptr_nonnull(large);
  memcpy(large, CERT, sizeof CERT - 1);
  put("large", large, (1 << 20) + 1);
  free(large);
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    char paths[3][128];
    struct berth_error err;
    for (int k = 0; k < 3; k++) {
      path_of(CASES[i].names[k], paths[k], sizeof paths[k]);
    }
    enum berth_code code = create(paths[0], paths[1], paths[2], &err);
    ck_assert_int_eq(code, CASES[i].field == NULL ? BERTH_OK : BERTH_INVALID_ARGUMENT);
    if (CASES[i].field != NULL) {
      ck_assert_str_eq(err.field, CASES[i].field);
    }
  }
  end();
}
END_TEST

START_TEST(paths_that_are_empty_or_too_long) {
  char path[1024];
  struct berth_error err;
  memset(path, 'a', sizeof path - 1);
  path[sizeof path - 1] = '\0';
  ck_assert_int_eq(create("", "/key", "/ca", &err), BERTH_INVALID_ARGUMENT);
  ck_assert_int_eq(create(path, "/key", "/ca", &err), BERTH_INVALID_ARGUMENT);
  ck_assert_str_eq(err.field, "listen-tls-cert");
  ck_assert_ptr_nonnull(strstr(err.message, "too long"));
}
END_TEST

START_TEST(names_without_a_slash_are_credentials) {
  struct berth_error err;
  begin();
  unsetenv("CREDENTIALS_DIRECTORY");
  ck_assert_int_eq(create("cert", "key", "cert", &err), BERTH_INVALID_ARGUMENT);
  setenv("CREDENTIALS_DIRECTORY", folder, 1);
  ck_assert_int_eq(create("cert", "key", "cert", &err), BERTH_OK);
  ck_assert_int_eq(create("cert", "/key", "cert", &err), BERTH_INVALID_ARGUMENT); /* a path is a path */
  unsetenv("CREDENTIALS_DIRECTORY");
  end();
}
END_TEST

int main(void) {
  return berth_suite_run(
      "daemon/rpc/tls", (const TTest *const[]){
                            each_file_is_looked_at, paths_that_are_empty_or_too_long,
                            names_without_a_slash_are_credentials, NULL});
}
