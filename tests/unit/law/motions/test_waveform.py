"""An uploaded history comes out as what it was, at rest at both ends, without drift."""

from typing import Any

import numpy as np
import pytest

from hilctl.law.motions import MotionLimits, Plan, plan, samples_of
from hilctl.law.motions.samples import MOST
from hilctl.law.reference.wave import KNOTS
from hilctl.params import BadValues

LIMITS = MotionLimits(x_min_m=-1, x_max_m=1, velocity_m_s=10, acceleration_m_s2=500)
RATE = 50.0


def quake(seed: int = 1, seconds: float = 30.0) -> tuple[Any, Any]:
    """A record like an earthquake's: shaped noise, with the offset and the drift that recorders have."""
    t = np.arange(0, seconds, 1 / RATE)
    random = np.random.default_rng(seed)
    shape = (t / 4) ** 2 * np.exp(2 - t / 2)
    tones = sum(
        np.sin(2 * np.pi * f * t + p) for f, p in zip(random.uniform(0.5, 8, 40), random.uniform(0, 6, 40), strict=True)
    )
    return t, shape * tones * 0.4


def made_of(values: Any, quantity: Any, interval_s: float = 1 / RATE, **request: Any) -> Plan:
    return plan("waveform", request, LIMITS, 0.0, 1, samples_of(values, quantity, interval_s=interval_s))


def at_samples(made: Plan, count: int, interval_s: float = 1 / RATE) -> Any:
    return made.points(made.facts["first_sample_s"] + interval_s * np.arange(count))


def test_acceleration_passes_through_the_samples_but_for_a_slow_correction() -> None:
    _, a = quake()
    made = made_of(a + 0.01, "acceleration", taper_s=0.1)
    got = at_samples(made, len(a))["a_m_s2"]
    inside = slice(20, -20)
    left = (got - (a + 0.01))[inside]
    # What differs is the base line: smooth, and about the offset that was put there.
    assert np.max(np.abs(left)) < 0.05
    assert np.max(np.abs(np.diff(left))) < 1e-3
    assert np.max(np.abs(a)) > 1


def test_an_offset_of_the_sensor_does_not_become_a_parabola() -> None:
    t, a = quake()
    clean, offset = made_of(a, "acceleration"), made_of(a + 0.02, "acceleration")
    raw_drift = 0.5 * 0.02 * t[-1] ** 2
    difference = at_samples(clean, len(a))["x_m"] - at_samples(offset, len(a))["x_m"]
    assert np.max(np.abs(difference)) < 0.01 * raw_drift


def test_the_base_line_has_the_smallest_mean_square_of_velocity() -> None:
    _, a = quake()
    made = made_of(a + 0.02, "acceleration", taper_s=0.5)
    times = np.linspace(made.facts["lead_s"], made.duration_s, 40001)
    v = made.points(times)["v_m_s"]
    # A change of velocity that a cubic base line of acceleration can make, and that holds both ends: of degree 4,
    # with v = 0 and no distance. To move along it either way is no better.
    s = np.linspace(-1, 1, len(times))
    for shape in ((1 - s * s) * s, (1 - s * s) * (1 - 5 * s * s)):
        assert abs(np.sum(shape)) < 1e-6 * len(s)
        for push in (-0.02, 0.02):
            assert np.mean((v + push * np.std(v) * shape) ** 2) > np.mean(v**2)


