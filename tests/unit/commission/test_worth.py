"""What a motion was worth, on motions whose worth is known."""

import numpy as np
import pytest

from hilctl.commission.tracking import Run, Task
from hilctl.commission.worth import flatness, full_cycles, second_half, straights, thd, worth
from hilctl.experiment.record import record_of
from hilctl.results.proof import Worth

RATE_HZ = 1000.0
BIAS = 0.02  # of the accelerometer, m/s²


def triangle(ripple: float, speed: float = 0.1, corner: int = 20, straight: int = 400) -> Run:
    up, down, rest = np.linspace(0, speed, corner), np.linspace(speed, -speed, corner), np.zeros(200)
    vd = np.concatenate([rest, up, np.full(straight, speed), down, np.full(straight, -speed), -up[::-1], rest])
    n = np.arange(len(vd))
    v = vd + ripple * speed * np.sqrt(2) * np.sin(2 * np.pi * 50 * n / RATE_HZ)
    v += speed * np.exp(-(((n - 280) / 15) ** 2))  # the first half of a straight does not count
    x = np.concatenate(([0], np.cumsum((v[1:] + v[:-1]) / 2))) / RATE_HZ
    samples = {
        "vd_m_s": vd, "error_m": np.full(len(vd), 3e-6),
        "displacement_m": x, "acceleration_m_s2": np.gradient(v, 1 / RATE_HZ) + BIAS,
    }  # fmt: skip
    task = Task("triangle", {"speed_m_s": speed, "amplitude_m": 0.02, "cycles": 1})
    return Run("pid", task, "done", None, RATE_HZ, 60.0, {}, recorded(samples))


def recorded(samples):
    """As the service gives it, nothing lost."""
    n = len(samples["error_m"])
    return record_of({"tick": np.arange(n), "rejected": np.zeros(n, np.int64), **samples}, RATE_HZ).bridged


def sine(third: float, lead: int = 130, cycles: int = 3) -> Run:
    t = (np.arange(lead + int(cycles * RATE_HZ) + 500) - lead) / RATE_HZ
    a = 2.0 * np.sin(2 * np.pi * t) + 2.0 * third * np.sin(2 * np.pi * 3 * t) + 5.0 * np.sin(2 * np.pi * 130 * t)
    a[:lead] = a[lead + int(cycles * RATE_HZ) :].max() * 100
    facts = {"full_from_s": lead / RATE_HZ, "full_s": float(cycles)}
    samples = {"acceleration_m_s2": a, "error_m": np.zeros(len(a))}
    return Run(
        "pid", Task("sine", {"frequency_hz": 1.0, "amplitude_m": 0.05}), "done", None, RATE_HZ, 60.0, facts,
        recorded(samples),
    )  # fmt: skip


def test_straights_are_where_the_reference_keeps_its_speed():
    assert straights(triangle(0.0)) == [slice(219, 621), slice(639, 1041)]  # the corners touch them
    assert second_half(slice(100, 300)) == slice(200, 300)


def test_flatness_is_the_spread_over_the_second_half_in_percent_of_the_speed():
    assert flatness(triangle(0.04)) == pytest.approx(4.0, rel=0.02)


def test_distortion_counts_harmonics_up_to_100_hz_at_full_amplitude():
    assert thd(sine(0.25)) == pytest.approx(25.0, rel=1e-6)
    assert thd(sine(0.25, cycles=1)) is None


def test_whole_cycles_begin_where_the_amplitude_is_full():
    assert full_cycles(sine(0.0)) == slice(130, 3130)


def test_what_was_not_finished_has_no_figures():
    assert worth(triangle(0.0)._replace(why="tripped")) == Worth(None, outcome="tripped")
    assert worth(triangle(0.0)).rms_um == pytest.approx(3.0)


def test_the_error_counts_at_ticks_that_ran():
    run = triangle(0.0)
    rows = {name: np.delete(run.samples[name], slice(300, 340)) for name in run.samples if name != "lost"}
    rows["error_m"][299:301] = 1e-3  # what is bridged between these is not counted
    told = worth(run._replace(samples=record_of(rows, RATE_HZ).bridged, facts={}))
    assert told.rms_um == pytest.approx(1e6 * np.sqrt(np.mean(rows["error_m"] ** 2)))
