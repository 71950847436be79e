"""The result first: the distortion before and after, the friction model, and the remarks."""

from hilctl.report.markup import NOTHING, Html, absent, bar, bullets, code, joined, p, sentence, table, tag
from hilctl.report.numbers import percent, plain, quantity, with_unit
from hilctl.report.part import Part
from hilctl.report.words import called
from hilctl.results.distortion import HIGHEST_HZ, is_hidden

_HEADLINE_HZ = 1.0
_STATES = ("before", "after", "learned")


def summary(told: Part) -> Html:
    """The first page."""
    parts = (_broken_off, _headline, _distortion, _friction, _sent, _warnings)
    return joined([tag("h2", "Summary"), *(part(told) for part in parts)])


def _broken_off(told: Part) -> Html:
    """Whether the work came to its end; what follows is then what was done before."""
    failed = told["failed"]
    if not failed:
        return absent("The commissioning was not finished.") if told["complete"].value is False else NOTHING
    stage = f" at “{failed['stage'].text}”" if failed["stage"].text else ""
    text = sentence(failed["text"].text or failed.text, failed["parameters"].text)
    return tag("ul", tag("li", tag("strong", f"Broken off{stage}. "), text), class_="warnings")


def _headline(told: Part) -> Html:
    found = [(f, one) for f, one in told["thd"].by_number if one["before"].number and one["after"].number is not None]
    if not found:
        return absent("Whether friction compensation helps on this rig was not proved: no sine was driven both "
                      "without and with it.")  # fmt: skip
    frequency, one = min(found, key=lambda pair: abs(pair[0] - _HEADLINE_HZ))
    before, after = one["before"].number or 0.0, one["after"].number or 0.0
    verb = "lowers" if after < before else "does not lower"
    to = f" from {percent(before)} to {left(one, 'after')}" if after < before else \
        f", which is {percent(before)} without it and {left(one, 'after')} with it"  # fmt: skip
    return p(f"Friction compensation {verb} the distortion of the acceleration at {frequency:g} Hz{to}.",
             class_="headline")  # fmt: skip


def _distortion(told: Part) -> Html:
    found = told["thd"].by_number
    numbers = [x for _, one in found for x in (one[state].number for state in _STATES) if x is not None]
    most = max(numbers, default=0.0) or 1.0
    learned = any(one["learned"].number is not None for _, one in found)
    states = _STATES if learned else _STATES[:2]
    rows = []
    for frequency, one in found:
        bars = [bar((one[state].number or 0.0) / most, state) for state in states if one[state].number is not None]
        amplitude = one["amplitude_m"].number
        cells = [f"{frequency:g} Hz", "–" if amplitude is None else f"±{with_unit(1e3 * amplitude, 'mm')}"]
        cells += [left(one, state) for state in states]
        rows.append([*cells, _times(one), joined(bars)])
    head = ["sine", ">amplitude", ">before", ">after", *((">learned",) if learned else ()), ">factor", ""]
    caption = (
        f"Total harmonic distortion (THD) of the measured acceleration, harmonics 2 to N up to {HIGHEST_HZ:g} Hz, "
        "the sensor's noise subtracted. ≤: the rest is hidden in the sensor's noise"
    )
    return table(head, rows, caption)


def _times(one: Part) -> str:
    before, after = one["before"].number, one["after"].number
    if before is None or not after:
        return "–"
    at_least = "≥ " if _hidden(one, "after") else ""
    return f"{at_least}{plain(before / after, 2 if before < 10 * after else 3)} ×"


def left(one: Part, state: str) -> str:
    """A distortion; where it is no more than what the sensor's noise hides, that."""
    return f"{'≤ ' if _hidden(one, state) else ''}{percent(one[state].number)}"


def _hidden(one: Part, state: str) -> bool:
    value, resolution = one[state].number, one[f"resolution_{state}"].number
    return value is not None and resolution is not None and is_hidden(value, resolution)


def _friction(told: Part) -> Html:
    friction = told["friction"] or told["fit"]
    law = friction["law"].text or friction["table"]["model"].text
    if not law:
        return joined([tag("h3", "Friction"), absent("No friction law was found.")])
    sliding = "" if told["friction"] else "Of sliding alone: what friction does at a reversal is not known."
    unsure = ", which the data leave open" if friction["certain"].value is False else ""
    rows = []
    for name, q in friction["parameters"].named.items():
        value, interval, unit = quantity(q["value"].number, q["low"].number, q["high"].number, q["unit"].text)
        rows.append((code(name), value, interval if q["identified"].value is not False else "not identified", unit))
    return joined([
        tag("h3", f"Friction: {called(law)}{unsure}"), p(sentence(friction["why"].text), " ", sliding),
        table(("parameter", ">value", ">95 % interval", "unit"), rows),
    ])  # fmt: skip


def _sent(told: Part) -> Html:
    sent = told["sent"]
    if not sent:
        text = "Nothing was sent to the rig: its parameters are unchanged."
        return joined([tag("h3", "Active parameters"), absent(text)])
    count = len(sent["values"].named)
    what = f"{count} parameter{'' if count == 1 else 's'} sent to the rig" if count else "Parameters sent to the rig"
    epoch = f", active since epoch {sent['epoch'].text}" if sent["epoch"].text else ""
    file = joined([", saved in ", code(sent["file"].text)]) if sent["file"].text else NOTHING
    return joined([tag("h3", "Active parameters"), p(what, epoch, file, ".")])


def _warnings(told: Part) -> Html:
    said, missing = told["warnings"].texts, told["not_identified"].parts
    more = []
    if missing:
        keys = ", ".join(part["key"].text or part["text"].text for part in missing)
        more = [joined(["Not identified: ", keys, " (", tag("a", "see there", href="#unidentified"), ")."])]
    body = bullets([*(sentence(text) for text in said), *more], "warnings")
    return joined([tag("h3", "To know"), body or p("Nothing stands against these results.")])
