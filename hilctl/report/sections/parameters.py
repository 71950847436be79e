"""The numbers: of the friction law, and of the machine."""

from hilctl.report.found import machine_of
from hilctl.report.markup import Html, absent, bullets, code, joined, p, sentence, table
from hilctl.report.numbers import percent, plain, with_unit
from hilctl.report.part import Part
from hilctl.report.sections.common import Pictures, flags, quantities, shown
from hilctl.report.sections.tuning import tuning


def friction(told: Part, pictures: Pictures) -> Html:
    """The law's parameters, and how sure they are."""
    fit, named = told["fit"], told["friction"]["parameters"].named
    named = named or fit["parameters"].named
    if not named:
        return absent("There are no parameters: no friction law was found.")
    return joined([
        quantities(named, "Friction law, with 95 % intervals"), _knowledge(fit), _searches(fit),
        shown(pictures, "convergence", "The best of each generation of the genetic algorithm, in every run; generation "
              "0 is the quasi-random start."),
    ])  # fmt: skip


def _knowledge(fit: Part) -> Html:
    said = []
    for one in fit["knowledge"].parts:
        condition = f" (condition of the problem: {plain(one['condition'].number, 3)})" if one["condition"] else ""
        if one["weakest"].text:
            said.append(f"{one['weakest'].text}{condition}")
    return p(sentence(*said))


def _searches(fit: Part) -> Html:
    rows = []
    for one in fit["searches"].parts:
        mean, spread = one["mean"].row, one["spread"].row
        for index, name in enumerate(one["names"].texts):
            found = fit["offset"] if name == "offset" else fit["parameters"][name]
            unit = found["unit"].text
            own = with_unit(float(mean[index]), unit, 6) if index < len(mean) else "–"
            wide = plain(100 * float(spread[index]), 2) + " %" if index < len(spread) else "–"
            least = with_unit(found["value"].number, unit, 6)
            rows.append((code(name), own, wide, least))
    head = ("parameter", ">mean of the runs", ">runs' spread, of the range", ">by variable projection")
    return table(head, rows, "The genetic algorithm beside variable projection")


def plant(told: Part, pictures: Pictures) -> Html:
    """The machine."""
    fit = told["plant_fit"]
    found = machine_of(told)
    if not found:
        missing = absent("The machine was not identified: its parameters are those of the rig file.")
        return joined([missing, tuning(told)])
    explained = [(name, percent(part.number)) for name, part in fit["explained_percent"].named.items()]
    weakest = fit["weakest"].text
    return joined([
        quantities(found, "Machine, with 95 % intervals"),
        shown(pictures, "changes", "What was found against what the rig file said, in % of it; bars are 95 % "
              "intervals. The axis is linear within ±1 % and logarithmic beyond."),
        table(("motion", ">of its flow explained"), explained),
        p(sentence(f"the combination of parameters that the data know least: {weakest}")) if weakest else "",
        flags(fit["flags"], "To know of this fit:"),
        bullets((sentence(text) for text in fit["notes"].texts), "notes"),
        tuning(told),
    ])  # fmt: skip
