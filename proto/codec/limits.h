/* How much a message may hold. One table gives the struct, the defaults and the texts. Each limit is checked
 * on the wire, before anything is allocated for what it limits. */
#ifndef CODEC_LIMITS_H
#define CODEC_LIMITS_H

#include <stdint.h>

#define BERTH_CODEC_LIMITS(X)                                                                                \
  X(message_bytes, UINT64_C(268435456), "bytes of one message")                                              \
  X(decode_bytes, UINT64_C(4294967296), "bytes of memory for decoding one message")                          \
  X(fields, UINT64_C(16384), "fields in one message, a packed column counting as one")                       \
  X(buffers, UINT64_C(4000000), "buffers, or values of a graph")                                             \
  X(operators, UINT64_C(4000000), "operators of a graph")                                                    \
  X(edges, UINT64_C(32000000), "inputs, outputs, gaps, pairs and pool choices, each")                        \
  X(symbols, UINT64_C(1024), "symbols")                                                                      \
  X(expressions, UINT64_C(8000000), "expressions over symbols, and shapes")                                  \
  X(pools, UINT64_C(256), "pools")                                                                           \
  X(parts, UINT64_C(256), "parts of a composition, and sets of them")                                        \
  X(text_bytes, UINT64_C(256), "bytes of one id or name")                                                    \
  X(words, UINT64_C(64), "names of strategies")                                                              \
  X(variants, UINT64_C(64), "variants in one request")                                                       \
  X(page, UINT64_C(1000), "ids in one request")

struct berth_codec_limits {
#define X(name, value, text) uint64_t name;
  BERTH_CODEC_LIMITS(X)
#undef X
};

struct berth_codec_limits berth_codec_limits_default(void);

#endif
