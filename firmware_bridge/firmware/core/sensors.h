/* The sensors of a rig, made from hilctl/signals.py by `python -m tests.documents`: do not edit. */
#ifndef HIL_SENSORS_H
#define HIL_SENSORS_H

#define HIL_VERSION 1u
#define HIL_SCHEMA 0xE2736460u /* the CRC-32 of messages.SCHEMA_TEXT */

/* Readings of 32 bits, of 16 bits, and inputs with their bits in the flags, in the order of the frames. */
#define HIL_WIDE(X) \
    X(displacement) \
    X(acceleration) \
    X(pressure_a) \
    X(pressure_b)
#define HIL_NARROW(X) \
    X(supply_pressure) \
    X(spool) \
    X(oil_temperature)
#define HIL_INPUT(X) \
    X(emergency_stop, 0) \
    X(oil_level, 4) \
    X(oil_filter, 5)
#define HIL_WIDE_COUNT 4
#define HIL_NARROW_COUNT 3
#define HIL_SENSORS (HIL_WIDE_COUNT + HIL_NARROW_COUNT)
#define HIL_INPUTS 3

#endif
