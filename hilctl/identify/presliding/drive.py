"""Drives the reversals, as any client of the service would, and fetches their samples without loss."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from hilctl.experiment.drive import Leg, drive
from hilctl.experiment.policy import MEANS
from hilctl.identify.presliding.estimate_cycles import CHANNELS, Cycles, cut
from hilctl.identify.presliding.facts import Facts
from hilctl.identify.presliding.faults import check_cycles, check_samples
from hilctl.identify.presliding.plan import PAUSE_S, Swing

if TYPE_CHECKING:
    from hilctl.client import Client, Motion

ORIGIN = "hilctl identify: reversals"
_UNDER = {"law.feedback": "three_state", "law.feed.inverse": 0.0}  # what is looked for must not be compensated


class Measured(NamedTuple):
    """The reversals as they were driven."""

    cycles: list[Cycles]
    ticks: int
    lost: float  # share of the readings
    notes: tuple[str, ...]


def measure(rig: "Client", swings: Sequence[Swing], facts: Facts, center_m: float,
            tell: Callable[[str], None]) -> Measured:
    """The cycles of every swing. ReversalFault or LegFault when the rig does not do as planned."""
    found: list[Cycles] = []
    notes: list[str] = []
    ticks, lost = 0, 0.0
    with three_variable(rig):
        for swing in swings:
            tell(f"reversals of ±{1e3 * swing.amplitude_m:.3g} mm at {facts.rate_hz / swing.period:.3g} Hz")
            rig.pass_time(PAUSE_S)

            def start(swing: Swing = swing) -> "Motion":
                return rig.track("sine", **swing.parameters(facts.rate_hz, center_m))

            driven = drive(rig, Leg(f"reversals of ±{1e3 * swing.amplitude_m:.3g} mm", start, CHANNELS, MEANS))
            check_samples(driven.record, facts)
            found.append(cut(driven.record.bridged, driven.motion.facts, swing.amplitude_m, swing.period, facts))
            ticks += driven.record.ticks + round(PAUSE_S * facts.rate_hz)
            notes += [f"reversals of ±{1e3 * swing.amplitude_m:.3g} mm: {text}; driven again" for text in driven.again]
            lost += driven.losses.share / len(swings)
    check_cycles(found)
    return Measured(found, ticks, lost, tuple(notes))


@contextmanager
def three_variable(rig: "Client") -> Iterator[None]:
    """Armed, and under three-variable control alone meanwhile."""
    if rig.status()["mode"] == "off":
        rig.arm()
    before = rig.get(*_UNDER)
    changed = {key: value for key, value in before.items() if value != _UNDER[key]}
    if changed:
        rig.set({key: _UNDER[key] for key in changed}, origin=ORIGIN)
    try:
        yield
    finally:
        if changed:
            rig.set(changed, origin=ORIGIN)
