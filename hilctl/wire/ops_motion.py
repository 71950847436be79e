"""The operations that start a motion, look at one beforehand, and bring its numbers."""

from typing import Annotated, Literal

from hilctl.params import Params, note, number, whole
from hilctl.wire.op import LAST, MAX_CHUNK, MAX_POINTS, Op, Open
from hilctl.wire.roles import Role


class Track(Params):
    """A motion."""

    kind: Annotated[str, note("a kind of motion, as `describe` lists them")]


class CheckMotion(Track):
    """A motion, and how it is shown."""

    points: Annotated[
        int, whole(0, MAX_POINTS, "", "of the motion's `preview`, two for each of its parts; 0: no preview")
    ] = 0


class Move(Params):
    """Go somewhere: the parameters of the motion `move`."""

    position_m: Annotated[float, number(-5, 5, "m", "where to go")]
    duration_s: Annotated[float, number(0, 3600, "s", "how long; 0: as the speed, or the rig's approach, allows")] = 0.0
    speed_m_s: Annotated[float, number(0, 20, "m/s", "peak speed; 0: the rig's approach velocity")] = 0.0


class Waveform(Params):
    """An upload, in chunks of little-endian float64."""

    name: Annotated[str, note("what `track waveform` calls it")]
    action: Annotated[Literal["begin", "chunk", "end", "drop"], note("begin, chunks in order, end; or drop")]
    quantity: Annotated[Literal["displacement", "acceleration"], note("with begin: what the numbers are")] = (
        "displacement"
    )
    interval_s: Annotated[
        float,
        number(0, 100, "s", "with begin: time between two values; 0: the numbers are pairs of a time and a value"),
    ] = 0.01
    count: Annotated[int, whole(0, 4_000_000, "", "with begin: how many numbers will come")] = 0
    offset: Annotated[int, whole(0, 4_000_000, "", "with chunk: index of its first number")] = 0


class Feed(Params):
    """More of an external reference, as little-endian float64."""

    motion: Annotated[int, whole(0, LAST, "", "the motion that follows it; 0: the one that runs")] = 0
    first: Annotated[int, whole(0, LAST, "", "number of the first of them, counted from 0")] = 0
    last: Annotated[bool, note("nothing comes after these: the reference comes to rest at the last of them")] = False


_TRACK_ARGS = (Open("parameters", "map", "the motion's parameters, as `describe` lists them for its kind"),)

MOTION = (
    Op(
        "track",
        Track,
        "motion, first, seconds, text, warnings",
        "starts a motion; answers at once, `wait {motion}` says when it is over",
        lease=True,
        open=_TRACK_ARGS,
    ),
    Op("move", Move, "motion, first, seconds, text, warnings", "track, with the kind `move`", lease=True),
    Op(
        "check_motion",
        CheckMotion,
        "seconds, extremes, text, warnings; with `points` also preview {t_s, position_m, velocity_m_s, "
        "acceleration_m_s2}, limits {position_m, velocity_m_s, acceleration_m_s2: {low, high}}, "
        "refused {code, key, message, at_s}",
        "whether `track` would accept this motion; changes nothing. With `points` one that passes a limit is answered "
        "as well, with `refused`",
        effect=False,
        role=Role.OBSERVER,
        open=_TRACK_ARGS,
    ),
    Op(
        "feed",
        Feed,
        "motion, next, ahead_s, delay_s",
        "positions of the motion `external`, in metres; all or none are taken. `ahead_s`: how long the motion can go "
        "on with what has come; `delay_s`: after which the next one is the reference",
        lease=True,
        open=(Open("data", "numbers", f"little-endian float64, at most {MAX_CHUNK} bytes"),),
    ),
    Op(
        "waveform",
        Waveform,
        "name, received, seconds",
        "uploads a displacement or acceleration history",
        lease=True,
        open=(Open("data", "numbers", f"with chunk: little-endian float64, at most {MAX_CHUNK} bytes"),),
    ),
)
