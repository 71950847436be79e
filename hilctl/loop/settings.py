"""The rig file's [loop]: how fast, and what the loop may take of the host."""

from typing import Annotated

from hilctl.params import Params, note, number, whole


class Reconnect(Params):
    """What becomes of a link that is lost. Only while the rig is off; arming again is always a person's."""

    enabled: Annotated[bool, note("reconnect when the link is lost: open, check, arm the device's watchdog")] = True
    after_s: Annotated[float, number(0.05, 60, "s", "without an answer: then the link counts as lost")] = 1.0
    first_s: Annotated[float, number(0.05, 60, "s", "pause after the first attempt that failed; it doubles")] = 0.5
    longest_s: Annotated[float, number(0.05, 600, "s", "longest pause between two attempts")] = 10.0


class Loop(Params):
    """The fixed-rate loop."""

    rate_hz: Annotated[float, number(10, 20_000, "Hz", "ticks per second")] = 1000.0
    exchange_share: Annotated[
        float, number(0.3, 0.95, "", "of a period: how long after its deadline an exchange may last")
    ] = 0.8
    spin_us: Annotated[float, number(0, 500, "µs", "last part of each wait that is spent spinning; 0 sleeps")] = 0.0
    cpu: Annotated[
        int, whole(-1, 1023, "", "processor to stay on, which the service leaves to it; -1: the kernel decides")
    ] = -1
    priority: Annotated[int, whole(0, 99, "", "real-time priority (SCHED_FIFO); 0 asks for none")] = 80
    time_to_live_s: Annotated[
        float, number(1e-3, 1, "s", "silence after which the device makes itself safe, given to the driver")
    ] = 0.01
    reconnect: Reconnect = Reconnect()
