"""The rigid mass and the structure, against closed forms."""

import numpy as np
import pytest
from scipy.linalg import expm

from sim.specimens import Rigid, SpecimenConfig, Structure, Table, simulate
from sim.specimens.fill import specimen_record
from sim.specimens.specimen import rt_accelerate

STRUCTURE = Structure(m=80.0, k=5e4, c=200.0, deflection_m=0.01)


def test_a_rigid_mass_adds_to_the_tables():
    motion = simulate(SpecimenConfig(kind="rigid", rigid=Rigid(m=300.0)), 1.0, table=Table(200.0, 1000.0))
    assert motion.table_m_s2 == pytest.approx(2.0)
    assert motion.reaction_n == pytest.approx(-600.0)
    assert motion.table_m[-1] == pytest.approx(1.0, rel=1e-12)
    assert np.abs(motion.imbalance_j).max() < 1e-9


def test_an_empty_table_moves_as_pushed():
    motion = simulate(SpecimenConfig(), 1.0, table=Table(200.0, 1000.0))
    assert motion.table_m_s[-1] == pytest.approx(5.0, rel=1e-12)
    assert not motion.reaction_n.any()


def test_a_structure_has_its_frequency_and_damping():
    motion = simulate(SpecimenConfig(kind="structure", structure=STRUCTURE), 2.0)
    w, zeta = 2 * np.pi * STRUCTURE.natural_frequency_hz, STRUCTURE.damping_ratio
    wd, t = w * np.sqrt(1 - zeta**2), motion.time_s
    exact = 0.01 * np.exp(-zeta * w * t) * (np.cos(wd * t) + zeta * w / wd * np.sin(wd * t))
    assert STRUCTURE.natural_frequency_hz == pytest.approx(3.979, abs=1e-3)
    assert STRUCTURE.damping_ratio == pytest.approx(0.05)
    assert motion.deflection_m == pytest.approx(exact, abs=1e-11)


def test_a_structure_on_a_table_is_two_masses_on_a_spring():
    table = Table(50.0, 100.0, 0.2)
    motion = simulate(SpecimenConfig(kind="structure", structure=STRUCTURE), 2.0, every=100, table=table)
    k, c, m, mt = STRUCTURE.k, STRUCTURE.c, STRUCTURE.m, table.mass_kg
    system = np.zeros((5, 5))  # deflection, its speed, table's place and speed, one
    system[0, 1] = system[2, 3] = 1
    system[1] = [-k / m - k / mt, -c / m - c / mt, 0, 0, -100 / mt]
    system[3] = [k / mt, c / mt, 0, 0, 100 / mt]
    y, step = np.array([0.01, 0.0, 0.0, 0.2, 1.0]), expm(system * 0.01)
    for row in range(len(motion.time_s)):
        assert motion.deflection_m[row] == pytest.approx(y[0], abs=1e-11)
        assert motion.table_m[row] == pytest.approx(y[2], abs=1e-11)
        y = step @ y
    assert np.abs(motion.imbalance_j).max() < 1e-9 * motion.exchanged_j


@pytest.mark.parametrize("kind", ["rigid", "structure"])
def test_on_a_vertical_axis_a_specimen_hangs_with_its_weight(kind):
    config = SpecimenConfig(kind=kind, rigid=Rigid(m=80.0), structure=Structure(m=80.0))
    spec = specimen_record(config, 500.0, vertical=True)
    weight = 80 * 9.80665
    assert rt_accelerate(spec, spec.y, spec.rates[0], 0.0, weight, False) == pytest.approx((0.0, -weight))
    assert rt_accelerate(spec, spec.y, spec.rates[1], 0.0, 0.0, True) == pytest.approx((0.0, -weight))
    assert not spec.rates.any()
