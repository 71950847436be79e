"""Compensation: the candidate models, each as one set; the best one stays, with the best preview."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from hilctl.commission import judging, sines
from hilctl.commission.candidates import LITTLE, Trial, candidates_of, compare, distortion, switch, try_law
from hilctl.commission.parameters import PREVIEW, adopt, put_back
from hilctl.commission.telling import active, why
from hilctl.commission.valve import OF_THE_VALVE
from hilctl.commission.work import Work
from hilctl.experiment.drive import LegFault
from hilctl.identify.preview import search
from hilctl.results.friction import SlidingFit
from hilctl.results.proof import Choice, OnRig
from hilctl.wire.errors import Refused

JUDGED_HZ = 1.0  # where the preview is searched


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
    certain = found is not None and found.certain
    with work.notes.stages("compensation"):
        sizes = _judged_by(work, certain)
        before = judging.before(work.rig, work.notes, sizes)
        machine = _machine_alone(work, sizes)
        put_back(work.rig, work.prepared, work.origin)  # so that all of it is one set, and one step back
        trials: list[Trial] = []
        for law in candidates_of(fit, found):
            if trials and certain and compare(before, None, trials).factors[0] > LITTLE:
                break
            work.notes.tell(f"compensation: {law.name}")
            try:
                lost = trials[-1].left_out if trials else 0.0
                trials.append(try_law(work.rig, law, values, sizes, work.origin, lost))
            except LegFault as fault:
                work.go_on_without("compensation", f"the friction model {law.name} is left out", fault)
        compared, hz = compare(before, machine, trials), sizes[0].key
        best = trials[compared.best] if compared.best >= 0 else None
        work.result.choice = Choice(
            frequency_hz=sizes[0].frequency_hz, before_percent=before[hz], before_by_hz=before,
            tried=[OnRig(t.candidate.name, t.by_hz[hz], t.extra_preview_s, t.epoch, dict(t.by_hz), factor)
                   for t, factor in zip(trials, compared.factors, strict=True)],
            kept=best.candidate.name if best else None, why="", machine_percent=machine[hz] if machine else None,
            machine_by_hz=machine or {}, machine_factor=compared.machine,
        )  # fmt: skip
        work.result.friction = None
        if best is None:
            _none_helps(work, work.result.choice)
            return
        if best is not trials[-1]:
            best = try_law(work.rig, best.candidate, values, sizes[:1], work.origin, best.left_out)
        work.result.choice = replace(work.result.choice, why=why(work.result.choice))
    work.gains(best.gains)
    made = next(one for one in work.rig.changes(first=best.epoch)["sets"] if one["epoch"] == best.epoch)
    edits: dict[str, Any] = {edit["key"]: edit for edit in made["changed"]}
    work.sent(best.epoch, {key: edit["new"] for key, edit in edits.items()},
              {key: edit["old"] for key, edit in edits.items()})  # fmt: skip
    work.result.friction = active(best.candidate, fit, found, work.original)
    _preview(work, sizes[0], best)


def _machine_alone(work: Work, sizes: Sequence[sines.Size]) -> dict[str, float] | None:
    """The distortion with what was identified of the valve, which counts without a friction model already."""
    if set(OF_THE_VALVE).isdisjoint(work.changes()):
        return None
    switch(work.rig, 0.0, work.origin)
    return distortion(work.rig, sizes)[0]


def _judged_by(work: Work, certain: bool) -> list[sines.Size]:
    """The sines by which models are compared, first that for which the preview is searched: it alone where the loops
    have decided, for one model is likely to be all that is tried."""
    if not work.sizes:
        raise LegFault("no sine is within the limits, and friction models are compared by sines; widen "
                       "limits.velocity, limits.acceleration or limits.position")  # fmt: skip
    sizes = sorted(work.sizes, key=lambda size: abs(size.frequency_hz - JUDGED_HZ))
    return sizes[:1] if certain else sizes


def _none_helps(work: Work, choice: Choice) -> None:
    switch(work.rig, 0.0, work.origin)
    said = why(choice) if choice.tried else "no friction model could be tried"
    work.result.choice = replace(choice, why=f"none: {said}")
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
