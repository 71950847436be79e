"""How a new parameter set takes over without a jump: its real numbers travel from the old to the new ones.

Those of a friction model travel only to others of the same model: halfway between two models is none. A change of
model holds at once; the service lets it in only while nothing makes use of it.
"""

from typing import Any

from hilctl.law.settings import BLENDED, SETTINGS
from hilctl.rt.jit import jit
from hilctl.rt.records import words_of

_WORDS = len(BLENDED)
_MASK = BLENDED
_FRICTION = SETTINGS.fields["friction"][1] // 8
_FRICTION_END = _FRICTION + SETTINGS["friction"].itemsize // 8


@jit()
def rt_adopt_settings(new: Any, now: Any, source: Any, target: Any) -> None:
    """Makes `new` the target; everything that is not blended holds from here on."""
    other = new.friction.code != now.friction.code
    fresh, held, old, aim = words_of(new), words_of(now), words_of(source), words_of(target)
    for i in range(_WORDS):
        aim[i] = fresh[i]
        old[i] = held[i]
        if other and _FRICTION <= i < _FRICTION_END:
            old[i] = held[i] = fresh[i]
        elif not _MASK[i]:
            held[i] = fresh[i]


@jit()
def rt_blend_settings(share: float, now: Any, source: Any, target: Any) -> None:
    """Sets `now` between source and target; `share` from 0 to 1, with a soft start and end."""
    smooth = share * share * share * (10.0 - share * (15.0 - 6.0 * share))
    held, old, aim = words_of(now), words_of(source), words_of(target)
    for i in range(_WORDS):
        if _MASK[i]:
            held[i] = aim[i] if share >= 1.0 else old[i] + smooth * (aim[i] - old[i])
