"""Margins are those of loops that are known; what is measured of a loop is that loop; bad input is named."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilctl import rig as rigs
from hilctl.design import search, tuning
from hilctl.design.known import from_folder, from_numbers, from_rig_file
from hilctl.design.loop import Plant, family, gains_of, open_loop, rubbing, without_pressure
from hilctl.design.margins import Wanted, margins_of, without_scatter, worst_of
from hilctl.design.notches import design_notches
from hilctl.design.predict import feed_terms, predict, reference_terms, with_gains
from hilctl.design.result import Tuning, plain_measured
from hilctl.design.search import design
from hilctl.experiment.drive import LegFault
from hilctl.experiment.facts import Facts
from hilctl.identify.frequency.open_loop import Record, legs_of, measured_of
from hilctl.identify.frequency.plan import signal_of
from hilctl.law.settings import Law
from hilctl.params import BadValues, assign
from hilctl.results.quantity import Quantity
from hilctl.results.response import Response

RIG = rigs.load("table-500")
HZ = np.geomspace(0.01, 100.0, 4000)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.3, 30.0), st.floats(0.0, 0.02))
def test_margins_are_those_of_a_double_lag(gain: float, delay_s: float) -> None:
    """L = k/(s (1 + s)²): real at w = 1 with k/2; what a search sees is what is told."""
    s = 2j * np.pi * HZ
    loop = gain / (s * (1 + s) ** 2)
    found = margins_of(HZ, loop)
    db = 20 * np.log10(gain / 2)
    assert (found.fall_db if gain > 2 else found.rise_db) == pytest.approx(abs(db), abs=0.01)
    assert (found.fall_hz if gain > 2 else found.rise_hz) == pytest.approx(1 / (2 * np.pi), rel=1e-3)
    w = 2 * np.pi * found.phase_hz
    assert w * (1 + w**2) == pytest.approx(gain, rel=1e-2)
    assert found.phase_deg == pytest.approx(abs(90 - 2 * np.degrees(np.arctan(w))), abs=0.1)
    gains_db, degrees = worst_of(np.stack([loop, loop * np.exp(-s * delay_s)]))
    assert gains_db[0] == pytest.approx(found.gain_db, abs=0.02)
    assert degrees[0] == pytest.approx(found.phase_deg, abs=0.05)


def test_scatter_between_lines_takes_little_from_a_margin_and_a_resonance_keeps_its_height() -> None:
    hz = np.arange(1.0, 200.0)
    s = 2j * np.pi * hz / 120
    true = 0.8 / (s * (1 + s) ** 2)
    spread, rng = 0.05 * np.abs(1 + true), np.random.default_rng(5)
    short: list[tuple[float, float]] = []
    for _ in range(50):
        seen = true + spread * (rng.standard_normal(len(hz)) + 1j * rng.standard_normal(len(hz)))
        loop = Response(hz, seen, 2 * spread**2, np.full(len(hz), 6.0), np.ones(len(hz)))
        exact, raw, found = (margins_of(hz, gain).modulus for gain in (true, seen, without_scatter(loop)))
        short.append((exact - raw, exact - found))
    of_lines, told = np.mean(short, axis=0)
    assert 0 <= told < 0.5 * of_lines
    for damping in (0.002, 0.06):  # narrower than a line, and several lines wide
        sharp = 1 / (1 - (hz / 60) ** 2 + 2j * damping * hz / 60)
        unsure = (0.1 * np.abs(sharp)) ** 2
        kept = without_scatter(Response(hz, sharp, unsure, np.full(len(hz), 6.0), np.ones(len(hz))))
        assert np.abs(kept).max() > 0.95 * np.abs(sharp).max()
    known = loop._replace(gain=true, variance=1e-8 * np.abs(1 + true) ** 2)
    assert np.array_equal(without_scatter(known), true)


def test_what_is_short_is_told_with_its_frequency() -> None:
    s = 2j * np.pi * HZ
    found = margins_of(HZ, 1.5 / (s * (1 + s) ** 2))
    assert "gain margin 2.50 dB at 0.159 Hz, of 6 dB" in Wanted(6.0, 0.0, 0.0).short(found)
    assert "phase margin" in Wanted(0.0, 45.0, 0.0).short(found)
    assert Wanted(2.0, 5.0, 0.05).short(found) == ""


def facts_of(**changes: Any) -> Facts:
    """The facts of the preset, as a service would tell them."""
    rig = rigs.load("table-500", changes=changes)
    return Facts(rig.name, 1 / rig.dt_s, 1, dict(flat(rigs.as_table(rig))))


def flat(table: Any, at: str = "") -> Any:
    """Dotted keys."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{at}{name}.")
        else:
            yield f"{at}{name}", value


