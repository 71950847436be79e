"""The rig's own plant as a grey box: from records of a made-up machine to its valve, flow gain and oil."""

import numpy as np
import pytest

from hilctl.identify.dynamics.grey import Fixed, Free, identify
from hilctl.identify.dynamics.grey.parameters import Parameters
from hilctl.identify.dynamics.grey.rig import rig_choices, rig_model, rig_records
from tests.unit.identify.plant_parts import TRUE, facts, records

FACTS = facts()
MODEL = rig_model(FACTS)


@pytest.fixture(scope="module")
def driven():
    return rig_records(records(3), FACTS.values)


@pytest.fixture(scope="module")
def fit(driven):
    return identify(MODEL, driven, rig_choices(FACTS), check=False, intervals="linear")


def test_the_valve_the_flow_gain_and_the_oil_come_out_though_the_rig_file_is_wrong_by_a_fifth(fit):
    for name, share in (("Qn", 0.002), ("beta", 0.02), ("wv", 0.05), ("zv", 0.05), ("Ctc", 0.1)):
        assert fit.estimate(name).value == pytest.approx(TRUE[name], rel=share), name
    assert fit.estimate("delay").value == pytest.approx(0.0, abs=1e-4)
    assert fit.estimate("null").value == pytest.approx(TRUE["null"], abs=1e-4)
    assert (fit.rank, fit.free) == (8, 8) and fit.directions == ()
    assert fit.fit_percent["load_pressure"] > 95


def test_the_derivatives_are_those_of_the_simulation(driven):
    parameters = Parameters(MODEL, {**rig_choices(FACTS), "dead_band": Fixed(0.013)})
    values = parameters.values(parameters.start) | {"tau": 1e-4, "droop": 0.3}
    record = driven[2]
    slopes = MODEL.sensitivities(values, MODEL.names, record)[1][:, 0]
    size = {"null": 0.01, "tau": 1e-3, "delay": 1e-3, "droop": 1.0, "dead_band": 0.01}
    for at, name in enumerate(MODEL.names):
        step = 1e-5 * size.get(name, abs(values[name]))
        ahead, behind = (MODEL.simulate({**values, name: values[name] + s}, record)[:, 0] for s in (step, -step))
        difference = (ahead - behind) / (2 * step)
        # A dead band has edges; what stands on one while the band moves is left out.
        off = np.sort(np.abs(difference - slopes[:, at]))[: -20 if name == "dead_band" else None]
        assert off.max() < 1e-4 * np.abs(slopes[:, at]).max(), name


def test_a_cylinder_that_nobody_measured_leaves_its_size_open(driven):
    """Flows, volumes and area in proportion make the same pressures; ratios are fixed."""
    choices = {**rig_choices(FACTS), "A": Free(2.5e-3, 1e-3, 1e-2), "Vt": Free(8e-4, 1e-4, 1e-2)}
    choices |= {"beta": Fixed(TRUE["beta"])}
    found = identify(MODEL, driven[2:], choices, check=False, intervals="linear")
    assert [one.kind for one in found.directions] == ["scaling"]
    assert found.directions[0].parts == {"Vt": 1, "A": 1, "Qn": 1, "Ctc": 1}
    assert found.invariant("Qn/Vt").value == pytest.approx(TRUE["Qn"] / FACTS["machine.Vt"], rel=0.02)
    assert found.estimate("A").value is None and found.estimate("wv").value is not None
