"""What could not be identified, how long it took, and every number as it is."""

from hilctl.report.figure import Pictures
from hilctl.report.found import friction_of, machine_of, true_value
from hilctl.report.markup import Html, absent, bullets, code, joined, sentence, table, tag
from hilctl.report.numbers import plain, with_unit
from hilctl.report.sections.common import key_of, origins
from hilctl.results.commissioned import Commissioned


def unidentified(result: Commissioned, pictures: Pictures) -> Html:
    """Each with what to do about it."""
    said = [
        joined([code(one.key), ": " if one.key else "", sentence(one.text), " ", tag("em", sentence(one.remedy))])
        for one in result.not_identified
    ]  # fmt: skip
    if not said and not (result.plant or result.fit):
        return absent("Nothing was identified.")
    return bullets(said, "flags") or absent("Everything that was looked for was identified.")


def lost(result: Commissioned, pictures: Pictures) -> Html:
    """Readings and ticks that a leg did without, and how often it was driven."""
    rows = [(one.leg, one.text) for one in result.losses]
    if not rows:
        return absent("No reading was lost, and no tick was missed, in the motions that are judged here.")
    said = (
        "Lost readings and missed ticks enter no figure: they are left out, or bridged from the readings on both sides "
        "where a value is needed at every tick."
    )
    return joined([tag("p", said), table(("leg", "what was lost, and what was done"), rows)])


def times(result: Commissioned, pictures: Pictures) -> Html:
    """The rig's own time, and that of the person waiting."""
    if not result.stages:
        return absent("No part was begun.")
    stages: list[tuple[object, ...]] = [
        (one.name, _seconds(one.rig_seconds), _seconds(one.wall_seconds)) for one in result.stages
    ]
    stages.append((tag("strong", "altogether"), _seconds(result.rig_seconds), _seconds(result.wall_seconds)))
    return table(("stage", ">rig's time", ">elapsed"), stages)


def _seconds(x: float) -> str:
    if x == 0 or 0.1 <= x < 120:
        return with_unit(x, "s", 3)
    if x < 0.1:
        return "< 0.1 s"
    return f"{round(x) // 60} min {round(x) % 60:02d} s"


def raw(result: Commissioned, pictures: Pictures) -> Html:
    """Every parameter in the rig file's own units, to be typed in."""
    named = friction_of(result) | machine_of(result)
    letters, notes = origins(named)
    rows = []
    for key, q in named.items():
        numbers = [q.value, q.low, q.high, q.before, *([true_value(result, key)] if result.truth else [])]
        rows.append((key_of(key, q, letters), *(plain(x, 6) for x in numbers), q.unit, q.origin))
    truth = [">the twin's own"] if result.truth else []
    head = ["key", ">value", ">low", ">high", ">before", *truth, "unit", "origin"]
    return joined([table(head, rows) or absent("No parameter was identified."), notes])