def linear_records(facts: Facts, seeds: int = 2, noise: float = 0.0) -> list[Record]:
    """What the linear loop of the law makes of the multisines, from its frequency response: periodic, settled."""
    out = []
    rng = np.random.default_rng(1)
    for leg in legs_of(facts)[:seeds]:
        tones = signal_of(leg, facts).made
        first, count = tones.first, tones.period
        one = tones.values[first : first + count]
        bins = np.fft.rfft(one)
        w = 2 * np.pi * np.fft.rfftfreq(count, facts.dt_s)
        w[0] = 1e-3
        loop = open_loop(Plant(facts.controller.machine, facts.friction.params.viscous, 0.0), facts.controller,
                         facts.dt_s, "three_state", np.minimum(w, 0.99 * np.pi / facts.dt_s))  # fmt: skip
        back = loop.features @ gains_of(facts.controller, "three_state")
        feed = feed_terms(w, facts.controller, facts.friction, facts.dt_s)
        asked = feed + reference_terms(w, facts.controller, facts.friction, facts.dt_s, "three_state")
        u = asked / (1 - back)
        late = np.exp(-1j * w * 0.00051)
        fed = facts.controller.machine
        load = (fed.m * (1j * w) ** 2 + (fed.B + facts.friction.params.viscous) * 1j * w) / fed.A
        spectra = {
            "xr_m": np.ones_like(w), "xd_m": late, "vd_m_s": 1j * w * late, "ad_m_s2": (1j * w) ** 2 * late,
            "u_feed": feed, "u_law": u, "pressure_ref_pa": load, "load_pressure_pa": load,
            "displacement_m": loop.moved[:, 0] * u * np.exp(-1j * w * 0.0005),
        }  # fmt: skip
        n = len(tones.values)
        samples = {
            name: np.resize(np.fft.irfft(bins * each, count), n) + noise * rng.standard_normal(n) * (name[0] == "u")
            for name, each in spectra.items()
        }
        still = np.zeros(n)
        samples |= {"tick": np.arange(n), "epoch": still, "pressure_share": still + 1, "pid_share": still}
        out.append(Record(samples, 0, tones))
    return out


def test_the_measured_loop_is_the_loop() -> None:
    facts = facts_of()
    measured = measured_of(linear_records(facts), facts)
    p = predict(from_rig_file(facts.controller), facts.friction, facts.dt_s, "three_state")
    real, imag = (np.interp(measured.loop.hz, p.hz, part) for part in (p.loop.real, p.loop.imag))
    assert np.abs(measured.loop.gain - (real + 1j * imag)).max() < 0.02 * np.abs(measured.loop.gain).max()
    assert measured.margins.phase_deg == pytest.approx(p.nominal.phase_deg, abs=0.5)  # type: ignore[union-attr]
    assert measured.margins.gain_db == pytest.approx(p.nominal.gain_db, abs=0.1)  # type: ignore[union-attr]
    assert measured.margins.modulus == pytest.approx(p.nominal.modulus, abs=0.01)  # type: ignore[union-attr]
    assert measured.bandwidth.gain is not None
    assert measured.bandwidth.gain.hz == pytest.approx(p.minus_3_db_hz, rel=0.02)
    assert measured.crossover_hz == pytest.approx(p.crossover_hz, rel=0.01)
    told = plain_measured(measured)
    assert told is not None and told["margins"]["modulus"] == measured.margins.modulus
    assert (told["crossover_hz"], told["hz"]) == (measured.crossover_hz, measured.loop.hz.tolist())


def test_a_loop_that_changed_while_it_was_measured_is_refused() -> None:
    facts = facts_of()
    one, two = linear_records(facts)
    two.samples["epoch"][-1] = 2  # type: ignore[index]
    with pytest.raises(LegFault, match="parameters changed"):
        measured_of([one, two], facts)
    one, two = linear_records(facts)
    two.samples["pressure_share"][100] = 0.5  # type: ignore[index]
    with pytest.raises(LegFault, match=r"pressure_age_s"):
        measured_of([one, two], facts)


