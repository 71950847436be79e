"""A specimen on the twin's table: its reaction acts on the hydraulics, and on whether the table sticks."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from firmware_bridge.driver import DriverError
from sim.specimens import SpecimenConfig, simulate, swing

EXACT = {"null_bias": 0, "hysteresis": 0, "threshold": 0, "slew_per_s": 1e5}
CURVE = {"fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251}
KARNOPP = {"model": "karnopp", **CURVE}
FRICTIONS = [KARNOPP, {"model": "lugre", **CURVE, "s0": 1e8, "s1": 1e5}]


def sine(count: int, amplitude: float = 0.15) -> np.ndarray:
    return amplitude * np.sin(2 * np.pi * 2e-3 * np.arange(1, count + 1))


@pytest.mark.slow
@pytest.mark.parametrize("friction", FRICTIONS, ids=lambda friction: friction["model"])
def test_a_rigid_specimen_is_as_good_as_a_heavier_table(make_rig, friction):
    heavy = make_rig(friction, machine={"m": 800}, valve=EXACT).ready()
    loaded = make_rig(friction, valve=EXACT, specimen={"kind": "rigid", "rigid": {"m": 300}}).ready()
    u = sine(400)
    one, other = heavy.run(u), loaded.run(u)
    assert np.max(np.abs(one)) > 0.1
    assert other == pytest.approx(one, abs=1e-10)
    assert loaded.plant.acceleration == pytest.approx(heavy.plant.acceleration, abs=1e-6)


def test_a_structure_and_the_hydraulics_agree_with_a_tight_solution(make_rig, make_exact):
    """Sliding one way throughout, so that the equations are smooth."""
    own = {"m": 200.0, "k": 2e5, "c": 200.0, "deflection_m": 0.0}
    rig = make_rig(KARNOPP, valve=EXACT, specimen={"kind": "structure", "structure": own}).ready()
    rig.run(np.full(60, 0.2))
    exact, spec = make_exact(rig), rig.plant.specimen
    start = np.concatenate([exact.state, spec.y[:2]])

    def rates(t, y):
        push = own["k"] * y[7] + own["c"] * (y[8] - y[5])
        friction = exact.level(y[5]) + CURVE["sigma"] * y[5]
        return [*exact.rates(0.2, y[:7], friction - push), y[8] - y[5], -push / own["m"]]

    ours = rig.run(np.full(100, 0.2), lambda twin: (twin.plant.v, twin.plant.specimen.y[0]))
    solved = solve_ivp(rates, (0, 0.1), start, "DOP853", rtol=1e-11, atol=1e-14, t_eval=np.arange(1, 101) * 1e-3)
    assert np.min(solved.y[5]) > 0
    assert ours[:, 0] == pytest.approx(solved.y[5], abs=1e-7 * np.max(solved.y[5]))
    assert ours[:, 1] == pytest.approx(solved.y[7], abs=1e-6 * np.ptp(solved.y[7]))


def pulled(make_rig, force_n: float):
    """A table at rest with the valve closed, and a structure on it whose spring pulls with this force."""
    own = {"m": 500.0, "k": 1e6, "c": 500.0, "deflection_m": force_n / 1e6}
    rig = make_rig(KARNOPP, valve=EXACT, specimen={"kind": "structure", "structure": own}).ready()
    return rig, rig.run(np.zeros(150))


def test_friction_has_to_hold_the_specimens_reaction_too(make_rig):
    rig, v = pulled(make_rig, 3000.0)
    assert not v.any()
    assert rig.plant.x == 0.0
    assert abs(rig.plant.friction) < 3000
    _, v = pulled(make_rig, 3300.0)
    assert np.max(v) > 1e-4


def test_on_a_table_that_sticks_a_pendulum_swings_as_on_the_ground(make_rig):
    pendulum = {"link1": {"angle_rad": 0.6}, "link2": {"angle_rad": -0.3}}
    rig = make_rig(KARNOPP, valve=EXACT, specimen={"kind": "pendulum", "pendulum": pendulum}).ready()
    v = rig.run(np.zeros(1000))
    assert not v.any()
    ground = simulate(rig.config.specimen, 1.0, step_s=rig.plant.substep_s, every=20)
    assert rig.plant.specimen.y[[2, 5]] == pytest.approx(ground.angles_rad[-1], abs=1e-9)


def test_a_pendulum_shakes_the_table_that_it_stands_on(make_rig):
    """With the valve closed the trapped oil is a spring: what the pendulum does to it shows in the load pressure."""
    pendulum = {"link1": {"angle_rad": 1.2}, "link2": {"angle_rad": 1.2}}
    smooth = {"model": "karnopp", "fc": 0, "fs": 0, "vs": 1, "sigma": 100.0}
    rig = make_rig(smooth, valve=EXACT, specimen={"kind": "pendulum", "pendulum": pendulum}).ready()
    seen = rig.run(np.zeros(500), lambda twin: (twin.plant.v, twin.plant.pa - twin.plant.pb))
    still = make_rig(smooth, valve=EXACT).ready()
    quiet = still.run(np.zeros(500), lambda twin: twin.plant.pa - twin.plant.pb)
    assert np.max(np.abs(seen[:, 0])) > 1e-5
    assert np.ptp(seen[:, 1]) > 100 * max(np.ptp(quiet), 1.0)


def test_what_cannot_stand_on_this_table_is_refused_with_its_key(make_rig):
    with pytest.raises(DriverError, match=r"twin\.specimen\.kind: 'pendulum' refused"):
        make_rig(KARNOPP, machine={"vertical": True}, specimen={"kind": "pendulum"})
    stiff = {"kind": "structure", "structure": {"m": 1.0, "k": 1e9, "c": 0.0}}
    with pytest.raises(DriverError, match=r"twin\.specimen\.structure\.k: .* lower twin.substep_s"):
        make_rig(KARNOPP, specimen=stiff)


def test_the_specimens_mass_is_not_the_tables():
    assert SpecimenConfig().kind == "none"
    assert math.isfinite(SpecimenConfig().rigid.m)


@pytest.mark.slow
def test_on_a_table_that_sticks_a_chain_swings_as_on_the_ground(make_rig):
    """Three joints with three laws; one jumps, and there the twin finds what sticks at a substep's end."""
    links = {f"link{k}": {"angle_rad": angle} for k, angle in enumerate((0.6, -0.3, 0.2), 1)}
    joints = {f"joint{k}": {"law": law} for k, law in enumerate(("lugre", "coulomb", "gms"), 1)}
    own = {"kind": "chain", "chain": {"links": 3, **links, **joints}}
    rig = make_rig(KARNOPP, valve=EXACT, specimen=own).ready()
    v = rig.run(np.zeros(1000))
    assert not v.any()
    ground = swing(rig.config.specimen.chain, 1.0, step_s=rig.plant.substep_s, every=20)
    assert ground.events > 0
    assert np.cumsum(rig.plant.specimen.y[:3]) == pytest.approx(ground.angles_rad[-1], abs=5e-4)
