"""Vertical rigs of two sizes commissioned: machine a tenth off the rig file, the overlap by a fifth, the null unknown.
`pytest -s -m slow tests/system/test_commission_vertical.py` prints the table.
"""

import os

import numpy as np
import pytest

from hilctl import rig as rigs
from hilctl.client import Client, private_service
from hilctl.commission import Commissioning, How

SHARE = float(os.environ.get("HILCTL_SLOW_SHARE", "1"))
OFF = {"m": 0.1, "Qn": 0.12, "beta": 0.12, "wv": 0.12, "zv": 0.12, "Ctc": 0.12}
SINES = ("0.5", "1", "2", "5")
# The least factors at 0.5, 1, 2 and 5 Hz; the widest of how far a parameter may be off.
LEAST = {"column-50": (3, 12, 20, 4.5), "press-1500": (8, 20, 30, 20)}
NEAR = {"m": 0.01, "Qn": 0.01, "beta": 0.03, "wv": 0.12}


def changes_of(name, seed):
    """A twin that is not what its rig file says; seed 0: one that is."""
    machine, chance = rigs.load(name, twin=True).controller.machine, np.random.default_rng(seed)
    sign = lambda: float(chance.choice([-1.0, 1.0])) if seed else 0.0  # noqa: E731
    made = {f"twin.machine.{key}": getattr(machine, key) * (1 + off * sign()) for key, off in OFF.items()}
    return made | {
        "twin.valve.null_bias": 0.01 * sign(), "machine.dead_band": machine.dead_band * (1 + 0.2 * sign()),
        "twin.machine.overlap_a": machine.dead_band, "twin.machine.overlap_b": machine.dead_band, "twin.seed": seed + 1,
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(max(1, round(4 * SHARE))))
@pytest.mark.parametrize("name", list(LEAST))
def test_a_vertical_rig_is_commissioned_as_well_as_a_table(name, seed, tmp_path):
    changes = changes_of(name, seed)
    with private_service(name, changes=changes) as service, Client(service.commands) as rig:
        found = Commissioning(rig, How(tmp_path / "c")).run()
    factors = [found.thd[key].factor for key in SINES]
    after = [found.thd[key].after for key in SINES]
    print(f"\n{name}, seed {seed}: {np.round(after, 2)} % after, {np.round(factors, 1)} times less at {SINES} Hz")
    assert found.complete and found.friction.law == "lugre"
    for key, share in NEAR.items():
        assert found.plant[key].value == pytest.approx(changes[f"twin.machine.{key}"], rel=share)
    assert found.plant["overlap_a"].value == pytest.approx(changes["twin.machine.overlap_a"], abs=0.002)
    assert found.plant["null"].value == pytest.approx(-changes["twin.valve.null_bias"], abs=0.001)
    assert np.all(np.array(factors) >= LEAST[name])
    assert all(row.after.rms_um < 0.5 * row.before.rms_um for row in found.tracking)
