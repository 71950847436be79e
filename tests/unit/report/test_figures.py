import copy
import subprocess
import sys

import msgspec
import numpy as np
import pytest

from hilctl.errors import NoFigures
from hilctl.report import drawn, figures, write
from hilctl.report.drawing import PICTURES
from hilctl.report.pictures import convergence, friction, spectrum, style, waves
from hilctl.results.commissioned import Commissioned

matplotlib = pytest.importorskip("matplotlib")


def test_every_figure_is_a_picture_with_something_in_it(told, tmp_path):
    from matplotlib.image import imread

    written = figures(drawn(told), tmp_path / "new")
    assert [path.stem for path in written] == list(PICTURES)
    for path in written:
        pixels = imread(path)[..., :3]
        assert pixels.shape[0] > 150 and pixels.shape[1] > 900
        assert np.std(pixels) > 0.02, path.stem


def test_nothing_told_is_nothing_drawn(tmp_path):
    assert figures(drawn(Commissioned()), tmp_path / "new") == [] and not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", PICTURES)
def test_a_figure_takes_every_result_that_can_be_read(name, plain_told):
    """Each piece in turn gone, or another that a file may hold."""
    random = np.random.default_rng(1)
    junk = (None, "text", 3.5, True, [], {}, [[]], [None, "x"], [1.0], {"a": 1.0}, [[1.0], [2.0, 3.0]])
    drawn = 0

    def spoil(value, share):
        if random.random() < share:
            return junk[random.integers(len(junk))]
        if isinstance(value, dict):
            return {key: spoil(item, share) for key, item in value.items()}
        return [spoil(item, share) for item in value] if isinstance(value, list) and len(value) < 50 else value

    for share in (0.0003, 0.001) * 20:
        try:
            result = msgspec.convert(spoil(copy.deepcopy(plain_told), share), Commissioned)
        except msgspec.ValidationError:
            continue
        drawn += 1
        PICTURES[name](result)
    assert drawn >= 10


def test_points_lie_off_the_law_by_their_residuals(told):
    """The shared force is off, and the directions are folded onto one another."""
    points, law = friction.points_of(told), friction.law_of(told)
    expected = points.direction * law.curve(points.direction * points.speed_m_s)
    assert points.force_n - expected == pytest.approx(points.residual_n, abs=1e-6)
    assert np.count_nonzero(points.inside == 0) == 1


def test_points_are_drawn_without_a_fit(told):
    told.fit, told.friction = None, None
    points = friction.points_of(told)
    assert np.all(points.force_n > 0) and len(points.speed_m_s) == 16
    assert len(friction.draw(told).axes) == 1


def test_the_laws_interval_is_that_of_its_parameters(told):
    """At a standstill the curve is fs, and its interval that of fs."""
    one = friction._band(told.fit, friction.law_of(told), np.array([1e-5]))
    assert one == pytest.approx(1.96 * 0.01 * 3000.0, rel=1e-3)


def test_every_run_of_the_search_is_drawn(told):
    axes = convergence.draw(told).axes
    assert [ax.get_title() for ax in axes[:5]] == ["fc, N", "fs, N", "vs, m/s", "sigma, N·s/m", "offset, N"]
    lines = axes[1].get_lines()
    assert len(lines) == 3 + 1
    assert lines[0].get_ydata() == pytest.approx(np.array(told.fit.searches[0].history)[0, :, 1])


def test_a_cycle_is_drawn_over_its_own_time(told):
    axes = waves.draw(told).axes
    assert [ax.get_title() for ax in axes] == ["0.5 Hz", "1 Hz", "2 Hz", "5 Hz"]
    for ax, period_ms in zip(axes, (2000.0, 1000.0, 500.0, 200.0), strict=True):
        assert [line.get_xdata()[-1] for line in ax.get_lines()] == pytest.approx([period_ms * 199 / 200] * 3)


def test_harmonics_stand_at_their_frequencies(told):
    ax = spectrum.draw(told).axes[1]
    odd, even = ax.get_lines()[:2]
    assert odd.get_xdata()[:3] == pytest.approx([3.0, 5.0, 7.0]) and odd.get_ydata()[0] == pytest.approx(9.0 / 2)
    assert even.get_xdata()[:3] == pytest.approx([2.0, 4.0, 6.0]) and even.get_ydata()[0] == pytest.approx(9.0)


def test_states_stay_apart_in_grey():
    from matplotlib.colors import to_rgb

    light = sorted(float(np.dot(to_rgb(c), (0.299, 0.587, 0.114))) for c in (style.BEFORE, style.LEARNED, style.AFTER))
    assert np.all(np.diff(light) > 0.12) and light[-1] < 0.75


def test_the_same_commissioning_gives_the_same_bytes(told, tmp_path):
    told = Commissioned(preview=told.preview, tracking=told.tracking)
    assert write(told, tmp_path / "a.html").read_bytes() == write(told, tmp_path / "b.html").read_bytes()


def test_figures_leave_matplotlib_as_it_was(told, tmp_path):
    figures(drawn(Commissioned(preview=told.preview)), tmp_path)
    assert [key for key in style.RC if matplotlib.rcParams[key] != matplotlib.rcParamsDefault[key]] == []


def test_without_matplotlib_the_report_says_what_brings_figures(told, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(NoFigures, match=r"hilctl\[report\]"):
        figures(drawn(told), tmp_path)
    page = write(told, tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<svg" not in page and "pip install hilctl[report]" in page and "Every parameter" in page


def test_a_report_without_figures_never_asks_for_matplotlib(tmp_path):
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from pathlib import Path; from hilctl.report import write\n"
        "from hilctl.results.commissioned import Commissioned\n"
        f"write(Commissioned(rig='r'), Path({str(tmp_path / 'r.html')!r}))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert "hilctl[report]" in (tmp_path / "r.html").read_text(encoding="utf-8")
