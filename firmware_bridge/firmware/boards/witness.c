#include "witness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sensors[HIL_SENSORS + HIL_INPUTS] = {"displacement", "acceleration", "pressure_a", "pressure_b",
    "supply_pressure", "spool", "oil_temperature", "emergency_stop", "oil_level", "oil_filter"};
static const char *const faults[W_FAULTS] = {"mute", "deaf", "hung", "flip", "cut", "twice", "babble"};

/* ±98 mm within a sensor of ±110 mm; nm, µm/s², 0.1 Pa, 2 kPa, 1e-4, 0.01 °C a count. */
static const struct hil_board reference = {
    .build = 1, .tick_hz = 2000, .shortest_us = 1000, .longest_us = 100000, .slew_per_s = 25000, .null = 0,
    .end_low = -98000000, .end_high = 98000000, .end_margin = 1000000, .sense_low = -110000000, .sense_high = 110000000,
    .safe = HIL_NULL, .inputs = 7, .scales = {{1, -9}, {1, -6}, {1, -1}, {1, -1}, {2, 3}, {1, -4}, {1, -2}}};

void witness_boot(struct hil_witness *w, uint32_t boot) {
    memset(w, 0, sizeof *w);
    w->board = reference;
    hil_boot(&w->device, &w->board, boot);
}

static int find(const char *name, const char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

static int set_board(struct hil_board *b, const char *name, long value) {
    if (strcmp(name, "safe") == 0) b->safe = (uint8_t)value;
    else if (strcmp(name, "inputs") == 0) b->inputs = (uint8_t)value;
    else if (strcmp(name, "null") == 0) b->null = (int32_t)value;
    else if (strcmp(name, "tick_hz") == 0) b->tick_hz = (uint32_t)value;
    else if (strcmp(name, "shortest_us") == 0) b->shortest_us = (uint32_t)value;
    else if (strcmp(name, "longest_us") == 0) b->longest_us = (uint32_t)value;
    else if (strcmp(name, "end_low") == 0) b->end_low = (int32_t)value;
    else if (strcmp(name, "end_high") == 0) b->end_high = (int32_t)value;
    else if (strcmp(name, "build") == 0) b->build = (uint32_t)value;
    else return 0;
    return 1;
}

static int change(struct hil_witness *w, const char *verb, const char *name, long value) {
    int at;
    if (strcmp(verb, "set") == 0 && (at = find(name, sensors, HIL_SENSORS + HIL_INPUTS)) >= 0) {
        w->is_held[at] = 1;
        w->held[at] = (int32_t)value;
        return 1;
    }
    if (strcmp(verb, "line") == 0 && (at = find(name, faults, W_FAULTS)) >= 0) {
        w->line[at] = (uint32_t)value;
        return 1;
    }
    return strcmp(verb, "board") == 0 && set_board(&w->board, name, value);
}

static int report(const struct hil_witness *w, char *out, size_t room) {
    const struct hil_device *d = &w->device;
    return snprintf(out, room,
        "tick=%lu state=%u trip=%u valve=%ld enable=%u supply=%u good_tick=%lu trip_tick=%lu null_tick=%lu ttl_ticks=%lu "
        "boot=%lu session=%lu accepted=%lu ignored=%lu lost=%lu refused=%lu displacement=%ld\n",
        (unsigned long)d->tick, (unsigned)d->state, (unsigned)d->trip, (long)d->out.valve, (unsigned)d->out.enable,
        (unsigned)d->out.supply, (unsigned long)d->good_tick, (unsigned long)d->trip_tick, (unsigned long)d->null_tick,
        (unsigned long)d->time_to_live, (unsigned long)d->boot, (unsigned long)d->session, (unsigned long)d->accepted,
        (unsigned long)d->ignored, (unsigned long)d->lost, (unsigned long)d->refused, (long)d->in.displacement);
}

size_t witness_obey(struct hil_witness *w, const char *text, char *answer, size_t room) {
    char verb[16] = "", name[32] = "", number[16] = "";
    int words = sscanf(text, "%15s %31s %15s", verb, name, number), good = 0, length;
    if (words == 1 && strcmp(verb, "?") == 0) {
        length = report(w, answer, room);
        return length < 0 ? 0 : (size_t)length;
    }
    if (words == 1 && strcmp(verb, "free") == 0) {
        memset(w->is_held, 0, sizeof w->is_held);
        good = 1;
    } else if (words == 1 && strcmp(verb, "reboot") == 0) {
        hil_boot(&w->device, &w->board, w->device.boot + 1);
        good = 1;
    } else if (words == 3) {
        good = change(w, verb, name, strtol(number, NULL, 10));
    }
    length = snprintf(answer, room, "%s\n", good ? "ok" : "what?");
    return length < 0 ? 0 : (size_t)length;
}

void witness_hold(struct hil_witness *w) {
    int32_t *const wide[] = {&w->inputs.displacement, &w->inputs.acceleration, &w->inputs.pressure_a, &w->inputs.pressure_b};
    int16_t *const narrow[] = {&w->inputs.supply_pressure, &w->inputs.spool, &w->inputs.oil_temperature};
    uint8_t *const inputs[] = {&w->inputs.emergency_stop, &w->inputs.oil_level, &w->inputs.oil_filter};
    for (int i = 0; i < 4; i++) {
        if (w->is_held[i]) *wide[i] = w->held[i];
    }
    for (int i = 0; i < 3; i++) {
        if (w->is_held[4 + i]) *narrow[i] = (int16_t)w->held[4 + i];
    }
    for (int i = 0; i < HIL_INPUTS; i++) {
        *inputs[i] = w->is_held[HIL_SENSORS + i] && w->held[HIL_SENSORS + i];
    }
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
        memcpy(bytes + count, bytes, count);
        count *= 2;
    }
    return count;
}
