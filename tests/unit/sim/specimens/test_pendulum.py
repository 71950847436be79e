"""The two-link pendulum: against another formulation, its balance of energy, its constraints, and the paper's cases."""

import numpy as np
import pytest

from sim.specimens import Joint, Link, Pendulum, SpecimenConfig, Table, simulate

SMOOTH = Joint(mu_c=0.0, mu_s=0.0)
DRIVEN = Link(couple_n_m=6.0)
PERIOD_S = 2 * np.pi / DRIVEN.drive_rad_s


def pendulum(first, second, joint=SMOOTH):
    """Two unequal links, the second with its centre of mass elsewhere than in the middle."""
    return Pendulum(link1=first, link2=second, joint1=joint, joint2=joint)


def config(own=None):
    return SpecimenConfig(kind="pendulum", pendulum=own or Pendulum())


@pytest.fixture(scope="session")
def free():
    """The paper's first case, for a minute."""
    return simulate(config(), 60.0)


@pytest.fixture(scope="session")
def driven():
    """The second case; forty periods, a row every 2 ms or so."""
    own = Pendulum(link1=DRIVEN, link2=DRIVEN)
    return simulate(config(own), 40 * PERIOD_S, step_s=PERIOD_S / 30_000, every=10)


def test_without_friction_it_is_the_pendulum_of_reduced_coordinates(reduced):
    own = pendulum(Link(angle_rad=0.6), Link(m=1.5, length_m=0.8, centre_m=0.3, angle_rad=-0.4))
    true, motion = reduced(own).smooth(12, 1201), simulate(config(own), 12, every=100)
    assert np.abs(motion.angles_rad.T - true[1:3]).max() < 1e-9  # promised are 1e-8; 2e-11 were measured
    assert np.abs(motion.speeds_rad_s.T - true[4:6]).max() < 1e-9


def test_from_the_horizontal_too_for_as_long_as_chaos_lets_two_solutions_agree(reduced):
    own = pendulum(Link(), Link())
    true, motion = reduced(own).smooth(3, 301), simulate(config(own), 3, every=100)
    assert np.abs(motion.angles_rad.T - true[1:3]).max() < 1e-8


def test_on_a_table_that_moves_too(reduced):
    driven = Link(couple_n_m=3.0, drive_rad_s=2.0, angle_rad=0.5, speed_rad_s=0.3)
    own = pendulum(driven, Link(m=1.5, length_m=0.8, centre_m=0.3, angle_rad=-0.2))

    def ramp(t):
        return 5.0 - 2.0 * t

    true = reduced(own, 20.0, ramp).smooth(10, 1001)
    motion = simulate(config(own), 10, every=100, table=Table(20.0, ramp))
    assert np.abs(motion.angles_rad.T - true[1:3]).max() < 1e-8
    assert np.abs(motion.table_m - true[0]).max() < 1e-8
    assert np.abs(motion.table_m_s - true[3]).max() < 1e-8


def test_with_friction_a_stiff_solver_of_the_papers_form_agrees_to_second_order(reduced):
    own = Pendulum(link1=Link(angle_rad=0.9, speed_rad_s=1.0), link2=Link(angle_rad=0.5, speed_rad_s=2.5))
    true = reduced(own).stiff(0.7, 141)
    assert true[4].min() < 0 < true[4].max()  # a joint turns back in between
    errors = []
    for parts in (1, 2, 4):
        motion = simulate(config(own), 0.7, step_s=1e-4 / parts, every=50 * parts)
        errors.append(np.abs(motion.speeds_rad_s.T - true[4:6]).max())
    assert errors[0] < 2e-5
    assert errors[2] < errors[0] / 9


@pytest.mark.parametrize("table_kg", [None, 40.0])
def test_accelerations_and_forces_solve_the_papers_equations(reduced, table_kg):
    """Normal force and friction as two forces, there; their resultant as the multiplier, here."""
    random, joint = np.random.default_rng(3), Joint(radius_m=0.15, s1=0.0)
    for _ in range(20):
        angles, speeds = random.uniform(-2, 2, 2), random.uniform(-5, 5, 2)
        links = [Link(angle_rad=a, speed_rad_s=w) for a, w in zip(angles, speeds, strict=True)]
        own = Pendulum(link1=links[0], link2=links[1], joint1=joint, joint2=joint)
        other = reduced(own, table_kg)
        table = None if table_kg is None else Table(table_kg)
        motion = simulate(config(own), 1e-3, step_s=1e-4, table=table)
        at = [motion.table_m, *motion.angles_rad.T, motion.table_m_s, *motion.speeds_rad_s.T, *motion.bristles_m.T]
        y = np.array([column[1] for column in at])
        acceleration, normal, torque = other.coupled(1e-3, y)
        assert np.abs(torque).max() > 0.01
        assert motion.normal_n[1] == pytest.approx(normal, rel=1e-10)
        assert motion.friction_n_m[1] == pytest.approx(torque, rel=1e-10, abs=1e-12)
        assert motion.table_m_s2[1] == pytest.approx(acceleration[0], rel=1e-10, abs=1e-11)
        assert motion.reaction_n[1] == pytest.approx(-other.forces(y, acceleration)[0][0], rel=1e-9, abs=1e-10)


