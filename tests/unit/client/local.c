/* berthctl without a daemon, over real files: exit statuses, what goes to which stream, and that all forms of
 * output say the same. */
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"
#include "suite.h"

#define DATA SOURCE_DIR "/tests/data/intervals/"
#define EXAMPLE DATA "minimalloc-small/input.12.csv"
#define RESNET50 DATA "somas/resnet50.csv"
#define HARD DATA "minimalloc/K.1048576.csv"

#define CTL(...) run((const char *const[]){BERTHCTL, __VA_ARGS__, NULL}, NULL, NULL)
#define CTL_IN(input, ...) run((const char *const[]){BERTHCTL, __VA_ARGS__, NULL}, (input), NULL)

static void expect_status(struct run_result *result, int status) {
  ck_assert_msg(
      result->status == status, "status %d\nout: %s\nerr: %s", result->status, result->out, result->err);
}

static json_t *parse(const struct run_result *result) {
  json_error_t error;
  json_t *root = json_loads(result->out, JSON_REJECT_DUPLICATES, &error);
  ck_assert_msg(root != NULL, "%s in %s", error.text, result->out);
  return root;
}

static json_int_t number(const json_t *object, const char *key) {
  ck_assert_msg(json_is_integer(json_object_get(object, key)), "%s", key);
  return json_integer_value(json_object_get(object, key));
}

START_TEST(every_small_file_is_planned_within_its_bound) {
  static const char *const FILES[] = {"a.6", "b.6", "c.8", "d.9", "e.12", "f.14", "g.7", "input.12"};
  for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
    char path[512];
    snprintf(path, sizeof path, DATA "minimalloc-small/%s.csv", FILES[i]);
    struct run_result result = CTL("plan", "--local", "--json", path);
    expect_status(&result, 0);
    ck_assert_str_eq(result.err, "");
    json_t *root = parse(&result);
    json_int_t arena = number(root, "arena_bytes");
    ck_assert_int_ge(arena, number(root, "lower_bound_bytes"));
    ck_assert_int_le(arena, number(root, "naive_bytes"));
    ck_assert_int_le(number(root, "peak_bytes"), number(root, "reuse_bytes"));
    json_decref(root);
    run_free(&result);
  }
}
END_TEST

START_TEST(standard_input_is_a_file) {
  static const char CSV[] = "id,start,end,size\na,1,3,100\nb,3,5,100\n";
  struct run_result result = CTL_IN(CSV, "plan", "--local", "--json", "-", "--name", "n\"1");
  expect_status(&result, 0);
  json_t *root = parse(&result);
  ck_assert_int_eq(number(root, "arena_bytes"), 200); /* `end` is inclusive */
  ck_assert_str_eq(json_string_value(json_object_get(root, "name")), "n\"1");
  ck_assert_uint_eq(strlen(json_string_value(json_object_get(root, "plan_id"))), 64);
  json_decref(root);
  run_free(&result);
}
END_TEST

START_TEST(offsets_beyond_32_bits) {
  static const char CSV[] = "id,start,end,size\np,1,2,2147483648\nq,1,2,2147483648\n";
  struct run_result result = CTL_IN(CSV, "plan", "--local", "--csv", "-", "-");
  expect_status(&result, 0);
  bool forward = strstr(result.out, "p,1,3,2147483648,0\nq,1,3,2147483648,2147483648\n") != NULL;
  bool backward = strstr(result.out, "p,1,3,2147483648,2147483648\nq,1,3,2147483648,0\n") != NULL;
  ck_assert_msg(forward || backward, "%s", result.out);
  run_free(&result);
}
END_TEST

START_TEST(zero_sizes_and_empty_problems) {
  struct run_result result =
      CTL_IN("id,lower,upper,size\nz,1,2,0\na,1,2,64\n", "plan", "--local", "--json", "-");
  expect_status(&result, 0);
  json_t *root = parse(&result);
  ck_assert_int_eq(number(root, "arena_bytes"), 64);
  ck_assert_uint_eq(json_array_size(json_object_get(root, "buffers")), 2);
  json_decref(root);
  run_free(&result);
  result = CTL_IN("id,lower,upper,size\nz,1,2,0\n", "plan", "--local", "--json", "-");
  expect_status(&result, 0);
  root = parse(&result);
  ck_assert_int_eq(number(root, "arena_bytes"), 0);
  json_decref(root);
  run_free(&result);
}
END_TEST

