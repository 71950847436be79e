"""Records outlive the rig."""

import numpy as np
import pytest

from hilctl.experiment.store import NotKept
from hilctl.identify.plant.store import load_records, save_records
from tests.unit.identify.plant.plant_parts import facts, records


def test_records_come_back_as_they_were(tmp_path):
    made, believed = records(2), facts()
    save_records(tmp_path / "plant.npz", made, believed)
    back, again = load_records(tmp_path / "plant.npz")
    assert (again.rig, again.rate_hz, again.values) == (believed.rig, believed.rate_hz, believed.values)
    for one, other in zip(made, back, strict=True):
        assert (one.name, one.lowest_hz, one.rate_hz) == (other.name, other.lowest_hz, other.rate_hz)
        assert set(one.samples) == set(other.samples)
        assert all(np.array_equal(one.samples[name], other.samples[name]) for name in one.samples)
    assert [p.name for p in tmp_path.iterdir()] == ["plant.npz"]


def test_another_file_is_refused(tmp_path):
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    (tmp_path / "text.npz").write_text("nothing")
    for name in ("other.npz", "text.npz"):
        with pytest.raises(NotKept, match=name):
            load_records(tmp_path / name)
