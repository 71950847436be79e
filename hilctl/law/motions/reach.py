"""Whether the valve can give what a motion asks for, and what is done where it cannot.

Where the command is cut, or the spool is late because it cannot go so fast, the table may do worse with the inverse
model than without. Three things are done, in this order, and the plan says so:

- How sharp a triangle's corners are is the plan's choice: they get as wide as the valve needs, within the amplitude.
- What the valve cannot give by far is limited: the inverse model acts by the share that does no harm (HARM).
- In between the motion stays as it is asked for, with a warning.

`law.feed.inverse_from_m_s` and its like say along which motions the inverse model acts at all.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from msgspec.structs import replace

from hilctl.law.limits import Shaping
from hilctl.law.motions.demand import Demand, demand
from hilctl.law.motions.planning import Plan
from hilctl.params import BadValues


class Room(NamedTuple):
    """How far a motion may go."""

    opening: float  # times limits.command.opening
    slew: float  # times limits.command.slew_per_s
    late: float  # openings that the spool may be late by


# Reference rig, Karnopp and LuGre, 2026-11-26: below FREE nothing is lost; up to HARM the whole inverse model is better
# than a part of it, with spools of 30 to 100 1/s, valves of 200 and 350 rad/s, a command of 150 1/s.
FREE, HARM = Room(0.95, 0.95, 0.001), Room(1.0, 1.25, 0.02)
PRESSURE_ROOM = 0.8  # of the supply: beyond it the inverse model counts on no less drop across an edge
WIDER = 1.1  # from one try to the next
WIDEST = 5.0  # times the corner that was asked for
_PATIENCE = 4  # wider corners in a row that ask for no less than the best so far: friction alone decides
_HALVINGS = 6  # of the inverse model's share
_OFF = "`hilctl set law.feed.inverse=0` tracks it without the inverse model"

Good = Callable[[Plan], bool]
Most = Callable[[Good], str]


def within_reach(
    made: Plan, settings: Any, shaping: Shaping, again: Callable[[Shaping], Plan], most: Most = lambda good: ""
) -> Plan:  # fmt: skip
    """The plan, with wider corners, with less of the inverse model, or with a warning, where the valve cannot follow.

    `again`: plans and checks it for this shaping; BadValues where that does not fit. `most`: says in words up to which
    amplitude and the like a plan is good.
    """
    unscheduled = outside_schedule(made, settings.law.feed) if settings.law.feed.inverse > 0.0 else ""
    share = 0.0 if unscheduled else 1.0
    wide = _wider(made, settings, shaping, share, again)
    if wide is None and share > 0.0:
        wide = _wider(made, settings, shaping, 0.0, again)
    made = wide or made
    share = _limited(made, settings, share, most)
    if unscheduled:
        made.text += f"; without the inverse model: {unscheduled}"
    made.motion.without_inverse = 1.0 - share
    _noted(made, settings, share)
    return made


def outside_schedule(made: Plan, feed: Any) -> str:
    """Why the inverse model does not act along this motion; nothing where it does."""
    facts = made.facts
    if made.kind == "external":
        return ""
    if made.kind == "sine":
        hz = 1.0 / facts["period_s"]
        return _outside(hz, hz, feed.inverse_from_hz, feed.inverse_to_hz, "hz", "Hz")
    if made.kind == "chirp":
        slowest, fastest = facts["slowest_hz"], facts["fastest_hz"]
        return _outside(slowest, fastest, feed.inverse_from_hz, feed.inverse_to_hz, "hz", "Hz")
    speed = facts.get("speed_m_s", float(made.motion.peak_m_s))
    return _outside(speed, speed, feed.inverse_from_m_s, feed.inverse_to_m_s, "m_s", "m/s")


def _outside(least: float, most: float, low: float, high: float, suffix: str, unit: str) -> str:
    """A span against the one in which the inverse model acts, but for rounding."""
    if least < low * (1.0 - 1e-6):
        return f"{least:.4g} {unit} is below law.feed.inverse_from_{suffix} = {low:g} {unit}"
    if most > high * (1.0 + 1e-6):
        return f"{most:.4g} {unit} is above law.feed.inverse_to_{suffix} = {high:g} {unit}"
    return ""


def _wider(
    made: Plan, settings: Any, shaping: Shaping, share: float, again: Callable[[Shaping], Plan]
) -> Plan | None:  # fmt: skip
    """The same with corners that the valve can turn; None where it can, or where no corner does."""
    asked = demand(made, settings, share)
    least, tries = _passed(asked, settings, FREE), 0
    first_s = corner_s = float(made.facts.get("corner_s", 0.0))
    try:
        while asked is not None and least > 1.0 and 0.0 < corner_s < WIDEST * first_s and tries < _PATIENCE:
            corner_s *= WIDER
            wide = again(replace(shaping, corner_s=corner_s))
            now = _passed(demand(wide, settings, share), settings, FREE)
            if now <= 1.0:
                wide.text += (
                    f"; corners of {wide.facts['corner_s']:.3g} s instead of {made.facts['corner_s']:.3g} s, in which "
                    f"the valve would have to give {_words(asked, settings, FREE)}"
                )
                return wide
            tries = 0 if now < least else tries + 1
            least = min(least, now)
    except BadValues:
        pass  # the amplitude has no place for wider ones
    return None


def _limited(made: Plan, settings: Any, share: float, most: Most) -> float:
    """The share of the inverse model that does no harm; 0 where the motion alone asks for too much."""

    def good(plan: Plan, room: Room = FREE, share: float = share) -> bool:
        return _passed(demand(plan, settings, share), settings, room) <= 1.0

    asked = demand(made, settings, share)
    if asked is None or good(made):
        return share
    acts, reduce = share * float(settings.law.feed.inverse), "reduce amplitude, speed or frequency"
    alone = demand(made, settings, 0.0)
    if alone is not None and not good(made, share=0.0):
        stays, share = (", and the inverse model stays off", 0.0) if acts > 0.0 else ("", share)
        made.warnings.append(
            f"the motion alone asks for {_words(alone, settings, FREE)}: the valve cannot follow{stays}; {reduce}"
            f"{_up_to(most(lambda plan: good(plan, share=0.0)))}"
        )
        return share
    words = _words(asked, settings, FREE)
    further = f"{reduce}{_up_to(most(good))}, or raise the limit where the valve does more; {_OFF}"
    if good(made, HARM):
        made.warnings.append(f"the inverse model asks for {words}: the valve gives a little less; {further}")
        return share
    low, high = 0.0, share
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if good(made, HARM, middle) else (low, middle)
    share = math.floor(100.0 * low) / 100.0
    limited = f"acts by {100 * share:.0f} %" if share > 0.0 else "stays off"
    made.warnings.append(
        f"the inverse model {limited} along this motion: whole, it would ask for {words}; {further}"
    )
    return share


def _up_to(words: str) -> str:
    return f" (to {words})" if words else ""


def _noted(made: Plan, settings: Any, share: float) -> None:
    """The demand among the plan's facts, and a warning of a pressure that the inverse model does not count on."""
    asked, acts = demand(made, settings, share), share * float(settings.law.feed.inverse)
    if asked is None:
        return
    made.facts |= {
        "valve_opening": asked.opening, "command_slew_per_s": asked.slew_per_s, "spool_slew_per_s": asked.spool_per_s,
        "spool_late": asked.late, "load_pressure_pa": asked.pressure_pa, "inverse_share": acts,
    }  # fmt: skip
    if acts > 0.0 and asked.pressure_pa > PRESSURE_ROOM * settings.machine.Ps:
        made.warnings.append(
            f"the motion needs a load pressure of {asked.pressure_pa:.4g} Pa at t = {asked.pressure_s:.3f} s "
            f"(machine.Ps is {settings.machine.Ps:g}): above {100 * PRESSURE_ROOM:.0f} % of it the inverse model gives "
            "less flow than is needed; reduce amplitude or frequency, or raise the supply pressure"
        )


