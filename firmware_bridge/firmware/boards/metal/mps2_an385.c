/* ARM MPS2 with AN385, a Cortex-M3: CMSDK's ports hold one byte, and say so when the host does not take it.
   UART0 is the line, UART1 the witness. GPIO 0: pin 0 enable, pins 1 and 2 supply. It has no converter: the valve stays inside. */
#include "watchdog.h"

#define WATCHDOG 0x40008000u
#define GPIO 0x40010000u
#define BAUD 921600u

const uint32_t board_clock_hz = 25000000u;

static const uint32_t ports[PORTS] = {0x40004000u, 0x40005000u};

void board_start(void) {
    for (uint32_t i = 0; i < PORTS; i++) {
        REGISTER(ports[i] + 0x10) = board_clock_hz / BAUD;
        REGISTER(ports[i] + 0x08) = 0xF; /* both ways, each with its interrupt */
        metal_enable(2 * i);
        metal_enable(2 * i + 1);
    }
    REGISTER(GPIO + 0x10) = 7; /* outputs */
}

void board_interrupt(void) {
    for (int i = 0; i < PORTS; i++) {
        uint32_t why = REGISTER(ports[i] + 0x0C);
        REGISTER(ports[i] + 0x0C) = why;
        while (REGISTER(ports[i] + 0x04) & 2u) {
            metal_heard(i, (uint8_t)REGISTER(ports[i]));
        }
    }
    if (watchdog_warned(WATCHDOG)) metal_watchdog_warns();
}

int board_send(int port, uint8_t byte) {
    if (REGISTER(ports[port] + 0x04) & 1u) {
        return 0;
    }
    REGISTER(ports[port]) = byte;
    return 1;
}

void board_watchdog_start(void) { watchdog_start(WATCHDOG); }

void board_watchdog_feed(void) { watchdog_feed(WATCHDOG); }

int board_was_reset_by_watchdog(void) { return 0; /* only the warning tells */ }

void board_drive(int32_t valve_q30, int enable, int supply) {
    (void)valve_q30;
    REGISTER(GPIO) = (uint32_t)((enable != 0) | supply << 1);
}
