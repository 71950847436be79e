"""The judgement on made-up rigs: a motion, a friction law along it, sensors with noise, bias and delay."""

import json
import math

import numpy as np
import pytest

from hilctl.experiment.drive import LegFault
from hilctl.experiment.facts import Facts
from hilctl.experiment.record import Losses
from hilctl.friction import check_friction
from hilctl.identify.presliding import judge
from hilctl.identify.presliding.estimate_cycles import Cycles
from hilctl.identify.presliding.judge import _about_curve, _seldom
from hilctl.identify.presliding.model import GMS, LUGRE, run_force
from hilctl.identify.presliding.model_curve import Curve
from hilctl.identify.presliding.plan import plan
from tests.unit.identify.presliding.presliding_parts import CURVE, FACTS, but

FINE = 10  # steps of the made-up rig in a sample


def cycles_of(law: dict, seed: int = 1, facts: Facts = FACTS, jumps: bool = False) -> list[Cycles]:
    """What the sensors of a rig with this friction show, in the swings of the plan."""
    rng = np.random.default_rng(seed)
    friction = check_friction(law)
    out = []
    for swing in plan(Curve(**CURVE), facts):
        n, period_s = swing.period * FINE, swing.period / facts.rate_hz
        t = np.arange(n) * period_s / n
        swung = swing.amplitude_m * np.sin(2 * np.pi * t / period_s)
        if jumps:
            x, force = held(swung, CURVE["fs"], facts.oil_n_m)
        else:  # the oil takes its part: the harmonics that friction makes are roughly those of the rig
            third = np.sin(6 * np.pi * t / period_s + 0.4)
            x, force = swung + 0.05 * swing.amplitude_m * third, np.zeros(n)
            run_force(friction.code, friction.packed(), x, period_s / n, 3, force)
        w = 2 * np.pi * np.fft.rfftfreq(n, period_s / n)
        line = np.fft.rfft(x) * (w < 2 * np.pi * 300)
        a = np.fft.irfft(-w * w * line, n)
        shape = (swing.cycles, swing.period)

        def shown(values: np.ndarray, late_s: float, noise: float, shape=shape, w=w, n=n) -> np.ndarray:
            late = np.fft.irfft(np.fft.rfft(values) * np.exp(-1j * w * late_s), n)[::FINE]
            return late + noise * rng.standard_normal(shape)

        push = force + facts["machine.m"] * a + 250.0
        out.append(
            Cycles(
                swing.amplitude_m, period_s, shown(x, *of(facts, "displacement")),
                1.005 * shown(a, *of(facts, "acceleration")) + 0.02,
                shown(push, 0.0, facts["machine.A"] * facts["sensors.pressure_a.noise"] * math.sqrt(2)),
            )
        )  # fmt: skip
    return out


def of(facts: Facts, sensor: str) -> tuple[float, float]:
    """Delay and noise."""
    return facts[f"sensors.{sensor}.delay_s"], facts[f"sensors.{sensor}.noise"]


def held(swung: np.ndarray, level_n: float, oil_n_m: float) -> tuple[np.ndarray, np.ndarray]:
    """A table that stands until the oil's spring overcomes friction, and friction meanwhile."""
    x, at = np.zeros_like(swung), 0.0
    for _ in range(2):
        for k, s in enumerate(swung):
            at = min(max(at, s - level_n / oil_n_m), s + level_n / oil_n_m)
            x[k] = at
    return x, oil_n_m * (swung - x)


@pytest.fixture(scope="module")
def lugre_swings() -> list[Cycles]:
    """Of the usual bristles; not to be changed."""
    return cycles_of({"model": "lugre", **CURVE, "s0": 1e8, "s1": 1e5})


@pytest.mark.parametrize(
    ("s0", "s1"),
    [(1e8, 1e5), *(pytest.param(*one, marks=[pytest.mark.slow, pytest.mark.many]) for one in ((3e7, 5e4), (3e8, 2e5)))],
)
def test_bristles_are_recognised_and_measured(s0, s1):
    found = judge(cycles_of({"model": "lugre", **CURVE, "s0": s0, "s1": s1, "passive_to": 0.05}), FACTS, CURVE)
    assert (found.kind, found.certain) == ("lugre", True)
    stiffness, damping = found.parameter("s0"), found.parameter("s1")
    assert stiffness.value == pytest.approx(s0, rel=0.05)
    assert damping.value == pytest.approx(s1, rel=0.25)
    assert stiffness.low < s0 < stiffness.high
    assert damping.low < s1 < damping.high
    law = check_friction(found.table)
    assert law.model == "lugre"
    assert law.steady(0.3) == pytest.approx(check_friction({"model": "stribeck", **CURVE}).steady(0.3))
    assert "exponentially" in found.why
    assert found.choice == "lugre"
    assert found.sides["s0"].low < 1 < found.sides["s0"].high
    assert "negative" not in found.table, "the sides are alike unless the data say otherwise"
    assert any("remembers its last reversal alone" in reason for reason in found.reasons)