def _ratios(asked: Demand, settings: Any, room: Room) -> Iterator[tuple[float, str]]:
    """What is asked for against what there is room for, and in words."""
    command = settings.limits.command
    yield asked.opening / (room.opening * command.opening), (
        f"an opening of {asked.opening:.3g} at t = {asked.opening_s:.3f} s (limits.command.opening is "
        f"{command.opening:g})"
    )
    yield asked.slew_per_s / (room.slew * command.slew_per_s), (
        f"a change of {asked.slew_per_s:.4g} openings a second at t = {asked.slew_s:.3f} s "
        f"(limits.command.slew_per_s is {command.slew_per_s:g})"
    )
    yield asked.late / room.late, (
        f"a spool speed of {asked.spool_per_s:.4g} openings a second at t = {asked.spool_s:.3f} s (machine.slew_per_s "
        f"is {settings.machine.slew_per_s:g}, which makes it late by {100 * asked.late:.2g} % of full opening)"
    )


def _passed(asked: Demand | None, settings: Any, room: Room) -> float:
    """The greatest of the ratios; above 1, the valve cannot follow."""
    return 0.0 if asked is None else float(max(ratio for ratio, _ in _ratios(asked, settings, room)))


def _words(asked: Demand, settings: Any, room: Room) -> str:
    return " and ".join(words for ratio, words in _ratios(asked, settings, room) if ratio > 1.0)
