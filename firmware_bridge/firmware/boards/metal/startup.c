/* What stands at address 0, and what comes before main. */
#include "metal.h"

#define KEPT 0x48494C21u /* "HIL!" */
#define VECTOR_TABLE __attribute__((section(".vectors"), used))

extern uint32_t link_stack, link_data_load, link_data, link_data_end, link_bss, link_bss_end;

volatile struct metal_kept metal_kept __attribute__((section(".kept")));

/* A fault of the processor: the watchdog ends it. */
void metal_stuck(void) {
    metal_interrupts_off();
    for (;;) {
    }
}

void metal_reset(void) {
    for (uint32_t *to = &link_data, *from = &link_data_load; to < &link_data_end;) {
        *to++ = *from++;
    }
    for (uint32_t *at = &link_bss; at < &link_bss_end;) {
        *at++ = 0;
    }
    if (metal_kept.magic != KEPT) { /* power on */
        metal_kept.magic = KEPT;
        metal_kept.boots = metal_kept.watchdog_warned = 0;
    }
    metal_kept.boots++;
    (void)main();
    metal_stuck();
}

typedef void (*vector)(void);

VECTOR_TABLE static const uintptr_t vectors[16] = {
    (uintptr_t)&link_stack, (uintptr_t)metal_reset, (uintptr_t)board_interrupt /* NMI */, (uintptr_t)metal_stuck,
    (uintptr_t)metal_stuck, (uintptr_t)metal_stuck, (uintptr_t)metal_stuck, 0, 0, 0, 0, (uintptr_t)metal_stuck,
    (uintptr_t)metal_stuck, 0, (uintptr_t)metal_stuck, (uintptr_t)metal_tick};

__attribute__((section(".vectors.board"), used)) static const vector board_vectors[METAL_INTERRUPTS] = {
    board_interrupt, board_interrupt, board_interrupt, board_interrupt, board_interrupt, board_interrupt, board_interrupt,
    board_interrupt, board_interrupt, board_interrupt, board_interrupt, board_interrupt, board_interrupt, board_interrupt,
    board_interrupt, board_interrupt, board_interrupt, board_interrupt, board_interrupt, board_interrupt, board_interrupt,
    board_interrupt, board_interrupt, board_interrupt, board_interrupt, board_interrupt, board_interrupt, board_interrupt,
    board_interrupt, board_interrupt, board_interrupt, board_interrupt};

void metal_enable(uint32_t interrupt) {
    *(volatile uint8_t *)(uintptr_t)(0xE000E400u + interrupt) = 0x40; /* its priority */
    REGISTER(0xE000E100u) = 1u << interrupt;
}
