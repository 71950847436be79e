"""Sets of parameters as a result holds them."""

from hilctl.commission.parameters import applicable


def test_of_a_stored_set_the_keys_of_the_friction_model_before_are_left_out():
    before = {"friction.s0": None, "friction.s1": None}
    own = {"friction.model": "karnopp", "friction.v0": 1e-4, "friction.negative.fc": None, "machine.m": 500.0}
    assert applicable({**own, **before}) == own


def test_a_set_without_a_friction_model_is_applied_as_it_is():
    assert applicable({"machine.m": 500.0, "friction.fc": 300.0}) == {"machine.m": 500.0, "friction.fc": 300.0}
