"""Which friction model, and why: of the sliding curve."""

from hilctl.report.figure import Pictures, shown
from hilctl.report.markup import Html, joined, p, sentence, table
from hilctl.report.numbers import plain, with_unit
from hilctl.report.sections import claims
from hilctl.report.sections.common import absence, flags
from hilctl.report.words import called
from hilctl.results.commissioned import Commissioned
from hilctl.results.friction import SlidingFit


def law(result: Commissioned, pictures: Pictures) -> Html:
    """The models that were compared, and their evidence."""
    fit = result.fit
    if fit is None:
        return absence(result, "friction", "No sliding law was fitted: there were too few points, or none.")
    good = []
    if fit.r2 is not None:
        good.append(f"R² = {plain(fit.r2, 6)}")
    if fit.scatter_n is not None:
        good.append(f"a point is off by {with_unit(fit.scatter_n, 'N', 2)} (standard deviation)")
    rows = [
        (called(one.law), one.parameters or "–", one.directions or "–", plain(one.bic, 5), plain(one.above_best, 3),
         _weight(one.weight), sentence(one.refused))
        for one in fit.laws
    ]  # fmt: skip
    refused = any(row[-1] for row in rows)
    head = ["law", ">parameters", "directions", ">BIC", ">above least", ">weight", "refused because"]
    return joined([
        p(sentence(fit.why), " ", sentence(", ".join(good))),
        shown(pictures, "laws", "Sliding laws held against the same points: evidence against each, as its BIC above "
              "the least one. Left of the dotted line it is no evidence.", claims.laws(fit)),
        table(head if refused else head[:-1], rows if refused else [row[:-1] for row in rows]),
        _directions(fit), flags(fit.flags, "To know of this fit:"),
    ])  # fmt: skip


def _weight(weight: float | None) -> str:
    if weight is None:
        return "–"
    return "< 0.001" if weight < 1e-3 else plain(weight, 3)


def _directions(fit: SlidingFit) -> Html:
    steps = [
        (step.richer, step.over, plain(step.f, 3), _probability(step.probability),
         "taken" if step.taken else "not needed")
        for one in fit.laws if one.law == fit.law for step in one.f_tests
    ]  # fmt: skip
    head = ("directions", "against", ">F", ">probability by chance", "so")
    return table(head, steps, f"Whether the directions differ ({called(fit.law)}): F-tests")


def _probability(p_value: float | None) -> str:
    if p_value is None:
        return "–"
    return "< 10⁻⁶" if p_value < 1e-6 else plain(p_value, 2)
