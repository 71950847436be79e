"""The motions that are tracked, and PID alone on them.

PID cannot follow the fastest triangle within the tracking-error limit: the twin trips there, is reset and armed again,
and the demonstration reports it.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from hilctl.commission.tracking import Run, Task, drive, triangle

if TYPE_CHECKING:
    from hilctl.client import Client

LAWS = {"pid": "PID", "before": "three-variable", "after": "compensated"}
_SETTLE_S = 1.0  # of the rig's time, after a trip until the table stands

# The slowest shows stick-slip, the fastest the valve's flow; amplitudes leave room for a straight at each speed.
COURSE = (
    triangle(0.001, 0.005, 1),
    triangle(0.02, 0.005, 2),
    triangle(0.1, 0.025, 3),
    triangle(0.32, 0.08, 3),
    triangle(0.8, 0.08, 4),
    Task("sine", {"frequency_hz": 1.0, "amplitude_m": 0.05, "cycles": 4}),
)


def under_pid(rig: "Client", tasks: Sequence[Task], tell: Callable[[str], None]) -> Iterator[Run]:
    """Each of them under PID, from any mode without a trip; the feedback is restored afterwards."""
    if rig.status()["mode"] == "off":
        tell("arming")
        rig.arm()
    feedback = rig.get("law.feedback")
    rig.set({"law.feedback": "pid"}, origin="hilctl demo")
    for task in tasks:
        tell(f"PID: {task.text}")
        run = drive(rig, task, "pid")
        yield run
        if run.why != "done":
            _recover(rig)
    rig.set(feedback, origin="hilctl demo")


def _recover(rig: "Client") -> None:
    """As an operator does: waits until the table is at rest, resets, arms."""
    rig.pass_time(_SETTLE_S)
    rig.reset()
    if rig.status()["mode"] == "off":
        rig.arm()