START_TEST(errors_name_file_line_and_column) {
  struct run_result result = CTL_IN("id,lower,upper,size\n\na,0,1,-5\n", "plan", "--local", "-");
  expect_status(&result, 4);
  ck_assert_str_eq(result.out, "");
  ck_assert_str_eq(
      result.err,
      "berthctl: standard input:3:7: size is '-5'; a whole number of bytes from 0 to 2^63 - 1 is right\n");
  run_free(&result);
  result = CTL("plan", "--local", "/no/such/file.csv");
  expect_status(&result, 3);
  ck_assert_ptr_nonnull(strstr(result.err, "berthctl: /no/such/file.csv: "));
  run_free(&result);
  result = CTL("plan", "--local", "/");
  expect_status(&result, 4);
  run_free(&result);
}
END_TEST

START_TEST(usage_errors) {
  static const char *const LINES[][4] = {{NULL}, {"pln"}, {"plan"}, {"plan", "a", "b"}, {"plan", "--x", "a"}};
  for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
    const char *words[6] = {BERTHCTL, LINES[i][0], LINES[i][1], LINES[i][2], NULL};
    struct run_result result = run(words, NULL, NULL);
    expect_status(&result, 2);
    ck_assert_str_eq(result.out, "");
    ck_assert_ptr_nonnull(strstr(result.err, "usage: berthctl"));
    run_free(&result);
  }
}
END_TEST

START_TEST(does_it_fit) {
  struct run_result result = CTL("fit", "--local", "--capacity", "12", EXAMPLE);
  expect_status(&result, 0);
  run_free(&result);
  result = CTL("fit", "--local", "--capacity", "11", EXAMPLE, "--json");
  expect_status(&result, 5);
  ck_assert_ptr_nonnull(strstr(result.err, "does not fit: at least 12 bytes are needed, 1 more"));
  json_t *root = parse(&result);
  ck_assert_str_eq(json_string_value(json_object_get(root, "status")), "infeasible");
  ck_assert_int_eq(number(root, "short_by_bytes"), 1);
  ck_assert_uint_ge(json_array_size(json_object_get(root, "culprits")), 2);
  ck_assert(json_is_null(json_object_get(root, "arena_bytes")));
  json_decref(root);
  run_free(&result);
}
END_TEST

