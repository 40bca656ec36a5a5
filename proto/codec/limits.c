#include "codec/limits.h"

struct berth_codec_limits berth_codec_limits_default(void) {
  return (struct berth_codec_limits){
#define X(name, value, text) .name = (value),
      BERTH_CODEC_LIMITS(X)
#undef X
  };
}
