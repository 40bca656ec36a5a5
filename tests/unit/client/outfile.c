#include "system/outfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"

static char folder[] = "/tmp/berth-outfile-XXXXXX";
static char path[64];

static void begin(void) {
  strcpy(folder, "/tmp/berth-outfile-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/plan.svg", folder);
}

static void expect_content(const char *expected) {
  char text[64] = "";
  FILE *file = fopen(path, "r");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fread(text, 1, sizeof text - 1, file), strlen(expected));
  ck_assert_str_eq(text, expected);
  fclose(file);
}

static void write_to(const char *text, bool is_whole) {
  struct berthctl_outfile file;
  struct berth_error err;
  ck_assert_int_eq(berthctl_outfile_open(path, &file, &err), BERTH_OK);
  struct berth_sink sink = berthctl_outfile_sink(&file);
  ck_assert(sink.write(sink.ctx, text, strlen(text)));
  ck_assert_int_eq(berthctl_outfile_close(&file, is_whole, &err), BERTH_OK);
}

START_TEST(only_a_whole_file_takes_the_place) {
  begin();
  write_to("first", true);
  expect_content("first");
  write_to("half", false);
  expect_content("first");
  write_to("second", true);
  expect_content("second");
  ck_assert_int_eq(remove(path), 0);
  ck_assert_int_eq(rmdir(folder), 0); /* nothing else was left there */
}
END_TEST

START_TEST(places_that_cannot_be_written) {
  begin();
  struct berthctl_outfile file;
  struct berth_error err;
  char missing[80];
  snprintf(missing, sizeof missing, "%s/no/such", folder);
  ck_assert_int_eq(berthctl_outfile_open(missing, &file, &err), BERTH_INTERNAL);
  ck_assert_ptr_nonnull(strstr(err.message, "cannot be written"));
  ck_assert_int_eq(berthctl_outfile_open(folder, &file, &err), BERTH_INTERNAL);
  ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(devices_are_written_in_place) {
  struct berthctl_outfile file;
  struct berth_error err;
  ck_assert_int_eq(berthctl_outfile_open("/dev/null", &file, &err), BERTH_OK);
  ck_assert_ptr_null(file.part);
  ck_assert_int_eq(berthctl_outfile_close(&file, true, &err), BERTH_OK);
  struct stat info;
  ck_assert_int_eq(stat("/dev/null", &info), 0);
  ck_assert(S_ISCHR(info.st_mode));
}
END_TEST

int main(void) {
  return berth_suite_run(
      "client/outfile", (const TTest *const[]){
                            only_a_whole_file_takes_the_place, places_that_cannot_be_written,
                            devices_are_written_in_place, NULL});
}
