"""The rig file's [loop]: how fast, and what the loop may take of the host."""

from typing import Annotated

from hilctl.params import Params, number, whole


class Loop(Params):
    """The fixed-rate loop."""

    rate_hz: Annotated[float, number(10, 20_000, "Hz", "ticks per second")] = 1000.0
    spin_us: Annotated[float, number(0, 500, "µs", "last part of each wait that is spent spinning; 0 sleeps")] = 0.0
    cpu: Annotated[int, whole(-1, 1023, "", "processor to stay on; -1 leaves it to the kernel")] = -1
    priority: Annotated[int, whole(0, 99, "", "real-time priority (SCHED_FIFO); 0 asks for none")] = 80
    time_to_live_s: Annotated[
        float, number(1e-3, 1, "s", "silence after which the device makes itself safe, given to the driver")
    ] = 0.01
