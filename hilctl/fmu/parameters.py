"""Which keys of [twin] become parameters of the unit, and what each does to the twin's record.

The twin's record is derived from its keys in Python (`sim/driver.py`), once; C must not derive it again. So each key is
varied here, and the record filled with it. A key becomes a parameter where every word that it changes follows one of
two rules, over all the values that were tried, the ends of its range among them:

    set      word = a + b x           the word depends on this key alone
    scale    word = start (x/x0)^b    the word may depend on several keys, as a product of their powers

and where parameters that are changed together give what the rules say. Other keys (a bandwidth, a delay, a natural
frequency of the valve) are fixed in the unit; `--set` gives them another value when it is written.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from hilctl.errors import HilctlError
from hilctl.params import Leaf, leaves, real_words
from sim.driver import fill
from sim.settings import TwinConfig
from sim.twin import SHOWN, STATE

Words = npt.NDArray[np.float64]

_POWERS = (1.0, -1.0, 2.0, -2.0, 0.5, -0.5)
_LINES = ((0.0, 1.0), (1.0, 1.0), (0.0, 0.5), (0.0, -1.0))  # a, b that words are copied with
_NEAR = 1e-12  # relative: of a power, in double precision
_TOGETHER = 1e-11  # relative: of a product of several
_DRAWS = 16  # combinations that are tried
_WIDE = 2.0  # a scaled parameter goes from its start value by this factor either way
_INITIAL = ("cylinder.position_m",)  # with a spring the initial pressures depend on it and on others, as a sum
_ASIDE = 1e-3  # of the range: where a parameter that starts at 0 is tried together with the others


class Effect(NamedTuple):
    """What a parameter does to so many words of the record, from `word` on."""

    parameter: int
    word: int
    words: int
    rule: str  # SET or SCALE
    a: float
    b: float


class Parameter(NamedTuple):
    """A key of the rig file that can be changed in the unit."""

    name: str
    start: float
    low: float
    high: float
    unit: str
    meaning: str
    tunable: bool  # it may change while the unit runs: it has no share in the initial state


class Parameters(NamedTuple):
    """The parameters, and their effects on the record."""

    listed: list[Parameter]
    effects: list[Effect]


def filled(config: TwinConfig, period_s: float) -> Words:
    """The twin's record as words; what a sensor first shows is left out, it follows from the rest."""
    state = np.zeros(STATE.itemsize, np.uint8)
    fill(state, config, period_s)
    return state.view(np.float64)


