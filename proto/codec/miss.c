/* Why the cache had no plan, both ways. */
#include <string.h>

#include "codec/internal.h"

void berth_codec_put_miss(const struct berth_codec_miss *miss, struct berth_codec_miss_message *out) {
  berth__v1__cache_miss__init(&out->message);
  out->message.reason = UNCONST(char, miss->reason);
  out->message.nearest_plan_id = UNCONST(char, miss->nearest);
  out->message.nearest_is_kept = miss->nearest_is_kept;
  out->message.n_differences = miss->n;
  out->message.differences = out->list;
  for (uint32_t i = 0; i < miss->n; i++) {
    berth__v1__key_difference__init(&out->items[i]);
    out->items[i].section = UNCONST(char, miss->items[i].section);
    out->items[i].entry_count = miss->items[i].n_entries;
    out->list[i] = &out->items[i];
  }
}

static void copy(char *to, size_t size, const char *from) {
  size_t n = strlen(from);
  n = n < size ? n : size - 1;
  memcpy(to, from, n);
  to[n] = '\0';
}

bool berth_codec_decode_miss(
    const struct berth_codec *codec, const uint8_t *bytes, size_t n_bytes, struct berth_codec_miss *out) {
  struct berth_codec_memory memory;
  ProtobufCMessage *message;
  *out = (struct berth_codec_miss){.n = 0};
  if (berth_codec_unpack_answer(
          codec, &berth__v1__compute_plan_response__descriptor, bytes, n_bytes, &memory, &message, NULL) !=
      BERTH_OK) {
    return false;
  }
  const Berth__V1__CacheMiss *miss = ((const Berth__V1__ComputePlanResponse *)message)->miss;
  bool is_said = miss != NULL;
  if (is_said) {
    copy(out->reason, sizeof out->reason, miss->reason);
    copy(out->nearest, sizeof out->nearest, miss->nearest_plan_id);
    out->nearest_is_kept = miss->nearest_is_kept;
    size_t n = miss->n_differences;
    out->n = n < BERTH_CODEC_MOST_DIFFERENCES ? (uint32_t)n : BERTH_CODEC_MOST_DIFFERENCES;
    for (uint32_t i = 0; i < out->n; i++) {
      copy(out->items[i].section, sizeof out->items[i].section, miss->differences[i]->section);
      out->items[i].n_entries = miss->differences[i]->entry_count;
    }
  }
  protobuf_c_message_free_unpacked(message, &memory.base);
  return is_said;
}
