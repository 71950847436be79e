"""What a specimen's declaration refuses, and that it says where and why."""

import pytest

from hilctl.params import BadValues, check
from sim.specimens import Joint, Link, Pendulum, SpecimenConfig, simulate
from sim.specimens.fill import demands
from sim.specimens.geometry import coupling

BAD = {
    "rigid.m": ({"rigid": {"m": 0}}, "0.001 to"),
    "structure.m": ({"structure": {"m": -5}}, "0.001 to"),
    "structure.k": ({"structure": {"k": -1e4}}, "0.001 to"),
    "structure.c": ({"structure": {"c": -1}}, "0 to"),
    "pendulum.link1.m": ({"pendulum": {"link1": {"m": 0}}}, "0.001 to"),
    "pendulum.link1.centre_m": ({"pendulum": {"link1": {"centre_m": 1.2}}}, "within the link"),
    "pendulum.link2.J": ({"pendulum": {"link2": {"J": 1e-7}}}, "a uniform rod"),
    "pendulum.link1.J": ({"pendulum": {"link1": {"J": 5.0}}}, "a uniform rod"),
    "pendulum.pivot_m": ({"pendulum": {"pivot_m": 1.9}}, "hit the table"),
    "pendulum.link1.angle_rad": ({"pendulum": {"pivot_m": 0.9, "link1": {"angle_rad": 0}}}, "impossible pose"),
    "pendulum.link2.angle_rad": ({"pendulum": {"pivot_m": 0.9, "link2": {"angle_rad": 0.1}}}, "impossible pose"),
    "pendulum.joint2.radius_m": ({"pendulum": {"joint2": {"radius_m": 1.0}}}, "room"),
    "pendulum.joint1.mu_s": ({"pendulum": {"joint1": {"mu_s": 0.2}}}, "at least mu_c"),
    "pendulum.joint1.mu_c": ({"pendulum": {"joint1": {"mu_c": 0.0}}}, "at least 0.0001"),
    "pendulum.joint2.vd": ({"pendulum": {"joint2": {"vd": 0.1}}}, "feeds energy back"),
    "pendulum.joint1.radius_m": ({"pendulum": {"joint1": {"radius_m": 0.9, "mu_s": 2.0}}}, "jam"),
    "kind": ({"kind": "pendelum"}, "did you mean 'pendulum'"),
    "pendulum.link1.mass": ({"pendulum": {"link1": {"mass": 1}}}, "no such key"),
}


@pytest.mark.parametrize("key", BAD)
def test_a_bad_value_is_refused_with_its_key_and_the_reason(key):
    table, reason = BAD[key]
    with pytest.raises(BadValues) as refused:
        check(SpecimenConfig, {"kind": "pendulum", **table}, "twin.specimen")
    problems = {problem.key: str(problem) for problem in refused.value.problems}
    assert f"twin.specimen.{key}" in problems
    assert reason in problems[f"twin.specimen.{key}"]


def test_the_defaults_are_sound_and_a_front_checks_what_it_is_given():
    assert check(SpecimenConfig, {}, "").kind == "none"
    bad = SpecimenConfig(kind="pendulum", pendulum=Pendulum(pivot_m=0.1))
    with pytest.raises(BadValues, match="hit the table"):
        simulate(bad, 1.0)


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ({"kind": "pendulum"}, "kind"),
        ({"kind": "structure", "structure": {"k": 1e10}}, "structure.k"),
        ({"kind": "structure", "structure": {"c": 1e6}}, "structure.c"),
        ({"kind": "pendulum", "pendulum": {"joint1": {"s0": 1e9}}}, "pendulum.joint1.s0"),
        ({"kind": "pendulum", "pendulum": {"joint2": {"s1": 1e4, "vd": 1e-5}}}, "pendulum.joint2.s1"),
    ],
)
def test_what_the_table_and_its_step_cannot_carry_is_refused(table, key):
    config = check(SpecimenConfig, table)
    keys = [problem.key for problem in demands(config, 500.0, 50e-6, vertical=key == "kind")]
    assert keys == [f"twin.specimen.{key}"]
    default = SpecimenConfig(kind=config.kind)
    assert not list(demands(default, 500.0, 50e-6, vertical=False))


def test_the_coupling_of_a_single_link_is_its_arm_over_the_centre_of_oscillation():
    light = Link(m=1e-3, length_m=0.01)
    none = Joint(mu_s=0.0, mu_c=0.0)
    own = Pendulum(link1=Link(), link2=light, joint1=Joint(), joint2=none)
    arm = 0.05 * 0.4 / 1.16**0.5
    assert coupling(own.link1, own.link2, own.joint1, own.joint2) == pytest.approx(arm * 1.5, rel=1e-2)
    assert coupling(own.link1, own.link2, none, none) == 0.0
