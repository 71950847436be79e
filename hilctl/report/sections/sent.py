"""What was sent to the rig, as one set of parameters."""

from collections.abc import Mapping, Sequence

from hilctl.report.figure import Pictures
from hilctl.report.markup import Html, absent, code, facts, joined, table
from hilctl.report.numbers import plain
from hilctl.results.commissioned import Commissioned


def sent(result: Commissioned, pictures: Pictures) -> Html:
    """Epoch, origin, and every key with its old and new value."""
    made = result.sent
    if made is None:
        return absent("Nothing was sent: the rig's parameters are what they were before.")
    rows = [
        (code(key), _told(made.old.get(key)), _told(value)) for key, value in made.values.items()
        if value is not None or made.old.get(key) is not None
    ]  # fmt: skip
    return joined([
        facts([("Epoch", str(made.epoch)), ("Author", made.author), ("Origin", made.origin),
               ("Rig file", code(made.file or ""))]),
        table(("key", ">before", ">now"), rows) or absent("The parameters that were sent are not recorded."),
    ])  # fmt: skip


def _told(value: object) -> str:
    if value is None or isinstance(value, Mapping):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return plain(value, 6)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(_told(one) for one in value) or "–"
    return str(value)