/* Every form of one plan says the same, and the independent check agrees. */
START_TEST(forms_agree) {
  char folder[] = "/tmp/berth-local-XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(folder));
  char csv[64];
  char svg[64];
  snprintf(csv, sizeof csv, "%s/plan.csv", folder);
  snprintf(svg, sizeof svg, "%s/plan.svg", folder);
  struct run_result result = CTL("plan", "--local", RESNET50, "--csv", csv, "--svg", svg, "--json");
  expect_status(&result, 0);
  json_t *root = parse(&result);
  ck_assert_uint_eq(json_array_size(json_object_get(root, "buffers")), 1042);
  struct run_result again = CTL("plan", "--local", RESNET50, "--csv", "-");
  expect_status(&again, 0);
  FILE *file = fopen(csv, "r");
  ck_assert_ptr_nonnull(file);
  char line[256];
  size_t i = 0;
  for (const char *at = again.out; fgets(line, sizeof line, file) != NULL; at += strlen(line), i++) {
    ck_assert(strncmp(at, line, strlen(line)) == 0); /* the same plan, byte for byte */
    if (i != 0) {
      const json_t *buffer = json_array_get(json_object_get(root, "buffers"), i - 1);
      ck_assert_int_eq(number(buffer, "offset"), strtoll(strrchr(line, ',') + 1, NULL, 10));
    }
  }
  ck_assert_uint_eq(i, 1043);
  fclose(file);
  struct run_result verdict = CTL("verify", "--local", RESNET50, csv, "--json");
  expect_status(&verdict, 0);
  json_t *judged = parse(&verdict);
  ck_assert(json_is_true(json_object_get(judged, "valid")));
  ck_assert_int_eq(number(judged, "arena_bytes"), number(root, "arena_bytes"));
  ck_assert_int_eq(access(svg, R_OK), 0);
  json_decref(judged);
  json_decref(root);
  run_free(&result);
  run_free(&again);
  run_free(&verdict);
  remove(csv);
  remove(svg);
  ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(wrong_plans_are_refused) {
  char path[] = "/tmp/berth-plan-XXXXXX";
  int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  static const char WRONG[] = "id,offset\nb1,0\nb2,0\nb3,0\nb4,0\nb5,0\n";
  ck_assert_int_eq(write(fd, WRONG, sizeof WRONG - 1), (int)sizeof WRONG - 1);
  close(fd);
  struct run_result result = CTL("verify", "--local", EXAMPLE, path);
  expect_status(&result, 9);
  ck_assert_ptr_nonnull(strstr(result.out, "not valid"));
  ck_assert_ptr_nonnull(strstr(result.out, "overlap"));
  run_free(&result);
  result = CTL("verify", "--local", EXAMPLE, path, "--json");
  expect_status(&result, 9);
  json_t *root = parse(&result);
  ck_assert(json_is_false(json_object_get(root, "valid")));
  ck_assert_uint_ge(json_array_size(json_object_get(root, "violations")), 1);
  json_decref(root);
  run_free(&result);
  result = CTL_IN("id,offset\nnobody,0\n", "verify", "--local", EXAMPLE, "-");
  expect_status(&result, 4);
  ck_assert_ptr_nonnull(strstr(result.err, "standard input:2:1: "));
  run_free(&result);
  remove(path);
}
END_TEST

/* Contributions sum to the peak exactly, and all steps of the peak are there. */
START_TEST(the_peak_is_explained) {
  static const char CSV[] = "id,start,end,size\nA,1,3,300\nB,2,4,200\nC,3,4,100\nD,4,5,50\n";
  struct run_result result = CTL_IN(CSV, "explain", "--json", "-");
  expect_status(&result, 0);
  json_t *root = parse(&result);
  ck_assert_int_eq(number(root, "peak_bytes"), 600);
  ck_assert_int_eq(number(root, "step"), 3);
  const json_t *spans = json_object_get(root, "peak_steps");
  ck_assert_uint_eq(json_array_size(spans), 1);
  ck_assert_int_eq(number(json_array_get(spans, 0), "upper"), 4);
  const json_t *items = json_object_get(root, "contributions");
  ck_assert_uint_eq(json_array_size(items), 3);
  static const char *const IDS[] = {"A", "B", "C"};
  json_int_t sum = 0;
  for (size_t i = 0; i < 3; i++) {
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(items, i), "id")), IDS[i]);
    sum += number(json_array_get(items, i), "live_bytes");
  }
  ck_assert_int_eq(sum, 600);
  json_decref(root);
  run_free(&result);
  result = CTL_IN(CSV, "explain", "-", "--step", "5");
  expect_status(&result, 0);
  ck_assert_ptr_nonnull(strstr(result.out, "live at step 5: 1 buffers, 50 B"));
  run_free(&result);
}
END_TEST

START_TEST(no_colour_and_no_progress_off_a_terminal) {
  struct run_result result = CTL("plan", "--local", HARD, "--deadline", "1");
  expect_status(&result, 0);
  ck_assert_str_eq(result.err, "");
  ck_assert_ptr_null(strchr(result.out, '\033'));
  ck_assert_ptr_null(strchr(result.out, '\r'));
  run_free(&result);
  result = CTL("plan", "--local", EXAMPLE, "--quiet");
  expect_status(&result, 0);
  ck_assert_str_eq(result.out, "");
  ck_assert_str_eq(result.err, "");
  run_free(&result);
}
END_TEST

/* On a terminal there is colour, unless it is not wanted. */
START_TEST(no_color_is_heard) {
  const char *const words[] = {"script", "-qec", BERTHCTL " plan --local " EXAMPLE, "/dev/null", NULL};
  struct run_result plain = run(words, NULL, (const char *const[]){"TERM=xterm", "NO_COLOR=1", NULL});
  struct run_result coloured = run(words, NULL, (const char *const[]){"TERM=xterm", NULL});
  expect_status(&plain, 0);
  expect_status(&coloured, 0);
  ck_assert_ptr_null(strstr(plain.out, "\033[1"));
  ck_assert_ptr_nonnull(strstr(coloured.out, "\033[1"));
  run_free(&plain);
  run_free(&coloured);
}
END_TEST