def test_every_corner_counts_and_an_unstable_one_is_named() -> None:
    machine = RIG.controller.machine
    numbers = {
        "m": Quantity(500.0, 490.0, 510.0), "beta": Quantity(9e8, 8.8e8, 9.2e8), "wv": Quantity(643.0, 600.0, 680.0),
    }  # fmt: skip
    known = from_numbers(RIG.controller, numbers, "a test")
    assert known.assumed == ()
    assert len(list(known.corners())) == 1 + 2**3
    p = predict(known, RIG.friction, RIG.dt_s, "three_state")
    assert p.stable
    assert p.worst.modulus < p.nominal.modulus  # type: ignore[union-attr]
    hot = predict(with_gains(known, {"law.three_state.kd_per_m": 90.0}), RIG.friction, RIG.dt_s, "three_state")
    assert not hot.stable
    assert hot.corner
    assert from_rig_file(RIG.controller).assumed == ("m", "beta")
    assert machine.m == 500.0


def test_a_corner_is_as_bad_as_its_peak_between_two_frequencies() -> None:
    """Stiff pre-sliding rings in less than the lines of a search tell apart."""
    w = search.frequencies(RIG.dt_s, search.CORNER_LINES)
    _, machine = next(corner for corner in from_rig_file(RIG.controller).corners() if corner[1].m == 400.0)
    stiff = max(rubbing(machine, RIG.friction), key=lambda plant: plant.spring)
    found = search._kept(stiff, RIG.controller, RIG.dt_s, w, Wanted(0.0, 0.0, 0.7))
    assert found is not None
    fine = 2 * np.pi * np.linspace(0.9 * found.modulus_hz, 1.1 * found.modulus_hz, 4_000)
    loop = open_loop(stiff, RIG.controller, RIG.dt_s, "three_state", fine)
    true = np.abs(1 + search.transfer_of(loop, gains_of(RIG.controller, "three_state"))).min()
    assert found.modulus == pytest.approx(true, rel=1e-3)


@pytest.mark.slow
def test_gains_for_a_machine_that_is_known_well_have_their_margins_and_more_gain() -> None:
    machine = RIG.controller.machine
    share = {"m": 0.01, "Qn": 0.005, "beta": 0.02, "wv": 0.03, "zv": 0.03, "Ctc": 0.1}
    numbers = {n: Quantity(getattr(machine, n), getattr(machine, n) * (1 - e), getattr(machine, n) * (1 + e))
               for n, e in share.items()}  # fmt: skip
    wide = design(from_rig_file(RIG.controller), RIG.friction, RIG.dt_s, "three_state")
    narrow = design(from_numbers(RIG.controller, numbers, "a test"), RIG.friction, RIG.dt_s, "three_state")
    for found in (wide, narrow):
        assert found.predicted.stable
        assert found.predicted.worst.gain_db > 5.9  # type: ignore[union-attr]
        assert found.predicted.worst.phase_deg > 44.0  # type: ignore[union-attr]
        assert found.predicted.worst.modulus > 0.49  # type: ignore[union-attr]
    assert narrow.predicted.position_gain_per_s > 1.2 * wide.predicted.position_gain_per_s
    plain_one = Tuning("table-500", from_rig_file(RIG.controller), wide).to_json()
    assert json.loads(json.dumps(plain_one))["values"] == wide.values


@pytest.mark.slow
def test_margins_that_cannot_be_had_say_what_limits_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "INTEGRALS_HZ", (1.0,))
    machine = RIG.controller.machine
    exact = {name: Quantity(*[getattr(machine, name)] * 3) for name in ("m", "beta")}
    with pytest.raises(BadValues, match=r"phase margin .*° at .* Hz, of 83.7°.*most phase is lost to machine.wv"):
        design(from_numbers(RIG.controller, exact, "a test"), RIG.friction, RIG.dt_s, "three_state",
               Wanted(6.0, 85.0, 0.5))  # fmt: skip


def test_what_an_identification_has_written_is_read_and_what_is_not_is_named(tmp_path: Any) -> None:
    with pytest.raises(BadValues, match=r"neither study.json nor plant.json; identify the plant first"):
        from_folder(RIG.controller, tmp_path)
    quantity = {"value": 510.0, "low": 500.0, "high": 520.0, "origin": "identified"}
    file = tmp_path / "plant.json"
    file.write_text(json.dumps({"plant": {
        "machine.m": quantity, "machine.beta": {**quantity, "origin": "not identifiable"},
        "loop_delay_s": quantity,
    }}))  # fmt: skip
    known = from_folder(RIG.controller, tmp_path)
    assert known.controller.machine.m == 510.0
    assert known.spread["m"] == (500.0, 520.0)
    assert known.assumed == ("beta",)
    file.write_text(json.dumps({"plant": {}}))
    with pytest.raises(BadValues, match="holds no identified parameter"):
        from_folder(RIG.controller, tmp_path)
    file.write_text("[1, 2")
    with pytest.raises(BadValues, match=r"is not a file of an identification that .*`hilctl identify plant --again"):
        from_folder(RIG.controller, tmp_path)
    estimate = {"value": 9.3e8, "low": 9.2e8, "high": None, "by": "linear"}
    (tmp_path / "study.json").write_text(json.dumps({"grey": {
        "keys": {"beta": "machine.beta", "delay": "loop_delay_s"}, "mass": {"plant": {"machine.m": quantity}},
        "fit": {"parameters": {"beta": estimate, "delay": estimate, "A": {**estimate, "by": "fixed"}}},
    }}))  # fmt: skip
    known = from_folder(RIG.controller, tmp_path)
    assert set(known.spread) == {"m", "beta"}
    assert known.spread["beta"] == (9.2e8, pytest.approx(1.2 * 9.3e8))


