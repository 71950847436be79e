"""Friction before it slides: the model that shows it, and why."""

from hilctl.report.figure import Pictures, shown
from hilctl.report.markup import Html, bullets, joined, p, sentence, table, tag
from hilctl.report.numbers import plain
from hilctl.report.sections import claims
from hilctl.report.sections.common import absence, missing, quantities
from hilctl.report.words import called
from hilctl.results.commissioned import Commissioned


def reversals(result: Commissioned, pictures: Pictures) -> Html:
    """The turn of friction, and the models held against it."""
    found = result.presliding
    if found is None:
        return absence(result, "reversals",
                       "Reversals were not looked at: whether friction jumps or bends is not known.")  # fmt: skip
    evidence, unsure = found.evidence, "" if found.certain else "The data leave it open."
    left = (("LuGre", evidence.left_lugre), ("GMS", evidence.left_gms), ("Dahl", evidence.left_dahl))
    rows = [(name, plain(x, 3)) for name, x in left if x is not None]
    way = ""
    if evidence.travel_m is not None:
        error = evidence.travel_error_m
        within = f" ± {plain(1e6 * 2 * error, 2)}" if error is not None else ""
        way = (f"Between minus and plus half of its level friction turns over {plain(1e6 * evidence.travel_m, 3)}"
               f"{within} µm.")  # fmt: skip
    return joined([
        missing(result, "reversals"),
        p(tag("strong", called(found.kind)), ". ", sentence(found.why), " ", unsure), p(way),
        shown(pictures, "turn", "Friction over the distance since a reversal, both reversals of a cycle; what each law "
              "makes of it.", claims.turn(found)),
        table(("law", ">left unexplained, variances of noise a point"), rows, "On cycles that were not fitted"),
        quantities(found.parameters), p(sentence(found.advice)),
        bullets((sentence(text) for text in found.warnings), "flags"),
    ])  # fmt: skip
