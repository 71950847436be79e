"""The comparison of unit and twin says how far they are apart, and where."""

import numpy as np

from firmware_bridge.firmware.build import compiler
from hilctl.fmu.compare import agreement, driven, judged, readings_of, triangle, twin_driven
from hilctl.fmu.write import compiled
from tests.unit.fmu.fmu_parts import needs_compiler, rig, unit

pytestmark = needs_compiler


def test_an_unaltered_unit_has_the_twins_bits():
    found = agreement(rig(), triangle(rig(), 0.2))
    assert (found.worst, found.same_bits, found.samples) == (0.0, True, 200)
    assert found.travel_m > 1e-3


def test_a_reading_that_differs_is_named_with_its_share(tmp_path):
    commands, library = triangle(rig(), 0.1), tmp_path / "unit.so"
    library.write_bytes(compiled(unit(), compiler()))
    ours = driven(unit(), library, rig().dt_s, commands, noise=False)
    twin = twin_driven(rig(), commands, noise=False)
    at = readings_of(unit()).index("pressure_b_pa")
    ours[70, at] += 1e-6 * np.abs(twin[:, at]).max()
    found = judged(unit(), ours, twin)
    assert found.reading == "pressure_b_pa"
    assert abs(found.worst - 1e-6) < 1e-9
    assert not found.same_bits


def test_what_is_no_number_is_no_agreement():
    twin = np.ones((3, len(readings_of(unit()))))
    ours = twin.copy()
    ours[1, 2] = np.nan
    assert not judged(unit(), ours, twin).worst <= 1e-6
