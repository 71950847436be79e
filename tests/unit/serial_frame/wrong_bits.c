/* How many of a frame's neighbours the core takes for frames: `wrong_bits FRAME BITS STRIDE`, the frame in hexadecimal.
   Every choice of BITS positions, delimiter included, or every STRIDE-th. Prints how many were tried, and accepted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"

static uint8_t line[HIL_MOST_FRAME + 1];
static size_t length;
static unsigned long stride, seen, tried, accepted;

/* The line is ended by a delimiter, whatever has become of the frame's own; any piece of it may be a frame. */
static void receive(void) {
    uint8_t piece[sizeof line];
    size_t first = 0;
    for (size_t at = 0; at <= length; at++) {
        if (line[at] == 0) {
            memcpy(piece, line + first, at - first);
            accepted += hil_unseal(piece, at - first) > 0;
            first = at + 1;
        }
    }
}

static void flip(size_t from, unsigned bits) {
    if (bits == 0) {
        if (seen++ % stride == 0) {
            tried++;
            receive();
        }
        return;
    }
    for (size_t bit = from; bit < 8 * length; bit++) {
        line[bit / 8] ^= (uint8_t)(1u << bit % 8);
        flip(bit + 1, bits - 1);
        line[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

int main(int count, char **words) {
    unsigned byte;
    if (count != 4) return 2;
    while (length < HIL_MOST_FRAME && sscanf(words[1] + 2 * length, "%2x", &byte) == 1) line[length++] = (uint8_t)byte;
    stride = strtoul(words[3], NULL, 10);
    flip(0, (unsigned)strtoul(words[2], NULL, 10));
    printf("%lu %lu\n", tried, accepted);
    return 0;
}
