"""The page of a study by simulation: five lines, how the outcomes spread, what breaks the rig, the runs to look at."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hilctl.report.brief import NONE_WORSE, Brief, keys, listed
from hilctl.report.document import report, save
from hilctl.report.drawing import inlined
from hilctl.report.figure import Pictures, shown
from hilctl.report.markup import Html, absent, code, facts, joined, p, table
from hilctl.report.numbers import percent, plain, with_unit
from hilctl.report.runs.pictures import bare, distributions, influence, strongest, where
from hilctl.results.runs import Influence, Spread, StudiedRuns

Rows = Sequence[Mapping[str, Any]]
_ON = {"as set": "as the rig file has it", "with": "on", "without": "off", "both": "every run without and with it"}


def write(made: StudiedRuns, rows: Rows, path: Path) -> Path:
    """Writes the page; returns its path."""
    pictures, without = inlined(lambda: [("distributions", distributions(made, rows)), ("influence", influence(made)),
                                         ("where", where(made, rows))])  # fmt: skip
    sections = {
        "outcomes": ("How the runs ended", _outcomes(made)),
        "spread": ("How the outcomes spread", _spreads(made, pictures)),
        "breaks": ("What matters, and what breaks it", _breaks(made, pictures)),
        "worst": ("Runs to look at", _worst(made)),
        "design": ("What varied", _varied(made)),
        "cost": ("How it was computed", _cost(made)),
    }
    text = report(
        f"Study of {made.rig} by simulation", first(made),
        [("Runs", str(made.runs)), ("Compensation", _ON[made.compensation]), ("Seed", str(made.seed)),
         ("Every run", code(made.table)), ("For a program", code("study-runs.json"))],
        sections, before=[absent(without)],
        foot=f"Made by hilctl {made.program.get('hilctl', '')}.",
    )  # fmt: skip
    return save(text, path)


def first(made: StudiedRuns) -> Brief:
    """The five lines."""
    found = f"none of {made.runs} runs gave a result"
    if made.within_share is not None:
        found = (f"{made.outcomes['done']} of {made.runs} runs stay within the limits, "
                 f"{_share(made.within_share)} of those with a result (95 % interval {_share(made.within_low)} to "
                 f"{_share(made.within_high)})")  # fmt: skip
    applied = f"nothing: these are simulations; friction compensation: {_ON[made.compensation]}"
    gains = [one for one in made.spreads if one.column.startswith("gain.")]
    better = "not known: `--paired` runs each rig without and with compensation"
    if gains:
        better = listed(f"{one.column.removeprefix('gain.')} is {plain(one.median, 2)} times less with compensation "
                        f"(median; 5 % of the runs below {plain(one.low, 2)})" for one in gains)  # fmt: skip
    trips = [f"{one.runs} runs trip by {one.trip} (`{one.key}`){_half(one.half)}" for one in made.trips]
    less = [f"in some runs compensation makes {one.column.removeprefix('gain.')} worse (factor {plain(one.low, 2)} in "
            "the worst twentieth)" for one in gains if one.low is not None and one.low < 1]  # fmt: skip
    why = next(iter(made.reasons), "")
    refused = [f"{made.failed} runs were refused, most of them because: {why}"] if made.failed else []
    return Brief(found, applied, better, listed([*trips, *less, *refused]) or NONE_WORSE, _next(made))


def _half(half: str) -> str:
    return f" {half} compensation" if half else ""


def _share(x: float | None) -> str:
    return percent(None if x is None else 100 * x)


def _next(made: StudiedRuns) -> str:
    decided = strongest(made)
    advice = ""
    if "tripped" in decided:
        certain = [one.key for one in decided["tripped"] if one.certain]
        advice = f"know {keys(certain[:2])} better, or narrow what they may be: they decide whether it trips; "
    if made.worst:
        return f"{advice}look at the worst: `hilctl study {made.folder} --run {made.worst[0].run}` makes that run again"
    return f"{advice}`hilctl study {made.folder} --run 0` makes a run again and records it"


def _outcomes(made: StudiedRuns) -> Html:
    named = {
        "done": "finished within the limits", "tripped": "a limit or a fault stopped it",
        "refused": "the controller refused gains, arming or motion", "impossible": "the rig file refuses the values",
    }  # fmt: skip
    rows = [(name, str(count), _share(count / made.runs), named[name]) for name, count in made.outcomes.items()]
    trips = [(code(one.trip), code(one.key), str(one.runs), f"{one.earliest_s:.3f}", str(one.first_run), one.half)
             for one in made.trips]  # fmt: skip
    reasons = [(str(count), text) for text, count in made.reasons.items()]
    return joined([
        table(("end", ">runs", ">share", "what it means"), rows),
        table(("trip", "limit", ">runs", ">earliest, s", ">in run", "compensation"), trips, "Trips")
        or absent("No run tripped."),
        table((">runs", "refused because"), reasons, "Refusals"),
    ])  # fmt: skip


def _spreads(made: StudiedRuns, pictures: Pictures) -> Html:
    rows = [
        (code(one.column), one.unit, str(one.runs), plain(one.low), plain(one.median), plain(one.high), plain(one.most),
         str(one.most_run))
        for one in made.spreads
    ]  # fmt: skip
    head = ("outcome", "unit", ">runs", ">5 %", ">median", ">95 %", ">greatest", ">in run")
    names = {one.column.rpartition(".")[2]: one.meaning for one in made.spreads if not one.column.startswith("gain.")}
    if any(one.column.startswith("gain.") for one in made.spreads):
        names["gain.…"] = "how many times less it is with compensation: below 1 it is worse"
    meanings = [(code(name), meaning) for name, meaning in names.items()]
    caption = "A steep line is an outcome that hardly differs between rigs; its right end is the worst run."
    return joined([shown(pictures, "distributions", caption, _claim(made)), table(head, rows),
                   table(("outcome", "meaning"), meanings)])  # fmt: skip


def _claim(made: StudiedRuns) -> str:
    one = next((one for one in made.spreads if one.column.endswith("error_peak_m")), None)
    if one is None or one.high is None:
        return "How the outcomes spread."
    after = _same(made, one)
    more = f", and {with_unit(after.high, 'm', 3)} with compensation" if after is not None else ""
    return f"95 % of the runs have a tracking error of at most {with_unit(one.high, 'm', 3)}{more}."


def _same(made: StudiedRuns, one: Spread) -> Spread | None:
    """The same outcome with compensation."""
    if not one.column.startswith("without."):
        return None
    return next((other for other in made.spreads if other.column == f"with.{bare(one.column)}"), None)


def _breaks(made: StudiedRuns, pictures: Pictures) -> Html:
    decided = strongest(made)
    claim = "No quantity decides any outcome beyond what chance would give."
    if decided:
        column, ones = next(iter(decided.items()))
        claim = f"{ones[0].key} decides {column} most: {percent(100 * ones[0].share)} of its variance."
    caption = (
        "Dark bars are certain: chance gives less than one of them in a hundred studies. (+): more of the quantity, "
        "more of the outcome; (−): the other way round."
    )
    rows = [
        (code(one.column), code(one.key), _correlation(one), percent(100 * one.share), "yes" if one.certain else "no")
        for one in made.influences if one.certain
    ]  # fmt: skip
    return joined([
        shown(pictures, "influence", caption, claim) or p(claim),
        shown(pictures, "where", "Each point is a run; at most 1500 of each kind are drawn.", "Where the runs fail."),
        table(("outcome", "quantity", ">rank correlation", ">share", "certain"), rows[:40]),
    ])  # fmt: skip


def _correlation(one: Influence) -> str:
    return "–" if one.correlation is None or not math.isfinite(one.correlation) else f"{one.correlation:+.2f}".replace(
        "-", "−")  # fmt: skip


def _worst(made: StudiedRuns) -> Html:
    rows = [(str(one.run), one.why, code(f"hilctl study {made.folder} --run {one.run}")) for one in made.worst]
    said = p("Each command makes the run again, bit for bit, and leaves its recording.")
    return joined([said, table((">run", "why", "again"), rows)]) if rows else absent("No run has a result.")


def _varied(made: StudiedRuns) -> Html:
    rows = [(code(one.key), one.values, one.nominal, one.unit) for one in made.varied]
    motions = [(code(one.name), one.text or one.kind) for one in made.motions]
    return joined([
        table(("key", "values", "in the rig file", "unit"), rows),
        table(("motion", "what it is"), motions, "Motions of every run, in this order"),
        p(f"Design of experiments: {made.design}, seed {made.seed}."),
    ])  # fmt: skip


def _cost(made: StudiedRuns) -> Html:
    return facts([
        ("Simulated", with_unit(made.simulated_s, "s")), ("Workers", str(made.workers)),
        ("Against real time, a core", f"{made.real_time_per_core:.0f} ×"),
        ("Wall time of the last call", with_unit(made.wall_seconds, "s")),
        *((name, code(text)) for name, text in made.program.items()),
    ])  # fmt: skip
