"""Friction before it slides: the model that shows it, and why."""

from collections.abc import Mapping

from hilctl.report.figure import Pictures, shown
from hilctl.report.markup import Html, bullets, joined, p, sentence, table, tag
from hilctl.report.numbers import percent, plain
from hilctl.report.sections import claims
from hilctl.report.sections.common import absence, missing, quantities
from hilctl.report.words import called
from hilctl.results.commissioned import Commissioned
from hilctl.results.quantity import Quantity
from hilctl.results.reversals import Reversals

_NEAR = 0.001


def reversals(result: Commissioned, pictures: Pictures) -> Html:
    """The turn of friction, and the models held against it."""
    found = result.presliding
    if found is None:
        return absence(result, "reversals",
                       "Reversals were not looked at: whether friction jumps or bends is not known.")  # fmt: skip
    evidence, unsure = found.evidence, "" if found.certain else "The data leave it open."
    models = {**dict.fromkeys(found.probabilities), **dict.fromkeys(evidence.left)}
    rows = [(called(name), odds(found.probabilities.get(name)), plain(evidence.left[name], 3) if name in evidence.left
             else "–") for name in models]  # fmt: skip
    way = ""
    if evidence.travel_m is not None:
        error = evidence.travel_error_m
        within = f" ± {plain(1e6 * 2 * error, 2)}" if error is not None else ""
        way = (f"Between minus and plus half of its level friction turns over {plain(1e6 * evidence.travel_m, 3)}"
               f"{within} µm.")  # fmt: skip
    return joined([
        missing(result, "reversals"),
        p(tag("strong", called(found.choice)), ". ", sentence(found.why), " ", unsure), p(way),
        bullets((sentence(text) for text in found.reasons), "reasons"),
        shown(pictures, "turn", "Friction over the distance since a reversal, both reversals of a cycle; what each law "
              "makes of it.", claims.turn(found)),
        table(("law", ">probability", ">left unexplained, variances of noise a point"), rows,
              f"On cycles that were not fitted; a law is chosen from {percent(100 * found.decided_from)} on"),
        _loops(found), quantities({**found.parameters, **_sides(found)}), p(sentence(found.advice)),
        bullets((sentence(text) for text in found.warnings), "flags"),
    ])  # fmt: skip


def odds(probability: float | None) -> str:
    """A number of simulated rigs cannot show more than that."""
    if probability is None:
        return "ruled out by the sliding curve"
    if probability < _NEAR:
        return f"below {percent(100 * _NEAR)}"
    return f"above {percent(100 - 100 * _NEAR)}" if probability > 1 - _NEAR else percent(100 * probability)


def _loops(found: Reversals) -> Html:
    """Loss and chord of each swing, measured and of each law."""
    loops = found.evidence.loops
    if not loops:
        return joined([])
    names = list(loops[0].loss_j)
    heads = ["swing, µm", ">friction turns by", *(f">{called(n)}: mJ a cycle, N/µm" for n in names)]
    rows = [(plain(1e6 * one.amplitude_m, 3), percent(100 * min(one.turned, 1.0)),
             *(f"{_scaled(one.loss_j, n, 1e3)}, {_scaled(one.chord_n_m, n, 1e-6)}" for n in names))
            for one in loops]  # fmt: skip
    return table(tuple(heads), rows, "The loops of friction: what a cycle takes, and the slope between its reversals")


def _scaled(named: Mapping[str, float], name: str, factor: float) -> str:
    """A dash where another file's loop lacks it."""
    return plain(factor * named[name] if name in named else None, 3)


def _sides(found: Reversals) -> dict[str, Quantity]:
    return {f"{name}, negative over positive side": ratio for name, ratio in found.sides.items()}
