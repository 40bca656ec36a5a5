#include "run.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "suite.h"

enum { MAX_ENVIRONMENT = 8, N_SANITIZERS = 3 };

/* The program under a sanitizer is to be judged as the test is. */
static unsigned pass_sanitizer_options(char (*texts)[4096], const char **out_variables) {
  static const char *const NAMES[N_SANITIZERS] = {"ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"};
  unsigned n = 0;
  for (unsigned i = 0; i < N_SANITIZERS; i++) {
    const char *value = getenv(NAMES[i]);
    if (value != NULL) {
      snprintf(texts[n], sizeof texts[n], "%s=%s", NAMES[i], value);
      out_variables[n] = texts[n];
      n++;
    }
  }
  return n;
}

static char *read_all(FILE *file) {
  ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
  long n = ftell(file);
  ck_assert_int_ge(n, 0);
  rewind(file);
  char *text = malloc((size_t)n + 1);
  ck_assert_ptr_nonnull(text);
  ck_assert_uint_eq(fread(text, 1, (size_t)n, file), (size_t)n);
  text[n] = '\0';
  fclose(file);
  return text;
}

struct started {
  pid_t pid;
  FILE *out;
  FILE *err;
};

static struct started start(const char *const *words, const char *input, const char *const *environment) {
  struct started started = {.out = tmpfile(), .err = tmpfile()};
  FILE *in = tmpfile();
  ck_assert(started.out != NULL && started.err != NULL && in != NULL);
  fputs(input != NULL ? input : "", in);
  fflush(in);
  ck_assert_int_eq(lseek(fileno(in), 0, SEEK_SET), 0);
  posix_spawn_file_actions_t actions;
  ck_assert_int_eq(posix_spawn_file_actions_init(&actions), 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(in), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(started.out), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(started.err), STDERR_FILENO);
  char path[4096];
  const char *search = getenv("PATH");
  snprintf(path, sizeof path, "PATH=%s", search != NULL ? search : "/usr/bin:/bin");
  const char *variables[MAX_ENVIRONMENT + N_SANITIZERS + 2] = {path};
  char options[N_SANITIZERS][4096];
  unsigned n_variables = 1 + pass_sanitizer_options(options, variables + 1);
  for (unsigned i = 0; environment != NULL && i < MAX_ENVIRONMENT && environment[i] != NULL; i++) {
    variables[n_variables++] = environment[i];
  }
  union { /* posix_spawn takes words that may be written, and does not write them */
    const char *const *constant;
    char *const *writable;
  } argv = {.constant = words}, envp = {.constant = variables};
  int failed = posix_spawnp(&started.pid, words[0], &actions, NULL, argv.writable, envp.writable);
  ck_assert_msg(failed == 0, "%s: %s", words[0], strerror(failed));
  posix_spawn_file_actions_destroy(&actions);
  fclose(in);
  return started;
}

static struct run_result await(struct started *started) {
  int status;
  ck_assert_int_eq(waitpid(started->pid, &status, 0), started->pid);
  return (struct run_result){
      .status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
      .out = read_all(started->out),
      .err = read_all(started->err)};
}

struct run_result run(const char *const *words, const char *input, const char *const *environment) {
  struct started started = start(words, input, environment);
  return await(&started);
}

struct run_result run_and_signal(const char *const *words, int number, unsigned after_ms) {
  struct started started = start(words, NULL, NULL);
  struct timespec pause = {.tv_sec = after_ms / 1000, .tv_nsec = (long)(after_ms % 1000) * 1000000};
  nanosleep(&pause, NULL);
  kill(started.pid, number);
  return await(&started);
}

void run_free(struct run_result *result) {
  free(result->out);
  free(result->err);
}
