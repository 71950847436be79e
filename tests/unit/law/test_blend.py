"""How one parameter set takes over from another."""

import numpy as np
import pytest

from hilctl.law.blend import rt_adopt_settings, rt_blend_settings
from hilctl.law.settings import BLENDED, SETTINGS
from hilctl.rt.records import words_of
from tests.forms import blank, filled

FIRST = SETTINGS.fields["friction"][1] // 8
END = FIRST + SETTINGS["friction"].itemsize // 8
INSIDE = np.arange(len(BLENDED))
FRICTION = (INSIDE >= FIRST) & (INSIDE < END)
pytestmark = pytest.mark.usefixtures("forms")


def sets(same_model):
    now, new = filled(SETTINGS, 1), filled(SETTINGS, 2)
    now.friction.code = 3
    new.friction.code = 3 if same_model else 4
    source, target = filled(SETTINGS, 3), filled(SETTINGS, 4)
    return new, now, source, target


def test_the_words_that_are_blended_are_some_and_not_all():
    assert BLENDED.any()
    assert not BLENDED.all()
    assert BLENDED[FRICTION].any()


def test_of_the_same_friction_model_everything_real_begins_from_what_is_active():
    new, now, source, target = sets(True)
    held, fresh = words_of(now).copy(), words_of(new).copy()
    rt_adopt_settings(new, now, source, target)
    assert (words_of(target) == fresh).all()
    assert (words_of(source) == held).all()
    assert (words_of(now)[BLENDED] == held[BLENDED]).all()
    assert (words_of(now)[~BLENDED] == fresh[~BLENDED]).all()
    assert now.friction.code == 3


def test_another_friction_model_holds_at_once_and_whole():
    new, now, source, target = sets(False)
    held, fresh = words_of(now).copy(), words_of(new).copy()
    rt_adopt_settings(new, now, source, target)
    assert (words_of(now)[FRICTION] == fresh[FRICTION]).all()
    assert (words_of(source)[FRICTION] == fresh[FRICTION]).all()
    others = BLENDED & ~FRICTION
    assert (words_of(now)[others] == held[others]).all()
    assert (words_of(source)[~FRICTION] == held[~FRICTION]).all()
    assert (words_of(now)[~BLENDED] == fresh[~BLENDED]).all()
    assert (words_of(target) == fresh).all()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_on_the_way_every_blended_number_has_come_equally_far_along_a_soft_step(share):
    now, source, target = blank(SETTINGS), filled(SETTINGS, 3), filled(SETTINGS, 4)
    rt_blend_settings(share, now, source, target)
    old, aim = words_of(source), words_of(target)
    smooth = 10 * share**3 - 15 * share**4 + 6 * share**5
    assert words_of(now)[BLENDED] == pytest.approx((old + smooth * (aim - old))[BLENDED], abs=1e-12)
    assert (words_of(now)[~BLENDED] == 0.0).all()


def test_the_step_is_half_way_in_the_middle_and_starts_and_ends_softly():
    now, source, target = blank(SETTINGS), blank(SETTINGS), blank(SETTINGS)
    target.machine.m = 1.0
    for share, came in ((0.5, 0.5), (0.01, 1e-5), (0.99, 1.0)):
        rt_blend_settings(share, now, source, target)
        assert now.machine.m == pytest.approx(came, abs=1e-5)


@pytest.mark.parametrize("share", [1.0, 1.5])
def test_at_the_end_the_target_is_reached_to_the_last_bit(share):
    now, source, target = blank(SETTINGS), filled(SETTINGS, 3), filled(SETTINGS, 4)
    words_of(source)[:] *= 1e17
    rt_blend_settings(share, now, source, target)
    assert (words_of(now)[BLENDED] == words_of(target)[BLENDED]).all()
