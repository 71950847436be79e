/* The witness's commands for tests that want each step: time stands still, and everything happens when they say so.
     rx HEX       bytes arrive; answers with what the device says, in hexadecimal, or -
     tick N       N device ticks pass
     seal HEX     the frame of a body · unseal HEX: the body of a frame without its delimiter, or -
     fresh        the reference board, booted for the first time */
#ifndef HIL_STEPS_H
#define HIL_STEPS_H

#include "text.h"
#include "witness.h"

/* 0 when it is none of these. */
int steps_obey(struct hil_witness *witness, const struct hil_word *words, size_t count, struct hil_out *out);

#endif
