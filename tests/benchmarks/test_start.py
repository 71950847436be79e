"""How soon the loop ticks, beside what importing numba alone costs in the same run."""

import json

import pytest

from hilctl.bench import start
from hilctl.rt.jit import PLAIN

pytestmark = [
    pytest.mark.bench,
    pytest.mark.timeout(600),
    pytest.mark.skipif(PLAIN, reason="nothing is compiled"),
]


def test_a_warm_core_ticks_within_one_and_a_half_imports_of_numba_and_a_cold_one_says_what_it_does():
    told = start.run(quick=True)
    print(json.dumps(told))
    assert told["ratio"]["vs_import_numba"] <= 1.5
    figures = told["figures"]
    assert 0.0 < figures["cold_told_s"] < 0.5 * figures["cold_s"]
    assert figures["first_tick_s"] < 0.5 * figures["cold_s"]
