"""The numbers: of the friction law, and of the machine."""

from hilctl.report.figure import Pictures, shown
from hilctl.report.found import machine_of
from hilctl.report.markup import Html, bullets, code, joined, p, sentence, table
from hilctl.report.numbers import percent, plain, with_unit
from hilctl.report.sections import claims
from hilctl.report.sections.common import absence, flags, missing, quantities
from hilctl.report.series import row
from hilctl.results.commissioned import Commissioned
from hilctl.results.friction import SlidingFit


def friction(result: Commissioned, pictures: Pictures) -> Html:
    """The law's parameters, and how sure they are."""
    fit, model = result.fit, result.friction or result.fit
    if model is None:
        return absence(result, "friction", "There are no parameters: no friction law was found.")
    return joined([
        quantities(model.parameters, "Friction law, with 95 % intervals"),
        *((_knowledge(fit), _searches(fit)) if fit else ()),
        shown(pictures, "convergence", "The best of each generation of the genetic algorithm, in every run; generation "
              "0 is the quasi-random start.", claims.convergence(fit) if fit else ""),
    ])  # fmt: skip


def _knowledge(fit: SlidingFit) -> Html:
    said = []
    for one in fit.knowledge:
        condition = f" (condition of the problem: {plain(one.condition, 3)})" if one.condition is not None else ""
        said.append(f"{one.weakest}{condition}")
    return p(sentence(*said))


def _searches(fit: SlidingFit) -> Html:
    rows = []
    for one in fit.searches:
        for name, mean, spread in zip(one.names, row(one.mean), row(one.spread), strict=True):
            found = fit.offset if name == "offset" else fit.parameters.get(name)
            unit, value = (found.unit, found.value) if found else ("", None)
            wide = f"{plain(100 * float(spread), 2)} %"
            rows.append((code(name), with_unit(float(mean), unit, 6), wide, with_unit(value, unit, 6)))
    head = ("parameter", ">mean of the runs", ">runs' spread, of the range", ">by variable projection")
    return table(head, rows, "The genetic algorithm beside variable projection")


def plant(result: Commissioned, pictures: Pictures) -> Html:
    """The machine."""
    found, fit = machine_of(result), result.plant_fit
    if not found or fit is None:
        return absence(result, "plant", "The machine was not identified: its parameters are those of the rig file.")
    explained = [(name, percent(share)) for name, share in fit.explained_percent.items()]
    return joined([
        missing(result, "plant"), quantities(found, "Machine, with 95 % intervals"),
        shown(pictures, "changes", "What was found against what the rig file said, in % of it; bars are 95 % "
              "intervals. The axis is linear within ±1 % and logarithmic beyond.", claims.changes(result)),
        table(("motion", ">of its flow explained"), explained),
        p(sentence(f"the combination of parameters that the data know least: {fit.weakest}")) if fit.weakest else "",
        flags(fit.flags, "To know of this fit:"), bullets((sentence(text) for text in fit.notes), "notes"),
    ])  # fmt: skip
