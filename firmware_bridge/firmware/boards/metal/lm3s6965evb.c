/* Stellaris LM3S6965 evaluation board, a Cortex-M3 at 50 MHz.
   UART0 (PA0, PA1) is the line, UART1 (PD2, PD3) the witness. PE0 enable, PE1 and PE2 supply, PF0 the valve as PWM of 20 kHz. */
#include "watchdog.h"

#define WATCHDOG 0x40000000u
#define SYSTEM 0x400FE000u
#define PORT_A 0x40004000u
#define PORT_D 0x40007000u
#define PORT_E 0x40024000u
#define PORT_F 0x40025000u
#define PWM 0x40028000u
#define PWM_LOAD 2500
#define BAUD 921600u

const uint32_t board_clock_hz = 50000000u;

static const uint32_t ports[PORTS] = {0x4000C000u, 0x4000D000u};

/* The PLL's 200 MHz by four, from the crystal of 8 MHz. */
static void start_clock(void) {
    REGISTER(SYSTEM + 0x060) = 0x00000800u | 0x078E3381u;                 /* PLL bypassed and off; crystal */
    REGISTER(SYSTEM + 0x060) = (0x078E3381u & ~0x07802000u) | 0x01C00800u; /* PLL on, divisor 4 */
    while (!(REGISTER(SYSTEM + 0x050) & 0x40u)) {
    }
    REGISTER(SYSTEM + 0x060) &= ~0x00000800u;
}

static void start_pins(void) {
    REGISTER(SYSTEM + 0x100) |= 1u << 20 | 1u << 3; /* clocks of PWM and watchdog, UARTs, ports A, D, E, F */
    REGISTER(SYSTEM + 0x104) |= 3u;
    REGISTER(SYSTEM + 0x108) |= 1u | 1u << 3 | 1u << 4 | 1u << 5;
    REGISTER(PORT_A + 0x420) |= 3u;
    REGISTER(PORT_A + 0x51C) |= 3u;
    REGISTER(PORT_D + 0x420) |= 0xCu;
    REGISTER(PORT_D + 0x51C) |= 0xCu;
    REGISTER(PORT_E + 0x400) |= 7u;
    REGISTER(PORT_E + 0x51C) |= 7u;
    REGISTER(PORT_F + 0x420) |= 1u;
    REGISTER(PORT_F + 0x51C) |= 1u;
}

static void start_pwm(void) {
    REGISTER(PWM + 0x050) = PWM_LOAD - 1;
    REGISTER(PWM + 0x058) = PWM_LOAD / 2;
    REGISTER(PWM + 0x060) = 0x8Cu; /* high from the reload to the comparison */
    REGISTER(PWM + 0x040) = 1;
    REGISTER(PWM + 0x008) = 1;
}

static void start_port(uint32_t base) {
    uint32_t divisor = (8u * board_clock_hz / BAUD + 1) / 2; /* in 64ths */
    REGISTER(base + 0x30) = 0;
    REGISTER(base + 0x24) = divisor / 64;
    REGISTER(base + 0x28) = divisor % 64;
    REGISTER(base + 0x2C) = 0x70; /* eight bits, FIFOs */
    REGISTER(base + 0x38) = 0x70; /* heard, heard and then silent, sent */
    REGISTER(base + 0x30) = 0x301;
}

void board_start(void) {
    start_clock();
    start_pins();
    start_pwm();
    for (uint32_t i = 0; i < PORTS; i++) {
        start_port(ports[i]);
        metal_enable(5 + i);
    }
    metal_enable(18);
}

void board_interrupt(void) {
    for (int i = 0; i < PORTS; i++) {
        REGISTER(ports[i] + 0x44) = 0x70;
        while (!(REGISTER(ports[i] + 0x18) & 0x10u)) {
            metal_heard(i, (uint8_t)REGISTER(ports[i]));
        }
    }
    if (watchdog_warned(WATCHDOG)) {
        metal_watchdog_warns();
        REGISTER(0xE000E180u) = 1u << 18; /* once is enough; what is left is the reset */
    }
}

int board_send(int port, uint8_t byte) {
    if (REGISTER(ports[port] + 0x18) & 0x20u) {
        return 0;
    }
    REGISTER(ports[port]) = byte;
    return 1;
}

void board_watchdog_start(void) { watchdog_start(WATCHDOG); }

void board_watchdog_feed(void) { watchdog_feed(WATCHDOG); }

int board_was_reset_by_watchdog(void) {
    int did = (REGISTER(SYSTEM + 0x05C) & 8u) != 0;
    REGISTER(SYSTEM + 0x05C) = 0;
    return did;
}

void board_drive(int32_t valve_q30, int enable, int supply) {
    int32_t half = PWM_LOAD / 2;
    REGISTER(PORT_E + (7u << 2)) = (uint32_t)((enable != 0) | supply << 1);
    REGISTER(PWM + 0x058) = (uint32_t)(half + ((valve_q30 >> 15) * (half - 1) >> 15));
}
