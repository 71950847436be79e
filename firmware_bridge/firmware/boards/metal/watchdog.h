/* ARM's watchdog as in CMSDK and Stellaris: the first time-out warns, the second one resets. */
#ifndef HIL_WATCHDOG_H
#define HIL_WATCHDOG_H

#include "metal.h"

static inline void watchdog_start(uint32_t base) {
    REGISTER(base + 0xC00) = 0x1ACCE551u;                        /* unlocks */
    REGISTER(base) = board_clock_hz / 1000000u * (WATCHDOG_US / 2); /* each of the two */
    REGISTER(base + 0x008) = 3;                                  /* interrupt, reset */
    REGISTER(base + 0xC00) = 0;
}

static inline void watchdog_feed(uint32_t base) {
    REGISTER(base + 0xC00) = 0x1ACCE551u;
    REGISTER(base + 0x00C) = 1; /* clears the warning and begins again */
    REGISTER(base + 0xC00) = 0;
}

/* In the interrupt that is the warning: tells it on, and leaves it standing, so that the reset follows. */
static inline int watchdog_warned(uint32_t base) { return REGISTER(base + 0x014) & 1; }

#endif
