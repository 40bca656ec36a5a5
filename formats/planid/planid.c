/* The encoding: "berth" in eight bytes, then as 64-bit little-endian numbers the schema version, the engine
 * version and the four options, then the canonical problem. The prefix has one length, so no two inputs meet.
 * Where an earlier plan is to be kept, the last option says so, and what is to be kept follows the problem,
 * in the order of its buffers there. Where waits may be added, it says so too, and their price, their number
 * and the graph follow. */
#include "planid/planid.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION 1
#define KEEPS (UINT64_C(1) << 32) /* beside the level of reuse */
#define SYNCS (UINT64_C(1) << 33)

static void put_u64(uint8_t *to, uint64_t value) {
  for (int i = 0; i < 8; i++) {
    to[i] = (uint8_t)(value >> (8 * i));
  }
}

struct piece {
  uint8_t bytes[4096];
  size_t n;
  void *ctx;
  void (*write)(void *ctx, const void *bytes, size_t n_bytes);
};

static void put(struct piece *piece, uint64_t value, size_t n_bytes) {
  if (piece->n + 8 > sizeof piece->bytes) {
    piece->write(piece->ctx, piece->bytes, piece->n);
    piece->n = 0;
  }
  put_u64(piece->bytes + piece->n, value);
  piece->n += n_bytes;
}

/* What reports only say of the earlier plan is left out. */
static void encode_stable(
    const struct berth_stable *stable, const uint32_t *order, void *ctx,
    void (*write)(void *ctx, const void *bytes, size_t n_bytes)) {
  struct piece piece = {.ctx = ctx, .write = write};
  put(&piece, stable->keep_by, 4);
  put(&piece, stable->is_least, 4);
  for (uint32_t p = 0; p < stable->n_pools; p++) {
    put(&piece, stable->limit_bytes[p], 8);
  }
  for (uint32_t k = 0; k < stable->n_buffers; k++) {
    put(&piece, stable->offset[order[k]], 8);
    put(&piece, stable->pool[order[k]], 4);
    put(&piece, stable->must[order[k]], 1);
  }
  write(ctx, piece.bytes, piece.n);
}

const char *berth_planid_section_name(unsigned section) {
  static const char *const NAMES[] = {
#define X(name, word) word,
      BERTH_PLANID_OPTIONS(X) BERTH_SECTIONS(X)
#undef X
          "the plan to keep",
      "added waits: their terms, and the graph"};
  return section < BERTH_PLANID_N_SECTIONS ? NAMES[section] : "?";
}

/* What passes through, counted. */
struct mapping {
  void *ctx;
  void (*write)(void *ctx, const void *bytes, size_t n_bytes);
  uint64_t n_bytes;
  struct berth_planid_map *map;
};

static void count(void *ctx, const void *bytes, size_t n_bytes) {
  struct mapping *mapping = ctx;
  mapping->n_bytes += n_bytes;
  mapping->write(mapping->ctx, bytes, n_bytes);
}

static void begin(void *ctx, enum berth_section section) {
  struct mapping *mapping = ctx;
  mapping->map->begin[BERTH_PLANID_PROBLEM + section] = mapping->n_bytes;
}

static enum berth_code encode_syncs(
    const struct berth_problem *problem, const uint32_t *order, const struct berth_sync_terms *terms,
    struct mapping *mapping, struct berth_error *err) {
  struct piece piece = {.ctx = mapping, .write = count};
  put(&piece, terms->cost_bytes, 8);
  put(&piece, terms->max_syncs, 4);
  count(mapping, piece.bytes, piece.n);
  return berth_problem_canonical_encode_graph(problem, order, NULL, mapping, count, err);
}

enum berth_code berth_planid_encode_map(
    const struct berth_problem *problem, const uint32_t *order, const struct berth_solve_options *options,
    void *ctx, void (*write)(void *ctx, const void *bytes, size_t n_bytes), struct berth_planid_map *out_map,
    struct berth_error *err) {
  struct mapping mapping = {.ctx = ctx, .write = write, .map = out_map};
  uint8_t prefix[8 + 6 * 8] = "berth";
  put_u64(prefix + 8, SCHEMA_VERSION);
  put_u64(prefix + 16, BERTH_ENGINE_VERSION);
  put_u64(prefix + 24, options->budget_ticks);
  put_u64(prefix + 32, options->capacity_bytes);
  put_u64(prefix + 40, options->strategies);
  put_u64(
      prefix + 48, (uint64_t)options->reuse | (options->stable != NULL ? KEEPS : 0) |
                       (berth_sync_is_asked(&options->sync) ? SYNCS : 0));
  for (unsigned i = 0; i < BERTH_PLANID_PROBLEM; i++) {
    out_map->begin[i] = i == 0 ? 0 : 16 + 8 * (uint64_t)i;
  }
  count(&mapping, prefix, sizeof prefix);
  enum berth_code code = berth_problem_canonical_sections(problem, order, NULL, &mapping, count, begin, err);
  out_map->begin[BERTH_PLANID_KEEP] = mapping.n_bytes;
  if (code == BERTH_OK && options->stable != NULL) {
    encode_stable(options->stable, order, &mapping, count);
  }
  out_map->begin[BERTH_PLANID_SYNCS] = mapping.n_bytes;
  if (code == BERTH_OK && berth_sync_is_asked(&options->sync)) {
    code = encode_syncs(problem, order, &options->sync, &mapping, err);
  }
  out_map->begin[BERTH_PLANID_N_SECTIONS] = mapping.n_bytes;
  return code;
}

