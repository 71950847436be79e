/* The second line of a board on a PC: tells what the device does, holds sensors, and spoils the line.

   One command a line, one answer a line; numbers are counts, as on the wire.
     ?                     all that the device is, as name=value
     set SENSOR VALUE      holds a sensor there (displacement … oil_filter)
     free                  sensors follow the plant again
     board SETTING VALUE   what IDENTITY tells: safe, inputs, null, tick_hz, shortest_us, longest_us, end_low, end_high, build
     line FAULT VALUE      mute: says nothing · deaf: hears nothing · hung: neither ticks nor hears · flip: bit VALUE-1 of the next
                           answer · cut: its first VALUE bytes only · twice: every answer two times · babble: VALUE bytes of noise
     reboot                a new boot id, nothing armed */
#ifndef HIL_WITNESS_H
#define HIL_WITNESS_H

#include "../core/device.h"

enum { W_MUTE, W_DEAF, W_HUNG, W_FLIP, W_CUT, W_TWICE, W_BABBLE, W_FAULTS };

struct hil_witness {
    struct hil_board board;
    struct hil_device device;
    struct hil_inputs inputs;            /* what the device sees next */
    int32_t held[HIL_SENSORS + HIL_INPUTS];
    uint8_t is_held[HIL_SENSORS + HIL_INPUTS];
    uint32_t line[W_FAULTS];
};

/* The reference board, booted. */
void witness_boot(struct hil_witness *witness, uint32_t boot);

/* Obeys one line; writes the answer with its newline. Returns the answer's length. */
size_t witness_obey(struct hil_witness *witness, const char *text, char *answer, size_t room);

/* Puts held sensors over what the plant says. */
void witness_hold(struct hil_witness *witness);

/* The answer that waits, as the line's faults leave it; `bytes` holds two frames. Returns how many bytes. */
size_t witness_reply(struct hil_witness *witness, uint8_t *bytes);

#endif
