/* A board without an operating system: the tick is SysTick's interrupt, everything else the main loop.
   The watchdog is fed only by the main loop, and only when the tick has come since: it ends a hang of either. */
#include "../plant.h"
#include "../steps.h"
#include "metal.h"

#define HEARD 512u /* a power of two */

static struct hil_witness witness;
static struct hil_plant plant;
static volatile uint32_t ticks;

static struct {
    volatile uint32_t in, out;
    uint8_t bytes[HEARD];
} heard[PORTS];

static struct {
    size_t at, length;
    uint8_t bytes[WITNESS_ROOM];
} said[PORTS];

static void drive(void) {
    board_drive(witness.device.out.valve, witness.device.out.enable, witness.device.out.supply);
}

/* -- interrupts */

void metal_heard(int port, uint8_t byte) {
    if (heard[port].in - heard[port].out < HEARD) {
        heard[port].bytes[heard[port].in % HEARD] = byte;
        heard[port].in++;
    }
}

void metal_watchdog_warns(void) { metal_kept.watchdog_warned = 1; }

void metal_tick(void) {
    if (witness.line[W_HUNG] == HUNG_TICK) {
        return;
    }
    ticks++;
    if (witness.line[W_STILL]) {
        return;
    }
    plant_tick(&plant, &witness.device.out, 1.0 / witness.board.tick_hz, &witness.inputs);
    witness_hold(&witness);
    hil_tick(&witness.device, &witness.inputs);
    drive();
}

/* -- the main loop */

static int next(int port, uint8_t *byte) {
    if (heard[port].in == heard[port].out) {
        return 0;
    }
    *byte = heard[port].bytes[heard[port].out % HEARD];
    heard[port].out++;
    return 1;
}

/* Sends what the port takes now; what waits stays, and nothing waits for it. */
static void send(int port) {
    while (said[port].at < said[port].length && board_send(port, said[port].bytes[said[port].at])) {
        said[port].at++;
    }
    if (said[port].at == said[port].length) {
        said[port].at = said[port].length = 0;
    }
}

static void listen_line(void) {
    uint8_t byte;
    while (next(PORT_LINE, &byte)) {
        metal_tick_off();
        if (!witness.line[W_DEAF]) {
            hil_receive(&witness.device, byte);
            drive();
        }
        if (said[PORT_LINE].length == 0) said[PORT_LINE].length = witness_reply(&witness, said[PORT_LINE].bytes);
        metal_tick_on();
        send(PORT_LINE);
    }
}

static void answer_witness(const char *text) {
    metal_tick_off();
    said[PORT_WITNESS].length = steps_obey(&witness, text, (char *)said[PORT_WITNESS].bytes, WITNESS_ROOM);
    metal_tick_on();
}

static void listen_witness(void) {
    static char text[WITNESS_ROOM];
    static size_t length;
    uint8_t byte;
    while (said[PORT_WITNESS].length == 0 && next(PORT_WITNESS, &byte)) {
        if (byte != '\n') {
            text[length] = (char)byte;
            length = length + 1 < sizeof text ? length + 1 : 0; /* too long is forgotten */
            continue;
        }
        text[length] = 0;
        length = 0;
        answer_witness(text);
    }
}

static void babble(void) {
    if (said[PORT_LINE].length == 0) said[PORT_LINE].length = witness_babble(&witness, said[PORT_LINE].bytes, 32);
}

/* As the witness wants it, once its answer is out: no way back but a reset. */
static void hang(void) {
    uint32_t hung = witness.line[W_HUNG];
    if (said[PORT_WITNESS].length > 0 || hung == 0 || hung == HUNG_TICK) {
        return;
    }
    if (hung == HUNG_ALL) {
        metal_interrupts_off();
    }
    for (;;) {
    }
}

static void feed_watchdog(void) {
    static uint32_t fed;
    if (ticks != fed) {
        fed = ticks;
        board_watchdog_feed();
    }
}

static void start_tick(uint32_t hz) {
    REGISTER(0xE000ED20u) = 0xC0u << 24; /* after what is heard */
    REGISTER(0xE000E014u) = board_clock_hz / hz - 1;
    REGISTER(0xE000E018u) = 0;
    REGISTER(0xE000E010u) = 7;
}

int main(void) {
    int hung = board_was_reset_by_watchdog() || metal_kept.watchdog_warned;
    metal_kept.watchdog_warned = 0;
    witness_boot(&witness, metal_kept.seed ^ metal_kept.boots);
    if (hung) hil_latch(&witness.device, HIL_WATCHDOG);
    board_start();
    board_watchdog_start();
    start_tick(witness.board.tick_hz);
    answer_witness("?"); /* so that it tells when it has come up */
    for (;;) {
        feed_watchdog();
        babble();
        listen_line();
        listen_witness();
        hang();
        metal_interrupts_off(); /* what comes from here on ends the wait */
        send(PORT_LINE);
        send(PORT_WITNESS);
        if (heard[PORT_LINE].in == heard[PORT_LINE].out &&
            (said[PORT_WITNESS].length > 0 || heard[PORT_WITNESS].in == heard[PORT_WITNESS].out)) {
            metal_wait();
        }
        metal_interrupts_on();
    }
}
