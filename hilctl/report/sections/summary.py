"""The summary: the distortion before and after, the friction model, and the remarks."""

from hilctl.report.markup import NOTHING, Html, absent, bar, bullets, code, joined, p, sentence, table, tag
from hilctl.report.numbers import percent, plain, with_unit
from hilctl.report.sections.common import measured
from hilctl.report.series import by_frequency
from hilctl.report.words import called
from hilctl.results.commissioned import PARTS, Commissioned
from hilctl.results.distortion import HIGHEST_HZ, is_hidden
from hilctl.results.proof import Thd


def summary(result: Commissioned) -> Html:
    """The first page."""
    parts = (_broken_off, _distortion, _friction, _sent, _warnings)
    return joined([tag("h2", "Summary"), *(part(result) for part in parts)])


def _broken_off(result: Commissioned) -> Html:
    """Whether the work came to its end; what follows is then what was done before."""
    failed = result.failed
    if failed is None:
        return NOTHING if result.complete else absent("The commissioning was not finished.")
    stage = f" at “{failed.stage}”" if failed.stage else ""
    text = sentence(failed.text, failed.parameters)
    return tag("ul", tag("li", tag("strong", f"Broken off{stage}. "), text), class_="warnings")


def _distortion(result: Commissioned) -> Html:
    found = by_frequency(result.thd)
    learned = any(one.learned is not None for _, one in found)
    most = max((x for _, one in found for _, x in _states(one)), default=0.0) or 1.0
    rows = []
    for frequency, one in found:
        cells = [f"{frequency:g} Hz", f"±{with_unit(1e3 * one.amplitude_m, 'mm')}"]
        cells += [left(one.before, one.resolution_before), after(one), *([percent(one.learned)] if learned else [])]
        rows.append([*cells, times(one), joined(bar(x / most, state) for state, x in _states(one))])
    head = ["sine", ">amplitude", ">before", ">after", *((">learned",) if learned else ()), ">factor", ""]
    caption = (
        f"Total harmonic distortion (THD) of the measured acceleration, harmonics 2 to N up to {HIGHEST_HZ:g} Hz, "
        "the sensor's noise subtracted. ≤: the rest is hidden in the sensor's noise"
    )
    return table(head, rows, caption)


def _states(one: Thd) -> list[tuple[str, float]]:
    """Those that were measured, by the names of their colours."""
    named = {"before": one.before, "after": one.after, "learned": one.learned}
    return [(state, x) for state, x in named.items() if x is not None]


def times(one: Thd) -> str:
    """How many times less it is; at least so many, where the sensor's noise hides the rest."""
    if one.before is None or not one.after:
        return "–"
    at_least = "≥ " if _hidden(one.after, one.resolution_after) else ""
    return f"{at_least}{plain(one.before / one.after, 2 if one.before < 10 * one.after else 3)} ×"


def after(one: Thd) -> str:
    """The distortion of a sine after the work."""
    return left(one.after, one.resolution_after)


def left(value: float | None, resolution: float | None) -> str:
    """A distortion; where it is no more than what the sensor's noise hides, that."""
    return f"{'≤ ' if _hidden(value, resolution) else ''}{percent(value)}"


def _hidden(value: float | None, resolution: float | None) -> bool:
    return value is not None and resolution is not None and is_hidden(value, resolution)


def _friction(result: Commissioned) -> Html:
    model = result.friction or result.fit
    if model is None:
        return joined([tag("h3", "Friction"), absent("No friction law was found.")])
    sliding = "" if result.friction else "Of sliding alone: what friction does at a reversal is not known."
    unsure = ", which the data leave open" if result.friction and not result.friction.certain else ""
    rows = [(code(name), *measured(q)) for name, q in model.parameters.items()]
    return joined([
        tag("h3", f"Friction: {called(model.law)}{unsure}"), p(sentence(model.why), " ", sliding),
        table(("parameter", ">value", ">95 % interval", "unit"), rows),
    ])  # fmt: skip


def _sent(result: Commissioned) -> Html:
    sent = result.sent
    if sent is None:
        text = "Nothing was sent to the rig: its parameters are unchanged."
        return joined([tag("h3", "Active parameters"), absent(text)])
    count = len(sent.values)
    what = f"{count} parameter{'' if count == 1 else 's'} sent to the rig" if count else "Parameters sent to the rig"
    file = joined([", saved in ", code(sent.file)]) if sent.file else NOTHING
    return joined([tag("h3", "Active parameters"), p(what, f", active since epoch {sent.epoch}", file, ".")])


def _warnings(result: Commissioned) -> Html:
    more = []
    if result.not_identified:
        keys = ", ".join(flag.key or flag.text for flag in result.not_identified)
        more += [joined(["Not identified: ", keys, " (", tag("a", "see there", href="#unidentified"), ")."])]
    if result.missing:
        links = joined([tag("a", PARTS.get(part, part), href=f"#{part}") for part in result.missing], "; ")
        more += [joined(["Not done, or not whole: ", links, "."])]
    body = bullets([*(sentence(text) for text in result.warnings), *more], "warnings")
    return joined([tag("h3", "To know"), body or p("Nothing stands against these results.")])
