"""Harmonic learning on a running twin, by its own accelerometer."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from hilctl.client import Client, private_service
from hilctl.experiment.drive import LegFault
from hilctl.identify.distortion import NotMeasuredError
from hilctl.identify.learning import Repeat, _judged, _smooth, learn, reference_of
from hilctl.results.distortion import Noise, distortion_of


@pytest.fixture(scope="module")
def rig():
    with private_service("table-500", changes={"twin.seed": 5}) as service, Client(service.commands) as client:
        client.arm()
        yield client
        client.off()


def with_inverse(rig: Client, share: float) -> None:
    rig.set({"law.feed.inverse": share}, origin="a test")
    rig.pass_time(1.0)


@pytest.mark.parametrize(("frequency_hz", "amplitude_m"), [(2.0, 0.05), (5.0, 0.02)])
@pytest.mark.parametrize("share", [1.0, 0.0])
def test_within_ten_repeats_the_distortion_is_below_one_percent(rig, share, frequency_hz, amplitude_m):
    with_inverse(rig, share)
    reference = reference_of(rig, "sine", frequency_hz=frequency_hz, amplitude_m=amplitude_m)
    assert abs(reference.x[0]) == pytest.approx(amplitude_m, rel=1e-6)
    assert np.max(np.abs(reference.x[1:])) < 1e-6 * amplitude_m
    heard: list[Repeat] = []
    target = 0.8 if share == 0.0 else 0.6  # at 5 Hz the inverse model alone leaves 0.7 %
    found = learn(rig, reference, "learned", target_percent=target, tell=lambda index, repeat: heard.append(repeat))
    assert found.reached
    assert len(found.repeats) <= 10
    assert found.percent < target
    assert found.repeats[0].percent > found.percent
    assert heard == found.repeats


def test_the_learned_drive_is_a_waveform_with_a_name(rig):
    with_inverse(rig, 1.0)
    found = learn(rig, reference_of(rig, "sine", frequency_hz=2.0, amplitude_m=0.03), "mine", target_percent=0.7)
    motion = rig.track("waveform", upload="mine", taper_s=0.0, return_to_start=False)
    outcome = rig.wait(motion)
    begin = motion.first + round((motion.facts["first_sample_s"] + 1.0) * 1000)
    a = rig.samples(begin, begin + 1999, ["acceleration_m_s2"])["acceleration_m_s2"]
    assert outcome.why == "done"
    assert distortion_of(a, 4, 2.0).percent < 1.3 * found.percent + 0.1


def test_a_triangle_learns_its_own_harmonics(rig):
    with_inverse(rig, 1.0)
    found = learn(rig, reference_of(rig, "triangle", speed_m_s=0.1, amplitude_m=0.02), "triangle", repeats=5)
    assert found.repeats[found.best].error_percent < found.repeats[0].error_percent / 3


def test_when_nothing_is_gained_any_more_it_says_so_and_keeps_the_best(rig):
    with_inverse(rig, 1.0)
    reference = reference_of(rig, "sine", frequency_hz=5.0, amplitude_m=0.02)
    found = learn(rig, reference, "never", target_percent=0.001, repeats=30)
    assert not found.reached
    assert "further repeats gain nothing" in found.why
    assert len(found.repeats) < 30
    assert found.percent == min(found.repeats, key=lambda repeat: repeat.error_percent).percent


@contextmanager
def limited(rig: Client, values: dict[str, object]) -> Iterator[None]:
    """Limits are loosened, and taken back, in off."""
    rig.off()
    rig.set(values, origin="a test")
    rig.arm()
    yield
    rig.off()
    if rig.status()["trip"]:
        rig.reset()
    rig.undo()
    rig.pass_time(1.0)  # until it stands
    rig.arm()


def test_a_trip_leaves_a_clear_word(rig):
    with_inverse(rig, 0.0)
    reference = reference_of(rig, "sine", frequency_hz=5.0, amplitude_m=0.02)
    tight = {"limits.tracking_error.max_m": 3e-4, "limits.tracking_error.action": "stop"}
    with limited(rig, tight), pytest.raises(LegFault, match="the rig tripped by tracking_error"):
        learn(rig, reference, "trips")


def test_a_drive_that_would_pass_a_limit_ends_the_learning_with_the_best_so_far(rig):
    with_inverse(rig, 0.0)
    reference = reference_of(rig, "sine", frequency_hz=5.0, amplitude_m=0.003)
    with limited(rig, {"limits.acceleration.max_m_s2": 3.3, "limits.acceleration.action": "warn"}):
        found = learn(rig, reference, "limited", target_percent=0.01)
    assert "the next drive was refused" in found.why
    assert "limits.acceleration.max_m_s2 is 3.3 m/s²" in found.why
    assert found.best == len(found.repeats) - 1


def test_a_dead_accelerometer_is_noticed():
    with pytest.raises(NotMeasuredError, match=r"hardly any motion; check sensors\.acceleration"):
        _judged(np.full(3, 1e-3 + 0j), np.array([1.0, 0, 0], complex), Noise(0.0, 4), 0.0)


def test_the_ramp_begins_and_ends_without_a_jerk():
    share = np.linspace(0, 1, 1001)
    for order in range(1, 4):
        slope = np.diff(_smooth(share), order) * 1000**order
        assert abs(slope[0]) < 2
        assert abs(slope[-1]) < 2
        assert np.max(np.abs(slope)) > 2