enum berth_code berth_planid_encode(
    const struct berth_problem *problem, const uint32_t *order, const struct berth_solve_options *options,
    void *ctx, void (*write)(void *ctx, const void *bytes, size_t n_bytes), struct berth_error *err) {
  struct berth_planid_map map;
  return berth_planid_encode_map(problem, order, options, ctx, write, &map, err);
}

struct digest {
  EVP_MD_CTX *evp;
  bool failed;
};

static enum berth_code digest_begin(struct digest *digest, struct berth_error *err) {
  digest->evp = EVP_MD_CTX_new();
  digest->failed = digest->evp == NULL || EVP_DigestInit_ex(digest->evp, EVP_sha256(), NULL) != 1;
  return digest->failed ? berth_fail_memory(err) : BERTH_OK;
}

static void digest_write(void *ctx, const void *bytes, size_t n_bytes) {
  struct digest *digest = ctx;
  digest->failed = digest->failed || EVP_DigestUpdate(digest->evp, bytes, n_bytes) != 1;
}

static void set_hex(struct berth_planid *id) {
  for (int i = 0; i < BERTH_PLANID_BYTES; i++) {
    id->hex[2 * i] = "0123456789abcdef"[id->bytes[i] >> 4];
    id->hex[2 * i + 1] = "0123456789abcdef"[id->bytes[i] & 15];
  }
  id->hex[2 * BERTH_PLANID_BYTES] = '\0';
}

static enum berth_code
digest_end(struct digest *digest, struct berth_planid *out_id, struct berth_error *err) {
  unsigned n_bytes = 0;
  bool good = !digest->failed && EVP_DigestFinal_ex(digest->evp, out_id->bytes, &n_bytes) == 1;
  EVP_MD_CTX_free(digest->evp);
  if (!good || n_bytes != BERTH_PLANID_BYTES) {
    return berth_fail_memory(err);
  }
  set_hex(out_id);
  return BERTH_OK;
}

enum berth_code berth_planid_compute(
    const struct berth_problem *problem, const struct berth_solve_options *options,
    struct berth_planid *out_id, struct berth_error *err) {
  uint32_t *order = malloc((size_t)berth_problem_buffers(problem)->n * sizeof *order + 1);
  if (order == NULL) {
    return berth_fail_memory(err);
  }
  struct digest digest;
  enum berth_code code = digest_begin(&digest, err);
  if (code == BERTH_OK) {
    code = berth_problem_canonical_order(problem, NULL, order, err);
  }
  if (code == BERTH_OK) {
    code = berth_planid_encode(problem, order, options, &digest, digest_write, err);
  }
  free(order);
  digest.failed = digest.failed || code != BERTH_OK;
  return digest_end(&digest, out_id, err);
}

enum berth_code berth_planid_of_bytes(
    const void *bytes, size_t n_bytes, struct berth_planid *out_id, struct berth_error *err) {
  struct digest digest;
  if (digest_begin(&digest, err) == BERTH_OK) {
    digest_write(&digest, bytes, n_bytes);
  }
  return digest_end(&digest, out_id, err);
}

static int digit_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

enum berth_code
berth_planid_parse(const char *hex, size_t n_chars, struct berth_planid *out_id, struct berth_error *err) {
  bool good = n_chars == 2 * BERTH_PLANID_BYTES;
  for (size_t i = 0; good && i < n_chars; i += 2) {
    int high = digit_value(hex[i]);
    int low = digit_value(hex[i + 1]);
    good = high >= 0 && low >= 0;
    out_id->bytes[i / 2] = (uint8_t)(good ? high * 16 + low : 0);
  }
  if (!good) {
    return berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, "plan_id",
        "a plan id is %d hexadecimal digits", 2 * BERTH_PLANID_BYTES);
  }
  set_hex(out_id);
  return BERTH_OK;
}
