"""The user's choices for a model's parameters, in place of a rig's defaults: fixed, freed or tied.

    chosen(choices, fixed={"m": 500.0}, free={"A": None}, tied={"Ctc": (0.1, {"Kc": 1.0})})

A parameter that is freed starts where the rig file has it, between the bounds that are given, or a factor of five
about it.
"""

from collections.abc import Iterator, Mapping, Sequence

from hilctl.identify.dynamics.grey.parameters import Choice, Choices, Fixed, Free, Tied
from hilctl.params import BadValues, Problem, nearest

ABOUT = 5.0  # times and part: the bounds of a parameter that is freed without any

Bounds = tuple[float, float]
Tie = tuple[float, dict[str, float]]  # a factor, and others each to its power


def chosen(
    choices: Choices, *, fixed: Mapping[str, float], free: Mapping[str, Bounds | None], tied: Mapping[str, Tie],
    keys: Mapping[str, str],
) -> dict[str, Choice]:  # fmt: skip
    """The choices. `keys`: the rig file's keys, which are as good as names. BadValues names what is wrong."""
    ours = {key.removeprefix("machine."): name for name, key in keys.items()}

    def name_of(text: str) -> str:
        bare = text.removeprefix("machine.")
        return bare if bare in choices else ours.get(bare, bare)

    named = [(f"{way}.{text}", name_of(text)) for way, told in (("fix", fixed), ("free", free), ("tie", tied))
             for text in told]  # fmt: skip
    others = [(f"tie.{text}", name_of(other)) for text, (_, powers) in tied.items() for other in powers]
    problems = [*_strangers(choices, named + others), *_twice(named)]
    if problems:
        raise BadValues(problems)
    made = dict(choices)
    made |= {name_of(text): Fixed(float(value)) for text, value in fixed.items()}
    for text, bounds in free.items():
        made[name_of(text)] = _free(f"free.{text}", choices[name_of(text)], bounds)
    for text, (factor, powers) in tied.items():
        made[name_of(text)] = Tied(factor, {name_of(other): power for other, power in powers.items()})
    return made


def _strangers(choices: Choices, named: Sequence[tuple[str, str]]) -> Iterator[Problem]:
    for place, name in named:
        if name not in choices:
            limit = f"no such parameter; there are {', '.join(choices)}"
            yield Problem(place, name, limit, nearest(name, list(choices)))


def _twice(named: Sequence[tuple[str, str]]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for place, name in named:
        if name in seen:
            yield Problem(place, name, f"is asked for by {seen[name]} as well", "say one of them")
        seen[name] = place


def _free(place: str, before: Choice, bounds: Bounds | None) -> Free:
    if isinstance(before, Free):
        start, low, high = before
    else:
        start = before.value if isinstance(before, Fixed) else 0.0
        low, high = start / ABOUT, start * ABOUT
    if bounds is not None:
        low, high = bounds
        if not low < high:
            raise BadValues([Problem(place, f"{low:g}:{high:g}", "must be LOW:HIGH, the lower one first")])
        if not low <= start <= high:
            start = (low * high) ** 0.5 if low > 0 else 0.5 * (low + high)
    if not low < high:
        raise BadValues([Problem(place, start, "has no size in the rig file", "give its bounds, LOW:HIGH")])
    return Free(start, low, high)
