/* The device side of firmware_bridge/PROTOCOL.md: what an amplifier does with commands, and without them.

   A board calls hil_receive with every byte from the line, hil_tick once a device tick, and sends what hil_reply gives it.
   The three must not interrupt each other. No heap, no C library, no floating point. */
#ifndef HIL_DEVICE_H
#define HIL_DEVICE_H

#include "frame.h"
#include "sensors.h"

#define HIL_ONE (1 << 30)       /* full opening */
#define HIL_SHORTEST_US 1000u   /* bounds of every time-to-live, whatever a board says */
#define HIL_LONGEST_US 100000u

enum hil_state { HIL_IDLE, HIL_READY, HIL_ARMED, HIL_RUNNING, HIL_TRIPPED };
enum hil_trip { HIL_NONE, HIL_TIME_TO_LIVE, HIL_END_STOP, HIL_EMERGENCY_STOP, HIL_SENSOR, HIL_WATCHDOG };
enum hil_safe { HIL_NULL, HIL_HOLD, HIL_DUMP };
enum hil_type { /* any two differ in four bits */
    HIL_HELLO = 0x0F, HIL_ARM = 0x33, HIL_CYCLIC = 0x3C, HIL_DISARM = 0x55, HIL_RESET = 0x5A, HIL_FAULT = 0x66,
    HIL_ANSWER = 0x80
};
enum hil_fault { HIL_NO_SESSION = 1, HIL_BUSY, HIL_TTL_BOUNDS, HIL_WRONG_STATE, HIL_CAUSE_PRESENT, HIL_OTHER_BOOT };

struct hil_scale { uint16_t mantissa; int8_t exponent; };

/* What a board is; constant. */
struct hil_board {
    uint32_t build, tick_hz /* at most 40 000 */, shortest_us, longest_us;
    uint32_t slew_per_s;             /* of the safe action, thousandths of full opening */
    int32_t null;                    /* Q1.30, less than full opening */
    int32_t end_low, end_high;       /* counts of displacement */
    int32_t end_margin;              /* how far beyond an end a table may move on that was found there */
    int32_t sense_low, sense_high;   /* what the displacement sensor can say */
    uint8_t safe;
    uint8_t inputs;                  /* bit k: it has the k-th of HIL_INPUT */
    struct hil_scale scales[HIL_SENSORS];
};

/* Of the inputs the device acts on the emergency stop alone; the others are for the host. */
struct hil_inputs {
#define HIL_WIDE_FIELD(name) int32_t name;
#define HIL_NARROW_FIELD(name) int16_t name;
#define HIL_INPUT_FIELD(name, bit) uint8_t name;
    HIL_WIDE(HIL_WIDE_FIELD)
    HIL_NARROW(HIL_NARROW_FIELD)
    HIL_INPUT(HIL_INPUT_FIELD)
};

struct hil_outputs {
    int32_t valve;                   /* Q1.30 */
    uint8_t enable, supply;
};

struct hil_device {
    const struct hil_board *board;
    struct hil_inputs in;
    struct hil_outputs out, wish;
    uint8_t state, trip, out_of_range;
    uint16_t sequence;
    uint32_t session, boot, tick, time_to_live;  /* the last two in ticks */
    int32_t low, high;               /* the ends as they count now */
    /* for the witness */
    uint32_t good_tick, trip_tick, null_tick, accepted, ignored, lost, refused;
    /* the line */
    uint8_t in_length, reply_length;
    uint8_t in_frame[HIL_MOST_FRAME], reply[HIL_MOST_FRAME];
};

void hil_boot(struct hil_device *device, const struct hil_board *board, uint32_t boot);

/* After hil_boot: what ended the boot before, so that it is reported to the host and RESET is needed. */
void hil_latch(struct hil_device *device, uint8_t cause);

/* Either may change `out`, which the board then drives. */
void hil_receive(struct hil_device *device, uint8_t byte);
void hil_tick(struct hil_device *device, const struct hil_inputs *inputs);

/* Copies the answer that waits into `frame` (HIL_MOST_FRAME bytes): its length, 0 when there is none. */
size_t hil_reply(struct hil_device *device, uint8_t *frame);

#endif
