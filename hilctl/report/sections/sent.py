"""What was sent to the rig, as one set of parameters."""

from hilctl.report.markup import Html, absent, code, facts, joined, table
from hilctl.report.numbers import plain
from hilctl.report.part import Part
from hilctl.report.sections.common import Pictures


def sent(told: Part, pictures: Pictures) -> Html:
    """Epoch, origin, and every key with its old and new value."""
    made = told["sent"]
    if not made:
        return absent("Nothing was sent: the rig's parameters are what they were before.")
    rows = [
        (code(key), _told(made["old"][key]), _told(value))
        for key, value in made["values"].named.items()
        if value or made["old"][key]
    ]  # fmt: skip
    return joined([
        facts([
            ("Epoch", made["epoch"].text), ("Author", made["author"].text), ("Origin", made["origin"].text),
            ("Rig file", code(made["file"].text)),
        ]),
        table(("key", ">before", ">now"), rows) or absent("The parameters that were sent are not recorded."),
    ])  # fmt: skip


def _told(value: Part) -> str:
    if value.number is not None:
        return plain(value.number, 6)
    if value.parts:
        return ", ".join(_told(part) for part in value.parts)
    return value.text or "–"
