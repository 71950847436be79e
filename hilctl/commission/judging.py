"""How the rig does before and after: distortion of its sines, and how well motions are tracked."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hilctl.commission import sines, tracking
from hilctl.commission.history import worth_of_history
from hilctl.commission.notes import Notes
from hilctl.commission.worth import worth
from hilctl.experiment.drive import LegFault
from hilctl.identify.distortion import NotMeasuredError

if TYPE_CHECKING:
    from hilctl.client import Client

LeftOut = Callable[[str, Exception], None]  # what is missing without it, and why; raises where nothing can go on


def distortion(rig: "Client", notes: Notes, sizes: Sequence[sines.Size], when: str, left_out: LeftOut) -> None:
    """Of each sine, with a picture of one cycle."""
    with notes.stages(f"distortion {when}"):
        pictures = notes.told.setdefault("sines", {})
        percents = notes.told.setdefault("thd", {})
        for size in sizes:
            notes.tell(f"distortion {when}: {size.key} Hz, ±{1e3 * size.amplitude_m:g} mm")
            try:
                made = sines.measure(rig, size)
            except LegFault as fault:
                left_out(f"its distortion {when} is missing", fault)
                continue
            seen = made.distortion
            notes.losses(f"sine of {size.key} Hz, {when}", made.losses)
            pictures.setdefault(size.key, {})[when] = made.picture
            one = percents.setdefault(size.key, {"amplitude_m": size.amplitude_m})
            one[when] = seen.percent
            one[f"resolution_{when}"] = seen.resolution_percent
            if when == "after" and "before" in one:
                one["factor"] = one["before"] / one["after"]
                if one["factor"] < 1.0:
                    notes.warn(
                        f"the sine of {size.key} Hz is distorted more than before, {one['after']:.3g} % against "
                        f"{one['before']:.3g} %; `hilctl set law.feed.inverse=0` switches compensation off"
                    )


def before(rig: "Client", notes: Notes, size: sines.Size) -> float:
    """The distortion of the sine that friction models are compared by; measured now where it is missing."""
    one = notes["thd"].setdefault(size.key, {"amplitude_m": size.amplitude_m})
    if "before" not in one:
        one["before"] = sines.measure(rig, size).distortion.percent
    return float(one["before"])


def tracked(
    rig: "Client", notes: Notes, tasks: Sequence[tracking.Task], when: str, left_out: LeftOut
) -> list[tracking.Run]:
    """Each motion, as it was tracked."""
    runs: list[tracking.Run] = []
    with notes.stages(f"tracking {when}"):
        rows = notes.told.setdefault("tracking", [])
        for index, task in enumerate(tasks):
            notes.tell(f"tracking {when}: {task.text}")
            if when == "before":
                rows.append({"kind": task.kind, "name": task.text, **task.parameters})
            try:
                run = tracking.drive(rig, task, when)
            except LegFault as fault:
                left_out(f"its error {when} is missing", fault)
                continue
            if run.why != "done":
                raise NotMeasuredError(run.ended)
            runs.append(run)
            notes.losses(f"{task.text}, {when}", run.losses)
            rows[index][when] = _worth(rig, run)
    return runs


def _worth(rig: "Client", run: tracking.Run) -> dict[str, Any]:
    if run.task.kind == "waveform":
        key = "sensors.acceleration.noise"
        return worth_of_history(run, float(rig.get(key)[key]))
    found = worth(run)
    return {"rms_um": found.rms_um, "flatness_percent": found.flatness_percent, "thd_percent": found.thd_percent}
