"""Drives the reversals, as any client of the service would, and fetches their samples without loss."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hilctl.experiment.trips import ended_text
from hilctl.identify.presliding.cycles import CHANNELS, Cycles, cut
from hilctl.identify.presliding.facts import Facts
from hilctl.identify.presliding.faults import ReversalFault, check_cycles, check_samples
from hilctl.identify.presliding.plan import PAUSE_S, Swing

if TYPE_CHECKING:
    from hilctl.client import Client

ORIGIN = "hilctl identify: reversals"
_UNDER = {"law.feedback": "three_state", "law.feed.inverse": 0.0}  # what is looked for must not be compensated


def measure(rig: "Client", swings: Sequence[Swing], facts: Facts, center_m: float,
            tell: Callable[[str], None]) -> tuple[list[Cycles], int]:
    """The cycles of every swing, and how many ticks it took. ReversalFault when the rig does not do as planned."""
    found, ticks = [], 0
    with three_variable(rig):
        for swing in swings:
            tell(f"reversals of ±{1e3 * swing.amplitude_m:.3g} mm at {facts.rate_hz / swing.period:.3g} Hz")
            rig.pass_time(PAUSE_S)
            motion = rig.track("sine", **swing.parameters(facts.rate_hz, center_m))
            try:
                outcome = rig.wait(motion)
            except KeyboardInterrupt:
                rig.stop()
                raise
            if outcome.why != "done":
                raise ReversalFault(ended_text(rig, outcome.why))
            samples = rig.samples(motion.first, outcome.last, CHANNELS, keep=rig.hello["clock"] == "virtual")
            if len(samples["tick"]) < outcome.last - motion.first + 1:
                raise ReversalFault("samples are missing; raise service.history_s")
            check_samples(samples, facts)
            found.append(cut(samples, motion.facts, swing.amplitude_m, swing.period, facts))
            ticks += len(samples["tick"]) + round(PAUSE_S * facts.rate_hz)
    check_cycles(found)
    return found, ticks


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