@pytest.mark.parametrize("quantity", ["acceleration", "displacement"])
@pytest.mark.parametrize("back", [True, False])
def test_it_begins_and_ends_at_rest_and_where_asked(quantity: str, back: bool) -> None:
    _, a = quake()
    values = a + 0.05 if quantity == "acceleration" else 0.02 * np.cumsum(a) / 20 + np.linspace(0.01, 0.03, len(a))
    made = made_of(values, quantity, return_to_start=back, center_m=0.004)
    body = made.facts["lead_s"], made.duration_s
    eps = 1e-6
    for edge, side in ((body[0], eps), (body[1], -eps)):
        point = made.points(np.array([edge + side]))[0]
        # Half a millisecond's worth of snap would be more than this.
        assert abs(point.v_m_s) < 1e-9
        assert abs(point.a_m_s2) < 1e-6
        assert abs(point.j_m_s3) < 5e-2
    moved = made.knots[-1] - made.knots[0]
    if back:
        assert abs(moved) < 1e-12
    elif quantity == "displacement":
        assert moved == pytest.approx(values[-1] - values[0], abs=1e-12)
    else:
        assert abs(moved) > 1e-3
    assert float(made.motion.out.to_m) == pytest.approx(0.004 + made.knots[-1], abs=1e-15)


def test_displacement_passes_through_the_samples_between_the_tapers() -> None:
    t = np.arange(0, 20, 0.01)
    x = 0.01 + 0.03 * np.sin(2 * np.pi * 0.5 * t) * np.sin(np.pi * t / t[-1]) ** 2
    made = made_of(x, "displacement", 0.01, taper_s=0.5)
    got = at_samples(made, len(x), 0.01)
    inside = slice(60, -60)
    assert got["x_m"][inside] == pytest.approx(x[inside], abs=1e-12)
    assert got["v_m_s"][inside] == pytest.approx(np.gradient(x, t, edge_order=2)[inside], abs=1e-4)
    assert got["x_m"][0] == pytest.approx(0.01, abs=1e-6)


def test_a_drifting_displacement_loses_its_line_only_when_asked() -> None:
    t = np.arange(0, 20, 0.01)
    x = 0.02 * np.sin(2 * np.pi * 0.5 * t) + 0.002 * t
    back = at_samples(made_of(x, "displacement", 0.01), len(x), 0.01)["x_m"]
    kept = at_samples(made_of(x, "displacement", 0.01, return_to_start=False), len(x), 0.01)["x_m"]
    inside = slice(60, -60)
    assert kept[inside] == pytest.approx(x[inside], abs=1e-9)
    line = (x[-1] - x[0]) * np.linspace(0, 1, len(x))
    assert back[inside] == pytest.approx((x - line)[inside], abs=1e-9)


@pytest.mark.parametrize("quantity", ["acceleration", "displacement"])
def test_a_peak_is_scaled_to(quantity: str) -> None:
    _, a = quake()
    made = made_of(a, quantity, peak_m=0.05)
    x = made.points(np.linspace(0, made.duration_s, 60001))["x_m"]
    assert np.max(np.abs(x)) == pytest.approx(0.05, rel=1e-5)
    turned = made_of(a, quantity, peak_m=0.05, scale=-1.0)
    assert turned.knots == pytest.approx(-made.knots, abs=1e-15)


def test_a_history_that_does_not_move_cannot_be_scaled() -> None:
    with pytest.raises(BadValues, match="does not move"):
        made_of(np.zeros(50), "acceleration", peak_m=0.05)


def test_samples_at_uneven_times_give_the_same_motion() -> None:
    t, a = quake()
    keep = np.sort(np.random.default_rng(3).choice(len(t), int(0.93 * len(t)), replace=False))
    keep[0], keep[-1] = 0, len(t) - 1
    even = made_of(a, "acceleration", high_pass_hz=0.2)
    uneven = plan(
        "waveform", {"knot_s": 1 / RATE, "high_pass_hz": 0.2}, LIMITS, 0, 1,
        samples_of(a[np.unique(keep)], "acceleration", times_s=t[np.unique(keep)]),
    )
    x, y = at_samples(even, len(a))["x_m"], at_samples(uneven, len(a))["x_m"]
    assert np.max(np.abs(x - y)) < 0.02 * np.max(np.abs(x))


