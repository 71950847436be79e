/* A board on a Cortex-M without a C library: main.c is the same for all, and a board's own file says what stands here.

   A board has two ports: the line, and the witness. Interrupts bring what is heard; the main loop sends. */
#ifndef HIL_METAL_H
#define HIL_METAL_H

#include <stddef.h>
#include <stdint.h>

#ifndef WATCHDOG_US
#define WATCHDOG_US 10000u /* from the last feeding to the reset. An emulator's host stalls for longer: build.py */
#endif

enum { PORT_LINE, PORT_WITNESS, PORTS };

/* -- what a board says */

extern const uint32_t board_clock_hz;

void board_start(void);               /* clocks, pins, ports at their baud rates and their interrupts */
void board_interrupt(void);           /* any interrupt of the board's, and its NMI: hands on what was heard */
int board_send(int port, uint8_t byte); /* 0 when the port has no room now: never waits */
void board_watchdog_start(void);
void board_watchdog_feed(void);
int board_was_reset_by_watchdog(void);
void board_drive(int32_t valve_q30, int enable, int supply); /* the outputs: converter and pins */

/* -- what main.c offers to a board's interrupts */

void metal_heard(int port, uint8_t byte);
void metal_watchdog_warns(void); /* the first of the watchdog's two time-outs; the second one resets */

/* -- startup.c */

#define METAL_INTERRUPTS 32u

struct metal_kept {        /* in memory that a reset leaves as it is */
    uint32_t magic, seed;  /* seed: from outside, at power on; a board's random numbers, its serial number and a counter … */
    uint32_t boots, watchdog_warned;
};
extern volatile struct metal_kept metal_kept;

void metal_reset(void);
void metal_tick(void);
void metal_stuck(void);
int main(void);

/* The tick waits meanwhile; what is heard does not. */
static inline void metal_tick_off(void) { __asm volatile("msr basepri, %0" ::"r"(0x80u) : "memory"); }
static inline void metal_tick_on(void) { __asm volatile("msr basepri, %0" ::"r"(0u) : "memory"); }
static inline void metal_interrupts_off(void) { __asm volatile("cpsid i" ::: "memory"); }
static inline void metal_interrupts_on(void) { __asm volatile("cpsie i" ::: "memory"); }
static inline void metal_wait(void) { __asm volatile("wfi" ::: "memory"); }

/* Lets an interrupt of the board's through, before the tick. */
void metal_enable(uint32_t interrupt);

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

#endif
