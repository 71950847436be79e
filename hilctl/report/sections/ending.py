"""What could not be found out, how long it took, and every number as it is."""

from hilctl.report.found import friction_of, machine_of
from hilctl.report.markup import Html, absent, bullets, code, joined, sentence, table, tag
from hilctl.report.numbers import plain, with_unit
from hilctl.report.part import Part
from hilctl.report.sections.common import Pictures, key_of, origins


def unidentified(told: Part, pictures: Pictures) -> Html:
    """Each with what to do about it."""
    said = [
        joined([code(one["key"].text), ": " if one["key"].text else "", sentence(one["text"].text), " ",
                tag("em", sentence(one["remedy"].text))])
        for one in told["not_identified"].parts
    ]  # fmt: skip
    if not said and told["not_identified"].value is None:
        return absent("What could not be identified was not noted.")
    return bullets(said, "flags") or absent("Everything that was looked for was identified.")


def lost(told: Part, pictures: Pictures) -> Html:
    """Readings and ticks that a leg did without, and how often it was driven."""
    rows = [(one["leg"].text, one["text"].text) for one in told["losses"].parts]
    if told["losses"].value is None:
        return absent("What was lost was not noted.")
    if not rows:
        return absent("No reading was lost, and no tick was missed, in the motions that are judged here.")
    said = (
        "Lost readings and missed ticks enter no figure: they are left out, or bridged from the readings on both sides "
        "where a value is needed at every tick."
    )
    return joined([tag("p", said), table(("leg", "what was lost, and what was done"), rows)])


def times(told: Part, pictures: Pictures) -> Html:
    """The rig's own time, and that of the person waiting."""
    stages: list[tuple[object, ...]] = [
        (one["name"].text, _seconds(one["rig_seconds"].number), _seconds(one["wall_seconds"].number))
        for one in told["stages"].parts
    ]  # fmt: skip
    whole = (told["rig_seconds"].number, told["wall_seconds"].number)
    if whole != (None, None):
        stages.append((tag("strong", "altogether"), *(_seconds(x) for x in whole)))
    return table(("stage", ">rig's time", ">elapsed"), stages) or absent("No times were noted.")


def _seconds(x: float | None) -> str:
    if x is None or x == 0 or 0.1 <= x < 120:
        return with_unit(x, "s", 3)
    if x < 0.1:
        return "< 0.1 s"
    return f"{round(x) // 60} min {round(x) % 60:02d} s"


def raw(told: Part, pictures: Pictures) -> Html:
    """Every parameter in the rig file's own units, to be typed in."""
    named = friction_of(told) | machine_of(told)
    letters, notes = origins(named)
    truth = told["truth"]
    rows = []
    for key, q in named.items():
        numbers = [q[end].number for end in ("value", "low", "high", "before")]
        numbers += [truth[key].number] if truth else []
        rows.append((key_of(key, q, letters), *(plain(x, 6) for x in numbers), q["unit"].text,
                     q["identified"].text or "–"))  # fmt: skip
    head = ["key", ">value", ">low", ">high", ">before", *([">the twin's own"] if truth else []), "unit", "identified"]
    return joined([table(head, rows) or absent("No parameter was identified."), notes])
