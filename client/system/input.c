#include "system/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/interrupt.h"

enum { FIRST_CAPACITY = 64 * 1024 };

static enum berth_code fail_limit(struct berth_error *err) {
  return berth_fail(
      err, BERTH_RESOURCE_EXHAUSTED, BERTH_REASON_LIMIT_EXCEEDED, BERTH_NO_INDEX, NULL,
      "is larger than the %zu GiB that are read at most", BERTHCTL_MAX_INPUT_BYTES >> 30);
}

static enum berth_code fail_system(struct berth_error *err, const char *what) {
  int number = errno;
  return berth_fail(
      err, number == ENOENT ? BERTH_NOT_FOUND : BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED,
      BERTH_NO_INDEX, NULL, "%s: %s", what, strerror(number));
}

static enum berth_code grow(struct berthctl_input *input, size_t *capacity, struct berth_error *err) {
  if (*capacity >= BERTHCTL_MAX_INPUT_BYTES) {
    return fail_limit(err);
  }
  size_t wanted = *capacity < FIRST_CAPACITY ? FIRST_CAPACITY : *capacity * 2;
  wanted = wanted > BERTHCTL_MAX_INPUT_BYTES ? BERTHCTL_MAX_INPUT_BYTES : wanted;
  char *bytes = realloc(input->bytes, wanted);
  if (bytes == NULL) {
    return berth_fail_memory(err);
  }
  input->bytes = bytes;
  *capacity = wanted;
  return BERTH_OK;
}

static enum berth_code
read_all(int fd, size_t expected, struct berthctl_input *input, struct berth_error *err) {
  size_t capacity = 0;
  if (expected != 0 && expected < BERTHCTL_MAX_INPUT_BYTES) {
    capacity = expected + 1; /* room to see the end in one read more */
    input->bytes = malloc(capacity);
    if (input->bytes == NULL) {
      return berth_fail_memory(err);
    }
  }
  for (;;) {
    if (input->n_bytes == capacity) {
      enum berth_code code = grow(input, &capacity, err);
      if (code != BERTH_OK) {
        return code;
      }
    }
    ssize_t n = read(fd, input->bytes + input->n_bytes, capacity - input->n_bytes);
    if (n == 0) {
      return BERTH_OK;
    }
    if (n > 0) {
      input->n_bytes += (size_t)n;
    } else if (errno != EINTR) {
      return fail_system(err, "cannot be read");
    } else if (berthctl_interrupted()) {
      return berth_fail(err, BERTH_CANCELLED, BERTH_REASON_CANCELLED, BERTH_NO_INDEX, NULL, "interrupted");
    }
  }
}

enum berth_code
berthctl_input_read(const char *path, struct berthctl_input *out_input, struct berth_error *err) {
  *out_input = (struct berthctl_input){.n_bytes = 0};
  int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return fail_system(err, "cannot be opened");
  }
  struct stat info = {.st_size = 0};
  size_t expected = 0;
  enum berth_code code = BERTH_OK;
  if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
    code = berth_fail(
        err, BERTH_INVALID_ARGUMENT, BERTH_REASON_MALFORMED, BERTH_NO_INDEX, NULL,
        "is a folder; a file is right");
  } else if (S_ISREG(info.st_mode) && info.st_size > 0) {
    expected = (size_t)info.st_size;
  }
  if (code == BERTH_OK) {
    code = expected > BERTHCTL_MAX_INPUT_BYTES ? fail_limit(err) : read_all(fd, expected, out_input, err);
  }
  if (fd != STDIN_FILENO) {
    close(fd);
  }
  if (code != BERTH_OK) {
    berthctl_input_finish(out_input);
  }
  return code;
}

void berthctl_input_finish(struct berthctl_input *input) {
  free(input->bytes);
  *input = (struct berthctl_input){.n_bytes = 0};
}
