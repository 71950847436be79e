"""The [friction] table: what is refused, and how it says so."""

import subprocess
import sys

import pytest

from hilctl.friction import MODELS, PARAMETERS, check_friction, friction_of
from hilctl.params import BadValues

KARNOPP = {"model": "karnopp", "fc": 287, "fs": 3118, "vs": 0.115, "sigma": 3251}


def problems(table: object) -> list[str]:
    with pytest.raises(BadValues) as refused:
        check_friction(table)
    return [str(p) for p in refused.value.problems]


def test_a_good_table_becomes_packed_symbols_in_their_declared_order():
    friction = check_friction({**KARNOPP, "delta": 1.5, "v0": 1e-3})
    assert friction.code == MODELS["karnopp"].code
    assert friction.packed()[:11].tolist() == [287, 3118, 0.115, 3251, 1.5] * 2 + [1e-3]
    assert friction.packed().shape == (PARAMETERS,)


def test_a_friction_survives_its_own_table():
    friction = check_friction(KARNOPP)
    assert check_friction(friction.table()) == friction
    assert friction_of(friction.params) == friction


def test_all_problems_come_at_once_with_the_nearest_key():
    found = problems({"model": "karnopp", "fc": -1, "fs": 3118, "vss": 0.1, "sigma": float("nan")})
    assert any("friction.fc: -1 refused" in p for p in found)
    assert any("friction.vss" in p and "did you mean 'vs'?" in p for p in found)
    assert any("friction.vs: missing" in p for p in found)
    assert any("friction.sigma: nan refused, must be finite" in p for p in found)
    assert len(found) == 4


def test_a_breakaway_below_sliding_is_refused():
    assert problems({**KARNOPP, "fs": 100}) == ["friction.fs: 100.0 refused, must be at least fc = 287 N"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"model": "karnop"}, "did you mean 'karnopp'?"),
        ({}, "friction.model: missing"),
        ({"model": ["karnopp"]}, "must be one of"),
        (7, "must be a table"),
    ],
)
def test_a_model_that_does_not_exist_is_refused(table, words):
    assert words in problems(table)[0]


def test_a_key_of_another_model_is_refused():
    assert "friction.s0" in problems({**KARNOPP, "s0": 1e8})[0]


def test_declaring_friction_does_not_pay_for_the_compiler():
    code = "import sys, hilctl.friction; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
