"""The law and the twin in one loop, without clock, ring or processes: what the tests of the law run on."""

import math
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from firmware_bridge.driver import COMMAND, READINGS, exchange_signature
from firmware_bridge.registry import exchange_of
from hilctl import rig as rigs
from hilctl.law.motions import MOTIONS, Plan, Samples, Shaping, check_plan, plan
from hilctl.law.motions.reach import within_reach
from hilctl.law.reference import KNOTS
from hilctl.law.requests import REQUEST, Refusal, RequestKind
from hilctl.law.settings import pack_settings
from hilctl.law.state import STATE
from hilctl.law.tick import rt_adopt, rt_command, rt_request, rt_start, rt_tick
from hilctl.params import assign, check
from hilctl.rt.jit import jit, loop_type, record_type
from hilctl.rt.records import as_record, rt_copy
from hilctl.signals import SAMPLE, Mode, Status
from sim.driver import TwinDriver
from sim.twin import STATE as TWIN
from tests.forms import forms  # noqa: F401  a fixture
from tests.unit.law.guarding import guard  # noqa: F401  a fixture


def _signature() -> Any:
    """With it, the law is compiled once for all twins, and kept: it takes twenty seconds."""
    real, flag = record_type(np.dtype(np.float64)), record_type(np.dtype(np.bool_))
    whole, exchange, memory = (loop := loop_type(exchange_signature())).return_type, loop.args[1], loop.args[2]
    law, command, readings, rows = (record_type(kind) for kind in (STATE, COMMAND, READINGS, SAMPLE))
    return whole(law, command, readings, memory, exchange, real[::1], whole, whole, whole, flag, whole, flag, rows[::1],
                 real[:, ::1])  # fmt: skip


@jit(_signature, cached=True)
def _rt_ticks(law: Any, command: Any, readings: Any, driver: Any, exchange: Any, knots: Any, first: int, skip: int,
              first_skip: int, exchanged: bool, nan_every: int, deaf: bool, rows: Any, truth: Any) -> int:
    """`rows.size` ticks in a row; `skip` periods are skipped before each. Also what the plant really does, and what of
    its command no cause explains. Returns the next tick."""
    tick = first
    for k in range(rows.size):
        rt_command(law, command, tick, first_skip if k == 0 else skip, 0)
        status = exchange(driver, command, readings)
        if deaf:
            status = Status.TIMEOUT.value
        if exchanged:
            readings.pressure_a_pa, readings.pressure_b_pa = readings.pressure_b_pa, readings.pressure_a_pa
        if nan_every > 0 and k % nan_every == 0:
            readings.displacement_m = math.nan
        rows[k].tick = tick
        rt_tick(law, command, readings, status, knots, rows[k])
        twin = as_record(driver, TWIN)
        truth[k, 0], truth[k, 1], truth[k, 2] = twin.plant.x, twin.plant.v, law.effort.beyond
        tick += 1 + skip
    return tick


class Table:
    """A rig and its twin."""

    def __init__(self, rig: str = "table-500", **changes: Any) -> None:
        self.rig = rigs.load(rig, twin=True, changes=changes)
        self.driver = TwinDriver(self.rig.driver_config, self.rig.facts())
        self.driver.open()
        self.exchange = exchange_of(self.driver)
        self.law = np.zeros(1, STATE)[0]
        self.command, self.readings = np.zeros(1, COMMAND)[0], np.zeros(1, READINGS)[0]
        self.knots = np.zeros(KNOTS)
        self.controller, self.friction, self.dt_s = self.rig.controller, self.rig.friction, self.rig.dt_s
        self.epoch, self.next_tick, self.motions = 1, 1, 0
        self.truth = np.zeros((0, 3))
        self.exchanged = False  # the pressures' plugs
        rt_start(self.law, self.rig.settings(), 0)

    def run(self, seconds: float, skip: int = 0, first_skip: int = -1, nan_every: int = 0, deaf: bool = False) -> Any:
        """Lets time pass; the samples. `first_skip` periods are skipped before the first; each so many ticks
        displacement shows no number. `deaf`: commands arrive, and no answer does.
        """
        first_skip = skip if first_skip < 0 else first_skip
        self.next_tick += first_skip - skip
        rows = np.zeros(max(1, round(seconds / self.dt_s / (1 + skip))), SAMPLE)
        self.truth = np.zeros((rows.size, 3))
        _rt_ticks(self.law, self.command, self.readings, self.driver.state, self.exchange, self.knots,
                  self.next_tick, skip, first_skip, self.exchanged, nan_every, deaf, rows, self.truth)
        self.next_tick += rows.size * (1 + skip)
        return rows.view(np.recarray)

    def ask(self, kind: RequestKind, **fields: Any) -> Refusal:
        """A request, as the mailbox would bring it."""
        request = np.zeros(1, REQUEST)[0]
        request.kind = kind
        for name, value in fields.items():
            if name == "motion":
                rt_copy(value, request.motion)
            else:
                request[name] = value
        return Refusal(rt_request(self.law, request, self.next_tick - 1))

    def arm(self, seconds: float = 4.0) -> Any:
        """Off to hold; the samples of arming, of its last part where loud sensors make it longer."""
        self.run(0.01)
        assert self.ask(RequestKind.ARM) == Refusal.ACCEPTED
        rows = self.run(seconds)
        if rows.mode[-1] == Mode.STANDBY:
            rows = self.run(seconds)
        assert rows.mode[-1] == Mode.HOLD, (Mode(rows.mode[-1]), self.trip)
        return rows

    def track(self, kind: str, samples: Samples | None = None, **request: Any) -> Any:
        """Starts a motion that was planned and checked as the service does; the plan. `samples` of a waveform."""
        self.motions += 1
        made = check(MOTIONS[kind], request)
        limits = rigs.motion_limits(self.controller, self.dt_s)

        def checked(shaping: Shaping) -> Plan:
            here = float(self.law.estimate.x)
            planned = plan(kind, made, replace(limits, shaping=shaping), here, self.motions, samples)
            check_plan(planned, limits)
            return planned

        planned = within_reach(checked(limits.shaping), self.settings(), limits.shaping, checked)
        self.knots[: len(planned.knots)] = planned.knots
        assert self.ask(RequestKind.TRACK, motion=planned.motion) == Refusal.ACCEPTED
        return planned

    def settings(self) -> Any:
        """As the loop reads them."""
        return pack_settings(self.controller, self.friction, self.dt_s, self.epoch)

    def set(self, **changes: Any) -> None:
        """A new parameter set; a double underscore stands for the dot."""
        self.controller = assign(self.controller, {key.replace("__", "."): v for key, v in changes.items()})
        self.epoch += 1
        rt_adopt(self.law, self.settings())

    @property
    def trip(self) -> int:
        """The latched trip."""
        return int(self.law.guard.trip)


@pytest.fixture
def table() -> type[Table]:
    """Makes tables: `table(**{"twin.faults.reversed": True})`."""
    return Table
