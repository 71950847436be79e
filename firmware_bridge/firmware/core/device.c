#include "device.h"

#define PAYLOAD 8u
#define SENSOR_TICKS 3u

static uint16_t get16(const uint8_t *at) { return (uint16_t)(at[0] | (uint16_t)(at[1] << 8)); }

static uint32_t get32(const uint8_t *at) { return get16(at) | (uint32_t)get16(at + 2) << 16; }

static uint8_t *put16(uint8_t *at, uint16_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

static uint8_t *put32(uint8_t *at, uint32_t value) { return put16(put16(at, (uint16_t)value), (uint16_t)(value >> 16)); }

static int at_null(const struct hil_device *d) { return d->out.valve == d->board->null; }

/* -- answers */

/* Puts an answer in place of the one that waits; `end` is where its payload ends. */
static void answer(struct hil_device *d, uint8_t *body, uint8_t type, const uint8_t *end) {
    body[0] = (uint8_t)(type | HIL_ANSWER);
    body[1] = (uint8_t)(d->state | d->trip << 4);
    d->reply_length = (uint8_t)hil_seal(body, (size_t)(end - body), d->reply);
}

static void fault(struct hil_device *d, uint8_t *body, uint8_t code) {
    body[PAYLOAD + 1] = body[0];
    body[PAYLOAD] = code;
    answer(d, body, HIL_FAULT, body + PAYLOAD + 2);
}

static void identity(struct hil_device *d, uint8_t *body) {
    const struct hil_board *b = d->board;
    const uint32_t words[] = {HIL_SCHEMA, b->build, d->boot, b->tick_hz, b->shortest_us, b->longest_us, b->slew_per_s,
                              (uint32_t)b->null, (uint32_t)b->end_low, (uint32_t)b->end_high};
    uint8_t *at = put16(body + PAYLOAD, HIL_VERSION);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        at = put32(at, words[i]);
    }
    *at++ = b->safe;
    *at++ = b->inputs;
    for (size_t i = 0; i < HIL_SENSORS; i++) {
        at = put16(at, b->scales[i].mantissa);
        *at++ = (uint8_t)b->scales[i].exponent;
    }
    answer(d, body, HIL_HELLO, at);
}

static void readings(struct hil_device *d, uint8_t *body) {
#define WIDE(name) at = put32(at, (uint32_t)d->in.name);
#define NARROW(name) at = put16(at, (uint16_t)d->in.name);
#define INPUT(name, bit) | (d->in.name != 0) << bit
    uint8_t *at = body + PAYLOAD;
    HIL_WIDE(WIDE)
    HIL_NARROW(NARROW)
    *at++ = (uint8_t)(d->out.enable << 1 | d->out.supply << 2 HIL_INPUT(INPUT));
    at = put16(at, (uint16_t)d->lost);
    answer(d, body, HIL_CYCLIC, put32(at, d->tick));
}

/* -- commands; the frame's body is where the answer is made */

static void hello(struct hil_device *d, uint8_t *body) {
    if (d->state == HIL_RUNNING) {
        fault(d, body, HIL_BUSY);
        return;
    }
    if (get16(body + PAYLOAD) == HIL_VERSION && get32(body + PAYLOAD + 2) == HIL_SCHEMA) {
        d->session = get32(body + 4);
        d->sequence = get16(body + 2);
        d->lost = 0;
        if (d->state != HIL_TRIPPED) {
            d->state = HIL_READY;
        }
    }
    identity(d, body);
}

static void arm(struct hil_device *d, uint8_t *body) {
    const struct hil_board *b = d->board;
    uint32_t us = get32(body + PAYLOAD + 4);
    if (get32(body + PAYLOAD) != d->boot) {
        fault(d, body, HIL_OTHER_BOOT);
    } else if (us < HIL_SHORTEST_US || us > HIL_LONGEST_US || us < b->shortest_us || us > b->longest_us) {
        fault(d, body, HIL_TTL_BOUNDS);
    } else if (d->state != HIL_READY || !at_null(d)) {
        fault(d, body, HIL_WRONG_STATE);
    } else {
        d->state = HIL_ARMED;
        d->time_to_live = us * b->tick_hz / 1000000u;
        answer(d, body, HIL_ARM, put32(body + PAYLOAD, d->time_to_live));
    }
}

/* What is commanded acts: when it comes, not with the next tick, so that it acts as evenly as the host sends. */
static void follow(struct hil_device *d) {
    d->out.valve = d->wish.enable ? d->wish.valve : d->board->null;
    d->out.enable = d->wish.enable;
    d->out.supply = d->wish.supply;
}

static void cyclic(struct hil_device *d, uint8_t *body) {
    if (d->state == HIL_ARMED || d->state == HIL_RUNNING) {
        uint8_t outputs = body[PAYLOAD + 4];
        d->state = HIL_RUNNING;
        d->wish.valve = (int32_t)get32(body + PAYLOAD);
        d->wish.enable = outputs & 1u;
        d->wish.supply = outputs >> 1;
        d->good_tick = d->tick;
        if (!d->in.emergency_stop) follow(d);
    }
    readings(d, body);
}

static void reset(struct hil_device *d, uint8_t *body) {
    if (d->state == HIL_TRIPPED) {
        if (!at_null(d) || (d->trip == HIL_EMERGENCY_STOP && d->in.emergency_stop) ||
            (d->trip == HIL_SENSOR && d->out_of_range)) {
            fault(d, body, HIL_CAUSE_PRESENT);
            return;
        }
        d->state = HIL_READY;
        d->trip = HIL_NONE;
    }
    answer(d, body, HIL_RESET, body + PAYLOAD);
}

