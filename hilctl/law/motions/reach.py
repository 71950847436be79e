"""Whether the valve can give what the inverse model asks for along a motion, and what is done where it cannot.

Where the command would be cut, the table does worse than without the inverse model. How sharp a triangle's corners are
is the plan's choice: they get as wide as the valve needs, within the amplitude. Any other motion stays as it is asked
for, with a warning.
"""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from hilctl.law.limits import Shaping
from hilctl.law.motions.demand import Demand, demand
from hilctl.law.motions.planning import Plan
from hilctl.params import BadValues

ROOM = 0.95  # of limits.command: the rest is for the feedback
WIDER = 1.1  # from one try to the next
_OFF = "`hilctl set law.feed.inverse=0` tracks it without the inverse model"


def within_reach(made: Plan, settings: Any, shaping: Shaping, again: Callable[[Shaping], Plan]) -> Plan:
    """The plan, with wider corners or with a warning where it asks for too much. `again`: plans and checks it for this
    shaping; BadValues where that does not fit.
    """
    asked = demand(made, settings)
    if asked is None or _fits(asked, settings):
        return made
    corner_s = float(made.facts.get("corner_s", 0.0))
    try:
        while corner_s > 0.0:
            corner_s *= WIDER
            wide = again(replace(shaping, corner_s=corner_s))
            found = demand(wide, settings)
            if found is not None and _fits(found, settings):
                wide.text += (
                    f"; corners of {wide.facts['corner_s']:.3g} s instead of {made.facts['corner_s']:.3g} s, in "
                    f"which the inverse model would ask for {_words(asked, settings)}"
                )
                return wide
    except BadValues:
        pass  # the amplitude has no place for wider ones
    made.warnings.append(
        f"the inverse model asks for {_words(asked, settings)}: the command is cut there, and the table may be tracked "
        f"worse than without it; reduce amplitude, speed or frequency, or raise limits.command where the valve does "
        f"more; {_OFF}"
    )
    return made


def _fits(asked: Demand, settings: Any) -> bool:
    command = settings.limits.command
    return bool(asked.opening <= ROOM * command.opening and asked.slew_per_s <= ROOM * command.slew_per_s)


def _words(asked: Demand, settings: Any) -> str:
    """What passes its limit, and when."""
    command, said = settings.limits.command, []
    if asked.opening > ROOM * command.opening:
        said.append(
            f"an opening of {asked.opening:.3g} at t = {asked.opening_s:.3f} s (limits.command.opening is "
            f"{command.opening:g})"
        )
    if asked.slew_per_s > ROOM * command.slew_per_s:
        said.append(
            f"a change of {asked.slew_per_s:.4g} openings a second at t = {asked.slew_s:.3f} s "
            f"(limits.command.slew_per_s is {command.slew_per_s:g})"
        )
    return " and ".join(said)
