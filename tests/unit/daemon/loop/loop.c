/* Posts, timers and signals. */
#include "loop/loop.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "loop/internal.h"
#include "suite.h"

struct seen {
  struct berthd_loop *loop;
  struct berthd_timer *timer;
  atomic_int n_posts;
  atomic_int n_terminates;
  atomic_int n_reloads;
  atomic_int n_times;
  int order[8];
};

static void on_terminate(void *ctx) {
  struct seen *seen = ctx;
  seen->n_terminates++;
  berthd_loop_stop(seen->loop);
}

static void on_reload(void *ctx) {
  struct seen *seen = ctx;
  seen->n_reloads++;
  raise(SIGTERM);
}

static void start(struct seen *seen) {
  struct berth_error err;
  memset(seen, 0, sizeof *seen);
  const struct berthd_loop_config config = {
      .max_connections = 1,
      .handshake_ns = 1000000000,
      .ctx = seen,
      .on_terminate = on_terminate,
      .on_reload = on_reload};
  berthd_loop_block_signals();
  ck_assert_int_eq(berthd_loop_create(&config, &seen->loop, &err), BERTH_OK);
}

enum { N_POSTS = 10000 };

static void count(void *ctx) {
  struct seen *seen = ctx;
  if (++seen->n_posts == 2 * N_POSTS) {
    berthd_loop_stop(seen->loop);
  }
}

static void *post_many(void *ctx) {
  struct seen *seen = ctx;
  for (int i = 0; i < N_POSTS; i++) {
    ck_assert(berthd_loop_post(seen->loop, seen, count));
  }
  return NULL;
}

START_TEST(test_posts_from_threads) {
  struct seen seen;
  pthread_t threads[2];
  start(&seen);
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(pthread_create(&threads[i], NULL, post_many, &seen), 0);
  }
  berthd_loop_run(seen.loop);
  ck_assert_int_eq(seen.n_posts, 2 * N_POSTS);
  for (int i = 0; i < 2; i++) {
    pthread_join(threads[i], NULL);
  }
  ck_assert(berthd_loop_post(seen.loop, &seen, count)); /* nobody runs it; it is freed */
  berthd_loop_destroy(seen.loop);
}
END_TEST

static void put(struct seen *seen, int what) {
  seen->order[seen->n_posts++] = what;
}

static void put_one(void *ctx) {
  put(ctx, 1);
}

static void put_two(void *ctx) {
  put(ctx, 2);
  berthd_loop_stop(((struct seen *)ctx)->loop);
}

START_TEST(test_posts_keep_their_order) {
  struct seen seen;
  start(&seen);
  berthd_loop_post(seen.loop, &seen, put_one);
  berthd_loop_post(seen.loop, &seen, put_one);
  berthd_loop_post(seen.loop, &seen, put_two);
  berthd_loop_run(seen.loop);
  ck_assert_int_eq(seen.order[0] * 100 + seen.order[1] * 10 + seen.order[2], 112);
  berthd_loop_destroy(seen.loop);
}
END_TEST

START_TEST(test_signals) {
  struct seen seen;
  start(&seen);
  raise(SIGHUP); /* waits until the loop runs */
  ck_assert_int_eq(seen.n_reloads, 0);
  berthd_loop_run(seen.loop);
  ck_assert_int_eq(seen.n_reloads, 1);
  ck_assert_int_eq(seen.n_terminates, 1);
  berthd_loop_destroy(seen.loop);
}
END_TEST

static void on_time(void *ctx) {
  struct seen *seen = ctx;
  if (++seen->n_times == 3) {
    berthd_loop_stop(seen->loop);
  } else {
    berthd_timer_set(seen->timer, loop_now_ns() + 10000000);
  }
}

static void never(void *ctx) {
  (void)ctx;
  ck_abort_msg("a timer that was stopped");
}

START_TEST(test_timers) {
  struct seen seen;
  start(&seen);
  seen.timer = berthd_timer_create(seen.loop, &seen, on_time);
  struct berthd_timer *stopped = berthd_timer_create(seen.loop, &seen, never);
  int64_t begin = loop_now_ns();
  berthd_timer_set(seen.timer, begin + INT64_C(3600) * 1000000000);
  berthd_timer_set(seen.timer, begin + 20000000); /* replaces */
  berthd_timer_set(stopped, begin + 1000000);
  berthd_timer_stop(stopped);
  berthd_loop_run(seen.loop);
  ck_assert_int_eq(seen.n_times, 3);
  ck_assert_int_ge(loop_now_ns() - begin, 40000000);
  berthd_loop_destroy(seen.loop);
}
END_TEST

int main(void) {
  return berth_suite_run(
      "daemon/loop/loop",
      (const TTest *const[]){
          test_posts_from_threads, test_posts_keep_their_order, test_signals, test_timers, NULL});
}
