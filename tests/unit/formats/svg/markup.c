#include "markup.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 16, MAX_NAME = 16 };

struct reader {
  const char *at;
  double limit;
  char open[MAX_DEPTH][MAX_NAME];
  unsigned depth;
  struct markup_count *count;
  const char *wrong;
};

static bool fail(struct reader *reader, const char *wrong) {
  reader->wrong = wrong;
  return false;
}

static bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == ':';
}

static bool read_name(struct reader *reader, char *name) {
  size_t n = 0;
  while (is_name(reader->at[n])) {
    n++;
  }
  if (n == 0 || n >= MAX_NAME) {
    return fail(reader, "a name");
  }
  memcpy(name, reader->at, n);
  name[n] = '\0';
  reader->at += n;
  return true;
}

static bool is_entity(const char *at) {
  static const char *const ENTITIES[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
  for (unsigned i = 0; i < sizeof ENTITIES / sizeof ENTITIES[0]; i++) {
    if (strncmp(at, ENTITIES[i], strlen(ENTITIES[i])) == 0) {
      return true;
    }
  }
  return false;
}

/* Text up to `stop`: no markup, no control characters, and every & begins an entity. */
static bool read_text(struct reader *reader, char stop) {
  for (; *reader->at != stop; reader->at++) {
    unsigned char c = (unsigned char)*reader->at;
    if (c == '\0' || c == '<' || (c < 0x20 && c != '\n')) {
      return fail(reader, "text");
    }
    if (c == '&' && !is_entity(reader->at)) {
      return fail(reader, "an entity");
    }
  }
  return true;
}

static bool is_length(const char *name) {
  static const char *const NAMES[] = {"x", "y", "x1", "x2", "y1", "y2", "width", "height"};
  for (unsigned i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
    if (strcmp(NAMES[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static bool read_attribute(struct reader *reader) {
  char name[MAX_NAME];
  if (!read_name(reader, name)) {
    return false;
  }
  if (strncmp(reader->at, "=\"", 2) != 0) {
    return fail(reader, "an attribute");
  }
  reader->at += 2;
  const char *value = reader->at;
  if (!read_text(reader, '"')) {
    return false;
  }
  if (is_length(name)) {
    char *end;
    double n = strtod(value, &end);
    if (end != reader->at || !(n >= 0 && n <= reader->limit)) {
      return fail(reader, "a length outside the canvas");
    }
  }
  reader->at++;
  return true;
}

static bool read_element(struct reader *reader) {
  char name[MAX_NAME];
  if (!read_name(reader, name)) {
    return false;
  }
  reader->count->n_elements++;
  reader->count->n_rects += strcmp(name, "rect") == 0;
  reader->count->n_titles += strcmp(name, "title") == 0;
  while (*reader->at == ' ') {
    reader->at++;
    if (!read_attribute(reader)) {
      return false;
    }
  }
  if (strncmp(reader->at, "/>", 2) == 0) {
    reader->at += 2;
    return true;
  }
  if (*reader->at++ != '>' || reader->depth == MAX_DEPTH) {
    return fail(reader, "a tag");
  }
  memcpy(reader->open[reader->depth++], name, sizeof name);
  return true;
}

static bool close_element(struct reader *reader) {
  char name[MAX_NAME];
  if (!read_name(reader, name)) {
    return false;
  }
  if (reader->depth == 0 || strcmp(reader->open[--reader->depth], name) != 0 || *reader->at++ != '>') {
    return fail(reader, "an end tag");
  }
  return true;
}

const char *markup_check(const char *text, double limit, struct markup_count *out_count) {
  *out_count = (struct markup_count){.n_elements = 0};
  struct reader reader = {.at = text, .limit = limit, .count = out_count};
  while (*reader.at != '\0') {
    bool ok;
    if (strncmp(reader.at, "</", 2) == 0) {
      reader.at += 2;
      ok = close_element(&reader);
    } else if (*reader.at == '<') {
      reader.at++;
      ok = read_element(&reader);
    } else if (strchr(reader.at, '<') == NULL) {
      break;
    } else {
      ok = read_text(&reader, '<');
    }
    if (!ok) {
      return reader.wrong;
    }
  }
  bool is_end = strspn(reader.at, "\n") == strlen(reader.at);
  return reader.depth == 0 && is_end && out_count->n_elements != 0 ? NULL : "the end";
}
