/* Feeds every file of a folder to a fuzzer once: the kept corpus as a test in builds without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    perror(path);
    return -1;
  }
  long size = ftell(file);
  rewind(file);
  /* Exactly as large as the input, so that the sanitizers see a read past its end. */
  uint8_t *data = size > 0 ? malloc((size_t)size) : NULL;
  int failed = size < 0 || (size > 0 && (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size));
  if (failed) {
    fprintf(stderr, "%s: not read\n", path);
  } else {
    LLVMFuzzerTestOneInput(data, (size_t)size);
  }
  free(data);
  fclose(file);
  return failed ? -1 : 0;
}

int main(int argc, char **argv) {
  DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
  if (folder == NULL) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  unsigned n_files = 0;
  int status = 0;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char path[4096];
    if (entry->d_name[0] == '.') {
      continue;
    }
    snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
    status |= replay_file(path);
    n_files++;
  }
  closedir(folder);
  printf("%u inputs\n", n_files);
  return status != 0 || n_files == 0;
}
