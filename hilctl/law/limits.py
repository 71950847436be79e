"""The limits of a rig and what passing one does. Each names its action; the guard (guards.py) acts on it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

from hilctl.params import Params, Problem, dtype_of, extended, note, number, whole
from hilctl.signals import ALARMS

# The order is that of signals.Action.
ActionName = Literal["warn", "stop", "null"]
_ACTION = note(
    "what passing it does: warn; stop: decelerate, hold, latched; null: ramp the spool, off, latched",
    loosens="down",
)
_TICKS = whole(1, 1000, "", "how many ticks in a row it must be passed", loosens="up")
_SHARE = number(0.001, 1, "", "of the last second: more than that trips, also where it is never in a row", loosens="up")


class Position(Params):
    """The table's travel. The guard adds the distance that stopping takes at `limits.stopping`."""

    min_m: Annotated[float, number(-5, 5, "m", "lowest position", loosens="down")]
    max_m: Annotated[float, number(-5, 5, "m", "highest position", loosens="up")]
    action: Annotated[ActionName, _ACTION] = "stop"
    ticks: Annotated[int, _TICKS] = 2

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """Low below high."""
        if self.min_m >= self.max_m:
            yield Problem(f"{at}.min_m", self.min_m, f"must be below max_m = {self.max_m:g} m")


class Velocity(Params):
    """The table's speed."""

    max_m_s: Annotated[float, number(1e-4, 20, "m/s", "highest speed", loosens="up")]
    action: Annotated[ActionName, _ACTION] = "stop"
    ticks: Annotated[int, _TICKS] = 3


class Acceleration(Params):
    """The table's acceleration."""

    max_m_s2: Annotated[float, number(1e-2, 1000, "m/s²", "highest acceleration", loosens="up")]
    action: Annotated[ActionName, _ACTION] = "stop"
    ticks: Annotated[int, _TICKS] = 5


class Pressure(Params):
    """Either chamber's pressure."""

    max_pa: Annotated[float, number(1e5, 2e8, "Pa", "highest chamber pressure", loosens="up")]
    action: Annotated[ActionName, _ACTION] = "null"
    ticks: Annotated[int, _TICKS] = 5


class TrackingError(Params):
    """How far the table may be from its reference."""

    max_m: Annotated[float, number(1e-5, 1, "m", "largest error of position", loosens="up")]
    action: Annotated[ActionName, _ACTION] = "null"
    ticks: Annotated[int, _TICKS] = 5


class Sensing(Params):
    """Readings that are rejected: not finite, out of range."""

    action: Annotated[ActionName, _ACTION] = "null"
    ticks: Annotated[int, _TICKS] = 3
    share: Annotated[float, _SHARE] = 0.2


class Stuck(Params):
    """A displacement, acceleration or pressure that does not change by a bit though it should (law/stillness.py)."""

    window_s: Annotated[
        float,
        number(
            1e-3, 60, "s", "how long it may stay the same; 30 readings of a pressure that is read more seldom",
            loosens="up",
        ),
    ] = 0.1
    way_m: Annotated[
        float,
        number(
            1e-6, 1, "m", "how far the table may go, or the valve be opened for, meanwhile: a displacement that "
            "stands still is blind", loosens="up",
        ),
    ] = 2e-3
    speed_m_s: Annotated[
        float, number(1e-4, 10, "m/s", "reference speed from which on the table counts as driven", loosens="up")
    ] = 0.01
    runs: Annotated[
        float,
        number(
            2, 1e6, "", "a reading that shows noise at rest before arming: how many times longer than then it may stay "
            "the same", loosens="up",
        ),
    ] = 50.0
    action: Annotated[ActionName, _ACTION] = "null"


class Stale(Params):
    """Readings that are too old."""

    max_s: Annotated[float, number(1e-4, 10, "s", "oldest reading that the law may use", loosens="up")] = 0.05
    action: Annotated[ActionName, _ACTION] = "null"
    ticks: Annotated[int, _TICKS] = 3


class Saturation(Params):
    """A valve command that stays at its limit."""

    max_s: Annotated[float, number(1e-3, 60, "s", "how long the command may be saturated", loosens="up")] = 0.3
    action: Annotated[ActionName, _ACTION] = "stop"


class DriverErrors(Params):
    """Exchanges that fail. Until they trip, the readings that did not come are predicted."""

    action: Annotated[ActionName, _ACTION] = "null"
    ticks: Annotated[int, _TICKS] = 3
    share: Annotated[float, _SHARE] = 0.2


class Overwritten(Params):
    """The device held another command than the one that was sent: something else writes to it."""

    action: Annotated[ActionName, _ACTION] = "null"
    events: Annotated[
        int, whole(1, 1000, "", "how often within a second; steadily more than one a second trips too", loosens="up")
    ] = 3


class Late(Params):
    """Ticks that are missed."""

    action: Annotated[ActionName, _ACTION] = "stop"
    ticks: Annotated[int, whole(1, 100_000, "", "how many missed periods in a row", loosens="up")] = 50
    share: Annotated[float, _SHARE] = 0.2
    rejoin_s: Annotated[
        float,
        number(
            0, 0.1, "s",
            "longest stall after which a motion goes on; a longer one, or several that take it as far off, end it with "
            "a stop",
            loosens="up",
        ),
    ] = 0.025


