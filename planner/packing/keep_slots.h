/* The same of a pool of whole slots: who shares a slot with whom is kept with its place. */
#ifndef PACKING_KEEP_SLOTS_H
#define PACKING_KEEP_SLOTS_H

#include "packing/keep.h"

/* Who may stay: of those that were at one offset the most that are never live together, and none that reaches
 * into the slot above; stays[i] for each item. False if memory ran out. Slots of pins are left to pins. */
bool berth_keep_slots(const struct berth_keep *keep, uint8_t *stays);

#endif
