/* Which limit bounds which field: entries of a column, bytes of a text. */
#include "codec/internal.h"
#include "codec/wire.h"

struct bound {
  const ProtobufCMessageDescriptor *message;
  uint32_t field;
  size_t limit; /* where in the limits */
};

#define BOUND(message_, field_, limit_)                                                                      \
  { &berth__v1__##message_##__descriptor, field_, offsetof(struct berth_codec_limits, limit_) }

static const struct bound BOUNDS[] = {
    BOUND(problem, 1, text_bytes),
    BOUND(problem, 2, pools),
    BOUND(pool, 1, text_bytes),
    BOUND(pool, 8, pools),
    BOUND(problem, 10, buffers),
    BOUND(problem, 11, buffers),
    BOUND(problem, 12, buffers),
    BOUND(problem, 13, buffers),
    BOUND(problem, 14, buffers),
    BOUND(problem, 16, buffers),
    BOUND(problem, 17, buffers),
    BOUND(problem, 18, edges),
    BOUND(problem, 20, buffers),
    BOUND(problem, 21, buffers),
    BOUND(problem, 22, edges),
    BOUND(problem, 23, edges),
    BOUND(problem, 24, edges),
    BOUND(problem, 25, edges),
    BOUND(problem, 26, edges),
    BOUND(problem, 27, edges),
    BOUND(problem, 28, edges),
    BOUND(problem, 40, buffers),
    BOUND(problem, 41, buffers),
    BOUND(problem, 42, buffers),
    BOUND(problem, 43, buffers),
    BOUND(problem, 44, buffers),
    BOUND(problem, 46, buffers),
    BOUND(problem, 47, buffers),
    BOUND(problem, 48, edges),
    BOUND(problem, 49, buffers),
    BOUND(problem, 50, buffers),
    BOUND(problem, 51, buffers),
    BOUND(problem, 52, buffers),
    BOUND(problem, 53, buffers),
    BOUND(problem, 60, operators),
    BOUND(problem, 61, edges),
    BOUND(problem, 62, operators),
    BOUND(problem, 63, edges),
    BOUND(problem, 64, operators),
    BOUND(problem, 65, operators),
    BOUND(problem, 67, operators),
    BOUND(problem, 70, edges),
    BOUND(problem, 71, edges),
    BOUND(problem, 72, edges),
    BOUND(problem, 75, operators),
    BOUND(problem, 76, operators),
    BOUND(problem, 77, edges),
    BOUND(problem, 80, operators),
    BOUND(problem, 81, operators),
    BOUND(problem, 82, operators),
    BOUND(problem, 83, operators),
    BOUND(problem, 84, operators),
    BOUND(problem, 85, operators),
    BOUND(problem, 86, edges),
    BOUND(problem, 101, symbols),
    BOUND(problem, 102, symbols),
    BOUND(problem, 103, symbols),
    BOUND(problem, 104, expressions),
    BOUND(problem, 105, expressions),
    BOUND(problem, 106, expressions),
    BOUND(problem, 107, expressions),
    BOUND(problem, 108, expressions),
    BOUND(problem, 109, expressions),
    BOUND(problem, 110, expressions),
    BOUND(problem, 111, expressions),
    BOUND(problem, 112, edges),
    BOUND(problem, 113, symbols),
    BOUND(problem, 114, symbols),
    BOUND(problem, 115, symbols),
    BOUND(problem, 120, edges),
    BOUND(problem, 121, edges),
    BOUND(problem, 122, buffers),
    BOUND(problem, 131, edges),
    BOUND(problem, 132, edges),
    BOUND(problem, 140, buffers),
    BOUND(problem, 141, buffers),
    BOUND(problem, 150, buffers),
    BOUND(problem, 151, buffers),
    BOUND(problem, 152, edges),
    BOUND(problem, 160, parts),
    BOUND(problem, 162, parts),
    BOUND(problem, 163, edges),
    BOUND(problem, 164, buffers),
    BOUND(problem, 170, edges),
    BOUND(problem, 171, edges),
    BOUND(part, 1, text_bytes),
    BOUND(plan_options, 4, words),
    BOUND(keep, 5, words),
    BOUND(keep, 6, pools),
    BOUND(keep, 7, buffers),
    BOUND(keep, 8, pools),
    BOUND(earlier_plan, 2, buffers),
    BOUND(earlier_plan, 3, buffers),
    BOUND(earlier_plan, 4, pools),
    BOUND(get_plan_request, 1, text_bytes),
    BOUND(batch_get_plans_request, 1, page),
    BOUND(delete_plan_request, 1, text_bytes),
    BOUND(list_plans_request, 2, text_bytes),
    BOUND(report_measurement_request, 1, text_bytes),
    BOUND(report_measurement_request, 4, text_bytes),
    BOUND(find_largest_binding_request, 3, text_bytes),
    BOUND(plan_variants_request, 3, variants),
    BOUND(variant, 1, symbols),
    BOUND(symbol_binding, 1, text_bytes),
    BOUND(placed_problem, 3, text_bytes),
    BOUND(placed_problem, 4, buffers),
    BOUND(placed_problem, 5, buffers),
    BOUND(verify_plan_request, 2, buffers),
    BOUND(verify_plan_request, 3, buffers),
};

_Static_assert(sizeof BOUNDS / sizeof BOUNDS[0] <= BERTH_CODEC_MOST_RULES, "room for all rules");

size_t berth_codec_rules(
    const struct berth_codec_limits *limits, struct berth_wire_rule out[BERTH_CODEC_MOST_RULES]) {
  size_t n = sizeof BOUNDS / sizeof BOUNDS[0];
  for (size_t i = 0; i < n; i++) {
    const void *limit = (const char *)limits + BOUNDS[i].limit;
    out[i] = (struct berth_wire_rule){
        .message = BOUNDS[i].message, .field = BOUNDS[i].field, .most = *(const uint64_t *)limit};
  }
  return n;
}
