"""The rig file's [driver] table of the driver `serial`."""

from typing import Annotated

from hilctl.params import Params, note, number, whole


class SerialConfig(Params, kw_only=True):
    """Our own firmware on a serial line."""

    port: Annotated[str, note("the serial port: /dev/ttyUSB0, or better its name below /dev/serial/by-id")]
    baud: Annotated[int, whole(9600, 12_000_000, "Bd", "symbols per second, 10 of them a byte")] = 921_600
    timeout_s: Annotated[
        float, number(1e-4, 1, "s", "longest wait for an answer; the tick's own deadline is usually sooner")
    ] = 0.1
    handshake_s: Annotated[float, number(0.1, 30, "s", "time limit for the answer to the first HELLO")] = 2.0
