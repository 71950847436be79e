"""Everything that the loop reads, as one record; and the tables of the rig file that it comes from.

A set is adopted whole at a tick's boundary and carries its epoch. Real numbers that act on the output are blended in
over `law.blend_s`; limits, choices and switches hold at once.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from hilctl.friction import PARAMETERS, Friction
from hilctl.law.adapt import Adapt
from hilctl.law.arming import Arming
from hilctl.law.estimate import Estimator
from hilctl.law.feed import Feed
from hilctl.law.limits import Limits
from hilctl.law.notch import Notch
from hilctl.law.own_loop import OwnLoop
from hilctl.law.pid import Pid
from hilctl.law.sensors import Sensors
from hilctl.law.smoothing import crossing_s, rt_turn, smoothing_s
from hilctl.law.three_state import ThreeState
from hilctl.law.valve_stage import DITHER, QUARTER, SHAKES, ValveStage
from hilctl.machine import Machine, shaken
from hilctl.params import Params, Problem, dtype_of, note, number, pack, real_words, record_of
from hilctl.rt.jit import compile_now
from hilctl.signals import SENSORS


class Law(Params):
    """What turns readings and reference into a valve command."""

    feedback: Annotated[
        Literal["three_state", "pid", "rig"], note("which feedback holds the table; rig: the rig's own")
    ] = "three_state"
    blend_s: Annotated[float, number(0, 60, "s", "time over which changed parameters and laws are blended in")] = 0.5
    rig: OwnLoop = OwnLoop()
    pid: Pid = Pid()
    three_state: ThreeState = ThreeState()
    estimator: Estimator = Estimator()
    feed: Feed = Feed()
    notch_1: Notch = Notch()
    notch_2: Notch = Notch()
    notch_3: Notch = Notch()
    valve: ValveStage = ValveStage()
    adapt: Adapt = Adapt()

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """The inverse model gives openings; notches take from them."""
        told = "must be 0 with law.feedback = rig: the command is a displacement, and no opening"
        if self.feedback == "rig" and self.feed.inverse > 0:
            yield Problem(f"{at}.feed.inverse", self.feed.inverse, told)
        for name in ("notch_1", "notch_2", "notch_3"):
            depth_db = getattr(self, name).depth_db
            if self.feedback == "rig" and depth_db > 0:
                yield Problem(f"{at}.{name}.depth_db", depth_db, told)


class Controller(Params):
    """What the controller believes and obeys; `friction` stands beside it, for its keys depend on its model."""

    machine: Machine
    sensors: Sensors
    limits: Limits
    law: Law = Law()
    arming: Arming = Arming()


PID_FEEDBACK = 1  # index of "pid" in Law.feedback
RIG_FEEDBACK = 2  # of "rig"

FRICTION: Any = record_of(
    [
        ("code", np.int64),
        ("viscous", np.float64),  # slope at high speed, for linear design
        ("reach_m", np.float64),  # of pre-sliding
        ("p", np.float64, (PARAMETERS,)),
    ]
)
SETTINGS: Any = record_of(
    [
        ("epoch", np.int64),
        ("dt_s", np.float64),
        ("machine", dtype_of(Machine)),
        ("friction", FRICTION),
        ("sensors", dtype_of(Sensors)),
        ("law", dtype_of(Law)),
        ("limits", dtype_of(Limits)),
        ("arming", dtype_of(Arming)),
    ]
)

# Words of SETTINGS that are blended: what acts on the output. Limits and ranges hold at once.
_AT_ONCE = ("dt_s", "limits.", "arming.", "law.blend_s")
_ZEROS = tuple(f"sensors.{name}.offset" for name in SENSORS)  # what hangs on them shifts with them (tick.py)
BLENDED = np.zeros(SETTINGS.itemsize // 8, np.bool_)
for _word, _name in real_words(SETTINGS):
    BLENDED[_word] = not (_name.startswith((*_AT_ONCE, *_ZEROS)) or _name.endswith((".low", ".high", ".stale_s")))


def pack_settings(controller: Controller, friction: Friction, dt_s: float, epoch: int) -> Any:
    """The record for the loop."""
    out = np.zeros(1, SETTINGS)[0]
    out.epoch, out.dt_s = epoch, dt_s
    for name in ("machine", "sensors", "law", "limits", "arming"):
        pack(getattr(controller, name), out[name])
    out.friction.code = friction.code
    out.friction.viscous = friction.params.viscous
    out.friction.reach_m = friction.params.reach
    out.friction.p[:] = friction.packed()
    _complete_valve(controller, out)
    command, feed = controller.limits.command, out.law.feed
    if feed.smooth_s == 0.0:
        feed.smooth_s = smoothing_s(controller.machine, friction, command.opening, command.slew_per_s, dt_s)
    if feed.cross_s == 0.0:
        feed.cross_s = crossing_s(controller.machine, friction, command.opening, command.slew_per_s, feed.smooth_s,
                                  dt_s)  # fmt: skip
    return out


def prepare_packing() -> None:
    """Loads, or compiles, what packing computes with for a friction model that bends: seconds, once."""
    compile_now(rt_turn)


def _complete_valve(controller: Controller, out: Any) -> None:
    """What the rig file leaves to the machine."""
    machine, valve = controller.machine, controller.law.valve
    out.machine.overlap_a, out.machine.overlap_b = machine.overlaps
    if valve.dither_hz == 0.0:
        out.law.valve.dither_hz = QUARTER / out.dt_s
    if valve.dither is None:
        sticks = machine.hysteresis > 0.0 or machine.threshold > 0.0
        shakes = shaken(machine, DITHER, out.law.valve.dither_hz) > SHAKES
        out.law.valve.dither = DITHER * valve.inverse if sticks and not shakes else 0.0
