/* A board without a line and without time: everything happens when standard input says so. For tests that want each step.
   Besides the witness's commands:
     rx HEX       bytes arrive; answers with what the device says, in hexadecimal, or -
     tick N       N device ticks pass
     seal HEX     the frame of a body · unseal HEX: the body of a frame without its delimiter, or - */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "witness.h"

static struct hil_witness witness;

static size_t from_hex(const char *text, uint8_t *bytes, size_t room) {
    size_t count = 0;
    unsigned value;
    while (count < room && sscanf(text + 2 * count, "%2x", &value) == 1) {
        bytes[count++] = (uint8_t)value;
    }
    return count;
}

static void say_hex(const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        printf("%02x", bytes[i]);
    }
    puts(count ? "" : "-");
}

static void receive(const uint8_t *bytes, size_t count) {
    uint8_t said[8 * 2 * HIL_MOST_FRAME];
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        if (!witness.line[W_DEAF]) hil_receive(&witness.device, bytes[i]);
        if (length + 2 * HIL_MOST_FRAME <= sizeof said) length += witness_reply(&witness, said + length);
    }
    say_hex(said, length);
}

int main(void) {
    static char text[8192], answer[512];
    static uint8_t bytes[4096], frame[HIL_MOST_FRAME];
    unsigned long ticks;
    witness_boot(&witness, 1);
    while (fgets(text, sizeof text, stdin)) {
        if (strncmp(text, "rx ", 3) == 0) {
            receive(bytes, from_hex(text + 3, bytes, sizeof bytes));
        } else if (sscanf(text, "tick %lu", &ticks) == 1) {
            while (ticks-- > 0) {
                witness_hold(&witness);
                hil_tick(&witness.device, &witness.inputs);
            }
            puts("ok");
        } else if (strncmp(text, "seal ", 5) == 0) {
            size_t count = from_hex(text + 5, bytes, HIL_MOST_BODY - 4);
            say_hex(frame, hil_seal(bytes, count, frame));
        } else if (strncmp(text, "unseal ", 7) == 0) {
            size_t count = from_hex(text + 7, bytes, sizeof bytes);
            uint8_t *exact = malloc(count); /* no longer, so that a sanitizer sees who reads beyond */
            if (exact == NULL) return 1;
            memcpy(exact, bytes, count);
            say_hex(exact, hil_unseal(exact, count));
            free(exact);
        } else {
            (void)witness_obey(&witness, text, answer, sizeof answer);
            fputs(answer, stdout);
        }
        fflush(stdout);
    }
    return 0;
}
