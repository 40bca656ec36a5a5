#include "system/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum berth_code fail_system(struct berth_error *err) {
  return berth_fail(
      err, BERTH_INTERNAL, BERTH_REASON_INTERNAL, BERTH_NO_INDEX, NULL, "cannot be written: %s",
      strerror(errno));
}

static bool write_bytes(void *ctx, const char *bytes, size_t n_bytes) {
  return fwrite(bytes, 1, n_bytes, ctx) == n_bytes;
}

struct berth_sink berthctl_outfile_sink(struct berthctl_outfile *file) {
  return (struct berth_sink){.ctx = file->file, .write = write_bytes};
}

enum berth_code
berthctl_outfile_open(const char *path, struct berthctl_outfile *out_file, struct berth_error *err) {
  *out_file = (struct berthctl_outfile){.file = stdout, .path = path};
  if (strcmp(path, "-") == 0) {
    return BERTH_OK;
  }
  struct stat info;
  bool is_plain = lstat(path, &info) != 0 || S_ISREG(info.st_mode);
  if (is_plain) {
    size_t n = strlen(path) + sizeof ".part";
    out_file->part = malloc(n);
    if (out_file->part == NULL) {
      return berth_fail_memory(err);
    }
    snprintf(out_file->part, n, "%s.part", path);
  }
  out_file->file = fopen(is_plain ? out_file->part : path, "wb");
  if (out_file->file == NULL) {
    enum berth_code code = fail_system(err);
    free(out_file->part);
    out_file->part = NULL;
    return code;
  }
  return BERTH_OK;
}

enum berth_code
berthctl_outfile_close(struct berthctl_outfile *file, bool is_whole, struct berth_error *err) {
  enum berth_code code = BERTH_OK;
  if (file->file == stdout) {
    return fflush(stdout) == 0 || !is_whole ? BERTH_OK : fail_system(err);
  }
  if (fclose(file->file) != 0 && is_whole) {
    code = fail_system(err);
  }
  if (file->part != NULL) {
    if (!is_whole || code != BERTH_OK) {
      remove(file->part);
    } else if (rename(file->part, file->path) != 0) {
      code = fail_system(err);
      remove(file->part);
    }
    free(file->part);
  }
  *file = (struct berthctl_outfile){.file = NULL};
  return code;
}