START_TEST(tables_fit_the_terminal) {
  const char *const words[] = {BERTHCTL, "plan", "--local", RESNET50, NULL};
  struct run_result result = run(words, NULL, (const char *const[]){"COLUMNS=60", NULL});
  expect_status(&result, 0);
  const char *table = strstr(result.out, "BUFFER");
  ck_assert_ptr_nonnull(table);
  for (unsigned i = 0; i < 15; i++, table += strcspn(table, "\n") + 1) {
    ck_assert_uint_le(strcspn(table, "\n"), 60);
  }
  ck_assert_ptr_nonnull(strstr(result.out, "the 15 largest of 1,042 buffers; --all"));
  run_free(&result);
  result = CTL("plan", "--local", RESNET50, "--all");
  unsigned n_lines = 0;
  for (const char *c = result.out; *c != '\0'; c++) {
    n_lines += *c == '\n';
  }
  ck_assert_uint_ge(n_lines, 1042);
  run_free(&result);
}
END_TEST

START_TEST(interrupted) {
  /* A reader that never ends, so that the program is waiting whenever the signal comes. */
  char fifo[] = "/tmp/berth-fifo-XXXXXX";
  ck_assert_ptr_nonnull(mkdtemp(fifo));
  char path[64];
  snprintf(path, sizeof path, "%s/in", fifo);
  struct run_result made = run((const char *const[]){"mkfifo", path, NULL}, NULL, NULL);
  expect_status(&made, 0);
  FILE *held = fopen(path, "r+"); /* a writer that says nothing */
  ck_assert_ptr_nonnull(held);
  struct run_result result =
      run_and_signal((const char *const[]){BERTHCTL, "plan", "--local", path, NULL}, SIGINT, 300);
  expect_status(&result, 130);
  ck_assert_ptr_nonnull(strstr(result.err, "interrupted"));
  run_free(&result);
  run_free(&made);
  fclose(held);
  remove(path);
  rmdir(fifo);
}
END_TEST

static unsigned draw(uint32_t *state, unsigned below) {
  *state = *state * UINT32_C(1664525) + UINT32_C(1013904223);
  return (*state >> 8) % below;
}

/* A problem that keeps any search busy for minutes, in a file that the caller removes: a rectangle cut into
 * pieces, each a little smaller than it was, so that there is next to no room and no equal edges tell how
 * they belong together. */
static void make_endless(char *path) {
  enum { N = 1500 };
  static unsigned pieces[N][3] = {{0, 400, 10000000}}; /* lower, upper, size */
  uint32_t state = 1;
  for (unsigned n = 1; n < N;) {
    unsigned *piece = pieces[draw(&state, n)];
    unsigned life = piece[1] - piece[0];
    bool is_early = draw(&state, 2) == 0 && life > 1;
    if (!is_early && piece[2] < 2000) {
      continue;
    }
    memcpy(pieces[n], piece, sizeof pieces[n]);
    if (is_early) {
      piece[1] = pieces[n][0] = piece[0] + 1 + draw(&state, life - 1);
    } else {
      piece[2] = 1000 + draw(&state, piece[2] - 1999);
      pieces[n][2] -= piece[2];
    }
    n++;
  }
  int fd = mkstemp(path);
  ck_assert_int_ge(fd, 0);
  FILE *file = fdopen(fd, "w");
  ck_assert_ptr_nonnull(file);
  fputs("id,lower,upper,size\n", file);
  for (unsigned i = 0; i < N; i++) {
    unsigned size = pieces[i][2] - draw(&state, pieces[i][2] / 500);
    fprintf(file, "%u,%u,%u,%u\n", i, pieces[i][0], pieces[i][1], size);
  }
  ck_assert_int_eq(fclose(file), 0);
}

