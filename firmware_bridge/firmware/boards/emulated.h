#ifndef HIL_EMULATED_H
#define HIL_EMULATED_H

#include <stddef.h>
#include <stdint.h>

void emulated_boot(uint32_t boot, uint32_t tick_hz);

/* Bytes from the line; what is answered, and how many bytes that are. `out`: valve, enable, supply. */
size_t emulated_receive(const uint8_t *bytes, size_t count, uint8_t *said, size_t room, int32_t *out);

/* One device tick. `in`: counts of HIL_WIDE and HIL_NARROW, then HIL_INPUT; `out` as above. */
void emulated_tick(const int32_t *in, int32_t *out);

/* The witness; its noise, some of it each tick; whether it says that the device hangs. */
size_t emulated_obey(const char *text, char *answer, size_t room);
size_t emulated_babble(uint8_t *bytes, size_t room);
int emulated_hung(void);

#endif
