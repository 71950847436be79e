/* A board on a PC: the line is a pseudo-terminal, the clock is real, the witness is standard input and output.
   The first line that it writes is the terminal's name. It ends with its standard input. */
#define _GNU_SOURCE /* ppoll, posix_openpt, cfmakeraw */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "plant.h"
#include "steps.h"

static struct hil_witness witness;
static struct hil_plant plant;
static int line;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The board keeps the terminal's other end open too, so that hosts may come and go. */
static int open_line(void) {
    struct termios raw;
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (master < 0 || grantpt(master) || unlockpt(master)) return -1;
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (slave < 0 || tcgetattr(slave, &raw)) return -1;
    cfmakeraw(&raw);
    if (tcsetattr(slave, TCSANOW, &raw)) return -1;
    printf("%s\n", ptsname(master));
    fflush(stdout);
    return master;
}

/* What the terminal does not take is lost: a device never waits. */
static void send(const uint8_t *bytes, size_t count) {
    if (count > 0 && write(line, bytes, count) < 0) {
        return;
    }
}

static void listen_line(void) {
    uint8_t bytes[512], said[2 * HIL_MOST_FRAME];
    ssize_t count;
    while ((count = read(line, bytes, sizeof bytes)) > 0) {
        for (ssize_t i = 0; i < count && !witness.line[W_DEAF]; i++) {
            hil_receive(&witness.device, bytes[i]);
            send(said, witness_reply(&witness, said));
        }
    }
}

/* Obeys what has come from the witness; 0 at its end. */
static int listen_witness(void) {
    static char text[4096], answer[WITNESS_ROOM];
    static size_t length;
    char *end;
    ssize_t count = read(STDIN_FILENO, text + length, sizeof text - length - 1);
    if (count <= 0) return count < 0 && errno == EAGAIN;
    length += (size_t)count;
    text[length] = 0;
    while ((end = strchr(text, '\n'))) {
        *end = 0;
        size_t said = steps_obey(&witness, text, answer, sizeof answer);
        if (write(STDOUT_FILENO, answer, said) < 0) return 0;
        length -= (size_t)(end + 1 - text);
        memmove(text, end + 1, length + 1);
    }
    if (length == sizeof text - 1) length = 0;
    return 1;
}

static void tick(void) {
    uint8_t noise[32];
    send(noise, witness_babble(&witness, noise, sizeof noise));
    if (witness.line[W_STILL]) return;
    plant_tick(&plant, &witness.device.out, 1.0 / witness.board.tick_hz, &witness.inputs);
    witness_hold(&witness);
    hil_tick(&witness.device, &witness.inputs);
}

int main(void) {
    witness_boot(&witness, (uint32_t)(now_ns() ^ (int64_t)getpid() << 16) | 1u);
    line = open_line();
    if (line < 0) {
        perror("pseudo-terminal");
        return 1;
    }
    const struct sched_param first = {.sched_priority = 60};
    (void)sched_setscheduler(0, SCHED_FIFO, &first); /* a microcontroller does nothing else; where that is allowed */
    int64_t due_ns = now_ns();
    struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = line, .events = POLLIN}};
    for (;;) {
        int64_t left_ns = due_ns - now_ns();
        struct timespec wait = {.tv_nsec = left_ns > 0 ? (long)(left_ns % 1000000000) : 0};
        uint32_t hung = witness.line[W_HUNG];
        fds[1].fd = hung == HUNG_ALL || hung == HUNG_LOOP ? -1 : line;
        int ready = ppoll(fds, 2, &wait, NULL);
        for (int64_t now = now_ns(); due_ns <= now; due_ns += 1000000000 / witness.board.tick_hz) {
            if (hung == 0 || hung == HUNG_LOOP) tick();
        }
        if (ready > 0 && fds[0].revents && !listen_witness()) return 0;
        if (ready > 0 && fds[1].revents) listen_line();
    }
}
