"""The recording of a run: every row with its readings, the controller's state, and what the loop took, as a service
records them."""

from pathlib import Path
from typing import Any

import numpy as np

from hilctl.errors import HilctlError
from hilctl.law.motions import Plan
from hilctl.loop.link import Link
from hilctl.loop.status import CoreStatus
from hilctl.recording.layout import Event, Header, Known, Taken
from hilctl.rig import Rig
from hilctl.service.inputs import TYPES
from hilctl.service.store import values_of
from hilctl.signals import Trip
from hilctl.study.plan import Motion
from hilctl.trips import sentence


class Recorded:
    """Collects a run, and writes it."""

    def __init__(self) -> None:
        self._tables: list[Any] = []
        self._inputs: list[Taken] = []
        self._known: Known | None = None
        self._events: list[Event] = []
        self._run = 0

    def begin(self, link: Link) -> bool:
        """The controller's state, before anything was asked for; whether it is there."""
        if self._known is None:
            self._run = link.status.run
            link.snapshot()
            ready = link.snapshot_ready()
            self._known = Known(*ready) if ready is not None else None
        return self._known is not None

    def take(self, samples: Any, readings: Any) -> None:
        """Rows as they lie in the ring."""
        self._tables.append(np.concatenate([samples, readings], axis=1))

    def follow(self, link: Link) -> None:
        """What the loop took since the last call."""
        self._inputs += [Taken(*one) for one in link.intakes()]

    def planned(self, motion: Motion, plan: Plan, tick: int) -> None:
        """A motion is about to begin."""
        number = int(plan.motion.id)
        self._event("planned", tick, {"motion": number, "text": plan.text, "motion_kind": motion.kind,
                                      "parameters": motion.parameters})  # fmt: skip
        self._event("motion", tick, {"motion": number, "first": tick})

    def over(self, plan: Plan, status: CoreStatus) -> None:
        """It is over."""
        why = "done" if status.motion_done_id == int(plan.motion.id) and not status.trip else "trip"
        self._event("motion_over", status.tick, {"motion": int(plan.motion.id), "why": why, "last": status.tick})

    def tripped(self, status: CoreStatus, rig: Rig) -> None:
        """The trip that is latched, if any."""
        if status.trip:
            trip = Trip(status.trip)
            text = sentence(trip, status.trip_value, status.trip_limit, controller=rig.controller)
            self._event("trip", status.trip_tick, {"trip": trip.name.lower(), "text": text})

    def _event(self, kind: str, tick: int, body: dict[str, Any]) -> None:
        self._events.append(Event(len(self._events) + 1, kind, tick, 0, body))

    def write(self, path: Path, rig: Rig, told: str) -> None:
        """The file, in place of one that is there."""
        from hilctl.recording.writer import Writer
        from hilctl.service.assemble import schema

        known = self._known
        if known is None:
            raise HilctlError(f"{path}: the controller gave no state to begin from; nothing is recorded")
        header = Header(
            rig.name, f"{rig.text}# {told}\n", f"{self._run:x}", schema(), rig.tables.loop.rate_hz, "virtual", 1,
            values_of(rig), known.tick, known.state, types=TYPES,
        )  # fmt: skip
        path.unlink(missing_ok=True)
        writer = Writer(path, header, known.row)
        rows = np.concatenate(self._tables)[known.row :]
        inputs: list[Taken | Known] = [known, *(one for one in self._inputs if one.number >= known.taken)]
        writer.write([(known.row, rows)], self._events, [], inputs)
        writer.close()
