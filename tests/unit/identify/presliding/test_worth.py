"""What the identified law is worth in compensation: the inverse model with it, on a twin that has the true one."""

from typing import Any

import numpy as np
import pytest

from hilctl.experiment.drive import taken
from hilctl.experiment.facts import Facts
from hilctl.friction import check_friction
from hilctl.identify.presliding import judge
from hilctl.identify.presliding.estimate_cycles import cut
from hilctl.identify.presliding.model_curve import curve_of
from hilctl.identify.presliding.plan import CHANNELS, PAUSE_S, plan
from tests.unit.law.conftest import Table
from tests.unit.law.test_inverse import distortion

CURVE = {"fc": 287.0, "fs": 3118.0, "vs": 0.115, "sigma": 3251.0}
KNOWN = {"fc": 293.0, "fs": 3130.0, "vs": 0.1146, "sigma": 3235.0}  # as a campaign may have found it


def below(at: str, table: dict[str, Any]) -> dict[str, Any]:
    """As the rig file's keys."""
    return {f"{at}.{key}": list(value) if isinstance(value, tuple) else value for key, value in table.items()}


def explicit(law: dict[str, Any]) -> dict[str, Any]:
    """Elements as lists: a nominal law with lists would leave `s0` beside them."""
    own: Any = check_friction(law).params
    return law | {"alpha": list(own.shares()), "k": list(own.stiffnesses())} if law["model"] == "gms" else law


def identified(law: dict[str, Any]) -> dict[str, Any]:
    table = Table(**below("twin.friction", law))
    table.arm()
    controller, rate_hz = table.controller, 1 / table.dt_s
    keys = ("m", "A", "B", "K", "vertical", "beta", "Vt", "stroke_m")
    values = {f"machine.{key}": getattr(controller.machine, key) for key in keys}
    for name in ("displacement", "acceleration", "pressure_a", "pressure_b"):
        sensor = getattr(controller.sensors, name)
        values |= {f"sensors.{name}.delay_s": sensor.delay_s, f"sensors.{name}.noise": sensor.noise}
    facts = Facts("made-up", rate_hz, 0, values)
    cycles = []
    for swing in plan(curve_of(KNOWN), facts):
        table.run(PAUSE_S)
        planned = table.track("sine", **swing.parameters(rate_hz, 0.0))
        rows = table.run(planned.duration_s)
        samples = {name: np.array(rows[name]) for name in CHANNELS}
        about = {"amplitude_m": swing.amplitude_m, "period": swing.period}
        cycles.append(cut(taken(swing.name, samples, rate_hz, about)._replace(facts=planned.facts), facts))
    return judge(cycles, facts, KNOWN).table


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("law", "factor"),
    [
        ({"model": "lugre", **CURVE, "s0": 1e8, "s1": 1e5}, 6.0),
        ({"model": "lugre", **CURVE, "s0": 3e8, "s1": 2e5, "vd": 0.05}, 6.0),
        ({"model": "gms", **CURVE, "s0": 1e8}, 5.0),
        ({"model": "gms", **CURVE, "s0": 1e8, "elements": 10}, 5.0),
        ({"model": "karnopp", **CURVE}, 6.0),
    ],
    ids=["lugre", "stiff lugre", "gms", "gms of ten", "karnopp"],
)
def test_the_identified_law_takes_most_of_the_distortion_away(law, factor):
    found = identified(law)
    assert found["model"] == law["model"]
    own = below("friction", found) | below("twin.friction", explicit(law))
    if law["model"] == "gms":
        own.pop("twin.friction.s0")
        own.pop("twin.friction.elements", None)
    before = distortion(Table(**own), 1.0, 0.0)
    after = distortion(Table(**own), 1.0, 1.0)
    print(f"{law['model']}: {before:.1f} -> {after:.2f} %, {before / after:.1f} times less")
    assert after < before / factor
