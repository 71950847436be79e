"""The whole controller on the twin, as fast as it goes: the tick's own functions, without the loop that paces them.

Armed on the reference rig's file, then a triangle until stopped: what `real_time` of `hilctl bench twin` means.
"""

import time
from typing import Any

import numpy as np

from firmware_bridge.driver import COMMAND, READINGS, exchange_signature
from firmware_bridge.registry import exchange_of
from hilctl.errors import HilctlError
from hilctl.law.motions import plan
from hilctl.law.requests import REQUEST, RequestKind
from hilctl.law.state import STATE
from hilctl.law.tick import rt_command, rt_request, rt_start, rt_tick
from hilctl.rig import load, motion_limits
from hilctl.rt.jit import jit, loop_type, record_type
from hilctl.signals import SAMPLE, Mode
from sim.driver import TwinDriver

_ARMING_TICKS = 30_000  # half a minute: arming takes a few seconds


def _signature() -> Any:
    """With it, one compilation serves every twin, and is kept."""
    real, loop = record_type(np.dtype(np.float64)), loop_type(exchange_signature())
    law, command, readings, rows = (record_type(kind) for kind in (STATE, COMMAND, READINGS, SAMPLE))
    whole, (_, exchange, twin) = loop.return_type, loop.args
    return whole(law, exchange, twin, command, readings, real[::1], rows[::1], whole, whole)


@jit(_signature, cached=True)
def rt_ticks(
    law: Any, exchange: Any, twin: Any, command: Any, readings: Any, knots: Any, rows: Any, first: int, until: int
) -> int:
    """Ticks from `first` on, as many as there are rows, or until the mode is `until`; the next tick's index."""
    for k in range(len(rows)):
        rt_command(law, command, first + k, 0, 0)
        status = exchange(twin, command, readings)
        rt_tick(law, command, readings, status, knots, rows[k])
        if law.mode == until:
            return first + k + 1
    return first + len(rows)


class ClosedLoop:
    """Law and twin of a rig file, without clock and processes."""

    def __init__(self, rig: str = "table-500", **changes: Any) -> None:
        loaded = load(rig, twin=True, changes=changes)
        self.law, self.command = np.zeros(1, STATE)[0], np.zeros(1, COMMAND)[0]
        self.readings, self._limits = np.zeros(1, READINGS)[0], motion_limits(loaded.controller, loaded.dt_s)
        self._twin = TwinDriver(loaded.driver_config, loaded.facts(virtual=True))  # type: ignore[arg-type]
        self._twin.open()
        self._knots = np.zeros(4)
        self.dt_s, self.tick = loaded.dt_s, 0
        rt_start(self.law, loaded.settings(), 0)

    def run(self, ticks: int, until: int = -1) -> Any:
        """The samples of these ticks; fewer when the mode `until` was reached before."""
        rows = np.zeros(ticks, SAMPLE)
        before = self.tick
        twin, exchange = self._twin.state, exchange_of(self._twin)
        self.tick = rt_ticks(self.law, exchange, twin, self.command, self.readings, self._knots, rows, before, until)
        return rows[: self.tick - before]

    def ask(self, kind: RequestKind, motion: Any = None) -> int:
        """The law's answer to a request."""
        request = np.zeros(1, REQUEST)[0]
        request.kind = kind
        if motion is not None:
            request.motion = motion
        return int(rt_request(self.law, request, self.tick))

    def arm(self) -> None:
        """Off to hold."""
        self.run(2)
        self.ask(RequestKind.ARM)
        last = self.run(_ARMING_TICKS, Mode.HOLD)[-1]
        if last["mode"] != Mode.HOLD:
            raise HilctlError(f"mode {last['mode']}, arming step {last['arming']}, trip {last['trip']}")

    def track(self, kind: str, **request: Any) -> None:
        """A motion until stopped."""
        position = float(self.law.estimate.x)
        made = plan(kind, request, self._limits, position, 1)
        self.ask(RequestKind.TRACK, made.motion)


def seconds_for(ticks: int, rounds: int, **changes: Any) -> tuple[float, list[float]]:
    """The period, and the processor's seconds of each round of so many ticks of a triangle."""
    loop = ClosedLoop(**changes)
    loop.arm()
    loop.track("triangle", speed_m_s=0.1, amplitude_m=0.02)
    loop.run(ticks)
    taken = []
    for _ in range(rounds):
        begin = time.thread_time()
        rows = loop.run(ticks)
        taken.append(time.thread_time() - begin)
        if rows["mode"][-1] != Mode.TRACK:
            raise HilctlError(f"the motion ended: mode {rows['mode'][-1]}, trip {rows['trip'][-1]}")
    return loop.dt_s, taken
