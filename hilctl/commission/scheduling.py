"""Where compensation makes a motion worse it stays off: the inverse model is limited to speeds and frequencies.

Every sine and every triangle was measured before and after. The inverse model goes on acting over the longest run of
sines, by their frequency, and of triangles, by their speed, that it does not make worse: from the first of them where
something below got worse, to the last where something above did. What lies outside is measured again, as it is then
driven. Where nothing is left, the inverse model is switched off. What got worse stands first among the warnings.
"""

from collections.abc import Sequence
from typing import Any

from hilctl.commission import judging
from hilctl.commission.candidates import switch
from hilctl.commission.parameters import settable
from hilctl.commission.work import Work
from hilctl.law.feed import Feed
from hilctl.results.proof import Worse

_BY_HZ, _BY_SPEED = ("inverse_from_hz", "inverse_to_hz"), ("inverse_from_m_s", "inverse_to_m_s")
WHOLE = {f"law.feed.{name}": float(getattr(Feed(), name)) for name in (*_BY_HZ, *_BY_SPEED)}


def cleared(work: Work) -> None:
    """The inverse model acts at every speed and frequency, until it is judged."""
    now = work.rig.get(*WHOLE)
    changed = {key: value for key, value in WHOLE.items() if now[key] != value}
    if changed:
        work.rig.set(changed, origin=work.origin)
        work.prepared = settable(work.rig)
    if work.result.sent is not None:
        work.result.sent.values = {key: one for key, one in work.result.sent.values.items() if key not in WHOLE}
    work.result.worse = []


def scheduled(work: Work) -> None:
    """After sines and triangles were judged."""
    by_hz, by_speed = _judged(work)
    worse = _worse(work)
    if work.result.friction is None or not worse:
        return
    with work.notes.stages("limits of the inverse model"):
        work.result.worse = worse
        if not any(good for _, good in (*by_hz, *by_speed)):
            switch(work.rig, 0.0, work.origin)
            _told(work, "it is switched off: nothing is better with it")
            _again(work, [key for key, _ in by_hz], [speed for speed, _ in by_speed])
            return
        values = {**span(by_hz, _BY_HZ), **span(by_speed, _BY_SPEED)}
        old = work.rig.get(*values)
        work.sent(work.rig.set(values, origin=work.origin), values, {key: old[key] for key in values})
        said = ", ".join(f"{key} = {one:g}" for key, one in values.items())
        _told(work, f"it now acts where it helps, by {said}")
        spans = {**WHOLE, **values}
        _again(work, _outside(by_hz, spans, _BY_HZ), _outside(by_speed, spans, _BY_SPEED))


def span(points: Sequence[tuple[float, bool]], names: tuple[str, str]) -> dict[str, float]:
    """The two keys, for the longest run of what is good; none of them where all of it is."""
    points = sorted(points)
    if all(good for _, good in points):
        return {}
    runs: list[list[int]] = [[]]
    for i, (_, good) in enumerate(points):
        runs = [*runs[:-1], [*runs[-1], i]] if good else [*runs, []]
    run = max(runs, key=len)
    low, high = (f"law.feed.{name}" for name in names)
    if not run:
        return {low: WHOLE[high], high: WHOLE[high]}  # nowhere
    return {
        low: points[run[0]][0] if run[0] > 0 else WHOLE[low],
        high: points[run[-1]][0] if run[-1] < len(points) - 1 else WHOLE[high],
    }


def _outside(points: Sequence[tuple[float, bool]], spans: dict[str, float], names: tuple[str, str]) -> list[float]:
    low, high = (spans[f"law.feed.{name}"] for name in names)
    return [at for at, _ in points if not low <= at <= high]


def _judged(work: Work) -> tuple[list[tuple[float, bool]], list[tuple[float, bool]]]:
    """Sines by frequency and triangles by speed: whether they are no worse than before."""
    by_hz = [(float(key), one.after <= judging.WORSE * one.before)
             for key, one in work.result.thd.items() if one.before is not None and one.after is not None]  # fmt: skip
    by_speed = [(speed, now <= judging.WORSE * was) for _, speed, was, now in _triangles(work)]
    return by_hz, by_speed


def _worse(work: Work) -> list[Worse]:
    """What got worse, by how much the most first."""
    found = [
        Worse(f"sine of {key} Hz", "distortion in %", one.before, one.after)
        for key, one in work.result.thd.items()
        if one.before is not None and one.after is not None and one.after > judging.WORSE * one.before
    ]
    found += [Worse(name, "rms error in µm", was, now)
              for name, _, was, now in _triangles(work) if now > judging.WORSE * was]  # fmt: skip
    return sorted(found, key=lambda one: one.before / one.after)


def _triangles(work: Work) -> list[tuple[str, float, float, float]]:
    found = []
    for row in work.result.tracking:
        was, now = (one.rms_um if one else None for one in (row.before, row.after))
        if row.kind == "triangle" and row.speed_m_s and was is not None and now is not None:
            found.append((row.name, float(row.speed_m_s), was, now))
    return found


def _told(work: Work, done: str) -> None:
    """First of all that is to know."""
    result = work.result
    names = tuple(f"the {one.name} is " for one in result.worse)
    said = ", ".join(f"{one.name} ({one.before:.3g} → {one.after:.3g}, {one.figure})" for one in result.worse)
    kept = [text for text in result.warnings if not text.startswith(names)]
    result.warnings = [f"with the inverse model everywhere, worse than without: {said}; {done}", *kept]


def _again(work: Work, hz: Sequence[float], speeds_m_s: Sequence[float]) -> None:
    """What is now driven otherwise."""
    sizes = [size for size in work.sizes if size.frequency_hz in hz]
    tasks: list[Any] = [task for task in work.tasks if task.parameters.get("speed_m_s") in speeds_m_s]
    judging.distortion(work.rig, work.notes, sizes, "after", work.go_on_without)
    names = {task.text for task in tasks}
    work.runs = [run for run in work.runs if run.law != "after" or run.task.text not in names]
    work.runs += judging.tracked(work.rig, work.notes, tasks, "after", work.go_on_without)
