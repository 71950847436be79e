"""A recording in numbers: motions with their errors, changes, and what was lost."""

from collections import Counter
from typing import Any

from hilctl.recording.reader import Recording
from hilctl.report.recorded.passes import Passed
from hilctl.results.recorded import Motion, Recorded

_CHANGE = ("tick", "epoch", "author", "origin", "key", "old", "new")


def recorded(recording: Recording, passed: Passed) -> Recorded:
    """The twin of its page."""
    events, count = recording.events, len(recording)
    numbers = recording.sequence()
    begin = int(passed.ticks[0]) if count else 0
    return Recorded(
        rig=recording.rig, file=recording.path.name, started=recording.started, rate_hz=recording.rate_hz,
        clock=recording.clock, complete=recording.complete, end=recording.end, ended=recording.ended,
        epoch=recording.epoch, samples=count, seconds=count / recording.rate_hz,
        lost=int(numbers[-1] - numbers[0]) + 1 - count if count else 0, skipped=passed.skipped,
        rejected=passed.rejected, saturated_s=passed.saturated / recording.rate_hz,
        modes={name: ticks / recording.rate_hz for name, ticks in passed.modes.items()},
        motions=_motions(recording, events, passed, begin),
        changes=[{name: one[name] for name in _CHANGE} for one in recording.changes],
        trips=[str(one.get("text") or one["trip"]) for one in events if one["kind"] == "trip"],
        warnings=dict(Counter(str(one.get("limit", "")) for one in events if one["kind"] == "warning")),
        channels=passed.figures,
    )  # fmt: skip


def _motions(recording: Recording, events: list[dict[str, Any]], passed: Passed, begin: int) -> list[Motion]:
    """Those that have samples, in their order."""
    by: dict[str, dict[int, dict[str, Any]]] = {"planned": {}, "motion": {}, "motion_over": {}}
    for event in events:
        if event["kind"] in by:
            by[event["kind"]][int(event["motion"])] = event
    made = []
    for number, error in sorted(passed.errors.items()):
        plan, over = by["planned"].get(number, {}), by["motion_over"].get(number, {})
        first = int((by["motion"].get(number) or over).get("first", begin))
        made.append(Motion(
            number=number, text=str(plan.get("text", "")), kind=str(plan.get("motion_kind", "")),
            parameters=dict(plan.get("parameters", {})), begins_s=max(first - begin, 0) / recording.rate_hz,
            seconds=(error.count + error.empty) / recording.rate_hz, epoch=_epoch(recording, first),
            error_rms_m=error.rms, error_peak_m=error.peak, ended=str(over.get("why", "")),
        ))  # fmt: skip
    return made


def _epoch(recording: Recording, tick: int) -> int:
    return max((int(one["epoch"]) for one in recording.changes if one["tick"] <= tick), default=recording.epoch)
