#include "codec/scratch.h"

#include <stdint.h>
#include <string.h>

#include "suite.h"

START_TEST(everything_goes_at_once) {
  struct berth_codec_scratch scratch;
  berth_codec_scratch_init(&scratch, NULL);
  for (size_t n = 0; n < 100; n++) {
    unsigned char *block = berth_codec_scratch_take(&scratch, n, 7);
    ck_assert_ptr_nonnull(block);
    ck_assert_uint_eq((uintptr_t)block % _Alignof(max_align_t), 0);
    memset(block, 1, n * 7);
  }
  berth_codec_scratch_finish(&scratch); /* the sanitizer sees what stays */
  ck_assert_ptr_null(scratch.first);
}
END_TEST

START_TEST(too_much_is_refused) {
  struct berth_codec_scratch scratch;
  berth_codec_scratch_init(&scratch, NULL);
  ck_assert_ptr_null(berth_codec_scratch_take(&scratch, SIZE_MAX, 2));
  ck_assert_ptr_null(berth_codec_scratch_take(&scratch, SIZE_MAX, 1));
  berth_codec_scratch_finish(&scratch);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "codec/scratch", (const TTest *const[]){everything_goes_at_once, too_much_is_refused, NULL});
}
