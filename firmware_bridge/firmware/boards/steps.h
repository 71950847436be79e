/* The second line of a board: the witness's commands (witness.h), and those for tests that go step by step while the
   board's own time stands still.
     rx HEX       bytes arrive; answers with what the device says, in hexadecimal, or -
     tick N       N device ticks pass
     seal HEX     the frame of a body · unseal HEX: the body of a frame without its delimiter, or -
     fresh        the reference board, booted for the first time */
#ifndef HIL_STEPS_H
#define HIL_STEPS_H

#include "witness.h"

/* Obeys one line of either kind; writes the answer with its newline. Returns the answer's length. */
size_t steps_obey(struct hil_witness *witness, const char *text, char *answer, size_t room);

#endif
