"""The client's methods, as learning uses them, over the law and its twin in one thread: with the truth beside the
samples, and a payload that may change from drive to drive.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from hilctl import rig as rigs
from hilctl.client import Motion, Outcome
from hilctl.errors import HilctlError
from hilctl.law.motions import check_plan, plan, samples_of
from hilctl.law.requests import Refusal, RequestKind
from hilctl.learning.played import cycles_of
from hilctl.learning.wanted import Wanted
from hilctl.params import flatten
from hilctl.trips import Trip
from hilctl.wire.errors import refusal_of
from sim.driver import record
from tests.unit.law.conftest import Table

_REST_S = 0.2  # fetched behind a motion


class TableRig:
    """As `hilctl.client.Client`."""

    def __init__(self, **changes: Any) -> None:
        self.table = Table(**changes)
        self.hello = {"rate_hz": 1 / self.table.dt_s, "rig": self.table.rig.name, "clock": "virtual"}
        self.uploads: dict[str, Any] = {}
        self.tracked: list[Motion] = []
        self.before: Callable[[int], None] = lambda drive: None  # the drive's number, before it begins
        self.drives, self.end = 0, 0
        self.table.arm(8.0)
        self._run(1.0)

    def _run(self, seconds: float) -> None:
        self.rows = self.table.run(seconds).copy()
        self.truth = self.table.truth.copy()
        self.first, self.end = self.end, self.end + len(self.rows)

    def carry(self, factor: float) -> None:
        """So many times the mass, from now on."""
        cylinder = record(self.table.driver.state).plant.cylinder
        cylinder.m, cylinder.per_mass = cylinder.m * factor, cylinder.per_mass / factor

    def get(self, *keys: str) -> dict[str, Any]:
        friction = self.table.friction
        values = {**flatten(self.table.controller), "friction.model": friction.model,
                  **flatten(friction.params, "friction")}  # fmt: skip
        return {k: v for k, v in values.items() if not keys or any(k == one or k.startswith(f"{one}.") for one in keys)}

    def set(self, values: dict[str, Any], origin: str = "") -> None:
        self.table.set(**{key.replace(".", "__"): value for key, value in values.items()})
        self._run(1.0)

    def status(self) -> dict[str, Any]:
        trip = self.table.trip
        return {"epoch": self.table.epoch, "mode": "hold", "history": {"end": self.end}, "core": {"missed": 0},
                "trip": {"name": Trip(trip).name.lower(), "text": "in a test"} if trip else None,
                "link": {"errors": {}, "exchanges": 0}}  # fmt: skip

    def pass_time(self, seconds: float) -> None:
        self._run(seconds)

    def upload(self, name: str, values: Any, quantity: Any, *, interval_s: float = 0.0) -> None:
        self.uploads[name] = samples_of(values, quantity, interval_s=interval_s)

    def check_motion(self, kind: str, **parameters: Any) -> Any:
        try:
            return self._planned(kind, parameters)
        except HilctlError as refused:
            raise refusal_of(refused) from None

    def _planned(self, kind: str, parameters: dict[str, Any]) -> Any:
        t = self.table
        limits = rigs.motion_limits(t.controller, t.dt_s)
        made = plan(kind, parameters, limits, float(self.rows["xr_m"][-1]), len(self.tracked) + 1,
                    self.uploads.get(parameters.get("upload", "")))  # fmt: skip
        return made, check_plan(made, limits, rigs.flow(t.controller, t.friction))

    def track(self, kind: str, **parameters: Any) -> Motion:
        made, extremes = self._planned(kind, parameters)
        if kind == "waveform":
            self.before(self.drives)
            self.drives += 1
        self.table.knots[: len(made.knots)] = made.knots
        assert self.table.ask(RequestKind.TRACK, motion=made.motion) == Refusal.ACCEPTED
        self._run(made.duration_s + _REST_S)
        motion = Motion(len(self.tracked) + 1, self.first, made.duration_s, made.text, dict(made.facts), extremes)
        self.tracked.append(motion)
        return motion

    def wait(self, motion: Motion) -> Outcome:
        return Outcome("tripped" if self.table.trip else "done", self.first, self.end - 1, 0, "", "hold")

    def samples(self, first: int, last: Any = None, channels: Any = (), *, keep: bool = False) -> dict[str, Any]:
        assert first == self.first
        return {channel: np.array(self.rows[channel]) for channel in channels}

    def true_error_percent(self, wanted: Wanted, highest_hz: float) -> float:
        """The last drive's rms error of the table's true acceleration, up to this frequency; of a motion that repeats
        without its fundamental, as its distortion.
        """
        cycles, before_s = cycles_of(wanted)
        n = 4 * len(wanted.x) * cycles
        t = self.tracked[-1].facts["first_sample_s"] + before_s + wanted.seconds * cycles / n * np.arange(n)
        at = t / self.table.dt_s + float(self.table.law.lead) - 1.0  # as late is the reference of its first row
        a = np.interp(at, np.arange(len(self.rows)), np.gradient(self.truth[:, 1], self.table.dt_s))
        a = np.fft.rfft(a)[: cycles * len(wanted.hz) : cycles] / n
        w = 2 * np.pi * wanted.hz
        inside = (wanted.hz > 0) & (wanted.hz <= highest_hz)
        if wanted.repeats:
            inside[1] = False
        missing = float(np.sum(np.abs(a + w**2 * wanted.lines)[inside] ** 2))
        whole = np.abs(w**2 * wanted.lines) ** 2
        return 100 * float(np.sqrt(missing / (whole[1] if wanted.repeats else np.sum(whole[inside]))))
