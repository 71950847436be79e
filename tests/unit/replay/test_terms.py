"""The first term of a tick that differs is named in the order in which a tick makes them."""

import numpy as np

from hilctl.replay.terms import ORDER, first_difference
from hilctl.signals import NAMES


def _row(**values: float) -> np.ndarray:
    words = np.zeros(len(NAMES), np.int64)
    for name, value in values.items():
        words[NAMES.index(name)] = np.float64(value).view(np.int64) if isinstance(value, float) else value
    return words


def test_every_channel_has_its_place_once():
    assert sorted(ORDER) == sorted(NAMES)


def test_what_comes_first_in_the_tick_is_named_first():
    recorded, now = _row(tick=7, u_cmd=0.1, u_velocity=0.2), _row(tick=7, u_cmd=0.3, u_velocity=0.4)
    found = first_difference(recorded, now, 0.0, np.zeros(len(NAMES)))
    assert (found.tick, found.term, found.recorded, found.replayed) == (7, "u_velocity", 0.2, 0.4)
    assert found.others == ("u_cmd",)


def test_what_is_within_the_tolerance_is_passed_over():
    recorded, now = _row(u_velocity=1.0, u_cmd=0.5, mode=2), _row(u_velocity=1.0 + 1e-10, u_cmd=0.5 + 1e-8, mode=2)
    assert first_difference(recorded, now, 1e-9, np.ones(len(NAMES))).term == "u_cmd"


def test_a_value_that_is_no_number_any_more_differs():
    found = first_difference(_row(u_velocity=1.0), _row(u_velocity=float("nan")), 1e-9, np.ones(len(NAMES)))
    assert found.term == "u_velocity"
