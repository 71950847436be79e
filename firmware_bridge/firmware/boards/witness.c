#include "witness.h"

#include "text.h"

#define SENSOR(name) #name,
#define INPUT(name, bit) #name,
static const char *const sensors[HIL_SENSORS + HIL_INPUTS] = {HIL_WIDE(SENSOR) HIL_NARROW(SENSOR) HIL_INPUT(INPUT)};
static const char *const faults[W_FAULTS] = {"mute", "deaf", "hung", "flip", "cut", "twice", "babble", "still"};

/* ±98 mm within a sensor of ±110 mm; nm, µm/s², 0.1 Pa, 2 kPa, 1e-4, 0.01 °C a count. */
static const struct hil_board reference = {
    .build = 1, .tick_hz = 2000, .shortest_us = 1000, .longest_us = 100000, .slew_per_s = 25000, .null = 0,
    .end_low = -98000000, .end_high = 98000000, .end_margin = 1000000, .sense_low = -110000000, .sense_high = 110000000,
    .safe = HIL_NULL, .inputs = (1 << HIL_INPUTS) - 1, .scales = {{1, -9}, {1, -6}, {1, -1}, {1, -1}, {2, 3}, {1, -4}, {1, -2}}};

void witness_boot(struct hil_witness *w, uint32_t boot) {
    static const struct hil_witness blank;
    *w = blank;
    w->board = reference;
    hil_boot(&w->device, &w->board, boot);
}

void witness_fresh(struct hil_witness *w) {
    uint32_t still = w->line[W_STILL];
    witness_boot(w, 1);
    w->line[W_STILL] = still;
}

static int find(struct hil_word name, const char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        if (text_is(name, names[i])) {
            return i;
        }
    }
    return -1;
}

static int set_board(struct hil_board *b, struct hil_word name, int64_t value) {
    if (text_is(name, "safe")) b->safe = (uint8_t)value;
    else if (text_is(name, "inputs")) b->inputs = (uint8_t)value;
    else if (text_is(name, "null")) b->null = (int32_t)value;
    else if (text_is(name, "tick_hz")) b->tick_hz = (uint32_t)value;
    else if (text_is(name, "shortest_us")) b->shortest_us = (uint32_t)value;
    else if (text_is(name, "longest_us")) b->longest_us = (uint32_t)value;
    else if (text_is(name, "end_low")) b->end_low = (int32_t)value;
    else if (text_is(name, "end_high")) b->end_high = (int32_t)value;
    else if (text_is(name, "build")) b->build = (uint32_t)value;
    else return 0;
    return 1;
}

static int change(struct hil_witness *w, struct hil_word verb, struct hil_word name, int64_t value) {
    int at;
    if (text_is(verb, "set") && (at = find(name, sensors, HIL_SENSORS + HIL_INPUTS)) >= 0) {
        w->is_held[at] = 1;
        w->held[at] = (int32_t)value;
        return 1;
    }
    if (text_is(verb, "line") && (at = find(name, faults, W_FAULTS)) >= 0) {
        w->line[at] = (uint32_t)value;
        return 1;
    }
    return text_is(verb, "board") && set_board(&w->board, name, value);
}

static void report(const struct hil_device *d, struct hil_out *out) {
    text_put_unsigned(out, "tick=", d->tick);
    text_put_unsigned(out, " state=", d->state);
    text_put_unsigned(out, " trip=", d->trip);
    text_put_signed(out, " valve=", d->out.valve);
    text_put_unsigned(out, " enable=", d->out.enable);
    text_put_unsigned(out, " supply=", d->out.supply);
    text_put_unsigned(out, " good_tick=", d->good_tick);
    text_put_unsigned(out, " trip_tick=", d->trip_tick);
    text_put_unsigned(out, " null_tick=", d->null_tick);
    text_put_unsigned(out, " ttl_ticks=", d->time_to_live);
    text_put_unsigned(out, " boot=", d->boot);
    text_put_unsigned(out, " session=", d->session);
    text_put_unsigned(out, " accepted=", d->accepted);
    text_put_unsigned(out, " ignored=", d->ignored);
    text_put_unsigned(out, " lost=", d->lost);
    text_put_unsigned(out, " refused=", d->refused);
    text_put_signed(out, " displacement=", d->in.displacement);
    text_put(out, "\n");
}

static int simple(struct hil_witness *w, struct hil_word verb) {
    if (text_is(verb, "free")) {
        for (int i = 0; i < HIL_SENSORS + HIL_INPUTS; i++) {
            w->is_held[i] = 0;
        }
        return 1;
    }
    if (text_is(verb, "reboot") || text_is(verb, "watchdog")) {
        hil_boot(&w->device, &w->board, w->device.boot + 1);
        if (text_is(verb, "watchdog")) hil_latch(&w->device, HIL_WATCHDOG);
        return 1;
    }
    return 0;
}

size_t witness_obey(struct hil_witness *w, const char *text, char *answer, size_t room) {
    struct hil_word words[3];
    struct hil_out out = {answer, room};
    size_t count = text_words(text, words, 3);
    int64_t value;
    answer[0] = 0;
    if (count == 1 && text_is(words[0], "?")) {
        report(&w->device, &out);
    } else {
        int good = count == 1 ? simple(w, words[0])
                              : count == 3 && text_number(words[2], &value) && change(w, words[0], words[1], value);
        text_put(&out, good ? "ok\n" : "what?\n");
    }
    return (size_t)(out.at - answer);
}

void witness_hold(struct hil_witness *w) {
#define WIDE(name) if (w->is_held[i]) w->inputs.name = w->held[i]; i++;
#define NARROW(name) if (w->is_held[i]) w->inputs.name = (int16_t)w->held[i]; i++;
#define RAISED(name, bit) w->inputs.name = w->is_held[i] && w->held[i]; i++;
    int i = 0;
    HIL_WIDE(WIDE)
    HIL_NARROW(NARROW)
    HIL_INPUT(RAISED)
}

size_t witness_reply(struct hil_witness *w, uint8_t *bytes) {
    size_t count = hil_reply(&w->device, bytes);
    if (w->line[W_MUTE]) {
        return 0;
    }
    if (count > 0 && w->line[W_FLIP]) {
        uint32_t bit = w->line[W_FLIP] - 1;
        if (bit / 8 < count) bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        w->line[W_FLIP] = 0;
    }
    if (count > 0 && w->line[W_CUT]) {
        if (w->line[W_CUT] < count) count = w->line[W_CUT];
        w->line[W_CUT] = 0;
    } else if (w->line[W_TWICE]) {
        for (size_t i = 0; i < count; i++) {
            bytes[count + i] = bytes[i];
        }
        count *= 2;
    }
    return count;
}

size_t witness_babble(struct hil_witness *w, uint8_t *bytes, size_t room) {
    static uint32_t random = 1;
    size_t count = 0;
    for (; count < room && w->line[W_BABBLE] > 0; w->line[W_BABBLE]--) {
        random = random * 1664525u + 1013904223u;
        bytes[count++] = (uint8_t)(random >> 24);
    }
    return count;
}
