"""Which lines were measured while the table may have stuck, seen in its own displacement."""


import numpy as np
import pytest

from hilctl.identify.frequency.judge_sticking import stuck_of
from hilctl.identify.frequency.plan import Asked, legs_of, signal_of
from hilctl.identify.frequency.record import Experiment
from tests.unit.identify.plant.plant_parts import facts

STICKS = {"friction.model": "karnopp", "friction.fc": 287.0, "friction.fs": 3118.0, "friction.vs": 0.115,
          "friction.sigma": 3251.0}  # fmt: skip
COULOMB = {"friction.model": "coulomb", "friction.fc": 500.0}


def driven(kind, rig, follows, carrier):
    """What a table makes of it that follows so; with the sensor's noise."""
    asked = Asked(excitations=(kind,), checks=False, start_hz=5.0, end_hz=60.0, carrier_m_s=carrier)
    for leg in legs_of(asked, rig):
        signal = signal_of(leg, rig)
        noise = 5e-6 * np.random.default_rng(4).standard_normal(len(signal.values))
        yield Experiment(
            name=leg.name, group=leg.group, kind=leg.kind, role="fit", settings=leg.settings, rate_hz=1000.0,
            channels={"xd_m": signal.values, "displacement_m": follows(signal.values) + noise}, band_hz=leg.band_hz,
            signal=signal.made,
        )  # fmt: skip


def told(kind, friction=STICKS, follows=lambda x: x, carrier=0.0):
    rig = facts(**friction)
    return stuck_of(list(driven(kind, rig, follows, carrier)), rig)


@pytest.mark.parametrize("kind", ["stepped", "sweep", "multisine"])
def test_a_table_that_slides_on_a_carrier_is_not_told_and_one_that_is_slow_is(kind):
    assert told(kind, carrier=0.3) == ()
    (text,) = told(kind)
    assert kind in text and "displacement_m" in text and "--carrier 0.35" in text and "0.115 m/s" in text
    first = float(text.split(" stuck at ")[1].split()[0])
    assert 15 < first < 40 if kind != "multisine" else first == 5.0


def test_a_table_that_does_not_follow_is_told_whatever_friction_is_known_of():
    assert told("stepped", COULOMB) == ()
    (text,) = told("stepped", COULOMB, lambda x: 0.02 * x)
    assert "5 to 60 Hz" in text and "a tenth of the driven speed" in text
    (text,) = told("stepped", STICKS, lambda x: 0.0 * x, carrier=0.3)  # not even the carrier
    assert "5 to 60 Hz" in text


def test_nothing_is_said_where_no_friction_holds():
    assert told("stepped", {}) == () == told("stepped", {**STICKS, "friction.fc": 0.0, "friction.fs": 0.0})
    assert stuck_of(list(driven("stepped", facts(), lambda x: x, 0.0)), None) == ()
