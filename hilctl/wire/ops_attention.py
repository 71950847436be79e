"""The operations on what asks for a person: alarms, which are acknowledged, and the service's log."""

from typing import Annotated, Literal

from hilctl.params import Params, note, number, whole
from hilctl.wire.op import LAST, Op
from hilctl.wire.roles import Role

LONGEST_WAIT_S = 60.0
LEVELS = ("debug", "info", "warning", "error")  # as the log has them


class Alarms(Params):
    """Which."""

    acknowledged: Annotated[bool, note("those that were acknowledged as well, the newest 256 of them")] = False


class Acknowledge(Params):
    """Somebody has seen it."""

    number: Annotated[int, whole(0, LAST, "", "of the alarm, as `alarms` lists it")]
    before: Annotated[bool, note("all that were raised before it as well")] = False
    comment: Annotated[str, note("what is done about it, for those who read it later")] = ""


class Log(Params):
    """Which lines."""

    first: Annotated[int, whole(0, LAST, "", "number of the first line wanted")] = 0
    level: Annotated[Literal["debug", "info", "warning", "error"], note("lines of this level and above")] = "info"
    since_ns: Annotated[int, whole(0, LAST, "", "none from before this wall time of the rig PC, in ns since 1970")] = 0
    wait_s: Annotated[
        float, number(0, LONGEST_WAIT_S, "s", "while there is none, answer when one comes, or after this long")
    ] = 0.0


ATTENTION = (
    Op(
        "alarms",
        Alarms,
        "alarms [{number, kind, key, text, tick, time_ns, last_ns, count, active, run, earlier, acknowledged}], "
        "unacknowledged",
        "trips, warnings and faults that ask for a person, until somebody acknowledges them, in a later run as well",
        effect=False,
        role=Role.OBSERVER,
    ),
    Op(
        "acknowledge",
        Acknowledge,
        "acknowledged, unacknowledged",
        "somebody has seen these alarms; changes nothing else: a trip is cleared by `reset`",
    ),
    Op(
        "log",
        Log,
        "lines [{number, time_ns, level, logger, text}], next, lost",
        "lines of the service's log, at most 256 a page, of the newest 2048; `next`: where to go on; `lost`: how many "
        "lines after `first` are kept no longer",
        effect=False,
        role=Role.OBSERVER,
    ),
)
