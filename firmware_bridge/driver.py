"""The contract between the loop and a rig, and the null driver, which shows all of it.

A driver is a class with a `Config` (the declaration of its own table in the rig file) and these methods. Everything but
`exchange` runs outside the tick and may use all of Python. `exchange` is one compiled function; it is called once a
tick on the real-time thread, sends the command, fills the readings, returns a `Status`, and never waits past
`deadline_ns`.

`open`, `check` and `arm` are called at the start, and again after `close` where the loop has lost the link: never while
an exchange runs. CLOSED means that no reading
comes until then. `state` is always the same array.

A driver that counts may have one method more, `health() -> dict`: plain values read out of `state` once a second for
`hilctl status`, while the exchange runs; its `reason` gives what closed the link.

Signs: a positive command moves the table in positive displacement and makes pressure A exceed pressure B.
"""

from typing import Any, ClassVar, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError
from hilctl.params import Params, record_of
from hilctl.rt.jit import jit, record_type
from hilctl.rt.records import as_record
from hilctl.signals import SENSOR_KINDS, SENSORS, Status

COMMAND: "np.dtype[Any]" = record_of(
    [
        ("valve", np.float64),  # -1 to 1, of full opening
        ("enable", np.int64),  # 0 or 1
        ("supply", np.int64),  # 0 off, 1 low pressure, 2 high pressure
        ("tick", np.int64),  # index of this tick: the sequence number of the command
        ("periods", np.int64),  # periods since the last exchange, 1 when none was skipped
        ("deadline_ns", np.int64),  # CLOCK_MONOTONIC instant at which exchange must have returned
    ]
)

READINGS: "np.dtype[Any]" = record_of(
    [
        *((kind.channel, np.float64) for kind in SENSOR_KINDS),  # nan where the rig has no such sensor
        ("age_ns", np.int64, (len(SENSORS),)),  # of each reading above, at the return of exchange
        ("device_tick", np.int64),  # the device's own counter; a repeat is a stale sample
        ("lost", np.int64),  # commands lost, counted by the device since the session began; 0: not counted
    ]
)


OUTPUTS = ("valve", "enable", "supply")
TRIES = 3  # with a request outside the tick: links lose answers


class DriverError(HilctlError):
    """A device that cannot be reached, or differs from the rig file. The message says what to check."""


class Note(str):
    """A statement of `check` for a person to read; it does not prevent arming."""

    __slots__ = ()


def complaints(statements: list[str]) -> list[str]:
    """The statements of `check` that prevent arming."""
    return [text for text in statements if not isinstance(text, Note)]


class RigFacts(NamedTuple):
    """What a driver may know of the rig beyond its own table."""

    name: str
    rate_hz: float
    tables: dict[str, Any]  # the rig file's checked tables, by name: machine, friction, sensors, limits
    virtual: bool = False  # the clock is virtual: the driver must be a simulation
    at: str = "driver"  # where the driver's own table stands in the rig file
    takes: tuple[str, ...] = OUTPUTS  # of the command; a part of a mixed rig may take less
    exchange_share: float = 0.8  # of a period: how long after its deadline an exchange may last


class Has(NamedTuple):
    """The signals that a driver's own table describes."""

    readings: tuple[str, ...]  # of SENSORS
    outputs: tuple[str, ...]  # of OUTPUTS
    waits: bool  # its exchange waits for answers; one that does not never holds up a tick


@runtime_checkable
class Driver(Protocol):
    """What the core calls. `state` and `exchange` are read once, after `open`."""

    Config: ClassVar[type[Params]]
    state: npt.NDArray[np.uint8]  # owned by the driver, given to every exchange

    def open(self) -> None:
        """Connects to the device and identifies it; raises DriverError."""

    def check(self) -> list[str]:
        """Every difference between this device and the rig file; empty when there is none. A `Note` only informs."""

    def arm(self) -> None:
        """Sets the device's watchdog; from here on a silent host means a safe output."""

    def disarm(self) -> None:
        """Null command, not enabled, by any way that is left."""

    def close(self) -> None:
        """Releases the port. May be called at any time, more than once."""

    @property
    def exchange(self) -> Any:
        """The compiled function: `int64(uint8[::1] state, Command, Readings)`."""


def exchange_signature() -> Any:
    """numba's signature of every driver's exchange."""
    from hilctl.rt.jit import exchange_type

    return exchange_type(record_type(COMMAND), record_type(READINGS))


NULL_STATE = record_of([("exchanges", np.int64)])


@jit(exchange_signature, cached=True)
def rt_null_exchange(state: Any, command: Any, readings: Any) -> int:
    """Accepts every command; the table never moves."""
    own = as_record(state, NULL_STATE)
    own.exchanges += command.periods
    readings.displacement_m = readings.acceleration_m_s2 = 0.0
    readings.pressure_a_pa = readings.pressure_b_pa = 0.0
    readings.device_tick = own.exchanges
    return Status.OK


class NullDriver:
    """Thirty lines to copy: a rig that is always there and does nothing."""

    class Config(Params):
        """Nothing to set."""

    def __init__(self, config: Config, rig: RigFacts) -> None:
        self.state = np.zeros(NULL_STATE.itemsize, np.uint8)
        self.exchange = rt_null_exchange

    def open(self) -> None:
        pass

    def check(self) -> list[str]:
        return []

    def arm(self) -> None:
        pass

    def disarm(self) -> None:
        pass

    def close(self) -> None:
        pass
