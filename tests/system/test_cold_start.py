"""A core that finds nothing compiled: it says so long before it has compiled the loop, and a warm one ticks sooner."""

import pytest

from hilctl import rig
from hilctl.bench import start
from hilctl.rt.jit import PLAIN

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.timeout(600),
    pytest.mark.skipif(PLAIN, reason="nothing is compiled"),
]


def test_a_cold_core_says_that_it_compiles_and_a_warm_one_need_not():
    with start.bytecode_kept():
        cold = start.cold()
        loaded = rig.load(start.RIG, twin=True)
        start.core(loaded)  # fills the cache, if it has to
        warm = start.core(loaded)
    assert 0.0 < cold.told_s < 0.5 * cold.first_tick_s
    assert warm.told_s == 0.0
    assert warm.first_tick_s < 0.5 * cold.first_tick_s