class Supply(Params):
    """The supply pressure, where the rig measures it."""

    low: Annotated[float, number(0, 1, "", "lowest, as a share of the pressure asked for", loosens="down")] = 0.6
    high: Annotated[float, number(1, 3, "", "highest, as a share of the pressure asked for", loosens="up")] = 1.3
    action: Annotated[ActionName, _ACTION] = "stop"
    ticks: Annotated[int, _TICKS] = 100


class ReadBack(Params):
    """The spool's own position, where the rig measures it, against what the valve should have done."""

    difference: Annotated[
        float, number(0.001, 2, "", "largest difference, as a share of full opening, beyond the dither", loosens="up")
    ] = 0.1
    action: Annotated[ActionName, _ACTION] = "null"
    ticks: Annotated[int, _TICKS] = 5


class Holding(Params):
    """The valve command, against the table's speed: what opens it further and moves nothing, only winds up."""

    opening: Annotated[
        float, number(0.01, 1, "", "largest opening, from null, beyond what the speed explains", loosens="up")
    ] = 0.1
    share: Annotated[
        float,
        number(0.1, 1, "", "share of the no-load speed that an opening gives at the highest load", loosens="down"),
    ] = 0.5
    max_s: Annotated[
        float, number(0.01, 60, "s", "how long it may stay beyond; an opening n times as large: 1/n", loosens="up")
    ] = 0.2
    action: Annotated[ActionName, _ACTION] = "null"


class Escalation(Params):
    """What follows when a trip has brought the table to rest, until it is reset: hold, then null, then off."""

    hold_s: Annotated[float, number(0, 3600, "s", "how long the table is held", loosens="up")] = 10.0
    cause_s: Annotated[
        float, number(0, 60, "s", "the same once a limit is passed while it is held", loosens="up")
    ] = 0.5
    null_s: Annotated[
        float, number(0, 600, "s", "how long the valve then stays at null before the rig is off", loosens="up")
    ] = 0.0


class Drift(Params):
    """How far the accelerometer's zero may wander from where it was at the start, as displacement tells it."""

    max_m_s2: Annotated[float, number(0.01, 1000, "m/s²", "largest change of its zero", loosens="up")] = 5.0
    action: Annotated[ActionName, _ACTION] = "stop"
    ticks: Annotated[int, _TICKS] = 20


class Input(Params):
    """An input that reads 1 while the rig must not run (signals.ALARMS), where the rig has it."""

    action: Annotated[ActionName, _ACTION] = "stop"
    ticks: Annotated[int, _TICKS] = 100


class WarningInput(Params):
    """An input that by default only warns."""

    action: Annotated[ActionName, _ACTION] = "warn"
    ticks: Annotated[int, _TICKS] = 100


class Stopping(Params):
    """How the motion is ended."""

    deceleration_m_s2: Annotated[
        float, number(0.01, 500, "m/s²", "deceleration of a stop, and of the ramp to null", loosens="both")
    ]
    jerk_m_s3: Annotated[float, number(0.1, 1e6, "m/s³", "jerk of a stop", loosens="both")] = 2000.0


class Command(Params):
    """The valve command itself."""

    opening: Annotated[float, number(0.01, 1, "", "largest opening, as a share of full opening", loosens="up")] = 1.0
    slew_per_s: Annotated[float, number(0.1, 1e5, "1/s", "fastest change of the command", loosens="up")] = 1500.0


class Shaping(Params):
    """How motions are shaped on a rig, beyond what stops them: corners of triangles, and approaches."""

    corner_acceleration_m_s2: Annotated[
        float, number(0.01, 500, "m/s²", "acceleration that turns a triangle's corner", loosens="never")
    ] = 20.0
    corner_s: Annotated[
        float,
        number(
            1e-3, 1, "s", "shortest corner: about a period of the hydraulic mode; rules at low speed",
            loosens="never",
        ),
    ] = 0.02
    approach_velocity_m_s: Annotated[
        float, number(1e-4, 20, "m/s", "speed of moves to where a motion begins, and of a plain move", loosens="never")
    ] = 0.1
    approach_acceleration_m_s2: Annotated[
        float, number(1e-3, 500, "m/s²", "acceleration of these moves", loosens="never")
    ] = 1.0


JUDGED = tuple(name for name, alarm in ALARMS.items() if alarm.action)  # inputs that have a limit
_BY_DEFAULT = {"stop": Input(), "warn": WarningInput()}


class _Measured(Params):
    """All limits of a rig."""

    position: Position
    velocity: Velocity
    acceleration: Acceleration
    pressure: Pressure
    tracking_error: TrackingError
    stopping: Stopping
    sensing: Sensing = Sensing()
    stuck: Stuck = Stuck()
    stale: Stale = Stale()
    saturation: Saturation = Saturation()
    driver: DriverErrors = DriverErrors()
    overwritten: Overwritten = Overwritten()
    late: Late = Late()
    holding: Holding = Holding()
    escalation: Escalation = Escalation()
    supply: Supply = Supply()
    read_back: ReadBack = ReadBack()
    drift: Drift = Drift()


if TYPE_CHECKING:
    _Judged = _Measured
else:
    _Judged = extended(
        _Measured, "_Judged", [(name, type(_BY_DEFAULT[ALARMS[name].action]), _BY_DEFAULT[ALARMS[name].action])
                               for name in JUDGED],
    )  # fmt: skip


class Limits(_Judged):
    """All limits of a rig."""

    command: Command = Command()
    shaping: Shaping = Shaping()


RULE = dtype_of(Input)
_fields = dtype_of(Limits).fields
JUDGED_AT = int(_fields[JUDGED[0]][1]) if _fields else 0  # byte of a record of limits from which they follow
