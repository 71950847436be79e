"""The operations on the queue of motions: one after another, at a time, or on a trigger."""

from collections.abc import Iterator
from typing import Annotated, Literal

from hilctl.params import Params, Problem, note, number, whole
from hilctl.wire.op import LAST, Nothing, Op, Open
from hilctl.wire.roles import Role

MOST = 32  # motions that wait; each holds its plan in memory
LONGEST_WAIT_S = 60.0
DAY_S = 86_400.0


class Start(Params):
    """When a motion of the queue begins, beside its kind and its parameters; none of it: after the one before."""

    kind: Annotated[str, note("a kind of motion, as `describe` lists them; not external")]
    at_tick: Annotated[int, whole(0, LAST, "", "not before this tick; 0: no")] = 0
    at_ns: Annotated[int, whole(0, LAST, "", "not before this wall time of the rig PC, in ns since 1970; 0: no")] = 0
    channel: Annotated[str, note("when this channel of a sample passes `level`; empty: no")] = ""
    edge: Annotated[
        Literal["above", "below", "rising", "falling"],
        note("above, below: also if it is there already; rising, falling: in passing, from one sample to the next"),
    ] = "rising"
    level: Annotated[float, number(-1e15, 1e15, "the channel's", "which level")] = 0.0
    within_s: Annotated[
        float, number(0, DAY_S, "s", "cancelled if it was not passed within this time; 0: waits without end")
    ] = 0.0

    def inconsistencies(self, at: str) -> Iterator[Problem]:
        """At most one of the three."""
        if bool(self.at_tick) + bool(self.at_ns) + bool(self.channel) > 1:
            yield Problem(f"{at}.at_tick", self.at_tick, "at_tick, at_ns, channel: give at most one of them")
        if self.within_s and not self.channel:
            yield Problem(f"{at}.within_s", self.within_s, "is for a channel's level")


class Queued(Params):
    """Which."""

    item: Annotated[int, whole(0, LAST, "", "this one alone; 0: all that wait or run, and the last that are over")] = 0
    wait_s: Annotated[
        float, number(0, LONGEST_WAIT_S, "s", "with item: answer when it is over, or after this long")
    ] = 0.0


class Unqueue(Params):
    """Which."""

    item: Annotated[int, whole(0, LAST, "", "this one and those behind it; 0: all that wait")] = 0


_FIELDS = "kind, parameters, at_tick, at_ns, channel, edge, level, within_s"

QUEUE = (
    Op(
        "queue",
        Nothing,
        "items, as `queued` has them",
        f"puts motions into the queue, all or none: each is checked from where the one before it will rest, and begins "
        f"when that one is over. At most {MOST} wait. `stop`, `hold`, `off`, a trip and any change of the lease cancel "
        "what waits",
        lease=True,
        open=(Open("motions", "maps", f"in order, each {{{_FIELDS}}}; only kind is required"),),
    ),
    Op(
        "queued",
        Queued,
        "items [{item, state, kind, parameters, seconds, text, start, by, motion, tick, due_tick, first, last, why}]",
        "the queue of motions: `state` is waiting, running, done, stopped, tripped, cancelled or gone",
        effect=False,
        role=Role.OBSERVER,
    ),
    Op("unqueue", Unqueue, "cancelled", "cancels motions that wait; the one that runs goes on", lease=True),
)
