"""The rig's own plant as a grey box: valve, flow gain and oil of an invented machine from its records."""

import numpy as np
import pytest

from hilctl.identify.dynamics.rig_plant import RigPlant
from hilctl.identify.frequency.plan import Asked
from hilctl.identify.grey_box.identify import identify
from hilctl.identify.grey_box.model import CannotBe
from hilctl.identify.grey_box.parameters import Fixed, Free, Parameters
from hilctl.identify.grey_box.rig_model import LEAK, RigModel, rig_choices, rig_model, rig_records
from hilctl.identify.grey_box.rig_search import find_threshold, identify_rig
from hilctl.identify.plant.model_valve import follow
from hilctl.params import BadValues
from sim.valve import VALVE, rt_target
from tests.unit.identify.plant.plant_parts import TRUE, changed, facts, records

FACTS = facts()
MODEL = rig_model(FACTS)
SLOW_AND_SWEPT = slice(0, None, 2)  # a slow sine and a sweep: enough to identify all, at half of the cost


@pytest.fixture(scope="module")
def measured():
    return rig_records(records(3), FACTS.values)


@pytest.fixture(scope="module")
def driven(measured):
    return measured[SLOW_AND_SWEPT]


@pytest.fixture(scope="module")
def swept(measured):
    return measured[2]


@pytest.fixture(scope="module")
def fit(driven):
    return identify_rig(FACTS, driven, rig_choices(FACTS))


def test_valve_flow_gain_and_oil_are_identified_with_nominal_values_a_fifth_off(fit):
    for name, share in (("Qn", 0.002), ("beta", 0.02), ("wv", 0.05), ("zv", 0.05), ("Ctc", 0.1)):
        assert fit.estimate(name).value == pytest.approx(TRUE[name], rel=share), name
    assert fit.estimate("delay").value == pytest.approx(0.0, abs=1e-4)
    assert fit.estimate("null").value == pytest.approx(TRUE["null"], abs=1e-4)
    assert (fit.rank, fit.free) == (10, 10) and fit.directions == ()
    assert fit.fit_percent["load_pressure"] > 95


def test_the_derivatives_are_those_of_the_simulation(swept):
    parameters = Parameters(MODEL, {**rig_choices(FACTS), "dead_band": Fixed(0.013)})
    values = parameters.values(parameters.start) | {"tau": 1e-4, "droop": 0.3}
    record = swept
    slopes = MODEL.sensitivities(values, MODEL.names, record)[1][:, 0]
    size = {"null": 0.01, "tau": 1e-3, "delay": 1e-3, "droop": 1.0, "dead_band": 0.01}
    for at, name in enumerate(MODEL.names):
        if name == "threshold":  # what it does are jumps
            assert not slopes[:, at].any()
            continue
        step = 1e-5 * size.get(name, abs(values[name]))
        ahead, behind = (MODEL.simulate({**values, name: values[name] + s}, record)[:, 0] for s in (step, -step))
        difference = (ahead - behind) / (2 * step)
        # A dead band and a play have edges; what stands on one while they move is left out.
        off = np.sort(np.abs(difference - slopes[:, at]))[: -20 if name in ("dead_band", "play") else None]
        assert off.max() < 1e-4 * np.abs(slopes[:, at]).max(), name


def test_the_kept_simulation_is_reused_only_for_the_same_request(driven):
    """With and without derivatives, from several starts, for several records."""
    values = Parameters(MODEL, rig_choices(FACTS)).values(Parameters(MODEL, rig_choices(FACTS)).start)
    asked = [(free, record, start, {**values, "wv": wv}) for wv in (900.0, 1000.0) for record in driven
             for start in (None, np.array([2e4])) for free in ((), ("wv", "Qn"), MODEL.names)]  # fmt: skip
    for free, record, start, here in asked:
        load, slopes = MODEL.sensitivities(here, free, record, start)
        alone, every = rig_model(FACTS).sensitivities(here, MODEL.names, record, start)
        np.testing.assert_array_equal(load, alone)
        np.testing.assert_allclose(slopes, every[:, :, [MODEL.names.index(name) for name in free]], rtol=1e-12)
    plain, moved = (MODEL.simulate(values, driven[1], start) for start in (None, np.array([2e4])))
    assert not np.array_equal(plain, moved)


def with_play(record, play):
    """The valve moves as before, by a command that compensates for its play."""
    sent = np.asarray(record.rows["u_applied"], float)
    way = np.sign(np.diff(sent, prepend=sent[0]))
    return changed(record, u_applied=sent + play * way)


