"""How soon the loop ticks, beside what importing numba alone costs in the same run.

What a cold core does, which takes no clock to judge, stands in tests/system/test_cold_start.py.
"""

import json

import pytest

from hilctl.bench import start
from hilctl.rt.jit import PLAIN

pytestmark = [
    pytest.mark.bench,
    pytest.mark.timeout(600),
    pytest.mark.skipif(PLAIN, reason="nothing is compiled"),
]


def test_a_warm_core_ticks_within_one_and_a_half_imports_of_numba():
    with start.bytecode_kept():
        told = start.warm(quick=True)
    print(json.dumps(told))
    assert told["ratio"]["vs_import_numba"] <= 1.5
