/* The second line of a board: tells what the device does, holds sensors, and spoils the first line. No heap, no C library.

   One command a line, one answer a line; numbers are counts, as on the wire.
     ?                     all that the device is, as name=value
     set SENSOR VALUE      holds a sensor there (a name in ../core/sensors.h)
     free                  sensors follow the plant again
     board SETTING VALUE   what IDENTITY tells: safe, inputs, null, tick_hz, shortest_us, longest_us, end_low, end_high, build
     line FAULT VALUE      mute: says nothing · deaf: hears nothing · flip: bit VALUE-1 of the next answer · cut: its first VALUE
                           bytes only · twice: every answer two times · babble: VALUE bytes of noise · still: time stands still
                           hung: 1 neither ticks nor hears, 2 its main loop stops, 3 its tick stops
     reboot                a new boot id, nothing armed
     watchdog              the same, as after a reset by the hardware watchdog
   steps.h adds those that go step by step. */
#ifndef HIL_WITNESS_H
#define HIL_WITNESS_H

#include "../core/device.h"

#define WITNESS_ROOM 2048 /* for any answer */

enum { W_MUTE, W_DEAF, W_HUNG, W_FLIP, W_CUT, W_TWICE, W_BABBLE, W_STILL, W_FAULTS };
enum { HUNG_ALL = 1, HUNG_LOOP, HUNG_TICK };

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

/* The same, for the first time; whether time stands still stays. */
void witness_fresh(struct hil_witness *witness);

/* Obeys one line; writes the answer with its newline. Returns the answer's length. */
size_t witness_obey(struct hil_witness *witness, const char *text, char *answer, size_t room);

/* Puts held sensors over what the plant says. */
void witness_hold(struct hil_witness *witness);

/* The answer that waits, as the line's faults leave it; `bytes` holds two frames. Returns how many bytes. */
size_t witness_reply(struct hil_witness *witness, uint8_t *bytes);

/* Noise for the line, some of it each tick: how many bytes. */
size_t witness_babble(struct hil_witness *witness, uint8_t *bytes, size_t room);

#endif