@pytest.mark.slow
def test_hysteresis_is_identified_and_a_model_without_it_has_wider_intervals():
    hidden = rig_records([with_play(one, 0.004) for one in records(3)], FACTS.values)[SLOW_AND_SWEPT]
    choices = rig_choices(FACTS)
    found = identify_rig(FACTS, hidden, choices)
    assert found.estimate("play").value == pytest.approx(0.004, rel=0.05)
    for name, share in (("Qn", 0.002), ("beta", 0.02), ("wv", 0.05), ("zv", 0.05), ("Ctc", 0.1)):
        assert found.estimate(name).value == pytest.approx(TRUE[name], rel=share), name
    assert {flag.key for flag in found.flags if flag.code in ("follows", "none")} == {"dead_band"}  # it has no overlap
    lacking = identify_rig(FACTS, hidden, choices | {"play": Fixed(0.0)})
    assert "follows" in {flag.code for flag in lacking.flags}
    for name in ("Qn", "beta", "wv", "zv", "Ctc"):
        one, sure = lacking.estimate(name), found.estimate(name)
        assert one.low < TRUE[name] < one.high, name
        assert one.high - one.low > 3 * (sure.high - sure.low), name


def test_a_valve_without_hysteresis_gives_play_zero_and_no_bound_flag(fit):
    play = fit.estimate("play")
    assert play.value == pytest.approx(0.0, abs=1e-5) and play.low >= 0.0
    assert not any(flag.key == "play" and flag.code == "bound" for flag in fit.flags)


@pytest.fixture(scope="module")
def jumping(swept):
    """The sweep of a valve with hysteresis and a threshold, and its parameters."""
    choices = rig_choices(FACTS)
    true = {name: getattr(one, "start", None) or getattr(one, "value", 0.0) for name, one in choices.items()}
    true |= {name: value for name, value in TRUE.items() if name in true} | {"play": 0.002, "threshold": 0.0015}
    load = MODEL.simulate(true, swept)[:, 0]
    noise = 25e3 * np.random.default_rng(5).standard_normal(len(load))
    return [swept._replace(outputs={"load_pressure": load + noise})], true


@pytest.mark.slow
def test_threshold_and_hysteresis_are_identified_apart(jumping):
    hidden, true = jumping
    choices = rig_choices(FACTS)
    fit = identify_rig(FACTS, hidden, choices)
    threshold = fit.estimate("threshold")
    assert threshold.value == pytest.approx(0.0015, rel=0.01) and threshold.low < 0.0015 < threshold.high
    assert fit.estimate("play").value == pytest.approx(0.002, rel=0.02)
    for name in ("Qn", "beta", "wv", "zv", "Ctc"):
        one = fit.estimate(name)
        assert one.low < true[name] < one.high, name
    lacking = identify_rig(FACTS, hidden, choices | {"threshold": Fixed(0.0)})
    assert lacking.noise["load_pressure"] > 1.05 * fit.noise["load_pressure"]


@pytest.mark.parametrize(("play", "threshold"), [(0, 0), (0.002, 0), (0, 0.0015), (0.002, 0.0015), (5e-4, 4e-3)])
def test_the_model_of_play_and_threshold_agrees_with_the_simulated_valve(play, threshold):
    """The simulated valve is independent code: agreement of the model with itself would prove nothing."""
    valve = np.zeros(1, VALVE)[0]
    valve.play, valve.threshold = play, threshold
    sent = np.cumsum(np.random.default_rng(1).standard_normal(2000)) * 0.002
    followed, slope = np.empty_like(sent), np.empty_like(sent)
    follow(sent, play, threshold, followed, slope)
    played = held = sent[0]
    for k, command in enumerate(sent):
        played, held = rt_target(valve, command, played, held)
        assert followed[k] == pytest.approx(held, abs=1e-12)


class Fragile(RigModel):
    """Impossible with a large threshold."""

    def sensitivities(self, values, free, record, initial=None):
        if values["threshold"] > 0.00155:
            raise CannotBe("too much")
        return super().sensitivities(values, free, record, initial)


def test_an_impossible_pair_does_not_end_the_search_for_a_threshold(jumping):
    hidden, true = jumping
    choices = {name: Free(value, 0.5 * value, 2 * value) if name in ("beta", "wv", "play") else Fixed(value)
               for name, value in true.items()}  # fmt: skip
    fragile = Fragile({}, MODEL.ps_pa)
    found = find_threshold(fragile, hidden, choices, lambda tried: choices)
    assert found is not None and found.threshold == pytest.approx(0.0015, rel=0.02)


def test_freeing_the_threshold_is_refused_with_the_remedy():
    with pytest.raises(BadValues, match="leave it out: it is searched separately; or --fix threshold=VALUE"):
        RigPlant().choices(FACTS, Asked(free={"threshold": (0.0, 0.01)}))
    assert RigPlant().choices(FACTS, Asked(fixed={"threshold": 0.001}))["threshold"] == Fixed(0.001)


def test_a_valve_without_a_threshold_gives_none(fit):
    assert fit.estimate("threshold").value == 0.0


