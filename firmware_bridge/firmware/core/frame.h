/* Frames: COBS, check, delimiter. firmware_bridge/PROTOCOL.md. No heap, no C library. */
#ifndef HIL_FRAME_H
#define HIL_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define HIL_CHECK 5u                                  /* bytes, seven bits of the CRC in each, the eighth set */
#define HIL_MOST_BODY 91u                             /* below 254, so that COBS adds one byte */
#define HIL_MOST_FRAME (HIL_MOST_BODY + HIL_CHECK + 2u) /* with COBS's first code and the delimiter */

uint32_t hil_crc32(const uint8_t *bytes, size_t count);

/* Writes the frame of a body of `count` bytes; its length. */
size_t hil_seal(const uint8_t *body, size_t count, uint8_t *frame);

/* Takes a frame, without its delimiter, apart in place: the body's length, 0 when it is refused. */
size_t hil_unseal(uint8_t *frame, size_t count);

#endif
