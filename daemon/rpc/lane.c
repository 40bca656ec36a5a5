/* One thread and a list. */
#include <stdlib.h>

#include "rpc/internal.h"

struct lane {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct call *first;
  struct call **last;
  bool closing;
};

static void *serve(void *arg) {
  struct lane *lane = arg;
  pthread_mutex_lock(&lane->lock);
  for (;;) {
    while (lane->first == NULL && !lane->closing) {
      pthread_cond_wait(&lane->changed, &lane->lock);
    }
    struct call *call = lane->first;
    if (call == NULL) {
      break;
    }
    lane->first = call->next_in_lane;
    if (lane->first == NULL) {
      lane->last = &lane->first;
    }
    pthread_mutex_unlock(&lane->lock);
    call->method->start(call);
    pthread_mutex_lock(&lane->lock);
  }
  pthread_mutex_unlock(&lane->lock);
  return NULL;
}

struct lane *lane_create(void) {
  struct lane *lane = calloc(1, sizeof *lane);
  if (lane == NULL) {
    return NULL;
  }
  lane->last = &lane->first;
  pthread_mutex_init(&lane->lock, NULL);
  pthread_cond_init(&lane->changed, NULL);
  if (pthread_create(&lane->thread, NULL, serve, lane) != 0) {
    pthread_cond_destroy(&lane->changed);
    pthread_mutex_destroy(&lane->lock);
    free(lane);
    return NULL;
  }
  return lane;
}

void lane_push(struct lane *lane, struct call *call) {
  call->heavy = true;
  call->next_in_lane = NULL;
  pthread_mutex_lock(&lane->lock);
  *lane->last = call;
  lane->last = &call->next_in_lane;
  pthread_cond_signal(&lane->changed);
  pthread_mutex_unlock(&lane->lock);
}

void lane_destroy(struct lane *lane) {
  if (lane == NULL) {
    return;
  }
  pthread_mutex_lock(&lane->lock);
  lane->closing = true;
  pthread_cond_signal(&lane->changed);
  pthread_mutex_unlock(&lane->lock);
  pthread_join(lane->thread, NULL);
  pthread_cond_destroy(&lane->changed);
  pthread_mutex_destroy(&lane->lock);
  free(lane);
}
