"""How the rig does before and after: distortion of its sines, and how well motions are tracked."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hilctl.commission import sines, tracking
from hilctl.commission.history import worth_of_history
from hilctl.commission.notes import Notes
from hilctl.commission.worth import worth
from hilctl.experiment.drive import LegFault
from hilctl.experiment.measured import report
from hilctl.identify.distortion import NotMeasuredError
from hilctl.results.proof import Sine, Thd, Tracked, Worth

if TYPE_CHECKING:
    from hilctl.client import Client

WORSE = 1.1  # times the distortion or tracking error before: what repeats of a motion differ by
_SWITCHED_OFF = "`hilctl set law.feed.inverse=0` switches compensation off"
LeftOut = Callable[[str, str, Exception], None]  # part, what is missing of it, why; raises where nothing can go on


def distortion(rig: "Client", notes: Notes, sizes: Sequence[sines.Size], when: str, left_out: LeftOut) -> None:
    """Of each sine, with a picture of one cycle."""
    lost = 0.0
    with notes.stages(f"distortion {when}"):
        for size in sizes:
            notes.tell(f"distortion {when}: {size.key} Hz, ±{1e3 * size.amplitude_m:g} mm")
            try:
                made = sines.measure(rig, size, left_out=lost)
            except LegFault as fault:
                left_out("sines", f"the distortion of {size.key} Hz {when} is missing", fault)
                continue
            lost = made.left_out
            notes.losses(f"sine of {size.key} Hz, {when}", made.losses)
            setattr(notes.result.sines.setdefault(size.key, Sine()), when, made.picture)
            one = notes.result.thd.setdefault(size.key, Thd(size.amplitude_m))
            setattr(one, when, made.distortion.percent)
            setattr(one, f"resolution_{when}", made.distortion.resolution_percent)
            report("distortion", when=when, frequency_hz=size.frequency_hz, amplitude_m=size.amplitude_m,
                   percent=made.distortion.percent, resolution_percent=made.distortion.resolution_percent)  # fmt: skip
            if one.before is not None and one.after is not None:
                one.factor = one.before / one.after
                if one.after > WORSE * one.before:
                    notes.warn(
                        f"the sine of {size.key} Hz is distorted more than before, {one.after:.3g} % against "
                        f"{one.before:.3g} %; {_SWITCHED_OFF}"
                    )


def before(rig: "Client", notes: Notes, sizes: Sequence[sines.Size]) -> dict[str, float]:
    """The distortion of the sines that friction models are compared by; that of the first measured now where it is
    missing."""
    first = notes.result.thd.setdefault(sizes[0].key, Thd(sizes[0].amplitude_m))
    if first.before is None:
        first.before = sines.measure(rig, sizes[0]).distortion.percent
    known = {size.key: notes.result.thd.get(size.key) for size in sizes}
    return {key: one.before for key, one in known.items() if one is not None and one.before is not None}


def tracked(
    rig: "Client", notes: Notes, tasks: Sequence[tracking.Task], when: str, left_out: LeftOut
) -> list[tracking.Run]:
    """Each motion, as it was tracked."""
    runs: list[tracking.Run] = []
    with notes.stages(f"tracking {when}"):
        for task in tasks:
            notes.tell(f"tracking {when}: {task.text}")
            row = next((one for one in notes.result.tracking if one.name == task.text), None)
            if row is None:
                sizes = {key: task.parameters.get(key) for key in ("amplitude_m", "speed_m_s", "frequency_hz")}
                row = Tracked(task.kind, task.text, **sizes)
                notes.result.tracking.append(row)
            try:
                run = tracking.drive(rig, task, when)
            except LegFault as fault:
                left_out("tracking", f"the error of the {task.text} {when} is missing", fault)
                continue
            if run.why != "done":
                raise NotMeasuredError(run.ended)
            runs.append(run)
            notes.losses(f"{task.text}, {when}", run.losses)
            setattr(row, when, _worth(rig, run))
            _warn_of_worse(row, notes)
    return runs


def _warn_of_worse(row: Tracked, notes: Notes) -> None:
    was, now = (one.rms_um if one else None for one in (row.before, row.after))
    if was is not None and now is not None and now > WORSE * was:
        notes.warn(f"the {row.name} is tracked worse than before, {now:.3g} µm rms against {was:.3g} µm; "
                   f"{_SWITCHED_OFF}")  # fmt: skip


def _worth(rig: "Client", run: tracking.Run) -> Worth:
    if run.task.kind == "waveform":
        key = "sensors.acceleration.noise"
        return worth_of_history(run, float(rig.get(key)[key]))
    return worth(run)
