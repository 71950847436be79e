"""The numbers beside a figure are those that it draws, under the names that its axes have."""

import numpy as np
import pytest

from hilctl.report.drawing import PICTURES, laid_out, styled
from hilctl.report.figure_data import data_of
from hilctl.report.pictures.style import new
from hilctl.report.series import POINTS, thinned

pytest.importorskip("matplotlib")


def drawn(result, name):
    with styled():
        return data_of(laid_out([(name, PICTURES[name](result))])[name])


def columns(data):
    return dict(zip(data.head, zip(*data.rows, strict=True), strict=False))


def test_points_have_their_intervals_and_the_curve_its_band(told):
    above, below = drawn(told, "friction")
    assert above.head[0] == "speed, m/s" == below.head[0], "which only the lower panel says"
    found = columns(below)
    middle, low = (float(found[f"forward{end}: point less law, N"][0]) for end in ("", ", low"))
    assert middle - low == pytest.approx(1.96 * told.fit.points.sd_n[0], rel=1e-4)
    half = [float(found[f"law, 95 %, {end}: point less law, N"][0]) for end in ("low", "high")]
    assert half[0] == -half[1] < 0


def test_a_row_that_has_a_name_has_it_in_the_numbers(told):
    found = columns(drawn(told, "tracking")[0])
    assert found["before"] == ("El Centro", "triangle 0.02 m/s")
    assert found["error of displacement, rms, µm"][:2] in (("820", "180"), ("110", "31"))
    assert "Coulomb" in columns(drawn(told, "laws")[0])["name"]


def test_panels_beside_each_other_have_the_axis_that_the_first_one_names(told):
    found = drawn(told, "acceleration")
    assert [one.name for one in found] == ["0.5 Hz", "1 Hz", "2 Hz", "5 Hz"]
    assert {one.head[1] for one in found} == {"before: acceleration, m/s²"}


def test_what_only_marks_a_place_is_no_number_and_a_gap_stays_empty():
    with styled():
        figure, axes = new()
        axes[0, 0].plot([0.0, 1.0, 2.0], [5.0, np.nan, 7.0], label="a, b")
        axes[0, 0].plot([0.0, 1.0], [1.0, 2.0])
        axes[0, 0].axhline(3.0)
        axes[0, 0].set(xlabel="t, s", ylabel="y,\nm")
    (data,) = data_of(figure)
    assert data.csv() == '"t, s","a, b: y, m"\n0,5\n1,\n2,7\n'


@pytest.mark.parametrize("at", [0, 12_345, 99_999, 100_006])
def test_a_single_peak_survives_wherever_it_stands(at):
    values = np.zeros(100_007)
    values[at] = -3.0
    values[50_000:50_500] = np.nan
    t, shown = thinned(np.arange(len(values)), values)
    assert len(t) == len(shown) <= 2 * POINTS
    assert np.nanmin(shown) == -3.0 and abs(t[np.nanargmin(shown)] - at) <= len(values) / POINTS + 1
    assert np.isnan(shown).any()