@pytest.mark.parametrize("elements", [4, pytest.param(10, marks=pytest.mark.slow)])
def test_elements_are_recognised_and_measured(elements):
    found = judge(cycles_of({"model": "gms", **CURVE, "s0": 1e8, "elements": elements}), FACTS, CURVE)
    assert (found.kind, found.certain) == ("gms", True)
    stiffness = found.parameter("s0")
    assert stiffness.value == pytest.approx(1e8, rel=0.05)
    law = check_friction(found.table)
    assert sum(law.table()["alpha"]) == pytest.approx(1)
    if elements == 4:
        assert found.table["alpha"] == pytest.approx([0.25] * 4, rel=0.08)
    assert "remembers" in found.why
    assert found.probabilities["gms"] > 0.99
    assert sum(found.probabilities.values()) == pytest.approx(1)
    assert any("non-local memory" in reason for reason in found.reasons)
    small = min(found.loops, key=lambda one: one.amplitude_m)
    assert small.left["gms"] < small.left["lugre"], "the small loop is the reason"
    off = {name: abs(loss / small.loss_j["measured"] - 1) for name, loss in small.loss_j.items()}
    assert off["gms"] < off["lugre"]


LEVEL = {**CURVE, "fc": CURVE["fs"]}  # a sliding curve without a falling branch


@pytest.mark.parametrize(
    "alpha", [1.0, *(pytest.param(one, marks=[pytest.mark.slow, pytest.mark.many]) for one in (0.5, 2.0))]
)
def test_a_spring_that_gives_way_along_the_path_is_recognised_and_measured(alpha):
    law = {"model": "dahl", "fc": CURVE["fs"], "sigma": CURVE["sigma"], "s0": 1e8, "alpha": alpha}
    found = judge(cycles_of(law), FACTS, LEVEL)
    assert (found.kind, found.certain, found.warnings) == ("dahl", True, ())
    stiffness, shape = found.parameter("s0"), found.parameter("alpha")
    assert stiffness.value == pytest.approx(1e8, rel=0.05)
    assert shape.value == pytest.approx(alpha, abs=0.1)
    assert stiffness.low < 1e8 < stiffness.high
    assert shape.low < alpha < shape.high
    assert check_friction(found.table).model == "dahl"
    assert "gives way along the path" in found.why


@pytest.mark.parametrize("law", [{"model": "lugre", "s0": 1e8, "s1": 1e5}, {"model": "gms", "s0": 1e8, "elements": 4}])
def test_on_a_level_curve_bristles_and_elements_stay_what_they_are(law):
    found = judge(cycles_of({**law, **LEVEL}), FACTS, LEVEL)
    assert (found.kind, found.certain) == (law["model"], True)


def test_what_looks_like_a_law_that_the_curve_rules_out_is_said_to():
    law = {"model": "dahl", "fc": CURVE["fs"], "sigma": CURVE["sigma"], "s0": 1e8, "alpha": 2.0}
    found = judge(cycles_of(law), FACTS, CURVE)
    assert found.kind != "dahl"
    assert any("look like Dahl's law with alpha = 2" in warning for warning in found.warnings)


def test_a_table_that_stands_while_friction_turns_has_static_friction():
    table = {**CURVE, "model": "stribeck", "negative": {"fs": 3100.0}}
    found = judge(cycles_of({"model": "karnopp", **CURVE}, jumps=True), FACTS, table)
    assert (found.kind, found.certain, found.comparison) == ("static", True, None)
    assert found.table["model"] == "karnopp"
    assert found.table["negative"] == {"fs": 3100.0}, "the curve goes through as it came"
    assert found.parameter("s0").low > 2e9
    assert found.parameter("s0").high is None, "open"
    assert "do not resolve" in found.why
    assert "smooth" in found.advice


def test_a_spring_too_stiff_for_the_sensors_is_said_to_be():
    dull = but(noise_x=4e-5, noise_a=0.2)
    found = judge(cycles_of({"model": "lugre", **CURVE, "s0": 8e8, "s1": 1e5, "passive_to": 0.05}, facts=dull), dull,
                  CURVE)
    assert not found.certain or found.kind == "static"
    text = " ".join((found.why, found.advice, *found.warnings))
    assert "sensors" in text
    assert "ms of a reversal" in text


@pytest.mark.slow
def test_a_curve_of_another_rig_is_noticed(lugre_swings):
    wrong, swings = {**CURVE, "fs": 2600.0}, lugre_swings
    found = judge(swings, FACTS, wrong)
    assert found.level == pytest.approx(3118 / 2600, rel=0.02)
    assert any("campaign" in warning for warning in found.warnings)
    assert not judge(swings, FACTS, {**CURVE, "fs": 1500.0}).certain


