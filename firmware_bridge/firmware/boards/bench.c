/* A board without a line and without time: everything happens when standard input says so. For tests that want each step. */
#include <stdio.h>

#include "steps.h"

static struct hil_witness witness;

int main(void) {
    static char text[8192], answer[WITNESS_ROOM];
    witness_boot(&witness, 1);
    while (fgets(text, sizeof text, stdin)) {
        (void)steps_obey(&witness, text, answer, sizeof answer);
        fputs(answer, stdout);
        fflush(stdout);
    }
    return 0;
}