@pytest.mark.slow
def test_leakage_at_null_is_identified_from_the_records_and_a_wrong_fixed_value_biases_the_model():
    hidden = rig_records(records(3, leak=4e-3), FACTS.values)[SLOW_AND_SWEPT]
    choices = rig_choices(FACTS)
    found = identify_rig(FACTS, hidden, choices)
    leak, leakage = found.estimate("leak"), found.estimate("Ctc")
    assert leak.by == "linear" and leak.low < 4e-3 < leak.high and leak.high - leak.low < 4e-3
    assert leakage.low < TRUE["Ctc"] < leakage.high
    assert found.history[0] < 90 < found.history[-1] and len(found.history) == found.iterations + 1
    sure = identify_rig(FACTS, hidden, choices | {"leak": Fixed(1e-3)}).estimate("Ctc")
    assert not sure.low < TRUE["Ctc"] < sure.high


def test_leakage_at_null_that_is_not_identifiable_is_assumed_and_widens_intervals(driven, fit):
    assert fit.estimate("leak").by == "fixed" and fit.estimate("leak").value == LEAK.value
    known = identify_rig(FACTS, driven, rig_choices(FACTS) | {"leak": Fixed(1e-3)}).estimate("Ctc")
    unsure = fit.estimate("Ctc")
    assert unsure.value == pytest.approx(known.value, rel=1e-3)
    assert unsure.high - unsure.low > 1.5 * (known.high - known.low)


def test_leakage_at_null_is_assumed_from_the_rig_files_Kc():
    at_null = rig_choices(facts(**{"machine.Kc": 1e-12}))["leak"]
    assert at_null == pytest.approx((1e-12 * 21e6 / 4.6e-3, 1.5 * 1e-12 * 21e6 / 4.6e-3))
    assert rig_choices(FACTS)["leak"] == LEAK


def test_the_intervals_hold_the_true_values(fit):
    for name in ("Qn", "beta", "wv", "zv", "Ctc", "delay", "null"):
        one = fit.estimate(name)
        reach = 1.5 * (one.high - one.low) / 2
        assert abs(one.value - TRUE[name]) < reach, name


@pytest.mark.slow
def test_the_accelerometers_droop_is_assumed_and_widens_intervals_unless_it_is_freed(measured):
    """The accelerometer of these records is late but has no filter: two standard errors from the assumption."""
    choices = rig_choices(FACTS)
    alone = identify(MODEL, measured, choices, check=False, intervals="linear").estimate("beta")
    told = identify_rig(FACTS, measured, choices).estimate("beta")
    assert told.value == alone.value
    assert told.high - told.low > 2 * (alone.high - alone.low)
    assert told.low < TRUE["beta"] < told.high
    assert not alone.low < TRUE["beta"] < alone.high
    found = identify_rig(FACTS, measured, choices | {"droop": Free(1.0, -2.0, 3.0)})
    droop, beta = found.estimate("droop"), found.estimate("beta")
    assert droop.low < 0.0 < droop.high and droop.high - droop.low < 1.0
    assert abs(beta.value / TRUE["beta"] - 1) < abs(alone.value / TRUE["beta"] - 1)


def test_the_ends_of_a_record_are_left_out_and_its_first_load_is_identified(swept):
    """The load is measured with an offset, so the simulation's first value is identified too."""
    record = swept
    values = Parameters(MODEL, rig_choices(FACTS)).values(Parameters(MODEL, rig_choices(FACTS)).start)
    assert record.samples == len(record.inputs["u"]) // 4 - 120 == len(MODEL.driven(record))
    np.testing.assert_array_equal(MODEL.driven(record), record.inputs["u"][240:-240:4])
    plain, more = (MODEL.simulate(values, record, start)[:, 0] for start in (None, np.array([1e3])))
    way = MODEL.ways(values, record)[:, 0, 0]
    assert way[0] == 1.0 and abs(way[-1]) < 1e-3
    np.testing.assert_allclose(more - plain, 1e3 * way, atol=1.0)


def test_a_cylinder_of_unknown_size_stays_not_identifiable(swept):
    """Flows, volumes and area in proportion give the same pressures; only ratios are identifiable."""
    choices = {**rig_choices(FACTS), "A": Free(2.5e-3, 1e-3, 1e-2), "Vt": Free(8e-4, 1e-4, 1e-2)}
    choices |= {"beta": Fixed(TRUE["beta"])}
    found = identify(MODEL, [swept], choices, check=False, intervals="linear")
    assert [one.kind for one in found.directions] == ["scaling"]
    assert found.directions[0].parts == {"Vt": 1, "A": 1, "Qn": 1, "Ctc": 1}
    assert found.invariant("Qn/Vt").value == pytest.approx(TRUE["Qn"] / FACTS["machine.Vt"], rel=0.02)
    assert found.estimate("A").value is None and found.estimate("wv").value is not None


@pytest.mark.parametrize(("changes", "kept"), [({}, True), ({"machine.overlap_b": 0.02}, False)])
def test_an_overlap_that_the_rig_file_gives_by_sides_is_no_value_to_set(changes, kept):
    grey = RigPlant().grey([], facts(**changes), Asked())
    assert ("dead_band" in grey.keys) == kept
    assert grey.before["dead_band"] == 0.5 * changes.get("machine.overlap_b", 0.0)