def test_sides_that_differ_keep_their_curves_and_get_their_stiffnesses():
    other = {"fs": 2900.0, "fc": 350.0}
    swings = cycles_of({"model": "lugre", **CURVE, "s0": 1e8, "s1": 1e5, "negative": {**other, "s0": 1.4e8}})
    found = judge(swings, FACTS, {**CURVE, "model": "karnopp", "negative": other})
    assert (found.choice, found.certain, found.warnings) == ("lugre", True, ())
    assert found.table["fs"] == CURVE["fs"]
    assert other.items() <= found.table["negative"].items()
    for key, true in (("s0", 1e8), ("negative.s0", 1.4e8)):
        q = found.parameter(key)
        assert q.low < true < q.high
        assert q.value == pytest.approx(true, rel=0.05)
    assert found.sides["s0"].low < 1.4 < found.sides["s0"].high
    assert check_friction(found.table).params.negative.s0 == found.parameter("negative.s0").value
    assert any("each side has its own stiffness" in reason for reason in found.reasons)


def test_the_result_is_json_with_everything_in_it(lugre_swings):
    found = judge(lugre_swings, FACTS, CURVE, rig_seconds=42.0)
    told = json.loads(json.dumps(found.to_json()))
    assert told["parameters"]["s0"].keys() >= {"value", "low", "high", "unit", "origin", "reason"}
    assert told["evidence"]["left"]["lugre"] < told["evidence"]["left"]["gms"]
    turn = told["evidence"]["turn"]
    assert len(turn["distance_m"]) == len(turn["measured_n"]) == len(turn["laws_n"]["lugre"])
    assert told["rig_seconds"] == 42.0
    assert check_friction(told["friction"]).model == "lugre"


def test_swings_that_do_not_repeat_are_left_out_and_said():
    swings = cycles_of({"model": "lugre", **CURVE, "s0": 1e8, "s1": 1e5})
    rng = np.random.default_rng(3)
    for i in range(3):  # a tremor of 30 Hz, of another phase in each cycle
        c = swings[i]
        t = np.arange(c.x_m.shape[1]) / FACTS.rate_hz
        tremor = 3e-6 * np.sin(2 * np.pi * 30 * t + rng.uniform(0, 2 * np.pi, (c.rows, 1))) * (2, 4, 16)[i]
        shaken = -((2 * np.pi * 30) ** 2) * tremor
        push = c.push_n + FACTS["machine.m"] * shaken
        swings[i] = c._replace(x_m=c.x_m + tremor, a_m_s2=c.a_m_s2 + 1.005 * shaken, push_n=push)
    found = judge(swings, FACTS, CURVE)
    assert found.kind == "lugre"
    assert found.parameter("s0").value == pytest.approx(1e8, rel=0.1)
    assert any("does not repeat" in warning for warning in found.warnings)


def spoilt(kind: str) -> list[Cycles]:
    swings = cycles_of({"model": "lugre", **CURVE, "s0": 1e8, "s1": 1e5})
    if kind == "dead":
        return [c._replace(a_m_s2=np.random.default_rng(0).normal(0.02, 0.02, c.a_m_s2.shape)) for c in swings]
    if kind == "turned":
        return [c._replace(a_m_s2=-c.a_m_s2) for c in swings]
    if kind == "stuck":
        return [c._replace(x_m=0.01 * c.x_m) for c in swings]
    if kind == "swapped":
        return [c._replace(push_n=-c.push_n) for c in swings]
    if kind == "few":
        return [c.part(0, 4) for c in swings]
    loud = np.random.default_rng(0)
    return [c._replace(push_n=c.push_n + 3e4 * loud.standard_normal(c.push_n.shape)) for c in swings]


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("dead", "does not show the table's motion"), ("turned", "wrong sign"), ("stuck", "table is stuck"),
        ("swapped", "pressure pair is swapped"), ("few", "too few"), ("noisy", "hidden in noise"),
    ],
)  # fmt: skip
def test_data_that_mean_nothing_are_refused(kind, says):
    with pytest.raises(LegFault, match=says):
        judge(spoilt(kind), FACTS, CURVE)


def test_a_curve_without_its_words_is_refused():
    with pytest.raises(ValueError, match="sliding curve needs fc, fs, vs, sigma"):
        judge([], FACTS, {"model": "coulomb", "fc": 300.0})


def test_the_laws_have_the_codes_that_the_kernels_choose_by():
    assert (check_friction({"model": "lugre", **CURVE, "s0": 1e8, "s1": 1e5}).code, GMS) == (LUGRE, 13)


@pytest.mark.parametrize(("held", "seldom"), [({}, False), ({"pressure_a_pa": 90}, False),
                                              ({"pressure_a_pa": 91}, True),
                                              ({"pressure_a_pa": 3, "pressure_b_pa": 96}, True)])  # fmt: skip
def test_a_link_that_loses_a_reading_now_and_then_is_no_transducer_that_is_read_seldom(held, seldom):
    assert _seldom(Losses(100, 0, {}, (), held)) == seldom


@pytest.mark.parametrize(("level", "seldom", "told"), [(1.04, False, False), (1.06, False, True), (0.94, False, True),
                                                       (1.14, True, False), (1.16, True, True),
                                                       (0.84, True, True)])  # fmt: skip
def test_a_level_that_is_not_the_curves_is_told_with_what_these_data_allow(level, seldom, told):
    found = _about_curve(level, seldom)
    assert bool(found) == told
    assert all(("driver.reading" in text) == seldom for text in found)
