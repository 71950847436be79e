"""The page of a recording: what ran, how well it was tracked, what was changed and lost; and its JSON twin."""

from collections.abc import Iterator
from pathlib import Path

from hilctl.recording.reader import Recording
from hilctl.report.brief import NONE_WORSE, Brief, keys, listed
from hilctl.report.document import report, save
from hilctl.report.drawing import inlined
from hilctl.report.figure import Pictures, shown
from hilctl.report.markup import Html, absent, code, facts, joined, moment, table
from hilctl.report.numbers import percent, plain, with_unit
from hilctl.report.panels import USUAL, channels_of, draw
from hilctl.report.recorded.figures import recorded
from hilctl.report.recorded.passes import Passed
from hilctl.results.recorded import Motion, Recorded
from hilctl.results.stored import as_json

_SAME = 1.05  # an error that is larger by less is no other error


def write(recording: Recording, path: Path) -> Path:
    """Writes the page, and beside it the same numbers as JSON; returns the page's path."""
    passed = Passed(recording, channels_of(USUAL))
    made = recorded(recording, passed)
    times_s = (passed.ticks - passed.ticks[:1]) / recording.rate_hz
    pictures, without = inlined(lambda: [("recording", draw(USUAL, times_s, passed.lines, "time, s"))])
    twin = save(as_json(made).decode(), path.with_suffix(".json"))
    sections = {
        "time": ("Over time", _over_time(made, pictures)),
        "motions": ("Motions", _motions(made)),
        "changes": ("Parameters", _changes(made)),
        "losses": ("Time and losses", _losses(made)),
        "channels": ("Channels in numbers", _channels(made)),
    }
    text = report(
        f"Recording of {made.rig}", first(made),
        [("Recorded", moment(made.started)), ("Length", with_unit(made.seconds, "s")),
         ("Samples", f"{made.samples} at {made.rate_hz:g} Hz, {made.clock} clock"), ("File", code(made.file)),
         ("For a program", code(twin.name))],
        sections, before=[absent(without)],
    )  # fmt: skip
    return save(text, path)


def first(made: Recorded) -> Brief:
    """The five lines."""
    sure = "" if made.complete else f", {made.end}"
    error = _figure(made, "error_m")
    errors = f"the tracking error is {_mm(error[0])} rms, {_mm(error[1])} at most" if error else ""
    count = len(made.motions)
    found = listed([f"{with_unit(made.seconds, 's')} with {count} motion{'' if count == 1 else 's'}{sure}", errors])
    applied = f"nothing: the parameters of epoch {made.epoch} were active throughout"
    if made.changes:
        applied = f"{keys(str(one['key']) for one in made.changes)}, in epoch {made.changes[-1]['epoch']}"
    better = [text for text, ratio in _compared(made) if ratio * _SAME < 1]
    worse = [*_bad(made), *(text for text, ratio in _compared(made) if ratio > _SAME)]
    none = "nothing changed: motions that ran twice have the same error" if list(_compared(made)) else \
        "not known: no motion ran twice under different parameters"  # fmt: skip
    return Brief(found, applied, listed(better) or none, listed(worse) or NONE_WORSE, _next(made))


def _compared(made: Recorded) -> Iterator[tuple[str, float]]:
    """Motions that ran to their end again under other parameters: the error then, over that of the first time."""
    begun: dict[tuple[str, str], Motion] = {}
    for one in made.motions:
        if one.ended != "done" or not one.error_rms_m:
            continue
        was = begun.setdefault((one.kind, repr(sorted(one.parameters.items()))), one)
        if was.epoch != one.epoch and was.error_rms_m:
            between = (str(change["key"]) for change in made.changes if was.epoch < change["epoch"] <= one.epoch)
            yield (f"{one.text.split(',')[0]}: error {_mm(was.error_rms_m)} rms, then {_mm(one.error_rms_m)} after "
                   f"{keys(between)} changed"), one.error_rms_m / was.error_rms_m  # fmt: skip


