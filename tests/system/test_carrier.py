"""Stepped sine, sweep and multisine on a rig that sticks: with a carrier they tell the same, alone they do not."""

import itertools
import os

import numpy as np
import pytest

from hilctl.client import Client, private_service
from hilctl.experiment.facts import read_facts
from hilctl.identify.dynamics.analyse import cleaned_of, judged, plant_of
from hilctl.identify.dynamics.plant import pairs_of
from hilctl.identify.frequency.drive import Run
from hilctl.identify.frequency.estimate import measured_of, scatter_between
from hilctl.identify.frequency.judge_sticking import stuck_of
from hilctl.identify.frequency.plan import Asked, legs_of
from tests.system.test_identify_plant import a_rig

SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))
KINDS = ("multisine", "sweep", "stepped")
FREE = {"twin.friction.model": "viscous", "twin.friction.fv": 3251.0}
STICKY = ("karnopp", "lugre", "gms")
FRICTIONS = (*STICKY, "viscous")[: max(1, round(4 * SHARE))]


def responses(friction, folder, carrier_m_s):
    """On the twin, whatever the rig file says of its friction; and what is said of them."""
    _, changes = a_rig("karnopp" if friction == "viscous" else friction, 3)
    if friction == "viscous":
        changes = {key: value for key, value in changes.items() if "friction" not in key} | FREE
    with private_service("table-500", changes=changes) as service, Client(service.commands) as rig:
        rig.arm()
        facts = read_facts(rig)
        plant, asked = plant_of(facts), Asked(excitations=KINDS, checks=False, carrier_m_s=carrier_m_s)
        run = Run.begin(rig, folder, asked, facts, legs_of(asked, facts))
        list(run.drive())
    experiments, pairs = run.experiments(), pairs_of(plant, asked)
    assert not any(judged(one, pairs, facts) for one in experiments)
    measured, wrong = measured_of(experiments, {one.name: cleaned_of(one, pairs) for one in experiments}, pairs)
    assert not wrong
    return {one.experiment: one for one in measured}, scatter_between(measured), stuck_of(experiments, facts)


def apart(one, other):
    """The rms of two responses' difference over the rms of both, on the first one's frequencies."""
    hz = one.hz[(one.hz >= other.hz[0]) & (one.hz <= other.hz[-1])]
    here, there = (np.interp(hz, r.hz, r.gain.real) + 1j * np.interp(hz, r.hz, r.gain.imag) for r in (one, other))
    return float(np.linalg.norm(here - there) / np.sqrt(np.linalg.norm(here) * np.linalg.norm(there)))


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.timeout(600)
@pytest.mark.parametrize("friction", FRICTIONS)
def test_the_excitations_tell_the_same_on_a_carrier(friction, tmp_path):
    worst, bands = {}, {}
    for carrier, name in ((0.0, "alone"), (None, "carrier")):
        found, scatter, stuck = responses(friction, tmp_path / name, carrier)
        pairs = list(itertools.combinations(KINDS, 2))
        worst[name] = [apart(found[a].response, found[b].response) for a, b in pairs]
        bands[name] = {kind: found[kind].bandwidth.gain for kind in KINDS}
        crossings = ", ".join(f"{kind} {b.hz:.1f} ± {1.96 * b.error_hz:.1f}" for kind, b in bands[name].items() if b)
        told = ", ".join(f"{a}/{b} {100 * x:.0f} %" for (a, b), x in zip(pairs, worst[name], strict=True))
        print(f"{friction} {name}: {told}; -3 dB {crossings} Hz; not linear: {len(scatter)}; stuck: {len(stuck)}")
        if carrier is None:
            assert not scatter and not stuck
        else:
            assert len(stuck) == 3
            assert scatter or friction not in STICKY
    assert max(worst["carrier"]) < 0.15
    if friction in STICKY:
        assert max(worst["alone"]) > 0.4
        for a, b in itertools.combinations(bands["carrier"].values(), 2):
            assert abs(a.hz - b.hz) < 1.96 * np.hypot(a.error_hz, b.error_hz)
