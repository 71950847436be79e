/* Frames: COBS, CRC-32, delimiter. firmware_bridge/PROTOCOL.md. No heap, no C library. */
#ifndef HIL_FRAME_H
#define HIL_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define HIL_MOST_BODY 96u                     /* with its checksum; below 254, so that COBS adds one byte */
#define HIL_MOST_FRAME (HIL_MOST_BODY + 2u)   /* with COBS's first code and the delimiter */

uint32_t hil_crc32(const uint8_t *bytes, size_t count);

/* Appends the checksum to a body of `count` bytes (four more must be free) and writes the frame; its length. */
size_t hil_seal(uint8_t *body, size_t count, uint8_t *frame);

/* Takes a frame, without its delimiter, apart in place: the body's length without checksum, 0 when it is refused. */
size_t hil_unseal(uint8_t *frame, size_t count);

#endif
