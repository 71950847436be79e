"""What the service can know of the core at any time, as one typed snapshot."""

from functools import cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple

from hilctl.law.state import COMPLETED, STOPPED, TRIPPED
from hilctl.loop.device_link import DeviceLink, device_link
from hilctl.loop.histogram import Quantiles, last_ten_seconds, since_start
from hilctl.loop.layout import STAGES
from hilctl.loop.memory import Memory

_RESULTS = {0: "", COMPLETED: "done", STOPPED: "stopped", TRIPPED: "tripped"}


def _plain(record: Any) -> dict[str, Any]:
    return dict(zip(record.dtype.names, record.item(), strict=True))


class Granted(NamedTuple):
    """What the host gave the loop."""

    fifo: bool
    priority: int
    locked: bool
    cpu: int  # -1: wherever the kernel likes
    awake: bool  # processors are kept out of deep sleep


class CoreStatus:
    """The loop's own account, whole and from one tick, with what the core's main thread said."""

    def __init__(
        self, record: Any, memory: Memory, state: str, messages: tuple[str, ...], told: dict[str, Any]
    ) -> None:
        self.state = state  # starting, compiling, opening, running, ending, ended
        self.messages = messages  # everything the core has said, in order
        self._told = told  # by the keeper, of the link to the device
        self.run = int(memory.header.run)
        self._memory = memory
        self.started = record is not None
        # In one go: of a numpy record each attribute is looked up by its name, which takes microseconds.
        r = SimpleNamespace(**_plain(record if record is not None else memory.loop.status))
        self.tick = r.tick if self.started else -1
        self.time_ns, self.ran, self.missed = r.time_ns, r.ran, r.missed
        self.blamed = dict(zip(STAGES, r.blamed.tolist(), strict=True))
        self.late_in_a_row, self.late_in_a_row_most = r.late_in_a_row, r.late_in_a_row_most
        self.rows: int = r.rows
        self.rows_lost: int = r.rows_lost
        self.request: int = r.request  # id of the last request that this status has seen
        self.standing, self.ending = bool(r.standing), r.ending
        self.mode, self.arming = r.mode, r.arming
        self.motion_id, self.motion_done_id = r.motion_id, r.motion_done_id
        self.motion_result = _RESULTS[r.motion_result]  # how the last that is over has ended
        self.trip, self.trip_tick, self.trip_action = r.trip, r.trip_tick, r.trip_action
        self.trip_value, self.trip_limit = r.trip_value, r.trip_limit
        self.trip_sensor, self.trips, self.warnings = r.trip_sensor, r.trips, r.warnings
        self.epoch, self.blend = r.epoch, r.blend
        self.supply_changes = bool(r.supply_changes)

    @property
    def due(self) -> int:
        """Ticks that were due since the start; each ran or was missed."""
        return self.tick + 1

    @cached_property
    def granted(self) -> Granted:
        """What the host gave the loop."""
        r = self._memory.realtime
        return Granted(bool(r.fifo), int(r.priority), bool(r.locked), int(r.cpu), bool(r.awake))

    @cached_property
    def since_start(self) -> dict[str, Quantiles]:
        """Wake-up, exchange and law since the start; read when asked for."""
        return {name: since_start(self._memory.loop.stages[k]) for k, name in enumerate(STAGES)}

    @cached_property
    def last_ten_seconds(self) -> dict[str, Quantiles]:
        """Wake-up, exchange and law over the last ten seconds."""
        return {name: last_ten_seconds(self._memory.loop.stages[k]) for k, name in enumerate(STAGES)}

    @cached_property
    def device(self) -> DeviceLink:
        """How the link to the device is; read when asked for."""
        return device_link(self._memory, self.time_ns, self._told)