def test_released_from_the_horizontal_it_comes_to_rest_hanging(free):
    assert np.abs(free.speeds_rad_s[-1]).max() < 1e-12
    lever = Joint().radius_m * Joint().mu_s  # friction holds it this far from the vertical, at most
    assert np.abs(free.angles_rad[-1]).max() < 2 * lever
    hanging = 4 * 9.80665
    held = free.friction_n_m[-1, 0] / (Joint().radius_m * free.normal_n[-1, 0])  # mu, as it holds
    assert free.normal_n[-1, 0] * np.hypot(1, held) == pytest.approx(hanging, rel=1e-9)
    assert free.loss_j[-1] == pytest.approx(free.potential_j[0] - free.potential_j[-1], rel=1e-9)


def test_the_joints_stay_closed_for_a_minute(free, driven):
    assert free.gap_m.max() < 1e-12  # promised: 1e-9
    assert driven.gap_m.max() < 1e-12


def test_what_goes_in_is_lost_or_stored(free, driven):
    own = Pendulum(link1=DRIVEN, link2=DRIVEN)
    table = Table(30.0, lambda t: 60 * np.sin(4 * t), -0.5)
    moving = simulate(config(own), 20, table=table)
    for motion in (free, driven, moving):
        assert motion.exchanged_j > 10
        assert motion.loss_j[-1] > 0.2 * motion.exchanged_j or motion is moving
        assert np.abs(motion.imbalance_j).max() < 1e-9 * motion.exchanged_j  # promised: 1e-6
    # and the table with it
    whole = moving.force_work_j - moving.table_work_j
    kinetic = 15.0 * moving.table_m_s**2
    assert np.abs(whole - (kinetic - kinetic[0])).max() < 1e-9 * moving.exchanged_j


def test_friction_gives_back_no_more_than_its_bristles_hold(free, driven):
    for motion in (free, driven):
        given_back = np.maximum.accumulate(motion.loss_j) - motion.loss_j
        bent = np.abs(motion.bristles_m).max(axis=0)
        held = 0.5 * Joint().s0 * bent**2 * motion.normal_n.max(axis=0)
        assert given_back.max() < held.sum()


def test_driven_it_becomes_periodic(driven):
    period = 3000
    late = [np.abs(driven.angles_rad[-k * period :][:period] - driven.angles_rad[-(k + 1) * period :][:period]).max()
            for k in (30, 1)]  # fmt: skip
    assert late[0] > 1e-3
    assert late[1] < 1e-6
    assert np.ptp(driven.angles_rad[-period:], axis=0).min() > 0.3


def test_the_normal_force_jumps_where_a_joint_turns_back_and_only_for_friction():
    """At each passage of joint 2 through zero speed: the force 1 ms after and before, with friction and without."""
    links = [Link(angle_rad=0.9), Link(angle_rad=0.2)]
    seen = {}
    for name, joint in (("friction", Joint(s0=1e7)), ("none", SMOOTH)):
        own = Pendulum(link1=links[0], link2=links[1], joint1=joint, joint2=joint)
        motion = simulate(config(own), 3.0, step_s=2.5e-5, every=2)
        turning = motion.speeds_rad_s[:, 1] - motion.speeds_rad_s[:, 0]
        at = np.flatnonzero((turning[20:-21] * turning[21:-20]) < 0) + 20
        assert len(at) >= 3
        seen[name] = np.abs(motion.normal_n[at + 20, 1] - motion.normal_n[at - 20, 1])
    assert seen["friction"].min() > 5 * seen["none"].max()
    assert seen["friction"].max() > 0.5


def test_a_heavy_table_hardly_moves_and_a_free_one_keeps_its_momentum():
    own = Pendulum(link1=Link(angle_rad=0.5), link2=Link(angle_rad=0.9))
    fixed, heavy = simulate(config(own), 2.0), simulate(config(own), 2.0, table=Table(1e9))
    assert np.abs(fixed.angles_rad - heavy.angles_rad).max() < 1e-7
    assert fixed.reaction_n == pytest.approx(heavy.reaction_n, rel=1e-5, abs=1e-5)
    free = simulate(config(own), 5.0, table=Table(4.0))
    assert np.abs(free.table_m).max() > 0.1
    # impulse of the reaction is the table's momentum
    impulse = np.concatenate([[0], np.cumsum((free.reaction_n[1:] + free.reaction_n[:-1]) / 2 * np.diff(free.time_s))])
    assert impulse == pytest.approx(4.0 * free.table_m_s, abs=2e-3)


def test_the_last_solution_is_a_good_start(driven):
    assert driven.rounds < 2.5