def test_a_finer_spacing_changes_nothing_and_a_coarser_one_is_low_passed() -> None:
    _, a = quake()
    x = at_samples(made_of(a, "acceleration"), len(a))["x_m"]
    fine = made_of(a, "acceleration", knot_s=0.005)
    assert fine.facts["knot_s"] == pytest.approx(0.005, rel=1e-3)
    assert np.max(np.abs(at_samples(fine, len(a))["x_m"] - x)) < 2e-3 * np.max(np.abs(x))
    t = np.arange(0, 30, 0.01)
    tone = np.sin(2 * np.pi * 21 * t)  # aliases to 1 Hz at 20 Hz
    coarse = made_of(tone, "acceleration", 0.01, knot_s=0.05)
    assert np.max(np.abs(at_samples(coarse, len(t), 0.01)["a_m_s2"])) < 0.05


def test_filters_take_away_what_they_say() -> None:
    t = np.arange(0, 60, 0.01)
    both = np.sin(2 * np.pi * 0.05 * t) + np.sin(2 * np.pi * 2 * t) + np.sin(2 * np.pi * 30 * t)
    made = made_of(both, "acceleration", 0.01, low_pass_hz=10.0, high_pass_hz=0.5)
    a = at_samples(made, len(t), 0.01)["a_m_s2"]
    inside = slice(1000, -1000)
    assert a[inside] == pytest.approx(np.sin(2 * np.pi * 2 * t)[inside], abs=0.03)


@pytest.mark.parametrize(
    ("request_", "key"),
    [
        ({"low_pass_hz": 40.0}, "low_pass_hz"),
        ({"high_pass_hz": 40.0}, "high_pass_hz"),
        ({"knot_s": 1e-4}, "knot_s"),
    ],
)
def test_what_the_samples_cannot_give_is_refused(request_: dict[str, float], key: str) -> None:
    _, a = quake()
    with pytest.raises(BadValues) as refused:
        made_of(a, "acceleration", **request_)
    assert [p.key for p in refused.value.problems] == [key]


def test_the_longest_history_fits_its_bank_and_still_returns() -> None:
    a = np.random.default_rng(0).normal(size=MOST)
    made = made_of(a, "acceleration", 0.005)
    assert len(made.knots) <= KNOTS
    assert np.all(np.isfinite(made.knots))
    end = made.points(np.array([made.duration_s - 1e-9]))[0]
    assert abs(end.x_m) < 1e-9 * np.max(np.abs(made.knots))
    assert abs(end.v_m_s) < 1e-9
    with pytest.raises(BadValues, match="knot_s"):
        made_of(a, "acceleration", 0.005, knot_s=0.004)


def test_a_displacement_that_starts_moving_is_led_in_over_the_taper() -> None:
    t = np.arange(0, 10.005, 0.01)
    x = 0.02 * np.sin(2 * np.pi * 0.5 * t)  # starts at 63 mm/s: at once, that would be 6 m/s² over a sample
    made = made_of(x, "displacement", 0.01, taper_s=0.5)
    a = made.points(np.linspace(0, made.duration_s, 20001))["a_m_s2"]
    assert np.max(np.abs(a)) < 1.0


def test_without_a_taper_a_displacement_holds_from_the_third_sample_on() -> None:
    t = np.arange(0, 10.005, 0.01)
    x = 0.03 + 0.02 * np.cos(2 * np.pi * 0.5 * t)
    got = at_samples(made_of(x, "displacement", 0.01, taper_s=0.0), len(x), 0.01)["x_m"]
    assert got[4:-4] == pytest.approx(x[4:-4], abs=1e-12)


@pytest.mark.parametrize("at_m", [0.0, 0.0123456789])
def test_where_a_displacement_rests_the_motion_rests_exactly(at_m: float) -> None:
    x = np.zeros(600)
    x[200:400] = 0.01 * np.hanning(200)
    made = made_of(at_m + x, "displacement", taper_s=0.0, return_to_start=False)
    points = made.points(np.arange(0.2, 1.4, 1e-3) + made.facts["first_sample_s"])
    assert not points["v_m_s"].any()
    assert np.ptp(points["x_m"]) < 1e-15
