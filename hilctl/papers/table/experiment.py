"""The paper's experiment, driven through a private service of the simulated table."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from hilctl.client import Client, private_service
from hilctl.commission import sines
from hilctl.commission.candidates import switch
from hilctl.commission.tracking import Run, drive, triangle
from hilctl.commission.worth import worth
from hilctl.experiment.drive import under
from hilctl.experiment.facts import Facts, read_facts
from hilctl.experiment.prepare import prepare
from hilctl.experiment.sensors import SENSED
from hilctl.identify import friction_sets
from hilctl.identify.friction import Campaign, FrictionFit, Measured, fit_friction, points_of
from hilctl.identify.friction.estimate_speed import evaluate, pair, points
from hilctl.identify.friction.estimate_windows import CHANNELS, force, had, timed
from hilctl.identify.friction.judge_expected import expect
from hilctl.identify.friction.plan import SETTLE_S, Leg
from hilctl.papers.declaration import Tell
from hilctl.papers.table.setting import AMPLITUDES_M, CONTROLLERS, CYCLES, PID, RIG, THREE, changes, speed_of
from hilctl.results.proof import Worth

if TYPE_CHECKING:
    from collections.abc import Iterator

ORIGIN = "hilctl paper 000"
_BLENDED_S = 1.0  # of the rig's time, beyond the blend


class Tracked(NamedTuple):
    """A triangle under one controller."""

    controller: str
    speed_m_s: float
    run: Run
    worth: Worth
    windows: int
    counted: int  # of these, by the gates of a campaign
    measured_m_s: float  # of all of them, whether they count or not
    friction_n: float


class Sine(NamedTuple):
    """The acceleration's distortion under one controller, without and with compensation."""

    controller: str
    size: sines.Size
    before: sines.Measured
    after: sines.Measured

    @property
    def factor(self) -> float:
        """Times less."""
        return self.before.distortion.percent / self.after.distortion.percent


class Study(NamedTuple):
    """Everything that was measured."""

    facts: Facts
    tracked: tuple[Tracked, ...]
    speeds: tuple[Measured, ...]  # of the campaign, from slow to fast
    fit: FrictionFit  # of the product: weighted, both directions, any static model
    sines: tuple[Sine, ...]

    def under(self, controller: str, speed_m_s: float) -> Tracked:
        """One triangle."""
        return next(one for one in self.tracked if (one.controller, one.speed_m_s) == (controller, speed_m_s))

    def sine(self, controller: str, frequency_hz: float) -> Sine:
        """One sine."""
        return next(one for one in self.sines if (one.controller, one.size.frequency_hz) == (controller, frequency_hz))


def driven(tell: Tell) -> Study:
    """Triangles, campaign, sines; the identified friction is applied before the last."""
    with (
        TemporaryDirectory(prefix="hilctl-paper-") as folder,
        private_service(RIG, changes=changes()) as service,
        Client(service.commands, name="paper") as rig,
    ):
        prepared = prepare(rig, tell=tell)
        facts = read_facts(rig)
        tracked = tuple(_triangles(rig, tell))
        _settle(rig)
        campaign = Campaign.begin(rig, Path(folder), prepared=prepared)
        for _ in campaign.run():
            tell(f"campaign: {campaign.progress.seconds_left:.0f} s of the rig's time left")
        fit = fit_friction(points_of(campaign))
        found = tuple(_distortions(rig, fit, tell))
        speeds = tuple(sorted(campaign.finished, key=lambda one: one.leg.speed_m_s))
    return Study(facts, tracked, speeds, fit, found)


def _settle(rig: Client) -> None:
    rig.pass_time(float(rig.get("law.blend_s")["law.blend_s"]) + _BLENDED_S)


def _triangles(rig: Client, tell: Tell) -> "Iterator[Tracked]":
    for controller in CONTROLLERS:
        with under(rig, controller.values, ORIGIN):
            _settle(rig)
            for amplitude in AMPLITUDES_M:
                tell(f"{controller.name}: {speed_of(amplitude):g} m/s")
                yield _tracked(rig, controller.name, amplitude)


def _tracked(rig: Client, controller: str, amplitude_m: float) -> Tracked:
    speed, facts = speed_of(amplitude_m), read_facts(rig)
    also = tuple(channel for channel in CHANNELS if channel not in ("rejected", *SENSED))
    run = drive(rig, triangle(speed, amplitude_m, CYCLES), controller, (*also, *SENSED))
    leg = Leg(speed, amplitude_m, 0.0, CYCLES, speed * SETTLE_S, 0.0, 0.0)
    made = evaluate(0, leg, run.samples, facts, expect(facts))
    samples = timed(run.samples, facts)
    every = [replace(window, reason="") for window in made.windows]
    both = pair(points(every, force(samples, facts), had(samples), facts))
    assert both is not None  # three cycles have straights in both directions
    return Tracked(controller, speed, run, worth(run), len(every), len(every) - len(made.discarded),
                   both.speed_m_s, both.force_n)  # fmt: skip


def _distortions(rig: Client, fit: FrictionFit, tell: Tell) -> "Iterator[Sine]":
    """With the identified friction, under both feedbacks; the feed-forward is the same."""
    now = rig.get(*friction_sets.KEYS)
    table = fit.friction.table()
    for one in friction_sets.steps(friction_sets.changes(table, now, friction_sets.holder(table, now)), now):
        rig.set(one, origin=ORIGIN)
    for name, values in (THREE, PID):
        with under(rig, values, ORIGIN):
            _settle(rig)
            for size in sines.sizes_of(rig):
                tell(f"{name}: distortion at {size.frequency_hz:g} Hz")
                switch(rig, 0.0, ORIGIN)
                before = sines.measure(rig, size)
                switch(rig, 1.0, ORIGIN)
                yield Sine(name, size, before, sines.measure(rig, size))
            switch(rig, 0.0, ORIGIN)