def parameters_of(config: TwinConfig, period_s: float) -> Parameters:
    """All of the twin's."""
    start = filled(config, period_s)
    real = _mask().copy()
    shown_at = STATE.fields["shown"][1] // 8  # type: ignore[index]
    real[shown_at : shown_at + SHOWN.itemsize // 8] = False
    found: list[tuple[Parameter, dict[int, tuple[str, float, float]]]] = []
    for leaf in leaves(type(config)):
        one = _probed(config, leaf, period_s, start, real)
        if one is not None:
            found.append(one)
    found = _exclusive(found)
    while _wrong_together(config, period_s, start, real, found):
        # without the one whose absence helps most
        fewer = [[one for one in found if one is not left_out] for left_out in found]
        found = min(fewer, key=lambda some: len(_wrong_together(config, period_s, start, real, some)))
    return Parameters([p for p, _ in found], list(_effects([rules for _, rules in found])))


def put(table: Any, path: str, value: float) -> Any:
    """The declared values with another one at this path; unchecked, as the bounds are tried here."""
    head, _, rest = path.partition(".")
    return msgspec.structs.replace(table, **{head: put(getattr(table, head), rest, value) if rest else value})


def value_at(table: Any, path: str) -> Any:
    """The value at a dotted path."""
    for name in path.split("."):
        table = getattr(table, name)
    return table


def _probed(
    config: TwinConfig, leaf: Leaf, period_s: float, start: Words, real: npt.NDArray[np.bool_]
) -> tuple[Parameter, dict[int, tuple[str, float, float]]] | None:
    x0 = value_at(config, leaf.path)
    if leaf.kind != "float" or not isinstance(x0, float) or leaf.path in _INITIAL:
        return None
    tried = [x0 * f for f in (0.97, 1.03, 1 / _WIDE, _WIDE)] if x0 else [leaf.high * 0.01, leaf.low * 0.01]
    low, high, seen = x0, x0, []
    for x in (*(x for x in tried if leaf.low <= x <= leaf.high and x != x0), leaf.low, leaf.high):
        try:
            seen.append((x, filled(put(config, leaf.path, x), period_s)))
        except (HilctlError, ArithmeticError, ValueError):
            continue  # the twin refuses it: it stays outside of the range
    whole = ~_mask()
    if not seen or any((words.view(np.int64) != start.view(np.int64))[whole].any() for _, words in seen):
        return None
    changed = np.flatnonzero(real & np.any([_differs(words, start) for _, words in seen], axis=0))
    if not len(changed):
        return None
    copied = _all_follow(changed, lambda k: _line(k, x0, start, seen))
    near = [(x, words) for x, words in seen if x0 and 1 / _WIDE <= x / x0 <= _WIDE]
    rules = copied or (_all_follow(changed, lambda k: _power(k, x0, start, near)) if near else None)
    if rules is None:
        return None
    reached = [x for x, _ in (seen if copied else near)]
    low, high = min(low, *reached), max(high, *reached)
    tunable = not any(k in _state_words() for k in rules)
    return Parameter(f"twin.{leaf.path}", x0, low, high, leaf.unit, leaf.meaning, tunable), rules


@cache
def _mask() -> npt.NDArray[np.bool_]:
    """The words of the record that are real numbers."""
    real = np.zeros(STATE.itemsize // 8, np.bool_)
    real[[word for word, _ in real_words(STATE)]] = True
    return real


def _differs(words: Words, start: Words) -> npt.NDArray[np.bool_]:
    differs: npt.NDArray[np.bool_] = (words != start) & ~(np.isnan(words) & np.isnan(start))
    return differs


def _all_follow(changed: Any, rule: Any) -> dict[int, tuple[str, float, float]] | None:
    rules = {int(k): rule(int(k)) for k in changed}
    return rules if all(rules.values()) else None


def _line(k: int, x0: float, start: Words, seen: list[tuple[float, Words]]) -> tuple[str, float, float] | None:
    for a, b in _LINES:
        if start[k] == a + b * x0 and all(words[k] == a + b * x for x, words in seen):
            return "SET", a, b
    slope = (seen[0][1][k] - start[k]) / (seen[0][0] - x0)
    if all(abs(words[k] - slope * x) <= _NEAR * abs(slope * x) for x, words in seen) and start[k] == slope * x0:
        return "SET", 0.0, float(slope)
    return None


def _power(k: int, x0: float, start: Words, seen: list[tuple[float, Words]]) -> tuple[str, float, float] | None:
    for b in _POWERS:
        if all(abs(words[k] - start[k] * (x / x0) ** b) <= _NEAR * abs(words[k]) for x, words in seen):
            return "SCALE", 0.0, b
    return None


def _exclusive(found: list[Any]) -> list[Any]:
    """A word that is set belongs to one parameter alone; where others have a share in it, all of them scale it."""
    kept = []
    for parameter, rules in found:
        shared = {k for k in rules if sum(k in other for _, other in found) > 1}
        as_power = {k: ("SCALE", 0.0, 1.0) if k in shared and rule[0] == "SET" and rule[1] == 0 else rule
                    for k, rule in rules.items()}  # fmt: skip
        if any(as_power[k][0] == "SET" for k in shared) or (shared and parameter.start == 0):
            continue
        kept.append((parameter, as_power))
    return kept if len(kept) == len(found) else _exclusive(kept)


def _wrong_together(
    config: TwinConfig, period_s: float, start: Words, real: npt.NDArray[np.bool_], found: list[Any]
) -> set[int]:
    """Words that do not follow the rules when all parameters are changed at once."""
    wrong: set[int] = set()
    for draw in range(_DRAWS):
        rng, changed, expected = np.random.default_rng(draw), config, start.copy()
        for parameter, rules in found:
            x = _aside(parameter, rng, all(rule == "SCALE" for rule, _, _ in rules.values()))
            changed = put(changed, parameter.name.removeprefix("twin."), x)
            for k, (rule, a, b) in rules.items():
                expected[k] = a + b * x if rule == "SET" else expected[k] * (x / parameter.start) ** b
        try:
            words = filled(changed, period_s)
        except (HilctlError, ArithmeticError, ValueError):
            continue  # the twin refuses this combination
        off = real & (np.abs(words - expected) > _TOGETHER * np.abs(words)) & ~np.isnan(words)
        wrong.update(map(int, np.flatnonzero(off)))
    return wrong


def _aside(parameter: Parameter, rng: np.random.Generator, scaled: bool) -> float:
    """Another value: of what scales words one of the ends, where a `max` may act; else one near the start."""
    if scaled and rng.random() < 0.8:
        return parameter.low if rng.random() < 0.5 else parameter.high
    aside = parameter.start * rng.uniform(0.99, 1.01) if parameter.start else parameter.high * _ASIDE
    return float(np.clip(aside, parameter.low, parameter.high))


@cache
def _state_words() -> set[int]:
    """The words that are a state from the first period on: a parameter that sets them is fixed."""
    record: Any = STATE
    plant, plant_at = record.fields["plant"][0], record.fields["plant"][1] // 8
    words = {plant_at + plant.fields[name][1] // 8 for name in ("pa", "pb", "x", "v", "ps")}
    for name in ("displacement", "acceleration", "pressure_a", "pressure_b"):
        sensor, at = record.fields[name][:2]
        words.update(range((at + sensor.fields["last"][1]) // 8, (at + sensor.itemsize) // 8))
    kind, at = plant.fields["specimen"][:2]
    y = kind.fields["y"]
    first = plant_at + (at + y[1]) // 8
    words.update(range(first, first + y[0].itemsize // 8))
    return words


def _effects(rules_of: list[dict[int, tuple[str, float, float]]]) -> Iterator[Effect]:
    """Rows of the table in C; equal neighbours are one row."""
    for parameter, rules in enumerate(rules_of):
        row: Effect | None = None
        for k, (rule, a, b) in sorted(rules.items()):
            if row is not None and (row.word + row.words, row.rule, row.a, row.b) == (k, rule, a, b):
                row = row._replace(words=row.words + 1)
                continue
            if row is not None:
                yield row
            row = Effect(parameter, k, 1, rule, a, b)
        if row is not None:
            yield row
