#include "options/table.h"

const struct berthctl_verb_row BERTHCTL_VERB_ROWS[BERTHCTL_N_VERBS] = {
#define X(name, word, arguments, least, most, summary, description)                                          \
  {word, arguments, least, most, summary, description},
    BERTHCTL_VERBS(X)
#undef X
};

const struct berthctl_option_row BERTHCTL_OPTION_ROWS[BERTHCTL_N_OPTIONS] = {
#define X(name, word, letter, kind, value, verbs, environment, text)                                         \
  {word, letter, BERTHCTL_KIND_##kind, value, verbs, environment, text},
    BERTHCTL_OPTIONS(X)
#undef X
};
