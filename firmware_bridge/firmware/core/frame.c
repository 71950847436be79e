#include "frame.h"

uint32_t hil_crc32(const uint8_t *bytes, size_t count) {
    static const uint32_t nibble[16] = {
        0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u, 0x4DB26158u, 0x5005713Cu,
        0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu, 0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu};
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        crc = (crc >> 4) ^ nibble[crc & 15u];
        crc = (crc >> 4) ^ nibble[crc & 15u];
    }
    return ~crc;
}

/* The check's byte i. */
static uint8_t septet(uint32_t crc, size_t i) { return (uint8_t)(0x80u | (crc >> (7 * i) & 0x7Fu)); }

size_t hil_seal(const uint8_t *body, size_t count, uint8_t *frame) {
    size_t code_at = 0, length = 1;
    uint8_t code = 1;
    for (size_t i = 0; i < count; i++) {
        if (body[i] != 0) {
            frame[length++] = body[i];
            code++;
        } else {
            frame[code_at] = code;
            code_at = length++;
            code = 1;
        }
    }
    frame[code_at] = code;
    uint32_t crc = hil_crc32(frame, length);
    for (size_t i = 0; i < HIL_CHECK; i++) {
        frame[length++] = septet(crc, i);
    }
    frame[length++] = 0;
    return length;
}

size_t hil_unseal(uint8_t *frame, size_t count) {
    if (count < HIL_CHECK + 2 || count > HIL_MOST_FRAME - 1) {
        return 0;
    }
    count -= HIL_CHECK;
    uint32_t crc = hil_crc32(frame, count);
    for (size_t i = 0; i < HIL_CHECK; i++) {
        if (frame[count + i] != septet(crc, i)) {
            return 0;
        }
    }
    size_t at = 0, length = 0;
    while (at < count) {
        uint8_t code = frame[at++];
        if (code == 0 || (size_t)(code - 1) > count - at) {
            return 0;
        }
        for (uint8_t i = 1; i < code; i++) {
            if (frame[at] == 0) {
                return 0;
            }
            frame[length++] = frame[at++];
        }
        if (at < count) {
            frame[length++] = 0;
        }
    }
    return length;
}
