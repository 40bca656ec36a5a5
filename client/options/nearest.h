/* "Is it --deadline?": the known word nearest to one that is not known. */
#ifndef OPTIONS_NEAREST_H
#define OPTIONS_NEAREST_H

#include <stddef.h>

/* NULL if nothing is near. */
const char *berthctl_nearest_verb(const char *word);
const char *berthctl_nearest_option(const char *word, size_t n);

#endif
