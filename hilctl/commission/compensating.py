"""Compensation: the candidate models, each as one set; the best one stays, with the best preview."""

from typing import Any

from msgspec.structs import replace

from hilctl.commission import judging, sines
from hilctl.commission.candidates import LITTLE, Trial, candidates_of, distortion, switch, try_law
from hilctl.commission.parameters import PREVIEW, adopt, put_back
from hilctl.commission.telling import active, why, without
from hilctl.commission.work import Work
from hilctl.experiment.drive import LegFault
from hilctl.identify.preview import search
from hilctl.results.friction import SlidingFit
from hilctl.results.proof import Choice, OnRig
from hilctl.wire.errors import Refused

OF_THE_VALVE = ("machine.overlap_a", "machine.overlap_b", "machine.hysteresis")
JUDGED_HZ = 1.0  # where friction models are compared, and the preview is searched


def compensation(work: Work, fit: SlidingFit) -> None:
    """The best friction model stays active, with the inverse model on and its preview; else the machine alone."""
    try:
        _best(work, fit)
    except (LegFault, Refused) as fault:
        work.go_on_without("compensation", "friction is not compensated", fault)
        put_back(work.rig, work.prepared, work.origin)
    if work.result.friction is None:
        machine_alone(work)


def _best(work: Work, fit: SlidingFit) -> None:
    found, values = work.result.presliding, work.changes()
    with work.notes.stages("compensation"):
        size = _judged_by(work)
        before = judging.before(work.rig, work.notes, size)
        machine = _machine_alone(work, size)
        put_back(work.rig, work.prepared, work.origin)  # so that all of it is one set, and one step back
        trials: list[Trial] = []
        certain = found is not None and found.certain
        for law in candidates_of(fit, found):
            if trials and certain and before > LITTLE * trials[0].percent:
                break
            work.notes.tell(f"compensation: {law.name}")
            try:
                lost = trials[-1].left_out if trials else 0.0
                trials.append(try_law(work.rig, law, values, size, work.origin, lost))
            except LegFault as fault:
                work.go_on_without("compensation", f"the friction model {law.name} is left out", fault)
        best = min(trials, key=lambda t: t.percent, default=None)
        least = before if machine is None else min(before, machine)
        helps = best is not None and best.percent < least
        work.result.choice = Choice(
            frequency_hz=size.frequency_hz, before_percent=before,
            tried=[OnRig(t.candidate.name, t.percent, t.extra_preview_s, t.epoch) for t in trials],
            kept=best.candidate.name if best and helps else None, why="", machine_percent=machine,
        )  # fmt: skip
        work.result.friction = None
        if best is None or not helps:
            _none_helps(work, best, without(before, machine))
            return
        if best is not trials[-1]:
            best = try_law(work.rig, best.candidate, values, size, work.origin, best.left_out)
        work.result.choice = replace(work.result.choice, why=why(best, trials, before, machine))
    work.gains(best.gains)
    made = next(one for one in work.rig.changes(first=best.epoch)["sets"] if one["epoch"] == best.epoch)
    edits: dict[str, Any] = {edit["key"]: edit for edit in made["changed"]}
    work.sent(best.epoch, {key: edit["new"] for key, edit in edits.items()},
              {key: edit["old"] for key, edit in edits.items()})  # fmt: skip
    work.result.friction = active(best.candidate, fit, found, work.original)
    _preview(work, size, best)


def _machine_alone(work: Work, size: sines.Size) -> float | None:
    """The distortion with what was identified of the valve, which counts without a friction model already."""
    if set(OF_THE_VALVE).isdisjoint(work.changes()):
        return None
    switch(work.rig, 0.0, work.origin)
    return distortion(work.rig, size).distortion.percent


def _judged_by(work: Work) -> sines.Size:
    if not work.sizes:
        raise LegFault("no sine is within the limits, and friction models are compared by one; widen limits.velocity, "
                       "limits.acceleration or limits.position")  # fmt: skip
    return next((s for s in work.sizes if s.frequency_hz == JUDGED_HZ), work.sizes[0])


def _none_helps(work: Work, best: Trial | None, without: str) -> None:
    switch(work.rig, 0.0, work.origin)
    said = "no friction model could be tried"
    if best:
        said = f"distortion {best.percent:.1f} % with it, {without}"
    assert work.result.choice is not None
    work.result.choice = replace(work.result.choice, why=f"none: {said}")
    work.notes.warn(f"compensation does not help on this rig and stays off: {said}; see what is not identified")


def machine_alone(work: Work) -> None:
    """The identified machine stays active without a friction model."""
    values = work.changes()
    if not values:
        return
    now = work.rig.get(*values)
    if {key: now[key] for key in values} != values:
        adopt(work.rig, values, work.origin)
    work.sent(int(work.rig.status()["epoch"]), values, {key: work.before[key] for key in values})


def _preview(work: Work, size: sines.Size, best: Trial) -> None:
    with work.notes.stages("preview"):
        try:
            found = search(
                work.rig, size.frequency_hz, size.amplitude_m, size.center_m, cycles=sines.FEW_CYCLES,
                origin=work.origin,
                tell=lambda shift_s, seen: work.notes.tell(f"preview {1e3 * shift_s:+.2f} ms: {seen.percent:.2f} %"),
            )  # fmt: skip
        except (LegFault, Refused) as fault:
            work.go_on_without("compensation", "the preview is not searched to its end", fault)
            return
        work.result.preview = found
        assert work.result.sent is not None
        work.result.sent.values[PREVIEW] = found.extra_preview_s
