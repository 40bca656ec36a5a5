/* Groups of buffers or values. */
#include "codec/feed.h"

static enum berth_code check(const struct feed *feed, size_t n_rows) {
  const Berth__V1__Problem *m = feed->message;
  const struct column columns[] = {{"group_member_end", m->n_group_member_end, EXACTLY}};
  enum berth_code code = feed_check_lengths(feed, "group_kind", m->n_group_kind, columns, 1);
  if (code == BERTH_OK) {
    code = feed_check_ends(
        feed, "group_member_end", m->n_group_member_end, m->group_member_end, "group_member",
        m->n_group_member);
  }
  for (size_t i = 0; code == BERTH_OK && i < m->n_group_member; i++) {
    if (m->group_member[i] >= n_rows) {
      return feed_refuse(
          feed, BERTH_REASON_UNKNOWN_ID, "group_member", i, "no buffer or value has this index");
    }
  }
  return code;
}

enum berth_code feed_groups(const struct feed *feed, size_t n_rows) {
  const Berth__V1__Problem *m = feed->message;
  enum berth_code code = check(feed, n_rows);
  for (size_t i = 0; code == BERTH_OK && i < m->n_group_kind; i++) {
    if (m->group_kind[i] != BERTH__V1__GROUP_KIND__GROUP_KIND_CONTIGUOUS &&
        m->group_kind[i] != BERTH__V1__GROUP_KIND__GROUP_KIND_SHARED) {
      return feed_refuse(
          feed, BERTH_REASON_BAD_NUMBER, "group_kind", i, "a group is contiguous or shared: 1 or 2");
    }
    uint32_t begin = i > 0 ? m->group_member_end[i - 1] : 0;
    const struct berth_group_spec spec = {
        .kind = m->group_kind[i] == BERTH__V1__GROUP_KIND__GROUP_KIND_SHARED ? BERTH_GROUP_SHARED
                                                                             : BERTH_GROUP_CONTIGUOUS,
        .members = m->group_member + begin,
        .n_members = m->group_member_end[i] - begin};
    code = berth_problem_builder_add_group(feed->builder, &spec, feed->err);
    code = code == BERTH_OK ? code : feed_blame(feed, code);
  }
  return code;
}