/* How long a command's payload is; longer than any where there is no such command. */
static size_t payload_of(uint8_t type) {
    switch (type) {
    case HIL_HELLO: return 6;
    case HIL_ARM: return 8;
    case HIL_CYCLIC: return 5;
    case HIL_DISARM:
    case HIL_RESET: return 0;
    default: return HIL_MOST_FRAME;
    }
}

/* Whether the body is a whole command that can be obeyed. */
static int well_formed(const uint8_t *body, size_t count) {
    if (count < PAYLOAD || body[1] != 0 || get32(body + 4) == 0 || count != PAYLOAD + payload_of(body[0])) {
        return 0;
    }
    if (body[0] == HIL_CYCLIC) {
        int32_t valve = (int32_t)get32(body + PAYLOAD);
        return valve >= -HIL_ONE && valve <= HIL_ONE && body[PAYLOAD + 4] < 6;
    }
    return 1;
}

static void obey(struct hil_device *d, uint8_t *body) {
    if (body[0] == HIL_HELLO) {
        hello(d, body);
        return;
    }
    if (get32(body + 4) != d->session) {
        fault(d, body, HIL_NO_SESSION);
        return;
    }
    uint16_t ahead = (uint16_t)(get16(body + 2) - d->sequence);
    if (ahead == 0 || ahead > 0x7FFFu) {
        d->ignored++;
        return;
    }
    d->sequence = get16(body + 2);
    d->lost += ahead - 1u;
    d->accepted++;
    switch (body[0]) {
    case HIL_ARM: arm(d, body); break;
    case HIL_CYCLIC: cyclic(d, body); break;
    case HIL_RESET: reset(d, body); break;
    default:
        if (d->state == HIL_ARMED || d->state == HIL_RUNNING) {
            d->state = HIL_READY;
        }
        answer(d, body, HIL_DISARM, body + PAYLOAD);
    }
}

/* -- every tick */

static void trip(struct hil_device *d, uint8_t cause) {
    if (d->state == HIL_RUNNING) {
        d->state = HIL_TRIPPED;
        d->trip = cause;
        d->trip_tick = d->null_tick = d->tick;
    }
}

static void watch(struct hil_device *d) {
    const struct hil_board *b = d->board;
    int32_t x = d->in.displacement;
    if (d->state != HIL_RUNNING || !d->wish.enable) {
        d->low = b->sense_low;
        d->high = b->sense_high;
    }
    if (x >= b->sense_low && x <= b->sense_high) {
        d->out_of_range = 0;
        if (d->low < x - b->end_margin) d->low = x - b->end_margin;
        if (d->high > x + b->end_margin) d->high = x + b->end_margin;
        if (d->low > b->end_low) d->low = b->end_low;
        if (d->high < b->end_high) d->high = b->end_high;
    } else if (d->out_of_range < SENSOR_TICKS) {
        d->out_of_range++;
    }
    if (d->state != HIL_RUNNING) {
        return;
    }
    if (d->in.emergency_stop && d->wish.enable) {
        trip(d, HIL_EMERGENCY_STOP);
    }
    if (d->out_of_range >= SENSOR_TICKS) {
        trip(d, HIL_SENSOR);
    }
    if (!d->out_of_range && (x < d->low || x > d->high)) {
        trip(d, HIL_END_STOP);
    }
    if (d->tick - d->good_tick >= d->time_to_live) {
        trip(d, HIL_TIME_TO_LIVE);
    }
}

static void make_safe(struct hil_device *d) {
    const struct hil_board *b = d->board;
    int32_t step = (int32_t)((uint64_t)b->slew_per_s * (uint32_t)HIL_ONE / 1000u / b->tick_hz);
    int32_t off = b->null - d->out.valve;
    int held = d->state == HIL_TRIPPED && b->safe == HIL_HOLD, was_null = at_null(d);
    if (d->in.emergency_stop) {
        step = INT32_MAX;
        held = 0;
    }
    d->out.valve += off > step ? step : off < -step ? -step : off;
    if (!was_null) {
        d->null_tick = d->tick;
    }
    if (d->state == HIL_TRIPPED && b->safe == HIL_DUMP) {
        d->out.supply = 0;
    }
    if (at_null(d) && !held) {
        d->out.enable = d->out.supply = 0;
    }
}

void hil_tick(struct hil_device *d, const struct hil_inputs *inputs) {
    d->tick++;
    d->in = *inputs;
    watch(d);
    if (d->state == HIL_RUNNING && !d->in.emergency_stop) {
        follow(d);
    } else {
        make_safe(d);
    }
}

/* -- the line */

void hil_boot(struct hil_device *d, const struct hil_board *board, uint32_t boot) {
    static const struct hil_device blank;
    *d = blank;
    d->board = board;
    d->boot = boot;
    d->out.valve = board->null;
}

void hil_latch(struct hil_device *d, uint8_t cause) {
    d->state = HIL_TRIPPED;
    d->trip = cause;
}

void hil_receive(struct hil_device *d, uint8_t byte) {
    if (byte != 0) {
        if (d->in_length < HIL_MOST_FRAME) { /* full means too long */
            d->in_frame[d->in_length++] = byte;
        }
        return;
    }
    size_t count = hil_unseal(d->in_frame, d->in_length);
    if (well_formed(d->in_frame, count)) {
        obey(d, d->in_frame);
    } else if (d->in_length > 0) {
        d->refused++;
    }
    d->in_length = 0;
}

size_t hil_reply(struct hil_device *d, uint8_t *frame) {
    size_t count = d->reply_length;
    for (size_t i = 0; i < count; i++) {
        frame[i] = d->reply[i];
    }
    d->reply_length = 0;
    return count;
}
