/* MiniMalloc's CSV with each request for memory refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "minimalloc/minimalloc.h"
#include "nth.h"
#include "sample.h"
#include "suite.h"

struct text {
  char *bytes;
  size_t n;
};

struct file {
  struct text csv;
  struct berth_problem *problem;
  uint64_t *offset;
};

static bool append(void *ctx, const char *bytes, size_t n_bytes) {
  struct text *text = ctx;
  char *grown = realloc(text->bytes, text->n + n_bytes + 1);
  ck_assert_ptr_nonnull(grown);
  memcpy(grown + text->n, bytes, n_bytes);
  text->bytes = grown;
  text->n += n_bytes;
  return true;
}

static enum berth_code
read_problem(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct file *file = ctx;
  struct berth_problem *problem = NULL;
  enum berth_code code = berth_minimalloc_read(file->csv.bytes, file->csv.n, allocator, &problem, err);
  berth_problem_unref(problem);
  return code;
}

static enum berth_code
read_offsets(void *ctx, const struct berth_allocator *allocator, struct berth_error *err) {
  const struct file *file = ctx;
  return berth_minimalloc_read_offsets(
      file->csv.bytes, file->csv.n, file->problem, allocator, file->offset, err);
}

/* Pins give the file its offsets; ids with quotes need scratch of their own. */
static struct file make_file(uint32_t n) {
  struct sample sample;
  sample_init(&sample);
  struct berth_rng rng = {9};
  sample_generate(&sample, &rng, SAMPLE_UNIFORM, n, SAMPLE_ALIGNED | SAMPLE_PINNED | SAMPLE_GAPS);
  static char names[1000][16];
  for (uint32_t i = 0; i < sample.n_buffers; i++) {
    int size = snprintf(names[i], sizeof names[i], "\"b\" %u", i);
    sample.buffers[i].spec.id = (struct berth_text){names[i], (uint32_t)size};
  }
  struct file file = {.problem = sample_build(&sample, NULL)};
  file.offset = calloc(sample.n_buffers, sizeof *file.offset);
  ck_assert_ptr_nonnull(file.offset);
  struct berth_sink sink = {.ctx = &file.csv, .write = append};
  ck_assert_int_eq(berth_minimalloc_write(file.problem, NULL, sink, NULL), BERTH_OK);
  sample_finish(&sample);
  return file;
}

START_TEST(reading_csv) {
  for (uint32_t n = 10; n <= 1000; n *= 10) {
    struct file file = make_file(n);
    ck_assert_uint_gt(nth_refused("read a problem", read_problem, &file), 0);
    nth_refused("read offsets", read_offsets, &file);
    free(file.offset);
    free(file.csv.bytes);
    berth_problem_unref(file.problem);
  }
}
END_TEST

int main(void) {
  return berth_suite_run("fault/formats", (const TTest *const[]){reading_csv, NULL});
}
