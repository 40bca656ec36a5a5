#include "conf/conf.h"

#include <string.h>

#include "conf/address.h"
#include "conf/option.h"

enum berth_code berthd_conf_init(struct berthd_conf *conf, struct berth_error *err) {
  memset(conf, 0, sizeof *conf);
  for (size_t i = 0; i < berthd_n_options; i++) {
    enum berth_code code = berthd_option_set(&berthd_options[i], conf, berthd_options[i].default_, "", err);
    if (code != BERTH_OK) {
      berthd_conf_finish(conf);
      return code;
    }
  }
  return BERTH_OK;
}

void berthd_conf_finish(struct berthd_conf *conf) {
  for (size_t i = 0; i < berthd_n_options; i++) {
    berthd_option_free(&berthd_options[i], conf);
  }
}

bool berthd_conf_has(const char *flag, bool *out_is_bool) {
  const struct berthd_option *option = berthd_option_find_flag(flag);
  *out_is_bool = option != NULL && option->type == BERTHD_OPTION_BOOL;
  return option != NULL;
}

enum berth_code
berthd_conf_set(struct berthd_conf *conf, const char *flag, const char *value, struct berth_error *err) {
  const struct berthd_option *option = berthd_option_find_flag(flag);
  if (option == NULL) {
    return berth_fail(
        err, BERTH_NOT_FOUND, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, flag, "there is no option --%.64s",
        flag);
  }
  return berthd_option_set(option, conf, value, "", err);
}

static enum berth_code fail(struct berth_error *err, const char *field, const char *message) {
  return berth_fail(
      err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, field, "%s", message);
}

static enum berth_code check_tls(const struct berthd_conf *conf, struct berth_error *err) {
  struct berthd_address address;
  enum berth_code code = BERTH_OK;
  for (size_t i = 0; i < conf->listen_tls.n && code == BERTH_OK; i++) {
    code = berthd_address_parse(conf->listen_tls.items[i], &address, err);
  }
  bool has_files = conf->listen_tls_cert[0] != '\0' && conf->listen_tls_key[0] != '\0' &&
                   conf->listen_tls_client_ca[0] != '\0';
  return code == BERTH_OK && conf->listen_tls.n > 0 && !has_files
             ? fail(
                   err, "listen-tls",
                   "[listen] tls needs tls-cert, tls-key and tls-client-ca: clients must show a certificate")
             : code;
}

static enum berth_code check_addresses(const struct berthd_conf *conf, struct berth_error *err) {
  struct berthd_address address;
  enum berth_code code = BERTH_OK;
  for (size_t i = 0; i < conf->listen_tcp.n && code == BERTH_OK; i++) {
    code = berthd_address_parse(conf->listen_tcp.items[i], &address, err);
    if (code == BERTH_OK && !address.is_loopback && !conf->listen_insecure) {
      return berth_fail(
          err, BERTH_INVALID_ARGUMENT, BERTH_REASON_BAD_OPTION, BERTH_NO_INDEX, "listen-tcp",
          "%s is beyond the loopback, where plain text needs [listen] insecure = true",
          conf->listen_tcp.items[i]);
    }
  }
  if (code == BERTH_OK && conf->http_listen[0] != '\0') {
    code = berthd_address_parse(conf->http_listen, &address, err);
  }
  return code;
}

enum berth_code berthd_conf_check(const struct berthd_conf *conf, struct berth_error *err) {
  if (conf->plan_default_deadline > conf->plan_max_deadline) {
    return fail(err, "plan-default-deadline", "[plan] default-deadline is longer than [plan] max-deadline");
  }
  if (conf->plan_default_budget > conf->plan_max_budget) {
    return fail(err, "plan-default-budget", "[plan] default-budget is larger than [plan] max-budget");
  }
  if (conf->listen_unix[0] != '\0' && conf->listen_unix[0] != '/') {
    return fail(err, "listen-unix", "[listen] unix must be an absolute path");
  }
  enum berth_code code = check_tls(conf, err);
  return code == BERTH_OK ? check_addresses(conf, err) : code;
}
