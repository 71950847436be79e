"""`core/sensors.h`: the sensors and the schema as the firmware needs them, made from the host's declarations.

`python -m tests.documents` writes it; a test holds that it is up to date.
"""

from pathlib import Path

from firmware_bridge.serial_frame.messages import INPUT_BITS, NARROW, SCHEMA, VERSION, WIDE
from hilctl.signals import INPUTS

PLACE = Path(__file__).with_name("core") / "sensors.h"

_FRAME = """\
/* The sensors of a rig, made from hilctl/signals.py by `python -m tests.documents`: do not edit. */
#ifndef HIL_SENSORS_H
#define HIL_SENSORS_H

#define HIL_VERSION {version}u
#define HIL_SCHEMA 0x{schema:08X}u /* the CRC-32 of messages.SCHEMA_TEXT */

/* Readings of 32 bits, of 16 bits, and inputs with their bits in the flags, in the order of the frames. */
#define HIL_WIDE(X){wide}
#define HIL_NARROW(X){narrow}
#define HIL_INPUT(X){inputs}
#define HIL_WIDE_COUNT {wide_count}
#define HIL_NARROW_COUNT {narrow_count}
#define HIL_SENSORS (HIL_WIDE_COUNT + HIL_NARROW_COUNT)
#define HIL_INPUTS {input_count}

#endif
"""


def text() -> str:
    """The header."""
    return _FRAME.format(
        version=VERSION, schema=SCHEMA,
        wide=_listed(WIDE), narrow=_listed(NARROW),
        inputs=_listed(tuple(f"{name}, {bit}" for name, bit in zip(INPUTS, INPUT_BITS, strict=True))),
        wide_count=len(WIDE), narrow_count=len(NARROW), input_count=len(INPUTS),
    )  # fmt: skip


def _listed(names: tuple[str, ...]) -> str:
    return "".join(f" \\\n    X({name})" for name in names)
