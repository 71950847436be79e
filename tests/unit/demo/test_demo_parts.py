"""The demonstration's motions, what its twin hides, and its earthquake."""

import numpy as np
import pytest

from hilctl import rig as rigs
from hilctl.demo.course import COURSE
from hilctl.demo.quake import DURATION_S, quake
from hilctl.demo.truth import LEAST_OFF, MOST_OFF, hidden
from hilctl.friction import linear_models
from hilctl.params import BadValues


def test_the_course_holds_what_is_promised():
    assert [task.parameters["speed_m_s"] for task in COURSE if task.kind == "triangle"] == [0.001, 0.02, 0.1, 0.32, 0.8]
    assert [task.kind for task in COURSE].count("sine") == 1


@pytest.mark.parametrize("friction", linear_models())
def test_every_number_of_the_hidden_machine_is_off_and_the_twin_takes_it(friction):
    nominal = rigs.load("table-500", twin=True)
    changes = hidden(nominal, friction, 4)
    twin = rigs.load("table-500", twin=True, changes=changes)
    assert twin.driver_config.friction.model == friction
    for name in ("m", "Qn", "beta", "wv", "zv", "Ctc"):
        off = abs(changes[f"twin.machine.{name}"] / getattr(nominal.controller.machine, name) - 1)
        assert LEAST_OFF <= off <= MOST_OFF
    assert hidden(nominal, friction, 4) == changes != hidden(nominal, friction, 5)
    assert twin.controller.machine == nominal.controller.machine


def test_an_unknown_friction_is_the_rig_files_to_refuse():
    nominal = rigs.load("table-500", twin=True)
    with pytest.raises(BadValues, match="honey"):
        rigs.load("table-500", twin=True, changes=hidden(nominal, "honey", 1))


def test_the_earthquake_begins_and_ends_at_rest_and_shakes_below_20_hz():
    made = quake(7)
    assert made.times_s[-1] == pytest.approx(DURATION_S, abs=0.02)
    strong = np.max(np.abs(made.values))
    assert max(abs(made.values[0]), abs(made.values[-1])) < 0.05 * strong
    power = np.abs(np.fft.rfft(made.values)) ** 2
    hz = np.fft.rfftfreq(len(made.values), 0.01)
    assert power[(hz > 0.2) & (hz < 20)].sum() > 0.9 * power.sum()
    assert not np.array_equal(made.values, quake(8).values)