START_TEST(a_deadline_cuts_the_search_short) {
  char path[] = "/tmp/berth-endless-XXXXXX";
  make_endless(path);
  struct run_result result =
      CTL("plan", "--local", path, "--json", "--deadline", "0.4", "--budget", "1000000000000");
  expect_status(&result, 0);
  json_t *root = parse(&result);
  ck_assert_str_eq(json_string_value(json_object_get(root, "status")), "cut_short");
  double seconds = json_number_value(json_object_get(root, "solve_seconds"));
  ck_assert_msg(seconds >= 0.2 && seconds < 5, "%f", seconds);
  json_decref(root);
  run_free(&result);
  remove(path);
}
END_TEST

START_TEST(a_budget_ends_the_search_at_the_same_plan) {
  char path[] = "/tmp/berth-endless-XXXXXX";
  make_endless(path);
  struct run_result once = CTL("plan", "--local", path, "--csv", "-", "--budget", "30000000");
  struct run_result twice = CTL("plan", "--local", path, "--csv", "-", "--budget", "30000000");
  expect_status(&once, 0);
  ck_assert_str_eq(once.out, twice.out);
  run_free(&once);
  run_free(&twice);
  remove(path);
}
END_TEST

START_TEST(a_search_is_interrupted) {
  char path[] = "/tmp/berth-endless-XXXXXX";
  make_endless(path);
  struct run_result result = run_and_signal(
      (const char *const[]){BERTHCTL, "plan", "--local", path, "--budget", "1000000000000", NULL}, SIGINT,
      300);
  expect_status(&result, 130);
  ck_assert_str_eq(result.out, "");
  run_free(&result);
  remove(path);
}
END_TEST

START_TEST(progress_is_shown_on_a_terminal) {
  char path[] = "/tmp/berth-endless-XXXXXX";
  make_endless(path);
  char command[256];
  snprintf(command, sizeof command, "%s plan --local %s --deadline 1 --budget 1000000000000", BERTHCTL, path);
  struct run_result result =
      run((const char *const[]){"script", "-qec", command, "/dev/null", NULL}, NULL,
          (const char *const[]){"TERM=xterm", NULL});
  expect_status(&result, 0);
  const char *line = strstr(result.out, "\r\033[Kplanning, ");
  ck_assert_ptr_nonnull(line);
  ck_assert_ptr_nonnull(strstr(line, ", gap "));
  ck_assert_ptr_nonnull(strstr(line, "\r\033[K\033[1m")); /* gone before the summary */
  run_free(&result);
  remove(path);
}
END_TEST

START_TEST(nobody_listens) {
  struct run_result result = CTL("plan", "--server", "unix:/no/such.sock", EXAMPLE);
  expect_status(&result, 6);
  ck_assert_ptr_nonnull(strstr(result.err, "unix:/no/such.sock"));
  run_free(&result);
  result = CTL("server", "health", "--server", "unix:/no/such.sock");
  expect_status(&result, 6);
  run_free(&result);
  result = CTL("plan", "--server", "no address", EXAMPLE);
  expect_status(&result, 2);
  run_free(&result);
}
END_TEST

START_TEST(a_full_disk_is_noticed) {
  struct run_result result =
      run((const char *const[]){"sh", "-c", BERTHCTL " plan --local --json " RESNET50 " >/dev/full", NULL},
          NULL, NULL);
  expect_status(&result, 1);
  ck_assert_ptr_nonnull(strstr(result.err, "could not be written"));
  run_free(&result);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "client/local", (const TTest *const[]){
                          every_small_file_is_planned_within_its_bound,
                          standard_input_is_a_file,
                          offsets_beyond_32_bits,
                          zero_sizes_and_empty_problems,
                          errors_name_file_line_and_column,
                          usage_errors,
                          does_it_fit,
                          forms_agree,
                          wrong_plans_are_refused,
                          the_peak_is_explained,
                          no_colour_and_no_progress_off_a_terminal,
                          no_color_is_heard,
                          tables_fit_the_terminal,
                          interrupted,
                          a_deadline_cuts_the_search_short,
                          a_budget_ends_the_search_at_the_same_plan,
                          a_search_is_interrupted,
                          progress_is_shown_on_a_terminal,
                          nobody_listens,
                          a_full_disk_is_noticed,
                          NULL});
}
