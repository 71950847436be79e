/* A board without line, time or plant of its own: a library, whose user has them (firmware_bridge/emulate). */
#include "emulated.h"

#include "steps.h"

static struct hil_witness witness;

void emulated_boot(uint32_t boot, uint32_t tick_hz) {
    witness_boot(&witness, boot);
    witness.board.tick_hz = tick_hz;
}

static void drive(int32_t *out) {
    out[0] = witness.device.out.valve;
    out[1] = witness.device.out.enable;
    out[2] = witness.device.out.supply;
}

size_t emulated_receive(const uint8_t *bytes, size_t count, uint8_t *said, size_t room, int32_t *out) {
    size_t length = 0;
    for (size_t i = 0; i < count && !witness.line[W_DEAF]; i++) {
        hil_receive(&witness.device, bytes[i]);
        if (length + 2 * HIL_MOST_FRAME <= room) length += witness_reply(&witness, said + length);
    }
    drive(out);
    return length;
}

void emulated_tick(const int32_t *in, int32_t *out) {
    struct hil_inputs *to = &witness.inputs;
#define WIDE(name) to->name = *in++;
#define NARROW(name) to->name = (int16_t)*in++;
#define INPUT(name, bit) to->name |= *in++ != 0;
    HIL_WIDE(WIDE)
    HIL_NARROW(NARROW)
    witness_hold(&witness); /* says that no input is raised, unless it is held */
    HIL_INPUT(INPUT)
    if (!witness.line[W_STILL] && !witness.line[W_HUNG]) hil_tick(&witness.device, to);
    drive(out);
}

size_t emulated_obey(const char *text, char *answer, size_t room) { return steps_obey(&witness, text, answer, room); }

size_t emulated_babble(uint8_t *bytes, size_t room) { return witness_babble(&witness, bytes, room); }

int emulated_hung(void) { return witness.line[W_HUNG] != 0; }
