#include "rpc/tls.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "log/log.h"

#define MAX_PEM_BYTES 1048576
#define PATH_SIZE 512

enum file { CERT, KEY, CLIENT_CA, N_FILES };

static const char *const FLAGS[N_FILES] = {"listen-tls-cert", "listen-tls-key", "listen-tls-client-ca"};
static const char *const MARKS[N_FILES] = {"CERTIFICATE-----", "PRIVATE KEY-----", "CERTIFICATE-----"};

struct tls {
  pthread_mutex_t lock; /* handshakes come from gRPC's threads */
  char paths[N_FILES][PATH_SIZE];
  struct stat seen[N_FILES]; /* of what is in force */
  bool is_loaded;
};

/* A name without a slash is one of systemd's credentials, where there are any. */
static bool resolve(const char *name, char out_path[PATH_SIZE]) {
  const char *folder = strchr(name, '/') == NULL ? getenv("CREDENTIALS_DIRECTORY") : NULL;
  int n = folder != NULL ? snprintf(out_path, PATH_SIZE, "%s/%s", folder, name)
                         : snprintf(out_path, PATH_SIZE, "%s", name);
  return n > 0 && n < PATH_SIZE;
}

/* Text with NUL, to be freed; NULL if it cannot be read, or is not what it should be. */
static char *read_pem(const char *path, const char *mark, struct stat *out_seen) {
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    return NULL;
  }
  char *text = NULL;
  if (fstat(fileno(file), out_seen) == 0 && out_seen->st_size > 0 && out_seen->st_size <= MAX_PEM_BYTES) {
    size_t n = (size_t)out_seen->st_size;
    text = calloc(n + 1, 1);
    if (text != NULL && (fread(text, 1, n, file) != n || strstr(text, mark) == NULL)) {
      free(text);
      text = NULL;
    }
  }
  fclose(file);
  return text;
}

struct texts {
  char *items[N_FILES];
  struct stat seen[N_FILES];
};

static void texts_finish(struct texts *texts) {
  for (int i = 0; i < N_FILES; i++) {
    free(texts->items[i]);
  }
}

/* The first that cannot be read, or N_FILES. */
static int read_all(const struct tls *tls, struct texts *out) {
  *out = (struct texts){.items = {NULL}};
  for (int i = 0; i < N_FILES; i++) {
    out->items[i] = read_pem(tls->paths[i], MARKS[i], &out->seen[i]);
    if (out->items[i] == NULL) {
      return i;
    }
  }
  return N_FILES;
}

static bool is_same(const struct stat *a, const struct stat *b) {
  return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
         a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* With the lock. */
static bool has_changed(const struct tls *tls) {
  for (int i = 0; i < N_FILES; i++) {
    struct stat now;
    if (stat(tls->paths[i], &now) != 0 || !is_same(&now, &tls->seen[i])) {
      return true;
    }
  }
  return false;
}

static grpc_ssl_certificate_config_reload_status
fetch(void *ctx, grpc_ssl_server_certificate_config **out_config) {
  struct tls *tls = ctx;
  grpc_ssl_certificate_config_reload_status status = GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
  pthread_mutex_lock(&tls->lock);
  if (!tls->is_loaded || has_changed(tls)) {
    struct texts texts;
    int wrong = read_all(tls, &texts);
    if (wrong == N_FILES) {
      grpc_ssl_pem_key_cert_pair pair = {.private_key = texts.items[KEY], .cert_chain = texts.items[CERT]};
      *out_config = grpc_ssl_server_certificate_config_create(texts.items[CLIENT_CA], &pair, 1);
      memcpy(tls->seen, texts.seen, sizeof tls->seen);
      BERTHD_LOG(INFO, "tls.loaded", BERTHD_STR("cert", tls->paths[CERT]));
      tls->is_loaded = true;
      status = GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
    } else {
      BERTHD_LOG(ERROR, "tls.load_failed", BERTHD_STR("path", tls->paths[wrong]));
      status = GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_FAIL;
    }
    texts_finish(&texts);
  }
  pthread_mutex_unlock(&tls->lock);
  return status;
}

static enum berth_code check(struct tls *tls, struct berth_error *err) {
  struct texts texts;
  int wrong = read_all(tls, &texts);
  texts_finish(&texts);
  return wrong == N_FILES ? BERTH_OK
                          : berth_fail(
                                err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX,
                                FLAGS[wrong], "%s: %.150s cannot be read, or holds no PEM \"%s\"",
                                FLAGS[wrong], tls->paths[wrong], MARKS[wrong]);
}

enum berth_code
tls_create(const struct berthd_rpc_tls *files, struct tls **out_tls, struct berth_error *err) {
  struct tls *tls = calloc(1, sizeof *tls);
  *out_tls = NULL;
  if (tls == NULL || pthread_mutex_init(&tls->lock, NULL) != 0) {
    free(tls);
    return berth_fail_memory(err);
  }
  const char *const names[N_FILES] = {files->cert, files->key, files->client_ca};
  enum berth_code code = BERTH_OK;
  for (int i = 0; i < N_FILES && code == BERTH_OK; i++) {
    if (!resolve(names[i], tls->paths[i])) {
      code = berth_fail(
          err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, FLAGS[i],
          "%s: the path is empty or too long", FLAGS[i]);
    }
  }
  code = code == BERTH_OK ? check(tls, err) : code;
  if (code != BERTH_OK) {
    tls_destroy(tls);
    return code;
  }
  *out_tls = tls;
  return BERTH_OK;
}

void tls_destroy(struct tls *tls) {
  if (tls != NULL) {
    pthread_mutex_destroy(&tls->lock);
    free(tls);
  }
}

grpc_server_credentials *tls_credentials(struct tls *tls) {
  grpc_ssl_server_credentials_options *options =
      grpc_ssl_server_credentials_create_options_using_config_fetcher(
          GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY, fetch, tls);
  return options != NULL ? grpc_ssl_server_credentials_create_with_options(options) : NULL;
}