def _bad(made: Recorded) -> Iterator[str]:
    yield from (f"trip: {text}" for text in made.trips)
    if made.ended:
        yield f"the recording ended by itself: {made.ended}"
    if made.lost:
        yield f"{made.lost} samples are missing"
    if made.skipped:
        yield f"the loop missed {made.skipped} periods"
    if made.rejected:
        yield f"readings were rejected in {made.rejected} samples"
    if made.saturated_s:
        yield f"the valve command was limited for {with_unit(made.saturated_s, 's', 3)}"
    yield from (f"limit {name} was passed {count} time{'' if count == 1 else 's'} (it only warns)"
                for name, count in made.warnings.items())  # fmt: skip


def _next(made: Recorded) -> str:
    if made.trips:
        return "look at the black box of the trip: `hilctl report` makes its page"
    if made.skipped or made.lost:
        return "`hilctl doctor` on the host of the service shows why ticks are missed and samples lost"
    if made.saturated_s:
        return "reduce the motion, or check supply pressure and load: no controller corrects what the valve cannot give"
    return f"`hilctl replay {made.file}` runs it through today's controller; `hilctl export` converts it"


def _over_time(made: Recorded, pictures: Pictures) -> Html:
    error = _figure(made, "error_m")
    claim = f"The tracking error stays within {_mm(error[1])}." if error else "The rig did not track a reference."
    caption = (
        "Every line shows the least and the greatest of each stretch of samples, so that no peak is missing. A channel "
        "that the rig does not have is left out."
    )
    return shown(pictures, "recording", caption, claim) or absent("No figure was drawn.")


def _motions(made: Recorded) -> Html:
    rows = [
        (str(one.number), one.text or one.kind or "not planned in this recording", plain(one.begins_s),
         plain(one.seconds), str(one.epoch), _mm(one.error_rms_m), _mm(one.error_peak_m),
         {"done": "finished", "": "recording ended"}.get(one.ended, one.ended))
        for one in made.motions
    ]  # fmt: skip
    head = (">no.", "motion", ">begins, s", ">lasts, s", ">epoch", ">error, rms", ">error at most", "end")
    return table(head, rows) or absent("No motion ran.")


def _changes(made: Recorded) -> Html:
    rows = [
        (str(one["tick"]), str(one["epoch"]), code(str(one["key"])), str(one["old"]), str(one["new"]),
         str(one["origin"] or one["author"]))
        for one in made.changes
    ]  # fmt: skip
    return table((">tick", ">epoch", "key", ">before", ">now", "by"), rows) or absent(
        f"No parameter was changed; epoch {made.epoch} was active throughout."
    )


def _losses(made: Recorded) -> Html:
    modes = ", ".join(f"{name} {with_unit(seconds, 's', 3)}" for name, seconds in made.modes.items())
    missing = percent(100 * made.lost / (made.samples + made.lost)) if made.samples else "–"
    return joined([facts([
        ("Modes", modes), ("Samples missing", f"{made.lost} ({missing})"), ("Periods missed", str(made.skipped)),
        ("Samples with a rejected reading", str(made.rejected)),
        ("Valve command limited", with_unit(made.saturated_s, "s") if made.saturated_s else "never"),
        ("Trips", listed(made.trips) or "none"),
        ("Warnings", ", ".join(f"{name} ({count})" for name, count in made.warnings.items()) or "none"),
        ("End", made.end), ("Ended by itself", made.ended),
    ])])  # fmt: skip


def _channels(made: Recorded) -> Html:
    rows = [
        (code(one.channel), one.unit, *(plain(x) for x in (one.least, one.most, one.mean, one.rms)),
         str(one.empty or ""))
        for one in made.channels if one.most is not None
    ]  # fmt: skip
    none = [one.channel for one in made.channels if one.most is None]
    return joined([
        table(("channel", "unit", ">least", ">greatest", ">mean", ">rms", ">samples without a number"), rows),
        absent(f"Without any number: {', '.join(none)}." if none else ""),
    ])  # fmt: skip


def _figure(made: Recorded, channel: str) -> tuple[float, float] | None:
    """Rms and peak."""
    one = next((each for each in made.channels if each.channel == channel), None)
    if one is None or one.rms is None or one.least is None or one.most is None:
        return None
    return one.rms, max(abs(one.least), abs(one.most))


def _mm(x: float | None) -> str:
    return with_unit(x, "m", 3)