def a_loop(peak_db: float, hz: float, damping: float) -> Response:
    """An integrator with a resonance beyond its crossover, a little late."""
    f = np.arange(1.0, 150.0)
    s = 2j * np.pi * f
    w = 2 * np.pi * hz
    size = 10 ** (peak_db / 20) * 2 * damping
    stands = size * s * w / (s**2 + 2 * damping * w * s + w**2)
    loop = 2 * np.pi * 6.0 / s * np.exp(-0.003 * s) * (1 + stands)
    return Response(f, loop, 1e-6 * np.abs(loop) ** 2, np.full(len(f), 6.0), np.ones(len(f)))


@settings(max_examples=25, deadline=None)
@given(st.floats(10.0, 22.0), st.floats(35.0, 100.0), st.floats(0.015, 0.06))
def test_a_notch_is_put_where_a_resonance_stands_and_helps(peak_db: float, hz: float, damping: float) -> None:
    loop = a_loop(peak_db, hz, damping)
    found = design_notches(loop, Law(), 1e-3)
    assert found.after.modulus >= found.before.modulus
    for key, value in found.values.items():
        if key.endswith("frequency_hz"):
            assert value == pytest.approx(hz, rel=0.06)
    if found.values:
        law = assign(Law(), {key.removeprefix("law."): value for key, value in found.values.items()})
        assert law.notch_1.depth_db > 0
        taken = design_notches(loop, assign(law, {"notch_2.depth_db": 1.0, "notch_3.depth_db": 1.0}), 1e-3)
        assert taken.values == {}
        assert "in use" in taken.why


def test_a_resonance_that_eats_the_margin_gets_its_notch_and_none_gets_none() -> None:
    found = design_notches(a_loop(16.0, 60.0, 0.03), Law(), 1e-3)
    assert found.values["law.notch_1.frequency_hz"] == pytest.approx(60.0, rel=0.03)
    assert found.after.modulus > 1.3 * found.before.modulus
    smooth = design_notches(a_loop(-60.0, 60.0, 0.03), Law(), 1e-3)
    assert smooth.values == {}
    assert "no peak of the loop gain" in smooth.why


def test_gains_that_do_not_stand_without_pressure_are_refused_however_little_the_mode_is_damped():
    """Of a heavy payload the count of turns between two frequencies misses the mode: its poles are asked."""
    identified = {"m": 1649.9, "beta": 7.936e8, "Qn": 1.6017e-3, "wv": 515.77, "zv": 0.69878}
    press = rigs.load("press-1500", twin=True, changes={f"machine.{key}": one for key, one in identified.items()})
    controller, friction, dt = press.controller, press.friction, press.dt_s
    demand = tuning.Demand(family(controller.machine, friction)[:1], [], lambda loops: 0.0)
    problem = next(one for one in tuning._problems(controller, friction, dt, demand) if 1.88 < one.corner_hz < 1.9)
    unit = problem.gains(np.array([0.0, 1.0, 1.0, 1.0]))[2:]
    for values, stands in (
        ((33.5, 0.011223, 0.0021817, 0.0019776), True), ((34.388, 0.0069329, 0.002009, 0.0024051), False),
    ):  # fmt: skip
        kd, kv, ka, kp_per_mpa = values
        trial = {"kd_per_m": kd, "ki_per_m_s": 2 * np.pi * 3.0 * kd, "kv_s_per_m": kv, "ka_s2_per_m": ka,
                 "kp_per_mpa": kp_per_mpa, "high_pass_hz": problem.corner_hz}  # fmt: skip
        given = assign(controller, {f"law.three_state.{key}": one for key, one in trial.items()})
        assert without_pressure(given, friction, dt, nominal_only=True).stable == stands
        x = np.array([np.log(kd), *(np.array([kv, ka, 1e-6 * kp_per_mpa]) / unit)])
        assert (problem.objective(x) < tuning._UNSTABLE) == stands
