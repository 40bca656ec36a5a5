/* A plan read back from what json/plan.h writes: enough to compare two of them. Members that are not known
 * are left alone, since plans may say more in another version. */
#ifndef JSON_SAVED_H
#define JSON_SAVED_H

#include <stddef.h>

#include "berth/plan.h"
#include "berth/problem.h"

struct berth_json_saved {
  struct berth_problem *problem; /* its buffers without ids, pools and alignments */
  uint32_t n_buffers;
  struct berth_text *id;   /* of each buffer; size 0 if it has none */
  struct berth_text *pool; /* of each buffer: a name; size 0 if it is not placed */
  uint64_t *offset;        /* of each buffer; BERTH_NO_OFFSET if it is not placed */
  uint64_t arena_bytes;
  enum berth_reuse reuse; /* of the problem that it is a plan of; BERTH_REUSE_FULL if it does not say */
  uint32_t n_syncs;       /* added waits that it needs */
  struct berth_sync *syncs;
  bool has_arena; /* false of a problem that does not fit */
  /* Memory of the ids and names that have escapes; the others lie in the document. */
  const struct berth_allocator *allocator;
  char *decoded;
  size_t n_decoded;
};

/* The document must live as long as what is read. Errors are as in json/problem.h. */
enum berth_code berth_json_read_saved(
    const char *text, size_t n_bytes, const struct berth_allocator *allocator,
    struct berth_json_saved *out_saved, struct berth_error *err) BERTH_MUST_USE;
void berth_json_saved_finish(struct berth_json_saved *saved);

#endif
