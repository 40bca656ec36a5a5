#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "metrics/store.h"

/* Fields of /proc/self/stat, counted from 3 after the closing parenthesis of the name. */
enum { STAT_N_THREADS = 20, STAT_START = 22, STAT_VIRTUAL = 23, STAT_RESIDENT = 24 };

static void read_stat(struct berthd_process_figures *figures, double *out_start_ticks) {
  char text[1024];
  FILE *file = fopen("/proc/self/stat", "re");
  if (file == NULL) {
    return;
  }
  size_t n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[n] = '\0';
  char *at = strrchr(text, ')');
  if (at == NULL) {
    return;
  }
  char *rest = NULL;
  int field = 3;
  for (char *word = strtok_r(at + 1, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest), field++) {
    double value = 0;
    if (sscanf(word, "%lf", &value) != 1) {
      continue;
    }
    if (field == STAT_N_THREADS) {
      figures->n_threads = value;
    } else if (field == STAT_START) {
      *out_start_ticks = value;
    } else if (field == STAT_VIRTUAL) {
      figures->virtual_bytes = value;
    } else if (field == STAT_RESIDENT) {
      figures->resident_bytes = value * (double)sysconf(_SC_PAGESIZE);
    }
  }
}

static double count_open_fds(void) {
  DIR *dir = opendir("/proc/self/fd");
  if (dir == NULL) {
    return 0;
  }
  double n = -1; /* the directory itself is one */
  const struct dirent *entry;
  while ((entry = readdir(dir)) != NULL) {
    n += entry->d_name[0] != '.';
  }
  closedir(dir);
  return n;
}

static double seconds_of(clockid_t clock) {
  struct timespec t = {0};
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void berthd_process_read(struct berthd_process_figures *out_figures) {
  *out_figures = (struct berthd_process_figures){0};
  double start_ticks = 0;
  read_stat(out_figures, &start_ticks);
  out_figures->cpu_seconds = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  out_figures->start_seconds =
      seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_BOOTTIME) + start_ticks / (double)sysconf(_SC_CLK_TCK);
  out_figures->n_open_fds = count_open_fds();
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    out_figures->max_fds = (double)limit.rlim_cur;
  }
}
